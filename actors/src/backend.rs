//! The port: what the runtime needs from a place where bash can be started.
//!
//! A backend says how to start a shell and how to let go of the instance; [`Backend::start`] and
//! [`Backend::spawn`] and [`Backend::stop`] are all it must write. The process table has a
//! default that runs a small script through `spawn`; a backend overrides it when it has something
//! better. Nothing here knows a backend by name.

pub mod table;

use std::ffi::OsString;
use std::fmt;
use std::fs::File;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::Mutex;

use crate::error::BackendError;
use crate::outcome::Notice;
use crate::shell::login::LoginPlan;
use crate::shell::{Dialect, ShellState};

pub use self::table::{ProcessInfo, Scope, Signal};

/// A place where bash can be started. One value serves one environment.
#[async_trait]
pub trait Backend: Send + Sync + 'static {
    /// The name in results and errors: `local`, `docker`, …
    fn name(&self) -> &str;

    /// Provisions the instance or finds it again, and says what it can do. Called before the
    /// first command and again after [`Backend::stop`] or a loss. May take long: progress goes
    /// to `progress`. Cancelled by dropping; what it made by then must be found by the sweep.
    ///
    /// # Errors
    /// Why there is no instance, classified.
    async fn start(&self, progress: &Progress) -> Result<Started, BackendError>;

    /// Starts one process in the instance. The process is its own session where the target
    /// allows that. Its environment is exactly `spec.env`, or that and what the instance adds.
    ///
    /// # Errors
    /// Nothing was started.
    async fn spawn(&self, spec: SpawnSpec) -> Result<Process, BackendError>;

    /// Lets go of the instance. The environment has ended every process of its own before.
    ///
    /// # Errors
    /// What may be left behind.
    async fn stop(&self, mode: StopMode) -> Result<(), BackendError>;

    /// The live processes in `scope`, zombies left out.
    ///
    /// # Errors
    /// The process table could not be read.
    async fn processes(&self, scope: &Scope) -> Result<Vec<ProcessInfo>, BackendError> {
        table::list(self, scope).await
    }

    /// Sends `signal` to every process in `scope`; gives how many got it.
    ///
    /// # Errors
    /// The signals could not be sent.
    async fn signal(&self, scope: &Scope, signal: Signal) -> Result<usize, BackendError> {
        table::signal(self, scope, signal).await
    }

    /// Mends the state that the login capture found, before it becomes the first shell state.
    fn adjust_captured(&self, state: &mut ShellState) {
        let _ = state;
    }

    /// Where a login capture is shared with other environments of the same kind. Without one
    /// every environment captures for itself.
    fn login_cache(&self) -> Option<Arc<LoginCache>> {
        None
    }

    /// What [`Backend::start`] ended up with, for `status`: limits, image, host; never a secret.
    fn describe(&self) -> Vec<(String, String)> {
        Vec::new()
    }
}

impl fmt::Debug for dyn Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Backend({})", self.name())
    }
}

/// The captured login state of a kind of environment, filled once.
pub type LoginCache = Mutex<Option<(Arc<ShellState>, Vec<Notice>)>>;

/// Where a backend reports how provisioning goes ("pulling layer 3 of 7").
#[derive(Clone)]
pub struct Progress(Arc<dyn Fn(String) + Send + Sync>);

impl Progress {
    /// Reports to `sink`.
    pub fn new(sink: impl Fn(String) + Send + Sync + 'static) -> Self {
        Self(Arc::new(sink))
    }

    /// Says one thing, for a person.
    pub fn say(&self, text: impl Into<String>) {
        (self.0)(text.into());
    }
}

impl fmt::Debug for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Progress(..)")
    }
}

