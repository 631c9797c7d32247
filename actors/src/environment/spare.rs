//! The shell that waits for the next command, and the streams that earlier ones left open.

use std::sync::Arc;

use tokio::io::AsyncReadExt as _;
use tokio::task::JoinHandle;

use super::message::EnvironmentMessage;
use super::state::EnvironmentState;
use super::work::Guard;
use crate::backend::Started;
use crate::error::BackendError;
use crate::run::{Leftover, Shell};
use crate::shell::ShellState;

pub(super) enum Spare {
    None,
    /// Being made, or waiting to be: spares of a runtime are made a few at a time, because commands
    /// go first. The number tells it from an earlier one; dropped, the work ends.
    Making {
        number: u64,
        _work: Timer,
    },
    Ready {
        shell: Box<Shell>,
        number: u64,
        /// Ends the wait, if it is not to last for ever.
        _timer: Option<Timer>,
    },
}

/// A task that goes away with the spare that it is for.
pub(super) struct Timer(JoinHandle<()>);

impl Drop for Timer {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl EnvironmentState {
    /// Starts a shell with the current state loaded, unless one waits or is being made.
    pub(super) fn make_spare(&mut self, started: &Arc<Started>) {
        if self.arguments.settings.spares == 0 || !matches!(self.spare, Spare::None) {
            return;
        }
        let Some(state) = self.shell.clone() else { return };
        let number = self.number();
        let backend = Arc::clone(&self.arguments.chosen.backend);
        let (started, marks) = (Arc::clone(started), self.arguments.marks.clone());
        let guard = Guard::new(self.myself.clone(), move |result: Result<_, BackendError>| {
            EnvironmentMessage::Spare(number, result.map(Box::new))
        });
        let makers = Arc::clone(&self.arguments.spare_makers);
        let work = tokio::spawn(async move {
            let made = async {
                // Closed never: the semaphore lives as long as somebody holds it.
                let _turn = makers.acquire_owned().await;
                let mut shell =
                    Shell::start(&*backend, &started, &marks, state, &[], false).await?;
                shell.settle().await?;
                Ok(shell)
            };
            guard.finish(made.await);
        });
        self.spare = Spare::Making { number, _work: Timer(work) };
    }

    pub(super) fn spare_made(&mut self, number: u64, result: Result<Box<Shell>, BackendError>) {
        if !matches!(&self.spare, Spare::Making { number: n, .. } if *n == number) {
            // A shell that nobody wants any more ends when its input does.
            return;
        }
        match result {
            Ok(shell) => {
                let lifetime = self.arguments.settings.spare_lifetime;
                let myself = self.myself.clone();
                let timer = (!lifetime.is_zero()).then(|| {
                    Timer(tokio::spawn(async move {
                        tokio::time::sleep(lifetime).await;
                        let _ = myself.cast(EnvironmentMessage::SpareExpired(number));
                    }))
                });
                self.spare = Spare::Ready { shell, number, _timer: timer };
            }
            Err(error) => {
                tracing::debug!(task = %self.arguments.task, %error, "no spare shell");
                self.spare = Spare::None;
            }
        }
    }

    pub(super) fn spare_expired(&mut self, number: u64) {
        if matches!(&self.spare, Spare::Ready { number: n, .. } if *n == number) {
            self.spare = Spare::None;
        }
    }

    pub(super) fn drop_spare(&mut self) {
        self.spare = Spare::None;
    }

    /// The spare, if it holds exactly `state`. One that could not enter the directory is none: it
    /// may be there again by now.
    pub(super) fn take_spare(&mut self, state: &Arc<ShellState>) -> Option<Shell> {
        match std::mem::replace(&mut self.spare, Spare::None) {
            Spare::Ready { shell, .. }
                if Arc::ptr_eq(&shell.state, state)
                    && shell.hello.as_ref().is_none_or(|hello| hello.cwd == state.cwd) =>
            {
                Some(*shell)
            }
            _ => None,
        }
    }

    /// Reads on what processes of an earlier command write, so that they are not ended by a
    /// broken pipe, and throws it away.
    pub(super) fn keep_draining(&mut self, leftover: Leftover) {
        let number = self.number();
        let myself = self.myself.clone();
        let task = tokio::spawn(async move {
            let Leftover { mut stdout, mut control } = leftover;
            let drain = async |stream: &mut (dyn tokio::io::AsyncRead + Send + Unpin)| {
                let mut buffer = [0; 4096];
                while matches!(stream.read(&mut buffer).await, Ok(1..)) {
                    tokio::task::coop::consume_budget().await;
                }
            };
            tokio::join!(drain(&mut *stdout), drain(&mut *control));
            let _ = myself.cast(EnvironmentMessage::LeftoverGone(number));
        });
        self.leftovers.insert(number, task);
    }

    pub(super) fn leftover_gone(&mut self, number: u64) {
        self.leftovers.remove(&number);
        self.last_activity = tokio::time::Instant::now();
    }
}
