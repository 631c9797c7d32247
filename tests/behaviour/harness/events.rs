//! Reading the events of a request.

use hexad::{Event, ExecuteResult};
use tokio::sync::mpsc;

use super::check::shown;

/// All events, up to the last one.
pub async fn collect(mut receiver: mpsc::Receiver<Event>) -> Vec<Event> {
    let mut events = Vec::new();
    while let Some(event) = receiver.recv().await {
        let last = event.is_last();
        events.push(event);
        if last {
            break;
        }
    }
    events
}

/// Chunks are numbered without a gap, begin where the one before ended, and are the output.
pub fn add_up(events: &[Event], result: &ExecuteResult) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut streams = [Vec::new(), Vec::new()];
    let mut next = 0;
    for event in events {
        let Event::Output { seq, offset, stream, data } = event else { continue };
        let so_far = &mut streams[*stream as usize];
        if *seq != next || *offset != so_far.len() as u64 {
            wrong.push(format!("chunk {seq} at {offset}: expected {next} at {}", so_far.len()));
        }
        next += 1;
        so_far.extend_from_slice(data.as_bytes());
    }
    let captured = [Some(&result.output), result.stderr.as_ref()];
    for (got, wanted) in streams.iter().zip(captured) {
        let Some(wanted) = wanted else { continue };
        let agrees = if wanted.omitted_bytes() == 0 {
            *got == wanted.head
        } else {
            got.len() as u64 == wanted.total_bytes
                && got.starts_with(&wanted.head)
                && got.ends_with(&wanted.tail)
        };
        if !agrees {
            wrong.push(format!("the chunks {} are not the output", shown(got)));
        }
    }
    if !events.last().is_some_and(Event::is_last) {
        wrong.push("the events end without a last one".into());
    }
    wrong
}
