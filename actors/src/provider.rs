//! Where the runtime gets backends from, and where it keeps shell states: the two ports that the
//! embedding program fills besides [`Backend`].

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;

use crate::backend::Backend;
use crate::error::{BackendError, Error};
use crate::shell::ShellState;
use crate::task_id::TaskId;

/// A backend chosen for a task.
#[derive(Clone, Debug)]
pub struct Chosen {
    /// The profile's name.
    pub profile: String,
    /// The backend; nothing is provisioned yet.
    pub backend: Arc<dyn Backend>,
    /// The profile's own default limit for commands.
    pub timeout: Option<Duration>,
    /// The profile's own idle lifetime.
    pub idle_lifetime: Option<Duration>,
}

/// Chooses backends and cleans up after runtimes that died.
#[async_trait]
pub trait Provider: Send + Sync + 'static {
    /// The backend for `task`, by profile name; none is the default profile. Does no I/O.
    ///
    /// # Errors
    /// The profile is not known, or its configuration is wrong.
    fn choose(&self, task: &TaskId, profile: Option<&str>) -> Result<Chosen, Error>;

    /// Ends and removes what runtimes whose process is dead have left behind. Gives a sentence
    /// for each thing that was found.
    async fn sweep(&self) -> Vec<String>;
}

/// Keeps shell states beyond the life of this process.
#[async_trait]
pub trait StateStore: Send + Sync + 'static {
    /// Takes hold of a task's place; waits while another process holds it.
    ///
    /// # Errors
    /// The place cannot be used.
    async fn open(&self, task: &TaskId) -> Result<Arc<dyn TaskStore>, BackendError>;
}

/// The place of one task; dropping it lets go of it. Calls block on a local disk.
pub trait TaskStore: Send + Sync {
    /// The state that was saved last; none if there is none.
    ///
    /// # Errors
    /// There is one and it cannot be read.
    fn load(&self) -> Result<Option<ShellState>, BackendError>;

    /// Saves a state in place of the last one.
    ///
    /// # Errors
    /// It was not saved; the last one is still there.
    fn save(&self, state: &ShellState) -> Result<(), BackendError>;

    /// Forgets the task.
    ///
    /// # Errors
    /// Something of it is still there.
    fn forget(&self) -> Result<(), BackendError>;
}

/// Keeps nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoStore;

#[async_trait]
impl StateStore for NoStore {
    async fn open(&self, _task: &TaskId) -> Result<Arc<dyn TaskStore>, BackendError> {
        Ok(Arc::new(Self))
    }
}

impl TaskStore for NoStore {
    fn load(&self) -> Result<Option<ShellState>, BackendError> {
        Ok(None)
    }

    fn save(&self, _state: &ShellState) -> Result<(), BackendError> {
        Ok(())
    }

    fn forget(&self) -> Result<(), BackendError> {
        Ok(())
    }
}
