//! Every way a command can end has its status, its words, and the state that it left.

use crate::harness::row::{Need, Row, row, run};

pub fn rows() -> Vec<Row> {
    let mut rows = codes();
    rows.extend(ends());
    rows.extend(traps());
    rows.extend(errors());
    rows
}

fn codes() -> Vec<Row> {
    vec![
        row("0 and 1").runs([run("true"), run("false").code(1)]),
        row("an empty command and a comment").runs([
            run("").out(""),
            run("# nothing").out(""),
            run("   \n\n\t").out(""),
            run("false").code(1),
            run("").any_code(),
        ]),
        row("exit codes as they are").runs([
            run("exit 3").code(3),
            run("exit 255").code(255),
            run("exit 256").code(0),
            run("(exit 42)").code(42),
            run("sh -c 'exit 77'").code(77),
        ]),
        row("126 for what cannot be executed").runs([
            run("touch @DIR@/x; @DIR@/x").code(126).has("ermission denied"),
            run("/tmp").code(126),
        ]),
        row("127 for what is not there").runs([
            run("no-such-command-@N@").code(127).has("no-such-command-@N@").has("not found"),
            run("/no/such/file").code(127).has("/no/such/file"),
        ]),
        row("a child ended by a signal").runs([
            run("sh -c 'kill -TERM $$'; echo $?").has("143\n"),
            run("sh -c 'kill -SEGV $$'").code(139).notice("crashed"),
            run("sh -c 'kill -KILL $$'").code(137).notice("killed"),
        ]),
        row("the shell ended by TERM").runs([
            run("X=1; kill -TERM $$; echo never")
                .may_lose_state()
                .code(143)
                .lacks("never")
                .outcome("signaled"),
            run("echo alive").out("alive\n"),
        ]),
        row("the shell ended by KILL keeps the old state").runs([
            run("X=old; cd @DIR@"),
            run("X=new; cd /; kill -9 $$")
                .code(137)
                .outcome("signaled")
                .loses_state()
                .notice("killed"),
            run("echo $X; pwd").out("old\n@DIR@\n"),
        ]),
        row("other signals that end the shell").runs([
            run("kill -HUP $$; echo never")
                .may_lose_state()
                .code(129)
                .lacks("never")
                .outcome("signaled"),
            run("kill -USR1 $$; echo never")
                .may_lose_state()
                .code(138)
                .lacks("never")
                .outcome("signaled"),
            run("kill -PIPE $$; echo never")
                .may_lose_state()
                .code(141)
                .lacks("never")
                .outcome("signaled"),
            run("kill -ALRM $$; echo never")
                .may_lose_state()
                .code(142)
                .lacks("never")
                .outcome("signaled"),
        ]),
        row("PIPESTATUS within one command")
            .bash()
            .runs([run("(exit 3) | (exit 4) | true; echo ${PIPESTATUS[@]}").out("3 4 0\n")]),
        row("a failed pipe is what the shell says").runs([run("false | tail -1").code(0)]),
        row("the last command of a list counts").runs([
            run("false; true"),
            run("true; false").code(1),
            run("! true").code(1),
        ]),
    ]
}

fn ends() -> Vec<Row> {
    vec![
        row("exit in the middle")
            .runs([run("cd @DIR@; echo a; exit 5; echo b").code(5).out("a\n").cwd("@DIR@")]),
        row("exit from a function, a loop, an eval").bash().runs([
            run("f() { X=1; exit 6; }; f; echo no").code(6).out(""),
            run("while :; do Y=2; exit 7; done").code(7),
            run("eval 'Z=3; exit 8'").code(8),
            run("echo $X$Y$Z").out("123\n"),
        ]),
        row("exit from a sourced file").runs([
            run("printf 'S=1; exit 9\\n' > @DIR@/s; . @DIR@/s; echo no").code(9).out(""),
            run("echo $S").out("1\n"),
        ]),
        row("return at top level is an error of the shell")
            .bash()
            .runs([run("return 3; echo after").has("after")]),
        row("exec of a program").runs([
            run("X=old; cd @DIR@"),
            run("X=new; cd /; exec sh -c 'echo replaced; exit 4'")
                .code(4)
                .out("replaced\n")
                .loses_state(),
            run("echo $X; pwd").out("old\n@DIR@\n"),
        ]),
        row("exec that fails ends the shell").runs([run("exec /no/such; echo no")
            .may_lose_state()
            .code(127)
            .has("/no/such")
            .lacks("no\n")]),
        row("exec with redirections only").runs([
            run("exec 3>@DIR@/f; echo to3 >&3; exec >@DIR@/g; echo to g; cd @DIR@")
                .out("")
                .cwd("@DIR@"),
            run("cat f g; echo 5 >&3").any_code().has("to3\nto g\n"),
        ]),
        row("closing all streams").runs([
            run("exec 0<&- 1>&- 2>&-; X=1; echo into nothing").any_code().out(""),
            run("echo $X").out("1\n"),
        ]),
        row("set -e ends at the first failure").runs([
            run("set -e; cd @DIR@; X=1; false; echo no").code(1).out("").cwd("@DIR@"),
            run("echo $X; pwd").out("1\n@DIR@\n"),
        ]),
        row("set -e knows its exceptions")
            .runs([run("set -e; false || true; if false; then :; fi; echo yes").out("yes\n")]),
        row("set -u ends at an unset variable").runs([
            run("set -u; X=1; echo $NOT_THERE; echo no").any_code().lacks("no\n").check(|r| {
                if matches!(r.returncode(), 1 | 2 | 127) { Ok(()) } else { Err(r.text()) }
            }),
            run("set +u; echo go").out("go\n"),
        ]),
        row("${x:?message}").bash().runs([
            run("Y=2; : ${NOT_THERE:?is needed}; echo no").code(127).has("is needed").lacks("no\n"),
            run("echo $Y").out("2\n"),
        ]),
        row("suspend and logout fail politely").bash().runs([
            run("logout").code(1).has("not login shell"),
            run("suspend").code(1).has("job control"),
            run("echo go").out("go\n"),
        ]),
    ]
}

