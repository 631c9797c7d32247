//! The books of an environment: what waits, what runs, what it knows.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use ractor::ActorRef;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::Instant;

use super::EnvironmentArguments;
use super::answer::{Asker, Waiting};
use super::message::{EnvironmentMessage, EnvironmentStatus, RunningStatus};
use super::provision::{Provisioned, Provisioning};
use super::release::Releasing;
use super::spare::Spare;
use super::work::{Guard, Unstarted, Work};
use crate::backend::{Progress, Started};
use crate::error::{BackendError, Error};
use crate::event::Event;
use crate::outcome::{ExecuteResult, InterruptCause, Notice, Outcome};
use crate::output::Fanout;
use crate::provider::TaskStore;
use crate::reply::Reply;
use crate::request::Execute;
use crate::run::{Control, Job, Report};
use crate::shell::ShellState;
use crate::supervisor::SupervisorMessage;
use crate::task_id::TaskId;

pub(super) enum Phase {
    /// No instance; the first request gets one.
    Cold,
    Provisioning,
    Ready(Arc<Started>),
    Releasing(Releasing),
}

/// A command that runs now.
pub(super) struct Running {
    pub(super) id: Option<String>,
    pub(super) fork: bool,
    command: String,
    since: Instant,
    pub(super) control: mpsc::UnboundedSender<Control>,
    askers: Vec<Asker>,
    /// Whether it was tried before, on an instance that turned out to be gone.
    again: bool,
    task: JoinHandle<()>,
}

/// The state of the actor.
pub(crate) struct EnvironmentState {
    pub(super) myself: ActorRef<EnvironmentMessage>,
    pub(super) arguments: EnvironmentArguments,
    pub(super) phase: Phase,
    pub(super) queue: VecDeque<Waiting>,
    pub(super) running: HashMap<u64, Running>,
    pub(super) spare: Spare,
    pub(super) shell: Option<Arc<ShellState>>,
    pub(super) store: Option<Arc<dyn TaskStore>>,
    /// Streams of earlier commands that something still holds, by number.
    pub(super) leftovers: HashMap<u64, JoinHandle<()>>,
    /// Notices that the next result carries.
    pub(super) notices: Vec<Notice>,
    pub(super) work: Option<JoinHandle<()>>,
    pub(super) last_activity: Instant,
    saving: Option<JoinHandle<()>>,
    /// Whether the task behind `saving` will look at the committed state once more.
    saver_looks: Arc<Mutex<bool>>,
    pub(super) next_number: u64,
    commands: u64,
    from_spare: u64,
}

impl EnvironmentState {
    pub(super) fn new(
        myself: ActorRef<EnvironmentMessage>,
        arguments: EnvironmentArguments,
    ) -> Self {
        let shell = arguments.committed.lock().unwrap_or_else(PoisonError::into_inner).clone();
        Self {
            myself,
            arguments,
            phase: Phase::Cold,
            queue: VecDeque::new(),
            running: HashMap::new(),
            spare: Spare::None,
            shell,
            store: None,
            leftovers: HashMap::new(),
            notices: Vec::new(),
            work: None,
            last_activity: Instant::now(),
            saving: None,
            saver_looks: Arc::default(),
            next_number: 0,
            commands: 0,
            from_spare: 0,
        }
    }

    pub(super) fn task(&self) -> TaskId {
        self.arguments.task.clone()
    }

    pub(super) fn number(&mut self) -> u64 {
        self.next_number += 1;
        self.next_number
    }

    pub(super) fn tell_supervisor(&self, message: SupervisorMessage) {
        // A supervisor that is gone takes its environments with it.
        let _ = self.arguments.supervisor.cast(message);
    }

    fn error(&self, error: BackendError) -> Error {
        error.at(self.arguments.chosen.backend.name(), &self.arguments.task)
    }

