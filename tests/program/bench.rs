//! `hexad bench`: that its numbers add up, that it sees a stall, a leak and an orphan, and that it
//! says so with its exit status. How fast anything is does not matter here.

use std::fs;
use std::process::Command;

use serde_json::Value;

use crate::support::{Run, Surroundings, processes_with, unique_sleep};

/// Runs a bench with a mix; gives its status and its report.
fn bench(here: &Surroundings, mix: &str, arguments: &[&str]) -> (Option<i32>, Value) {
    let file = here.path().join("mix.yaml");
    fs::write(&file, mix).unwrap();
    let mut all = vec!["bench", "--json", "--mix", file.to_str().unwrap()];
    all.extend(arguments);
    let run = here.run(&all);
    let report = serde_json::from_str(&run.out);
    let report = report.unwrap_or_else(|error| panic!("{error}: {run:?}"));
    (run.code, report)
}

fn count(value: &Value) -> u64 {
    value.as_u64().unwrap_or_else(|| panic!("no count: {value}"))
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("no number: {value}"))
}

fn kind<'a>(report: &'a Value, name: &str) -> &'a Value {
    let kinds = report["load"]["totals"]["kinds"].as_array().unwrap();
    kinds.iter().find(|kind| kind["name"] == name).unwrap()
}

const EVERY_ENDING: &str = "\
commands:
  - {kind: builtin, share: 4}
  - {kind: external, share: 1}
  - {kind: output, bytes: 3000, share: 1}
  - {kind: output, bytes: 100000, share: 1, name: much}
  - {kind: stdin, bytes: 500, share: 1}
  - {kind: fail, code: 3, share: 2}
  - {kind: timeout, limit: 300ms, share: 1}
  - {kind: interrupt, after: 50ms, share: 1}
  - {kind: background, for: 60s, share: 1}
  - {kind: command, name: own, command: 'test -n \"$PWD\"; (exit 4)', code: 4, share: 1}
";

#[test]
fn counts_and_shares_add_up_and_every_ending_is_told() {
    let here = Surroundings::new();
    let page = here.path().join("page.html");
    let arguments = ["--rate", "20", "--duration", "7s", "--warm-up", "0", "--tasks", "6"];
    let with_page = [&arguments[..], &["--report", page.to_str().unwrap()]].concat();
    let (code, report) = bench(&here, EVERY_ENDING, &with_page);
    assert_eq!((code, &report["failures"]), (Some(0), &serde_json::json!([])), "{report}");
    let load = &report["load"];
    let totals = &load["totals"];
    assert_eq!(count(&load["sent"]), 140);
    assert_eq!(count(&load["not_sent"]) + count(&load["unanswered"]), 0);
    assert_eq!(count(&totals["requests"]), 140);
    assert_eq!(count(&totals["right"]), 140);
    let kinds = totals["kinds"].as_array().unwrap();
    assert_eq!(kinds.iter().map(|kind| count(&kind["requests"])).sum::<u64>(), 140);
    for kind in kinds {
        let expected = number(&kind["share"]) * 140.0;
        assert!((count(&kind["requests"]) as f64 - expected).abs() <= 4.0, "{kind}");
    }
    // How they ended: each of the kinds with its own outcome, and nothing else.
    let timeouts = count(&kind(&report, "timeout")["requests"]);
    let interrupts = count(&kind(&report, "interrupt")["requests"]);
    assert!(timeouts > 4 && interrupts > 4);
    assert_eq!(count(&totals["outcomes"]["timed_out"]), timeouts);
    assert_eq!(count(&totals["outcomes"]["interrupted"]), interrupts);
    assert_eq!(count(&totals["outcomes"]["exited"]), 140 - timeouts - interrupts);
    assert_eq!(count(&totals["overrun"]["count"]), timeouts);
    assert_eq!(count(&totals["interrupt"]["count"]), interrupts);
    assert_eq!(count(&totals["early"]), 0);
    // What was measured: histogram and timeline hold every answer, quantiles are in order.
    let sum = |list: &Value, field: &str| -> u64 {
        list.as_array().unwrap().iter().map(|entry| count(&entry[field])).sum()
    };
    assert_eq!(sum(&totals["histogram"], "count"), 140);
    assert_eq!(sum(&totals["timeline"], "answered"), 140);
    let answer = &totals["answer"];
    let quantiles = ["min", "p50", "p90", "p99", "p999", "max"].map(|q| number(&answer[q]));
    assert!(quantiles.is_sorted(), "{answer}");
    assert!(number(&kind(&report, "timeout")["answer"]["min"]) >= 300.0);
    let printing = ["output", "much", "stdin"].map(|name| count(&kind(&report, name)["requests"]));
    assert_eq!(count(&totals["first_byte"]["count"]), printing.iter().sum::<u64>());
    let bytes = 3000 * printing[0] + 100_000 * printing[1];
    assert!(count(&totals["output_bytes"]) >= bytes);
    assert!(count(&load["from_spare"]) <= count(&load["commands"]));
    assert_eq!(count(&load["commands"]), 140);
    assert!(number(&load["descriptors_per_task"]) > 0.0);
    // Background processes were still running when their tasks were released.
    let orphans = &report["orphans"];
    let none = ["survivors", "left", "zombies"].map(|what| count(&orphans[what]));
    assert_eq!(none, [0, 0, 0], "{orphans}");

    let page = fs::read_to_string(page).unwrap();
    assert!(page.matches("<svg").count() >= 5 && page.contains("prefers-color-scheme"));
    for outside in ["<script", "http:", "https:", "url(", "src="] {
        assert!(!page.contains(outside), "the page refers to something: {outside}");
    }
}

