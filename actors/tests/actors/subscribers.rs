//! Those who watch a command while it runs.

use std::time::Duration;

use hexad_actors::{Event, Execute, Slow};
use tokio::time::{Instant, sleep};

use crate::support::{all_events, runtime, runtime_with, settle, watched};

/// The output events of a list as (seq, offset, length); checks that nothing overlaps.
fn chunks(events: &[Event]) -> Vec<(u64, u64, usize)> {
    events
        .iter()
        .filter_map(|event| match event {
            Event::Output { seq, offset, data, .. } => Some((*seq, *offset, data.as_bytes().len())),
            _ => None,
        })
        .collect()
}

fn gaps(events: &[Event]) -> u64 {
    events.iter().map(|e| if let Event::Gap { bytes, .. } = e { *bytes } else { 0 }).sum()
}

#[tokio::test(start_paused = true)]
async fn chunks_are_numbered_and_say_where_they_begin() {
    let rt = runtime().await;
    let (request, mut events) =
        watched("say one; sleep 5; say three; sleep 5; say x", 64, Slow::Skip);
    let answer = rt.send("t", request);
    let seen = all_events(&mut events).await;
    assert_eq!(chunks(&seen), [(0, 0, 4), (1, 4, 6), (2, 10, 2)]);
    let last = seen.last().unwrap();
    assert!(matches!(last, Event::Finished(r) if r.text() == "one\nthree\nx\n"));
    answer.wait().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_slow_watcher_that_skips_gets_a_gap_and_holds_up_nothing() {
    let rt = runtime().await;
    rt.run("t", "true").await;
    let lines = 40;
    let command = "sleep 1; bytes 100;".repeat(lines);
    let (request, mut events) = watched(command.as_str(), 4, Slow::Skip);
    let began = Instant::now();
    let result = rt.run("t", request).await;
    assert_eq!(result.output.total_bytes, 4000);
    assert!(began.elapsed() < Duration::from_millis(50));
    let seen = all_events(&mut events).await;
    let got: usize = chunks(&seen).iter().map(|c| c.2).sum();
    assert_eq!(got as u64 + gaps(&seen), 4000, "{seen:?}");
    assert!(matches!(seen.last(), Some(Event::Finished(_))));
}

#[tokio::test(start_paused = true)]
async fn a_watcher_that_comes_back_very_late_still_learns_of_its_gap() {
    let rt = runtime().await;
    let command = "sleep 1; bytes 100;".repeat(20);
    let (request, mut events) = watched(command.as_str(), 3, Slow::Skip);
    rt.run("t", request).await;
    sleep(Duration::from_secs(60)).await;
    let seen = all_events(&mut events).await;
    let got: usize = chunks(&seen).iter().map(|c| c.2).sum();
    assert_eq!(got as u64 + gaps(&seen), 2000, "{seen:?}");
}

#[tokio::test(start_paused = true)]
async fn a_watcher_that_makes_the_command_wait_gets_every_byte() {
    let rt = runtime().await;
    let (request, mut events) = watched("bytes 300000", 1, Slow::Wait);
    let answer = rt.send("t", request);
    let mut offset = 0;
    loop {
        sleep(Duration::from_millis(20)).await;
        match events.recv().await.unwrap() {
            Event::Output { offset: at, data, .. } => {
                assert_eq!(at, offset);
                offset += data.as_bytes().len() as u64;
            }
            Event::Gap { .. } => panic!("nothing may be left out"),
            event if event.is_last() => break,
            _ => {}
        }
    }
    assert_eq!(offset, 300_000);
    answer.wait().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_watcher_that_stalls_the_output_does_not_stall_the_limit() {
    let rt = runtime().await;
    let request = Execute::new("bytes 300000; hang").timeout(Duration::from_secs(5));
    let (request, mut events) = watched(request, 1, Slow::Wait);
    let began = Instant::now();
    let result = rt.run("t", request).await;
    assert_eq!(result.returncode(), 124);
    assert_eq!(began.elapsed().as_secs(), 5);
    // What the watcher missed is a gap, and the rest is where it says it is.
    let seen = all_events(&mut events).await;
    let got: usize = chunks(&seen).iter().map(|c| c.2).sum();
    assert_eq!(got as u64 + gaps(&seen), result.output.total_bytes, "{seen:?}");
}

#[tokio::test(start_paused = true)]
async fn a_watcher_that_stalls_the_output_does_not_stall_an_interrupt() {
    let rt = runtime().await;
    let (request, _events) = watched("bytes 300000; hang", 1, Slow::Wait);
    let answer = rt.send("t", request);
    sleep(Duration::from_secs(3)).await;
    let began = Instant::now();
    assert!(rt.interrupt("t", None).await);
    assert_eq!(answer.wait().await.unwrap().returncode(), 130);
    assert!(began.elapsed() < Duration::from_millis(100));
}

#[tokio::test(start_paused = true)]
async fn a_watcher_that_never_reads_cannot_keep_a_command_that_ended_for_ever() {
    let rt = runtime().await;
    let request = Execute::new("say x; sleep 10; say y").timeout(Duration::from_secs(9));
    let (request, events) = watched(request, 1, Slow::Wait);
    let answer = rt.send("t", request);
    assert!(answer.wait().await.unwrap().duration < Duration::from_secs(10));
    drop(events);
}

#[tokio::test(start_paused = true)]
async fn a_watcher_that_goes_away_is_forgotten() {
    let rt = runtime().await;
    let (request, events) = watched("say a; sleep 50; say b", 1, Slow::Wait);
    let answer = rt.send("t", request);
    settle().await;
    drop(events);
    assert_eq!(answer.wait().await.unwrap().text(), "a\nb\n");
}

#[tokio::test(start_paused = true)]
async fn progress_is_told_at_each_interval_with_the_last_line() {
    let rt = runtime_with(|s| (s.progress_interval, s.spares) = (Duration::from_secs(10), 0)).await;
    let (request, mut events) =
        watched("say one; sleep 15000; say two; sleep 10000", 64, Slow::Skip);
    let answer = rt.send("t", request);
    let seen = all_events(&mut events).await;
    let progress: Vec<(u64, u64, &str)> = seen
        .iter()
        .filter_map(|e| match e {
            Event::Progress { elapsed, bytes, last_line } => {
                Some((elapsed.as_secs(), *bytes, last_line.as_str()))
            }
            _ => None,
        })
        .collect();
    assert_eq!(progress, [(10, 4, "one"), (20, 8, "two")]);
    answer.wait().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn those_who_wait_are_told_how_many_are_before_them() {
    let rt = runtime().await;
    let first = rt.send("t", "sleep 50");
    settle().await;
    let second = rt.send("t", "true");
    let (request, mut events) = watched("true", 16, Slow::Skip);
    let third = rt.send("t", request);
    let seen = all_events(&mut events).await;
    assert!(matches!(seen[0], Event::Queued { position: 2 }), "{seen:?}");
    assert!(matches!(seen[1], Event::Started { .. }));
    for answer in [first, second, third] {
        answer.wait().await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn both_streams_share_one_numbering_and_have_their_own_offsets() {
    let rt = runtime().await;
    let request = Execute::new("say out; sleep 5; err bad; sleep 5; say end").separate();
    let (request, mut events) = watched(request, 64, Slow::Skip);
    let answer = rt.send("t", request);
    let seen = all_events(&mut events).await;
    assert_eq!(chunks(&seen), [(0, 0, 4), (1, 0, 3), (2, 4, 4)]);
    answer.wait().await.unwrap();
}
