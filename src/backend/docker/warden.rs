//! A shell that waits in the container for questions about its process table.
//!
//! Starting a process in a container takes tens of milliseconds, and when the container has no
//! process to spare it fails, which is just when something has to be ended. So one shell is
//! started with the instance and asked again and again. Nothing that users say gets to it.

use std::time::Duration;

use hexad_actors::BackendError;
use hexad_actors::backend::{Process, SpawnSpec};
use tokio::sync::Mutex;
use tokio::time::{sleep, timeout};

use super::connect::QUICK;
use super::exec;
use super::instance::Instance;
use crate::backend::ask::converse;

/// The waiting shell of one instance.
#[derive(Debug)]
pub(super) struct Warden {
    instance: Instance,
    shell: Mutex<Option<Process>>,
}

impl Warden {
    pub(super) fn new(instance: Instance) -> Self {
        Self { instance, shell: Mutex::new(None) }
    }

    pub(super) fn instance(&self) -> &Instance {
        &self.instance
    }

    /// Runs a script and gives what it prints. A shell that died while it waited is replaced.
    pub(super) async fn ask(&self, script: &str) -> Result<Vec<u8>, BackendError> {
        let mut shell = self.shell.lock().await;
        if let Some(mut waiting) = shell.take()
            && let Ok(answer) = self.in_time(&mut waiting, script).await
        {
            *shell = Some(waiting);
            return Ok(answer);
        }
        let mut fresh = self.start().await?;
        let answer = self.in_time(&mut fresh, script).await?;
        *shell = Some(fresh);
        Ok(answer)
    }

    async fn start(&self) -> Result<Process, BackendError> {
        let mut env: Vec<_> = self.instance.env.to_vec();
        if !env.iter().any(|(name, _)| name == "PATH") {
            env.push(("PATH".into(), super::PATH.into()));
        }
        let spec = SpawnSpec {
            argv: ["sh", "-s", "hexad"].map(Into::into).to_vec(),
            env: env.into_iter().map(|(name, value)| (name.into(), value.into())).collect(),
        };
        match exec::spawn(&self.instance, &spec).await {
            Err(BackendError::Lost { .. }) if self.resume().await => {
                exec::spawn(&self.instance, &spec).await
            }
            other => other,
        }
    }

    /// A container that somebody paused answers nothing: it is resumed, once that is noticed.
    async fn in_time(&self, shell: &mut Process, script: &str) -> Result<Vec<u8>, BackendError> {
        let watch = async {
            sleep(Duration::from_secs(1)).await;
            self.resume().await;
            std::future::pending::<()>().await;
        };
        let work = async {
            tokio::select! {
                answer = converse(shell, script, "the container") => answer,
                () = watch => Ok(Vec::new()),
            }
        };
        timeout(QUICK, work).await.unwrap_or_else(|_| {
            Err(BackendError::lost(format!(
                "the container {} did not answer within {QUICK:?}",
                self.instance.short_id()
            )))
        })
    }

    /// Resumes the container if it is paused; gives whether it was.
    async fn resume(&self) -> bool {
        let docker = &self.instance.docker;
        let Ok(Ok(container)) =
            timeout(QUICK, docker.inspect_container(&self.instance.id, None)).await
        else {
            return false;
        };
        let paused = container.state.is_some_and(|s| s.paused == Some(true));
        paused && docker.unpause_container(&self.instance.id).await.is_ok()
    }
}
