//! The docker backend: a container for each task, its commands started over the daemon's API.
//!
//! No client program is run. Whatever is known about a container comes from the daemon's answers,
//! never from the output of a command. This module must not read configuration or the process
//! environment: it is handed both.

mod connect;
mod exec;
mod extra;
mod image;
mod instance;
mod labels;
mod limits;
mod probe;
mod settings;
mod spec;
mod stream;
mod sweep;
mod volumes;
mod warden;

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use bollard::Docker as Client;
use hexad_actors::backend::{
    Capabilities, LoginCache, Process, ProcessInfo, Progress, Scope, Signal, SpawnSpec, Started,
    StopMode, table,
};
use hexad_actors::shell::login::LoginPlan;
use hexad_actors::shell::{Dialect, ShellState};
use hexad_actors::{Backend, BackendError, Notice, TaskId, Unavailable};
use tokio::sync::OnceCell;
use tokio::time::timeout;

use self::connect::{Endpoint, QUICK};
use self::instance::Getting;
use self::labels::Owner;
use self::limits::Daemon;
use self::settings::{Settings, WORKSPACE};
use self::warden::Warden;
use crate::config::Profile;
use crate::host::Host;

/// How long the streams of a shell that has ended may take to end too. Longer means that another
/// process holds them.
const SETTLE: Duration = Duration::from_millis(15);

/// How long the end of a shell is waited for that wrote its final record, but did not come to the end
/// of its command: a signal may have ended it. The daemon is asked, which takes a millisecond; but it
/// is two seconds behind while a process that an earlier command left running holds its streams.
const EXIT_GRACE: Duration = Duration::from_millis(300);

/// What a shell gets where neither image nor configuration say otherwise; the daemon's own default.
const PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// The docker backend of one profile.
pub struct DockerProfile {
    settings: Settings,
    endpoint: Arc<Endpoint>,
    host: Arc<Host>,
    /// What the container is made with, as its label says it.
    config_label: String,
    owner: String,
    /// What login files of the image say, where they are the same for every task.
    login: Arc<LoginCache>,
    mark: String,
    /// Names the state folder: two users may call their tasks the same.
    home: String,
    /// Whether states outlive this process, so that a container is worth keeping.
    keeps_state: bool,
    stale: Duration,
    daemon: OnceCell<(Daemon, bool)>,
}

impl std::fmt::Debug for DockerProfile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DockerProfile").field("endpoint", &self.endpoint).finish_non_exhaustive()
    }
}

impl DockerProfile {
    /// Takes what the profile says about the docker backend. `mark` is the runtime's.
    ///
    /// # Errors
    /// Options that contradict each other or are not taken.
    pub fn new(
        profile: &Profile,
        host: &Arc<Host>,
        mark: &str,
        keeps_state: bool,
    ) -> Result<Arc<Self>, String> {
        let settings = Settings::new(profile, host)?;
        let home = format!("{}:{}", host.name, host.state_folder().display());
        Ok(Arc::new(Self {
            config_label: labels::config_label(&settings.pieces()),
            endpoint: Arc::new(Endpoint::find(host)),
            owner: Owner::current(&host.name, mark).to_label(),
            login: Arc::default(),
            mark: mark.to_owned(),
            home: labels::digest(&home),
            host: Arc::clone(host),
            keeps_state,
            stale: 2 * profile.seconds("lifetime_seconds").max(Duration::from_secs(60)),
            daemon: OnceCell::new(),
            settings,
        }))
    }

    /// A backend for the environment of `task`.
    #[must_use]
    pub fn backend(self: &Arc<Self>, task: &TaskId) -> Docker {
        let keep = self.settings.across && self.keeps_state;
        Docker {
            task: TaskLabels {
                id: task.as_str().to_owned(),
                profile: self.settings.profile.clone(),
                home: self.home.clone(),
                owner: self.owner.clone(),
                keep,
            },
            folder: self.settings.folder(task),
            profile: Arc::clone(self),
            state: Mutex::new(State::default()),
        }
    }

    /// Removes the containers of runtimes that are dead and that nobody will come back to. Gives
    /// a sentence for each.
    pub async fn sweep(&self) -> Vec<String> {
        sweep::sweep(&self.endpoint, &self.host, self.stale).await
    }

    /// Where the daemon is looked for. Two profiles with the same one need one sweep.
    #[must_use]
    pub fn address(&self) -> &str {
        &self.endpoint.address
    }

