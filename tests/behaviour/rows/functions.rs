//! Functions, aliases and options carry over, whatever they are called and whatever is in them;
//! none of them can get between the runtime and its own steps.

use crate::harness::row::{Row, row, run};

pub fn rows() -> Vec<Row> {
    let mut rows = functions();
    rows.extend(aliases());
    rows.extend(options());
    rows.into_iter().map(Row::bash).collect()
}

fn functions() -> Vec<Row> {
    vec![
        row("a function stays").runs([
            run("greet() { echo \"hello $1\"; }"),
            run("greet you").out("hello you\n"),
            run("greet() { echo bye; }"),
            run("greet").out("bye\n"),
        ]),
        row("helpers that begin with underscores stay").runs([
            run("_one() { echo 1; }; __two() { _one; echo 2; }; cd() { __two; builtin cd \"$@\"; }"),
            run("cd @DIR@").out("1\n2\n").cwd("@DIR@"),
            run("pwd").out("@DIR@\n"),
        ]),
        row("an exported function reaches children").runs([
            run("seen() { echo \"it's \\\"seen\\\"\"; }; export -f seen; hidden() { :; }"),
            run("bash -c 'seen; type -t hidden'").code(1).out("it's \"seen\"\n"),
            run("export -nf seen"),
            run("seen; bash -c 'seen' 2>/dev/null").code(127).out("it's \"seen\"\n"),
        ]),
        row("a function with a heredoc").runs([
            run("doc() { cat <<'END'\n$HOME `x` \"q\"\n\tEND\nEND\ncat <<-E2\n\ttabs $1\n\tE2\n}"),
            run("doc it").out("$HOME `x` \"q\"\n\tEND\ntabs it\n"),
            run("doc it").out("$HOME `x` \"q\"\n\tEND\ntabs it\n"),
        ]),
        row("a function with extended patterns").runs([
            run("shopt -s extglob\nm() { case $1 in +([0-9])) echo num;; !(a*)) echo other;; *) echo a;; esac; }\nshopt -u extglob"),
            run("shopt -s extglob; m 12; m x; m abc; shopt -u extglob; shopt extglob").code(1).out("num\nother\na\nextglob        \toff\n"),
            run("m 12; shopt -s extglob; m 12").out("a\nnum\n"),
        ]),
        row("functions with odd names").runs([
            run("a-b() { echo dash; }; ns::f() { echo colons; }; function +x { echo plus; }; été() { echo summer; }; @at() { echo at; }"),
            run("a-b; ns::f; +x; été; @at").out("dash\ncolons\nplus\nsummer\nat\n"),
            run("a-b; ns::f; +x; été; @at").out("dash\ncolons\nplus\nsummer\nat\n"),
        ]),
        row("a function with every kind of quote").runs([
            run("q() { printf '%s|' 'a'\\''b' \"c\\\"d\\$e\" $'f\\n\\x01' \"$(echo \"n$(echo 'i)')\")\" `echo bt` ${1:-'d}'} $((1+2)); }"),
            run("q").out("a'b|c\"d$e|f\n\u{1}|ni)|bt|d}|3|"),
        ]),
        row("a function with a redirection and a subshell body").runs([
            run("s() ( cd /; pwd ) ; r() { echo gone; } >/dev/null; c() for i in 1 2; do echo $i; done"),
            run("cd @DIR@; s; r; c; pwd").out("/\n1\n2\n@DIR@\n"),
        ]),
        row("a function with coproc, select, arithmetic for and here-string").runs([
            run("all() { for ((i=0;i<2;i++)); do read -r x <<< \"v$i\"; echo $x; done; [[ a =~ ^(a|b)$ ]] && echo \"${BASH_REMATCH[1]}\"; }"),
            run("all").out("v0\nv1\na\n"),
        ]),
        row("functions named like builtins").runs([
            run("eval() { echo no; }; printf() { echo no; }; exit() { echo no; }; declare() { echo no; }; cd() { echo no; }; read() { echo no; }; shopt() { echo no; }"),
            run("x=1; builtin cd @DIR@").cwd("@DIR@"),
            run("echo $x; pwd; printf; exit").out("1\n@DIR@\nno\nno\n"),
            run("type -t eval").out("function\n"),
        ]),
        row("functions named like more builtins and brackets").runs([
            run("export() { echo no; }; alias() { echo no; }; set() { echo no; }; echo() { builtin echo \"<$*>\"; }; [() { builtin echo no; }; pwd() { builtin echo no; }; umask() { builtin echo no; }; local() { :; }; return() { :; }"),
            run("y=2; builtin cd @DIR@").cwd("@DIR@"),
            run("echo $y; [ a = b ]; builtin pwd").out("<2>\nno\n@DIR@\n"),
        ]),
        row("functions named trap, builtin and unset work once and are not carried").runs([
            run("builtin() { echo mine; }; builtin x; X=1").out("mine\n"),
            run("echo $X; type -t builtin").out("1\nbuiltin\n"),
            run("unset() { echo mine; }; unset x; Y=1").out("mine\n"),
            run("echo $Y; type -t unset").out("1\nbuiltin\n"),
        ]),
        row("readonly functions").runs([
            run("fixed() { echo fixed; }; readonly -f fixed"),
            run("fixed; (fixed() { :; }) 2>/dev/null || echo refused").out("fixed\nrefused\n"),
            run("fixed").out("fixed\n"),
        ]),
        row("a recursive function and one that is being changed").runs([
            run("fact() { (( $1 < 2 )) && echo 1 || echo $(( $1 * $(fact $(( $1 - 1 ))) )); }"),
            run("fact 6; fact() { echo changed; }").out("720\n"),
            run("fact").out("changed\n"),
        ]),
    ]
}

