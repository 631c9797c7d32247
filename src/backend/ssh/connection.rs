//! One connection: how many channels it carries, and the shell on its other end that answers
//! questions about processes and cleans up when the connection breaks.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex as StdMutex, PoisonError};
use std::time::Duration;

use hexad_actors::backend::{ExitStatus, Process, SpawnSpec};
use hexad_actors::{BackendError, Unavailable};
use russh::client::{Handle, Msg};
use russh::{Channel, Disconnect};
use tokio::io::AsyncWriteExt as _;
use tokio::sync::Mutex;
use tokio::time::{Instant, timeout};

use super::channel::{self, Run};
use super::command;
use super::connect::{Client, Connected};
use crate::backend::ask::converse;

/// What OpenSSH's server allows in one connection (MaxSessions); dropbear's limit is higher.
const CHANNELS: usize = 10;
/// For what a server answers from memory.
pub(super) const QUICK: Duration = Duration::from_secs(10);

/// For the end of a shell whose streams have ended.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// What the warden is told first: to end the commands of this connection when its input ends, which
/// is when the connection breaks. These are leaders of a session that carry the connection's mark and
/// either are hexad's shells or children of the same server process, and all that carries the mark of
/// one of these. What commands left running on purpose is none of these and stays. It answers with the
/// name of the server program.
const WATCH: &str = "\
end() { for f in $(grep -l \"HEXAD_MARK=$1:\" /proc/[0-9]*/environ); do
d=${f%/environ}; p=${d#/proc/}; s=; read -r s <$d/stat || continue
k=$(tr '\\000' '\\n' <$f | sed -n 's/^HEXAD_MARK=//p'); [ \"$k\" ] || continue
o=; case $(tr '\\000' ' ' <$d/cmdline) in *__hx_n*) o=1;; esac
set -- \"$1\" ${s##*) }; [ \"$5\" = \"$p\" ] || continue
[ \"$o\" ] || [ \"$3\" = \"$PPID\" ] || continue
for g in $(grep -l \"HEXAD_MARK=$k\" /proc/[0-9]*/environ); do
q=${g#/proc/}; kill -KILL ${q%/environ}; done; done; }
trap 'end \"$1\" 2>/dev/null' EXIT; trap '' HUP
cat /proc/$PPID/comm";

/// How much a connection carries. Held by its channels, which must not hold the connection.
#[derive(Debug)]
pub(super) struct Load {
    host: String,
    live: AtomicUsize,
    most: AtomicUsize,
    clogged: AtomicUsize,
    closes_early: AtomicBool,
    used: StdMutex<Instant>,
}

impl Load {
    fn new(host: String) -> Arc<Self> {
        Arc::new(Self {
            host,
            live: AtomicUsize::new(0),
            most: AtomicUsize::new(CHANNELS),
            clogged: AtomicUsize::new(0),
            closes_early: AtomicBool::new(false),
            used: StdMutex::new(Instant::now()),
        })
    }

    fn touch(&self) {
        *self.used.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }

    /// A place for one more channel, if there is one.
    fn take(self: &Arc<Self>) -> Option<Slot> {
        if self.clogged.load(Ordering::Acquire) > 0 {
            return None;
        }
        let most = self.most.load(Ordering::Acquire);
        let more = |live: usize| (live < most).then_some(live + 1);
        self.live.fetch_update(Ordering::AcqRel, Ordering::Acquire, more).ok()?;
        self.touch();
        Some(Slot(Arc::clone(self)))
    }
}

/// The place of one channel; given back when it is dropped.
#[derive(Debug)]
pub(super) struct Slot(Arc<Load>);

impl Slot {
    /// The host, as people write it.
    pub(super) fn host(&self) -> &str {
        &self.0.host
    }

    /// Whether the server closes a channel when its process ends, though others may hold the streams.
    pub(super) fn closes_early(&self) -> bool {
        self.0.closes_early.load(Ordering::Acquire)
    }

    /// Says that a reader stands still, so that what comes next on the connection waits.
    pub(super) fn is_clogged(&self, clogged: bool) {
        match clogged {
            true => self.0.clogged.fetch_add(1, Ordering::AcqRel),
            false => self.0.clogged.fetch_sub(1, Ordering::AcqRel),
        };
    }

    /// The server does not give as many as were expected.
    fn refused(self) {
        let live = self.0.live.load(Ordering::Acquire).saturating_sub(1);
        self.0.most.fetch_min(live.max(1), Ordering::AcqRel);
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.0.live.fetch_sub(1, Ordering::AcqRel);
        self.0.touch();
    }
}

/// A connection that is logged in.
pub(super) struct Connection {
    id: String,
    connected: Connected,
    load: Arc<Load>,
    broken: AtomicBool,
    /// The shell that answers questions. Gone while the connection is closed on purpose.
    warden: Mutex<Option<Process>>,
}

/// What became of the attempt to open a channel.
pub(super) enum Opened {
    Channel(Channel<Msg>, Slot),
    /// No more room here.
    Full,
    /// The connection is gone.
    Gone,
}

impl Connection {
    /// Takes over a connection and starts its warden.
    ///
    /// # Errors
    /// The host does not let us run anything.
    pub(super) async fn begin(connected: Connected) -> Result<Self, BackendError> {
        let load = Load::new(connected.target.shown());
        let id = uuid::Uuid::new_v4().simple().to_string()[..12].to_owned();
        let connection =
            Self { id, connected, load, broken: AtomicBool::new(false), warden: Mutex::default() };
        let host = connection.host();
        let (channel, slot) = match connection.open().await {
            Opened::Channel(channel, slot) => (channel, slot),
            Opened::Full => {
                return Err(BackendError::unavailable(
                    Unavailable::Refused,
                    format!(
                        "{host} lets us in but opens no session (MaxSessions, or a restriction)"
                    ),
                ));
            }
            Opened::Gone => {
                return Err(BackendError::lost(format!("{host} closed the new connection")));
            }
        };
        let mark = mark();
        let line = command::helper(&["sh", "-s", &connection.id], &mark)?;
        let shell = channel::start(channel, line, &mark, slot, None).await?;
        *connection.warden.lock().await = Some(shell);
        let server = match connection.ask(WATCH).await {
            // It lets us in and runs something else.
            Err(error) if !connection.handle().is_closed() => {
                return Err(BackendError::unavailable(Unavailable::Refused, error.to_string()));
            }
            answer => answer?,
        };
        connection.load.closes_early.store(server.starts_with(b"dropbear"), Ordering::Release);
        Ok(connection)
    }

    pub(super) fn host(&self) -> &str {
        &self.load.host
    }

    pub(super) fn handle(&self) -> &Handle<Client> {
        &self.connected.handle
    }

    pub(super) fn is_gone(&self) -> bool {
        self.broken.load(Ordering::Acquire) || self.handle().is_closed()
    }

    /// How long nobody but the warden used the connection; none while somebody does.
    pub(super) fn unused(&self) -> Option<Duration> {
        let used = self.load.used.lock().unwrap_or_else(PoisonError::into_inner).elapsed();
        (self.load.live.load(Ordering::Acquire) <= 1).then_some(used)
    }

    /// Opens a channel.
    pub(super) async fn open(&self) -> Opened {
        if self.is_gone() {
            return Opened::Gone;
        }
        let Some(slot) = self.load.take() else { return Opened::Full };
        match timeout(QUICK, self.handle().channel_open_session()).await {
            Ok(Ok(channel)) => Opened::Channel(channel, slot),
            Ok(Err(russh::Error::ChannelOpenFailure(reason))) => {
                tracing::debug!(host = self.host(), ?reason, "no further channel");
                slot.refused();
                Opened::Full
            }
            Ok(Err(_)) | Err(_) => {
                self.broken.store(true, Ordering::Release);
                Opened::Gone
            }
        }
    }

    /// Starts a process in an open channel.
    pub(super) async fn start(
        &self,
        channel: Channel<Msg>,
        slot: Slot,
        spec: &SpawnSpec,
        run: Option<Run>,
    ) -> Result<Process, BackendError> {
        let mark = mark();
        let line = command::line(spec, &self.id, &mark)?;
        channel::start(channel, line, &mark, slot, run).await
    }

    /// Runs a script in the warden and gives what it prints.
    pub(super) async fn ask(&self, script: &str) -> Result<Vec<u8>, BackendError> {
        self.load.touch();
        let mut warden = self.warden.lock().await;
        let gone = || BackendError::lost(format!("the connection to {} is gone", self.host()));
        let shell = warden.as_mut().ok_or_else(gone)?;
        let answer = timeout(QUICK * 2, converse(shell, script, self.host())).await;
        let mut answer = answer.unwrap_or_else(|_| {
            let limit = QUICK * 2;
            Err(BackendError::lost(format!("{} did not answer within {limit:?}", self.host())))
        });
        if answer.is_err()
            && let Ok(ExitStatus::Lost(why)) = timeout(LAST_WORDS, shell.exit.wait()).await
        {
            answer = Err(BackendError::lost(why));
        }
        if answer.is_err() {
            *warden = None;
            self.broken.store(true, Ordering::Release);
        }
        answer
    }

    /// Ends the warden, which then cleans up nothing, and the connection.
    pub(super) async fn close(&self) {
        self.broken.store(true, Ordering::Release);
        if let Some(mut shell) = self.warden.lock().await.take() {
            let _ = shell.stdin.write_all(b"trap - EXIT; exit 0\n").await;
            let _ = timeout(Duration::from_secs(1), shell.exit.wait()).await;
        }
        self.leave().await;
    }

    /// Ends the connection.
    pub(super) async fn leave(&self) {
        let _ = self.handle().disconnect(Disconnect::ByApplication, "", "").await;
    }
}

fn mark() -> String {
    uuid::Uuid::new_v4().simple().to_string()
}