    fn is_podman(&self) -> bool {
        self.daemon.get().is_some_and(|(_, podman)| *podman)
    }

    /// What the daemon can do, asked once.
    async fn daemon(&self, client: &Client) -> Result<&Daemon, BackendError> {
        let ask = async {
            let answers = async { tokio::try_join!(client.info(), client.version()) };
            let answers = timeout(QUICK, answers).await;
            let (info, version) = answers
                .unwrap_or(Err(bollard::errors::Error::RequestTimeoutError))
                .map_err(|error| self.endpoint.classify(error, "asking what it can do"))?;
            let podman = version.components.iter().flatten().any(|c| c.name.contains("Podman"));
            Ok((Daemon::new(&info), podman))
        };
        self.daemon.get_or_try_init(|| ask).await.map(|(daemon, _)| daemon)
    }
}

/// Whether a daemon answers where `host` says one is; what it is or why not, in words.
///
/// # Errors
/// Why there is none.
pub async fn look(host: &Host) -> Result<String, String> {
    let endpoint = Endpoint::find(host);
    let client = endpoint.client().map_err(|e| e.to_string())?;
    let info = timeout(QUICK / 2, client.info()).await;
    let info = info
        .unwrap_or(Err(bollard::errors::Error::RequestTimeoutError))
        .map_err(|error| endpoint.classify(error, "asking what it can do").to_string())?;
    let daemon = Daemon::new(&info);
    let missing: Vec<&str> = [
        (daemon.memory, "memory"),
        (daemon.cpu, "processors"),
        (daemon.pids, "processes"),
        (daemon.disk, "disk"),
    ]
    .into_iter()
    .filter_map(|(can, what)| (!can).then_some(what))
    .collect();
    let limits = match missing.is_empty() {
        true => "all limits can be enforced".to_owned(),
        false => format!("limits that it cannot enforce: {}", missing.join(", ")),
    };
    Ok(format!("a daemon, version {}, at {}; {limits}", daemon.version, endpoint.address))
}

/// What the labels of a task's container say.
#[derive(Clone, Debug)]
struct TaskLabels {
    id: String,
    profile: String,
    home: String,
    owner: String,
    keep: bool,
}

impl TaskLabels {
    /// What finds the containers of the task, whoever made them.
    fn filters(&self) -> Vec<String> {
        vec![
            format!("{}=1", labels::HEXAD),
            format!("{}={}", labels::HOME, self.home),
            format!("{}={}", labels::TASK_ID, self.id),
            format!("{}={}", labels::PROFILE, labels::cleaned(&self.profile)),
        ]
    }

    fn labels(&self, config: &str) -> HashMap<String, String> {
        [
            (labels::HEXAD, "1".to_owned()),
            (labels::TASK, labels::cleaned(&self.id)),
            (labels::TASK_ID, self.id.clone()),
            (labels::PROFILE, labels::cleaned(&self.profile)),
            (labels::HOME, self.home.clone()),
            (labels::CONFIG, config.to_owned()),
            (labels::KEEP, u8::from(self.keep).to_string()),
            (labels::OWNER, self.owner.clone()),
        ]
        .map(|(name, value)| (name.to_owned(), value))
        .into()
    }
}

/// The docker backend of one environment.
#[derive(Debug)]
pub struct Docker {
    profile: Arc<DockerProfile>,
    task: TaskLabels,
    folder: std::path::PathBuf,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    warden: Option<Arc<Warden>>,
    described: Vec<(String, String)>,
    /// Whether the instance is as its image made it.
    fresh: bool,
}

impl Docker {
    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn warden(&self) -> Option<Arc<Warden>> {
        self.state().warden.clone()
    }

    /// Why a new container did not live long enough to be asked anything. It is removed.
    async fn ended_at_once(&self, found: &instance::Found) -> BackendError {
        let (instance, image) = (&found.instance, &self.profile.settings.image);
        let container = instance.docker.inspect_container(&instance.id, None).await;
        let code = container.ok().and_then(|c| c.state).and_then(|s| s.exit_code);
        if let Err(error) = instance::remove(&instance.docker, &instance.id).await {
            tracing::debug!(%error, "a container that ended at once is left to the sweep");
        }
        if code == Some(127) {
            return BackendError::unavailable(
                Unavailable::NoBinary,
                format!(
                    "the image {image} has no sh, so no command can run in it; choose an image \
                     with bash (docker_image)"
                ),
            );
        }
        let code = code.map_or_else(|| "unknown".into(), |code| code.to_string());
        BackendError::unavailable(
            Unavailable::Refused,
            format!("a container from {image} ended as soon as it was started (status {code})"),
        )
    }

