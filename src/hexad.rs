//! The library's front door.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use hexad_actors::backend::StopMode;
use hexad_actors::shell::ShellState;
use hexad_actors::{
    EnvironmentStatus, Error, Event, Execute, ExecuteResult, InterruptCause, NoStore, Reply,
    RuntimeArguments, Slow, StateStore, Subscriber, SupervisorMessage, TaskId,
};
use ractor::ActorRef;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use crate::backend::{Backends, RuntimeFacts};
use crate::config::Config;
use crate::host::Host;
use crate::owner::Owners;
use crate::store::FileStore;

/// A running hexad. Cheap to clone; the last clone that is dropped without
/// [`shutdown`](Hexad::shutdown) ends what it left running, without grace.
#[derive(Clone, Debug)]
pub struct Hexad(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    supervisor: ActorRef<SupervisorMessage>,
    handle: std::sync::Mutex<Option<JoinHandle<()>>>,
    owners: Option<Arc<Owners>>,
    mark: String,
    state_folder: PathBuf,
}

/// How to start a hexad; made with [`Hexad::builder`].
#[derive(Debug)]
pub struct Builder {
    config: Config,
    host: Option<Host>,
    persist: Persist,
}

/// Whether shell states outlive the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Persist {
    No,
    Yes { patience: Option<Duration> },
}

impl Builder {
    /// Uses these surroundings instead of those of the process, for programs that read their
    /// environment before.
    #[must_use]
    pub fn host(mut self, host: Host) -> Self {
        self.host = Some(host);
        self
    }

    /// Saves the shell state of every task, 0600 in the state folder, and goes on from it after a
    /// restart. `patience` is how long to wait for a task that another process uses; none waits
    /// as long as it takes.
    #[must_use]
    pub fn persist(mut self, patience: Option<Duration>) -> Self {
        self.persist = Persist::Yes { patience };
        self
    }

    /// Starts the runtime on the current tokio runtime.
    ///
    /// # Errors
    /// [`Error::Internal`] when the state folder cannot be used or the actors cannot be started.
    pub async fn start(self) -> Result<Hexad, Error> {
        let host = Arc::new(self.host.unwrap_or_else(Host::current));
        let mark = uuid::Uuid::new_v4().simple().to_string()[..16].to_owned();
        let folder = host.state_folder();
        let owners = Owners::register(&folder, &mark).map_err(|error| {
            Error::internal(format!(
                "the state folder {} cannot be used: {error}; set HEXAD_STATE_DIR to a folder of \
                 your own",
                folder.display()
            ))
        })?;
        let owners = Some(Arc::new(owners));
        let store: Arc<dyn StateStore> = match self.persist {
            Persist::No => Arc::new(NoStore),
            Persist::Yes { patience } => Arc::new(FileStore::new(&folder, patience)),
        };
        let outer_mark = host
            .var(hexad_actors::shell::options::MARK_VARIABLE)
            .and_then(|mark| mark.to_str())
            .map(str::to_owned);
        let facts =
            RuntimeFacts { mark: &mark, keeps_state: matches!(self.persist, Persist::Yes { .. }) };
        let backends = Backends::new(&self.config, &host, owners.clone(), facts);
        let arguments = RuntimeArguments {
            provider: Arc::new(backends),
            store,
            settings: self.config.settings.clone(),
            mark: mark.clone(),
            outer_mark,
        };
        let (supervisor, handle) = hexad_actors::start(arguments).await?;
        let handle = std::sync::Mutex::new(Some(handle));
        Ok(Hexad(Arc::new(Inner { supervisor, handle, owners, mark, state_folder: folder })))
    }
}

impl Hexad {
    /// Starts with `config`, in the surroundings of this process, keeping no state on disk.
    ///
    /// # Errors
    /// See [`Builder::start`].
    pub async fn start(config: Config) -> Result<Self, Error> {
        Self::builder(config).start().await
    }

    /// To start with more than a configuration.
    #[must_use]
    pub fn builder(config: Config) -> Builder {
        Builder { config, host: None, persist: Persist::No }
    }

    /// A handle for a task; nothing is made before its first command.
    ///
    /// A bad id is reported by the calls on the handle.
    #[must_use]
    pub fn task(&self, id: impl AsRef<str>) -> Task {
        Task { hexad: self.clone(), id: TaskId::new(id), profile: None }
    }

    /// The supervisor, for those who send messages themselves.
    #[must_use]
    pub fn supervisor(&self) -> ActorRef<SupervisorMessage> {
        self.0.supervisor.clone()
    }

    /// Where a request may keep its whole output ([`Execute::spill`]); files there stay for a day.
    #[must_use]
    pub fn spill_folder(&self) -> PathBuf {
        self.0.state_folder.join(crate::owner::SPILLS)
    }

    /// What the marks of this runtime's processes begin with.
    #[cfg(feature = "bench")]
    pub(crate) fn mark(&self) -> &str {
        &self.0.mark
    }

    /// How every environment is.
    ///
    /// # Errors
    /// The runtime has stopped.
    pub async fn list(&self) -> Result<Vec<EnvironmentStatus>, Error> {
        self.ask(|reply| SupervisorMessage::List { reply }).await
    }

    /// Ends everything, lets every environment go (data is kept where the backend can) and stops.
    ///
    /// # Errors
    /// The runtime had stopped before.
    pub async fn shutdown(&self) -> Result<(), Error> {
        let answer = self.ask(|reply| SupervisorMessage::Shutdown { reply }).await;
        let handle = self.0.handle.lock().unwrap_or_else(std::sync::PoisonError::into_inner).take();
        if let Some(handle) = handle {
            let _ = handle.await;
        }
        if let (Ok(()), Some(owners)) = (&answer, &self.0.owners) {
            owners.resign();
        }
        answer
    }

