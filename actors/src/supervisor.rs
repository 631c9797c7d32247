//! The supervisor actor: one environment for each task id.
//!
//! It makes an environment at the first message for its task, puts a new one in the place of one
//! that crashed, holds messages back while one retires, and passes everything else on. It never
//! waits for a backend.

mod message;
mod state;

use std::time::Duration;

use ractor::{Actor, ActorProcessingErr, ActorRef, SupervisionEvent};

use crate::backend::StopMode;
use crate::environment::EnvironmentMessage;
use crate::janitor::Janitor;
use crate::outcome::InterruptCause;

pub use self::message::SupervisorMessage;
pub use self::state::RuntimeArguments;
use self::state::SupervisorState;

/// How long environments may take to let go when the supervisor stops.
const STOP_DEADLINE: Duration = Duration::from_secs(20);

/// See the module.
pub(crate) struct Supervisor;

impl Actor for Supervisor {
    type Msg = SupervisorMessage;
    type State = SupervisorState;
    type Arguments = RuntimeArguments;

    async fn pre_start(
        &self,
        myself: ActorRef<Self::Msg>,
        arguments: Self::Arguments,
    ) -> Result<Self::State, ActorProcessingErr> {
        Ok(SupervisorState::new(myself, arguments))
    }

    async fn post_start(
        &self,
        myself: ActorRef<Self::Msg>,
        state: &mut Self::State,
    ) -> Result<(), ActorProcessingErr> {
        let settings = state.settings();
        Actor::spawn_linked(None, Janitor, (myself.clone(), settings), myself.get_cell()).await?;
        Ok(())
    }

    async fn handle(
        &self,
        myself: ActorRef<Self::Msg>,
        message: Self::Msg,
        state: &mut Self::State,
    ) -> Result<(), ActorProcessingErr> {
        match message {
            SupervisorMessage::Execute { task, request, reply } => {
                let profile = request.profile.clone();
                match state.environment(&task, profile.as_deref()).await {
                    Ok(()) => state.pass_on(&task, EnvironmentMessage::Execute { request, reply }),
                    Err(error) => {
                        if let Some(subscriber) = request.subscriber {
                            let event = crate::event::Event::Failed(error.clone());
                            let _ = subscriber.sender.try_send(event);
                        }
                        reply.send(Err(error));
                    }
                }
            }
            SupervisorMessage::Interrupt { task, id, cause, reply } => {
                if state.knows(&task) {
                    state.pass_on(&task, EnvironmentMessage::Interrupt { id, cause, reply });
                } else {
                    reply.send(Ok(false));
                }
            }
            SupervisorMessage::Status { task, reply } => {
                if state.knows(&task) {
                    state.pass_on(&task, EnvironmentMessage::Status { reply });
                } else {
                    reply.send(Ok(None));
                }
            }
            SupervisorMessage::State { task, reply } => reply.send(Ok(state.shell_state(&task))),
            SupervisorMessage::List { reply } => state.list(reply),
            SupervisorMessage::Release { task, profile, mode, reply } => {
                let cause = InterruptCause::Release;
                // An unknown task may have things of an earlier process to let go of.
                match state.environment(&task, profile.as_deref()).await {
                    Ok(()) => {
                        state.pass_on(&task, EnvironmentMessage::Release { mode, cause, reply });
                    }
                    Err(error) => reply.send(Err(error)),
                }
            }
            SupervisorMessage::Shutdown { reply } => {
                state.shutdown_replies.push(reply);
                myself.stop(None);
            }
            SupervisorMessage::ExpireIdle => state.expire_idle(),
            SupervisorMessage::Sweep => state.sweep(),
            SupervisorMessage::MayRetire { task } => state.hold_back(&task),
            SupervisorMessage::StillBusy { task } => state.let_through(&task),
        }
        Ok(())
    }

    async fn handle_supervisor_evt(
        &self,
        _myself: ActorRef<Self::Msg>,
        event: SupervisionEvent,
        state: &mut Self::State,
    ) -> Result<(), ActorProcessingErr> {
        match event {
            SupervisionEvent::ActorFailed(cell, error) => {
                tracing::error!(actor = %cell.get_id(), %error, "an actor crashed");
                state.replace(cell.get_id()).await;
            }
            SupervisionEvent::ActorTerminated(cell, _, _) => state.ended(cell.get_id()).await,
            _ => {}
        }
        Ok(())
    }

    /// Lets every environment let go before the actors are taken down with this one.
    async fn post_stop(
        &self,
        myself: ActorRef<Self::Msg>,
        state: &mut Self::State,
    ) -> Result<(), ActorProcessingErr> {
        let released = state.release_all(StopMode::Suspend, InterruptCause::Shutdown);
        if tokio::time::timeout(STOP_DEADLINE, released).await.is_err() {
            tracing::error!("not every environment let go within {STOP_DEADLINE:?}");
        }
        state.finish_sweep().await;
        myself.stop_children_and_wait(None, Some(Duration::from_secs(5))).await;
        for reply in state.shutdown_replies.drain(..) {
            reply.send(Ok(()));
        }
        Ok(())
    }
}
