//! What can go wrong, classified by what the caller can do about it.
//!
//! [`BackendError`] is what a backend says about itself; the environment adds the task and the
//! backend's name and makes an [`Error`] of it, which is what callers see.

use std::time::Duration;

use thiserror::Error as ThisError;

use crate::task_id::TaskId;

/// Why a backend cannot be used just now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unavailable {
    /// The socket or address of the service is not there.
    NoSocket,
    /// The service is there and refuses this user.
    NoPermission,
    /// A program that is needed is not installed.
    NoBinary,
    /// Credentials were refused or are missing.
    AuthRefused,
    /// A limit of the service or of this machine is reached.
    Quota,
    /// The service answered that it cannot provide the instance (its words are in the message).
    Refused,
    /// The service did not answer within its deadline.
    Deadline,
}

impl Unavailable {
    /// The reason as a word of the wire vocabulary.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NoSocket => "no_socket",
            Self::NoPermission => "no_permission",
            Self::NoBinary => "no_binary",
            Self::AuthRefused => "auth_refused",
            Self::Quota => "quota",
            Self::Refused => "refused",
            Self::Deadline => "deadline",
        }
    }
}

/// What a backend reports. Messages are sentences for a person: what failed and what to do.
#[derive(Clone, Debug, ThisError)]
#[non_exhaustive]
pub enum BackendError {
    /// Nothing was started; the reason says why.
    #[error("{message}")]
    Unavailable {
        /// The kind of reason, for callers that act on it.
        reason: Unavailable,
        /// What failed, where, and what to do.
        message: String,
    },
    /// The instance is gone (removed, expired, disconnected).
    #[error("{message}")]
    Lost {
        /// What is known about the loss.
        message: String,
    },
    /// Something with the same name exists and is not ours, or is in use elsewhere.
    #[error("{message}")]
    Conflict {
        /// What is in the way and who holds it.
        message: String,
    },
    /// The request cannot be carried out by this backend as configured.
    #[error("{message}")]
    Invalid {
        /// What was asked and what would be allowed.
        message: String,
    },
    /// A failure that the caller cannot do anything about.
    #[error("{message}")]
    Internal {
        /// What failed.
        message: String,
    },
}

impl BackendError {
    /// An [`BackendError::Unavailable`] from a reason and a sentence.
    pub fn unavailable(reason: Unavailable, message: impl Into<String>) -> Self {
        Self::Unavailable { reason, message: message.into() }
    }

    /// A [`BackendError::Lost`].
    pub fn lost(message: impl Into<String>) -> Self {
        Self::Lost { message: message.into() }
    }

    /// A [`BackendError::Internal`].
    pub fn internal(message: impl Into<String>) -> Self {
        Self::Internal { message: message.into() }
    }

    /// Adds where it happened.
    #[must_use]
    pub fn at(self, backend: &str, task: &TaskId) -> Error {
        let (backend, task) = (backend.to_owned(), task.clone());
        match self {
            Self::Unavailable { reason, message } => {
                Error::Unavailable { backend, task, reason, message }
            }
            Self::Lost { message } => Error::Lost { backend, task, message },
            Self::Conflict { message } => Error::Conflict { message },
            Self::Invalid { message } => Error::InvalidRequest { message },
            Self::Internal { message } => {
                Error::Internal { message: format!("backend {backend}, task {task}: {message}") }
            }
        }
    }
}

/// What a caller gets instead of an answer.
#[derive(Clone, Debug, ThisError)]
#[non_exhaustive]
pub enum Error {
    /// The request itself is wrong. Repeating it will not help.
    #[error("{message}")]
    InvalidRequest {
        /// What was wrong and what was expected.
        message: String,
    },
    /// The backend cannot be used now. Nothing ran.
    #[error("backend {backend} is not available for task {task}: {message}")]
    Unavailable {
        /// The backend's name.
        backend: String,
        /// The task that asked.
        task: TaskId,
        /// The kind of reason.
        reason: Unavailable,
        /// What failed and what to do.
        message: String,
    },
    /// The environment went away before the request could be carried out, or while it was.
    #[error("task {task} lost its {backend} environment: {message}")]
    Lost {
        /// The backend's name.
        backend: String,
        /// The task.
        task: TaskId,
        /// What is known about the loss.
        message: String,
    },
    /// The request contradicts something that exists.
    #[error("{message}")]
    Conflict {
        /// What it contradicts.
        message: String,
    },
    /// Too much is waiting. Nothing ran; try again after `retry_after`.
    #[error(
        "task {task} has {queued} commands waiting, which is its limit; try again in {retry_after:?}"
    )]
    Busy {
        /// The task.
        task: TaskId,
        /// How many commands wait.
        queued: usize,
        /// When it makes sense to try again.
        retry_after: Duration,
    },
    /// A bug or a broken machine. The command may or may not have run if `started` events were seen.
    #[error("internal error: {message}")]
    Internal {
        /// What failed.
        message: String,
    },
}

impl Error {
    /// An [`Error::InvalidRequest`] from a sentence.
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::InvalidRequest { message: message.into() }
    }

    /// An [`Error::Internal`] from a sentence.
    pub fn internal(message: impl Into<String>) -> Self {
        Self::Internal { message: message.into() }
    }

    /// The class as a word of the wire vocabulary.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::InvalidRequest { .. } => "invalid_request",
            Self::Unavailable { .. } => "unavailable",
            Self::Lost { .. } => "lost",
            Self::Conflict { .. } => "conflict",
            Self::Busy { .. } => "busy",
            Self::Internal { .. } => "internal",
        }
    }

    /// How long to wait before trying again, where trying again makes sense.
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Busy { retry_after, .. } => Some(*retry_after),
            _ => None,
        }
    }
}
