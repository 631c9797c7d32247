//! What every command needs: the configuration, the surroundings, a started runtime, signals.

use std::ffi::OsString;
use std::io::Write as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use hexad_actors::Error;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::Notify;

use super::args::{Arguments, TaskArguments};
use crate::config::{BackendKind, Config, Sources, default_discovery};
use crate::hexad::Hexad;
use crate::host::Host;
use crate::store::FileStore;

/// Why hexad failed, and what it exits with.
#[derive(Debug)]
pub(super) struct Failure {
    pub(super) message: String,
    pub(super) code: u8,
}

impl Failure {
    pub(super) fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), code: super::EXIT_FAILED }
    }

    /// Of a command line that makes no sense.
    pub(super) fn usage(message: impl Into<String>) -> Self {
        Self { message: message.into(), code: 2 }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::new(error.to_string())
    }
}

pub(super) struct Context {
    pub(super) host: Host,
    config_file: Option<PathBuf>,
}

impl Context {
    pub(super) fn new(arguments: &Arguments, env: Vec<(OsString, OsString)>) -> Self {
        Self { host: Host::with_env(env), config_file: arguments.config.clone() }
    }

    /// Logs to standard error what `HEXAD_LOG` asks for (`warn` by default).
    pub(super) fn start_logging(&self) {
        let filter = self.host.var("HEXAD_LOG").and_then(|v| v.to_str()).unwrap_or("warn");
        let filter = tracing_subscriber::EnvFilter::try_new(filter)
            .unwrap_or_else(|_| tracing_subscriber::EnvFilter::new("warn"));
        // An embedding test may have set one.
        let _ = tracing_subscriber::fmt()
            .with_env_filter(filter)
            .with_writer(std::io::stderr)
            .try_init();
    }

    /// The configuration, with what the command line says about the backend.
    pub(super) fn config(&self, backend: Option<&str>) -> Result<Config, Failure> {
        let env = self.host.text_env();
        let mut overrides = Vec::new();
        if let Some(backend) = backend {
            // Checked here for a message that names the flag.
            backend
                .parse::<BackendKind>()
                .map_err(|e| Failure::usage(format!("--backend: {e}")))?;
            overrides.push(("backend".to_owned(), backend.to_owned()));
        }
        let discover = default_discovery(&env);
        let sources = Sources { file: self.config_file.clone(), discover, env, overrides };
        let config = Config::load(&sources).map_err(|e| Failure::usage(e.to_string()))?;
        for notice in &config.notices {
            say(notice);
        }
        Ok(config)
    }

    /// Starts a runtime for the flags of a command. With a task its state is saved; `patience` is
    /// how long to wait for another process that uses the same one.
    pub(super) async fn start(
        &self,
        config: Config,
        persist: bool,
        patience: Option<Duration>,
    ) -> Result<Hexad, Failure> {
        let mut builder = Hexad::builder(config).host(self.host.clone());
        if persist {
            builder = builder.persist(patience);
        }
        Ok(builder.start().await?)
    }

    pub(super) fn store(&self) -> FileStore {
        FileStore::new(&self.host.state_folder(), None)
    }
}

/// The task that the flags name; without one, a name that nobody else uses.
pub(super) fn task_id(arguments: &TaskArguments) -> String {
    arguments.task.clone().unwrap_or_else(|| format!("once-{}", uuid::Uuid::new_v4().simple()))
}

/// Says something on standard error.
pub(super) fn say(message: &str) {
    let _ = writeln!(std::io::stderr(), "hexad: {message}");
}

/// Counts the signals that ask for an end.
pub(super) struct Signals {
    interrupts: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
    hangup: tokio::signal::unix::Signal,
}

/// A signal that came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Asked {
    /// Ctrl-C.
    Interrupt,
    /// SIGTERM or SIGHUP.
    Stop,
}

impl Signals {
    pub(super) fn listen() -> Result<Self, Failure> {
        let listen = |kind| {
            signal(kind).map_err(|error| Failure::new(format!("no signal handler: {error}")))
        };
        Ok(Self {
            interrupts: listen(SignalKind::interrupt())?,
            terminate: listen(SignalKind::terminate())?,
            hangup: listen(SignalKind::hangup())?,
        })
    }

    pub(super) async fn next(&mut self) -> Asked {
        tokio::select! {
            _ = self.interrupts.recv() => Asked::Interrupt,
            _ = self.terminate.recv() => Asked::Stop,
            _ = self.hangup.recv() => Asked::Stop,
        }
    }

    /// Notifies at the first signal; a Ctrl-C after that ends the process at once.
    pub(super) fn notify(mut self) -> Arc<Notify> {
        let notify = Arc::new(Notify::new());
        let asked = Arc::clone(&notify);
        tokio::spawn(async move {
            self.next().await;
            asked.notify_one();
            while self.next().await != Asked::Interrupt {}
            // What is left running is ended by the next start.
            std::process::exit(130);
        });
        notify
    }
}
