//! How soon an answer comes when a command does not simply end. Absolute: what is measured is
//! our own delay, which should be small beside what a person notices.

use std::time::{Duration, Instant};

use hexad::{Execute, Outcome, Task};

use crate::Failure;
use crate::options::Options;
use crate::place::Place;
use crate::report::{Bar, Report};
use crate::sample::{Samples, execute, millis};

const PAUSE: Duration = Duration::from_millis(50);

/// A background process holds the output open; the answer does not wait for it.
pub(crate) async fn background(
    place: &Place,
    options: &Options,
    report: &mut Report,
) -> Result<(), Failure> {
    let row = "`sleep 30 &`, then return";
    if !options.wants(&[row]) {
        return Ok(());
    }
    let hexad = place.start(&[]).await?;
    let task = hexad.task("background");
    let mut ours = Samples::default();
    for _ in 0..options.rounds(50, 10) {
        execute(&task, "true").await?;
        tokio::time::sleep(PAUSE).await;
        ours.push(millis(execute(&task, "sleep 30 & pid=$!").await?));
        execute(&task, "kill \"$pid\"").await?;
    }
    report.absolute(row, "ms", ours, Bar::AtMost(20.0));
    Ok(hexad.shutdown().await?)
}

/// From the interrupt to the answer of the command.
pub(crate) async fn interrupt(
    place: &Place,
    options: &Options,
    report: &mut Report,
) -> Result<(), Failure> {
    let row = "interrupt of `sleep 30`, to the answer";
    if !options.wants(&[row]) {
        return Ok(());
    }
    let hexad = place.start(&[]).await?;
    let task = hexad.task("interrupt");
    let mut ours = Samples::default();
    for _ in 0..options.rounds(50, 10) {
        let runner = task.clone();
        let running = tokio::spawn(async move { runner.execute("sleep 30").await });
        tokio::time::sleep(PAUSE).await;
        let start = Instant::now();
        let found = task.interrupt().await?;
        let outcome = running.await??.outcome;
        ours.push(millis(start.elapsed()));
        if !found || !matches!(outcome, Outcome::Interrupted { .. }) {
            return Err(format!("an interrupted command ended with {outcome:?}").into());
        }
    }
    report.absolute(row, "ms", ours, Bar::AtMost(100.0));
    Ok(hexad.shutdown().await?)
}

/// How far the answer of a command that runs into its limit is over that limit.
pub(crate) async fn timeout(
    place: &Place,
    options: &Options,
    report: &mut Report,
) -> Result<(), Failure> {
    let row = "timeout of `sleep 30`, over the limit";
    if !options.wants(&[row]) {
        return Ok(());
    }
    let hexad = place.start(&[]).await?;
    let task = hexad.task("timeout");
    let mut ours = Samples::default();
    for _ in 0..options.rounds(30, 10) {
        ours.push(millis(overrun(&task, Duration::from_millis(100)).await?));
    }
    report.absolute(row, "ms", ours, Bar::AtMost(100.0));
    Ok(hexad.shutdown().await?)
}

async fn overrun(task: &Task, limit: Duration) -> Result<Duration, Failure> {
    let start = Instant::now();
    let outcome = task.execute(Execute::new("sleep 30").timeout(limit)).await?.outcome;
    let took = start.elapsed();
    if !matches!(outcome, Outcome::TimedOut { .. }) {
        return Err(format!("a command with a limit ended with {outcome:?}").into());
    }
    Ok(took.saturating_sub(limit))
}