/// One command in fifty holds its task up for a second. Who asks at a fixed rate sees that in many
/// answers; who waits for each answer before asking again sees it in one of fifty.
#[test]
fn a_stall_shows_in_the_answers_that_were_due_meanwhile() {
    let here = Surroundings::new();
    let mix = "commands:\n- {kind: builtin, share: 49}\n- {kind: sleep, for: 1s, share: 1}\n";
    let open = ["--rate", "20", "--duration", "10s", "--warm-up", "0", "--tasks", "1"];
    let (code, report) = bench(&here, mix, &open);
    assert_eq!(code, Some(0), "{report}");
    assert!(count(&kind(&report, "sleep")["requests"]) >= 2);
    // Behind a stall of a second twenty requests are due, and only one of those is the stall.
    let builtin = &kind(&report, "builtin")["answer"];
    assert!(number(&builtin["max"]) > 700.0, "{builtin}");
    assert!(number(&builtin["p90"]) > 300.0, "{builtin}");
    assert!(number(&report["load"]["totals"]["lateness"]["p50"]) < 300.0, "the bench lagged");
}

#[test]
fn a_wrong_answer_fails_the_run() {
    let here = Surroundings::new();
    let mix = "commands: [{kind: command, name: odd, command: 'echo no; exit 5', code: 0}]";
    let (code, report) = bench(&here, mix, &["--duration", "300ms", "--tasks", "1"]);
    assert_eq!(code, Some(1));
    let totals = &report["load"]["totals"];
    assert_eq!(count(&totals["wrong"]), count(&totals["requests"]));
    assert!(totals["examples"][0].as_str().unwrap().contains("exited (5): no"), "{totals}");
}

/// More than a queue takes: the refusals are counted as what they are.
#[test]
fn refusals_are_counted_by_class_and_do_not_fail_the_run() {
    let here = Surroundings::new();
    fs::write(here.path().join("hexad.yaml"), "terminal: {queue_limit: 2}\n").unwrap();
    let mix = "commands: [{kind: sleep, for: 100ms}]";
    let load = ["--rate", "100", "--duration", "2s", "--warm-up", "0", "--tasks", "1"];
    let (code, report) = bench(&here, mix, &load);
    assert_eq!(code, Some(0), "{report}");
    let totals = &report["load"]["totals"];
    let busy = count(&totals["errors"]["busy"]);
    assert!(busy > 100, "{totals}");
    assert_eq!(count(&totals["right"]) + busy, 200);
    assert_eq!(count(&totals["answer"]["count"]), count(&totals["right"]));
}

/// What hexad does not find (its environment wiped, its session and its parent left) keeps its
/// bench variable here: the bench must see it although hexad does not.
#[test]
fn a_process_that_got_away_is_an_orphan_and_fails_the_run() {
    let here = Surroundings::new();
    let sleep = unique_sleep();
    let mix = format!(
        "commands: [{{kind: command, command: '(env -i HEXAD_BENCH_LEFT=$HEXAD_BENCH_LEFT setsid \
         sleep {sleep} </dev/null >/dev/null 2>&1 &)'}}]"
    );
    let (code, report) = bench(&here, &mix, &["--duration", "500ms", "--tasks", "1"]);
    let left = processes_with(&sleep);
    assert!(Command::new("pkill").args(["-KILL", "-f", &sleep]).status().unwrap().success());
    assert!(left > 0);
    assert_eq!((code, count(&report["orphans"]["left"])), (Some(1), left as u64), "{report}");
}

