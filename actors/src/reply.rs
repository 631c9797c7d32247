//! A place for one answer that is never dropped in silence.

use tokio::sync::oneshot;

use crate::error::Error;

/// Answers one caller. Dropped without an answer (a panic, a stopped actor), it answers with an
/// internal error, so no caller waits for ever.
#[derive(Debug)]
pub struct Reply<T>(Option<oneshot::Sender<Result<T, Error>>>);

/// Waits for the answer.
#[derive(Debug)]
pub struct Answer<T>(oneshot::Receiver<Result<T, Error>>);

impl<T> Reply<T> {
    /// A reply and the place where its answer arrives.
    #[must_use]
    pub fn new() -> (Self, Answer<T>) {
        let (sender, receiver) = oneshot::channel();
        (Self(Some(sender)), Answer(receiver))
    }

    /// Answers.
    pub fn send(mut self, answer: Result<T, Error>) {
        if let Some(sender) = self.0.take() {
            // A caller that no longer waits is not an error.
            let _ = sender.send(answer);
        }
    }

    /// Whether the caller has gone away.
    #[must_use]
    pub fn is_abandoned(&self) -> bool {
        self.0.as_ref().is_none_or(oneshot::Sender::is_closed)
    }
}

impl<T> Drop for Reply<T> {
    fn drop(&mut self) {
        if let Some(sender) = self.0.take() {
            let _ = sender.send(Err(Error::internal(
                "the actor that should have answered ended without doing so",
            )));
        }
    }
}

impl<T> Answer<T> {
    /// Waits for the answer. Dropping the future does not cancel the request.
    ///
    /// # Errors
    /// What the actor answered.
    pub async fn wait(self) -> Result<T, Error> {
        self.0.await.unwrap_or_else(|_| Err(Error::internal("the answer was lost")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_dropped_reply_is_an_answer() {
        let (reply, answer) = Reply::<()>::new();
        drop(reply);
        assert!(matches!(answer.wait().await, Err(Error::Internal { .. })));
    }

    #[tokio::test]
    async fn an_abandoned_reply_can_tell() {
        let (reply, answer) = Reply::<()>::new();
        assert!(!reply.is_abandoned());
        drop(answer);
        assert!(reply.is_abandoned());
    }
}
