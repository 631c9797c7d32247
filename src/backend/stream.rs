//! The input of a process at the other end of a connection.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncWrite, AsyncWriteExt as _};

type Input = Pin<Box<dyn AsyncWrite + Send>>;

/// The input of a process. The connection has to be shut down for the process to see the end of
/// its input; dropping our half of it is not enough.
pub(super) struct Writer(Option<Input>);

impl Writer {
    pub(super) fn new(input: Input) -> Self {
        Self(Some(input))
    }

    fn input(&mut self) -> io::Result<&mut Input> {
        self.0.as_mut().ok_or_else(|| io::ErrorKind::BrokenPipe.into())
    }
}

impl AsyncWrite for Writer {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.input()?.as_mut().poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut self.0 {
            Some(input) => input.as_mut().poll_flush(context),
            None => Poll::Ready(Ok(())),
        }
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let Some(input) = &mut self.0 else { return Poll::Ready(Ok(())) };
        let result = ready!(input.as_mut().poll_shutdown(context));
        self.0 = None;
        Poll::Ready(result)
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        let Some(mut input) = self.0.take() else { return };
        // Without a runtime the connection is closed as a whole, which ends the input as well.
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move {
                let _ = input.shutdown().await;
            });
        }
    }
}
