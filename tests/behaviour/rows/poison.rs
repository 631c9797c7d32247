//! Variables that change how a shell behaves, set by a user for good, do not disturb the runtime.

use crate::harness::row::{Row, row, run};

pub fn rows() -> Vec<Row> {
    let mut rows = vec![
        row("IFS of every kind").runs([
            run("IFS=0123456789"),
            run("cd @DIR@; X=12").cwd("@DIR@"),
            run("IFS=; export IFS"),
            run("echo \"$X\"; pwd").out("12\n@DIR@\n"),
            run("unset IFS; set -- a b; echo $#").out("2\n"),
        ]),
        row("ENV and BASH_ENV").runs([
            run("echo 'echo poisoned; exit 9' > @DIR@/rc; export ENV=@DIR@/rc BASH_ENV=@DIR@/rc"),
            run("echo clean").out("clean\n"),
            run("echo \"$BASH_ENV\"").out("@DIR@/rc\n"),
        ]),
        row("HOME that is not there").runs([
            run("export HOME=/no/such/home"),
            run("cd @DIR@; echo ~").out("/no/such/home\n"),
            run("pwd").out("@DIR@\n"),
            run("cd").any_code(),
            run("echo go").out("go\n"),
        ]),
        row("TMPDIR that is not there").runs([
            run("export TMPDIR=/no/such/tmp"),
            run("echo fine; cat <<E\nhere\nE").has("fine\n"),
            run("unset TMPDIR; echo ok").out("ok\n"),
        ]),
        row("PATH without anything useful").runs([
            run("export PATH=/nowhere"),
            run("cd @DIR@; X=1; pwd").out("@DIR@\n"),
            run("echo $X").out("1\n"),
            run("export PATH=/usr/bin:/bin; ls / | head -1 | wc -l | tr -d ' '").out("1\n"),
        ]),
        row("read-only variables that a runtime might use").runs([
            run("readonly n s i REPLY status rc ret cwd cmd command line state nonce mark IFS"),
            run("echo on; cd @DIR@").out("on\n").cwd("@DIR@"),
            run("pwd").out("@DIR@\n"),
        ]),
        row("PWD and OLDPWD that lie").runs([
            run("cd @DIR@; PWD=/lie; OLDPWD=/lie2; true"),
            run("cd @DIR@; pwd").out("@DIR@\n"),
            run("unset PWD OLDPWD; cd @DIR@"),
            run("pwd; echo \"$PWD\"").out("@DIR@\n@DIR@\n"),
        ]),
        row("variables called like options of the loader").runs([
            run("LD_LIBRARY_PATH=/no/such; export LD_LIBRARY_PATH; GLOBIGNORE='*'; TMOUT=1"),
            run("sleep 1.5; echo awake").out("awake\n"),
            run("echo still").out("still\n"),
        ]),
    ];
    rows.extend(bash().into_iter().map(Row::bash));
    rows
}

