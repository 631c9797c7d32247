//! The output of a process, as a task hands it on that takes one connection apart into two streams.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::{Buf as _, Bytes};
use tokio::io::{AsyncRead, ReadBuf};
use tokio::sync::mpsc;

/// One of the two streams that come over one connection, taken apart by a task.
pub(super) struct Reader {
    chunks: mpsc::Receiver<Bytes>,
    current: Bytes,
}

impl Reader {
    pub(super) fn new(chunks: mpsc::Receiver<Bytes>) -> Self {
        Self { chunks, current: Bytes::new() }
    }
}

impl AsyncRead for Reader {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        while self.current.is_empty() {
            match ready!(self.chunks.poll_recv(context)) {
                Some(chunk) => self.current = chunk,
                None => return Poll::Ready(Ok(())),
            }
        }
        let count = self.current.len().min(buffer.remaining());
        buffer.put_slice(&self.current[..count]);
        self.current.advance(count);
        Poll::Ready(Ok(()))
    }
}
