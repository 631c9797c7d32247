use super::*;
use crate::bench::mix::Mix;

const MS: fn(u64) -> Duration = Duration::from_millis;

fn sample(kind: usize, due: u64, answered: u64) -> Sample {
    Sample {
        kind,
        due: MS(due),
        sent: MS(due + 1),
        started: Some(MS(due + 3)),
        first_byte: None,
        interrupted: None,
        answered: MS(answered),
        bytes: 10,
        outcome: Some("exited"),
        ended: Ended::Right,
    }
}

fn statistics() -> Statistics {
    let text = "commands: [{kind: builtin}, {kind: timeout, limit: 100ms}]";
    Statistics::new(&Mix::parse(text).unwrap().works, MS(1000))
}

#[test]
fn latency_counts_from_when_a_request_was_due() {
    let mut statistics = statistics();
    statistics.add(&Sample { sent: MS(900), ..sample(0, 0, 1000) });
    let totals = statistics.totals();
    assert!((totals.answer.max - 1000.0).abs() < 1.0, "{totals:?}");
    assert!((totals.lateness.max - 900.0).abs() < 1.0);
}

#[test]
fn an_error_is_counted_and_is_no_quick_answer() {
    let mut statistics = statistics();
    statistics.add(&sample(0, 0, 50));
    statistics.add(&Sample { ended: Ended::Failed("busy", "full".into()), ..sample(0, 0, 1) });
    statistics.add(&Sample { ended: Ended::Wrong("exited (1)".into()), ..sample(0, 0, 60) });
    let totals = statistics.totals();
    assert_eq!((totals.requests, totals.right, totals.wrong, totals.failed), (3, 1, 1, 1));
    assert_eq!(totals.errors, BTreeMap::from([("busy", 1)]));
    assert_eq!(totals.answer.count, 2);
    assert!(totals.answer.min > 49.0);
    assert_eq!(totals.examples, ["builtin: full", "builtin: exited (1)"]);
}

#[test]
fn the_overrun_counts_from_the_start_of_the_command() {
    let mut statistics = statistics();
    statistics.add(&sample(1, 0, 3 + 100 + 7));
    statistics.add(&sample(1, 0, 3 + 90));
    let totals = statistics.totals();
    assert!((totals.overrun.max - 7.0).abs() < 0.1, "{:?}", totals.overrun);
    assert_eq!(totals.early, 1);
}

#[test]
fn the_timeline_has_every_stretch_and_every_answer() {
    let mut statistics = statistics();
    for answered in [100, 200, 3500] {
        statistics.add(&sample(0, 0, answered));
    }
    let timeline = statistics.totals().timeline;
    let answered: Vec<u64> = timeline.iter().map(|slice| slice.answered).collect();
    assert_eq!(answered, [2, 0, 0, 1]);
    assert_eq!(timeline[3].seconds, 3.0);
}

#[test]
fn a_look_shows_what_is_new() {
    let mut statistics = statistics();
    statistics.add(&sample(0, 0, 100));
    assert_eq!(statistics.look().2.count, 1);
    let (answered, bad, window) = statistics.look();
    assert_eq!((answered, bad, window.count), (1, 0, 0));
}
