//! State between invocations: `--task`, `state`, `list`, `release`, `shell`.

use std::os::unix::fs::PermissionsExt as _;

use crate::support::{Run, Surroundings};

#[test]
fn the_shell_state_persists_between_invocations() {
    let here = Surroundings::new();
    let task = |line: &str| here.run(&["exec", "--task", "t/1", "--", line]);
    assert_eq!(
        task("cd /tmp; export A='a b'; B=(1 2); f() { echo \"$A\"; }; alias g=f").code,
        Some(0)
    );
    assert_eq!(task("g; echo ${B[1]} $PWD; exit 3").out, "a b\n2 /tmp\n");
    assert_eq!(task("echo $?").out, "3\n");
    assert_eq!(here.run(&["list"]).out, "t/1\t/tmp\n");
    let shown = here.run(&["state", "t/1"]).out;
    assert!(shown.contains("directory     /tmp") && shown.contains(" A "), "{shown}");
    assert!(!shown.contains("a b"), "values stay out: {shown}");
    assert!(here.run(&["state", "t/1", "--json"]).out.contains("a b"));
    let file = here.path().join("state/tasks/_t+1/state.json");
    assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(here.run(&["release", "t/1"]).out, "released t/1\n");
    assert!(!file.exists());
    assert_eq!(here.run(&["list"]).out, "");
    assert_eq!(task("echo \"<$A>\"").out, "<>\n");
}

#[test]
fn two_at_once_queue_and_lose_nothing() {
    let here = Surroundings::new();
    let children: Vec<_> = (0..6)
        .map(|_| {
            here.hexad(&["exec", "--task", "t", "--", "N=$((N+1)); sleep 0.05"]).spawn().unwrap()
        })
        .collect();
    for child in children {
        assert_eq!(Run::of(&child.wait_with_output().unwrap()).code, Some(0));
    }
    assert_eq!(here.run(&["exec", "--task", "t", "--", "echo $N"]).out, "6\n");
}

#[test]
fn a_damaged_state_is_reported_and_not_used() {
    let here = Surroundings::new();
    here.run(&["exec", "--task", "t", "--", "A=1"]);
    std::fs::write(here.path().join("state/tasks/_t/state.json"), "{\"cwd\":").unwrap();
    let run = here.run(&["exec", "--task", "t", "--", "echo \"<$A>\""]);
    assert_eq!((run.code, run.out.as_str()), (Some(0), "<>\n"));
    assert!(run.err.contains("damaged"), "{}", run.err);
}

#[test]
fn a_shell_reads_lines_and_keeps_state_between_them() {
    let here = Surroundings::new();
    let input = b"cd /tmp\necho in $PWD\necho 'two\nlines'\nfalse\nexit\n";
    let run = here.run_with_input(&["shell"], input);
    assert!(run.out.contains("in /tmp\n") && run.out.contains("two\nlines\n"), "{run:?}");
    assert_eq!(run.code, Some(1));
}
