//! The docker backend, where `HEXAD_TEST_DOCKER` says that a daemon listens (`scripts/services`).
//!
//! All tasks of a runtime share one container here: rows look at each other's files and processes,
//! and a container for each of them would take minutes. What becomes of containers themselves is
//! tested in `tests/docker`.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use hexad::FileStore;
use hexad::actors::backend::{
    LoginCache, Process, ProcessInfo, Progress, Scope, Signal, SpawnSpec, Started, StopMode,
};
use hexad::actors::{
    Backend, BackendError, Chosen, Error, NoStore, Provider, RuntimeArguments, StateStore, TaskId,
};
use hexad::backend::docker::{Docker, DockerProfile};

use super::row::{Need, Wish};
use super::target::{Runtime, Target, config, host};

/// The targets that can run here. In CI a daemon has to be there.
pub fn targets() -> Vec<Arc<dyn Target>> {
    match std::env::var("HEXAD_TEST_DOCKER") {
        Ok(address) if !address.is_empty() => vec![
            Arc::new(InContainer { address: address.clone(), bash: true }),
            Arc::new(InContainer { address, bash: false }),
        ],
        _ => {
            let required = std::env::var("CI").is_ok_and(|ci| ci == "true");
            assert!(!required, "HEXAD_TEST_DOCKER is not set: start scripts/services");
            Vec::new()
        }
    }
}

struct InContainer {
    address: String,
    bash: bool,
}

#[async_trait]
impl Target for InContainer {
    fn name(&self) -> &'static str {
        if self.bash { "docker" } else { "docker-posix" }
    }

    fn has(&self, need: Need) -> bool {
        match need {
            Need::Bash => self.bash,
            Need::ProcTable | Need::SharedFiles | Need::Persist => true,
            // The script finds marks and sessions; login files and policy are the local backend's.
            Need::Descendants | Need::Login | Need::HostEnvironment => false,
        }
    }

    fn usual_notices(&self) -> &'static [&'static str] {
        if self.bash { &[] } else { &["posix_shell"] }
    }

    async fn start(&self, wish: &Wish, folder: &Path) -> Runtime {
        let image = if self.bash { "bookworm" } else { "posix" };
        let lines = [
            "backend: docker".to_owned(),
            format!("docker_image: hexad-test:{image}"),
            "docker_network: false".to_owned(),
            "docker_volumes: ['/tmp:/tmp']".to_owned(),
            "docker_env: {LANG: C.UTF-8}".to_owned(),
            "docker_extra_args: ['--pids-limit=2000']".to_owned(),
            "container_persistent: false".to_owned(),
        ];
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let config = config(wish, &lines);
        let mut host = host(wish, folder);
        host.env.push(("DOCKER_HOST".into(), (&self.address).into()));
        let host = Arc::new(host);
        let mark = uuid::Uuid::new_v4().simple().to_string()[..16].to_owned();
        let profile = config.profile(None).unwrap();
        let profile = DockerProfile::new(profile, &host, &mark, wish.persist).unwrap();
        let shared = TaskId::new(format!("shared-{mark}")).unwrap();
        let shared = Arc::new(profile.backend(&shared));
        let store: Arc<dyn StateStore> = if wish.persist {
            Arc::new(FileStore::new(&host.state_folder(), Some(Duration::from_secs(5))))
        } else {
            Arc::new(NoStore)
        };
        // Rows that measure time must not pay for the container.
        let started = shared.start(&Progress::new(drop)).await.unwrap();
        let started = Arc::new(tokio::sync::OnceCell::new_with(Some(started)));
        let arguments = RuntimeArguments {
            provider: Arc::new(Sharing { docker: Arc::clone(&shared), started }),
            store,
            settings: config.settings.clone(),
            mark,
            outer_mark: None,
        };
        let (supervisor, _) = hexad::actors::start(arguments).await.unwrap();
        Runtime { supervisor, profile: None, _keep: Box::new(Container(shared)) }
    }
}

type Once = Arc<tokio::sync::OnceCell<Started>>;

/// Gives every task the same container.
struct Sharing {
    docker: Arc<Docker>,
    started: Once,
}

struct Shared {
    docker: Arc<Docker>,
    started: Once,
}

#[async_trait]
impl Backend for Shared {
    fn name(&self) -> &str {
        "docker"
    }

    async fn start(&self, progress: &Progress) -> Result<Started, BackendError> {
        self.started.get_or_try_init(|| self.docker.start(progress)).await.cloned()
    }

    async fn spawn(&self, spec: SpawnSpec) -> Result<Process, BackendError> {
        self.docker.spawn(spec).await
    }

    async fn stop(&self, _: StopMode) -> Result<(), BackendError> {
        Ok(())
    }

    async fn processes(&self, scope: &Scope) -> Result<Vec<ProcessInfo>, BackendError> {
        self.docker.processes(scope).await
    }

    async fn signal(&self, scope: &Scope, signal: Signal) -> Result<usize, BackendError> {
        self.docker.signal(scope, signal).await
    }

    fn login_cache(&self) -> Option<Arc<LoginCache>> {
        self.docker.login_cache()
    }

    fn describe(&self) -> Vec<(String, String)> {
        self.docker.describe()
    }
}

#[async_trait]
impl Provider for Sharing {
    fn choose(&self, _: &TaskId, profile: Option<&str>) -> Result<Chosen, Error> {
        Ok(Chosen {
            profile: profile.unwrap_or("docker").to_owned(),
            backend: Arc::new(Shared {
                docker: Arc::clone(&self.docker),
                started: Arc::clone(&self.started),
            }),
            timeout: None,
            idle_lifetime: None,
        })
    }

    async fn sweep(&self) -> Vec<String> {
        Vec::new()
    }
}

/// Removes the container when the runtime is done with.
struct Container(Arc<Docker>);

impl Drop for Container {
    fn drop(&mut self) {
        let docker = Arc::clone(&self.0);
        let remover = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            let _ = runtime.unwrap().block_on(docker.stop(StopMode::Destroy));
        });
        let _ = remover.join();
    }
}
