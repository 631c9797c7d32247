//! The runtime of hexad: actors, messages, the shell protocol and the port for backends.
//!
//! # Theory of operation
//!
//! A [`SupervisorMessage::Execute`] names a task. The supervisor has one environment actor for
//! each task and makes it at the first message. The environment provisions its backend, captures
//! a login shell once, and from then on runs one command after the other: each in a fresh shell
//! that is given the [`shell::ShellState`] which the last one left, and a copy of whose state
//! comes back when it ends. See [`shell`] for the protocol.
//!
//! * **What blocks what.** Nothing blocks a mailbox. Commands of one task wait for each other in a
//!   bounded queue; forks and other tasks do not wait for them.
//! * **Stop.** [`SupervisorMessage::Shutdown`] (or stopping the supervisor) interrupts what runs,
//!   answers what waits, ends every process, suspends every instance.
//! * **Panic.** An environment that panics is replaced by one with the state that was committed
//!   last; every caller that waited for it is answered with an internal error; others go on.
//! * **Caller gone.** A request whose caller no longer waits is not begun. One that has begun goes
//!   on: end it with [`SupervisorMessage::Interrupt`].
//!
//! This crate knows no backend by name and reads no configuration; see [`Backend`], [`Provider`]
//! and [`StateStore`] for what the embedding program brings.

pub mod backend;
mod environment;
mod error;
mod event;
mod janitor;
mod outcome;
pub mod output;
mod provider;
mod reply;
mod request;
mod run;
mod settings;
pub mod shell;
mod supervisor;
mod task_id;

use ractor::{Actor, ActorRef};
use tokio::task::JoinHandle;

pub use self::backend::Backend;
pub use self::environment::{EnvironmentStatus, RunningStatus};
pub use self::error::{BackendError, Error, Unavailable};
pub use self::event::{Event, Slow, Stream, Subscriber};
pub use self::outcome::{Captured, ExecuteResult, InterruptCause, Notice, Outcome};
pub use self::provider::{Chosen, NoStore, Provider, StateStore, TaskStore};
pub use self::reply::{Answer, Reply};
pub use self::request::{Execute, MAX_COMMAND, Streams};
pub use self::settings::Settings;
pub use self::supervisor::{RuntimeArguments, SupervisorMessage};
pub use self::task_id::{MAX_TASK_ID, TaskId};

/// Starts a runtime: its supervisor, and the handle that ends when it has stopped.
///
/// # Errors
/// [`Error::Internal`] when the actor cannot be started.
pub async fn start(
    arguments: RuntimeArguments,
) -> Result<(ActorRef<SupervisorMessage>, JoinHandle<()>), Error> {
    Actor::spawn(None, supervisor::Supervisor, arguments)
        .await
        .map_err(|e| Error::internal(format!("the supervisor could not be started: {e}")))
}
