//! What callers send to the runtime.

use std::sync::Arc;

use crate::backend::StopMode;
use crate::environment::EnvironmentStatus;
use crate::outcome::{ExecuteResult, InterruptCause};
use crate::reply::Reply;
use crate::request::Execute;
use crate::shell::ShellState;
use crate::task_id::TaskId;

/// A message to the supervisor. Make the reply with [`Reply::new`] and wait for its answer.
#[derive(Debug)]
#[non_exhaustive]
pub enum SupervisorMessage {
    /// Runs a command in the task's environment, which is made if there is none.
    Execute {
        /// The task.
        task: TaskId,
        /// The command.
        request: Box<Execute>,
        /// The result. When nobody waits for it any more, a command that has not begun is not
        /// begun; one that has goes on to its end.
        reply: Reply<ExecuteResult>,
    },
    /// Ends the running command of a task, or the request with an id.
    Interrupt {
        /// The task.
        task: TaskId,
        /// Which request; none is the running one, or else the first that waits.
        id: Option<String>,
        /// Why.
        cause: InterruptCause,
        /// Whether there was something to end.
        reply: Reply<bool>,
    },
    /// Asks how a task's environment is.
    Status {
        /// The task.
        task: TaskId,
        /// None when it has no environment.
        reply: Reply<Option<EnvironmentStatus>>,
    },
    /// Asks for the last committed shell state of a task.
    State {
        /// The task.
        task: TaskId,
        /// None when nothing is known of it in this process.
        reply: Reply<Option<Arc<ShellState>>>,
    },
    /// Asks how all environments are.
    List {
        /// One entry a task, sorted by task.
        reply: Reply<Vec<EnvironmentStatus>>,
    },
    /// Ends everything of a task and lets go of its instance.
    Release {
        /// The task.
        task: TaskId,
        /// The profile, if the task is not known in this process.
        profile: Option<String>,
        /// Whether its data is kept.
        mode: StopMode,
        /// When it is done.
        reply: Reply<()>,
    },
    /// Lets go of everything, keeping data, and stops.
    Shutdown {
        /// When it is done.
        reply: Reply<()>,
    },
    /// The janitor: retire what is idle.
    #[doc(hidden)]
    ExpireIdle,
    /// The janitor: clean up behind dead runtimes.
    #[doc(hidden)]
    Sweep,
    /// An environment has let go and could stop.
    #[doc(hidden)]
    MayRetire {
        /// Its task.
        task: TaskId,
    },
    /// An environment that was asked to stop has work again.
    #[doc(hidden)]
    StillBusy {
        /// Its task.
        task: TaskId,
    },
}
