//! The environment actor: owns one backend instance, its shell state and its queue.
//!
//! Its mailbox never blocks. Handlers keep books; provisioning, running, making spares and letting
//! go are spawned tasks that report by message. So interrupt, status and release are answered
//! while a command runs. This module must not await anything that waits for a backend.

mod answer;
mod memory;
mod message;
mod provision;
mod release;
mod spare;
mod state;
mod work;

use std::sync::Arc;

use ractor::{Actor, ActorProcessingErr, ActorRef};

pub(crate) use self::memory::Memory;
pub(crate) use self::message::EnvironmentMessage;
pub use self::message::{EnvironmentStatus, RunningStatus};
use self::state::EnvironmentState;
use crate::provider::{Chosen, StateStore};
use crate::run::Marks;
use crate::settings::Settings;
use crate::shell::ShellState;
use crate::supervisor::SupervisorMessage;
use crate::task_id::TaskId;

/// The last committed shell state, shared with the supervisor so that it survives a crash of the
/// actor.
pub(crate) type Committed = Arc<std::sync::Mutex<Option<Arc<ShellState>>>>;

/// The answers to requests that had an id, shared with the supervisor for the same reason.
pub(crate) type Remembered = Arc<std::sync::Mutex<Memory>>;

/// What an environment is made of.
#[derive(Clone)]
pub(crate) struct EnvironmentArguments {
    pub(crate) task: TaskId,
    pub(crate) chosen: Chosen,
    pub(crate) settings: Arc<Settings>,
    pub(crate) store: Arc<dyn StateStore>,
    pub(crate) marks: Marks,
    pub(crate) committed: Committed,
    pub(crate) remembered: Remembered,
    pub(crate) supervisor: ActorRef<SupervisorMessage>,
    /// Bounds how many spares the runtime makes at once.
    pub(crate) spare_makers: Arc<tokio::sync::Semaphore>,
    /// Whether this one takes the place of one that crashed.
    pub(crate) after_crash: bool,
}

pub(crate) struct Environment;

impl Actor for Environment {
    type Msg = EnvironmentMessage;
    type State = EnvironmentState;
    type Arguments = EnvironmentArguments;

    async fn pre_start(
        &self,
        myself: ActorRef<Self::Msg>,
        arguments: Self::Arguments,
    ) -> Result<Self::State, ActorProcessingErr> {
        Ok(EnvironmentState::new(myself, arguments))
    }

    async fn handle(
        &self,
        myself: ActorRef<Self::Msg>,
        message: Self::Msg,
        state: &mut Self::State,
    ) -> Result<(), ActorProcessingErr> {
        match message {
            EnvironmentMessage::Execute { request, reply } => state.execute(*request, reply),
            EnvironmentMessage::Interrupt { id, cause, reply } => {
                reply.send(Ok(state.interrupt(id.as_deref(), cause)));
            }
            EnvironmentMessage::Status { reply } => reply.send(Ok(Some(state.status()))),
            EnvironmentMessage::Release { mode, cause, reply } => state.release(mode, cause, reply),
            EnvironmentMessage::ExpireIfIdle => state.expire_if_idle(),
            EnvironmentMessage::Retire => {
                if state.may_retire() {
                    myself.stop(None);
                } else {
                    state.tell_supervisor(SupervisorMessage::StillBusy { task: state.task() });
                }
            }
            EnvironmentMessage::Provisioned(result) => state.provisioned(result),
            EnvironmentMessage::Provisioning(text) => state.provisioning_says(&text),
            EnvironmentMessage::Done(key, result) => state.done(key, result),
            EnvironmentMessage::Spare(number, result) => state.spare_made(number, result),
            EnvironmentMessage::SpareExpired(number) => state.spare_expired(number),
            EnvironmentMessage::LeftoverGone(number) => state.leftover_gone(number),
            EnvironmentMessage::Released(result) => state.released(result),
        }
        Ok(())
    }
}
