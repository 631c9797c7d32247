//! The `trap` that commands see against bash's own: the same command, with and without the
//! runtime around it, says the same and ends the same.

use std::process::Command;

use super::super::Dialect;
use super::super::real_shell::{command, fresh, run};
use super::*;

fn plainly(text: &str) -> (String, Option<i32>) {
    let merge = "exec bash --norc --noprofile -c \"$1\" 2>&1";
    let output = Command::new("sh").args(["-c", merge, "sh", text]).output().unwrap();
    (String::from_utf8_lossy(&output.stdout).into_owned(), output.status.code())
}

#[test]
fn traps_do_what_bash_s_own_do() {
    for text in [
        "trap 'echo bye' EXIT; echo hi",
        "trap 'echo bye' 0; echo hi; exit 4",
        "trap 'echo bye $?' exit; (exit 5)",
        "trap 'echo bye $?' SIGEXIT; exit 6",
        "trap -- 'echo bye' EXIT; true",
        "trap 'exit 7' EXIT; exit 3",
        "trap 'echo a' EXIT; trap 'echo b' EXIT",
        "trap 'echo a' EXIT; trap - EXIT; echo end",
        "trap 'echo a' EXIT; trap EXIT; echo end",
        "trap '' EXIT; echo end",
        "trap 'echo x' EXIT INT; trap",
        "trap 'echo x' EXIT INT; trap -p",
        "trap 'echo x' EXIT INT; trap -p EXIT",
        "trap 'echo x' EXIT INT; trap -p INT",
        "trap; trap -p; trap -p EXIT INT; echo none",
        "trap \"echo it's\" EXIT; trap -p EXIT; trap - EXIT",
        "(trap 'echo sub' EXIT; echo in); echo out",
        "trap 'echo outer' EXIT; (echo in); echo out",
        "trap 'echo outer' EXIT; (trap 'echo inner' EXIT; exit 3); echo $?",
        "x=$(trap 'echo sub' EXIT; echo in); echo \"[$x]\"",
        "f() { trap 'echo f' EXIT; }; f; echo after",
        "trap 'echo usr' USR1; kill -USR1 $$; echo after",
        "trap 'echo term; exit 9' TERM; kill -TERM $$; echo never",
        "trap '' TERM; kill -TERM $$; echo alive",
        "trap 'echo err' ERR; false; true",
        "set -e; trap 'echo bye $?' EXIT; false; echo never",
        "set -u; trap 'echo bye' EXIT; echo $nothing; echo never",
        "trap 'echo one; trap \"echo two\" EXIT' EXIT",
        "trap 'echo bye; false' EXIT; exit 0",
        "trap 'echo bye' EXIT; exec echo replaced",
        "trap 'echo x' NOSUCH; echo $?",
        "trap -l | head -1",
        "trap 'echo bye' EXIT; echo 'open",
        "trap 'cd /; echo $PWD' EXIT; cd /usr",
        "trap 'echo \"$@\"' EXIT; set -- a b",
    ] {
        let ran = fresh(Dialect::Bash, text);
        let (output, status) = plainly(text);
        // The one thing that differs is how the shell is called in messages.
        let neutral = |s: &str| {
            let lines = s.lines().map(|l| {
                l.rsplit_once("line ")
                    .map_or(l, |(_, rest)| rest.split_once(": ").map_or(rest, |(_, rest)| rest))
            });
            lines.map(|l| format!("{l}\n")).collect::<String>()
        };
        assert_eq!(neutral(&ran.stdout), neutral(&output), "{text}");
        assert_eq!(ran.status.code(), status, "{text}");
    }
}

#[test]
fn tracing_shows_the_call_and_nothing_of_its_inside() {
    let ran = fresh(Dialect::Bash, "set -x; trap 'echo bye' EXIT; trap; true");
    let shown = ran.stdout.replace("+++ ", "");
    assert_eq!(shown, "trap 'echo bye' EXIT\ntrap\ntrap -- 'echo bye' EXIT\ntrue\nbye\n");
}

#[test]
fn the_record_tells_the_state_behind_the_user_s_trap() {
    let ran = fresh(Dialect::Bash, "trap 'A=2; cd /usr' EXIT; A=1; exit 3");
    let (before, after) = (ran.provisional(), ran.state());
    assert_eq!(before.variable("A").unwrap().scalar().unwrap(), b"1");
    assert_eq!(after.variable("A").unwrap().scalar().unwrap(), b"2");
    assert_eq!((after.last_status, &after.cwd[..]), (3, &b"/usr"[..]));
}

#[test]
fn a_trap_that_exits_leaves_the_record_from_before_it() {
    let ran = fresh(Dialect::Bash, "trap 'exit 7' EXIT; A=1; exit 3");
    assert_eq!(ran.provisional().variable("A").unwrap().scalar().unwrap(), b"1");
    assert_eq!(ran.status.code(), Some(7));
}

#[test]
fn traps_are_not_carried() {
    let state = fresh(Dialect::Bash, "trap 'echo bye' EXIT; trap 'echo err' ERR").state();
    let ran = run(&state, &command("trap; false"), b"");
    assert_eq!(ran.stdout, "");
}

#[test]
fn a_function_called_trap_gives_way() {
    let state = fresh(Dialect::Bash, "unset -f trap; trap() { echo mine; }; f() { :; }").state();
    assert!(!String::from_utf8_lossy(&state.functions).contains("mine"));
    assert!(is_carried_variable("f"));
}
