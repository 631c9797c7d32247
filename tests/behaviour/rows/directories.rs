//! Working directories with any name, links, and directories that are gone or closed.

use crate::harness::row::{Need, Row, pause_ms, row, run};

pub fn rows() -> Vec<Row> {
    let mut rows = names();
    rows.extend(gone());
    rows.extend(requests());
    rows
}

fn names() -> Vec<Row> {
    vec![
        row("spaces, quotes and expansions in a name").runs([
            run("mkdir -p \"@DIR@/a b/it's \\\"q\\\"/\\$(echo x)\\`id\\`\"; cd \"@DIR@/a b/it's \\\"q\\\"/\\$(echo x)\\`id\\`\"")
                .cwd("@DIR@/a b/it's \"q\"/$(echo x)`id`"),
            run("pwd").out("@DIR@/a b/it's \"q\"/$(echo x)`id`\n"),
        ]),
        row("a name with a leading hyphen").runs([
            run("cd @DIR@; mkdir -- -x; cd -- -x").cwd("@DIR@/-x"),
            run("pwd").out("@DIR@/-x\n"),
            run("cd ..; pwd").out("@DIR@\n"),
        ]),
        row("a name with a newline in it and at its end").runs([
            run("mkdir '@DIR@/a\nb' '@DIR@/end\n'; cd '@DIR@/a\nb'").cwd("@DIR@/a\nb"),
            run("pwd").out("@DIR@/a\nb\n"),
            run("cd '../end\n'").cwd("@DIR@/end\n"),
            run("pwd; touch here; cd ..; ls end*").out("@DIR@/end\n\nhere\n"),
        ]),
        row("a name that is not UTF-8").bash().runs([
            run("mkdir @DIR@/$'\\xff\\xfe'; cd @DIR@/$'\\xff\\xfe'"),
            run("pwd").out(b"@DIR@/\xff\xfe\n"),
            run("touch f; cd /; ls @DIR@/*").out("f\n"),
        ]),
        row("a name with stars and backslashes").runs([
            run("mkdir '@DIR@/*' '@DIR@/b\\n'; cd '@DIR@/*'").cwd("@DIR@/*"),
            run("pwd; cd '../b\\n'").out("@DIR@/*\n").cwd("@DIR@/b\\n"),
            run("printf '%s\\n' \"$PWD\"").out("@DIR@/b\\n\n"),
        ]),
        row("a tilde in a name").runs([
            run("mkdir '@DIR@/~'; cd '@DIR@/~'").cwd("@DIR@/~"),
            run("printf '%s\\n' \"$PWD\"").out("@DIR@/~\n"),
        ]),
        row("a link keeps its name").runs([
            run("mkdir @DIR@/real; ln -s real @DIR@/link; cd @DIR@/link").cwd("@DIR@/link"),
            run("pwd; pwd -P").out("@DIR@/link\n@DIR@/real\n"),
            run("cd ..").cwd("@DIR@"),
        ]),
        row("a deep directory").runs([
            run("cd @DIR@; i=0; while [ $i -lt 40 ]; do mkdir dddddddddddddddddddddddddddddddddddddddddddddddddd; cd dddddddddddddddddddddddddddddddddddddddddddddddddd; i=$((i+1)); done; touch deep"),
            run("ls; pwd | wc -c").has("deep\n"),
        ]),
        row("the root").runs([run("cd /").cwd("/"), run("pwd").out("/\n"), run("cd //tmp; cd ..").any_code(), run("cd /; pwd").out("/\n")]),
        row("CDPATH and its words").runs([
            run("mkdir -p @DIR@/base/sub; export CDPATH=@DIR@/base; cd /"),
            run("cd sub").out("@DIR@/base/sub\n").cwd("@DIR@/base/sub"),
            run("pwd").out("@DIR@/base/sub\n"),
        ]),
    ]
}

