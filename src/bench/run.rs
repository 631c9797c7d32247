//! One run of load, from the first task to the last orphan.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use hexad_actors::Error;
use tokio::sync::{Notify, Semaphore};
use tokio::task::JoinSet;
use tokio::time::MissedTickBehavior;

use super::drift::{self, Drift, Tolerance};
use super::load::{Load, Pace, Shared, put};
use super::orphans::{self, Orphans};
use super::report::LoadReport;
use super::resources::{Resources, carrying};
use super::statistics::Statistics;
use super::times::{Quantiles, Times};
use super::work::Work;
use crate::hexad::{Hexad, Task};

/// How many tasks start at the same time.
const STARTS: usize = 16;
/// Slices of the timeline and samples of a run, at most.
const SAMPLES: f64 = 240.0;
/// Nothing is looked at more often than this.
const SHORTEST: Duration = Duration::from_millis(250);

/// What a run needs to know.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) works: Vec<Work>,
    pub(crate) tasks: usize,
    pub(crate) pace: Pace,
    pub(crate) warm_up: Duration,
    pub(crate) duration: Duration,
    pub(crate) seed: u64,
    pub(crate) profile: Option<String>,
    /// Whether the backend runs commands as processes of this machine.
    pub(crate) local: bool,
    pub(crate) soak: Option<Soak>,
}

/// What a soak run tolerates, as parts of where things began.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Soak {
    pub(crate) growth: f64,
    pub(crate) latency: f64,
}

/// Where a run says how it goes: one line, again and again.
pub(crate) type Screen = Arc<dyn Fn(&str) + Send + Sync>;

/// What came of it.
#[derive(Debug)]
pub(crate) struct Done {
    pub(crate) load: LoadReport,
    pub(crate) drift: Vec<Drift>,
    pub(crate) orphans: Orphans,
}

/// Runs it. `stop` ends the sending early; what was measured until then is reported.
///
/// # Errors
/// A task could not be started.
pub(crate) async fn run(
    hexad: &Hexad,
    plan: &Plan,
    screen: &Screen,
    stop: &Arc<Notify>,
) -> Result<Done, Error> {
    let nonce = uuid::Uuid::new_v4().simple().to_string();
    // What the first one allocates is the runtime's, not its own.
    let first = name(hexad, plan, "first", 1);
    screen("starting the first task");
    first_commands(&first, 1).await?;
    let mut orphans = Orphans::default();
    release(&first, &mut orphans).await;
    let before = Resources::now(0.0);
    let tasks = name(hexad, plan, "bench", plan.tasks);
    screen(&format!("starting {} tasks", tasks.len()));
    let first_command = first_commands(&tasks, STARTS).await?;
    // The shells that wait for the second commands are made meanwhile.
    tokio::time::sleep(Duration::from_millis(300)).await;
    let after = Resources::now(0.0);
    let mark = format!("HEXAD_MARK={}.", hexad.mark());
    let waiting = plan.local.then(|| carrying(&[mark]).iter().map(|f| f.memory_kib).sum::<u64>());
    let counted = spares(hexad).await?;

    let load = Load {
        works: plan.works.clone(),
        pace: plan.pace,
        warm_up: plan.warm_up,
        duration: plan.duration,
        seed: plan.seed,
        nonce: nonce.clone(),
    };
    let slice = Duration::from_secs_f64(plan.duration.as_secs_f64() / SAMPLES).max(SHORTEST);
    let shared = Shared::new(&load, slice);
    let looks = Looks::default();
    let watcher = Watcher {
        hexad: hexad.clone(),
        plan: plan.clone(),
        tasks: tasks.clone(),
        shared: Arc::clone(&shared),
        looks: Arc::clone(&looks),
    };
    let watcher = tokio::spawn(watcher.watch(slice, Arc::clone(screen), Arc::clone(stop)));
    let lasted = put(&load, &tasks, &shared).await;
    watcher.abort();
    let looks = looks.lock().unwrap_or_else(PoisonError::into_inner).clone();

    screen("counting what is left");
    let (commands, from_spare) = spares(hexad).await?;
    let (commands, from_spare) = (commands - counted.0, from_spare - counted.1);
    orphans::survivors(plan.local, &tasks, &nonce, &mut orphans).await;
    release(&tasks, &mut orphans).await;
    let probe = name(hexad, plan, "probe", 1).remove(0);
    orphans::left(plan.local, hexad, probe, &nonce, &mut orphans).await;

    let empty = Statistics::new(&plan.works, slice);
    let totals = std::mem::replace(&mut *shared.statistics(), empty).totals();
    let sent = shared.sent.load(Ordering::Relaxed);
    let count = plan.tasks as f64;
    let load = LoadReport {
        seconds: lasted.as_secs_f64(),
        sent,
        not_sent: shared.not_sent.load(Ordering::Relaxed),
        unanswered: sent.saturating_sub(totals.requests),
        throughput: totals.right as f64 / lasted.as_secs_f64().max(1e-9),
        first_command,
        memory_kib_per_task: (after.memory_kib - before.memory_kib).max(0.0) / count,
        descriptors_per_task: (after.descriptors - before.descriptors).max(0.0) / count,
        target_memory_kib_per_task: waiting.map(|kib| kib as f64 / count),
        commands,
        from_spare,
        spare_rate: from_spare as f64 / (commands as f64).max(1.0),
        totals,
        resources: looks.iter().map(|look| look.0).collect(),
    };
    let drift = plan.soak.map(|soak| drifts(&looks, soak)).unwrap_or_default();
    Ok(Done { load, drift, orphans })
}

