//! `hexad exec`: output, status, signals, and what it says when something is wrong.

use std::io::Read as _;
use std::process::Stdio;
use std::time::{Duration, Instant};

use nix::sys::signal::Signal;

use crate::support::{Run, Surroundings, eventually, processes_with, signal, unique_sleep};

#[test]
fn output_and_status_pass_through() {
    let here = Surroundings::new();
    let run = here.exec("printf 'no newline'; printf err >&2; exit 7");
    assert_eq!((run.code, run.out.as_str(), run.err.as_str()), (Some(7), "no newlineerr", ""));
    assert_eq!(here.exec("kill -KILL $$").code, Some(137));
    assert_eq!(here.exec("nosuchcommand").code, Some(127));
}

#[test]
fn several_words_are_a_program_and_its_arguments() {
    let here = Surroundings::new();
    let run = here.run(&["exec", "--", "printf", "<%s>", "a b", "$HOME", "*"]);
    assert_eq!(run.out, "<a b><$HOME><*>");
}

#[test]
fn streams_can_be_kept_apart() {
    let here = Surroundings::new();
    let run = here.run(&["exec", "--separate", "--", "echo out; echo err >&2"]);
    assert_eq!((run.out.as_str(), run.err.as_str()), ("out\n", "err\n"));
}

#[test]
fn standard_input_is_passed_on_only_when_asked_for() {
    let here = Surroundings::new();
    let run = here.run_with_input(&["exec", "--stdin", "-", "--", "cat; echo end"], b"a\0b\xff");
    assert_eq!(run.out.as_bytes(), "a\0b\u{fffd}end\n".as_bytes());
    let run = here.run_with_input(&["exec", "--", "cat; echo end"], b"unread");
    assert_eq!(run.out, "end\n");
}

#[test]
fn a_limit_ends_the_command_and_keeps_its_output() {
    let here = Surroundings::new();
    let sleep = unique_sleep();
    let line = format!("echo before; setsid sleep {sleep} & sleep {sleep}");
    let run = here.run(&["exec", "--timeout", "0.5", "--", &line]);
    assert_eq!((run.code, run.out.as_str()), (Some(124), "before\n"));
    assert!(run.err.contains("ran into its limit of 0.5 s"), "{}", run.err);
    assert_eq!(processes_with(&sleep), 0);
}

#[test]
fn what_a_command_leaves_running_ends_with_hexad() {
    let here = Surroundings::new();
    let sleep = unique_sleep();
    let run = here.exec(&format!("sleep {sleep} & echo started"));
    assert_eq!((run.code, run.out.as_str()), (Some(0), "started\n"));
    assert!(run.err.contains(&sleep), "{}", run.err);
    assert_eq!(processes_with(&sleep), 0);
}

#[test]
fn ctrl_c_interrupts_the_command_and_everything_it_started() {
    let here = Surroundings::new();
    let sleep = unique_sleep();
    let line = format!("echo before; (setsid sleep {sleep} &) ; sleep {sleep}");
    let child = here.hexad(&["exec", "--", &line]).spawn().unwrap();
    eventually("both sleeps run", || processes_with(&sleep) == 2);
    signal(child.id(), Signal::SIGINT);
    let run = Run::of(&child.wait_with_output().unwrap());
    assert_eq!((run.code, run.out.as_str()), (Some(130), "before\n"));
    assert!(run.err.contains("interrupted"), "{}", run.err);
    assert_eq!(processes_with(&sleep), 0);
}

#[test]
fn a_second_ctrl_c_does_not_wait_for_a_stubborn_command() {
    let here = Surroundings::new();
    let sleep = unique_sleep();
    let line = format!("trap '' TERM INT; sleep {sleep}; sleep {sleep}");
    let child = here.hexad(&["exec", "--", &line]).spawn().unwrap();
    eventually("it runs", || processes_with(&sleep) == 1);
    signal(child.id(), Signal::SIGINT);
    std::thread::sleep(Duration::from_millis(50));
    signal(child.id(), Signal::SIGINT);
    let run = Run::of(&child.wait_with_output().unwrap());
    assert_eq!(run.code, Some(130));
    assert_eq!(processes_with(&sleep), 0);
}

#[test]
fn a_request_to_stop_ends_the_command() {
    let here = Surroundings::new();
    let sleep = unique_sleep();
    let child = here.hexad(&["exec", "--", &format!("sleep {sleep}")]).spawn().unwrap();
    eventually("it runs", || processes_with(&sleep) == 1);
    signal(child.id(), Signal::SIGTERM);
    assert_eq!(Run::of(&child.wait_with_output().unwrap()).code, Some(130));
    assert_eq!(processes_with(&sleep), 0);
}

