//! The words a row is written in. Nothing here runs anything.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use hexad::actors::Settings;

use super::Context;
pub use super::cmd::{Cmd, run};

/// What a row needs of a target. A target that lacks it skips the row, and the matrix says so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// A real bash: functions, arrays, options, an EXIT trap beside the runtime's own.
    Bash,
    /// Processes that outlive their command are known by name, and ended with the environment.
    ProcTable,
    /// Descendants are found by parenthood too, whatever became of their environment and session.
    Descendants,
    /// The login files of a home folder that the test fills.
    Login,
    /// The environment that the program itself was started with: the local backend's policy.
    HostEnvironment,
    /// The test and the target share a file system.
    SharedFiles,
    /// The shell state can be kept on disk between two runtimes.
    Persist,
}

/// A step in plain code.
pub type Custom =
    Arc<dyn Fn(Context) -> Pin<Box<dyn Future<Output = Result<(), String>> + Send>> + Send + Sync>;

/// One step of a row.
pub enum Step {
    Run(Box<Cmd>),
    /// All at once, or each after its pause.
    Together(Vec<Cmd>),
    /// Interrupts the task; tells whether there was something to end.
    Interrupt(bool),
    Release,
    /// Stops the runtime and starts another one in the same surroundings.
    Restart,
    Pause(Duration),
    /// No process of the target has this in its command line, now or soon.
    Gone(String),
    /// A process of the target has this in its command line.
    Alive(String),
    Code(Custom),
}

impl From<Cmd> for Step {
    fn from(cmd: Cmd) -> Self {
        Self::Run(Box::new(cmd))
    }
}

pub fn gone(pattern: &str) -> Step {
    Step::Gone(pattern.to_owned())
}

pub fn alive(pattern: &str) -> Step {
    Step::Alive(pattern.to_owned())
}

pub fn pause_ms(pause: u64) -> Step {
    Step::Pause(Duration::from_millis(pause))
}

/// A step in plain code.
pub fn code<F, R>(work: F) -> Step
where
    F: Fn(Context) -> R + Send + Sync + 'static,
    R: Future<Output = Result<(), String>> + Send + 'static,
{
    Step::Code(Arc::new(move |context| Box::pin(work(context))))
}

/// Changes the limits of the runtime that a row gets.
pub type Tweak = fn(&mut Settings);

/// Surroundings that a row wants of a runtime of its own.
#[derive(Clone, Default)]
pub struct Wish {
    pub tweak: Option<Tweak>,
    /// Files under the home of the user, with their text.
    pub home: Vec<(&'static str, &'static str)>,
    /// Variables of the program's own environment.
    pub env: Vec<(&'static str, &'static str)>,
    /// Lines of the `terminal:` section.
    pub config: Vec<&'static str>,
    pub persist: bool,
}

/// One row of the table.
pub struct Row {
    pub id: &'static str,
    pub needs: Vec<Need>,
    pub steps: Vec<Step>,
    pub wish: Wish,
    pub own_runtime: bool,
}

pub fn row(id: &'static str) -> Row {
    Row { id, needs: Vec::new(), steps: Vec::new(), wish: Wish::default(), own_runtime: false }
}

impl Row {
    pub fn need(mut self, need: Need) -> Self {
        self.needs.push(need);
        self
    }

    /// Needs a bash.
    pub fn bash(self) -> Self {
        self.need(Need::Bash)
    }

    pub fn runs<const N: usize>(mut self, cmds: [Cmd; N]) -> Self {
        self.steps.extend(cmds.map(Step::from));
        self
    }

    pub fn together<const N: usize>(self, cmds: [Cmd; N]) -> Self {
        self.then(Step::Together(cmds.into()))
    }

    pub fn then(mut self, step: impl Into<Step>) -> Self {
        self.steps.push(step.into());
        self
    }

    pub fn tweak(mut self, tweak: Tweak) -> Self {
        self.wish.tweak = Some(tweak);
        self.own_runtime = true;
        self
    }

    pub fn home(mut self, file: &'static str, text: &'static str) -> Self {
        self.wish.home.push((file, text));
        self.own_runtime = true;
        if self.needs.contains(&Need::Login) { self } else { self.need(Need::Login) }
    }

    pub fn host_env(mut self, name: &'static str, value: &'static str) -> Self {
        self.wish.env.push((name, value));
        self.own_runtime = true;
        if self.needs.contains(&Need::HostEnvironment) {
            self
        } else {
            self.need(Need::HostEnvironment)
        }
    }

    pub fn config(mut self, line: &'static str) -> Self {
        self.wish.config.push(line);
        self.own_runtime = true;
        self
    }

    pub fn persist(mut self) -> Self {
        self.wish.persist = true;
        self.own_runtime = true;
        self.need(Need::Persist)
    }
}
