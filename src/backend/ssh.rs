//! The ssh backend: commands on another machine, over connections that all tasks share.
//!
//! No client program runs the commands; `ssh -G` is asked for its configuration where there is one.
//! Every process is a channel of its own; what runs there ends with its connection. This module must
//! not read configuration or the process environment: it is handed both.

mod auth;
mod channel;
mod command;
mod connect;
mod connection;
mod group;
mod known_hosts;
mod link;
mod probe;
mod resolve;
mod settings;
mod stream;

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use hexad_actors::backend::{
    Capabilities, LoginCache, Process, ProcessInfo, Progress, Scope, Signal, SpawnSpec, Started,
    StopMode, table,
};
use hexad_actors::shell::login::LoginPlan;
use hexad_actors::shell::{Dialect, ShellState};
use hexad_actors::{Backend, BackendError, Notice};

use self::link::Link;
use self::probe::Probed;
use self::settings::Settings;
use crate::config::Profile;
use crate::host::Host;

/// How long the streams of a shell that has ended may take to end too; the server tells both at once.
/// After that the process table is looked at for who holds them, and where nobody does, no harm is done.
const SETTLE: Duration = Duration::from_millis(8);

/// How long the end of a shell is waited for that wrote its final record, but did not come to the end
/// of its command: a signal may have ended it.
const EXIT_GRACE: Duration = Duration::from_millis(300);

/// The links of a runtime. Profiles that mean the same account share one.
#[derive(Debug, Default)]
pub struct Links(Mutex<Vec<Arc<Link>>>);

impl Links {
    fn get(&self, settings: &Settings, host: &Arc<Host>) -> Arc<Link> {
        let mut links = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(link) = links.iter().find(|link| *link.access() == settings.access) {
            return Arc::clone(link);
        }
        let link = Link::new(settings.access.clone(), Arc::clone(host), settings.idle);
        links.push(Arc::clone(&link));
        link
    }
}

/// The ssh backend of one profile.
#[derive(Debug)]
pub struct SshProfile {
    settings: Settings,
    link: Arc<Link>,
    /// What login files say is the same for every task.
    login: Arc<LoginCache>,
}

impl SshProfile {
    /// Takes what the profile says about the ssh backend.
    ///
    /// # Errors
    /// No host is named, or one that cannot be.
    pub fn new(profile: &Profile, host: &Arc<Host>, links: &Links) -> Result<Arc<Self>, String> {
        let settings = Settings::new(profile, host)?;
        let link = links.get(&settings, host);
        Ok(Arc::new(Self { settings, link, login: Arc::default() }))
    }

    /// A backend for one environment.
    #[must_use]
    pub fn backend(self: &Arc<Self>) -> Ssh {
        Ssh {
            profile: Arc::clone(self),
            described: Mutex::default(),
            has_proc: AtomicBool::new(true),
        }
    }
}

/// Whether `profile` can be used: logs in, looks, and closes the connection.
///
/// # Errors
/// Why not, in words.
pub async fn look(profile: &Profile, host: &Arc<Host>) -> Result<String, String> {
    let profile = SshProfile::new(profile, host, &Links::default())?;
    let probed = probe::probe(&profile.link, profile.settings.cwd.as_deref()).await;
    profile.link.close().await;
    let probed = probed.map_err(|error| error.to_string())?;
    let shell = match &probed.bash {
        Some(bash) => format!("bash ({bash})"),
        None => format!("no bash 4.1 or newer; {} does with less", probed.sh),
    };
    Ok(format!("logged in to {}: {}, {shell}", profile.settings.access.host, probed.system))
}

/// The place of one task on the host.
pub struct Ssh {
    profile: Arc<SshProfile>,
    described: Mutex<Vec<(String, String)>>,
    /// Whether the host has a process table that can be searched for marks.
    has_proc: AtomicBool,
}

impl fmt::Debug for Ssh {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ssh").field("link", &self.profile.link).finish_non_exhaustive()
    }
}

impl Ssh {
    fn described(&self, probed: &Probed) -> Vec<(String, String)> {
        let access = &self.profile.settings.access;
        let user = probed.env.iter().find(|(name, _)| name == "USER" || name == "LOGNAME");
        [
            ("host", access.host.clone()),
            ("user", user.map(|(_, user)| user.clone()).unwrap_or_default()),
            ("system", probed.system.clone()),
            ("home", probed.home.clone()),
        ]
        .into_iter()
        .filter(|(_, value)| !value.is_empty())
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
    }
}

