//! What a command came to, put together from its record, its exit and what was done to it.

use std::sync::Arc;
use std::time::Duration;

use tokio::io::AsyncRead;
use tokio::time::Instant;

use crate::backend::{Capabilities, ExitStatus, ProcessInfo, Scope};
use crate::outcome::{Captured, Notice, Outcome};
use crate::output::Fanout;
use crate::request::{Execute, Streams};
use crate::settings::Settings;
use crate::shell::record::{self, BEGUN, DONE, FINAL, HELLO, MOVED, PROVISIONAL, RecordError};
use crate::shell::{Dialect, Frame, ShellState};

/// One command and how to run it.
#[derive(Debug)]
pub(crate) struct Job {
    pub(crate) request: Execute,
    pub(crate) limit: Duration,
    /// When the limit is reached.
    pub(crate) deadline: Instant,
    pub(crate) fanout: Fanout,
    pub(crate) settings: Arc<Settings>,
    pub(crate) capabilities: Capabilities,
}

/// What came of a command.
#[derive(Debug)]
pub(crate) struct Report {
    /// The shell died before it had read its command: nothing ran, and this may be run again.
    pub(crate) unstarted: bool,
    pub(crate) request: Execute,
    pub(crate) outcome: Outcome,
    pub(crate) output: Captured,
    pub(crate) stderr: Option<Captured>,
    /// The state that the command left, if its record came.
    pub(crate) state: Option<ShellState>,
    pub(crate) duration: Duration,
    pub(crate) left_running: Vec<ProcessInfo>,
    pub(crate) leftover: Option<Leftover>,
    pub(crate) notices: Vec<Notice>,
    pub(crate) fanout: Fanout,
}

impl Report {
    /// For a command that was ended while its shell could not be started yet.
    pub(crate) fn without_a_shell(job: Job, outcome: Outcome, duration: Duration) -> Self {
        let separate = job.request.streams == Streams::Separate;
        Self {
            unstarted: false,
            request: job.request,
            outcome,
            output: Captured::default(),
            stderr: separate.then(Captured::default),
            state: None,
            duration,
            left_running: Vec::new(),
            leftover: None,
            notices: vec![Notice::new(
                "never_ran",
                "no shell could be started for the command until it was ended; nothing of it ran",
            )],
            fanout: job.fanout,
        }
    }
}

/// Processes that go on after their command, and the streams they may still write to.
pub(crate) struct Leftover {
    pub(crate) stdout: Box<dyn AsyncRead + Send + Unpin>,
    pub(crate) control: Box<dyn AsyncRead + Send + Unpin>,
}

impl std::fmt::Debug for Leftover {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Leftover")
    }
}

/// Gathers the evidence while a command runs.
#[derive(Debug)]
pub(super) struct Ending {
    dialect: Dialect,
    separate: bool,
    before: Arc<ShellState>,
    record: Option<Result<ShellState, RecordError>>,
    provisional: Option<ShellState>,
    touched: bool,
    /// Whether the shell says that no signal ended it.
    pub(super) came_to_end: bool,
    /// Whether it does not say so, and its exit could not be learned.
    pub(super) unclear: bool,
    notices: Vec<Notice>,
    /// Why it was killed, if it was.
    pub(super) killed: Option<Outcome>,
    /// How many processes outlived the killing.
    pub(super) survivors: usize,
    /// Whether the control stream ended inside a frame.
    pub(super) stream_cut: bool,
}

impl Ending {
    pub(super) fn new(dialect: Dialect, separate: bool, before: Arc<ShellState>) -> Self {
        Self {
            dialect,
            separate,
            before,
            record: None,
            provisional: None,
            touched: false,
            came_to_end: false,
            unclear: false,
            notices: Vec::new(),
            killed: None,
            survivors: 0,
            stream_cut: false,
        }
    }

    /// Whether a final record has come that says how the command ended. Behind a damaged one the
    /// exit of the shell has to tell.
    pub(super) fn is_complete(&self) -> bool {
        matches!(self.record, Some(Ok(_)))
    }

    /// Whether there is no sign that the command script ran.
    pub(super) fn is_untouched(&self) -> bool {
        !self.touched
    }

    /// The shell says where it is.
    pub(super) fn arrived(&mut self, cwd: &[u8]) {
        if cwd != self.before.cwd {
            self.notices.push(cwd_gone(&self.before.cwd, cwd));
        }
    }