    async fn ask<T>(
        &self,
        message: impl FnOnce(Reply<T>) -> SupervisorMessage,
    ) -> Result<T, Error> {
        let (reply, answer) = Reply::new();
        self.0
            .supervisor
            .cast(message(reply))
            .map_err(|_| Error::internal("this hexad has been shut down"))?;
        answer.wait().await
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        let handle =
            self.handle.get_mut().unwrap_or_else(std::sync::PoisonError::into_inner).take();
        let Some(handle) = handle else { return };
        handle.abort();
        #[cfg(feature = "local")]
        let _ = crate::backend::local::table::kill_marked(&format!("{}.", self.mark));
        tracing::debug!(mark = %self.mark, "dropped without a shutdown");
        if let Some(owners) = &self.owners {
            owners.resign();
        }
    }
}

/// A handle for one task.
#[derive(Clone, Debug)]
pub struct Task {
    hexad: Hexad,
    id: Result<TaskId, Error>,
    profile: Option<String>,
}

impl Task {
    /// Uses a named profile of the configuration; a task keeps the one it was first used with.
    #[must_use]
    pub fn profile(mut self, name: impl Into<String>) -> Self {
        self.profile = Some(name.into());
        self
    }

    /// Runs a command to its end. A command that fails is a result, not an error.
    ///
    /// Dropping the future before the command has begun keeps it from beginning; after that it
    /// goes on, and [`Task::interrupt`] ends it.
    ///
    /// # Errors
    /// There is no result: see [`Error`].
    pub async fn execute(&self, request: impl Into<Execute>) -> Result<ExecuteResult, Error> {
        let (task, request) = self.prepare(request.into())?;
        self.hexad.ask(|reply| SupervisorMessage::Execute { task, request, reply }).await
    }

    /// Runs a command and gives its events as they happen; the last one is
    /// [`Event::Finished`] or [`Event::Failed`].
    ///
    /// A reader that is slow makes the command wait, as a pipe would ([`Slow::Wait`]); give the
    /// request a subscriber of its own to have chunks skipped instead. Dropping the stream does
    /// not end a command that has begun.
    pub fn stream(&self, request: impl Into<Execute>) -> EventStream {
        let (sender, receiver) = mpsc::channel(256);
        let mut request = request.into();
        request.subscriber = Some(Subscriber { sender: sender.clone(), slow: Slow::Wait });
        let (reply, answer) = Reply::new();
        let failed = match self.prepare(request) {
            Ok((task, request)) => self
                .hexad
                .0
                .supervisor
                .cast(SupervisorMessage::Execute { task, request, reply })
                .err()
                .map(|_| Error::internal("this hexad has been shut down")),
            Err(error) => Some(error),
        };
        if let Some(error) = failed {
            let _ = sender.try_send(Event::Failed(error));
        }
        EventStream { events: receiver, answer: Some(answer), done: false }
    }

    /// Ends the running command and everything it started; the answer says whether there was one.
    ///
    /// # Errors
    /// A bad task id, or the runtime has stopped.
    pub async fn interrupt(&self) -> Result<bool, Error> {
        self.interrupt_because(InterruptCause::User).await
    }

    /// The same with a cause that shows in the result.
    ///
    /// # Errors
    /// A bad task id, or the runtime has stopped.
    pub async fn interrupt_because(&self, cause: InterruptCause) -> Result<bool, Error> {
        let task = self.id.clone()?;
        self.hexad.ask(|reply| SupervisorMessage::Interrupt { task, id: None, cause, reply }).await
    }

    /// How the environment is; none if the task has none.
    ///
    /// # Errors
    /// A bad task id, or the runtime has stopped.
    pub async fn status(&self) -> Result<Option<EnvironmentStatus>, Error> {
        let task = self.id.clone()?;
        self.hexad.ask(|reply| SupervisorMessage::Status { task, reply }).await
    }

    /// The shell state that the next command starts from.
    ///
    /// # Errors
    /// A bad task id, or the runtime has stopped.
    pub async fn state(&self) -> Result<Option<Arc<ShellState>>, Error> {
        let task = self.id.clone()?;
        self.hexad.ask(|reply| SupervisorMessage::State { task, reply }).await
    }

    /// Ends everything of the task, removes its instance and forgets its state.
    ///
    /// # Errors
    /// What may be left.
    pub async fn release(&self) -> Result<(), Error> {
        let (task, profile) = (self.id.clone()?, self.profile.clone());
        let mode = StopMode::Destroy;
        self.hexad.ask(|reply| SupervisorMessage::Release { task, profile, mode, reply }).await
    }

    fn prepare(&self, mut request: Execute) -> Result<(TaskId, Box<Execute>), Error> {
        if request.profile.is_none() {
            request.profile.clone_from(&self.profile);
        }
        Ok((self.id.clone()?, Box::new(request)))
    }
}

/// The events of one request, in order.
#[derive(Debug)]
pub struct EventStream {
    events: mpsc::Receiver<Event>,
    /// Kept so that the request counts as waited for; also answers when the events stop short.
    answer: Option<hexad_actors::Answer<ExecuteResult>>,
    done: bool,
}

impl EventStream {
    /// The next event; none behind the last one.
    pub async fn next(&mut self) -> Option<Event> {
        if self.done {
            return None;
        }
        let event = match self.events.recv().await {
            Some(event) => event,
            None => match self.answer.take()?.wait().await {
                Ok(result) => Event::Finished(Box::new(result)),
                Err(error) => Event::Failed(error),
            },
        };
        self.done = event.is_last();
        Some(event)
    }
}
