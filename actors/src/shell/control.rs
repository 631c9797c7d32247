//! Finding the shell's own frames in its control stream.
//!
//! A frame is `NUL nonce :` kind payload `NUL nonce ;`. A shell value cannot hold a NUL, so
//! nothing that is printed as part of the state can end a frame. Bytes outside frames belong to
//! the user (standard error, when the caller asked for separate streams) or are noise.
//! This module knows nothing of what frames mean.

use std::fmt;

/// The largest payload that is kept; a longer frame is reported as [`Frame::oversize`].
pub const MAX_FRAME: usize = 32 * 1024 * 1024;

/// A random word that tells one shell's frames from anything else.
#[derive(Clone, PartialEq, Eq)]
pub struct Nonce(String);

impl Nonce {
    /// A fresh one: 32 hexadecimal digits.
    #[must_use]
    pub fn random() -> Self {
        Self(uuid::Uuid::new_v4().simple().to_string())
    }

    /// One of known text, for tests. Only letters and digits make sense.
    #[must_use]
    pub fn fixed(text: &str) -> Self {
        Self(text.to_owned())
    }

    /// The digits.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Nonce {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Nonce(..)")
    }
}

/// One frame of the control stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// Its kind, one letter.
    pub kind: u8,
    /// What it carries; cut at [`MAX_FRAME`].
    pub payload: Vec<u8>,
    /// Whether the payload was longer than [`MAX_FRAME`].
    pub oversize: bool,
}

/// Splits a control stream, fed in pieces, into frames and the bytes between them.
#[derive(Debug)]
pub struct FrameReader {
    open: Vec<u8>,
    close: Vec<u8>,
    pending: Vec<u8>,
    inside: Option<Frame>,
    limit: usize,
}

impl FrameReader {
    /// A reader for the frames of the shell that was given `nonce`.
    #[must_use]
    pub fn new(nonce: &Nonce) -> Self {
        Self::with_limit(nonce, MAX_FRAME)
    }

    /// The same with another bound for payloads.
    #[must_use]
    pub fn with_limit(nonce: &Nonce, limit: usize) -> Self {
        let mark = |end: char| format!("\0{}{end}", nonce.as_str()).into_bytes();
        Self { open: mark(':'), close: mark(';'), pending: Vec::new(), inside: None, limit }
    }

    /// Takes the next piece of the stream. Complete frames go to `frames`, bytes that are
    /// certainly outside any frame to `outside`.
    pub fn feed(&mut self, bytes: &[u8], frames: &mut Vec<Frame>, outside: &mut Vec<u8>) {
        self.pending.extend_from_slice(bytes);
        loop {
            let mark = if self.inside.is_some() { &self.close } else { &self.open };
            let length = mark.len();
            let Some(at) = find(&self.pending, mark) else {
                let keep = partial_mark(&self.pending, mark);
                self.take(self.pending.len() - keep, outside);
                return;
            };
            let kind = self.pending.get(at + length).copied();
            self.take(at, outside);
            if let Some(frame) = self.inside.take() {
                self.pending.drain(..length);
                frames.push(frame);
            } else if let Some(kind) = kind {
                self.pending.drain(..=length);
                self.inside = Some(Frame { kind, payload: Vec::new(), oversize: false });
            } else {
                return;
            }
        }
    }

    /// Ends the stream: what was held back outside a frame comes out. Gives whether the stream
    /// ended inside a frame.
    pub fn finish(&mut self, outside: &mut Vec<u8>) -> bool {
        let all = self.pending.len();
        self.take(all, outside);
        self.inside.take().is_some()
    }

    /// Moves the first `count` pending bytes to where they belong.
    fn take(&mut self, count: usize, outside: &mut Vec<u8>) {
        if count == 0 {
            return;
        }
        if let Some(frame) = &mut self.inside {
            let room = self.limit.saturating_sub(frame.payload.len());
            frame.oversize |= count > room;
            frame.payload.extend(self.pending.drain(..count).take(room));
        } else {
            outside.extend(self.pending.drain(..count));
        }
    }
}

fn find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    let first = *needle.first()?;
    let mut at = 0;
    while let Some(step) = haystack.get(at..)?.iter().position(|&b| b == first) {
        at += step;
        if haystack[at..].starts_with(needle) {
            return Some(at);
        }
        at += 1;
    }
    None
}

/// The length of the longest end of `bytes` that could begin `mark`.
fn partial_mark(bytes: &[u8], mark: &[u8]) -> usize {
    let longest = bytes.len().min(mark.len() - 1);
    (1..=longest).rev().find(|&n| bytes.ends_with(&mark[..n])).unwrap_or(0)
}

#[cfg(test)]
#[path = "control_tests.rs"]
mod tests;
