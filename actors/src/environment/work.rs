//! Spawned work: one command apart from the actor, and the guard that reports how work ended.

use std::sync::Arc;

use ractor::ActorRef;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until};

use super::message::EnvironmentMessage;
use crate::backend::{Backend, Started};
use crate::error::BackendError;
use crate::outcome::Outcome;
use crate::request::Execute;
use crate::run::{self, Control, Job, Marks, Report, Shell};
use crate::shell::ShellState;

/// One command and what it needs of its environment.
pub(super) struct Work {
    pub(super) backend: Arc<dyn Backend>,
    pub(super) started: Arc<Started>,
    pub(super) marks: Marks,
    pub(super) state: Arc<ShellState>,
}

/// Why a command has no report. Nothing of it ran.
#[derive(Debug)]
pub(crate) struct Unstarted {
    pub(crate) error: BackendError,
    /// The command, to be tried once more. None if that is not known.
    pub(crate) request: Option<Box<Execute>>,
}

impl From<BackendError> for Unstarted {
    fn from(error: BackendError) -> Self {
        Self { error, request: None }
    }
}

impl Work {
    pub(super) async fn run(
        self,
        spare: Option<Shell>,
        job: Job,
        mut messages: mpsc::UnboundedReceiver<Control>,
    ) -> Result<Report, Unstarted> {
        let Some(spare) = living(spare).await else {
            return self.run_fresh(job, &mut messages).await;
        };
        let (limit, deadline) = (job.limit, job.deadline);
        let (settings, capabilities) = (Arc::clone(&job.settings), job.capabilities.clone());
        let stdin = job.request.stdin.clone();
        let report = run::run(Arc::clone(&self.backend), spare, job, &mut messages).await;
        if !report.unstarted {
            return Ok(report);
        }
        // The spare had died while it waited. Nothing ran, so a fresh shell may have it.
        let mut request = report.request;
        request.stdin = stdin;
        let fanout = report.fanout;
        let job = Job { request, limit, deadline, fanout, settings, capabilities };
        self.run_fresh(job, &mut messages).await
    }

    /// Starts a shell and runs `job` in it. Starting can take long where the target is far away:
    /// the limit and interrupts hold there too. A shell that nobody waits for any more ends when
    /// its input does.
    async fn run_fresh(
        self,
        mut job: Job,
        messages: &mut mpsc::UnboundedReceiver<Control>,
    ) -> Result<Report, Unstarted> {
        let began = Instant::now();
        let shell = {
            let state = Arc::clone(&self.state);
            let starting =
                Shell::start(&*self.backend, &self.started, &self.marks, state, &[], false);
            let mut starting = std::pin::pin!(starting);
            loop {
                let outcome = tokio::select! {
                    biased;
                    shell = &mut starting => match shell {
                        Ok(shell) => break shell,
                        Err(error) => {
                            let request = Some(Box::new(job.request));
                            return Err(Unstarted { error, request });
                        }
                    },
                    Some(message) = messages.recv() => match message {
                        Control::Kill(cause) => Outcome::Interrupted { cause },
                        Control::Subscribe(subscriber) => {
                            job.fanout.add(subscriber);
                            continue;
                        }
                    },
                    () = sleep_until(job.deadline) => Outcome::TimedOut { limit: job.limit },
                };
                return Ok(Report::without_a_shell(job, outcome, began.elapsed()));
            }
        };
        Ok(run::run(Arc::clone(&self.backend), shell, job, messages).await)
    }
}

async fn living(spare: Option<Shell>) -> Option<Shell> {
    let mut spare = spare?;
    (!spare.has_ended().await).then_some(spare)
}

/// Reports the end of spawned work, also when that panics.
pub(super) struct Guard<T, E, F>
where
    E: From<BackendError>,
    F: FnOnce(Result<T, E>) -> EnvironmentMessage,
{
    environment: ActorRef<EnvironmentMessage>,
    message: Option<F>,
    _result: std::marker::PhantomData<fn(T, E)>,
}

impl<T, E, F> Guard<T, E, F>
where
    E: From<BackendError>,
    F: FnOnce(Result<T, E>) -> EnvironmentMessage,
{
    pub(super) fn new(environment: ActorRef<EnvironmentMessage>, message: F) -> Self {
        Self { environment, message: Some(message), _result: std::marker::PhantomData }
    }

    pub(super) fn finish(mut self, result: Result<T, E>) {
        self.send(result);
    }

    fn send(&mut self, result: Result<T, E>) {
        if let Some(message) = self.message.take() {
            // An actor that is gone has answered its callers already.
            let _ = self.environment.cast(message(result));
        }
    }
}

impl<T, E, F> Drop for Guard<T, E, F>
where
    E: From<BackendError>,
    F: FnOnce(Result<T, E>) -> EnvironmentMessage,
{
    fn drop(&mut self) {
        self.send(Err(BackendError::internal("the work for this request crashed").into()));
    }
}
