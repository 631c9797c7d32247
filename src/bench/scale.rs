//! How cost grows with the number of tasks in one process: all are started, used and retired.

use std::time::Instant;

use hexad_actors::Error;
use serde::Serialize;

use super::orphans::{self, Orphans};
use super::resources::Resources;
use super::run::{Plan, Screen, first_commands, name, release};
use super::times::Quantiles;
use crate::hexad::Hexad;

/// How many commands are on their way at once, at every size: what grows is the number of tasks.
const AT_ONCE: usize = 16;

/// One size.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct ScaleRow {
    pub(crate) tasks: usize,
    /// To start one, its first command included, with 16 starting at once.
    pub(crate) start_ms: f64,
    pub(crate) first_command: Quantiles,
    /// Growth of hexad through each.
    pub(crate) memory_kib: f64,
    pub(crate) descriptors: f64,
    /// A second command in each, 16 at once.
    pub(crate) answer: Quantiles,
    pub(crate) throughput: f64,
    /// To ask how all of them are.
    pub(crate) list_ms: f64,
    /// To release one, 16 at once.
    pub(crate) release_ms: f64,
    /// What memory of hexad is left of each once all are released.
    pub(crate) memory_kept_kib: f64,
    pub(crate) descriptors_kept: f64,
    /// Processes left behind.
    pub(crate) left: usize,
}

/// Runs one size in `hexad`, which should have run nothing before.
///
/// # Errors
/// A task could not be started, or a command in it did not run.
pub(crate) async fn scale(
    hexad: &Hexad,
    plan: &Plan,
    count: usize,
    screen: &Screen,
    orphans: &mut Orphans,
) -> Result<ScaleRow, Error> {
    // What the first ones allocate is the runtime's, not theirs.
    let first = name(hexad, plan, "first", AT_ONCE.min(count));
    first_commands(&first, AT_ONCE).await?;
    release(&first, orphans).await;
    let before = Resources::now(0.0);
    let tasks = name(hexad, plan, "scale", count);
    let of = count as f64;
    let mean = |since: Instant| since.elapsed().as_secs_f64() * 1e3 / of;

    screen(&format!("{count} tasks: starting"));
    let begun = Instant::now();
    let first_command = first_commands(&tasks, AT_ONCE).await?;
    let start_ms = mean(begun);
    let grown = Resources::now(0.0);

    screen(&format!("{count} tasks: a command in each"));
    let begun = Instant::now();
    let answer = first_commands(&tasks, AT_ONCE).await?;
    let throughput = of / begun.elapsed().as_secs_f64();
    let begun = Instant::now();
    let listed = hexad.list().await?.len();
    let list_ms = begun.elapsed().as_secs_f64() * 1e3;
    if listed < count {
        return Err(Error::Internal { message: format!("{listed} of {count} tasks are there") });
    }

    screen(&format!("{count} tasks: releasing"));
    let begun = Instant::now();
    release(&tasks, orphans).await;
    let release_ms = mean(begun);
    let kept = Resources::now(0.0);
    let probe = name(hexad, plan, "probe", 1).remove(0);
    let mut found = Orphans::default();
    orphans::left(plan.local, hexad, probe, "none", &mut found).await;
    orphans.left += found.left;
    orphans.zombies += found.zombies;
    orphans.examples.extend(found.examples);
    orphans.looked = found.looked;
    orphans.unknown = orphans.unknown.take().or(found.unknown);
    Ok(ScaleRow {
        tasks: count,
        start_ms,
        first_command,
        memory_kib: (grown.memory_kib - before.memory_kib).max(0.0) / of,
        descriptors: (grown.descriptors - before.descriptors).max(0.0) / of,
        answer,
        throughput,
        list_ms,
        release_ms,
        memory_kept_kib: (kept.memory_kib - before.memory_kib).max(0.0) / of,
        descriptors_kept: (kept.descriptors - before.descriptors).max(0.0) / of,
        left: found.left,
    })
}
