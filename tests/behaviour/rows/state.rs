//! Directory, variables and status carry over from one command to the next, whatever is in them.

use crate::harness::row::{Row, row, run};

pub fn rows() -> Vec<Row> {
    let mut rows = directory();
    rows.extend(variables());
    rows.extend(odd_values());
    rows.extend(status());
    rows
}

fn directory() -> Vec<Row> {
    vec![
        row("cd stays")
            .runs([run("cd @DIR@").cwd("@DIR@"), run("pwd").out("@DIR@\n").cwd("@DIR@")]),
        row("cd - goes back, and OLDPWD stays").runs([
            run("cd /usr; cd @DIR@"),
            run("echo \"$OLDPWD\"; cd - >/dev/null; pwd").out("/usr\n/usr\n"),
            run("cd -").out("@DIR@\n"),
        ]),
        row("cd of a subshell does not stay").runs([
            run("cd @DIR@"),
            run("(cd /usr; pwd)").out("/usr\n"),
            run("pwd").out("@DIR@\n"),
        ]),
        row("pushd stack is not kept but its directory is").bash().runs([
            run("cd /usr; pushd @DIR@ >/dev/null"),
            run("pwd; dirs -p | wc -l").out("@DIR@\n1\n"),
        ]),
        row("cd in a function stays")
            .runs([run("go() { cd @DIR@; }; go").cwd("@DIR@"), run("pwd").out("@DIR@\n")]),
        row("umask stays").runs([
            run("umask 027"),
            run("umask; touch @DIR@/f; ls -l @DIR@/f | cut -c1-10").out("0027\n-rw-r-----\n"),
            run("umask 022"),
            run("umask").out("0022\n"),
        ]),
    ]
}

