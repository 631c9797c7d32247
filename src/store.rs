//! Shell states on disk: one folder a task, the state in a file of 0600, a lock beside it.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use hexad_actors::shell::ShellState;
use hexad_actors::{BackendError, StateStore, TaskId, TaskStore};
use tokio::time::{Instant, sleep};

use crate::private;

/// Keeps states under a folder.
#[derive(Clone, Debug)]
pub struct FileStore {
    folder: PathBuf,
    /// How long to wait for a task that another process holds; none waits as long as it takes.
    patience: Option<Duration>,
}

impl FileStore {
    /// A store in `state_folder`.
    #[must_use]
    pub fn new(state_folder: &Path, patience: Option<Duration>) -> Self {
        Self { folder: state_folder.join("tasks"), patience }
    }

    /// The tasks that have a saved state, sorted.
    ///
    /// # Errors
    /// The folder cannot be read.
    pub fn tasks(&self) -> io::Result<Vec<TaskId>> {
        let entries = match fs::read_dir(&self.folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            other => other?,
        };
        let mut tasks = Vec::new();
        for entry in entries {
            let entry = entry?;
            if entry.path().join(STATE).exists() {
                tasks.extend(entry.file_name().to_str().and_then(task_of));
            }
        }
        tasks.sort();
        Ok(tasks)
    }

    /// The saved state of a task, read without taking hold of it.
    ///
    /// # Errors
    /// There is one and it cannot be read.
    pub fn peek(&self, task: &TaskId) -> Result<Option<ShellState>, BackendError> {
        load(&self.folder.join(folder_of(task)))
    }

    async fn lock(&self, task: &TaskId, folder: &Path) -> Result<File, BackendError> {
        let deadline = self.patience.map(|patience| Instant::now() + patience);
        let mut pause = Duration::from_millis(5);
        loop {
            if let Some(file) = try_lock(folder).map_err(|e| unusable(folder, &e))? {
                return Ok(file);
            }
            if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                return Err(BackendError::Conflict {
                    message: format!(
                        "task {task} is in use by another hexad on this machine; wait for it, or \
                         use another task id"
                    ),
                });
            }
            sleep(pause).await;
            pause = (pause * 2).min(Duration::from_millis(100));
        }
    }
}

const STATE: &str = "state.json";
const LOCK: &str = "lock";

/// A task id as a file name: `/` is the only character of an id that cannot be in one.
fn folder_of(task: &TaskId) -> String {
    format!("_{}", task.as_str().replace('/', "+"))
}

fn task_of(folder: &str) -> Option<TaskId> {
    TaskId::new(folder.strip_prefix('_')?.replace('+', "/")).ok()
}

fn unusable(folder: &Path, error: &io::Error) -> BackendError {
    BackendError::internal(format!("the saved state in {}: {error}", folder.display()))
}

/// Locks the folder of a task. None if somebody else has it, or it was forgotten meanwhile.
fn try_lock(folder: &Path) -> io::Result<Option<File>> {
    private::make_folder(folder)?;
    let path = folder.join(LOCK);
    let file =
        OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(&path)?;
    match file.try_lock() {
        Ok(()) => {}
        Err(fs::TryLockError::WouldBlock) => return Ok(None),
        Err(fs::TryLockError::Error(error)) => return Err(error),
    }
    // The one who held it may have forgotten the task, and with it this very file.
    let still_there = fs::metadata(&path)
        .is_ok_and(|there| file.metadata().is_ok_and(|ours| there.ino() == ours.ino()));
    Ok(still_there.then_some(file))
}

fn load(folder: &Path) -> Result<Option<ShellState>, BackendError> {
    let text = match fs::read(folder.join(STATE)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        other => other.map_err(|e| unusable(folder, &e))?,
    };
    // The text may hold secrets: the error says where, not what.
    serde_json::from_slice(&text).map(Some).map_err(|error| {
        BackendError::internal(format!(
            "the saved state in {} is damaged at line {}, column {}",
            folder.display(),
            error.line(),
            error.column()
        ))
    })
}

#[async_trait]
impl StateStore for FileStore {
    async fn open(&self, task: &TaskId) -> Result<Arc<dyn TaskStore>, BackendError> {
        private::make_folder(&self.folder).map_err(|e| unusable(&self.folder, &e))?;
        let folder = self.folder.join(folder_of(task));
        let lock = self.lock(task, &folder).await?;
        Ok(Arc::new(Place { folder, _lock: lock }))
    }
}

struct Place {
    folder: PathBuf,
    /// Held until this is dropped.
    _lock: File,
}

impl TaskStore for Place {
    fn load(&self) -> Result<Option<ShellState>, BackendError> {
        load(&self.folder)
    }

    fn save(&self, state: &ShellState) -> Result<(), BackendError> {
        let text = serde_json::to_vec(state)
            .map_err(|e| BackendError::internal(format!("the shell state as JSON: {e}")))?;
        private::write(&self.folder.join(STATE), &text).map_err(|e| unusable(&self.folder, &e))
    }

    fn forget(&self) -> Result<(), BackendError> {
        match fs::remove_dir_all(&self.folder) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(unusable(&self.folder, &error))
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use hexad_actors::shell::Dialect;

    use super::*;

    fn task(text: &str) -> TaskId {
        TaskId::new(text).unwrap()
    }

    #[tokio::test]
    async fn a_state_is_kept_in_a_file_that_only_its_owner_reads() {
        let folder = tempfile::tempdir().unwrap();
        let store = FileStore::new(folder.path(), None);
        let place = store.open(&task("a/b:c")).await.unwrap();
        assert!(place.load().unwrap().is_none());
        let state = ShellState::empty(Dialect::Bash, "/tmp");
        place.save(&state).unwrap();
        assert_eq!(place.load().unwrap(), Some(state));
        let file = folder.path().join("tasks/_a+b:c/state.json");
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
        let above = fs::metadata(file.parent().unwrap()).unwrap();
        assert_eq!(above.permissions().mode() & 0o777, 0o700);
        assert_eq!(store.tasks().unwrap(), [task("a/b:c")]);
        place.forget().unwrap();
        assert!(store.tasks().unwrap().is_empty());
    }

    #[tokio::test]
    async fn two_at_once_queue() {
        let folder = tempfile::tempdir().unwrap();
        let store = FileStore::new(folder.path(), Some(Duration::from_millis(20)));
        let first = store.open(&task("t")).await.unwrap();
        assert!(matches!(store.open(&task("t")).await, Err(BackendError::Conflict { .. })));
        drop(first);
        assert!(store.open(&task("t")).await.is_ok());
    }

    #[tokio::test]
    async fn a_damaged_state_is_an_error_without_its_text() {
        let folder = tempfile::tempdir().unwrap();
        let store = FileStore::new(folder.path(), None);
        let place = store.open(&task("t")).await.unwrap();
        fs::write(folder.path().join("tasks/_t/state.json"), b"{\"secret\"").unwrap();
        let error = place.load().unwrap_err().to_string();
        assert!(error.contains("damaged at line 1") && !error.contains("secret"), "{error}");
    }
}