#[async_trait]
impl Backend for Ssh {
    fn name(&self) -> &str {
        "ssh"
    }

    async fn start(&self, progress: &Progress) -> Result<Started, BackendError> {
        let settings = &self.profile.settings;
        let link = &self.profile.link;
        if link.count() == 0 {
            progress.say(format!("connecting to {}", settings.access.host));
        }
        let probed = probe::probe(link, settings.cwd.as_deref()).await?;
        let mut notices = Vec::new();
        let (dialect, program) = match &probed.bash {
            Some(bash) => (Dialect::Bash, bash.clone()),
            None => {
                notices.push(Notice::new(
                    "posix_shell",
                    format!(
                        "{} has no bash 4.1 or newer; {} runs the commands, and functions and \
                         arrays do not carry over",
                        settings.access.host, probed.sh
                    ),
                ));
                (Dialect::Posix, probed.sh.clone())
            }
        };
        self.has_proc.store(probed.has_proc, Ordering::Release);
        if !probed.has_proc {
            notices.push(Notice::new(
                "no_process_table",
                format!(
                    "{} ({}) has no /proc to search: a command is ended by its process group \
                     alone, and what left that is not found",
                    settings.access.host, probed.system
                ),
            ));
        }
        let cwd = match (&probed.cwd, &settings.cwd) {
            (Some(cwd), _) => cwd.clone(),
            (None, Some(wanted)) => {
                notices.push(Notice::new(
                    "cwd_gone",
                    format!("{wanted} cannot be entered there; commands start in {}", probed.home),
                ));
                probed.home.clone()
            }
            (None, None) => "/".into(),
        };
        *self.described.lock().unwrap_or_else(PoisonError::into_inner) = self.described(&probed);
        let mut env = probed.env;
        if !env.iter().any(|(name, _)| name == "LANG" || name.starts_with("LC_")) {
            env.extend(settings.locale.iter().cloned());
        }
        Ok(Started {
            program: program.into(),
            dialect,
            env: env.into_iter().map(|(n, v)| (n.into(), v.into())).collect(),
            cwd: cwd.into_bytes(),
            login: settings.login.then(LoginPlan::default),
            capabilities: Capabilities {
                settle: SETTLE,
                exit_grace: EXIT_GRACE,
                tracks_holders: true,
                unordered: true,
                survives_restart: false,
                native_env: false,
            },
            notices,
            // The files of the host are there whether we are or not.
            reattached: true,
        })
    }

    async fn spawn(&self, spec: SpawnSpec) -> Result<Process, BackendError> {
        self.profile.link.spawn(&spec).await
    }

    async fn stop(&self, _: StopMode) -> Result<(), BackendError> {
        // The host stays as it is, and other tasks may use the connections.
        Ok(())
    }

    async fn processes(&self, scope: &Scope) -> Result<Vec<ProcessInfo>, BackendError> {
        let script = match self.has_proc.load(Ordering::Acquire) {
            true => table::list_script(scope)?,
            false => group::list_script(scope),
        };
        Ok(table::parse_list(&self.profile.link.ask_soon(&script).await?))
    }

    async fn signal(&self, scope: &Scope, signal: Signal) -> Result<usize, BackendError> {
        let link = &self.profile.link;
        let script = match self.has_proc.load(Ordering::Acquire) {
            true => table::signal_script(scope, signal)?,
            false => group::signal_script(scope, signal),
        };
        let answer = link.ask_soon(&script).await;
        // That of a whole environment ends in a dot: by then it may be in use again.
        if answer.is_err() && signal == Signal::Kill && !scope.mark.ends_with('.') {
            // It is ended once the host can be reached.
            link.left_behind(scope.mark.clone());
        }
        Ok(answer?.len())
    }

    fn adjust_captured(&self, state: &mut ShellState) {
        // They name a connection that need not be there any more.
        state.variables.retain(|v| !matches!(v.name.as_str(), "SSH_CLIENT" | "SSH_CONNECTION"));
    }

    fn login_cache(&self) -> Option<Arc<LoginCache>> {
        Some(Arc::clone(&self.profile.login))
    }

    fn describe(&self) -> Vec<(String, String)> {
        let mut described = self.described.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if !described.is_empty() {
            described.push(("connections".into(), self.profile.link.count().to_string()));
        }
        described
    }
}