fn traps() -> Vec<Row> {
    let exit_trap = vec![
        row("an EXIT trap runs at the end of its command").runs([
            run("trap 'echo bye' EXIT; X=1; echo hi").out("hi\nbye\n"),
            run("echo $X").out("1\n"),
        ]),
        row("an EXIT trap sees the status and keeps it").runs([
            run("trap 'echo status $?' EXIT; exit 3").code(3).out("status 3\n"),
            run("trap 'echo status $?' 0; (exit 4)").code(4).out("status 4\n"),
        ]),
        row("an EXIT trap that calls exit changes the status").runs([
            run("trap 'echo bye; exit 7' EXIT; X=1; exit 3").code(7).out("bye\n"),
            run("echo $X$?").out("17\n"),
        ]),
        row("an EXIT trap changes the state").runs([
            run("trap 'T=1; cd @DIR@' EXIT").cwd("@DIR@"),
            run("echo $T").out("1\n"),
        ]),
        row("an EXIT trap set in a function").runs([
            run("f() { trap 'echo from f' EXIT; }; f; echo hi").out("hi\nfrom f\n"),
        ]),
        row("an EXIT trap can be taken back").runs([
            run("trap 'echo no' EXIT; trap - EXIT; echo hi").out("hi\n"),
            run("trap 'echo no' EXIT; trap EXIT; echo hi").out("hi\n"),
            run("trap 'echo no' EXIT; trap '' EXIT; echo hi").out("hi\n"),
        ]),
        row("trap -p lists the user's traps and not ours").runs([
            run("trap -p; trap").out(""),
            run("trap 'echo \"a b\"' EXIT TERM; trap -p EXIT; trap -p TERM; trap - EXIT")
                .out("trap -- 'echo \"a b\"' EXIT\ntrap -- 'echo \"a b\"' SIGTERM\n"),
        ]),
        row("trap takes names in every spelling").runs([
            run("trap -- 'echo x' SIGEXIT").code(1).has("invalid signal"),
            run("trap -- 'echo x' Exit; trap -p").has("'echo x' EXIT").has("x\n"),
            run("trap 'echo y' exit; echo hi").out("hi\ny\n"),
            run("trap -l").has("SIGTERM"),
            run("trap 'x' NO_SUCH_SIGNAL").code(1).has("invalid signal"),
        ]),
        row("an EXIT trap of a subshell is the subshell's").runs([
            run("(trap 'echo sub' EXIT; echo in); echo out").out("in\nsub\nout\n"),
            run("x=$(trap 'echo sub' EXIT); echo \"[$x]\"").out("[sub]\n"),
            run("bash -c 'trap \"echo child\" EXIT'").out("child\n"),
        ]),
        row("traps do not stay").runs([
            run("trap 'echo t' EXIT TERM ERR DEBUG").has("t\n"),
            run("trap -p; false").code(1).out(""),
        ]),
        row("ERR, DEBUG and RETURN traps").runs([
            run("trap 'echo err $?' ERR; false; (exit 3); true").out("err 1\nerr 3\n"),
            run("trap 'echo dbg' DEBUG; :; trap - DEBUG").out("dbg\ndbg\n"),
            run("f() { :; }; trap 'echo ret' RETURN; f; trap - RETURN; echo x").has("x\n"),
            run("X=1; trap 'X=2' ERR; set -E; f() { false; }; f; echo $X").out("2\n"),
            run("echo $X").out("2\n"),
        ]),
        row("a trap in a function with local state").runs([
            run("f() { local t; t=$(mktemp @DIR@/tmp.XXXX); trap \"rm -f $t\" EXIT; ls @DIR@ | wc -l; }; f")
                .out("1\n"),
            run("ls @DIR@ | wc -l").out("0\n"),
        ]),
        row("an ERR trap with set -e").runs([
            run("set -e; trap 'echo failed at $LINENO' ERR; true\nfalse\necho no")
                .code(1)
                .out("failed at 2\n"),
        ]),
        row("a DEBUG trap that fails or exits").runs([
            run("trap false DEBUG; X=1; echo hi").has("hi\n").any_code(),
            run("echo $X").out("1\n"),
            run("trap 'exit 5' DEBUG; echo no").code(5).lacks("no\n"),
            run("echo go").out("go\n"),
        ]),
        row("signals with a trap").runs([
            run("trap 'echo got; exit 5' TERM; kill -TERM $$; sleep 5").code(5).out("got\n"),
            run("trap '' HUP; kill -HUP $$; echo survived").out("survived\n"),
            run("trap 'echo usr' USR1; kill -USR1 $$; echo on").out("usr\non\n"),
        ]),
        row("a trap for TERM runs when the limit passes").need(Need::ProcTable).runs([
            run("trap 'echo cleaning; exit 9' TERM; X=1; echo begun; while :; do sleep 0.05; done")
                .times_out(1.5)
                .has("begun\n")
                .has("cleaning\n"),
            run("echo $?").out("124\n"),
        ]),
    ];
    exit_trap.into_iter().map(Row::bash).collect()
}

