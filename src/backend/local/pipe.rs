//! The ends of pipes that hexad holds, as async streams.
//!
//! A read asks the kernel first and the reactor second, so `Pending` means that the pipe was empty
//! when it was asked. The final drain of a command depends on that.

use std::future::Future as _;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use rustix::io::Errno;
use tokio::io::unix::AsyncFd;
use tokio::io::{AsyncRead, AsyncWrite, Interest, ReadBuf};
use tokio::time::{Instant, Sleep, sleep};

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
    state: State,
    /// How many reads in a row brought only a little.
    littles: u8,
    /// Whether the kernel was asked for a larger buffer.
    grown: bool,
}

/// How a reader learns that there is more.
enum State {
    /// The reactor says so.
    Watched(AsyncFd<OwnedFd>),
    /// It looks again when the pause is over.
    Resting(OwnedFd, Pin<Box<Sleep>>),
    /// Between the two, or after a failure to register.
    Closed,
}

/// What a pipe is grown to once a command writes much: fewer, larger reads.
const LARGE_PIPE: usize = 1024 * 1024;
/// A pipe's own size.
const FULL: usize = 64 * 1024;
/// Less than this is a little: somebody writes line by line.
const LITTLE: usize = 4 * 1024;
/// After so many a reader rests.
const ENOUGH: u8 = 3;
/// How long a reader rests between pieces that are little. Shells write each line by itself; being
/// woken for each costs both sides more than writing it. A piece that follows a silence comes at
/// once, and whoever waits for a process asks again when it has ended, so a rest delays what comes
/// while a process runs and never its end.
const REST: Duration = Duration::from_millis(1);

impl Reader {
    pub(super) fn new(fd: OwnedFd) -> io::Result<Self> {
        nonblocking(&fd)?;
        let state = State::Watched(sys::watch(fd, Interest::READABLE)?);
        Ok(Self { state, littles: 0, grown: false })
    }

    fn fd(&self) -> io::Result<BorrowedFd<'_>> {
        match &self.state {
            State::Watched(fd) => Ok(fd.get_ref().as_fd()),
            State::Resting(fd, _) => Ok(fd.as_fd()),
            State::Closed => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }

    fn took(&mut self, count: usize) {
        self.littles = if count < LITTLE { self.littles.saturating_add(1) } else { 0 };
        if count >= FULL && !self.grown {
            self.grown = true;
            if let Ok(fd) = self.fd() {
                // More is a wish: over the user's quota the kernel refuses.
                let _ = rustix::pipe::fcntl_setpipe_size(fd, LARGE_PIPE);
            }
        }
    }

    /// The pipe is empty: ready when it is worth asking again.
    fn poll_more(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut self.state {
            State::Watched(fd) if self.littles < ENOUGH => {
                ready!(fd.poll_read_ready(context))?.clear_ready();
            }
            State::Resting(_, pause) => {
                if pause.as_mut().poll(context).is_pending() {
                    return Poll::Pending;
                }
                if std::mem::take(&mut self.littles) > 0 {
                    pause.as_mut().reset(Instant::now() + REST);
                } else if let State::Resting(fd, _) = self.leave() {
                    // Registering tells of what came before it, too.
                    self.state = State::Watched(sys::watch(fd, Interest::READABLE)?);
                }
            }
            _ => {
                self.littles = 0;
                if let State::Watched(fd) = self.leave() {
                    self.state = State::Resting(fd.into_inner(), Box::pin(sleep(REST)));
                }
            }
        }
        Poll::Ready(Ok(()))
    }

    fn leave(&mut self) -> State {
        std::mem::replace(&mut self.state, State::Closed)
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
            match rustix::io::read(self.fd()?, space) {
                Ok(count) => {
                    buffer.advance(count);
                    self.took(count);
                    return Poll::Ready(Ok(()));
                }
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => ready!(self.poll_more(context))?,
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

#[cfg(test)]
#[path = "pipe_tests.rs"]
mod tests;
