//! The ends of pipes that hexad holds, as async streams.
//!
//! A read asks the kernel first and the reactor second, so `Pending` means that the pipe was empty
//! when it was asked. The final drain of a command depends on that.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use rustix::io::Errno;
use tokio::io::unix::AsyncFd;
use tokio::io::{AsyncRead, AsyncWrite, Interest, ReadBuf};

use crate::sys;

/// Makes a pipe: (reading end, writing end), both close-on-exec and blocking.
pub(super) fn pair() -> io::Result<(OwnedFd, OwnedFd)> {
    Ok(rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC)?)
}

fn nonblocking(fd: &OwnedFd) -> io::Result<()> {
    let flags = rustix::fs::fcntl_getfl(fd)?;
    Ok(rustix::fs::fcntl_setfl(fd, flags | rustix::fs::OFlags::NONBLOCK)?)
}

pub(super) struct Reader {
    fd: AsyncFd<OwnedFd>,
    /// Whether the kernel was asked for a larger buffer.
    grown: bool,
}

/// What a pipe is grown to once a command writes much: fewer, larger reads.
const LARGE_PIPE: usize = 1024 * 1024;
/// A pipe's own size.
const FULL: usize = 64 * 1024;

impl Reader {
    pub(super) fn new(fd: OwnedFd) -> io::Result<Self> {
        nonblocking(&fd)?;
        Ok(Self { fd: sys::watch(fd, Interest::READABLE)?, grown: false })
    }

    fn grow(&mut self) {
        self.grown = true;
        // More is a wish: over the user's quota the kernel refuses.
        let _ = rustix::pipe::fcntl_setpipe_size(self.fd.get_ref(), LARGE_PIPE);
    }
}

impl AsyncRead for Reader {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        loop {
            let space = buffer.initialize_unfilled();
            match rustix::io::read(self.fd.get_ref().as_fd(), space) {
                Ok(count) => {
                    buffer.advance(count);
                    if count >= FULL && !self.grown {
                        self.grow();
                    }
                    return Poll::Ready(Ok(()));
                }
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => ready!(self.fd.poll_read_ready(context))?.clear_ready(),
                Err(error) => return Poll::Ready(Err(error.into())),
            }
        }
    }
}

pub(super) struct Writer(Option<AsyncFd<OwnedFd>>);

impl Writer {
    pub(super) fn new(fd: OwnedFd) -> io::Result<Self> {
        nonblocking(&fd)?;
        Ok(Self(Some(sys::watch(fd, Interest::WRITABLE)?)))
    }
}

impl AsyncWrite for Writer {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let Some(fd) = &self.0 else { return Poll::Ready(Err(io::ErrorKind::BrokenPipe.into())) };
        loop {
            match rustix::io::write(fd.get_ref().as_fd(), bytes) {
                Ok(count) => return Poll::Ready(Ok(count)),
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => ready!(fd.poll_write_ready(context))?.clear_ready(),
                Err(error) => return Poll::Ready(Err(error.into())),
            }
        }
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    /// Closes the pipe: the other side sees the end of file.
    fn poll_shutdown(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.0 = None;
        Poll::Ready(Ok(()))
    }
}
