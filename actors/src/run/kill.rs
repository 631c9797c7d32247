//! Ending processes: ask, wait a grace, insist, and make sure.

use std::time::Duration;

use tokio::time::{Instant, sleep};

use crate::backend::{Backend, Scope, Signal};
use crate::error::BackendError;

/// Between two looks at the process table while waiting for processes to go.
const FIRST_LOOK: Duration = Duration::from_millis(2);
const LONGEST_LOOK: Duration = Duration::from_millis(50);
/// How long processes may take to vanish once they were sent KILL.
const AFTER_KILL: Duration = Duration::from_secs(5);

/// Ends every process in `scope`: TERM and CONT, up to `grace`, then KILL until none is left.
/// Returns how many could not be ended (stuck in the kernel, or not ours).
pub(crate) async fn terminate(backend: &dyn Backend, scope: &Scope, grace: Duration) -> usize {
    let asked = ask(backend, scope).await;
    match wait_gone(backend, scope, grace).await {
        Ok(0) => return 0,
        Ok(_) => {}
        // Neither signals nor looks get through: there is nobody to be patient with.
        Err(_) if !asked => {}
        Err(_) => sleep(grace).await,
    }
    end_everything(backend, scope).await
}

/// TERM, and CONT so that stopped processes see it. Gives whether that could be sent.
async fn ask(backend: &dyn Backend, scope: &Scope) -> bool {
    let mut sent = true;
    for signal in [Signal::Term, Signal::Cont] {
        if let Err(error) = backend.signal(scope, signal).await {
            tracing::warn!(backend = backend.name(), %error, "could not signal processes");
            sent = false;
        }
    }
    sent
}

/// KILL, again and again, until nothing in `scope` is left. Returns how many are.
pub(crate) async fn end_everything(backend: &dyn Backend, scope: &Scope) -> usize {
    let deadline = Instant::now() + AFTER_KILL;
    loop {
        if let Err(error) = backend.signal(scope, Signal::Kill).await {
            tracing::warn!(backend = backend.name(), %error, "could not kill processes");
        }
        // Nobody can tell: as good as gone, KILL is the last that can be done.
        let left = wait_gone(backend, scope, Duration::from_millis(100)).await.unwrap_or(0);
        if left == 0 || Instant::now() >= deadline {
            return left;
        }
    }
}

/// Waits until `scope` is empty, at most for `limit`. Returns how many processes are left.
async fn wait_gone(
    backend: &dyn Backend,
    scope: &Scope,
    limit: Duration,
) -> Result<usize, BackendError> {
    let deadline = Instant::now() + limit;
    let mut pause = FIRST_LOOK;
    loop {
        let left = backend.processes(scope).await?.len();
        let now = Instant::now();
        if left == 0 || now >= deadline {
            return Ok(left);
        }
        sleep(pause.min(deadline - now)).await;
        pause = (pause * 2).min(LONGEST_LOOK);
    }
}
