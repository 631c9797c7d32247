//! The end of a child process, seen through a pidfd. Every child is reaped, also one that
//! nobody waits for any more.

use std::os::fd::OwnedFd;

use async_trait::async_trait;
use hexad_actors::backend::{Exit, ExitStatus};
use rustix::process::{Pid, PidfdFlags, WaitId, WaitIdOptions, pidfd_open, waitid};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

use crate::sys;

pub(super) struct ChildExit {
    pidfd: Option<AsyncFd<OwnedFd>>,
    status: Option<ExitStatus>,
}

impl ChildExit {
    /// Watches `pid`, a child of this process that nobody else waits for.
    pub(super) fn new(pid: Pid) -> std::io::Result<Self> {
        let fd = pidfd_open(pid, PidfdFlags::empty())?;
        Ok(Self { pidfd: Some(sys::watch(fd, Interest::READABLE)?), status: None })
    }
}

#[async_trait]
impl Exit for ChildExit {
    async fn wait(&mut self) -> ExitStatus {
        if let Some(status) = &self.status {
            return status.clone();
        }
        let Some(pidfd) = &self.pidfd else {
            return ExitStatus::Lost("the process is not watched".into());
        };
        let status = wait(pidfd).await;
        self.pidfd = None;
        self.status = Some(status.clone());
        status
    }
}

async fn wait(pidfd: &AsyncFd<OwnedFd>) -> ExitStatus {
    loop {
        if let Some(status) = reap(pidfd.get_ref()) {
            return status;
        }
        match pidfd.readable().await {
            Ok(mut ready) => ready.clear_ready(),
            Err(error) => return ExitStatus::Lost(format!("waiting for the process: {error}")),
        }
        // Readable means ended, and stays so: the readiness that was cleared is not needed.
        if let Some(status) = reap(pidfd.get_ref()) {
            return status;
        }
        tokio::task::yield_now().await;
    }
}

/// Takes the status of an ended process; none while it runs.
fn reap(pidfd: &OwnedFd) -> Option<ExitStatus> {
    use std::os::fd::AsFd as _;
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG;
    match waitid(WaitId::PidFd(pidfd.as_fd()), options) {
        Ok(None) => None,
        Ok(Some(status)) => Some(match (status.exit_status(), status.terminating_signal()) {
            (Some(code), _) => ExitStatus::Code(code),
            (None, Some(signal)) => ExitStatus::Signal(signal),
            (None, None) => ExitStatus::Lost("an end that is neither exit nor signal".into()),
        }),
        Err(rustix::io::Errno::INTR) => None,
        Err(error) => Some(ExitStatus::Lost(format!("waiting for the process: {error}"))),
    }
}

impl Drop for ChildExit {
    fn drop(&mut self) {
        let Some(pidfd) = self.pidfd.take() else { return };
        if reap(pidfd.get_ref()).is_some() {
            return;
        }
        // Still running; somebody else sees to its end, we to its remains.
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move {
                wait(&pidfd).await;
            });
        }
    }
}