pub(crate) fn name(hexad: &Hexad, plan: &Plan, prefix: &str, count: usize) -> Vec<Task> {
    let run = &uuid::Uuid::new_v4().simple().to_string()[..8];
    let task = |n| {
        let task = hexad.task(format!("{prefix}-{run}-{n}"));
        match &plan.profile {
            Some(profile) => task.profile(profile),
            None => task,
        }
    };
    (0..count).map(task).collect()
}

/// Runs the first command of every task, `at_once` of them at a time.
///
/// # Errors
/// The first that could not be started.
pub(crate) async fn first_commands(tasks: &[Task], at_once: usize) -> Result<Quantiles, Error> {
    let mut times = Times::default();
    for took in each(tasks, at_once, |task| async move {
        let begun = Instant::now();
        let result = task.execute(":").await?;
        match result.returncode() {
            0 => Ok(begun.elapsed()),
            code => Err(Error::Internal {
                message: format!(
                    "the first command of a task ended with {code}: {}",
                    result.text()
                ),
            }),
        }
    })
    .await
    {
        times.add(took?);
    }
    Ok(times.quantiles())
}

/// Does something with every task, `at_once` of them at a time.
pub(crate) async fn each<T, F>(tasks: &[Task], at_once: usize, act: impl Fn(Task) -> F) -> Vec<T>
where
    T: Send + 'static,
    F: Future<Output = T> + Send + 'static,
{
    let turns = Arc::new(Semaphore::new(at_once));
    let mut acting = JoinSet::new();
    let mut done = Vec::new();
    for task in tasks {
        // Never closed, so there is always a turn to wait for.
        let turn = Arc::clone(&turns).acquire_owned().await;
        let acted = act(task.clone());
        acting.spawn(async move {
            let result = acted.await;
            drop(turn);
            result
        });
        while let Some(result) = acting.try_join_next() {
            done.extend(result);
        }
    }
    while let Some(result) = acting.join_next().await {
        done.extend(result);
    }
    done
}

/// Lets every task go. What could not be is told with the orphans.
pub(crate) async fn release(tasks: &[Task], orphans: &mut Orphans) {
    for released in each(tasks, STARTS, |task| async move { task.release().await }).await {
        if let Err(error) = released {
            orphans.unknown = Some(format!("a task was not released: {error}"));
        }
    }
}

/// Commands that were begun, and those that found a spare.
async fn spares(hexad: &Hexad) -> Result<(u64, u64), Error> {
    let list = hexad.list().await?;
    Ok(list.iter().fold((0, 0), |sum, s| (sum.0 + s.commands, sum.1 + s.from_spare)))
}

/// Looks at the resources and at the answers since the look before.
type Looks = Arc<Mutex<Vec<(Resources, Quantiles)>>>;

/// What a watcher looks at.
struct Watcher {
    hexad: Hexad,
    plan: Plan,
    tasks: Vec<Task>,
    shared: Arc<Shared>,
    looks: Looks,
}

impl Watcher {
    /// Looks every so often, tells `screen`, and ends the sending when asked to.
    async fn watch(self, every: Duration, screen: Screen, stop: Arc<Notify>) {
        let start = Instant::now();
        let mut ticks = tokio::time::interval(every);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
        loop {
            tokio::select! {
                _ = ticks.tick() => {}
                () = stop.notified() => {
                    screen("stopping: waiting for the last answers");
                    self.shared.stop();
                    continue;
                }
            }
            let seconds = start.elapsed().as_secs_f64() - self.plan.warm_up.as_secs_f64();
            if seconds < 0.0 {
                screen("warming up");
                continue;
            }
            let mut now = Resources::now(seconds);
            if self.plan.soak.is_some() {
                now.processes = orphans::processes(self.plan.local, &self.hexad, &self.tasks).await;
            }
            let sent = self.shared.sent.load(Ordering::Relaxed);
            let (answered, bad, window) = self.shared.statistics().look();
            screen(&format!(
                "{seconds:.0} of {:.0} s: {sent} sent, {} on their way, {bad} bad; the last {}: \
                 p50 {:.2} ms, p99 {:.2} ms; {:.0} MiB",
                self.plan.duration.as_secs_f64(),
                sent.saturating_sub(answered),
                window.count,
                window.p50,
                window.p99,
                now.memory_kib / 1024.0,
            ));
            self.looks.lock().unwrap_or_else(PoisonError::into_inner).push((now, window));
        }
    }
}

fn drifts(looks: &[(Resources, Quantiles)], soak: Soak) -> Vec<Drift> {
    type Of = fn(&(Resources, Quantiles)) -> Option<f64>;
    let growth = |least| Tolerance { part: soak.growth, least };
    let latency = |least| Tolerance { part: soak.latency, least };
    let series: [(&str, &'static str, Of, Tolerance); 6] = [
        ("memory of hexad", "KiB", |l| Some(l.0.memory_kib), growth(8192.0)),
        ("descriptors of hexad", "", |l| Some(l.0.descriptors), growth(8.0)),
        ("threads of hexad", "", |l| Some(l.0.threads), growth(8.0)),
        ("processes on the target", "", |l| l.0.processes, growth(4.0)),
        ("median answer", "ms", |l| (l.1.count > 0).then_some(l.1.p50), latency(5.0)),
        ("p90 answer", "ms", |l| (l.1.count > 0).then_some(l.1.p90), latency(50.0)),
    ];
    let series = series.into_iter().map(|(what, unit, of, tolerance)| {
        let points: Vec<(f64, f64)> =
            looks.iter().filter_map(|look| Some((look.0.seconds, of(look)?))).collect();
        drift::look(what, unit, &points, tolerance)
    });
    series.collect()
}
