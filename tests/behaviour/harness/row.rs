//! The words a row is written in. Nothing here runs anything.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use hexad::actors::Settings;
use hexad::{Event, ExecuteResult};

use super::Context;

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

/// What must be true of a result.
pub type Check = Box<dyn Fn(&ExecuteResult) -> Result<(), String> + Send + Sync>;
/// What must be true of the events of a request.
pub type EventCheck = Box<dyn Fn(&[Event]) -> Result<(), String> + Send + Sync>;
/// A step in plain code.
pub type Custom =
    Arc<dyn Fn(Context) -> Pin<Box<dyn Future<Output = Result<(), String>> + Send>> + Send + Sync>;

/// One expectation about a stream.
#[derive(Clone, Debug)]
pub enum Text {
    Is(Vec<u8>),
    Has(Vec<u8>),
    Lacks(Vec<u8>),
}

/// What is expected of a command. The defaults are strict: it exits with 0, says no notice,
/// leaves nothing running, and is not the repetition of another.
pub struct Expect {
    pub output: Vec<Text>,
    pub stderr: Vec<Text>,
    pub code: Option<u8>,
    pub outcome: Option<&'static str>,
    pub cwd: Option<Vec<u8>>,
    pub notices: Option<Vec<&'static str>>,
    pub left: std::ops::RangeInclusive<usize>,
    pub within: Duration,
    pub repeated: Option<bool>,
    pub refused: Option<&'static str>,
    pub checks: Vec<Check>,
    pub events: Vec<EventCheck>,
}

impl Default for Expect {
    fn default() -> Self {
        Self {
            output: Vec::new(),
            stderr: Vec::new(),
            code: Some(0),
            outcome: Some("exited"),
            cwd: None,
            notices: Some(Vec::new()),
            left: 0..=0,
            within: Duration::from_secs(20),
            repeated: Some(false),
            refused: None,
            checks: Vec::new(),
            events: Vec::new(),
        }
    }
}

/// A command with what is expected of it. In all texts `@DIR@` is a fresh directory on the target
/// and `@N@` a number that no other row has.
#[derive(Default)]
pub struct Cmd {
    pub text: Vec<u8>,
    pub timeout: Option<Duration>,
    pub stdin: Option<Vec<u8>>,
    pub env: Vec<(String, Vec<u8>)>,
    pub cwd: Option<String>,
    pub fork: bool,
    pub separate: bool,
    pub id: Option<String>,
    pub after: Duration,
    pub interrupt_after: Option<Duration>,
    pub streamed: bool,
    pub task: &'static str,
    pub expect: Expect,
}

/// A command to run.
pub fn run(text: impl AsRef<[u8]>) -> Cmd {
    Cmd { text: text.as_ref().to_vec(), ..Cmd::default() }
}

impl Cmd {
    pub fn timeout(mut self, seconds: f64) -> Self {
        self.timeout = Some(Duration::from_secs_f64(seconds));
        self
    }

    pub fn stdin(mut self, data: impl AsRef<[u8]>) -> Self {
        self.stdin = Some(data.as_ref().to_vec());
        self
    }

    pub fn env(mut self, name: &str, value: impl AsRef<[u8]>) -> Self {
        self.env.push((name.to_owned(), value.as_ref().to_vec()));
        self
    }

    pub fn at(mut self, cwd: &str) -> Self {
        self.cwd = Some(cwd.to_owned());
        self
    }

    pub fn fork(mut self) -> Self {
        self.fork = true;
        self
    }

    pub fn separate(mut self) -> Self {
        self.separate = true;
        self
    }

    pub fn id(mut self, id: &str) -> Self {
        self.id = Some(id.to_owned());
        self
    }

    /// In a group of commands: begins this much later.
    pub fn after_ms(mut self, pause: u64) -> Self {
        self.after = Duration::from_millis(pause);
        self
    }

    /// Is interrupted by id once it has run for so long; 130 is expected.
    pub fn interrupted_after_ms(mut self, pause: u64) -> Self {
        self.interrupt_after = Some(Duration::from_millis(pause));
        self.code(130).outcome("interrupted")
    }

    /// Is watched; the chunks must add up to the output.
    pub fn streamed(mut self) -> Self {
        self.streamed = true;
        self
    }

    /// Runs in another task, whose name ends with this.
    pub fn task(mut self, suffix: &'static str) -> Self {
        self.task = suffix;
        self
    }

    /// The output is exactly this.
    pub fn out(mut self, text: impl AsRef<[u8]>) -> Self {
        self.expect.output.push(Text::Is(text.as_ref().to_vec()));
        self
    }

    pub fn has(mut self, text: impl AsRef<[u8]>) -> Self {
        self.expect.output.push(Text::Has(text.as_ref().to_vec()));
        self
    }

    pub fn lacks(mut self, text: impl AsRef<[u8]>) -> Self {
        self.expect.output.push(Text::Lacks(text.as_ref().to_vec()));
        self
    }

    pub fn err(mut self, text: impl AsRef<[u8]>) -> Self {
        self.expect.stderr.push(Text::Is(text.as_ref().to_vec()));
        self
    }

    pub fn code(mut self, code: u8) -> Self {
        self.expect.code = Some(code);
        self
    }

    pub fn any_code(mut self) -> Self {
        self.expect.code = None;
        self
    }

    pub fn outcome(mut self, outcome: &'static str) -> Self {
        self.expect.outcome = Some(outcome);
        self
    }

    /// Runs into its limit of so many seconds.
    pub fn times_out(self, seconds: f64) -> Self {
        self.timeout(seconds).code(124).outcome("timed_out").notice("timed_out")
    }

    pub fn cwd(mut self, cwd: &str) -> Self {
        self.expect.cwd = Some(cwd.as_bytes().to_vec());
        self
    }

    pub fn notice(mut self, code: &'static str) -> Self {
        self.expect.notices.get_or_insert_with(Vec::new).push(code);
        self
    }

    pub fn any_notice(mut self) -> Self {
        self.expect.notices = None;
        self
    }

    /// Leaves this many processes running.
    pub fn leaves(mut self, count: std::ops::RangeInclusive<usize>) -> Self {
        self.expect.left = count;
        self
    }

    pub fn within(mut self, seconds: u64) -> Self {
        self.expect.within = Duration::from_secs(seconds);
        self
    }

    pub fn repeated(mut self) -> Self {
        self.expect.repeated = Some(true);
        self
    }

    pub fn perhaps_repeated(mut self) -> Self {
        self.expect.repeated = None;
        self
    }

    /// Gives no result but an error of this class.
    pub fn refused(mut self, code: &'static str) -> Self {
        self.expect.refused = Some(code);
        self
    }

    pub fn check(
        mut self,
        check: impl Fn(&ExecuteResult) -> Result<(), String> + Send + Sync + 'static,
    ) -> Self {
        self.expect.checks.push(Box::new(check));
        self
    }

    pub fn events(
        mut self,
        check: impl Fn(&[Event]) -> Result<(), String> + Send + Sync + 'static,
    ) -> Self {
        self.streamed = true;
        self.expect.events.push(Box::new(check));
        self
    }
}

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
