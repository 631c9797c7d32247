//! The books of the supervisor: which task has which environment.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

use ractor::{Actor, ActorId, ActorRef};
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;

use super::message::SupervisorMessage;
use crate::backend::StopMode;
use crate::environment::{
    Committed, Environment, EnvironmentArguments, EnvironmentMessage, EnvironmentStatus, Memory,
    Remembered,
};
use crate::error::Error;
use crate::outcome::InterruptCause;
use crate::provider::{Provider, StateStore};
use crate::reply::{Answer, Reply};
use crate::run::Marks;
use crate::settings::Settings;
use crate::shell::ShellState;
use crate::task_id::TaskId;

/// Retired tasks of which something is kept in memory; the oldest go first.
const RESTING_LIMIT: usize = 4096;

/// What a runtime is made of.
pub struct RuntimeArguments {
    /// Where backends come from.
    pub provider: Arc<dyn Provider>,
    /// Where shell states are kept.
    pub store: Arc<dyn StateStore>,
    /// Limits and delays.
    pub settings: Settings,
    /// Names this runtime in the marks of its processes: letters and digits.
    pub mark: String,
    /// The mark of the hexad that this one runs under, if it does.
    pub outer_mark: Option<String>,
}

struct Entry {
    actor: ActorRef<EnvironmentMessage>,
    arguments: EnvironmentArguments,
    /// Messages that wait until a retiring environment has stopped or thought better of it.
    held: Option<Vec<EnvironmentMessage>>,
}

/// What is kept of a task without an environment.
struct Rested {
    state: Option<Arc<ShellState>>,
    remembered: Remembered,
}

/// The state of the actor.
pub(crate) struct SupervisorState {
    myself: ActorRef<SupervisorMessage>,
    runtime: RuntimeArguments,
    settings: Arc<Settings>,
    spare_makers: Arc<Semaphore>,
    tasks: HashMap<TaskId, Entry>,
    by_actor: HashMap<ActorId, TaskId>,
    resting: HashMap<TaskId, Rested>,
    resting_order: VecDeque<TaskId>,
    sweeping: Option<JoinHandle<()>>,
    pub(super) shutdown_replies: Vec<Reply<()>>,
}

impl SupervisorState {
    pub(super) fn new(myself: ActorRef<SupervisorMessage>, runtime: RuntimeArguments) -> Self {
        Self {
            myself,
            settings: Arc::new(runtime.settings.clone()),
            spare_makers: Arc::new(Semaphore::new(spare_makers())),
            runtime,
            tasks: HashMap::new(),
            by_actor: HashMap::new(),
            resting: HashMap::new(),
            resting_order: VecDeque::new(),
            sweeping: None,
            shutdown_replies: Vec::new(),
        }
    }

    pub(super) fn settings(&self) -> Arc<Settings> {
        Arc::clone(&self.settings)
    }

    pub(super) fn knows(&self, task: &TaskId) -> bool {
        self.tasks.contains_key(task)
    }

    /// Makes sure that `task` has an environment, made from `profile` if it is named.
    pub(super) async fn environment(
        &mut self,
        task: &TaskId,
        profile: Option<&str>,
    ) -> Result<(), Error> {
        if let Some(entry) = self.tasks.get(task) {
            let has = &entry.arguments.chosen.profile;
            return match profile {
                Some(wanted) if wanted != has => Err(Error::Conflict {
                    message: format!(
                        "task {task} already uses profile {has}, not {wanted}; a task keeps its \
                         profile until it is released"
                    ),
                }),
                _ => Ok(()),
            };
        }
        let chosen = self.runtime.provider.choose(task, profile)?;
        let committed: Committed = Arc::default();
        let remembered = match self.resting.remove(task) {
            Some(rested) => {
                *lock(&committed) = rested.state;
                rested.remembered
            }
            None => Arc::new(Mutex::new(Memory::new(self.settings.remembered_results))),
        };
        let arguments = EnvironmentArguments {
            task: task.clone(),
            chosen,
            settings: Arc::clone(&self.settings),
            store: Arc::clone(&self.runtime.store),
            marks: Marks::new(&self.runtime.mark, self.runtime.outer_mark.as_deref()),
            committed,
            remembered,
            supervisor: self.myself.clone(),
            spare_makers: Arc::clone(&self.spare_makers),
            after_crash: false,
        };
        self.spawn(arguments, None).await
    }

    async fn spawn(
        &mut self,
        arguments: EnvironmentArguments,
        held: Option<Vec<EnvironmentMessage>>,
    ) -> Result<(), Error> {
        let task = arguments.task.clone();
        // `pre_start` of an environment only fills in a struct, so this does not wait.
        let (actor, _) =
            Actor::spawn_linked(None, Environment, arguments.clone(), self.myself.get_cell())
                .await
                .map_err(|e| Error::internal(format!("no actor for task {task}: {e}")))?;
        self.by_actor.insert(actor.get_id(), task.clone());
        for message in held.into_iter().flatten() {
            let _ = actor.cast(message);
        }
        self.tasks.insert(task, Entry { actor, arguments, held: None });
        Ok(())
    }

    /// Passes a message on, or holds it back while the environment retires. A message that cannot
    /// be delivered is dropped, which answers its caller.
    pub(super) fn pass_on(&mut self, task: &TaskId, message: EnvironmentMessage) {
        let Some(entry) = self.tasks.get_mut(task) else { return };
        match &mut entry.held {
            Some(held) => held.push(message),
            None => {
                let _ = entry.actor.cast(message);
            }
        }
    }