    /// Takes a request: answers it at once if it can, lets it wait or starts it.
    pub(super) fn execute(&mut self, request: Execute, reply: Reply<ExecuteResult>) {
        self.last_activity = Instant::now();
        let asker = Asker::new(reply, request.subscriber.clone());
        if let Err(error) = request.check(&self.arguments.settings) {
            return asker.fail(error);
        }
        if let Some(id) = &request.id {
            let known = lock(&self.arguments.remembered).recall(id);
            if let Some(result) = known {
                return asker.answer(result, None);
            }
            if let Some(running) = self.running.values_mut().find(|r| r.id.as_deref() == Some(id)) {
                if let Some(subscriber) = asker.subscriber.clone() {
                    let _ = running.control.send(Control::Subscribe(subscriber));
                }
                running.askers.push(asker);
                return;
            }
            if let Some(waiting) =
                self.queue.iter_mut().find(|w| w.request.id.as_deref() == Some(id))
            {
                waiting.askers.push(asker);
                return;
            }
        }
        let fork = request.fork;
        // A fork does not wait; but there may not be more of them than may wait.
        let at_once = fork && matches!(self.phase, Phase::Ready(_));
        self.queue.retain(|w| !w.is_abandoned());
        let queued = if at_once { self.forks() } else { self.queue.len() };
        if queued >= self.arguments.settings.queue_limit {
            let retry_after = Duration::from_secs(1);
            return asker.fail(Error::Busy { task: self.task(), queued, retry_after });
        }
        if !at_once && (self.foreground().is_some() || !self.queue.is_empty()) {
            let position = self.queue.len() + usize::from(self.foreground().is_some());
            asker.tell(Event::Queued { position });
        }
        let waiting = Waiting { request, askers: vec![asker], again: false };
        // A fork does not wait for its turn, only for the instance.
        if fork {
            self.queue.push_front(waiting);
        } else {
            self.queue.push_back(waiting);
        }
        self.go_on();
    }

    fn foreground(&self) -> Option<&Running> {
        self.running.values().find(|r| !r.fork)
    }

    fn forks(&self) -> usize {
        self.running.values().filter(|r| r.fork).count()
    }

    /// Does whatever can be done now.
    pub(super) fn go_on(&mut self) {
        self.queue.retain(|w| !w.is_abandoned());
        match &self.phase {
            Phase::Cold if !self.queue.is_empty() => self.provision(),
            Phase::Ready(started) => {
                let started = Arc::clone(started);
                while let Some(at) = self.next_startable() {
                    if let Some(waiting) = self.queue.remove(at) {
                        self.start(&started, waiting);
                    }
                }
                if self.queue.is_empty() && self.foreground().is_none() {
                    self.make_spare(&started);
                }
            }
            _ => {}
        }
    }

    /// The next request that need not wait: a fork, or the first one when nothing runs.
    fn next_startable(&self) -> Option<usize> {
        let free = self.foreground().is_none();
        self.queue.iter().position(|w| w.request.fork || free)
    }

    fn provision(&mut self) {
        self.phase = Phase::Provisioning;
        let myself = self.myself.clone();
        let sink = self.myself.clone();
        let work = Provisioning {
            task: self.task(),
            backend: Arc::clone(&self.arguments.chosen.backend),
            store: Arc::clone(&self.arguments.store),
            held: self.store.clone(),
            settings: Arc::clone(&self.arguments.settings),
            marks: self.arguments.marks.clone(),
            state: self.shell.clone(),
            clean_first: std::mem::take(&mut self.arguments.after_crash),
            progress: Progress::new(move |text| {
                let _ = sink.cast(EnvironmentMessage::Provisioning(text));
            }),
        };
        let guard = Guard::new(myself, |result: Result<_, BackendError>| {
            EnvironmentMessage::Provisioned(result.map(Box::new))
        });
        self.work = Some(tokio::spawn(async move { guard.finish(work.run().await) }));
    }

    pub(super) fn provisioned(&mut self, result: Result<Box<Provisioned>, BackendError>) {
        if !matches!(self.phase, Phase::Provisioning) {
            return;
        }
        self.work = None;
        match result {
            Ok(ready) => {
                let ready = *ready;
                self.store = Some(ready.store);
                self.notices.extend(ready.notices);
                self.commit(ready.state);
                self.phase = Phase::Ready(Arc::new(ready.started));
                self.go_on();
            }
            Err(error) => {
                self.phase = Phase::Cold;
                let error = self.error(error);
                for waiting in self.queue.drain(..) {
                    waiting.fail(&error);
                }
            }
        }
    }

    pub(super) fn provisioning_says(&mut self, message: &str) {
        for asker in self.queue.iter().flat_map(|w| &w.askers) {
            asker.tell(Event::Provisioning { message: message.to_owned() });
        }
    }