fn gone() -> Vec<Row> {
    vec![
        row("a directory that was deleted").runs([
            run("mkdir -p @DIR@/a/b; cd @DIR@/a/b"),
            run("rm -rf @DIR@/a"),
            run("echo works; pwd").out("works\n@DIR@\n").notice("cwd_gone").cwd("@DIR@"),
            run("pwd").out("@DIR@\n"),
        ]),
        row("a directory that is deleted from elsewhere").runs([
            run("mkdir -p @DIR@/a; cd @DIR@/a"),
            run("true"),
            run("rmdir @DIR@/a").task("-other"),
            run("pwd").out("@DIR@\n").notice("cwd_gone"),
        ]),
        row("a directory that was made anew").runs([
            run("mkdir @DIR@/a; cd @DIR@/a; touch old"),
            run("rm -rf @DIR@/a; mkdir @DIR@/a; touch @DIR@/a/new").task("-other"),
            run("ls; pwd").out("new\n@DIR@/a\n"),
        ]),
        row("a directory that was away while a shell waited for its command")
            .runs([run("mkdir @DIR@/a; cd @DIR@/a; rmdir @DIR@/a; true")])
            .then(pause_ms(300))
            .runs([
                run("mkdir @DIR@/a; touch @DIR@/a/new").task("-other"),
                run("ls; pwd").out("new\n@DIR@/a\n"),
            ]),
        row("a directory that became another one by a rename").runs([
            run("mkdir @DIR@/a @DIR@/b; touch @DIR@/b/fromb; cd @DIR@/a"),
            run("mv @DIR@/a @DIR@/c; mv @DIR@/b @DIR@/a").task("-other"),
            run("ls; pwd").out("fromb\n@DIR@/a\n"),
        ]),
        row("a deleted directory with an old directory").runs([
            run("mkdir @DIR@/a @DIR@/b; cd @DIR@/a; cd @DIR@/b"),
            run("rm -r @DIR@/b"),
            run("cd - >/dev/null; pwd").out("@DIR@/a\n").notice("cwd_gone"),
        ]),
        row("a command that deletes its directory and leaves").runs([
            run("mkdir @DIR@/a; cd @DIR@/a; rmdir @DIR@/a; cd ..").any_code(),
            run("cd @DIR@; pwd").has("@DIR@\n"),
        ]),
        row("a deleted directory and a directory for one command").runs([
            run("mkdir @DIR@/a; cd @DIR@/a"),
            run("rmdir @DIR@/a"),
            run("pwd").at("/usr").out("/usr\n"),
        ]),
    ]
}

fn requests() -> Vec<Row> {
    vec![
        row("a directory for one command").runs([
            run("cd @DIR@; mkdir sub"),
            run("pwd").at("/usr").out("/usr\n").cwd("@DIR@"),
            run("pwd; echo \"$OLDPWD\"").has("@DIR@\n"),
            run("cd sub").at("@DIR@").cwd("@DIR@"),
            run("pwd").out("@DIR@\n"),
        ]),
        row("a directory for one command that is not there").runs([
            run("echo no").at("/no/such/dir").code(126).has("/no/such/dir").lacks("no\n"),
            run("echo yes").out("yes\n"),
            run("echo no").at("/etc/passwd").code(126).lacks("no\n"),
        ]),
        row("odd directories for one command").runs([
            run("mkdir '@DIR@/a b' '@DIR@/-n' '@DIR@/$(x)'"),
            run("pwd").at("@DIR@/a b").out("@DIR@/a b\n"),
            run("pwd").at("@DIR@/-n").out("@DIR@/-n\n"),
            run("pwd").at("@DIR@/$(x)").out("@DIR@/$(x)\n"),
        ]),
        row("a relative directory for one command").runs([
            run("cd @DIR@; mkdir -p sub"),
            run("pwd").at("sub").out("@DIR@/sub\n"),
            run("pwd").out("@DIR@\n"),
        ]),
        row("a relative directory for one command is below the working directory").runs([
            run("mkdir -p @DIR@/-; export CDPATH=/usr; cd /; cd @DIR@; mkdir bin"),
            run("pwd").at("bin").out("@DIR@/bin\n"),
            run("pwd").at("-").out("@DIR@/-\n"),
        ]),
        row("variables for one command").runs([
            run("pwd; echo \"$ONCE\"").env("ONCE", "1").has("1\n"),
            run("echo \"${ONCE-unset}\"").out("unset\n"),
            run("sh -c 'echo $ONCE'").env("ONCE", "two words 'q' $x").out("two words 'q' $x\n"),
        ]),
        row("a variable for one command hides the kept one").runs([
            run("export P=kept"),
            run("echo $P").env("P", "A").out("A\n"),
            run("echo $P").env("P", "B").out("B\n"),
            run("echo $P").out("kept\n"),
        ]),
        row("a variable for one command that the command changes stays").runs([
            run("P=own").env("P", "given"),
            run("echo $P").out("own\n"),
            run("Q=given").env("Q", "given"),
            run("echo \"${Q-unset}\"").out("unset\n"),
        ]),
        row("values of any bytes for one command").bash().runs([run(
            "printf %s \"$V\" | od -An -tx1 | tr -d ' \\n'",
        )
        .env("V", b"\xff\n'\"\\$`\x01")
        .out("ff0a27225c246001")]),
        row("a variable for one command reaches a login of state").need(Need::Bash).runs([
            run("f() { echo \"f:$P\"; }; f").env("P", "1").out("f:1\n"),
            run("f").env("P", "2").out("f:2\n"),
            run("f").out("f:\n"),
        ]),
        row("PATH for one command").runs([
            run("echo \"$PATH\"").env("PATH", "/usr/bin:/bin").out("/usr/bin:/bin\n"),
            run("case $PATH in /usr/bin:/bin) exit 1;; esac"),
        ]),
        row("IFS and PS4 for one command").runs([
            run("v='a:b c'; set -- $v; echo $#").env("IFS", ":").out("2\n"),
            run("v='a:b c'; set -- $v; echo $#").out("2\n"),
            run("v='a b c'; set -- $v; echo $#").out("3\n"),
        ]),
    ]
}
