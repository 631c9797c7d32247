//! The local backend with only what the trait asks for: the process table is then read and
//! signalled by the trait's own script. Proves that the seam carries the whole table.

use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use hexad::actors::backend::{Process, Progress, SpawnSpec, Started, StopMode};
use hexad::actors::{
    Backend, BackendError, Chosen, Error, NoStore, Provider, RuntimeArguments, TaskId,
};
use hexad::backend::local::{Local, LocalProfile};

use super::row::{Need, Wish};
use super::target::{Runtime, Target, config, host};

pub struct LocalPlain;

struct Plain(Local);

#[async_trait]
impl Backend for Plain {
    fn name(&self) -> &str {
        "plain"
    }

    async fn start(&self, progress: &Progress) -> Result<Started, BackendError> {
        self.0.start(progress).await
    }

    async fn spawn(&self, spec: SpawnSpec) -> Result<Process, BackendError> {
        self.0.spawn(spec).await
    }

    async fn stop(&self, mode: StopMode) -> Result<(), BackendError> {
        self.0.stop(mode).await
    }
}

struct Plains(Arc<LocalProfile>);

#[async_trait]
impl Provider for Plains {
    fn choose(&self, _: &TaskId, profile: Option<&str>) -> Result<Chosen, Error> {
        Ok(Chosen {
            profile: profile.unwrap_or("plain").to_owned(),
            backend: Arc::new(Plain(self.0.backend())),
            timeout: None,
            idle_lifetime: None,
        })
    }

    async fn sweep(&self) -> Vec<String> {
        Vec::new()
    }
}

#[async_trait]
impl Target for LocalPlain {
    fn name(&self) -> &'static str {
        "local-plain"
    }

    fn has(&self, need: Need) -> bool {
        // The script finds marks and sessions; the environment policy is not asked a second time.
        !matches!(need, Need::Descendants | Need::Persist | Need::HostEnvironment)
    }

    async fn start(&self, wish: &Wish, folder: &Path) -> Runtime {
        let config = config(wish, &[]);
        let profile = config.profile(None).unwrap();
        let profile = LocalProfile::new(profile, &Arc::new(host(wish, folder)));
        let arguments = RuntimeArguments {
            provider: Arc::new(Plains(profile)),
            store: Arc::new(NoStore),
            settings: config.settings.clone(),
            mark: uuid::Uuid::new_v4().simple().to_string()[..16].to_owned(),
            outer_mark: None,
        };
        let (supervisor, handle) = hexad::actors::start(arguments).await.unwrap();
        Runtime { supervisor, profile: None, _keep: Box::new(handle) }
    }
}