fn bash() -> Vec<Row> {
    vec![
        row("PS4 and PROMPT_COMMAND with side effects").runs([
            run("PS4='$(echo poison >&2)+ '; PROMPT_COMMAND='echo poison'; PS0=poison PS1=poison"),
            run("echo clean").out("clean\n"),
            run("set -x; :").has("poison"),
            run("echo clean").out("clean\n"),
        ]),
        row("GLOBIGNORE, FUNCNEST, EXECIGNORE").runs([
            run("GLOBIGNORE=*:?; FUNCNEST=1; EXECIGNORE='*/mkdir'; cd @DIR@"),
            run("f() { echo one; }; f; pwd").out("one\n@DIR@\n"),
            run("echo two; trap 'echo bye' EXIT").out("two\nbye\n"),
            run("echo $FUNCNEST").out("1\n"),
        ]),
        row("TMOUT does not end a waiting shell").runs([
            run("TMOUT=1; export TMOUT"),
            run("sleep 1.6; echo awake").out("awake\n"),
            run("echo $TMOUT").out("1\n"),
        ]),
        row("BASH_COMPAT").runs([
            run("BASH_COMPAT=4.2; X=1"),
            run("echo $X; cd @DIR@").out("1\n").cwd("@DIR@"),
            run("pwd").out("@DIR@\n"),
        ]),
        row("read-only IFS, PATH and LC_ALL").runs([
            run("readonly IFS=x PATH LC_ALL=C; cd @DIR@"),
            run("echo on; pwd").out("on\n@DIR@\n"),
            run("v=axb; echo $v; cd /").out("a b\n").cwd("/"),
            run("pwd").out("/\n"),
        ]),
        row("read-only names of the runtime").runs([
            run("readonly __hx_r=1 __hx_s=2 __hx_n=3 __hx_d=4; X=1").any_code(),
            run("echo next").out("next\n"),
        ]),
        row("a read-only POSIXLY_CORRECT").runs([
            run("readonly POSIXLY_CORRECT=1; X=1"),
            run("echo next $X").has("next"),
        ]),
        row("arrays called like the runtime's variables").runs([
            run("declare -a REPLY=(1 2); declare -A BASH_ALIASES_X=([a]=b); declare -i COLUMNS=3"),
            run("echo ${REPLY[1]} ${BASH_ALIASES_X[a]} $COLUMNS").out("2 b 3\n"),
        ]),
        row("BASH_ALIASES and BASH_CMDS written to").runs([
            run("BASH_ALIASES[hi]='echo hi there'; hash -p /bin/echo myecho"),
            run("hi").out("hi there\n"),
            run("type -t myecho").code(1).out(""),
        ]),
        row("a directory of one's own called like a builtin first in PATH").runs([
            run("mkdir @DIR@/bin; for c in printf pwd cat env bash sh; do printf '#!/bin/sh\\necho fake\\n' > @DIR@/bin/$c; done; chmod +x @DIR@/bin/*; PATH=@DIR@/bin:$PATH; cd @DIR@"),
            run("echo real; cat x; X=1").out("real\nfake\n").cwd("@DIR@"),
            run("echo $X; pwd").out("1\n@DIR@\n"),
        ]),
        row("descriptors that the command plays with").runs([
            run("exec 3>&1 4>&2 10>&1; echo three >&3; for f in 5 6 7 8 9; do eval \"exec $f>&-\"; done; X=1").out("three\n"),
            run("echo $X; echo 1 >&3").code(1).has("Bad file descriptor"),
            run("exec {fd}>@DIR@/x; echo $((fd >= 10)); echo y >&$fd; cat @DIR@/x").out("1\ny\n"),
        ]),
        row("closing every descriptor ends in the process's own status").runs([
            run("X=old"),
            run("for f in /proc/$$/fd/*; do n=${f##*/}; ((n > 2)) && eval \"exec $n>&-\"; done 2>/dev/null; X=new; exit 5").loses_state().code(5),
            run("echo next").out("next\n"),
        ]),
        row("eval, source and coprocesses").runs([
            run("eval 'E=1'; echo 'S=2' > @DIR@/s; source @DIR@/s; coproc cat; echo ping >&${COPROC[1]}; read -r pong <&${COPROC[0]}; echo $pong; kill $COPROC_PID; wait 2>/dev/null; true").out("ping\n"),
            run("echo $E $S ${COPROC_PID-none}").out("1 2 none\n"),
        ]),
        row("job control commands fail politely").runs([
            run("jobs; fg").code(1).has("no job control"),
            run("bg").code(1).has("no job control"),
            run("sleep 0.1 & wait; echo waited $?; disown 2>/dev/null; jobs").out("waited 0\n"),
            run("wait").out(""),
        ]),
        row("limits of a subshell").runs([
            run("(ulimit -n 20; ulimit -n)").out("20\n"),
            run("[[ $(ulimit -n) -gt 20 ]]"),
            run("(ulimit -v 100000; head -c 10 /dev/zero | wc -c)").has("10"),
        ]),
        row("ulimit of the command does not stay").runs([
            run("ulimit -S -n 64; ulimit -n").out("64\n"),
            run("[[ $(ulimit -n) != 64 ]]"),
        ]),
        row("history expansion and interactive options").runs([
            run("set -H; echo a!b").out("a!b\n"),
            run("echo !!").out("!!\n"),
            run("set -m; sleep 0.1 & wait; echo ok").has("ok\n"),
            run("echo next").out("next\n"),
        ]),
    ]
}
