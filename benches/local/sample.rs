//! Measuring contenders by turns, and what the numbers come to.

use std::future::Future;
use std::pin::Pin;
use std::time::{Duration, Instant};

use hexad::Task;

use crate::Failure;

/// One measurement under way.
type Measurement<'a> = Pin<Box<dyn Future<Output = Result<Duration, Failure>> + Send + 'a>>;
/// Something that can be measured again and again.
pub(crate) type Contender<'a> = Box<dyn FnMut() -> Measurement<'a> + Send + 'a>;

/// Measurements of one contender.
#[derive(Clone, Debug, Default)]
pub(crate) struct Samples(Vec<f64>);

impl Samples {
    pub(crate) fn push(&mut self, value: f64) {
        self.0.push(value);
    }

    pub(crate) fn median(&self) -> f64 {
        self.quantile(0.5)
    }

    pub(crate) fn p90(&self) -> f64 {
        self.quantile(0.9)
    }

    /// The nearest rank; 0 without measurements.
    fn quantile(&self, part: f64) -> f64 {
        let mut sorted = self.0.clone();
        sorted.sort_by(f64::total_cmp);
        let last = sorted.len().saturating_sub(1);
        sorted.get((last as f64 * part).round() as usize).copied().unwrap_or(0.0)
    }
}

/// Measures each contender once a round, in milliseconds, after a pause each time. The first to
/// be measured changes from round to round. A tenth as many rounds go before and do not count.
pub(crate) async fn by_turns<const N: usize>(
    rounds: usize,
    pause: Duration,
    mut contenders: [Contender<'_>; N],
) -> Result<[Samples; N], Failure> {
    let mut samples = [const { Samples(Vec::new()) }; N];
    let warm_up = (rounds / 10).max(1);
    for round in 0..warm_up + rounds {
        for turn in 0..N {
            let at = (round + turn) % N;
            if !pause.is_zero() {
                tokio::time::sleep(pause).await;
            }
            let took = contenders[at]().await?;
            if round >= warm_up {
                samples[at].push(millis(took));
            }
        }
    }
    Ok(samples)
}

pub(crate) fn millis(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e3
}

/// Runs a command that must succeed; gives the time from the message to the reply.
pub(crate) async fn execute(task: &Task, command: &str) -> Result<Duration, Failure> {
    let start = Instant::now();
    let result = task.execute(command).await?;
    let took = start.elapsed();
    match result.returncode() {
        0 => Ok(took),
        code => Err(format!("{command:?} ended with {code}: {}", result.text()).into()),
    }
}

/// The same as something to measure again and again.
pub(crate) fn contender<'a>(task: &'a Task, command: &'a str) -> Contender<'a> {
    Box::new(move || Box::pin(execute(task, command)))
}
