//! What a command came to.

use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::backend::ProcessInfo;

/// How a command ended.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Outcome {
    /// The shell ended with this status, 0–255.
    Exited(u8),
    /// The shell itself was ended by this signal.
    Signaled(i32),
    /// The limit passed; everything the command started was ended.
    TimedOut {
        /// The limit that was in force.
        limit: Duration,
    },
    /// Somebody asked for an end; everything the command started was ended.
    Interrupted {
        /// Who or what asked.
        cause: InterruptCause,
    },
    /// The environment went away under the command. It may have done part of its work; it is
    /// not run again.
    Lost {
        /// What is known about it.
        reason: String,
    },
}

/// Why a running command was ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum InterruptCause {
    /// An interrupt message.
    User,
    /// The client that asked for the command went away.
    Disconnect,
    /// The environment was released.
    Release,
    /// The runtime is shutting down.
    Shutdown,
}

impl Outcome {
    /// The outcome as a word of the wire vocabulary.
    #[must_use]
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Exited(_) => "exited",
            Self::Signaled(_) => "signaled",
            Self::TimedOut { .. } => "timed_out",
            Self::Interrupted { .. } => "interrupted",
            Self::Lost { .. } => "lost",
        }
    }

    /// The status as a shell would give it: 128+n for a signal, 124 for a limit, 130 for an
    /// interrupt, 255 when nobody knows.
    #[must_use]
    pub fn returncode(&self) -> u8 {
        match self {
            Self::Exited(code) => *code,
            Self::Signaled(signal) => u8::try_from(128 + signal).unwrap_or(255),
            Self::TimedOut { .. } => 124,
            Self::Interrupted { .. } => 130,
            Self::Lost { .. } => 255,
        }
    }
}

/// Something the caller should know beside the result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Notice {
    /// A stable word for programs: `cwd_gone`, `login_failed`, …
    pub code: String,
    /// A sentence for a person.
    pub message: String,
}

impl Notice {
    /// A notice of this kind.
    pub fn new(code: impl Into<String>, message: impl Into<String>) -> Self {
        Self { code: code.into(), message: message.into() }
    }
}

/// The result of one command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExecuteResult {
    /// How it ended.
    pub outcome: Outcome,
    /// Standard output with standard error in the order they were written, or standard output
    /// alone if the request asked for separate streams. Head and tail when it was long.
    pub output: Captured,
    /// Standard error, if it was asked for apart.
    pub stderr: Option<Captured>,
    /// The working directory after the command.
    pub cwd: String,
    /// From the start of the command to its end; waiting in the queue is not in it.
    pub duration: Duration,
    /// Processes that the command left behind and that still run.
    pub left_running: Vec<ProcessInfo>,
    /// What else there is to know.
    pub notices: Vec<Notice>,
    /// Whether this is the remembered result of an earlier request with the same id.
    pub repeated: bool,
}

impl ExecuteResult {
    /// The status as a shell would give it.
    #[must_use]
    pub fn returncode(&self) -> u8 {
        self.outcome.returncode()
    }

    /// The output as text; bytes that are not UTF-8 are replaced, and a line says where the
    /// middle was left out.
    #[must_use]
    pub fn text(&self) -> String {
        self.output.text()
    }
}

/// Captured output: all of it, or its head and its tail.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Captured {
    /// The first bytes.
    pub head: Vec<u8>,
    /// The last bytes; empty when nothing was left out.
    pub tail: Vec<u8>,
    /// How many bytes there were.
    pub total_bytes: u64,
    /// The file with all of it, if one was asked for.
    pub spill: Option<PathBuf>,
}

impl Captured {
    /// How many bytes between head and tail are left out.
    #[must_use]
    pub fn omitted_bytes(&self) -> u64 {
        self.total_bytes - (self.head.len() + self.tail.len()) as u64
    }

    /// Head and tail; with a line between them that says what is left out, if anything is.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        let mut out = self.head.clone();
        if self.omitted_bytes() > 0 {
            let place = match &self.spill {
                Some(path) => format!("; all of it is in {}", path.display()),
                None => String::new(),
            };
            out.extend_from_slice(
                format!(
                    "\n[... {} of {} bytes left out{place} ...]\n",
                    self.omitted_bytes(),
                    self.total_bytes
                )
                .as_bytes(),
            );
        }
        out.extend_from_slice(&self.tail);
        out
    }

    /// [`Captured::bytes`] as text; what is not UTF-8 is replaced.
    #[must_use]
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes()).into_owned()
    }
}
