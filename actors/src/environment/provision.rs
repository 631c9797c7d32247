//! Getting an environment ready: its place in the store, its instance, its first shell state.
//! Spawned work; it reports one message.

use std::ffi::OsString;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::time::{Instant, timeout};

use crate::backend::{Backend, Progress, Started};
use crate::error::{BackendError, Unavailable};
use crate::outcome::{Notice, Outcome};
use crate::output::Fanout;
use crate::provider::{StateStore, TaskStore};
use crate::request::Execute;
use crate::run::{self, Job, Marks, Shell};
use crate::settings::Settings;
use crate::shell::{Dialect, ShellState};
use crate::task_id::TaskId;

/// A login shell gets this long between TERM and KILL; an interactive bash ignores TERM.
const LOGIN_GRACE: Duration = Duration::from_millis(200);

/// An environment that is ready for commands.
pub(crate) struct Provisioned {
    pub(crate) started: Started,
    pub(crate) state: Arc<ShellState>,
    pub(crate) store: Arc<dyn TaskStore>,
    pub(crate) notices: Vec<Notice>,
}

impl std::fmt::Debug for Provisioned {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Provisioned").field("started", &self.started).finish_non_exhaustive()
    }
}

/// What provisioning needs.
pub(crate) struct Provisioning {
    pub(crate) task: TaskId,
    pub(crate) backend: Arc<dyn Backend>,
    pub(crate) store: Arc<dyn StateStore>,
    /// The place, when this environment already holds it.
    pub(crate) held: Option<Arc<dyn TaskStore>>,
    pub(crate) settings: Arc<Settings>,
    pub(crate) marks: Marks,
    /// The state to go on with, if this task had one in this process.
    pub(crate) state: Option<Arc<ShellState>>,
    /// Whether an environment before this one crashed and may have left processes.
    pub(crate) clean_first: bool,
    pub(crate) progress: Progress,
}

impl Provisioning {
    pub(crate) async fn run(self) -> Result<Provisioned, BackendError> {
        if self.clean_first {
            run::end_everything(&*self.backend, &self.marks.environment()).await;
        }
        let store = match &self.held {
            Some(store) => Arc::clone(store),
            None => self.store.open(&self.task).await?,
        };
        let limit = self.settings.start_timeout;
        let started =
            timeout(limit, self.backend.start(&self.progress)).await.map_err(|_| {
                BackendError::unavailable(
                    Unavailable::Deadline,
                    format!(
                        "it was not ready within {} s (start_timeout_seconds)",
                        limit.as_secs_f64()
                    ),
                )
            })??;
        let mut notices = started.notices.clone();
        let state = match self.resume(&store, &started, &mut notices).await {
            Some(state) => state,
            None => self.first_state(&started, &mut notices).await,
        };
        Ok(Provisioned { started, state, store, notices })
    }

    /// The state of an earlier environment of this task, here or on disk.
    async fn resume(
        &self,
        store: &Arc<dyn TaskStore>,
        started: &Started,
        notices: &mut Vec<Notice>,
    ) -> Option<Arc<ShellState>> {
        let state = match &self.state {
            Some(state) => Arc::clone(state),
            None => {
                let store = Arc::clone(store);
                let loaded = tokio::task::spawn_blocking(move || store.load()).await;
                match loaded {
                    Ok(Ok(state)) => Arc::new(state?),
                    Ok(Err(error)) => {
                        notices.push(Notice::new(
                            "state_unreadable",
                            format!("the saved shell state was not used: {error}"),
                        ));
                        return None;
                    }
                    Err(_) => return None,
                }
            }
        };
        if state.dialect == started.dialect {
            return Some(state);
        }
        notices.push(Notice::new(
            "state_dropped",
            "the saved shell state is of another kind of shell and was not used",
        ));
        None
    }