    fn start(&mut self, started: &Arc<Started>, waiting: Waiting) {
        let Some(state) = self.shell.clone() else { return };
        let fork = waiting.request.fork;
        let spare = if fork { None } else { self.take_spare(&state) };
        self.commands += u64::from(!fork);
        self.from_spare += u64::from(spare.is_some());
        let key = self.number();
        let mut fanout = Fanout::default();
        let backend = Arc::clone(&self.arguments.chosen.backend);
        for asker in &waiting.askers {
            asker.tell(Event::Started { backend: backend.name().to_owned() });
            if let Some(subscriber) = asker.subscriber.clone() {
                fanout.add(subscriber);
            }
        }
        let mut request = waiting.request;
        request.subscriber = None;
        let (control, messages) = mpsc::unbounded_channel();
        let (since, limit) = (Instant::now(), self.limit(&request));
        let job = Job {
            limit,
            deadline: since + limit,
            settings: Arc::clone(&self.arguments.settings),
            capabilities: started.capabilities.clone(),
            fanout,
            request,
        };
        let (id, command) = (job.request.id.clone(), first_line(&job.request.command));
        let guard = Guard::new(self.myself.clone(), move |result: Result<_, Unstarted>| {
            EnvironmentMessage::Done(key, result.map(Box::new))
        });
        let work = Work {
            backend,
            started: Arc::clone(started),
            marks: self.arguments.marks.clone(),
            state,
        };
        let task = tokio::spawn(async move {
            guard.finish(work.run(spare, job, messages).await);
        });
        let (askers, again) = (waiting.askers, waiting.again);
        let running = Running { id, fork, command, since, control, askers, again, task };
        self.running.insert(key, running);
    }

    fn limit(&self, request: &Execute) -> Duration {
        match (request.timeout, self.arguments.chosen.timeout) {
            (None | Some(Duration::ZERO), Some(own)) => own,
            _ => request.limit(&self.arguments.settings),
        }
    }

    pub(super) fn done(&mut self, key: u64, result: Result<Box<Report>, Unstarted>) {
        let Some(running) = self.running.remove(&key) else { return };
        self.last_activity = Instant::now();
        let lost = match &result {
            Ok(report) => matches!(report.outcome, Outcome::Lost { .. }),
            Err(unstarted) => matches!(unstarted.error, BackendError::Lost { .. }),
        };
        // The instance may be gone: look again before the next command.
        if lost && self.running.is_empty() && matches!(self.phase, Phase::Ready(_)) {
            self.drop_spare();
            self.phase = Phase::Cold;
        }
        match result {
            Ok(report) => self.conclude(running, *report),
            Err(Unstarted { error, request: Some(request) })
                if lost && !running.again && matches!(self.phase, Phase::Cold) =>
            {
                self.try_again(*request, running.askers, &error);
            }
            Err(Unstarted { error, .. }) => {
                let error = self.error(error);
                for asker in running.askers {
                    asker.fail(error.clone());
                }
            }
        }
        if matches!(self.phase, Phase::Releasing(_)) {
            self.release_step();
        } else {
            self.go_on();
        }
    }

    /// The instance was gone when the command's shell was to be started, so nothing of it ran: it
    /// is first in line for the next instance. Once; the result says what happened.
    fn try_again(&mut self, request: Execute, askers: Vec<Asker>, error: &BackendError) {
        self.notices.push(Notice::new(
            "instance_lost",
            format!(
                "{error}; the command had not begun and was given to a new instance. The shell \
                 state carried over; files and processes of the old instance may be gone"
            ),
        ));
        self.queue.push_front(Waiting { request, askers, again: true });
    }

    fn conclude(&mut self, running: Running, report: Report) {
        if let Some(leftover) = report.leftover {
            self.keep_draining(leftover);
        }
        if !running.fork {
            if let Some(state) = report.state {
                self.commit(Arc::new(state));
            } else if let Some(old) = &self.shell {
                // No record came, but the next command may ask for `$?`.
                let last_status = report.outcome.returncode();
                self.commit(Arc::new(ShellState { last_status, ..(**old).clone() }));
            }
        }
        let mut notices = std::mem::take(&mut self.notices);
        notices.extend(report.notices);
        let result = ExecuteResult {
            outcome: report.outcome,
            output: report.output,
            stderr: report.stderr,
            cwd: self.shell.as_ref().map(|s| s.cwd_text()).unwrap_or_default(),
            duration: report.duration,
            left_running: report.left_running,
            notices,
            repeated: false,
        };
        if let Some(id) = running.id {
            lock(&self.arguments.remembered).keep(id, result.clone());
        }
        let mut result = result;
        // The first asker began it; the others repeated its id.
        for asker in running.askers {
            let gap = asker.subscriber.as_ref().and_then(|s| report.fanout.gap_of(s));
            asker.answer(result.clone(), gap);
            result.repeated = true;
        }
    }