    fn described(&self, found: &instance::Found, daemon: &Daemon) -> Vec<(String, String)> {
        let settings = &self.profile.settings;
        let (limits, _) = settings.wanted.on(daemon);
        let none = || "not limited".to_owned();
        let mut described = vec![
            ("container", found.instance.short_id().to_owned()),
            ("image", settings.image.clone()),
            ("daemon", format!("{} at {}", daemon.version, self.profile.endpoint.address)),
            ("network", if settings.network { "on" } else { "off" }.to_owned()),
            ("processors", limits.nano_cpus.map_or_else(none, |_| settings.wanted.cpu.to_string())),
            (
                "memory",
                limits.memory.map_or_else(none, |_| format!("{} MB", settings.wanted.memory_mb)),
            ),
            ("processes", limits.pids.map_or_else(none, |pids| pids.to_string())),
            ("disk", limits.disk.unwrap_or_else(none)),
        ];
        if !found.user.is_empty() {
            described.push(("user", found.user.clone()));
        }
        if settings.persistent {
            described.push(("files", self.folder.display().to_string()));
        }
        if settings.binds.iter().any(volumes::Bind::is_control_socket) {
            described.push(("host_access", "yes, through a mounted socket".into()));
        }
        if !settings.extras.is_empty() {
            let shown: Vec<String> = settings.extras.iter().map(extra::Extra::shown).collect();
            described.push(("extra_args", shown.join(" ")));
        }
        described.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }
}

#[async_trait]
impl Backend for Docker {
    fn name(&self) -> &str {
        "docker"
    }

    async fn start(&self, progress: &Progress) -> Result<Started, BackendError> {
        let profile = &*self.profile;
        self.state().warden = None;
        let client = profile.endpoint.client()?;
        let daemon = profile.daemon(&client).await?;
        let getting = Getting {
            profile,
            task: &self.task,
            docker: &client,
            daemon,
            folder: &self.folder,
            progress,
        };
        let mut found = getting.get().await?;
        let mut env = found.instance.env.to_vec();
        if !env.iter().any(|(name, _)| name == "PATH") {
            env.push(("PATH".into(), PATH.into()));
        }
        let warden = Arc::new(Warden::new(found.instance.clone()));
        // Whoever keeps states holds the task alone, so what other runtimes left is nobody's.
        let alone = found.reattached && profile.keeps_state;
        let mark = alone.then_some(profile.mark.as_str());
        let probed = match probe::probe(&warden, found.cwd.as_deref(), mark).await {
            Err(BackendError::Lost { .. }) if !found.reattached => {
                return Err(self.ended_at_once(&found).await);
            }
            other => other?,
        };
        let mut notices = std::mem::take(&mut found.notices);
        if probed.ended > 0 {
            notices.push(Notice::new(
                "leftovers_ended",
                format!(
                    "{} processes that a hexad which died had left in the container were ended",
                    probed.ended
                ),
            ));
        }
        let cwd = match &found.cwd {
            Some(cwd) if probed.cwd_is_there => cwd.clone(),
            Some(cwd) => {
                let used = if probed.home_is_writable { probed.home.as_str() } else { WORKSPACE };
                notices.push(Notice::new(
                    "cwd_gone",
                    format!("{cwd} cannot be entered in the container; commands start in {used}"),
                ));
                used.to_owned()
            }
            None if probed.home_is_writable => probed.home.clone(),
            None => WORKSPACE.to_owned(),
        };
        env.extend(profile.settings.forwarded.iter().cloned());
        if !env.iter().any(|(name, _)| name == "HOME") && !probed.home.is_empty() {
            env.push(("HOME".into(), probed.home.clone()));
        }
        let (dialect, program) = match probed.bash {
            Some(bash) => (Dialect::Bash, bash),
            None => {
                notices.push(Notice::new(
                    "posix_shell",
                    format!(
                        "the image {} has no bash 4.1 or newer; {} runs the commands, and \
                         functions and arrays do not carry over",
                        profile.settings.image, probed.sh
                    ),
                ));
                (Dialect::Posix, probed.sh)
            }
        };
        let described = self.described(&found, daemon);
        let reattached = found.reattached;
        *self.state() = State { warden: Some(warden), described, fresh: !reattached };
        Ok(Started {
            program: program.into(),
            dialect,
            env: env.into_iter().map(|(name, value)| (name.into(), value.into())).collect(),
            cwd: cwd.into_bytes(),
            login: profile.settings.login.then(LoginPlan::default),
            capabilities: Capabilities {
                settle: SETTLE,
                exit_grace: EXIT_GRACE,
                tracks_holders: true,
                unordered: true,
                survives_restart: self.task.keep,
                native_env: false,
            },
            notices,
            reattached,
        })
    }

