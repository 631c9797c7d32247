//! A whole runtime on fakes. Nothing here touches the machine: commands run in a shell that is
//! played by a task, and time is tokio's paused clock, so a settled runtime jumps ahead.

mod backend;
mod process;
mod script;
mod shell;
mod store;

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use hexad_actors::backend::StopMode;
use hexad_actors::shell::ShellState;
use hexad_actors::{
    Answer, Chosen, EnvironmentStatus, Error, Event, Execute, ExecuteResult, InterruptCause,
    Provider, Reply, RuntimeArguments, Settings, Slow, Subscriber, SupervisorMessage, TaskId,
    start,
};
use ractor::ActorRef;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::sleep;

pub(crate) use self::backend::{Act, FakeBackend, refused};
pub(crate) use self::store::FakeStore;

/// Gives each task a backend of its own, the same one each time.
#[derive(Default)]
pub(crate) struct World {
    backends: Mutex<HashMap<String, Arc<FakeBackend>>>,
    pub(crate) timeout: Mutex<Option<Duration>>,
    pub(crate) idle_lifetime: Mutex<Option<Duration>>,
    pub(crate) sweeps: AtomicUsize,
    pub(crate) chosen: AtomicUsize,
}

impl World {
    pub(crate) fn backend(&self, task: &str) -> Arc<FakeBackend> {
        let mut backends = self.backends.lock().unwrap();
        Arc::clone(
            backends.entry(task.to_owned()).or_insert_with(|| Arc::new(FakeBackend::new("fake"))),
        )
    }
}

struct FakeProvider(Arc<World>);

#[async_trait]
impl Provider for FakeProvider {
    fn choose(&self, task: &TaskId, profile: Option<&str>) -> Result<Chosen, Error> {
        let profile = profile.unwrap_or("default");
        if profile == "unknown" {
            return Err(Error::invalid("there is no profile unknown"));
        }
        self.0.chosen.fetch_add(1, Ordering::SeqCst);
        Ok(Chosen {
            profile: profile.to_owned(),
            backend: self.0.backend(task.as_str()),
            timeout: *self.0.timeout.lock().unwrap(),
            idle_lifetime: *self.0.idle_lifetime.lock().unwrap(),
        })
    }

    async fn sweep(&self) -> Vec<String> {
        self.0.sweeps.fetch_add(1, Ordering::SeqCst);
        Vec::new()
    }
}

/// A running runtime and the fakes under it.
pub(crate) struct Runtime {
    pub(crate) supervisor: ActorRef<SupervisorMessage>,
    pub(crate) ended: JoinHandle<()>,
    pub(crate) world: Arc<World>,
    pub(crate) store: Arc<FakeStore>,
}

/// A runtime without spares, which most tests want; otherwise the defaults.
pub(crate) async fn runtime() -> Runtime {
    runtime_with(|settings| settings.spares = 0).await
}

pub(crate) async fn runtime_with(change: impl FnOnce(&mut Settings)) -> Runtime {
    let mut settings = Settings::default();
    change(&mut settings);
    let (world, store) = (Arc::<World>::default(), Arc::<FakeStore>::default());
    let (supervisor, ended) = start(RuntimeArguments {
        provider: Arc::new(FakeProvider(Arc::clone(&world))),
        store: Arc::new(store::Shared(Arc::clone(&store))),
        settings,
        mark: "test".into(),
        outer_mark: None,
    })
    .await
    .expect("a supervisor starts");
    Runtime { supervisor, ended, world, store }
}

pub(crate) fn task(text: &str) -> TaskId {
    TaskId::new(text).expect("a task id")
}

impl Runtime {
    pub(crate) fn backend(&self, task: &str) -> Arc<FakeBackend> {
        self.world.backend(task)
    }

    /// Sends a message; the answer can be waited for.
    pub(crate) fn ask<T>(&self, message: impl FnOnce(Reply<T>) -> SupervisorMessage) -> Answer<T> {
        let (reply, answer) = Reply::new();
        // A runtime that has ended drops the message, which answers.
        let _ = self.supervisor.cast(message(reply));
        answer
    }

    pub(crate) fn send(&self, name: &str, request: impl Into<Execute>) -> Answer<ExecuteResult> {
        let (task, request) = (task(name), Box::new(request.into()));
        self.ask(|reply| SupervisorMessage::Execute { task, request, reply })
    }

    pub(crate) async fn run(&self, task: &str, request: impl Into<Execute>) -> ExecuteResult {
        self.send(task, request).wait().await.expect("a result")
    }

    pub(crate) async fn interrupt(&self, name: &str, id: Option<&str>) -> bool {
        let (task, id) = (task(name), id.map(String::from));
        let cause = InterruptCause::User;
        self.ask(|reply| SupervisorMessage::Interrupt { task, id, cause, reply })
            .wait()
            .await
            .expect("an interrupt is answered")
    }

    pub(crate) async fn status(&self, name: &str) -> Option<EnvironmentStatus> {
        let task = task(name);
        self.ask(|reply| SupervisorMessage::Status { task, reply }).wait().await.expect("a status")
    }

    /// For an environment that may not live to answer.
    pub(crate) fn ask_status(&self, name: &str) -> Answer<Option<EnvironmentStatus>> {
        let task = task(name);
        self.ask(|reply| SupervisorMessage::Status { task, reply })
    }

    pub(crate) async fn phase(&self, name: &str) -> &'static str {
        self.status(name).await.map_or("none", |s| s.phase)
    }

    pub(crate) async fn state(&self, name: &str) -> Option<Arc<ShellState>> {
        let task = task(name);
        self.ask(|reply| SupervisorMessage::State { task, reply }).wait().await.expect("a state")
    }

    pub(crate) fn release(&self, name: &str) -> Answer<()> {
        let (task, mode) = (task(name), StopMode::Destroy);
        self.ask(|reply| SupervisorMessage::Release { task, profile: None, mode, reply })
    }

    pub(crate) fn shutdown(&self) -> Answer<()> {
        self.ask(|reply| SupervisorMessage::Shutdown { reply })
    }

    pub(crate) async fn list(&self) -> Vec<EnvironmentStatus> {
        self.ask(|reply| SupervisorMessage::List { reply }).wait().await.expect("a list")
    }
}

/// Lets everything that can happen now happen.
pub(crate) async fn settle() {
    sleep(Duration::from_millis(1)).await;
}

/// Whether an answer came within a moment.
pub(crate) async fn at_once<T>(answer: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_millis(5), answer).await.expect("an answer at once")
}

pub(crate) fn has_notice(result: &ExecuteResult, code: &str) -> bool {
    result.notices.iter().any(|n| n.code == code)
}

/// Watches a request.
pub(crate) fn watched(
    request: impl Into<Execute>,
    capacity: usize,
    slow: Slow,
) -> (Execute, mpsc::Receiver<Event>) {
    let (sender, events) = mpsc::channel(capacity);
    let mut request = request.into();
    request.subscriber = Some(Subscriber { sender, slow });
    (request, events)
}

/// Reads events up to the last one.
pub(crate) async fn all_events(events: &mut mpsc::Receiver<Event>) -> Vec<Event> {
    let mut all = Vec::new();
    while let Some(event) = events.recv().await {
        let last = event.is_last();
        all.push(event);
        if last {
            break;
        }
    }
    all
}