    pub(super) fn take(&mut self, frame: &Frame, scope: &mut Scope) {
        match frame.kind {
            HELLO => {
                if let Ok(hello) = record::parse_hello(frame) {
                    scope.leader = scope.leader.or(Some(hello.pid));
                    self.arrived(&hello.cwd);
                }
            }
            BEGUN => self.touched = true,
            DONE => self.came_to_end = !frame.payload.is_empty(),
            MOVED => {
                self.touched = true;
                let now = frame.payload.strip_suffix(b"\0").unwrap_or(&frame.payload);
                if now != self.before.cwd {
                    self.notices.push(cwd_gone(&self.before.cwd, now));
                }
            }
            PROVISIONAL => {
                self.touched = true;
                self.provisional = record::parse_record(frame, self.dialect, self.separate).ok();
            }
            FINAL => {
                self.touched = true;
                self.record = Some(record::parse_record(frame, self.dialect, self.separate));
            }
            _ => {}
        }
    }

    /// Fills in the outcome, the state and the notices.
    pub(super) fn conclude(self, status: Option<ExitStatus>, report: &mut Report) {
        let mut notices = self.notices;
        let mut state = match self.record {
            Some(Ok(state)) => Some(state),
            Some(Err(error)) => {
                notices.push(state_kept(&error.to_string()));
                None
            }
            None => {
                let ended = matches!(status, Some(ExitStatus::Code(_) | ExitStatus::Signal(_)));
                if self.stream_cut {
                    notices.push(state_kept("the shell ended while it wrote its state"));
                } else if ended && self.killed.is_none() && self.provisional.is_none() {
                    notices.push(state_kept("the shell ended without telling its state"));
                }
                self.provisional
            }
        };
        report.outcome = match (self.killed, status) {
            (Some(killed), _) => killed,
            // Where only a number is told, a shell that handed on the status of a child that a
            // signal ended looks as if it were ended by that signal itself. Its record knows.
            (None, Some(ExitStatus::Signal(signal)))
                if state.as_ref().is_some_and(|s| i32::from(s.last_status) == 128 + signal) =>
            {
                Outcome::Exited(state.as_ref().map_or(0, |s| s.last_status))
            }
            (None, Some(ExitStatus::Signal(signal))) => Outcome::Signaled(signal),
            (None, Some(ExitStatus::Code(code))) => Outcome::Exited((code & 0xff) as u8),
            (None, Some(ExitStatus::Lost(reason))) if state.is_none() => Outcome::Lost { reason },
            // No success is made up.
            (None, _) if self.unclear && state.as_ref().is_some_and(|s| s.last_status == 0) => {
                Outcome::Lost { reason: "the shell ended, and nobody says what ended it".into() }
            }
            (None, _) => match &state {
                Some(state) => Outcome::Exited(state.last_status),
                None => Outcome::Lost { reason: "the shell ended without a word".into() },
            },
        };
        let own_cwd = report.request.cwd.is_some();
        if own_cwd {
            // The command ran where it was told to.
            notices.retain(|notice| notice.code != CWD_GONE);
        }
        if let Some(state) = &mut state {
            state.settle(&self.before, &report.request.env, own_cwd);
            state.last_status = report.outcome.returncode();
        }
        explain(&report.outcome, self.survivors, &mut notices);
        notices.append(&mut report.notices);
        report.notices = notices;
        report.state = state;
    }
}

const CWD_GONE: &str = "cwd_gone";

fn cwd_gone(wanted: &[u8], used: &[u8]) -> Notice {
    Notice::new(
        CWD_GONE,
        format!(
            "the working directory {} cannot be entered any more; the command ran in {}",
            String::from_utf8_lossy(wanted),
            String::from_utf8_lossy(used)
        ),
    )
}

fn state_kept(why: &str) -> Notice {
    Notice::new(
        "state_kept",
        format!("{why}; the shell state from before this command stays in force"),
    )
}

/// Says in words what a number alone does not.
fn explain(outcome: &Outcome, survivors: usize, notices: &mut Vec<Notice>) {
    match outcome {
        Outcome::TimedOut { limit } => notices.push(Notice::new(
            "timed_out",
            format!(
                "the command ran into its limit of {} s; everything it had started was ended",
                limit.as_secs_f64()
            ),
        )),
        Outcome::Exited(137) | Outcome::Signaled(9) => notices.push(Notice::new(
            "killed",
            "something ended the command with SIGKILL; often that is the kernel, out of memory",
        )),
        Outcome::Exited(139) | Outcome::Signaled(11) => notices.push(Notice::new(
            "crashed",
            "status 139 usually means that a program crashed (SIGSEGV)",
        )),
        _ => {}
    }
    if survivors > 0 {
        notices.push(Notice::new(
            "survivors",
            format!("{survivors} processes of the command could not be ended"),
        ));
    }
}
