//! What a caller can watch while its command waits and runs.

use std::time::Duration;

use tokio::sync::mpsc;

use crate::error::Error;
use crate::outcome::{ExecuteResult, Notice};
use crate::output::TextOrBytes;

/// Which of a command's streams a chunk is from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    /// Standard output; with standard error in it unless separate streams were asked for.
    Stdout,
    /// Standard error, if asked for apart.
    Stderr,
}

/// One step in the life of a request. The last one is `Finished` or `Failed`.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Event {
    /// The request waits behind this many others.
    Queued {
        /// How many commands run before it, the running one included.
        position: usize,
    },
    /// Provisioning says something ("pulling layer 3 of 7").
    Provisioning {
        /// For a person.
        message: String,
    },
    /// The command begins.
    Started {
        /// The backend it runs on.
        backend: String,
    },
    /// The next bytes.
    Output {
        /// Counts the chunks of this request from 0, whichever stream they are of.
        seq: u64,
        /// Where in its stream the chunk begins, in bytes.
        offset: u64,
        /// Which stream.
        stream: Stream,
        /// The bytes; characters are not split between chunks.
        data: TextOrBytes,
    },
    /// The subscriber was too slow: bytes are missing in the events (not in the result).
    Gap {
        /// The sequence number of the first chunk that is missing.
        seq: u64,
        /// How many bytes are missing.
        bytes: u64,
    },
    /// The command still runs.
    Progress {
        /// Since it began.
        elapsed: Duration,
        /// Bytes of output until now.
        bytes: u64,
        /// The last line with something in it, cut.
        last_line: String,
    },
    /// Something to know.
    Notice(Notice),
    /// The command came to an end.
    Finished(Box<ExecuteResult>),
    /// There is no result.
    Failed(Error),
}

impl Event {
    /// Whether nothing comes after it.
    #[must_use]
    pub fn is_last(&self) -> bool {
        matches!(self, Self::Finished(_) | Self::Failed(_))
    }
}

/// What happens when a subscriber does not keep up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slow {
    /// Chunks are left out and a gap is reported; the command is never held up.
    Skip,
    /// The command waits, as it would for a slow reader of a pipe. Its limit still counts.
    Wait,
}

/// Somebody who watches one request.
#[derive(Clone, Debug)]
pub struct Subscriber {
    /// Where events go. Its capacity bounds what a slow reader costs.
    pub sender: mpsc::Sender<Event>,
    /// What to do when it is full.
    pub slow: Slow,
}