    pub(super) fn hold_back(&mut self, task: &TaskId) {
        if let Some(entry) = self.tasks.get_mut(task) {
            entry.held.get_or_insert_with(Vec::new);
            let _ = entry.actor.cast(EnvironmentMessage::Retire);
        }
    }

    pub(super) fn let_through(&mut self, task: &TaskId) {
        if let Some(entry) = self.tasks.get_mut(task) {
            for message in entry.held.take().into_iter().flatten() {
                let _ = entry.actor.cast(message);
            }
        }
    }

    /// An environment crashed: another takes its place, with the state that was committed last.
    pub(super) async fn replace(&mut self, actor: ActorId) {
        let Some(entry) = self.take(actor) else { return };
        let arguments = EnvironmentArguments { after_crash: true, ..entry.arguments };
        if let Err(error) = self.spawn(arguments, entry.held).await {
            tracing::error!(%error, "an environment that crashed could not be replaced");
        }
    }

    /// An environment stopped as it was asked to. Work that came meanwhile gets a new one;
    /// questions alone do not bring it back.
    pub(super) async fn ended(&mut self, actor: ActorId) {
        let Some(entry) = self.take(actor) else { return };
        let held = entry.held.unwrap_or_default();
        if held.iter().any(EnvironmentMessage::is_work) {
            if let Err(error) = self.spawn(entry.arguments, Some(held)).await {
                tracing::error!(%error, "an environment could not be made again");
            }
            return;
        }
        held.into_iter().for_each(EnvironmentMessage::answer_for_none);
        let EnvironmentArguments { task, committed, remembered, .. } = entry.arguments;
        let state = lock(&committed).take();
        lock(&remembered).rest();
        if state.is_some() || !lock(&remembered).is_empty() {
            self.rest(task, Rested { state, remembered });
        }
    }

    fn take(&mut self, actor: ActorId) -> Option<Entry> {
        let task = self.by_actor.remove(&actor)?;
        self.tasks.remove(&task)
    }

    fn rest(&mut self, task: TaskId, rested: Rested) {
        self.resting_order.retain(|t| *t != task);
        self.resting_order.push_back(task.clone());
        self.resting.insert(task, rested);
        if self.resting_order.len() > RESTING_LIMIT
            && let Some(oldest) = self.resting_order.pop_front()
        {
            self.resting.remove(&oldest);
        }
    }

    pub(super) fn shell_state(&self, task: &TaskId) -> Option<Arc<ShellState>> {
        match self.tasks.get(task) {
            Some(entry) => lock(&entry.arguments.committed).clone(),
            None => self.resting.get(task).and_then(|rested| rested.state.clone()),
        }
    }

    pub(super) fn list(&mut self, reply: Reply<Vec<EnvironmentStatus>>) {
        let tasks: Vec<TaskId> = self.tasks.keys().cloned().collect();
        let answers: Vec<Answer<Option<EnvironmentStatus>>> = tasks
            .iter()
            .map(|task| {
                let (inner, answer) = Reply::new();
                self.pass_on(task, EnvironmentMessage::Status { reply: inner });
                answer
            })
            .collect();
        tokio::spawn(async move {
            let mut all = Vec::with_capacity(answers.len());
            for answer in answers {
                // One that stopped meanwhile is not in the list.
                all.extend(answer.wait().await.ok().flatten());
            }
            all.sort_by(|a, b| a.task.cmp(&b.task));
            reply.send(Ok(all));
        });
    }

    pub(super) fn expire_idle(&mut self) {
        for entry in self.tasks.values().filter(|e| e.held.is_none()) {
            let _ = entry.actor.cast(EnvironmentMessage::ExpireIfIdle);
        }
    }

    pub(super) fn sweep(&mut self) {
        if self.sweeping.as_ref().is_some_and(|s| !s.is_finished()) {
            return;
        }
        let provider = Arc::clone(&self.runtime.provider);
        self.sweeping = Some(tokio::spawn(async move {
            for found in provider.sweep().await {
                tracing::info!("swept: {found}");
            }
        }));
    }

    pub(super) async fn finish_sweep(&mut self) {
        if let Some(sweeping) = self.sweeping.take() {
            let _ = tokio::time::timeout(super::STOP_DEADLINE, sweeping).await;
        }
    }

    pub(super) async fn release_all(&mut self, mode: StopMode, cause: InterruptCause) {
        let mut answers = Vec::new();
        // One that retires with nothing held back for it has let go already.
        let retired = |entry: &Entry| entry.held.as_ref().is_some_and(Vec::is_empty);
        let tasks: Vec<TaskId> =
            self.tasks.iter().filter(|(_, e)| !retired(e)).map(|(t, _)| t.clone()).collect();
        for task in tasks {
            self.let_through(&task);
            let (reply, answer) = Reply::new();
            self.pass_on(&task, EnvironmentMessage::Release { mode, cause, reply });
            answers.push((task, answer));
        }
        for (task, answer) in answers {
            if let Err(error) = answer.wait().await {
                tracing::warn!(%task, %error, "letting go of an environment");
            }
        }
    }
}

/// One spare a processor at a time, and two where there is one processor.
fn spare_makers() -> usize {
    std::thread::available_parallelism().map_or(2, |n| n.get().max(2))
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