fn variables() -> Vec<Row> {
    vec![
        row("export stays").runs([
            run("export A_VAR=1"),
            run("sh -c 'echo \"$A_VAR\"'").out("1\n"),
        ]),
        row("a variable that is not exported stays so").runs([
            run("B_VAR=2"),
            run("echo \"$B_VAR\"; sh -c 'echo \"${B_VAR-unset}\"'").out("2\nunset\n"),
        ]),
        row("export -n and unset stay").bash().runs([
            run("export A_VAR=1 B_VAR=2"),
            run("export -n A_VAR; unset B_VAR"),
            run("echo \"$A_VAR ${B_VAR-unset}\"; sh -c 'echo \"${A_VAR-unset}\"'")
                .out("1 unset\nunset\n"),
        ]),
        row("unset stays").runs([
            run("export GONE=1"),
            run("unset GONE"),
            run("echo \"${GONE-unset}\"").out("unset\n"),
        ]),
        row("an inherited variable that is unset stays unset")
            .runs([run("unset PAGER"), run("echo \"${PAGER-unset}\"").out("unset\n")]),
        row("an empty variable is not an unset one")
            .runs([run("EMPTY="), run("echo \"[${EMPTY-unset}]\"").out("[]\n")]),
        row("indexed arrays, also sparse ones").bash().runs([
            run("a=(one 'two words' $'three\\nlines'); b[5]=x; b[9]=y; declare -a empty=()"),
            run("printf '[%s]' \"${a[@]}\" \"${!b[@]}\" \"${b[9]}\" \"${#empty[@]}\"; declare -p empty")
                .out("[one][two words][three\nlines][5][9][y][0]declare -a empty=()\n"),
        ]),
        row("associative arrays with odd keys").bash().runs([
            run("declare -A m=([a]=1 ['b c']=2 ['$x']='\"q\"' [']']=4)"),
            run("echo \"${#m[@]} ${m[b c]} ${m['$x']} ${m[\"]\"]}\"").out("4 2 \"q\" 4\n"),
        ]),
        row("integer, case and export attributes").bash().runs([
            run("declare -i n=3; declare -u up=abc; declare -l low=ABC; declare -ix nx=4"),
            run("n+=4; up=def; low=DEF; nx+=1; echo $n $up $low $nx; declare -p nx")
                .out("7 DEF def 5\ndeclare -ix nx=\"5\"\n"),
        ]),
        row("read-only stays read-only").bash().runs([
            run("readonly R=1; declare -r R2=2"),
            run("echo $R $R2; (R=3) 2>/dev/null || echo refused").out("1 2\nrefused\n"),
            run("echo $R").out("1\n"),
        ]),
        row("namerefs").bash().runs([
            run("target=old; declare -n ref=target"),
            run("ref=new; echo $target; declare -p ref").out("new\ndeclare -n ref=\"target\"\n"),
        ]),
        row("a declared variable without a value").bash().runs([
            run("declare -i later; export promised"),
            run("later=2+3; echo $later; promised=x; sh -c 'echo $promised'").out("5\nx\n"),
        ]),
        row("a local of a function does not leak").bash().runs([
            run("f() { local inner=1; outer=2; }; f"),
            run("echo \"${inner-unset} $outer\"").out("unset 2\n"),
        ]),
        row("PATH changes stay").runs([
            run("mkdir @DIR@/bin; printf '#!/bin/sh\\necho mine\\n' > @DIR@/bin/own@N@; chmod +x @DIR@/bin/own@N@"),
            run("PATH=@DIR@/bin:$PATH"),
            run("own@N@").out("mine\n"),
        ]),
        row("PATH may be empty").runs([
            run("PATH="),
            run("ls").code(127).has("ls"),
            run("cd /; pwd").out("/\n"),
        ]),
        row("IFS of the user stays").runs([
            run("IFS=:; v=a:b"),
            run("set -- $v; echo \"$#\"").out("2\n"),
            run("printf '%s' \"$IFS\" | od -An -c | tr -d ' \\n'").out(":"),
        ]),
        row("a locale that is not there").runs([
            run("export LC_ALL=xx_YY.UTF-8").any_code(),
            run("echo ok").has("ok\n"),
            run("unset LC_ALL"),
            run("echo fine").out("fine\n"),
        ]),
        row("the C locale with bytes of UTF-8").bash().runs([
            run("export LC_ALL=C; v='grün €'; f() { echo 'für €'; }; alias fast='echo öl'"),
            run("echo \"$v\"; f; fast").out("grün €\nfür €\nöl\n"),
            run("unset LC_ALL"),
            run("echo \"$v ${#v}\"; f").out("grün € 6\nfür €\n"),
        ]),
        row("positional parameters are not kept").runs([
            run("set -- a b c; echo $#").out("3\n"),
            run("echo $#").out("0\n"),
        ]),
        row("dynamic variables stay dynamic").bash().runs([
            run("echo $BASHPID > @DIR@/pid; [[ $RANDOM != \"$RANDOM$RANDOM\" ]]"),
            run("[[ $BASHPID != $(< @DIR@/pid) && $BASHPID == $$ && $SECONDS -lt 60 ]]"),
            run("echo $UID; id -u").check(|r| {
                let text = r.text();
                let mut lines = text.lines();
                if lines.next() == lines.next() { Ok(()) } else { Err(text.clone()) }
            }),
        ]),
    ]
}