    async fn first_state(&self, started: &Started, notices: &mut Vec<Notice>) -> Arc<ShellState> {
        let Some(cache) = self.backend.login_cache() else {
            return Arc::new(self.capture(started, notices).await);
        };
        let mut cached = cache.lock().await;
        let (state, said) = match &*cached {
            Some((state, said)) => (Arc::clone(state), said.clone()),
            None => {
                let mut said = Vec::new();
                let state = Arc::new(self.capture(started, &mut said).await);
                *cached = Some((Arc::clone(&state), said.clone()));
                (state, said)
            }
        };
        drop(cached);
        notices.extend(said);
        if state.cwd == started.cwd {
            return state;
        }
        Arc::new(ShellState { cwd: started.cwd.clone(), ..(*state).clone() })
    }

    /// Runs the login files once; a plain shell where that fails or hangs.
    async fn capture(&self, started: &Started, notices: &mut Vec<Notice>) -> ShellState {
        if let Some(plan) = started.login.as_ref().filter(|_| started.dialect == Dialect::Bash) {
            match self.try_capture(started, &plan.script(), true).await {
                Ok(mut state) => {
                    self.backend.adjust_captured(&mut state);
                    return state;
                }
                Err(why) => notices.push(Notice::new(
                    "login_failed",
                    format!(
                        "the login files could not be read ({why}); commands run in a plain shell"
                    ),
                )),
            }
        }
        match self.try_capture(started, b"", false).await {
            Ok(state) => state,
            Err(why) => {
                notices.push(Notice::new(
                    "capture_failed",
                    format!("the first shell state could not be captured: {why}"),
                ));
                plain_state(started)
            }
        }
    }

    async fn try_capture(
        &self,
        started: &Started,
        script: &[u8],
        interactive: bool,
    ) -> Result<ShellState, String> {
        let limit = self.settings.login_timeout;
        let first = Arc::new(ShellState::empty(started.dialect, started.cwd.clone()));
        let shell =
            Shell::start(&*self.backend, started, &self.marks, first, &started.env, interactive)
                .await
                .map_err(|e| e.to_string())?;
        let settings =
            Settings { kill_grace: LOGIN_GRACE, output_limit: 2000, ..(*self.settings).clone() };
        let job = Job {
            request: Execute::new(script),
            limit,
            deadline: Instant::now() + limit,
            fanout: Fanout::default(),
            settings: Arc::new(settings),
            capabilities: started.capabilities.clone(),
        };
        let (_keep, mut messages) = mpsc::unbounded_channel();
        let scope = shell.scope();
        let report = run::run(Arc::clone(&self.backend), shell, job, &mut messages).await;
        if report.leftover.is_some() {
            // Agents and watchers that a profile starts are not ours to keep.
            run::end_everything(&*self.backend, &scope).await;
        }
        let output = report.output.text();
        match (report.outcome, report.state) {
            (Outcome::TimedOut { .. }, _) => {
                Err(format!("they took longer than {} s", limit.as_secs_f64()))
            }
            (_, Some(mut state)) => {
                // A profile may change the directory; the configured one counts.
                state.cwd.clone_from(&started.cwd);
                state.oldpwd = None;
                state.last_status = 0;
                Ok(state)
            }
            (outcome, None) => Err(format!(
                "the shell ended with {} and said {:?}",
                outcome.returncode(),
                output.trim()
            )),
        }
    }
}

/// The state of a shell that has read nothing: what the instance says its environment is.
fn plain_state(started: &Started) -> ShellState {
    use crate::shell::declare::Variable;
    use crate::shell::quote::{is_variable_name, posix_quote};
    let mut state = ShellState::empty(started.dialect, started.cwd.clone());
    let bytes = |text: &OsString| text.as_encoded_bytes().to_vec();
    for (name, value) in &started.env {
        if let Some(name) = name.to_str().filter(|n| is_variable_name(n)) {
            state.variables.push(Variable {
                name: name.to_owned(),
                flags: "x".to_owned(),
                value: Some(posix_quote(&bytes(value))),
            });
        }
    }
    state
}
