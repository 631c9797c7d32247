//! Many tasks at once, against as many bare shells at once.

use std::future::Future;
use std::sync::Arc;
use std::time::{Duration, Instant};

use hexad::{Hexad, Task};
use tokio::task::JoinSet;

use crate::Failure;
use crate::options::Options;
use crate::place::Place;
use crate::reference::{self, PLAIN};
use crate::report::{Bar, Report};
use crate::sample::{Samples, execute};

const TASKS: usize = 256;
const REFERENCE: &str = "`bash -c true`, as many at once";

/// Every task runs one command after the other: the rate that can be kept up.
pub(crate) async fn sustained(
    place: &Place,
    options: &Options,
    report: &mut Report,
) -> Result<(), Failure> {
    let row = "256 tasks at once: `true` again and again";
    if !options.wants(&[row]) {
        return Ok(());
    }
    let each = 4;
    let (ours, theirs) = rates(place, options, each, Duration::ZERO).await?;
    report.compare(row, "/s", &ours, (REFERENCE, &theirs), Bar::AtLeast(0.8));
    Ok(())
}

/// Every task runs one command after a pause: what a burst meets whose shells are ready.
pub(crate) async fn burst(
    place: &Place,
    options: &Options,
    report: &mut Report,
) -> Result<(), Failure> {
    let row = "256 tasks at once: `true` once, spares ready";
    if !options.wants(&[row]) {
        return Ok(());
    }
    let (ours, theirs) = rates(place, options, 1, Duration::from_secs(2)).await?;
    report.compare(row, "/s", &ours, (REFERENCE, &theirs), Bar::AtLeast(0.8));
    Ok(())
}

async fn rates(
    place: &Place,
    options: &Options,
    each: usize,
    pause: Duration,
) -> Result<(Samples, Samples), Failure> {
    let hexad = place.start(&[]).await?;
    let tasks = tasks(&hexad).await?;
    let place = Arc::new(Place::new()?);
    let (mut ours, mut theirs) = (Samples::default(), Samples::default());
    for _ in 0..options.rounds(9, 3) {
        tokio::time::sleep(pause.max(Duration::from_millis(500))).await;
        let tasks = &tasks;
        ours.push(rate(each, |n| run(tasks[n].clone(), each)).await?);
        tokio::time::sleep(Duration::from_secs(1)).await;
        theirs.push(rate(each, |_| spawn(Arc::clone(&place), each)).await?);
    }
    hexad.shutdown().await?;
    Ok((ours, theirs))
}

/// Environments that have run their first command.
async fn tasks(hexad: &Hexad) -> Result<Vec<Task>, Failure> {
    let mut tasks = Vec::new();
    for n in 0..TASKS {
        let task = hexad.task(format!("load-{n}"));
        execute(&task, "true").await?;
        tasks.push(task);
    }
    Ok(tasks)
}

async fn run(task: Task, each: usize) -> Result<(), Failure> {
    for _ in 0..each {
        execute(&task, "true").await?;
    }
    Ok(())
}

async fn spawn(place: Arc<Place>, each: usize) -> Result<(), Failure> {
    for _ in 0..each {
        reference::bash(&place, PLAIN).await?;
    }
    Ok(())
}

/// Commands a second when all workers start together, until the last one is done.
async fn rate<F>(each: usize, worker: impl Fn(usize) -> F) -> Result<f64, Failure>
where
    F: Future<Output = Result<(), Failure>> + Send + 'static,
{
    let mut workers = JoinSet::new();
    let start = Instant::now();
    for n in 0..TASKS {
        workers.spawn(worker(n));
    }
    while let Some(done) = workers.join_next().await {
        done??;
    }
    Ok((TASKS * each) as f64 / start.elapsed().as_secs_f64())
}
