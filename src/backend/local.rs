//! The local backend: bash on this machine, each command in a session of its own.
//!
//! The environment of a child is made by [`policy`] and nowhere else. This module must not read
//! configuration or the process environment: it is handed both.

mod exit;
mod pipe;
pub mod policy;
mod process;
pub(crate) mod table;

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use hexad_actors::backend::{
    Capabilities, LoginCache, Process, ProcessInfo, Progress, Scope, Signal, SpawnSpec, Started,
    StopMode,
};
use hexad_actors::shell::declare::Variable;
use hexad_actors::shell::login::LoginPlan;
use hexad_actors::shell::quote::bash_quote;
use hexad_actors::shell::{Dialect, ShellState};
use hexad_actors::{Backend, BackendError, Notice, Unavailable};

use self::policy::{NameClass, Policy};
use crate::config::Profile;
use crate::host::Host;

/// How long a shell that wrote its final record may take to end. It only has to exit.
const EXIT_GRACE: Duration = Duration::from_secs(2);

/// The local backend of one profile; its environments share what was captured at login.
#[derive(Debug)]
pub struct LocalProfile {
    host: Arc<Host>,
    policy: Policy,
    cwd: Option<String>,
    shell: Option<PathBuf>,
    login: Option<LoginPlan>,
    cache: Arc<LoginCache>,
}

impl LocalProfile {
    /// Takes what the profile says about the local backend.
    #[must_use]
    pub fn new(profile: &Profile, host: &Arc<Host>) -> Arc<Self> {
        let options = profile.local();
        Arc::new(Self {
            policy: Policy {
                passthrough: options.env_passthrough,
                extra: options.env,
                home_mode: options.home_mode,
                home_dir: host.profile_home(),
                in_container: host.in_container,
                real_home: host.home.clone(),
                path_prefix: host.program_folder.clone(),
            },
            cwd: profile.cwd.clone(),
            shell: options.shell,
            login: options.login_shell.then_some(LoginPlan {
                init_files: options.shell_init_files,
                bashrc: options.auto_source_bashrc,
            }),
            cache: Arc::default(),
            host: Arc::clone(host),
        })
    }

    /// A backend for one environment.
    #[must_use]
    pub fn backend(self: &Arc<Self>) -> Local {
        Local { profile: Arc::clone(self), seen: Arc::default() }
    }
}

/// The local backend of one environment.
#[derive(Clone, Debug)]
pub struct Local {
    profile: Arc<LocalProfile>,
    seen: Arc<table::Seen>,
}

#[async_trait]
impl Backend for Local {
    fn name(&self) -> &str {
        "local"
    }

    async fn start(&self, _progress: &Progress) -> Result<Started, BackendError> {
        let profile = &self.profile;
        let child = policy::child_environment(&profile.host.env, &profile.policy);
        if !child.withheld.is_empty() {
            tracing::debug!(names = ?child.withheld, "not passed on: their names read like credentials");
        }
        let lookup =
            |name: &str| child.vars.iter().find(|(n, _)| n == name).map(|(_, value)| value.clone());
        let path = lookup("PATH").unwrap_or_default();
        let found = policy::find_shell(profile.shell.as_deref(), &path, lookup("SHELL").as_deref())
            .map_err(|e| BackendError::unavailable(Unavailable::NoBinary, e.to_string()))?;
        let home = lookup("HOME").map_or_else(|| profile.host.home.clone(), PathBuf::from);
        let (cwd, moved) = policy::initial_cwd(profile.cwd.as_deref(), &profile.host.cwd, &home);
        let mut notices: Vec<Notice> =
            child.notices.into_iter().map(|n| Notice::new("environment", n)).collect();
        notices.extend(moved.map(|m| Notice::new("cwd_gone", m)));
        let dialect = if found.is_bash { Dialect::Bash } else { Dialect::Posix };
        if dialect == Dialect::Posix {
            notices.push(Notice::new(
                "posix_shell",
                format!(
                    "there is no bash here; {} runs the commands, and functions and arrays do \
                     not carry over",
                    found.path.display()
                ),
            ));
        }
        Ok(Started {
            program: found.path.into_os_string(),
            dialect,
            env: child.vars,
            cwd: cwd.into_os_string().into_encoded_bytes(),
            login: profile.login.clone(),
            capabilities: Capabilities {
                settle: Duration::ZERO,
                exit_grace: EXIT_GRACE,
                tracks_holders: true,
                unordered: false,
                survives_restart: false,
                native_env: true,
            },
            notices,
            reattached: false,
        })
    }

    async fn spawn(&self, spec: SpawnSpec) -> Result<Process, BackendError> {
        process::spawn(&spec)
    }

    async fn stop(&self, _mode: StopMode) -> Result<(), BackendError> {
        // The environment has ended the processes; there is nothing else.
        Ok(())
    }

    async fn processes(&self, scope: &Scope) -> Result<Vec<ProcessInfo>, BackendError> {
        let (scope, seen) = (scope.clone(), Arc::clone(&self.seen));
        blocking(move || table::list(&scope, &seen)).await
    }

    async fn signal(&self, scope: &Scope, signal: Signal) -> Result<usize, BackendError> {
        let (scope, seen) = (scope.clone(), Arc::clone(&self.seen));
        blocking(move || table::signal(&scope, signal, &seen)).await
    }

    /// Puts back what the profile files took from `PATH`, and takes out what a child never gets.
    fn adjust_captured(&self, state: &mut ShellState) {
        let caller = policy::child_environment(&self.profile.host.env, &self.profile.policy);
        let find = |name: &str| caller.vars.iter().find(|(n, _)| n == name).map(|(_, v)| v);
        let keep = |variable: &Variable| {
            let class = policy::classify(variable.name.as_ref());
            !matches!(class, NameClass::Fixed | NameClass::Dynamic)
                || find(&variable.name).is_some()
        };
        state.variables.retain(|v| !v.is_exported() || keep(v));
        let Some(wanted) = find("PATH") else { return };
        if let Some(path) = state.variables.iter_mut().find(|v| v.name == "PATH")
            && let Some(captured) = path.scalar()
        {
            let merged = policy::merge_path(wanted, &bytes_to_os(captured));
            path.value = Some(bash_quote(merged.as_encoded_bytes()));
        }
    }

    fn login_cache(&self) -> Option<Arc<LoginCache>> {
        Some(Arc::clone(&self.profile.cache))
    }

    fn describe(&self) -> Vec<(String, String)> {
        vec![("host".into(), self.profile.host.name.clone())]
    }
}

fn bytes_to_os(bytes: Vec<u8>) -> OsString {
    use std::os::unix::ffi::OsStringExt as _;
    OsString::from_vec(bytes)
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> std::io::Result<T> + Send + 'static,
) -> Result<T, BackendError> {
    match tokio::task::spawn_blocking(work).await {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(error)) => {
            Err(BackendError::internal(format!("the process table cannot be read: {error}")))
        }
        Err(error) => Err(BackendError::internal(format!("reading the process table: {error}"))),
    }
}