    /// Makes `state` the one that the next command starts from.
    pub(super) fn commit(&mut self, state: Arc<ShellState>) {
        if self.shell.as_deref() == Some(&*state) {
            return;
        }
        self.shell = Some(Arc::clone(&state));
        *self.arguments.committed.lock().unwrap_or_else(PoisonError::into_inner) = Some(state);
        self.save();
    }

    /// Saves the state behind the answer; states that follow each other quickly are saved once.
    fn save(&mut self) {
        let Some(store) = self.store.clone() else { return };
        let looks = Arc::clone(&self.saver_looks);
        let looked = std::mem::replace(&mut *lock(&looks), true);
        if looked && self.saving.as_ref().is_some_and(|s| !s.is_finished()) {
            return;
        }
        let committed = Arc::clone(&self.arguments.committed);
        let task = self.task();
        self.saving = Some(tokio::task::spawn_blocking(move || {
            let mut saved: Option<Arc<ShellState>> = None;
            loop {
                // Looked at and given up under one lock, so that no state falls between.
                let mut looks = lock(&looks);
                let current = lock(&committed).clone();
                let new = current.filter(|c| saved.as_ref().is_none_or(|s| !Arc::ptr_eq(s, c)));
                let Some(state) = new else {
                    *looks = false;
                    return;
                };
                drop(looks);
                if let Err(error) = store.save(&state) {
                    tracing::warn!(%task, %error, "the shell state was not saved");
                }
                saved = Some(state);
            }
        }));
    }

    /// What must be done before the instance is let go of: the last state is on its way to disk.
    pub(super) fn take_saving(&mut self) -> Option<JoinHandle<()>> {
        self.save();
        self.saving.take()
    }

    /// Ends the request with this id, or whatever is first in line.
    pub(super) fn interrupt(&mut self, id: Option<&str>, cause: InterruptCause) -> bool {
        self.last_activity = Instant::now();
        let running = match id {
            Some(id) => self.running.values().find(|r| r.id.as_deref() == Some(id)),
            None => self.foreground().or_else(|| self.running.values().next()),
        };
        if let Some(running) = running {
            return running.control.send(Control::Kill(cause)).is_ok();
        }
        let waiting = self
            .queue
            .iter()
            .position(|w| id.is_none() || w.request.id.as_deref() == id)
            .and_then(|at| self.queue.remove(at));
        let found = waiting.is_some();
        if let Some(waiting) = waiting {
            waiting.never_ran(cause, self.shell.as_deref());
        }
        found
    }

    pub(super) fn status(&self) -> EnvironmentStatus {
        let foreground = self.foreground();
        EnvironmentStatus {
            task: self.arguments.task.to_string(),
            profile: self.arguments.chosen.profile.clone(),
            backend: self.arguments.chosen.backend.name().to_owned(),
            phase: match &self.phase {
                Phase::Cold => "cold",
                Phase::Provisioning => "provisioning",
                Phase::Ready(_) if self.running.is_empty() => "ready",
                Phase::Ready(_) => "busy",
                Phase::Releasing(_) => "releasing",
            },
            queued: self.queue.len(),
            running: foreground.map(|r| RunningStatus {
                id: r.id.clone(),
                command: r.command.clone(),
                elapsed: r.since.elapsed(),
            }),
            forks: self.forks(),
            left_running: self.leftovers.len(),
            spare: matches!(self.spare, Spare::Ready { .. }),
            commands: self.commands,
            from_spare: self.from_spare,
            cwd: self.shell.as_ref().map(|s| s.cwd_text()),
            idle: if self.is_busy() { Duration::ZERO } else { self.last_activity.elapsed() },
            settings: self.arguments.chosen.backend.describe(),
        }
    }

    /// Whether there is work that nobody may take away.
    pub(super) fn is_busy(&self) -> bool {
        !self.queue.is_empty()
            || !self.running.is_empty()
            || !self.leftovers.is_empty()
            || matches!(self.phase, Phase::Provisioning | Phase::Releasing(_))
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Drop for EnvironmentState {
    /// Reached with work in hand only when the actor crashed or its supervisor did: stops that
    /// work. What it had started on the target is ended by the environment that comes after, or
    /// by the sweep.
    fn drop(&mut self) {
        for running in self.running.values() {
            running.task.abort();
        }
        for task in self.leftovers.values().chain(&self.work) {
            task.abort();
        }
    }
}

fn first_line(command: &[u8]) -> String {
    let line = command.split(|&b| b == b'\n').next().unwrap_or_default();
    String::from_utf8_lossy(&line[..line.len().min(200)]).into_owned()
}
