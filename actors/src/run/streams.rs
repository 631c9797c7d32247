//! What a shell writes to: its output, its control stream, the file with its record.
//!
//! This module must not know what a frame means.

use std::fs::File;
use std::os::unix::fs::FileExt as _;

use tokio::io::{AsyncRead, AsyncReadExt as _};

use crate::shell::control::MAX_FRAME;
use crate::shell::{Frame, FrameReader, Nonce};

/// The most that is read of the file with the record.
const RECORD_FILE_LIMIT: u64 = 2 * MAX_FRAME as u64;
const FIRST_BUFFER: usize = 8 * 1024;
const LARGE_BUFFER: usize = 256 * 1024;

/// Standard output of the shell.
pub(super) struct Stdout {
    pub(super) stream: Box<dyn AsyncRead + Send + Unpin>,
    pub(super) buffer: Vec<u8>,
    pub(super) open: bool,
    /// Looks for the end mark, where there is one.
    pub(super) frames: Option<FrameReader>,
    /// Whether everything that the shell itself wrote has come.
    pub(super) complete: bool,
}

/// The control stream of the shell.
pub(super) struct Controls {
    pub(super) stream: Box<dyn AsyncRead + Send + Unpin>,
    pub(super) buffer: Vec<u8>,
    pub(super) open: bool,
    pub(super) frames: FrameReader,
}

impl Stdout {
    /// With `frames`, the end of what the shell itself writes has a mark, which they look for.
    pub(super) fn new(
        stream: Box<dyn AsyncRead + Send + Unpin>,
        frames: Option<FrameReader>,
    ) -> Self {
        let complete = frames.is_none();
        Self { stream, buffer: Vec::new(), open: true, frames, complete }
    }

    pub(super) async fn read(&mut self) -> usize {
        read(&mut *self.stream, &mut self.buffer, self.open).await
    }
}

impl Controls {
    pub(super) fn new(stream: Box<dyn AsyncRead + Send + Unpin>, frames: FrameReader) -> Self {
        Self { stream, buffer: Vec::new(), open: true, frames }
    }

    pub(super) async fn read(&mut self) -> usize {
        read(&mut *self.stream, &mut self.buffer, self.open).await
    }
}

/// The file in which the shell leaves its record.
pub(super) struct RecordFile {
    file: File,
    frames: FrameReader,
}

impl RecordFile {
    pub(super) fn new(file: File, nonce: &Nonce) -> Self {
        Self { file, frames: FrameReader::new(nonce) }
    }

    /// What it holds. The command could write to it as well: only the shell's own frames count.
    pub(super) fn read(mut self) -> Vec<Frame> {
        let (mut frames, mut outside) = (Vec::new(), Vec::new());
        let mut buffer = vec![0; FIRST_BUFFER];
        let mut at = 0;
        while let Ok(count @ 1..) = self.file.read_at(&mut buffer, at) {
            self.frames.feed(&buffer[..count], &mut frames, &mut outside);
            outside.clear();
            at += count as u64;
            if at > RECORD_FILE_LIMIT {
                break;
            }
        }
        // What the command left running keeps it open.
        let _ = self.file.set_len(0);
        frames
    }
}

/// Fills `buffer` anew; 0 is the end. A stream that is not open never becomes ready. The buffer
/// grows once it was filled, so that a quiet command stays small.
async fn read(
    stream: &mut (dyn AsyncRead + Send + Unpin),
    buffer: &mut Vec<u8>,
    open: bool,
) -> usize {
    if !open {
        return std::future::pending().await;
    }
    let full = !buffer.is_empty() && buffer.len() == buffer.capacity();
    buffer.clear();
    if full {
        buffer.reserve((buffer.capacity() * 4).min(LARGE_BUFFER));
    } else if buffer.capacity() == 0 {
        buffer.reserve(FIRST_BUFFER);
    }
    // A stream that fails has ended: the exit says whether the command did.
    stream.read_buf(buffer).await.unwrap_or(0)
}