#[test]
fn a_reader_that_goes_away_ends_the_command() {
    let here = Surroundings::new();
    let mut child = here.hexad(&["exec", "--", "yes"]).stdout(Stdio::piped()).spawn().unwrap();
    let mut first = [0; 2];
    child.stdout.take().unwrap().read_exact(&mut first).unwrap();
    let started = Instant::now();
    assert_eq!(child.wait().unwrap().code(), Some(141));
    assert!(started.elapsed() < Duration::from_secs(10));
}

#[test]
fn json_has_the_events_of_the_wire() {
    let here = Surroundings::new();
    let run = here.run(&["exec", "--json", "--", "echo hi"]);
    let events: Vec<serde_json::Value> =
        run.out.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    let names: Vec<&str> = events.iter().map(|e| e["event"].as_str().unwrap()).collect();
    assert_eq!(names, ["started", "output", "finished"]);
    assert_eq!(events[2]["output"], "hi\n");
}

#[test]
fn the_whole_output_can_be_kept_in_a_file() {
    let here = Surroundings::new();
    let run = here.run(&["exec", "--spill", "--", "seq 100000"]);
    let path = run.err.trim().strip_prefix("hexad: the whole output is in ").unwrap();
    assert_eq!(std::fs::read_to_string(path).unwrap(), run.out);
    assert!(run.out.ends_with("99999\n100000\n"));
}

#[test]
fn the_environment_of_hexad_cannot_be_read_by_the_command() {
    let here = Surroundings::new();
    let output = here
        .hexad(&["exec", "--", "tr '\\0' '\\n' </proc/$PPID/environ; env"])
        .env("MY_CANARY_TOKEN", "canary-3141")
        .env("OPENAI_API_KEY", "canary-2718")
        .output()
        .unwrap();
    let run = Run::of(&output);
    assert!(!run.out.contains("canary"), "{}", run.out);
    assert!(run.out.contains("HOME="), "env itself must have run: {}", run.out);
}

#[test]
fn mistakes_are_named_and_have_a_status_of_their_own() {
    let here = Surroundings::new();
    std::fs::write(here.path().join("bad.yaml"), "terminal:\n  timeout: 5\n  timeot: 5\n").unwrap();
    std::fs::write(here.path().join("folder.yaml"), [0xff, 0xfe]).unwrap();
    for (arguments, code, part) in [
        (&["exec", "--backend", "dokcer", "--", "true"][..], 2, "local, docker, ssh"),
        (&["exec", "--profile", "nope", "--", "true"], 2, "nope"),
        (&["exec", "--timeout", "-1", "--", "true"], 2, "--timeout"),
        (&["exec", "--timeout", "1e9", "--", "true"], 2, "limit of 600 s"),
        (&["exec", "--task", "a b", "--", "true"], 2, "task_id contains ' '"),
        (&["exec", "--env", "1X=y", "--", "true"], 2, "variable name"),
        (&["exec", "--env", "X", "--", "true"], 2, "NAME=VALUE"),
        (&["exec"], 2, "COMMAND"),
        (&["--config", "bad.yaml", "exec", "--", "true"], 2, "bad.yaml:3: terminal.timeot"),
        (&["--config", "absent.yaml", "exec", "--", "true"], 2, "absent.yaml"),
        (&["--config", "folder.yaml", "exec", "--", "true"], 2, "folder.yaml"),
        (&["exec", "--backend", "modal", "--", "true"], 125, "not part of this version"),
        (&["state", "unknown"], 125, "no saved state of task unknown"),
    ] {
        let run = here.run(arguments);
        assert_eq!(run.code, Some(code), "{arguments:?}: {run:?}");
        assert!(run.err.contains(part), "{arguments:?}: {}", run.err);
    }
    let run = here.run(&["exec", "--cwd", "/no/such/folder", "--", "true"]);
    assert_eq!(run.code, Some(126));
    assert!(run.out.contains("/no/such/folder: No such file or directory"), "{}", run.out);
}

#[test]
fn help_teaches() {
    let here = Surroundings::new();
    for arguments in [&["--help"][..], &["exec", "--help"], &["serve", "--help"]] {
        let run = here.run(arguments);
        assert_eq!(run.code, Some(0));
        assert!(run.out.contains("hexad") && run.out.len() > 500, "{}", run.out);
    }
    let run = here.run(&["doctor"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(run.out.contains("bash 5") && run.out.contains("docker"), "{}", run.out);
    let run = here.run(&["config", "--keys"]);
    assert!(run.out.contains("TERMINAL_TIMEOUT"), "{}", run.out);
}
