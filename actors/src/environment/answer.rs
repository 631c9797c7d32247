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
    reply: Option<Reply<ExecuteResult>>,
    /// Whoever watches; output goes there through the running command's fan-out.
    pub(super) subscriber: Option<Subscriber>,
}

impl Asker {
    pub(super) fn new(reply: Reply<ExecuteResult>, subscriber: Option<Subscriber>) -> Self {
        Self { reply: Some(reply), subscriber }
    }

    pub(super) fn tell(&self, event: Event) {
        if let Some(subscriber) = &self.subscriber {
            let _ = subscriber.sender.try_send(event);
        }
    }

    pub(super) fn fail(mut self, error: Error) {
        if let Some(subscriber) = self.subscriber.take() {
            send_last(subscriber, None, Event::Failed(error.clone()));
        }
        if let Some(reply) = self.reply.take() {
            reply.send(Err(error));
        }
    }

    /// Answers; a subscriber is first told of the `gap` that it was too slow for.
    pub(super) fn answer(mut self, result: ExecuteResult, gap: Option<Event>) {
        if let Some(subscriber) = self.subscriber.take() {
            send_last(subscriber, gap, Event::Finished(Box::new(result.clone())));
        }
        if let Some(reply) = self.reply.take() {
            reply.send(Ok(result));
        }
    }

    fn is_abandoned(&self) -> bool {
        let watched = self.subscriber.as_ref().is_some_and(|s| !s.sender.is_closed());
        self.reply.as_ref().is_none_or(Reply::is_abandoned) && !watched
    }
}

impl Drop for Asker {
    /// Reached without an answer only when the actor crashed: the reply answers by itself, the
    /// subscriber gets a last event here.
    fn drop(&mut self) {
        if let Some(subscriber) = self.subscriber.take() {
            let error = Error::internal("the environment crashed before the request had an answer");
            send_last(subscriber, None, Event::Failed(error));
        }
    }
}

/// Sends the last event. A subscriber that is full gets it when it reads on; nobody waits for it.
fn send_last(subscriber: Subscriber, gap: Option<Event>, event: Event) {
    let sender = subscriber.sender;
    if gap.is_none() {
        match sender.try_send(event.clone()) {
            Err(tokio::sync::mpsc::error::TrySendError::Full(_)) => {}
            _ => return,
        }
    }
    // Without a runtime nobody reads either.
    if let Ok(runtime) = tokio::runtime::Handle::try_current() {
        runtime.spawn(async move {
            for event in gap.into_iter().chain([event]) {
                let _ = sender.send(event).await;
            }
        });
    }
}

/// A request that waits for its turn.
#[derive(Debug)]
pub(super) struct Waiting {
    pub(super) request: Execute,
    pub(super) askers: Vec<Asker>,
    /// Whether it was tried before, on an instance that turned out to be gone.
    pub(super) again: bool,
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
            asker.answer(result.clone(), None);
        }
    }
}
