//! The output of a process on its way from its channel to its reader.
//!
//! One connection carries many channels, and what is not taken from one holds up all. So the task
//! that empties a channel puts what came into a buffer of its own, up to a bound that a reader who
//! goes on reading never meets.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::{Buf as _, Bytes};
use tokio::io::{AsyncRead, ReadBuf};
use tokio::sync::{Semaphore, mpsc};

/// Bytes of one stream that may wait for their reader.
const BOUND: usize = 16 * 1024 * 1024;

/// A buffer and its two ends.
pub(super) fn buffer() -> (Sink, Reader) {
    let (sender, chunks) = mpsc::unbounded_channel();
    let room = Arc::new(Semaphore::new(BOUND));
    (
        Sink { sender: Some(sender), room: Arc::clone(&room) },
        Reader { chunks, room, current: Bytes::new() },
    )
}

/// Where a channel is emptied into.
pub(super) struct Sink {
    sender: Option<mpsc::UnboundedSender<Bytes>>,
    room: Arc<Semaphore>,
}

impl Sink {
    /// Adds bytes, once there is room. Without a reader they are thrown away, so that what a
    /// command left running is not held up.
    pub(super) async fn put(&mut self, bytes: Bytes) {
        let Some(sender) = self.sender.as_ref().filter(|_| !bytes.is_empty()) else { return };
        // A packet is at most 64 KiB.
        let count = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
        let Ok(permit) = self.room.acquire_many(count).await else {
            self.sender = None;
            return;
        };
        permit.forget();
        let _ = sender.send(bytes);
    }

    /// Whether so much waits that the reader seems to stand still.
    pub(super) fn is_full(&self) -> bool {
        self.room.available_permits() < BOUND / 2 && !self.room.is_closed()
    }

    /// The end of the stream.
    pub(super) fn end(&mut self) {
        self.sender = None;
    }
}

/// What the owner of the process reads.
pub(super) struct Reader {
    chunks: mpsc::UnboundedReceiver<Bytes>,
    room: Arc<Semaphore>,
    current: Bytes,
}

impl AsyncRead for Reader {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        while self.current.is_empty() {
            match ready!(self.chunks.poll_recv(context)) {
                Some(chunk) => {
                    self.room.add_permits(chunk.len());
                    self.current = chunk;
                }
                None => return Poll::Ready(Ok(())),
            }
        }
        let count = self.current.len().min(buffer.remaining());
        buffer.put_slice(&self.current[..count]);
        self.current.advance(count);
        Poll::Ready(Ok(()))
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        self.room.close();
    }
}

/// Takes away what came ahead of a mark: what the start-up files of the login shell printed.
pub(super) struct Start {
    mark: Vec<u8>,
    /// What came until now; none once the mark was seen.
    noise: Option<Vec<u8>>,
}

/// What of the noise is kept, for the case that the mark never comes.
const NOISE: usize = 4000;

impl Start {
    pub(super) fn new(mark: &str) -> Self {
        Self { mark: mark.as_bytes().to_vec(), noise: Some(Vec::new()) }
    }

    /// What of `bytes` is behind the mark.
    pub(super) fn take(&mut self, bytes: Bytes) -> Bytes {
        let Some(noise) = &mut self.noise else { return bytes };
        // The mark may lie across the border.
        let from = noise.len().saturating_sub(self.mark.len());
        noise.extend_from_slice(&bytes);
        let found = noise[from..].windows(self.mark.len()).position(|w| w == self.mark);
        if let Some(at) = found {
            let rest = Bytes::copy_from_slice(&noise[from + at + self.mark.len()..]);
            self.noise = None;
            return rest;
        }
        if noise.len() > 2 * NOISE {
            noise.drain(..noise.len() - NOISE);
        }
        Bytes::new()
    }

    /// What came instead of the mark; none if that came.
    pub(super) fn noise(&self) -> Option<&[u8]> {
        self.noise.as_deref()
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncReadExt as _;

    use super::*;

    #[test]
    fn what_comes_ahead_of_the_mark_is_taken_away_wherever_it_is_cut() {
        let text = b"welcome\nMARMARKdata MARK more";
        for cut in 0..text.len() {
            let mut start = Start::new("MARK");
            let mut out = start.take(Bytes::copy_from_slice(&text[..cut])).to_vec();
            out.extend(start.take(Bytes::copy_from_slice(&text[cut..])));
            assert_eq!(out, b"data MARK more", "cut at {cut}");
            assert!(start.noise().is_none());
        }
    }

    #[test]
    fn long_noise_is_cut_and_the_mark_is_still_found() {
        let mut start = Start::new("MARK");
        for _ in 0..100 {
            assert!(start.take(Bytes::from(vec![b'x'; 1000])).is_empty());
        }
        assert!(start.noise().is_some_and(|noise| noise.len() <= 2 * NOISE));
        assert_eq!(start.take(Bytes::from_static(b"MARKx")), "x");
    }

    #[tokio::test]
    async fn a_reader_gets_what_was_put_and_then_the_end() {
        let (mut sink, mut reader) = buffer();
        sink.put(Bytes::from_static(b"one ")).await;
        sink.put(Bytes::from_static(b"two")).await;
        sink.end();
        let mut text = String::new();
        reader.read_to_string(&mut text).await.unwrap();
        assert_eq!(text, "one two");
    }

    #[tokio::test]
    async fn without_a_reader_nothing_waits() {
        let (mut sink, reader) = buffer();
        sink.put(Bytes::from(vec![0; BOUND])).await;
        assert!(sink.is_full());
        drop(reader);
        sink.put(Bytes::from_static(b"more")).await;
        assert!(!sink.is_full());
    }
}