fn odd_values() -> Vec<Row> {
    vec![
        row("values with quotes, newlines and expansions").runs([
            run("V='it'\\''s \"q\" $HOME `id` \\\\ !x\nline 2\n'; export V"),
            run("printf '%s|' \"$V\"").out("it's \"q\" $HOME `id` \\\\ !x\nline 2\n|"),
        ]),
        row("values with control characters").bash().runs([
            run("V=$'\\001\\002\\033[31m\\177\\t\\r\\b'; export V"),
            run("printf '%s' \"$V\" | od -An -tx1 | tr -d ' \\n'").out("01021b5b33316d7f090d08"),
        ]),
        row("values that are not UTF-8").bash().runs([
            run("V=$'\\xff\\xfe a\\x80'; A=($'\\xc3' ok); export V"),
            run("printf '%s%s' \"$V\" \"${A[0]}\" | od -An -tx1 | tr -d ' \\n'")
                .out("fffe206180c3"),
        ]),
        row("text that looks like a listing of variables").runs([
            run("V='x\ndeclare -x EVIL=\"1\"\nEVIL2='\\''2'\\''\nexport EVIL3=\"3\"'; export V"),
            run("echo \"${EVIL-no} ${EVIL2-no} ${EVIL3-no}\"; printf '%s' \"$V\" | wc -l")
                .check(|r| {
                    let squeezed = r.text().replace([' ', '\n'], "");
                    if squeezed == "nonono3" { Ok(()) } else { Err(r.text()) }
                }),
        ]),
        row("a variable of 1 MiB").bash().runs([
            run("big=$(head -c 1048576 /dev/zero | tr '\\0' 'b')"),
            run("echo ${#big}").out("1048576\n"),
            run("big+=c; echo ${big: -2}").out("bc\n"),
        ]),
        row("two thousand variables").bash().runs([
            run("for i in {1..2000}; do export \"V_$i=value $i\"; done"),
            run("echo \"$V_1 $V_2000\"; compgen -v V_ | wc -l").out("value 1 value 2000\n2000\n"),
        ]),
        row("deleted things stay deleted").bash().runs([
            run("x=1; f() { echo f; }; alias al='echo al'; g() { :; }"),
            run("unset x; unset -f f; unalias al"),
            run("echo ${x-no}; type -t f || echo no; type -t al || echo no; type -t g")
                .out("no\nno\nno\nfunction\n"),
        ]),
        row("names of the runtime are not in the state").bash().runs([
            run("x=1"),
            run("compgen -v | grep -i hx_; compgen -A function | grep -i hx; env | grep -i hx_; true")
                .out(""),
            run("type -t trap; declare -F trap || true").has("\n"),
            run("env | grep -c '^HEXAD_MARK='").out("1\n"),
        ]),
        row("the mark is not carried when it is changed").runs([
            run("HEXAD_MARK=mine; export HEXAD_MARK"),
            run("[ \"$HEXAD_MARK\" != mine ]"),
            run("unset HEXAD_MARK"),
            run("[ -n \"$HEXAD_MARK\" ]"),
        ]),
    ]
}

fn status() -> Vec<Row> {
    vec![
        row("$? is that of the command before").runs([
            run("false").code(1),
            run("echo $?").out("1\n"),
            run("echo $?").out("0\n"),
            run("(exit 7)").code(7),
            run("echo $?").out("7\n"),
        ]),
        row("$? after exit").runs([run("exit 9").code(9), run("echo $?").out("9\n")]),
        row("$? after a timeout")
            .need(crate::harness::row::Need::ProcTable)
            .runs([run("sleep 30").times_out(1.5).within(10), run("echo $?").out("124\n")]),
        row("$? after a signal").runs([
            run("kill -9 $$").code(137).outcome("signaled").loses_state().notice("killed"),
            run("echo $?").out("137\n"),
        ]),
        row("$? after a syntax error")
            .runs([run("if").code(2).has("yntax error"), run("echo $?").out("2\n")]),
        row("state is kept when the command fails")
            .runs([run("cd @DIR@; X=1; false").code(1), run("echo $X; pwd").out("1\n@DIR@\n")]),
        row("state is kept when the command exits").runs([
            run("cd @DIR@; X=1; exit 4").code(4).cwd("@DIR@"),
            run("echo $X; pwd").out("1\n@DIR@\n"),
        ]),
        row("tasks do not share state").runs([
            run("X=1; cd @DIR@"),
            run("echo \"${X-unset}\"; pwd").task("-other").out("unset\n/tmp\n"),
            run("echo \"$X\"").out("1\n"),
        ]),
        row("a released task begins anew")
            .then(run("X=1; cd @DIR@"))
            .then(crate::harness::row::Step::Release)
            .runs([run("echo \"${X-unset}\"; pwd").out("unset\n/tmp\n")]),
    ]
}
