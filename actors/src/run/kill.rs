//! Ending processes: ask, wait a grace, insist, and make sure.

use std::time::Duration;

use tokio::time::{Instant, sleep};

use crate::backend::{Backend, Scope, Signal};

/// Between two looks at the process table while waiting for processes to go.
const FIRST_LOOK: Duration = Duration::from_millis(2);
const LONGEST_LOOK: Duration = Duration::from_millis(50);
/// How long processes may take to vanish once they were sent KILL.
const AFTER_KILL: Duration = Duration::from_secs(5);

/// Ends every process in `scope`: TERM and CONT, up to `grace`, then KILL until none is left.
/// Returns how many could not be ended (stuck in the kernel, or not ours).
pub(crate) async fn terminate(backend: &dyn Backend, scope: &Scope, grace: Duration) -> usize {
    ask(backend, scope).await;
    if wait_gone(backend, scope, grace).await == 0 {
        return 0;
    }
    end_everything(backend, scope).await
}

/// TERM, and CONT so that stopped processes see it.
pub(crate) async fn ask(backend: &dyn Backend, scope: &Scope) {
    for signal in [Signal::Term, Signal::Cont] {
        if let Err(error) = backend.signal(scope, signal).await {
            tracing::warn!(backend = backend.name(), %error, "could not signal processes");
        }
    }
}

/// KILL, again and again, until nothing in `scope` is left. Returns how many are.
pub(crate) async fn end_everything(backend: &dyn Backend, scope: &Scope) -> usize {
    let deadline = Instant::now() + AFTER_KILL;
    loop {
        if let Err(error) = backend.signal(scope, Signal::Kill).await {
            tracing::warn!(backend = backend.name(), %error, "could not kill processes");
        }
        let left = wait_gone(backend, scope, Duration::from_millis(100)).await;
        if left == 0 || Instant::now() >= deadline {
            return left;
        }
    }
}

/// Waits until `scope` is empty, at most for `limit`. Returns how many processes are left.
pub(crate) async fn wait_gone(backend: &dyn Backend, scope: &Scope, limit: Duration) -> usize {
    let deadline = Instant::now() + limit;
    let mut pause = FIRST_LOOK;
    loop {
        let left = match backend.processes(scope).await {
            Ok(processes) => processes.len(),
            // Nobody can tell: as good as gone, the caller has signalled what it could.
            Err(_) => 0,
        };
        let now = Instant::now();
        if left == 0 || now >= deadline {
            return left;
        }
        sleep(pause.min(deadline - now)).await;
        pause = (pause * 2).min(LONGEST_LOOK);
    }
}
