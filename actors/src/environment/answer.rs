//! Those who wait for the answer to a request.

use std::time::Duration;

use crate::error::Error;
use crate::event::{Event, Subscriber};
use crate::outcome::{Captured, ExecuteResult, InterruptCause, Outcome};
use crate::reply::Reply;
use crate::request::Execute;
use crate::shell::ShellState;

/// Somebody who asked; several may have asked with the same request id.
#[derive(Debug)]
pub(super) struct Asker {
    reply: Reply<ExecuteResult>,
    /// Taken by the running command's fan-out.
    pub(super) subscriber: Option<Subscriber>,
}

impl Asker {
    pub(super) fn new(reply: Reply<ExecuteResult>, subscriber: Option<Subscriber>) -> Self {
        Self { reply, subscriber }
    }

    pub(super) fn tell(&self, event: Event) {
        if let Some(subscriber) = &self.subscriber {
            let _ = subscriber.sender.try_send(event);
        }
    }

    pub(super) fn fail(self, error: Error) {
        if let Some(subscriber) = self.subscriber {
            send_last(subscriber, Event::Failed(error.clone()));
        }
        self.reply.send(Err(error));
    }

    pub(super) fn answer(self, result: ExecuteResult) {
        if let Some(subscriber) = self.subscriber {
            send_last(subscriber, Event::Finished(Box::new(result.clone())));
        }
        self.reply.send(Ok(result));
    }

    fn is_abandoned(&self) -> bool {
        let watched = self.subscriber.as_ref().is_some_and(|s| !s.sender.is_closed());
        self.reply.is_abandoned() && !watched
    }
}

/// Sends the last event. A subscriber that is full gets it when it reads on; nobody waits for it.
pub(super) fn send_last(subscriber: Subscriber, event: Event) {
    if let Err(tokio::sync::mpsc::error::TrySendError::Full(event)) =
        subscriber.sender.try_send(event)
    {
        tokio::spawn(async move {
            let _ = subscriber.sender.send(event).await;
        });
    }
}

/// A request that waits for its turn.
#[derive(Debug)]
pub(super) struct Waiting {
    pub(super) request: Execute,
    pub(super) askers: Vec<Asker>,
}

impl Waiting {
    pub(super) fn is_abandoned(&self) -> bool {
        self.askers.iter().all(Asker::is_abandoned)
    }

    pub(super) fn fail(self, error: &Error) {
        for asker in self.askers {
            asker.fail(error.clone());
        }
    }

    /// Answers a request that was interrupted before it began.
    pub(super) fn never_ran(self, cause: InterruptCause, shell: Option<&ShellState>) {
        let result = ExecuteResult {
            outcome: Outcome::Interrupted { cause },
            output: Captured::default(),
            stderr: None,
            cwd: shell.map(ShellState::cwd_text).unwrap_or_default(),
            duration: Duration::ZERO,
            left_running: Vec::new(),
            notices: vec![crate::outcome::Notice::new(
                "never_ran",
                "the command was interrupted before it began; nothing of it ran",
            )],
            repeated: false,
        };
        for asker in self.askers {
            asker.answer(result.clone());
        }
    }
}