#[test]
fn a_soak_without_growth_passes_and_one_with_a_leak_fails() {
    let here = Surroundings::new();
    let arguments = ["--soak", "--rate", "8", "--duration", "8s", "--tasks", "2", "--warm-up", "0"];
    // What the machine does besides is no leak.
    let arguments = [&arguments[..], &["--latency-tolerance", "100000"]].concat();
    let grows = |report: &Value, what: &str| {
        let drift = report["drift"].as_array().unwrap();
        drift.iter().find(|d| d["what"] == what).unwrap()["grows"].clone()
    };
    let (code, report) = bench(&here, "commands: [{kind: builtin}]", &arguments);
    assert_eq!(
        (code, grows(&report, "processes on the target")),
        (Some(0), false.into()),
        "{report}"
    );
    assert_eq!(grows(&report, "memory of hexad"), false);
    // Every command leaves a process that outlives the run.
    let (code, report) = bench(&here, "commands: [{kind: background, for: 300s}]", &arguments);
    assert_eq!(
        (code, grows(&report, "processes on the target")),
        (Some(1), true.into()),
        "{report}"
    );
    assert!(report["failures"].to_string().contains("processes on the target grows"), "{report}");
    assert_eq!(count(&report["orphans"]["left"]), 0);
}

#[test]
fn scale_has_a_row_for_each_size() {
    let here = Surroundings::new();
    let page = here.path().join("page.html");
    let run =
        here.run(&["bench", "--json", "--scale", "1,5,20", "--report", page.to_str().unwrap()]);
    assert_eq!(run.code, Some(0), "{run:?}");
    let report: Value = serde_json::from_str(&run.out).unwrap();
    let rows = report["scale"].as_array().unwrap();
    let tasks: Vec<u64> = rows.iter().map(|row| count(&row["tasks"])).collect();
    assert_eq!(tasks, [1, 5, 20]);
    for row in rows {
        assert_eq!(row["answer"]["count"], row["tasks"]);
        assert_eq!(count(&row["left"]), 0);
        assert!(number(&row["start_ms"]) > 0.0 && number(&row["release_ms"]) > 0.0);
    }
    assert!(fs::read_to_string(page).unwrap().contains("Memory as tasks grow"));
}

#[test]
fn mistakes_are_named() {
    let here = Surroundings::new();
    let says = |arguments: &[&str], text: &str| {
        let run: Run = here.run(&[&["bench"], arguments].concat());
        assert_eq!(run.code, Some(2), "{run:?}");
        assert!(run.err.contains(text), "{run:?}");
    };
    says(&["--rate", "0"], "--rate");
    says(&["--duration", "soon"], "is not a time");
    says(&["--mix", "nosuchfile"], "--mix nosuchfile");
    says(&["--rate", "1", "--concurrency", "1"], "cannot be used with");
    says(&["--scale", "0"], "--scale");
    says(&["--report", "no/such/folder.html"], "--report");
    fs::write(here.path().join("bad.yaml"), "commands: [{kind: slep}]").unwrap();
    says(&["--mix", "bad.yaml"], "slep");
}

/// The same on a target that is not this machine's own process table: survivors and leftovers are
/// counted by commands there.
#[cfg(feature = "docker")]
#[test]
fn docker_passes_every_ending_without_orphans() {
    let Some(address) = std::env::var_os("HEXAD_TEST_DOCKER").filter(|a| !a.is_empty()) else {
        let required = std::env::var("CI").is_ok_and(|ci| ci == "true");
        assert!(!required, "HEXAD_TEST_DOCKER is not set: start scripts/services");
        return;
    };
    let here = Surroundings::new();
    let config = "terminal:\n  backend: docker\n  docker_image: hexad-test:bookworm\n  \
                  docker_network: false\n  container_persistent: false\n";
    fs::write(here.path().join("hexad.yaml"), config).unwrap();
    fs::write(here.path().join("mix.yaml"), EVERY_ENDING).unwrap();
    let load = ["bench", "--json", "--mix", "mix.yaml", "--tasks", "2", "--rate", "6"];
    let mut command = here.hexad(&[&load[..], &["--duration", "5s", "--warm-up", "0"]].concat());
    let run = Run::of(&command.env("DOCKER_HOST", address).output().unwrap());
    let report: Value = serde_json::from_str(&run.out).unwrap_or_else(|e| panic!("{e}: {run:?}"));
    assert_eq!(run.code, Some(0), "{report}");
    assert_eq!(count(&report["load"]["totals"]["right"]), 30);
    let orphans = &report["orphans"];
    assert_eq!(orphans["unknown"], Value::Null);
    assert!(orphans["looked"].as_str().unwrap().contains("/proc of the target"), "{orphans}");
    assert_eq!(count(&orphans["survivors"]) + count(&orphans["left"]), 0, "{orphans}");
}
