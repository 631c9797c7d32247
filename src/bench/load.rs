//! Puts load on tasks: at a fixed rate whatever the answers do (open loop), or with a fixed number
//! of callers who each wait for their answer (closed loop).

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use hexad_actors::{Event, Execute};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use super::random::Random;
use super::schedule::{Arrivals, Picker, Schedule};
use super::statistics::{Ended, Sample, Statistics};
use super::work::{Kind, Work};
use crate::hexad::Task;

/// Requests that may be on their way at once in open loop; what is due beyond that is not sent.
const IN_FLIGHT: u32 = 65_536;
/// How long the last answers may take once nothing more is sent. Commands have limits of their own.
const DRAIN: Duration = Duration::from_secs(700);
/// A sleeping dispatcher looks this often whether it should stop.
const GLANCE: Duration = Duration::from_millis(100);

/// How requests follow each other.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Pace {
    /// This many a second.
    Open { rate: f64, arrivals: Arrivals },
    /// This many callers, each of which pauses between an answer and its next request.
    Closed { callers: usize, think: Duration },
}

/// The load to put.
#[derive(Debug)]
pub(crate) struct Load {
    pub(crate) works: Vec<Work>,
    pub(crate) pace: Pace,
    pub(crate) warm_up: Duration,
    pub(crate) duration: Duration,
    pub(crate) seed: u64,
    /// Marks the processes of this run.
    pub(crate) nonce: String,
}

/// What the drivers share.
pub(crate) struct Shared {
    prepared: Vec<(Kind, Execute)>,
    warm_up: Duration,
    statistics: Mutex<Statistics>,
    stop: AtomicBool,
    /// Requests that were due behind the warm-up and sent.
    pub(crate) sent: AtomicU64,
    /// Requests that were due and not sent, because too many were on their way.
    pub(crate) not_sent: AtomicU64,
}

impl Shared {
    pub(crate) fn new(load: &Load, slice: Duration) -> Arc<Self> {
        let prepare = |work: &Work| (work.kind.clone(), work.kind.request(&load.nonce));
        Arc::new(Self {
            prepared: load.works.iter().map(prepare).collect(),
            warm_up: load.warm_up,
            statistics: Mutex::new(Statistics::new(&load.works, slice)),
            stop: AtomicBool::new(false),
            sent: AtomicU64::new(0),
            not_sent: AtomicU64::new(0),
        })
    }

    pub(crate) fn statistics(&self) -> MutexGuard<'_, Statistics> {
        self.statistics.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends nothing more.
    pub(crate) fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    fn record(&self, mut sample: Sample) {
        // The warm-up counts for nothing; what is due behind it counts from its end.
        if sample.due < self.warm_up {
            return;
        }
        let w = self.warm_up;
        for time in [&mut sample.due, &mut sample.sent, &mut sample.answered] {
            *time = time.saturating_sub(w);
        }
        for time in [&mut sample.started, &mut sample.first_byte, &mut sample.interrupted]
            .into_iter()
            .flatten()
        {
            *time = time.saturating_sub(w);
        }
        self.statistics().add(&sample);
    }
}

/// Puts the load, and waits for the last answer. Gives how long it was from the end of the warm-up
/// until nothing more was sent.
pub(crate) async fn put(load: &Load, tasks: &[Task], shared: &Arc<Shared>) -> Duration {
    let start = Instant::now();
    match load.pace {
        Pace::Open { rate, arrivals } => {
            open(load, (rate, arrivals), tasks.to_vec(), start, shared).await
        }
        Pace::Closed { callers, think } => {
            closed(load, callers, think, tasks, start, shared).await;
            start.elapsed().saturating_sub(load.warm_up)
        }
    }
}

async fn open(
    load: &Load,
    pace: (f64, Arrivals),
    tasks: Vec<Task>,
    start: Instant,
    shared: &Arc<Shared>,
) -> Duration {
    let schedule = Schedule::new(&load.works, pace, tasks.len(), load.seed);
    let until = load.warm_up + load.duration;
    let room = Arc::new(Semaphore::new(IN_FLIGHT as usize));
    let runtime = tokio::runtime::Handle::current();
    let (of_dispatcher, places) = (Arc::clone(shared), Arc::clone(&room));
    // A thread of its own: the timers of the runtime tick in milliseconds and wait for its workers.
    let dispatcher = tokio::task::spawn_blocking(move || {
        for arrival in schedule.take_while(|arrival| arrival.due < until) {
            if !sleep_until(start + arrival.due, &of_dispatcher) {
                break;
            }
            let counts = u64::from(arrival.due >= of_dispatcher.warm_up);
            let Ok(place) = Arc::clone(&places).try_acquire_owned() else {
                of_dispatcher.not_sent.fetch_add(counts, Ordering::Relaxed);
                continue;
            };
            of_dispatcher.sent.fetch_add(counts, Ordering::Relaxed);
            let (task, shared) = (tasks[arrival.task].clone(), Arc::clone(&of_dispatcher));
            runtime.spawn(async move {
                let sample = request(&task, &shared, arrival.kind, start, arrival.due).await;
                shared.record(sample);
                drop(place);
            });
        }
    });
    let _ = dispatcher.await;
    let lasted = start.elapsed().min(until).saturating_sub(load.warm_up);
    // All places free again: everything was answered. Otherwise the report says what was not.
    let _ = tokio::time::timeout(DRAIN, room.acquire_many(IN_FLIGHT)).await;
    lasted
}