fn aliases() -> Vec<Row> {
    vec![
        row("an alias stays").runs([
            run("alias ll='echo long'"),
            run("ll").out("long\n"),
            run("unalias ll"),
            run("ll").code(127).has("ll: command not found"),
        ]),
        row("an alias of several lines").runs([
            run("alias two='echo 1\necho 2'"),
            run("two").out("1\n2\n"),
            run("two").out("1\n2\n"),
        ]),
        row("aliases called - and . and with quotes").runs([
            run("alias -- -='echo dash' ..='echo up' q='echo \"it'\\''s\"'"),
            run("-; ..; q").out("dash\nup\nit's\n"),
            run("-; ..; q").out("dash\nup\nit's\n"),
        ]),
        row("an alias with a space at its end expands the next word").runs([
            run("alias say='echo ' word='a b'"),
            run("say word").out("a b\n"),
        ]),
        row("aliases named like builtins and keywords").runs([
            run("alias eval='echo no' printf='echo no' exit='echo no' declare='echo no' cd='echo no' builtin='echo no' trap='echo no'"),
            run("X=1; \\cd @DIR@").cwd("@DIR@"),
            run("echo $X; cd x; \\pwd").out("1\nno x\n@DIR@\n"),
            run("unalias -a; echo $X").out("1\n"),
            run("cd /; pwd").out("/\n"),
        ]),
        row("aliases named like keywords").runs([
            run("alias if='echo no' then='echo no' {='echo no' [[='echo no' until='echo no' do='echo no' fi='echo no'").loses_state(),
            run("X=1; cd @DIR@").cwd("@DIR@"),
            run("echo $X; pwd").out("1\n@DIR@\n"),
        ]),
        row("an alias for true keeps the runtime working").runs([
            run("alias exec='false' unset='false' set='false' export='false' shopt='false' umask='false' '['='false'"),
            run("Z=2; cd @DIR@").cwd("@DIR@"),
            run("echo $Z; pwd").out("2\n@DIR@\n"),
        ]),
        row("an alias inside a function definition is expanded once").runs([
            run("alias p='echo p'\neval 'f() { p; }'"),
            run("alias p='echo q'"),
            run("f").out("p\n"),
            run("f").out("p\n"),
        ]),
    ]
}