fn errors() -> Vec<Row> {
    let bash = vec![
        row("syntax errors say where").runs([
            run("echo a\nif true; then\n").code(2).has("syntax error"),
            run("echo 1; )").code(2).has("bash: ").has("syntax error near unexpected token `)'"),
            run("echo fine").out("fine\n"),
        ]),
        row("unclosed things are contained").runs([
            run("echo 'open").code(2).has("unexpected EOF while looking for matching"),
            run("echo \"open").code(2).has("unexpected EOF"),
            run("echo $(open").code(2).has("unexpected EOF"),
            run("(").code(2).has("syntax error"),
            run("{ echo").code(2).has("syntax error"),
            run("if").code(2).has("syntax error"),
            run("case x in").code(2).has("syntax error"),
            run("f() {").code(2).has("syntax error"),
            run("echo fine").out("fine\n"),
        ]),
        row("line numbers are the user's").runs([
            run("nosuch1@N@").code(127).has("bash: line 1: nosuch1@N@: command not found\n"),
            run("\n\nnosuch3@N@").code(127).has("bash: line 3: nosuch3@N@: command not found\n"),
            run("echo $LINENO\necho $LINENO").out("1\n2\n"),
        ]),
        row("what is before a syntax error on an earlier line runs")
            .runs([run("X=1\n)").code(2).has("syntax error"), run("echo next").out("next\n")]),
        row("set -x traces the command and nothing of ours").runs([
            run("set -x; X=1; : a").has("+ X=1\n").has("+ : a\n").lacks("hx_"),
            run("set -x; exit 3").has("+ exit 3\n").lacks("hx_").code(3),
            run("PS4='>> '; set -x; :").has(">> :\n").lacks("hx_"),
            run("set -x; f() { exit 4; }; f").has("> f\n").lacks("hx_").code(4),
            run("exec 5>@DIR@/trace; BASH_XTRACEFD=5; set -x; : traced").out(""),
            // Two lines are the least that a trace into a file of the user can hold of ours.
            run("cat @DIR@/trace").has(": traced").lacks("__hx").lacks("POSIX").lacks("printf"),
        ]),
        row("set -v shows what is read and nothing of ours").runs([
            run("set -v\n: a\n: b").out(": a\n: b\n"),
            run("set -v\n: a\nexit 3").code(3).lacks("printf").lacks("declare"),
            run("echo q").out("q\n"),
        ]),
        row("set -n stops reading").runs([
            run("echo a; set -n\necho b").loses_state().lacks("b\n").any_code(),
            run("echo fine").out("fine\n"),
        ]),
        row("a division by zero and a bad substitution").runs([
            run("X=1; echo $((1/0)); echo no").code(1).has("division by 0"),
            run("echo ${bad sub}").code(1).has("bad substitution"),
            run("echo fine").out("fine\n"),
        ]),
    ];
    let mut rows: Vec<Row> = bash.into_iter().map(Row::bash).collect();
    rows.push(
        row("an unclosed heredoc ends with the command")
            .runs([run("cat <<END\nline").has("line"), run("echo fine").out("fine\n")]),
    );
    rows.push(row("errors of any shell are contained").runs([
        run("echo 'open").code(2),
        run("(").code(2),
        run("if").code(2),
        run("echo fine").out("fine\n"),
    ]));
    rows
}
