//! What a run came to, as it is written with `--json`. Times are milliseconds unless they say
//! otherwise.

use serde::Serialize;

use super::drift::Drift;
use super::machine::Machine;
use super::orphans::Orphans;
use super::resources::Resources;
use super::scale::ScaleRow;
use super::statistics::Totals;
use super::times::Quantiles;

/// The whole report.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Report {
    /// Of hexad.
    pub(crate) version: &'static str,
    pub(crate) machine: Machine,
    pub(crate) backend: String,
    /// What was asked for, in words.
    pub(crate) asked: String,
    pub(crate) seed: u64,
    pub(crate) tasks: usize,
    pub(crate) load: Option<LoadReport>,
    pub(crate) scale: Vec<ScaleRow>,
    /// What was looked at over the run: empty without `--soak`.
    pub(crate) drift: Vec<Drift>,
    pub(crate) orphans: Orphans,
    /// Why the run counts as failed; empty when it does not.
    pub(crate) failures: Vec<String>,
}

/// What the load came to.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct LoadReport {
    /// How long requests were sent, the warm-up left out.
    pub(crate) seconds: f64,
    /// Requests that were sent behind the warm-up.
    pub(crate) sent: u64,
    /// Requests that were due and not sent.
    pub(crate) not_sent: u64,
    /// Requests without an answer at the end.
    pub(crate) unanswered: u64,
    /// Right answers a second.
    pub(crate) throughput: f64,
    /// The first command of each task, which starts its environment.
    pub(crate) first_command: Quantiles,
    /// Growth of hexad's memory through its tasks, for each.
    pub(crate) memory_kib_per_task: f64,
    /// The same of its descriptors.
    pub(crate) descriptors_per_task: f64,
    /// Memory of what waits on this machine for the next command, for each task.
    pub(crate) target_memory_kib_per_task: Option<f64>,
    /// Commands that were begun.
    pub(crate) commands: u64,
    /// Those of them that found a shell that waited.
    pub(crate) from_spare: u64,
    /// The part that did, 0 to 1.
    pub(crate) spare_rate: f64,
    pub(crate) totals: Totals,
    pub(crate) resources: Vec<Resources>,
}
