//! Standard input: end of file at once when none is given, and exactly the given bytes otherwise.

use crate::harness::row::{Row, row, run};

pub fn rows() -> Vec<Row> {
    vec![
        row("without input there is end of file").runs([
            run("cat; echo after").out("after\n").within(5),
            run("read x; echo \"$? [$x]\"").out("1 []\n").within(5),
            run("basename \"a <b\" && cat; echo $?").out("a <b\n0\n").within(5),
        ]),
        row("without input it is no pipe")
            .runs([run("test -p /dev/stdin").code(1), run("test -t 0").code(1)]),
        row("the input as it is").runs([
            run("cat").stdin("a\nb").out("a\nb"),
            run("cat").stdin("").out(""),
            run("cat").stdin("line\n").out("line\n"),
            run("od -An -tx1 | tr -d ' \\n'").stdin(b"\0\xff\r\n\x80\0").out("00ff0d0a8000"),
        ]),
        row("all bytes as input").runs([run("cat")
            .stdin((0..=255).collect::<Vec<u8>>())
            .out((0..=255).collect::<Vec<u8>>())]),
        row("5 MiB of input").runs([
            run("wc -c | tr -d ' '").stdin(vec![b'i'; 5 << 20]).out("5242880\n"),
            run("cksum").stdin(vec![b'\0'; 5 << 20]).has("5242880"),
        ]),
        row("input that is not read").runs([
            run("echo done").stdin(vec![b'x'; 3 << 20]).out("done\n").within(5),
            run("echo next").out("next\n"),
        ]),
        row("input that is read in part").runs([
            run("head -c 3; echo").stdin("abcdef").out("abc\n"),
            run("read -r a; read -r b; echo \"$b,$a\"").stdin("1\n2\n3\n").out("2,1\n"),
            run("head -c 10 | wc -c | tr -d ' '").stdin(vec![b'y'; 2 << 20]).out("10\n").within(5),
        ]),
        row("several commands share the input").runs([run("read -r a; cat; echo \"[$a]\"")
            .stdin("first\nrest\n")
            .out("rest\n[first]\n")]),
        row("a command that ends in a heredoc keeps its input").runs([
            run("read -r x; echo \"$x\"; cat <<E\nheredoc\nE").stdin("in\n").out("in\nheredoc\n"),
            run("cat > @DIR@/f; cat <<'E'\nhere\nE").stdin("to file").out("here\n"),
            run("cat @DIR@/f").out("to file"),
        ]),
        row("input for a command of many statements").runs([
            run("t=@DIR@/t; cat > $t && mv $t @DIR@/target && true; trap - EXIT")
                .stdin("content")
                .may_lose_state(),
            run("cat @DIR@/target").out("content"),
        ]),
        row("input with an error").runs([
            run("if").stdin("x").code(2),
            run("cd /no/such || cat").stdin("still").has("still"),
        ]),
        row("input that looks like a command").runs([run("cat")
            .stdin("0000000004exit\n$(id)\n'\n")
            .out("0000000004exit\n$(id)\n'\n")]),
        row("no input reaches a background child")
            .runs([run("cat & wait $!; echo $?").stdin("x").out("0\n")]),
        row("the shell as a filter of its input").bash().runs([
            run("while read -r l; do echo \"<$l>\"; done").stdin("a\nb\n").out("<a>\n<b>\n"),
            run("mapfile -t m; echo ${#m[@]}").stdin("a\nb\nc").out("3\n"),
            run("bash").stdin("echo from stdin\n").out("from stdin\n"),
        ]),
        row("input with separate streams").runs([run("cat; cat >&2")
            .stdin("one\n")
            .separate()
            .out("one\n")
            .err("")]),
    ]
}
