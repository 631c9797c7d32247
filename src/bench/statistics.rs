//! What came of the requests, added up as they end.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Serialize;

use super::times::{Bin, Quantiles, Times};
use super::work::Work;

/// One request that ended. Times count from the start of the load.
#[derive(Clone, Debug)]
pub(crate) struct Sample {
    /// Which entry of the mix.
    pub(crate) kind: usize,
    /// When it should have been sent; in closed loop, when it was.
    pub(crate) due: Duration,
    pub(crate) sent: Duration,
    /// When its command began.
    pub(crate) started: Option<Duration>,
    /// When the first of its output came.
    pub(crate) first_byte: Option<Duration>,
    pub(crate) interrupted: Option<Duration>,
    pub(crate) answered: Duration,
    pub(crate) bytes: u64,
    /// The outcome of its result; none of an error.
    pub(crate) outcome: Option<&'static str>,
    pub(crate) ended: Ended,
}

/// How it ended.
#[derive(Clone, Debug)]
pub(crate) enum Ended {
    /// As it had to.
    Right,
    /// With another result.
    Wrong(String),
    /// With an error instead of a result: its class and its text.
    Failed(&'static str, String),
}

/// Everything that is counted.
#[derive(Debug)]
pub(crate) struct Statistics {
    kinds: Vec<KindStatistics>,
    limits: Vec<Option<Duration>>,
    answer: Times,
    first_byte: Times,
    queue: Times,
    lateness: Times,
    overrun: Times,
    interrupt: Times,
    early: u64,
    bytes: u64,
    outcomes: BTreeMap<&'static str, u64>,
    errors: BTreeMap<&'static str, u64>,
    examples: Vec<String>,
    timeline: Timeline,
    /// Of what was answered since they were last taken.
    window: Times,
}

#[derive(Debug, Default)]
struct KindStatistics {
    name: String,
    share: f64,
    requests: u64,
    right: u64,
    wrong: u64,
    failed: u64,
    answer: Times,
    first_byte: Times,
}

/// One kind of command in the report.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct KindReport {
    pub(crate) name: String,
    /// What the mix asked for.
    pub(crate) share: f64,
    /// Answered requests.
    pub(crate) requests: u64,
    pub(crate) right: u64,
    pub(crate) wrong: u64,
    pub(crate) failed: u64,
    pub(crate) answer: Quantiles,
    pub(crate) first_byte: Quantiles,
}

/// All of it in the report. Times in milliseconds.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Totals {
    pub(crate) requests: u64,
    pub(crate) right: u64,
    pub(crate) wrong: u64,
    pub(crate) failed: u64,
    /// Results, by how their command ended.
    pub(crate) outcomes: BTreeMap<&'static str, u64>,
    /// Requests that failed, by class of error.
    pub(crate) errors: BTreeMap<&'static str, u64>,
    /// Some of what was wrong, in words.
    pub(crate) examples: Vec<String>,
    pub(crate) output_bytes: u64,
    /// From when a request was due to its answer.
    pub(crate) answer: Quantiles,
    /// From when a request was due to the first of its output, of those that print.
    pub(crate) first_byte: Quantiles,
    /// From when it was sent to when its command began.
    pub(crate) queue: Quantiles,
    /// From when it was due to when it was sent: how far the bench itself lagged behind.
    pub(crate) lateness: Quantiles,
    /// How far answers of commands with a limit were over it.
    pub(crate) overrun: Quantiles,
    /// Commands that were ended before their limit.
    pub(crate) early: u64,
    /// From an interrupt to the answer.
    pub(crate) interrupt: Quantiles,
    pub(crate) kinds: Vec<KindReport>,
    pub(crate) histogram: Vec<Bin>,
    pub(crate) timeline: Vec<Slice>,
}

/// What was answered in one stretch of time.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Slice {
    /// When it begins.
    pub(crate) seconds: f64,
    /// How long it is.
    pub(crate) width: f64,
    pub(crate) answered: u64,
    pub(crate) failed: u64,
    pub(crate) p50: f64,
    pub(crate) p99: f64,
    pub(crate) max: f64,
}

impl Statistics {
    /// `slice` is how long one stretch of the timeline is.
    pub(crate) fn new(works: &[Work], slice: Duration) -> Self {
        let kinds = works.iter().map(|work| KindStatistics {
            name: work.name.clone(),
            share: work.share,
            ..KindStatistics::default()
        });
        Self {
            kinds: kinds.collect(),
            limits: works.iter().map(|work| work.kind.limit()).collect(),
            answer: Times::default(),
            first_byte: Times::default(),
            queue: Times::default(),
            lateness: Times::default(),
            overrun: Times::default(),
            interrupt: Times::default(),
            early: 0,
            bytes: 0,
            outcomes: BTreeMap::new(),
            errors: BTreeMap::new(),
            examples: Vec::new(),
            timeline: Timeline::new(slice),
            window: Times::default(),
        }
    }

