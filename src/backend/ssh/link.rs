//! The way to one account: as many connections as its channels need, made when they are needed,
//! given back when nobody uses them, made again when they broke.

use std::fmt;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use hexad_actors::backend::{Process, Scope, Signal, SpawnSpec, table};
use hexad_actors::shell::options::MARK_VARIABLE;
use hexad_actors::{BackendError, Unavailable};
use tokio::time::{Instant, sleep, timeout};

use super::channel::Run;
use super::connect::{connect, may_pass};
use super::connection::{Connection, Opened};
use super::settings::Access;
use crate::host::Host;

/// Connections that one account gets at most; each carries ten channels or so.
const CONNECTIONS: usize = 32;
/// How long a lost connection is tried again for, for a call that has not begun.
const AGAIN: Duration = Duration::from_secs(15);
const FIRST_PAUSE: Duration = Duration::from_millis(200);
const LONGEST_PAUSE: Duration = Duration::from_secs(3);
/// Connections that one call may see break before it gives up.
const TRIES: usize = 6;
/// How long the questions of one kill may take in all.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long after a break what it left is looked for, if nobody connects meanwhile.
const SWEEP: Duration = Duration::from_secs(300);

/// The connections to one account.
pub(super) struct Link {
    access: Access,
    host: Arc<Host>,
    idle: Duration,
    state: Mutex<State>,
    /// Held while a connection is made: nobody needs two at once.
    making: tokio::sync::Mutex<()>,
    me: Weak<Self>,
}

#[derive(Default)]
struct State {
    connections: Vec<Arc<Connection>>,
    /// Whether there ever was one, so that the settings are known to be good.
    worked: bool,
    /// Marks of commands whose connection broke under them; they may go on running there.
    orphans: Vec<String>,
    /// When the host last did not answer in time.
    silent: Option<Instant>,
    sweeping: bool,
    tending: bool,
}

impl fmt::Debug for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Link").field("host", &self.access.host).finish_non_exhaustive()
    }
}

impl Link {
    pub(super) fn new(access: Access, host: Arc<Host>, idle: Duration) -> Arc<Self> {
        Arc::new_cyclic(|me| Self {
            access,
            host,
            idle,
            state: Mutex::default(),
            making: tokio::sync::Mutex::default(),
            me: me.clone(),
        })
    }