fn options() -> Vec<Row> {
    vec![
        row("pipefail stays").runs([
            run("set -o pipefail"),
            run("false | true").code(1),
            run("set +o pipefail"),
            run("false | true").code(0),
        ]),
        row("nounset stays").runs([
            run("set -u"),
            run("echo $NOT_SET@N@; echo after").code(127).has("unbound variable").lacks("after"),
            run("echo \"${NOT_SET-fine}\"").out("fine\n"),
            run("set +u"),
            run("echo \"[$NOT_SET]\"").out("[]\n"),
        ]),
        row("noglob stays").runs([
            run("cd @DIR@; touch a b; set -f"),
            run("echo *").out("*\n"),
            run("set +f; echo *").out("a b\n"),
            run("echo *").out("a b\n"),
        ]),
        row("noclobber stays").runs([
            run("set -C; echo 1 > @DIR@/f"),
            run("echo 2 > @DIR@/f").code(1).has("cannot overwrite"),
            run("echo 3 >| @DIR@/f; cat @DIR@/f").out("3\n"),
        ]),
        row("allexport stays").runs([
            run("set -a"),
            run("AUTO=1"),
            run("sh -c 'echo $AUTO'; set +a").out("1\n"),
            run("MANUAL=1"),
            run("sh -c 'echo [$MANUAL]'").out("[]\n"),
        ]),
        row("shopt options stay").runs([
            run("cd @DIR@; mkdir -p d/e; touch d/e/f .hidden; shopt -s globstar nullglob dotglob nocasematch"),
            run("echo **/f; echo none*; echo .h*; [[ ABC == abc ]] && echo same")
                .out("d/e/f\n\n.hidden\nsame\n"),
            run("shopt -u globstar nullglob dotglob nocasematch"),
            run("echo none*; [[ ABC == abc ]]").code(1).out("none*\n"),
        ]),
        row("failglob keeps the runtime working").runs([
            run("shopt -s failglob"),
            run("echo nothing@N@*").code(1).has("no match"),
            run("X=1; cd @DIR@").cwd("@DIR@"),
            run("echo $X; pwd").out("1\n@DIR@\n"),
        ]),
        row("physical directories").runs([
            run("mkdir @DIR@/real; ln -s real @DIR@/link; set -P"),
            run("cd @DIR@/link; pwd").out("@DIR@/real\n"),
            run("set +P; cd @DIR@/link").cwd("@DIR@/link"),
        ]),
        row("posix mode stays and can be left").runs([
            run("a=(1 2); f-x() { echo odd; }; set -o posix"),
            run("X=1; echo ${a[1]}; shopt -o posix").out("2\nposix          \ton\n"),
            run("set +o posix"),
            run("echo $X; f-x; shopt -o posix").code(1).out("1\nodd\nposix          \toff\n"),
        ]),
        row("errexit, xtrace, verbose are for one command").runs([
            run("set -e; true"),
            run("false; echo goes on").out("goes on\n"),
            run("set -x; echo hi").has("+ echo hi").has("hi\n"),
            run("echo quiet").out("quiet\n"),
            run("set -v\necho loud").out("echo loud\nloud\n"),
            run("echo quiet").out("quiet\n"),
        ]),
        row("expand_aliases can be turned off").runs([
            run("alias word='echo alias'; shopt -u expand_aliases"),
            run("word").code(127).has("command not found"),
            run("shopt -s expand_aliases"),
            run("word").out("alias\n"),
        ]),
        row("extdebug and noexec do not stay").runs([
            run("shopt -s extdebug; X=1"),
            run("shopt extdebug; echo $X").out("extdebug       \toff\n1\n"),
            run("Y=1; set -n; echo never").loses_state(),
            run("echo here").out("here\n"),
        ]),
        row("shift_verbose, xpg_echo, sourcepath, lastpipe").runs([
            run("shopt -s xpg_echo lastpipe; shopt -u sourcepath"),
            run("echo 'a\\tb'; echo v | read -r got; echo \"$got\"; shopt sourcepath")
                .code(1)
                .out("a\tb\nv\nsourcepath     \toff\n"),
        ]),
        row("POSIXLY_CORRECT as a variable").runs([
            run("export POSIXLY_CORRECT=1"),
            run("X=2; echo ok").out("ok\n"),
            run("echo $X; unset POSIXLY_CORRECT").out("2\n"),
            run("set +o posix; echo fine").out("fine\n"),
        ]),
    ]
}
