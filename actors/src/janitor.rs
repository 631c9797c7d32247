//! The janitor actor: a timer. It says when to look for idle environments and for what dead
//! runtimes left; it touches neither itself.

use std::sync::Arc;

use ractor::{Actor, ActorProcessingErr, ActorRef};

use crate::settings::Settings;
use crate::supervisor::SupervisorMessage;

pub(crate) struct Janitor;

#[derive(Debug)]
pub(crate) enum JanitorMessage {
    Look,
    Sweep,
}

impl Actor for Janitor {
    type Msg = JanitorMessage;
    type State = ActorRef<SupervisorMessage>;
    type Arguments = (ActorRef<SupervisorMessage>, Arc<Settings>);

    async fn pre_start(
        &self,
        myself: ActorRef<Self::Msg>,
        (supervisor, settings): Self::Arguments,
    ) -> Result<Self::State, ActorProcessingErr> {
        myself.cast(JanitorMessage::Sweep)?;
        myself.send_interval(settings.janitor_interval, || JanitorMessage::Look);
        myself.send_interval(settings.sweep_interval, || JanitorMessage::Sweep);
        Ok(supervisor)
    }

    async fn handle(
        &self,
        _myself: ActorRef<Self::Msg>,
        message: Self::Msg,
        supervisor: &mut Self::State,
    ) -> Result<(), ActorProcessingErr> {
        // A supervisor that is gone takes the janitor with it.
        let _ = supervisor.cast(match message {
            JanitorMessage::Look => SupervisorMessage::ExpireIdle,
            JanitorMessage::Sweep => SupervisorMessage::Sweep,
        });
        Ok(())
    }
}