    pub(super) fn access(&self) -> &Access {
        &self.access
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn living(&self) -> Vec<Arc<Connection>> {
        let mut state = self.state();
        state.connections.retain(|connection| !connection.is_gone());
        state.connections.clone()
    }

    /// How many connections there are.
    pub(super) fn count(&self) -> usize {
        self.living().len()
    }

    /// Starts a process. A connection that is full or broken is no reason to fail: there is another
    /// one. Nothing is started twice.
    ///
    /// # Errors
    /// Why there is no connection, classified.
    pub(super) async fn spawn(&self, spec: &SpawnSpec) -> Result<Process, BackendError> {
        let mark = mark_of(spec);
        for _ in 0..TRIES {
            let living = self.living();
            for connection in &living {
                if let Opened::Channel(channel, slot) = connection.open().await {
                    let run = mark.map(|mark| Run { link: self.me.clone(), mark });
                    return connection.start(channel, slot, spec, run).await;
                }
            }
            self.one_more(&living).await?;
        }
        Err(self.unsteady())
    }

    /// Asks a warden.
    ///
    /// # Errors
    /// Why there is no connection, classified.
    pub(super) async fn ask(&self, script: &str) -> Result<Vec<u8>, BackendError> {
        for _ in 0..TRIES {
            let living = self.living();
            if let Some(connection) = living.first() {
                match connection.ask(script).await {
                    // Scripts may be run again: they look, or send signals to what is named.
                    Err(BackendError::Lost { .. }) => continue,
                    answer => return answer,
                }
            }
            self.one_more(&living).await?;
        }
        Err(self.unsteady())
    }

    /// Asks about processes that somebody waits to see ended. A host that was silent a moment ago is
    /// not waited for again: one patience is enough for all the questions of one kill.
    ///
    /// # Errors
    /// Nobody answered.
    pub(super) async fn ask_soon(&self, script: &str) -> Result<Vec<u8>, BackendError> {
        let silent = || {
            let host = &self.access.host;
            BackendError::lost(format!("{host} did not answer within {PATIENCE:?}"))
        };
        if self.state().silent.is_some_and(|since| since.elapsed() < PATIENCE) {
            return Err(silent());
        }
        match timeout(PATIENCE, self.ask(script)).await {
            Ok(answer) => answer,
            Err(_) => {
                self.state().silent = Some(Instant::now());
                Err(silent())
            }
        }
    }

    fn unsteady(&self) -> BackendError {
        BackendError::lost(format!(
            "{TRIES} connections to {} in a row broke before they could be used",
            self.access.host
        ))
    }

    /// Makes a connection beside `living`, unless somebody else just has.
    async fn one_more(&self, living: &[Arc<Connection>]) -> Result<(), BackendError> {
        let _turn = self.making.lock().await;
        let now = self.living();
        if now.iter().any(|c| !living.iter().any(|known| Arc::ptr_eq(known, c))) {
            return Ok(());
        }
        if now.len() >= CONNECTIONS {
            return Err(BackendError::unavailable(
                Unavailable::Quota,
                format!(
                    "{CONNECTIONS} connections to {} are full of running processes; let some end",
                    self.access.host
                ),
            ));
        }
        let until = Instant::now() + AGAIN;
        let mut pause = FIRST_PAUSE;
        let connection = loop {
            let made = async { Connection::begin(connect(&self.access, &self.host).await?).await };
            match made.await {
                Ok(connection) => break connection,
                Err(error) => {
                    let again = self.state().worked && may_pass(&error);
                    if !again || Instant::now() + pause > until {
                        return Err(error);
                    }
                    tracing::debug!(%error, "the connection is tried again");
                    sleep(pause).await;
                    pause = (pause * 2).min(LONGEST_PAUSE);
                }
            }
        };
        let connection = Arc::new(connection);
        let orphans = {
            let mut state = self.state();
            state.worked = true;
            state.connections.push(Arc::clone(&connection));
            std::mem::take(&mut state.orphans)
        };
        self.end_orphans(&connection, orphans).await;
        self.tend();
        Ok(())
    }

    /// Ends what a broken connection left running.
    async fn end_orphans(&self, connection: &Connection, marks: Vec<String>) {
        for mark in marks {
            let scope = Scope { mark: mark.clone(), leader: None };
            let Ok(script) = table::signal_script(&scope, Signal::Kill) else { continue };
            match connection.ask(&script).await {
                Ok(answer) if answer.is_empty() => {}
                Ok(answer) => tracing::info!(
                    host = self.access.host,
                    count = answer.len(),
                    "ended what a lost connection had left running"
                ),
                Err(_) => self.state().orphans.push(mark),
            }
        }
    }

    /// Whether a process with this mark runs. Boxed: processes ask it of the link that starts them.
    pub(super) fn has_left<'a>(
        &'a self,
        mark: &'a str,
    ) -> Pin<Box<dyn Future<Output = bool> + Send + 'a>> {
        Box::pin(async move {
            let scope = Scope { mark: mark.to_owned(), leader: None };
            let Ok(script) = table::list_script(&scope) else { return false };
            self.ask(&script).await.is_ok_and(|list| !list.is_empty())
        })
    }

    /// The connection broke under the command with this mark.
    pub(super) fn left_behind(&self, mark: String) {
        let mut state = self.state();
        if !state.orphans.contains(&mark) {
            state.orphans.push(mark);
        }
        if std::mem::replace(&mut state.sweeping, true) {
            return;
        }
        drop(state);
        let me = self.me.clone();
        tokio::spawn(async move {
            let until = Instant::now() + SWEEP;
            let mut pause = FIRST_PAUSE;
            while let Some(link) = me.upgrade().filter(|_| Instant::now() < until) {
                let connection = link.living().first().cloned();
                match connection {
                    Some(connection) => {
                        let orphans = std::mem::take(&mut link.state().orphans);
                        link.end_orphans(&connection, orphans).await;
                    }
                    None => drop(link.one_more(&[]).await),
                }
                if link.is_swept() {
                    return;
                }
                drop(link);
                sleep(pause).await;
                pause = (pause * 2).min(Duration::from_secs(30));
            }
            if let Some(link) = me.upgrade() {
                link.state().sweeping = false;
            }
        });
    }

    /// Whether nothing is left to look for; then nobody looks any more.
    fn is_swept(&self) -> bool {
        let mut state = self.state();
        state.sweeping = !state.orphans.is_empty();
        !state.sweeping
    }

    /// Gives back connections that nobody uses, as long as there are any.
    fn tend(&self) {
        if self.idle.is_zero() || std::mem::replace(&mut self.state().tending, true) {
            return;
        }
        let (me, idle) = (self.me.clone(), self.idle);
        tokio::spawn(async move {
            loop {
                sleep((idle / 4).max(Duration::from_millis(50))).await;
                let Some(link) = me.upgrade() else { return };
                let unused: Vec<_> = {
                    let mut state = link.state();
                    let is_unused = |c: &Arc<Connection>| c.unused().is_some_and(|t| t >= idle);
                    let unused = state.connections.extract_if(.., |c| is_unused(c)).collect();
                    state.connections.retain(|connection| !connection.is_gone());
                    if state.connections.is_empty() {
                        state.tending = false;
                    }
                    unused
                };
                for connection in &unused {
                    connection.close().await;
                }
                if !link.state().tending {
                    return;
                }
            }
        });
    }

    /// Closes every connection, in good order.
    pub(super) async fn close(&self) {
        let connections = std::mem::take(&mut self.state().connections);
        for connection in connections {
            connection.close().await;
        }
    }
}

impl Drop for Link {
    /// Says goodbye, so that whatever lies between sees the end too. Wardens are not told to go: they
    /// end what may still run.
    fn drop(&mut self) {
        let state = self.state.get_mut().unwrap_or_else(PoisonError::into_inner);
        let connections = std::mem::take(&mut state.connections);
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move {
                for connection in connections {
                    connection.leave().await;
                }
            });
        }
    }
}

/// The mark of a run, without those of the runtimes around it.
fn mark_of(spec: &SpawnSpec) -> Option<String> {
    let (_, value) = spec.env.iter().find(|(name, _)| name == MARK_VARIABLE)?;
    value.to_str()?.rsplit(':').next().map(str::to_owned)
}