    pub(crate) fn add(&mut self, sample: &Sample) {
        let kind = &mut self.kinds[sample.kind];
        kind.requests += 1;
        let answer = sample.answered.saturating_sub(sample.due);
        let failed = !matches!(sample.ended, Ended::Right);
        self.timeline.add(sample.answered, answer, failed);
        match &sample.ended {
            Ended::Right => kind.right += 1,
            Ended::Wrong(what) => {
                kind.wrong += 1;
                example(&mut self.examples, &kind.name, what);
            }
            Ended::Failed(class, what) => {
                kind.failed += 1;
                *self.errors.entry(class).or_default() += 1;
                example(&mut self.examples, &kind.name, what);
                // A refusal is quick: it must not make the answers look better.
                return;
            }
        }
        if let Some(outcome) = sample.outcome {
            *self.outcomes.entry(outcome).or_default() += 1;
        }
        self.bytes += sample.bytes;
        kind.answer.add(answer);
        self.answer.add(answer);
        self.window.add(answer);
        self.lateness.add(sample.sent.saturating_sub(sample.due));
        if let Some(first) = sample.first_byte {
            kind.first_byte.add(first.saturating_sub(sample.due));
            self.first_byte.add(first.saturating_sub(sample.due));
        }
        if let Some(started) = sample.started {
            self.queue.add(started.saturating_sub(sample.sent));
            if let Some(limit) = self.limits[sample.kind] {
                let took = sample.answered.saturating_sub(started);
                self.overrun.add(took.saturating_sub(limit));
                self.early += u64::from(took < limit);
            }
        }
        if let Some(interrupted) = sample.interrupted {
            self.interrupt.add(sample.answered.saturating_sub(interrupted));
        }
    }

    /// Answered and failed requests, and the answers since this was last asked.
    pub(crate) fn look(&mut self) -> (u64, u64, Quantiles) {
        let count = |of: fn(&KindStatistics) -> u64| self.kinds.iter().map(of).sum();
        let window = std::mem::take(&mut self.window).quantiles();
        (count(|k| k.requests), count(|k| k.wrong + k.failed), window)
    }

    pub(crate) fn totals(mut self) -> Totals {
        self.timeline.close();
        let sum = |of: fn(&KindStatistics) -> u64| self.kinds.iter().map(of).sum();
        Totals {
            requests: sum(|k| k.requests),
            right: sum(|k| k.right),
            wrong: sum(|k| k.wrong),
            failed: sum(|k| k.failed),
            output_bytes: self.bytes,
            answer: self.answer.quantiles(),
            first_byte: self.first_byte.quantiles(),
            queue: self.queue.quantiles(),
            lateness: self.lateness.quantiles(),
            overrun: self.overrun.quantiles(),
            early: self.early,
            interrupt: self.interrupt.quantiles(),
            histogram: self.answer.bins(),
            kinds: self.kinds.iter().map(KindStatistics::report).collect(),
            outcomes: self.outcomes,
            errors: self.errors,
            examples: self.examples,
            timeline: self.timeline.slices,
        }
    }
}

impl KindStatistics {
    fn report(&self) -> KindReport {
        KindReport {
            name: self.name.clone(),
            share: self.share,
            requests: self.requests,
            right: self.right,
            wrong: self.wrong,
            failed: self.failed,
            answer: self.answer.quantiles(),
            first_byte: self.first_byte.quantiles(),
        }
    }
}

fn example(examples: &mut Vec<String>, kind: &str, what: &str) {
    if examples.len() < 10 {
        examples.push(format!("{kind}: {what}"));
    }
}

/// Stretches of equal length, by when requests were answered, each summed up once it is over.
#[derive(Debug)]
struct Timeline {
    width: Duration,
    open: (u32, Times, u64, u64),
    slices: Vec<Slice>,
}

impl Timeline {
    fn new(width: Duration) -> Self {
        Self { width, open: Default::default(), slices: Vec::new() }
    }

    fn add(&mut self, at: Duration, answer: Duration, failed: bool) {
        let number = (at.as_secs_f64() / self.width.as_secs_f64()) as u32;
        // Answers come in order but for the moment between a look at the clock and the lock.
        while self.open.0 < number {
            self.close();
        }
        let (_, times, answered, bad) = &mut self.open;
        times.add(answer);
        *answered += 1;
        *bad += u64::from(failed);
    }

    fn close(&mut self) {
        let next = self.open.0 + 1;
        let (number, times, answered, failed) =
            std::mem::replace(&mut self.open, (next, Times::default(), 0, 0));
        let (width, q) = (self.width.as_secs_f64(), times.quantiles());
        let seconds = f64::from(number) * width;
        let (p50, p99, max) = (q.p50, q.p99, q.max);
        self.slices.push(Slice { seconds, width, answered, failed, p50, p99, max });
    }
}

#[cfg(test)]
#[path = "statistics_tests.rs"]
mod tests;