/// Whether the moment was reached, and not a stop.
fn sleep_until(moment: Instant, shared: &Shared) -> bool {
    loop {
        if shared.stopped() {
            return false;
        }
        let left = moment.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return true;
        }
        std::thread::sleep(left.min(GLANCE));
    }
}

async fn closed(
    load: &Load,
    callers: usize,
    think: Duration,
    tasks: &[Task],
    start: Instant,
    shared: &Arc<Shared>,
) {
    let until = load.warm_up + load.duration;
    let mut random = Random::new(load.seed);
    let picker = Arc::new(Mutex::new(Picker::new(&load.works, &mut random)));
    let mut running = JoinSet::new();
    for caller in 0..callers {
        // More callers than tasks share them; fewer take turns on several.
        let own: Vec<Task> = if callers >= tasks.len() {
            vec![tasks[caller % tasks.len()].clone()]
        } else {
            tasks.iter().skip(caller).step_by(callers).cloned().collect()
        };
        let (shared, picker) = (Arc::clone(shared), Arc::clone(&picker));
        running.spawn(async move {
            for task in own.iter().cycle() {
                let due = start.elapsed();
                if due >= until || shared.stopped() {
                    return;
                }
                let kind = picker.lock().unwrap_or_else(PoisonError::into_inner).next();
                let counts = u64::from(due >= shared.warm_up);
                shared.sent.fetch_add(counts, Ordering::Relaxed);
                let sample = request(task, &shared, kind, start, due).await;
                shared.record(sample);
                if !think.is_zero() {
                    tokio::time::sleep(think).await;
                }
            }
        });
    }
    while running.join_next().await.is_some() {}
}

/// Sends one request and follows it to its end.
async fn request(
    task: &Task,
    shared: &Shared,
    number: usize,
    start: Instant,
    due: Duration,
) -> Sample {
    let (kind, request) = &shared.prepared[number];
    let sent = start.elapsed();
    let mut events = task.stream(request.clone());
    let (mut started, mut first_byte) = (None, None);
    let mut interrupter = None;
    let ended = loop {
        match events.next().await {
            Some(Event::Started { .. }) => {
                started.get_or_insert_with(|| start.elapsed());
                if let (Some(after), None) = (kind.interrupt_after(), &interrupter) {
                    interrupter = Some(tokio::spawn(interrupt(task.clone(), after, start)));
                }
            }
            Some(Event::Output { .. }) => {
                first_byte.get_or_insert_with(|| start.elapsed());
            }
            Some(Event::Finished(result)) => break Ok(result),
            Some(Event::Failed(error)) => break Err((error.code(), error.to_string())),
            Some(_) => {}
            None => break Err(("internal", "the events ended without a result".to_owned())),
        }
    };
    let answered = start.elapsed();
    let mut interrupted = None;
    if let Some(interrupter) = interrupter {
        // One that has not asked yet must not hit the next command.
        interrupter.abort();
        interrupted = interrupter.await.ok();
    }
    let (mut bytes, mut outcome) = (0, None);
    let ended = match ended {
        Ok(result) => {
            bytes = result.output.total_bytes;
            outcome = Some(result.outcome.as_str());
            match kind.check(&result) {
                Ok(()) => Ended::Right,
                Err(what) => Ended::Wrong(what),
            }
        }
        Err((class, text)) => Ended::Failed(class, text),
    };
    Sample {
        kind: number,
        due,
        sent,
        started,
        first_byte,
        interrupted,
        answered,
        bytes,
        outcome,
        ended,
    }
}

/// Interrupts what runs in `task` after a while; gives when it asked.
async fn interrupt(task: Task, after: Duration, start: Instant) -> Duration {
    tokio::time::sleep(after).await;
    let asked = start.elapsed();
    // What comes of it shows in the result of the command.
    let _ = task.interrupt().await;
    asked
}
