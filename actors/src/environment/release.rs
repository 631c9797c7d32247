//! Letting go: of everything that runs, then of the instance, then of the actor itself.

use std::sync::Arc;

use tokio::task::JoinHandle;

use super::message::EnvironmentMessage;
use super::state::{EnvironmentState, Phase};
use super::work::Guard;
use crate::backend::StopMode;
use crate::error::{BackendError, Error};
use crate::outcome::InterruptCause;
use crate::reply::Reply;
use crate::run::{self, Control};
use crate::supervisor::SupervisorMessage;

pub(super) struct Releasing {
    mode: StopMode,
    replies: Vec<Reply<()>>,
    /// Provisioning that was given up and may not have noticed yet.
    given_up: Option<JoinHandle<()>>,
    /// Whether the last step, the one that touches the backend, was begun.
    stopping: bool,
}

impl EnvironmentState {
    /// Ends the running commands, answers the waiting ones, then lets go of the instance.
    pub(super) fn release(&mut self, mode: StopMode, cause: InterruptCause, reply: Reply<()>) {
        for waiting in std::mem::take(&mut self.queue) {
            waiting.never_ran(cause, self.shell.as_deref());
        }
        if let Phase::Releasing(releasing) = &mut self.phase {
            releasing.replies.push(reply);
            // Whoever asked for more gets more, if it is not too late.
            if mode == StopMode::Destroy && !releasing.stopping {
                releasing.mode = mode;
            }
            return;
        }
        // Provisioning; what it made is found by `stop`.
        let given_up = self.work.take().inspect(JoinHandle::abort);
        self.phase =
            Phase::Releasing(Releasing { mode, replies: vec![reply], given_up, stopping: false });
        for running in self.running.values() {
            let _ = running.control.send(Control::Kill(cause));
        }
        self.release_step();
    }

    /// Goes on with letting go once no command runs any more.
    pub(super) fn release_step(&mut self) {
        let idle = self.running.is_empty();
        let Phase::Releasing(releasing) = &mut self.phase else { return };
        if !idle || releasing.stopping {
            return;
        }
        releasing.stopping = true;
        let (mode, given_up) = (releasing.mode, releasing.given_up.take());
        self.drop_spare();
        let saving = self.take_saving();
        let backend = Arc::clone(&self.arguments.chosen.backend);
        let scope = self.arguments.marks.environment();
        let grace = self.arguments.settings.kill_grace;
        let (held, store, task) =
            (self.store.take(), Arc::clone(&self.arguments.store), self.task());
        let guard = Guard::new(self.myself.clone(), |result: Result<(), BackendError>| {
            EnvironmentMessage::Released(result)
        });
        self.work = Some(tokio::spawn(async move {
            for earlier in given_up.into_iter().chain(saving) {
                let _ = earlier.await;
            }
            let left = run::terminate(&*backend, &scope, grace).await;
            let mut result = backend.stop(mode).await;
            if left > 0 && result.is_ok() {
                result =
                    Err(BackendError::internal(format!("{left} processes could not be ended")));
            }
            if mode == StopMode::Destroy {
                let place = match held {
                    Some(place) => Ok(place),
                    None => store.open(&task).await,
                };
                let forgotten = match place {
                    Ok(place) => tokio::task::spawn_blocking(move || place.forget())
                        .await
                        .unwrap_or_else(|_| Err(BackendError::internal("forgetting crashed"))),
                    Err(error) => Err(error),
                };
                result = result.and(forgotten);
            }
            guard.finish(result);
        }));
    }

    pub(super) fn released(&mut self, result: Result<(), BackendError>) {
        self.work = None;
        let phase = std::mem::replace(&mut self.phase, Phase::Cold);
        let Phase::Releasing(releasing) = phase else {
            self.phase = phase;
            return;
        };
        for (_, task) in self.leftovers.drain() {
            task.abort();
        }
        if releasing.mode == StopMode::Destroy {
            self.arguments
                .remembered
                .lock()
                .unwrap_or_else(std::sync::PoisonError::into_inner)
                .clear();
            self.shell = None;
            *self.arguments.committed.lock().unwrap_or_else(std::sync::PoisonError::into_inner) =
                None;
        }
        let backend = self.arguments.chosen.backend.name().to_owned();
        let answer: Result<(), Error> = result.map_err(|e| e.at(&backend, &self.arguments.task));
        for reply in releasing.replies {
            reply.send(answer.clone());
        }
        if self.queue.is_empty() {
            self.tell_supervisor(SupervisorMessage::MayRetire { task: self.task() });
        } else {
            self.go_on();
        }
    }

    /// The janitor asks: retires the environment if it has had nothing to do for long enough.
    pub(super) fn expire_if_idle(&mut self) {
        let lifetime =
            self.arguments.chosen.idle_lifetime.unwrap_or(self.arguments.settings.idle_lifetime);
        if lifetime.is_zero() || self.is_busy() || self.last_activity.elapsed() < lifetime {
            return;
        }
        tracing::info!(task = %self.arguments.task, "retiring an idle environment");
        let (reply, _) = Reply::new();
        self.release(StopMode::Suspend, InterruptCause::Release, reply);
    }

    /// Whether the actor may stop: it has let go and nothing came since.
    pub(super) fn may_retire(&self) -> bool {
        matches!(self.phase, Phase::Cold) && !self.is_busy()
    }
}
