//! What an environment is told and asked.

use std::time::Duration;

use crate::backend::StopMode;
use crate::error::BackendError;
use crate::outcome::{ExecuteResult, InterruptCause};
use crate::reply::Reply;
use crate::request::Execute;
use crate::run::{Report, Shell};

use super::provision::Provisioned;
use super::work::Unstarted;

/// A message to an environment. The supervisor passes on what callers send; the rest is the
/// environment's own work reporting back.
#[derive(Debug)]
pub(crate) enum EnvironmentMessage {
    /// Run a command. When nobody waits for the answer any more, a command that has not begun is
    /// not begun; one that has goes on.
    Execute { request: Box<Execute>, reply: Reply<ExecuteResult> },
    /// End the running command, or the request with this id. Answers whether there was one.
    Interrupt { id: Option<String>, cause: InterruptCause, reply: Reply<bool> },
    /// Say how things are. Nobody answers none but the supervisor, for one that has ended.
    Status { reply: Reply<Option<EnvironmentStatus>> },
    /// End everything and let go of the instance.
    Release { mode: StopMode, cause: InterruptCause, reply: Reply<()> },
    /// Retire if there was nothing to do for long enough.
    ExpireIfIdle,
    /// The supervisor holds back new messages: stop if there is nothing to do.
    Retire,

    /// Provisioning ended.
    Provisioned(Result<Box<Provisioned>, BackendError>),
    /// Provisioning says something.
    Provisioning(String),
    /// A command ended. The number tells which.
    Done(u64, Result<Box<Report>, Unstarted>),
    /// A spare is ready, or could not be made.
    Spare(u64, Result<Box<Shell>, BackendError>),
    /// The spare has waited long enough.
    SpareExpired(u64),
    /// Nothing holds the streams of an earlier command any more.
    LeftoverGone(u64),
    /// Letting go of the instance ended.
    Released(Result<(), BackendError>),
}

impl EnvironmentMessage {
    /// Whether an environment is needed to deal with it.
    pub(crate) fn is_work(&self) -> bool {
        matches!(self, Self::Execute { .. } | Self::Release { .. })
    }

    /// Answers a question about an environment that has ended. Anything else is dropped.
    pub(crate) fn answer_for_none(self) {
        match self {
            Self::Interrupt { reply, .. } => reply.send(Ok(false)),
            Self::Status { reply } => reply.send(Ok(None)),
            _ => {}
        }
    }
}

/// How an environment is.
#[derive(Clone, Debug)]
pub struct EnvironmentStatus {
    /// The task.
    pub task: String,
    /// The profile it was made from.
    pub profile: String,
    /// The backend's name.
    pub backend: String,
    /// `cold`, `provisioning`, `ready`, `busy` or `releasing`.
    pub phase: &'static str,
    /// Commands that wait.
    pub queued: usize,
    /// The running command, if there is one.
    pub running: Option<RunningStatus>,
    /// Commands running beside the queue.
    pub forks: usize,
    /// Earlier commands that left processes running.
    pub left_running: usize,
    /// Whether a shell waits for the next command.
    pub spare: bool,
    /// Commands that were begun here, forks left out.
    pub commands: u64,
    /// How many of them found a shell that waited for them.
    pub from_spare: u64,
    /// The working directory of the next command.
    pub cwd: Option<String>,
    /// Since the last activity.
    pub idle: Duration,
    /// What the backend says about itself.
    pub settings: Vec<(String, String)>,
}

/// A running command.
#[derive(Clone, Debug)]
pub struct RunningStatus {
    /// The caller's id for it.
    pub id: Option<String>,
    /// Its first line, cut.
    pub command: String,
    /// Since it began.
    pub elapsed: Duration,
}
