//! What is left when hexad is killed, and what the next start makes of it.

use std::io::Write as _;
use std::process::Stdio;
use std::time::Duration;

use nix::sys::signal::Signal;

use crate::support::{Surroundings, eventually, processes_with, signal, unique_sleep};

fn records(here: &Surroundings) -> usize {
    std::fs::read_dir(here.path().join("state/runtimes")).map_or(0, Iterator::count)
}

#[test]
fn the_next_start_ends_what_a_killed_hexad_left() {
    let here = Surroundings::new();
    let sleep = unique_sleep();
    let mut child = here.hexad(&["serve", "--stdio"]).stdin(Stdio::piped()).spawn().unwrap();
    let line = format!(
        "{{\"id\":\"1\",\"op\":\"execute\",\"task_id\":\"t\",\"command\":\
         \"trap '' TERM; (setsid sleep {sleep} &); nohup sleep {sleep} & sleep {sleep}\"}}\n"
    );
    child.stdin.as_mut().unwrap().write_all(line.as_bytes()).unwrap();
    eventually("the command runs", || processes_with(&sleep) == 3);
    signal(child.id(), Signal::SIGKILL);
    child.wait().unwrap();
    assert_eq!(processes_with(&sleep), 3, "nobody could end them yet");
    assert_eq!(records(&here), 1);
    // Any start will do; it need not have to do with the task.
    let run = here.exec("echo next");
    assert_eq!((run.code, run.out.as_str()), (Some(0), "next\n"));
    assert_eq!(processes_with(&sleep), 0);
    assert_eq!(records(&here), 0);
}

#[test]
fn a_live_hexad_is_left_alone_by_another_start() {
    let here = Surroundings::new();
    let sleep = unique_sleep();
    let mut child = here.hexad(&["exec", "--", &format!("sleep {sleep}")]).spawn().unwrap();
    eventually("the command runs", || processes_with(&sleep) == 1);
    assert_eq!(here.exec("true").code, Some(0));
    assert_eq!(processes_with(&sleep), 1);
    signal(child.id(), Signal::SIGTERM);
    child.wait().unwrap();
}

#[test]
fn killed_at_any_moment_of_its_start_it_leaves_nothing() {
    let here = Surroundings::new();
    let sleep = unique_sleep();
    for moment in 0..25 {
        let line = format!("setsid sleep {sleep} & sleep {sleep}");
        let mut child = here.hexad(&["exec", "--task", "t", "--", &line]).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(3 * moment));
        signal(child.id(), Signal::SIGKILL);
        child.wait().unwrap();
    }
    // A spawn that was under way may finish behind the kill of its parent.
    std::thread::sleep(Duration::from_millis(200));
    assert_eq!(here.exec("true").code, Some(0));
    assert_eq!(processes_with(&sleep), 0);
    assert_eq!(records(&here), 0);
    let run = here.run(&["exec", "--task", "t", "--", "echo usable"]);
    assert_eq!(run.out, "usable\n");
}
