//! A state store in memory that writes down what it is asked to do, fails and waits on demand.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use hexad_actors::shell::ShellState;
use hexad_actors::{BackendError, StateStore, TaskId, TaskStore};
use tokio::sync::watch;

/// See the module.
pub(crate) struct FakeStore {
    kept: Mutex<HashMap<String, ShellState>>,
    calls: Mutex<Vec<String>>,
    pub(crate) fail_load: AtomicBool,
    pub(crate) fail_save: AtomicBool,
    /// The task whose place somebody else holds.
    held: watch::Sender<Option<String>>,
}

impl Default for FakeStore {
    fn default() -> Self {
        Self {
            kept: Mutex::default(),
            calls: Mutex::default(),
            fail_load: AtomicBool::new(false),
            fail_save: AtomicBool::new(false),
            held: watch::channel(None).0,
        }
    }
}

impl FakeStore {
    pub(crate) fn calls(&self) -> Vec<String> {
        self.calls.lock().unwrap().clone()
    }

    /// The state that was saved last and not forgotten.
    pub(crate) fn kept(&self, task: &str) -> Option<ShellState> {
        self.kept.lock().unwrap().get(task).cloned()
    }

    pub(crate) fn put(&self, task: &str, state: ShellState) {
        self.kept.lock().unwrap().insert(task.to_owned(), state);
    }

    /// Lets `open` of this task wait until told otherwise.
    pub(crate) fn hold(&self, task: Option<&str>) {
        self.held.send_replace(task.map(String::from));
    }

    fn note(&self, call: String) {
        self.calls.lock().unwrap().push(call);
    }
}

/// The store as the runtime gets it.
pub(crate) struct Shared(pub(crate) Arc<FakeStore>);

#[async_trait]
impl StateStore for Shared {
    async fn open(&self, task: &TaskId) -> Result<Arc<dyn TaskStore>, BackendError> {
        let mut held = self.0.held.subscribe();
        held.wait_for(|h| h.as_deref() != Some(task.as_str())).await.expect("the store lives");
        Ok(Arc::new(Place { store: Arc::clone(&self.0), task: task.to_string() }))
    }
}

struct Place {
    store: Arc<FakeStore>,
    task: String,
}

impl TaskStore for Place {
    fn load(&self) -> Result<Option<ShellState>, BackendError> {
        self.store.note(format!("load {}", self.task));
        if self.store.fail_load.load(Ordering::SeqCst) {
            return Err(BackendError::internal("the saved state is damaged"));
        }
        Ok(self.store.kept(&self.task))
    }

    fn save(&self, state: &ShellState) -> Result<(), BackendError> {
        self.store.note(format!("save {} {}", self.task, state.cwd_text()));
        if self.store.fail_save.load(Ordering::SeqCst) {
            return Err(BackendError::internal("the disk is full"));
        }
        self.store.kept.lock().unwrap().insert(self.task.clone(), state.clone());
        Ok(())
    }

    fn forget(&self) -> Result<(), BackendError> {
        self.store.note(format!("forget {}", self.task));
        self.store.kept.lock().unwrap().remove(&self.task);
        Ok(())
    }
}
