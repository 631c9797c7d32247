//! A command of a row, and what is expected of it.

use std::time::Duration;

use hexad::{Event, ExecuteResult};

/// What must be true of a result.
pub type Check = Box<dyn Fn(&ExecuteResult) -> Result<(), String> + Send + Sync>;
/// What must be true of the events of a request.
pub type EventCheck = Box<dyn Fn(&[Event]) -> Result<(), String> + Send + Sync>;
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
    pub notices: Vec<&'static str>,
    /// Whether it depends on the kind of shell if a record of the state comes.
    pub may_lose_state: bool,
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
            notices: Vec::new(),
            may_lose_state: false,
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

    /// Ends without a record of its state, and says so.
    pub fn loses_state(self) -> Self {
        self.notice("state_kept")
    }

    /// The same in some kinds of shell; in others the record comes.
    pub fn may_lose_state(mut self) -> Self {
        self.expect.may_lose_state = true;
        self
    }

    pub fn notice(mut self, code: &'static str) -> Self {
        self.expect.notices.push(code);
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