/// A running instance.
#[derive(Clone, Debug)]
pub struct Started {
    /// The shell that runs commands, as a path on the target.
    pub program: OsString,
    /// What kind it is.
    pub dialect: Dialect,
    /// The environment of the first shell; later ones get theirs from the shell state.
    pub env: Vec<(OsString, OsString)>,
    /// The first working directory, absolute on the target.
    pub cwd: Vec<u8>,
    /// The start-up files to read at first contact; none skips the login capture.
    pub login: Option<LoginPlan>,
    /// What streams of this instance are like.
    pub capabilities: Capabilities,
    /// What the user should know: degraded limits, a replaced directory.
    pub notices: Vec<Notice>,
    /// Whether the instance existed before, so that a saved shell state is still good.
    pub reattached: bool,
}

/// What an instance can do and how its streams behave.
#[derive(Clone, Debug)]
pub struct Capabilities {
    /// How long after a process ended its streams may still bring what it wrote. Zero where the
    /// kernel's own pipes are read.
    pub settle: Duration,
    /// How long to wait for the exit of a shell that wrote its final record; zero where asking
    /// for it costs a round trip.
    pub exit_grace: Duration,
    /// Whether a stream without an end, once the process ended, means that another process
    /// still holds it.
    pub tracks_holders: bool,
    /// Whether standard output and control stream reach us on ways of their own, so that what
    /// was printed may come behind the final record. Standard output then gets an end mark too,
    /// which is taken out again.
    pub unordered: bool,
    /// Whether processes keep running between two runtimes.
    pub survives_restart: bool,
    /// Whether the environment of a spawned process travels where nobody else can read it, not on
    /// a command line say. The exported variables of a shell state then go that way, which costs
    /// the shell less.
    pub native_env: bool,
}

impl Default for Capabilities {
    fn default() -> Self {
        Self {
            settle: Duration::from_millis(100),
            exit_grace: Duration::ZERO,
            tracks_holders: false,
            unordered: false,
            survives_restart: false,
            native_env: false,
        }
    }
}

/// How to let go of an instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopMode {
    /// Keep its data so that a later start finds it again, where the backend can.
    Suspend,
    /// Remove it and what belongs to it.
    Destroy,
}

/// What to start.
#[derive(Clone, Debug)]
pub struct SpawnSpec {
    /// Program and arguments.
    pub argv: Vec<OsString>,
    /// Environment variables.
    pub env: Vec<(OsString, OsString)>,
}

/// One running process, seen through its streams.
///
/// Order: bytes that the process wrote to standard output before it wrote to the control stream
/// can be read, without waiting, once those of the control stream have been; or the instance says
/// that it is [`Capabilities::unordered`]. Dropping a process
/// does not end it; the environment does that through [`Backend::signal`].
pub struct Process {
    /// Standard input; dropping or shutting it down is the end of file.
    pub stdin: Box<dyn AsyncWrite + Send + Unpin>,
    /// Standard output.
    pub stdout: Box<dyn AsyncRead + Send + Unpin>,
    /// Standard error, which the shell protocol uses as its control stream.
    pub control: Box<dyn AsyncRead + Send + Unpin>,
    /// Becomes ready when the process has ended; asked again, it stays so.
    pub exit: Box<dyn Exit>,
    /// Its process id on the target where that is known from outside.
    pub pid: Option<i32>,
    /// A file in memory, empty, that the process has open for writing as
    /// [`RECORD_DESCRIPTOR`](crate::shell::RECORD_DESCRIPTOR), where the backend can give it one.
    /// A shell writes its record line by line; through a stream, each line wakes the reader.
    pub record: Option<File>,
}

impl fmt::Debug for Process {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Process").field("pid", &self.pid).finish_non_exhaustive()
    }
}

/// The end of a process.
#[async_trait]
pub trait Exit: Send + Sync {
    /// Waits for the end. Cancel-safe: dropping the future loses nothing.
    async fn wait(&mut self) -> ExitStatus;

    /// Says that the process is about to end, for those who have to ask whether it has.
    fn is_due(&mut self) {}

    /// Whether it is known already that the process has ended, though not yet how.
    fn is_over(&self) -> bool {
        false
    }
}

/// How a process ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExitStatus {
    /// With this code.
    Code(i32),
    /// By this signal.
    Signal(i32),
    /// Nobody knows: the connection or the instance is gone.
    Lost(String),
}
