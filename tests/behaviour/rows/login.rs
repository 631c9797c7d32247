//! The login files are read once, at first contact, and nothing they do can hold a task up.

use std::time::Duration;

use crate::harness::row::{Need, Row, row, run};

pub fn rows() -> Vec<Row> {
    vec![
        row("a profile exports, defines and aliases")
            .home(".profile", "export FROM_PROFILE=1\nPLAIN=2\ngreet() { echo hello; }\nalias hi='echo hi'\n")
            .runs([
                run("echo $FROM_PROFILE $PLAIN; greet; hi").out("1 2\nhello\nhi\n"),
                run("sh -c 'echo $FROM_PROFILE'; greet").out("1\nhello\n"),
            ]),
        row("a bashrc is read")
            .home(".bashrc", "export RC=1\n")
            .runs([run("echo $RC").out("1\n")]),
        row("a bashrc that its profile reads is read once")
            .home(".profile", ". ~/.bashrc\n")
            .home(".bashrc", "RC=$((RC+1))\n")
            .runs([run("echo $RC").out("1\n")]),
        row("the first of the three profiles counts")
            .home(".bash_profile", "WHICH=bash_profile\n")
            .home(".profile", "WHICH=profile\n")
            .runs([run("echo $WHICH").out("bash_profile\n")]),
        row("noise of the login files is nobody's output")
            .home(".profile", "echo noise; echo more >&2; printf 'no newline'\n")
            .runs([run("echo clean").out("clean\n"), run("echo clean").out("clean\n")]),
        row("a profile that goes elsewhere")
            .home(".profile", "cd /usr\n")
            .runs([run("pwd").out("/tmp\n"), run("cd - 2>&1").any_code()]),
        row("a bashrc with a guard for interactive shells")
            .home(".bashrc", "case $- in *i*) ;; *) return;; esac\nexport GUARDED=1\n")
            .runs([run("echo $GUARDED").out("1\n"), run("case $- in *i*) echo interactive;; esac").out("")]),
        row("a bashrc that looks at PS1")
            .home(".bashrc", "[ -z \"$PS1\" ] && return\nexport PROMPTED=1\n")
            .runs([run("echo $PROMPTED").out("1\n")]),
        row("a profile that exits")
            .home(".profile", "export BEFORE=1\nexit 0\n")
            .runs([run("echo on").out("on\n"), run("echo $BEFORE").has("\n")]),
        row("a bashrc that exits with an error")
            .home(".bashrc", "exit 7\n")
            .runs([run("echo on").out("on\n"), run("echo still").out("still\n")]),
        row("a profile that fails")
            .home(".profile", "no-such-command\nfalse\nexport AFTER=1\n")
            .runs([run("echo $AFTER").out("1\n")]),
        row("a profile with a syntax error")
            .home(".profile", "export BEFORE=1\nif then (\n")
            .runs([run("echo on").out("on\n"), run("echo still").out("still\n")]),
        row("a profile with set -e, -u and -x")
            .home(".profile", "set -eux\nexport STRICT=1\n")
            .runs([
                run("echo $STRICT; echo \"[$NOT_SET]\"; false; echo on").out("1\n[]\non\n"),
            ]),
        row("a profile that hangs")
            .home(".profile", "sleep 1000\n")
            .tweak(|s| s.login_timeout = Duration::from_millis(700))
            .runs([
                run("echo on").out("on\n").notice("login_failed").within(5),
                run("echo still").out("still\n"),
            ]),
        row("a profile that waits for an answer")
            .home(".profile", "read -p 'name? ' answer; export ANSWER=\"[$answer]\"\n")
            .runs([run("echo \"$ANSWER\"").out("[]\n")]),
        row("a profile that replaces the shell")
            .home(".profile", "exec sh -c 'exit 0'\n")
            .runs([run("echo on").out("on\n").notice("login_failed")]),
        row("a profile that kills itself")
            .home(".profile", "kill -9 $$\n")
            .runs([run("echo on").out("on\n").notice("login_failed")]),
        row("a profile that leaves a child running")
            .home(".profile", "sleep 1000 &\nexport AGENT=1\n")
            .runs([run("echo $AGENT").out("1\n").within(10), run("echo on").out("on\n")]),
        row("a profile that sets traps and redirects")
            .home(".profile", "trap 'echo trapped' EXIT DEBUG ERR\nexport T=1\n")
            .runs([run("echo $T; false; trap -p").out("1\n")]),
        row("a profile that closes and moves streams")
            .home(".profile", "exec 2>/dev/null >/dev/null\nexport MOVED=1\n")
            .runs([run("echo $MOVED; echo err >&2").out("1\nerr\n")]),
        row("a bashrc with an alias and a function for cd")
            .home(".bashrc", "alias cd=false\neval() { echo mine; }\n__h() { :; }\nls() { __h; command ls \"$@\"; }\n")
            .runs([run("\\cd @DIR@").cwd("@DIR@"), run("pwd; touch f; ls").out("@DIR@\nf\n")]),
        row("a profile that sets PATH anew keeps the caller's entries")
            .need(Need::HostEnvironment)
            .home(".profile", "PATH=/profile/bin:/usr/bin:/bin\n")
            .host_env("PATH", "/opt/zz/bin:/usr/bin:/bin")
            .runs([
                run("echo $PATH").has("/opt/zz/bin").has("/profile/bin"),
                run("case $PATH in *::*|:*|*:) exit 1;; esac; command -v ls | wc -l | tr -d ' '").out("1\n"),
            ]),
        row("a profile that unsets what the runtime needs")
            .home(".profile", "unset PATH HOME IFS PWD\nIFS=x\n")
            .runs([run("echo on").out("on\n"), run("cd /; pwd").out("/\n")]),
        row("readonly variables of a profile")
            .home(".profile", "readonly TMOUT=900 FIXED=1\nexport TMOUT\n")
            .runs([
                run("echo $FIXED $TMOUT").out("1 900\n"),
                run("echo $FIXED; (FIXED=2) 2>/dev/null || echo refused").out("1\nrefused\n"),
            ]),
        row("init files in place of the usual ones")
            .home(".bashrc", "export USUAL=1\n")
            .home("own.sh", "export OWN=1\n")
            .config("shell_init_files: [\"~/own.sh\", \"~/missing.sh\"]")
            .runs([run("echo \"$OWN ${USUAL-none}\"").out("1 none\n")]),
        row("no login shell")
            .home(".profile", "export FROM_PROFILE=1\n")
            .config("login_shell: false")
            .runs([run("echo ${FROM_PROFILE-none}").out("none\n")]),
        row("no bashrc")
            .home(".bashrc", "export RC=1\n")
            .config("auto_source_bashrc: false")
            .runs([run("echo ${RC-none}").out("none\n")]),
        row("login files are read once for a task")
            .home(".profile", "echo x >> ~/count\n")
            .runs([run("true"), run("true"), run("wc -l < ~/count | tr -d ' '").out("1\n")]),
    ]
}