    async fn spawn(&self, spec: SpawnSpec) -> Result<Process, BackendError> {
        let warden = self
            .warden()
            .ok_or_else(|| BackendError::lost("the task has no container any more"))?;
        exec::spawn(warden.instance(), &spec).await
    }

    async fn stop(&self, mode: StopMode) -> Result<(), BackendError> {
        let profile = &*self.profile;
        self.state().warden = None;
        if mode == StopMode::Suspend && profile.settings.across {
            return Ok(());
        }
        let client = profile.endpoint.client()?;
        let failed = |error| profile.endpoint.classify(error, "to remove the task's container");
        // By label: this process need not be the one that made it.
        for id in instance::list(&client, &self.task.filters()).await.map_err(failed)? {
            instance::remove(&client, &id).await.map_err(failed)?;
        }
        if mode == StopMode::Destroy && !profile.settings.persistent {
            remove_folder(&self.folder).await?;
        }
        Ok(())
    }

    async fn processes(&self, scope: &Scope) -> Result<Vec<ProcessInfo>, BackendError> {
        // Without a container there is nothing that could run.
        let Some(warden) = self.warden() else { return Ok(Vec::new()) };
        Ok(table::parse_list(&warden.ask(&table::list_script(scope)?).await?))
    }

    async fn signal(&self, scope: &Scope, signal: Signal) -> Result<usize, BackendError> {
        let Some(warden) = self.warden() else { return Ok(0) };
        let mut script = String::new();
        if let Some(leader) = scope.leader.filter(|_| signal == Signal::Kill) {
            // First what needs no further process, so that there is room for one. A container
            // that is full of processes has none to spare.
            script = format!(
                "for d in /proc/[0-9]*; do s=; {{ read -r s < \"$d/stat\"; }} 2>/dev/null; \
                 set -- ${{s##*) }}; [ \"$4\" = {leader} ] && kill -{} \"${{d#/proc/}}\"; done; ",
                signal.name()
            );
        }
        script.push_str(&table::signal_script(scope, signal)?);
        match warden.ask(&script).await {
            Ok(answer) => Ok(answer.len()),
            Err(error) if signal == Signal::Kill => {
                // The last resort: the container ends, and everything in it. It is started again
                // for the next command.
                tracing::warn!(%error, "the container is stopped to end what runs in it");
                let instance = warden.instance();
                let killed = instance.docker.kill_container(&instance.id, None).await;
                killed.map(|()| 1).map_err(|e| instance.gone_or(e, "stopping the container"))
            }
            Err(error) => Err(error),
        }
    }

    fn adjust_captured(&self, state: &mut ShellState) {
        // Of the container that it was captured in; every bash finds out for itself.
        state.variables.retain(|variable| variable.name != "HOSTNAME");
    }

    fn login_cache(&self) -> Option<Arc<LoginCache>> {
        // A home that is kept may hold files of the task's own.
        let alike = !self.profile.settings.persistent && self.state().fresh;
        alike.then(|| Arc::clone(&self.profile.login))
    }

    fn describe(&self) -> Vec<(String, String)> {
        self.state().described.clone()
    }
}

/// Removes the files of a task that were not to be kept, if an earlier configuration made any.
async fn remove_folder(folder: &Path) -> Result<(), BackendError> {
    let folder = folder.to_owned();
    let removed = tokio::task::spawn_blocking(move || match std::fs::remove_dir_all(&folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(BackendError::internal(
            format!("the folder {} was not removed: {error}", folder.display()),
        )),
        _ => Ok(()),
    });
    removed.await.unwrap_or_else(|e| Err(BackendError::internal(format!("removing files: {e}"))))
}
