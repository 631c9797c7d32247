//! The loop that drives one command.

use std::collections::VecDeque;
use std::future::Future;
use std::io;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncWrite, AsyncWriteExt as _};
use tokio::sync::mpsc;
use tokio::task::coop::consume_budget;
use tokio::time::{Instant, sleep_until};

use super::capture::Capture;
use super::kill;
use super::report::{Ending, Job, Leftover, Report};
use super::shell::Shell;
use super::streams::{Controls, RecordFile, Stdout};
use crate::backend::{Backend, Exit, ExitStatus, Scope};
use crate::event::{Event, Stream, Subscriber};
use crate::outcome::{InterruptCause, Outcome};
use crate::request::Streams;
use crate::shell::record::{DONE, END};
use crate::shell::{CommandInput, Frame, FrameReader};

/// The most that is read from a stream once its process has ended: more than any pipe holds, so
/// nothing of the command is lost, and a background writer cannot keep us.
const DRAIN_LIMIT: u64 = 4 * 1024 * 1024;
/// How long the final record and the end mark of the output may take behind the news that the shell
/// has ended, where streams come on ways of their own. They are on their way, unless the command
/// closed what they go to, replaced the shell or killed it, while something else holds the streams.
const END_MARK_LIMIT: Duration = Duration::from_secs(5);
/// How long to ask for the exit of a shell whose record does not say what ended it.
const UNCLEAR_LIMIT: Duration = Duration::from_secs(10);
/// How long a process that was started may take to be found.
const APPEARING: Duration = Duration::from_secs(5);
const APPEARING_PAUSE: Duration = Duration::from_millis(20);
/// How long the streams of what was killed may take to end, where they come from afar.
const AFTER_KILLING: Duration = Duration::from_secs(1);
/// For what is on its way already.
const LAST_LOOK: Duration = Duration::from_millis(1);

/// What the environment may say while a command runs.
#[derive(Debug)]
pub(crate) enum Control {
    /// End it and everything it started.
    Kill(InterruptCause),
    /// Somebody else wants to watch (a repeated request id).
    Subscribe(Subscriber),
}

type Killing = Pin<Box<dyn Future<Output = usize> + Send>>;

struct Driver<'a> {
    backend: Arc<dyn Backend>,
    job: Job,
    scope: Scope,
    separate: bool,
    stdout: Stdout,
    control: Controls,
    record: Option<RecordFile>,
    exit: Box<dyn Exit>,
    status: Option<ExitStatus>,
    messages: &'a mut mpsc::UnboundedReceiver<Control>,
    messages_open: bool,
    /// Messages that arrived while output was being passed on.
    aside: VecDeque<Control>,
    capture: Capture,
    ending: Ending,
    deadline: Instant,
    /// Whether the shell was a spare.
    had_waited: bool,
    killing: Option<Killing>,
    /// When a kill of a shell that had not said where it is was begun. It may not have been in the
    /// process table yet.
    killed_unseen: Option<Instant>,
}

/// Runs `job` in `shell` to its end.
pub(crate) async fn run(
    backend: Arc<dyn Backend>,
    shell: Shell,
    mut job: Job,
    messages: &mut mpsc::UnboundedReceiver<Control>,
) -> Report {
    let started = Instant::now();
    let separate = job.request.streams == Streams::Separate;
    let mut blocks = if shell.hello.is_none() { shell.load_block() } else { Vec::new() };
    blocks.extend(shell.dialect.command_block(
        &shell.nonce,
        &CommandInput {
            command: &job.request.command,
            cwd: job.request.cwd.as_deref().map(str::as_bytes),
            env: &job.request.env,
            last_status: shell.state.last_status,
            stdin: job.request.stdin.is_some(),
            separate,
            end_mark: job.capabilities.unordered,
            record_file: shell.process.record.is_some(),
        },
    ));
    let scope = shell.scope();
    let fanout = std::mem::take(&mut job.fanout);
    let mut ending = Ending::new(shell.dialect, separate, Arc::clone(&shell.state));
    if let Some(hello) = &shell.hello {
        ending.arrived(&hello.cwd);
    }
    let data = job.request.stdin.take();
    let driver = Driver {
        scope,
        separate,
        stdout: Stdout::new(
            shell.process.stdout,
            job.capabilities.unordered.then(|| FrameReader::new(&shell.nonce)),
        ),
        control: Controls::new(shell.process.control, shell.frames),
        record: shell.process.record.map(|file| RecordFile::new(file, &shell.nonce)),
        exit: shell.process.exit,
        status: None,
        messages,
        messages_open: true,
        aside: VecDeque::new(),
        capture: Capture::new(
            job.settings.output_limit,
            job.request.spill.as_deref(),
            separate,
            fanout,
        ),
        ending,
        deadline: job.deadline,
        had_waited: shell.hello.is_some(),
        killing: None,
        killed_unseen: None,
        backend,
        job,
    };
    driver.drive(started, write_input(shell.process.stdin, blocks, data)).await
}

/// Writes the blocks, then the command's own input, then closes. An error tells whether the
/// blocks were taken whole.
async fn write_input(
    mut stdin: Box<dyn AsyncWrite + Send + Unpin>,
    blocks: Vec<u8>,
    data: Option<Vec<u8>>,
) -> Result<(), BlocksCut> {
    let result: io::Result<()> = async {
        stdin.write_all(&blocks).await?;
        stdin.flush().await
    }
    .await;
    result.map_err(|_| BlocksCut)?;
    drop(blocks);
    if let Some(data) = data {
        // A command need not read its input: a broken pipe here is its own affair.
        let _ = stdin.write_all(&data).await;
        let _ = stdin.flush().await;
    }
    let _ = stdin.shutdown().await;
    Ok(())
}

/// The shell went away before it had its command.
struct BlocksCut;

impl Driver<'_> {
    async fn drive(
        mut self,
        started: Instant,
        writing: impl Future<Output = Result<(), BlocksCut>> + Send,
    ) -> Report {
        let mut unstarted = false;
        {
            let mut writing = pin!(writing);
            let mut written = false;
            let interval = self.job.settings.progress_interval;
            let mut next_progress = started + interval;
            let mut complete_since = None;
            let mut patience = None;
            let mut asked = false;
            loop {
                if self.killing.is_none() && (self.status.is_some() || unstarted) {
                    break;
                }
                if self.killing.is_none() && self.ending.is_complete() {
                    let grace = self.job.capabilities.exit_grace;
                    if grace.is_zero() || self.nothing_more_can_come() {
                        break;
                    }
                    let since = *complete_since.get_or_insert_with(Instant::now);
                    let waited = since.elapsed();
                    // A signal may have ended the shell: its record does not say.
                    if (self.stdout.complete || waited >= grace)
                        && !std::mem::replace(&mut asked, true)
                    {
                        self.exit.is_due();
                    }
                    let limit = if self.ending.came_to_end { grace } else { UNCLEAR_LIMIT };
                    if waited >= limit.max(grace) {
                        self.ending.unclear = !self.ending.came_to_end;
                        break;
                    }
                    patience = Some(since + if waited >= grace { limit } else { grace });
                }
                while let Some(message) = self.aside.pop_front() {
                    self.handle(message);
                }
                tokio::select! {
                    biased;
                    message = self.messages.recv(), if self.messages_open => match message {
                        Some(message) => self.handle(message),
                        None => self.messages_open = false,
                    },
                    () = sleep_until(self.deadline), if self.may_be_killed() => {
                        let limit = self.job.limit;
                        self.kill(Outcome::TimedOut { limit });
                    }
                    survivors = finished(&mut self.killing) => {
                        self.ending.survivors = survivors;
                        if survivors > 0 || !self.may_still_appear() {
                            break;
                        }
                        self.kill_again();
                    }
                    result = &mut writing, if !written => {
                        written = true;
                        unstarted = result.is_err() && self.ending.is_untouched();
                    }
                    bytes = self.control.read() => self.take_control(bytes).await,
                    bytes = self.stdout.read() => self.take_stdout(bytes).await,
                    status = self.exit.wait(), if self.status.is_none() => {
                        self.status = Some(status);
                    }
                    () = at(patience), if patience.is_some() => {}
                    () = sleep_until(next_progress) => {
                        next_progress += interval;
                        self.report_progress(started.elapsed());
                    }
                }
                consume_budget().await;
            }
        }
        let duration = started.elapsed();
        self.drain().await;
        unstarted |= self.never_began();
        self.finish(unstarted, duration).await
    }

    /// Whether the record tells all, and nobody holds the streams any more or what came over them
    /// has its end mark. The shell itself may still be on its way out.
    fn nothing_more_can_come(&self) -> bool {
        self.ending.came_to_end
            && if self.job.capabilities.unordered {
                self.stdout.complete
            } else {
                !self.stdout.open && !self.control.open
            }
    }

    /// Whether the shell, which had waited, ended before it began with its command: everything that
    /// it wrote has come, and there is no word of it.
    fn never_began(&self) -> bool {
        self.had_waited
            && self.job.capabilities.unordered
            && !self.control.open
            && self.ending.is_untouched()
            && matches!(self.status, Some(ExitStatus::Code(_) | ExitStatus::Signal(_)))
    }

    /// Reads what is buffered: the process has ended or said that it has. Where streams come on ways
    /// of their own, the final record and the end mark of the output are waited for.
    async fn drain(&mut self) {
        let settle = self.job.capabilities.settle;
        let all_is_here = |driver: &Self| driver.ending.is_complete() && driver.stdout.complete;
        let mut waiting =
            self.job.capabilities.unordered && self.ending.killed.is_none() && !all_is_here(self);
        // Everything that held the streams was ended, so they end, and the record may be on its way.
        let ended = self.ending.killed.is_some() && self.ending.survivors == 0;
        // Was its end waited for in vain, somebody else holds the streams: no need to wait again.
        let settle =
            if self.ending.is_complete() && self.status.is_none() && !self.ending.came_to_end {
                settle.min(LAST_LOOK)
            } else if ended && !settle.is_zero() {
                settle.max(AFTER_KILLING)
            } else {
                settle
            };
        let mut until = Instant::now() + if waiting { END_MARK_LIMIT } else { settle };
        let limit = self.capture.total() + DRAIN_LIMIT;
        while (self.stdout.open || self.control.open) && (waiting || self.capture.total() < limit) {
            tokio::select! {
                biased;
                bytes = self.control.read() => self.take_control(bytes).await,
                bytes = self.stdout.read() => self.take_stdout(bytes).await,
                () = settled(until, waiting || !settle.is_zero()) => break,
            }
            if waiting && all_is_here(self) {
                waiting = false;
                until = Instant::now() + settle;
            }
        }
        let Some(mut frames) = self.stdout.frames.take() else { return };
        let mut held_back = Vec::new();
        frames.finish(&mut held_back);
        if !held_back.is_empty() {
            self.pass(Stream::Stdout, &held_back).await;
        }
    }

    async fn finish(mut self, mut unstarted: bool, duration: Duration) -> Report {
        let mut noise = Vec::new();
        self.ending.stream_cut = self.control.frames.finish(&mut noise);
        if self.separate {
            self.pass(Stream::Stderr, &noise).await;
        }
        // One that was ended on purpose is not begun again.
        unstarted &= self.ending.killed.is_none();
        if !unstarted {
            self.capture.fanout.finish();
            self.pass_on().await;
        }
        let held = self.stdout.open || self.control.open;
        let mut left_running = Vec::new();
        let mut leftover = None;
        if held
            && self.job.capabilities.tracks_holders
            && self.ending.killed.is_none()
            && !unstarted
        {
            let shell = self.scope.leader;
            left_running = self.backend.processes(&self.scope).await.unwrap_or_default();
            left_running.retain(|p| Some(p.pid) != shell);
            leftover = Some(Leftover { stdout: self.stdout.stream, control: self.control.stream });
        }
        let (output, stderr, fanout, notices) = self.capture.finish();
        let mut report = Report {
            unstarted,
            outcome: Outcome::Exited(0),
            output,
            stderr: self.separate.then_some(stderr),
            state: None,
            duration,
            left_running,
            leftover,
            notices,
            fanout,
            request: self.job.request,
        };
        self.ending.conclude(self.status, &mut report);
        report
    }

    fn handle(&mut self, message: Control) {
        match message {
            Control::Kill(cause) => self.kill(Outcome::Interrupted { cause }),
            Control::Subscribe(subscriber) => self.capture.fanout.add(subscriber),
        }
    }

    /// Whether there still is something to end: a shell whose record has come has ended.
    fn may_be_killed(&self) -> bool {
        self.killing.is_none() && !self.ending.is_complete()
    }

    fn kill(&mut self, why: Outcome) {
        if !self.may_be_killed() {
            return;
        }
        self.ending.killed = Some(why);
        self.capture.fanout.stop_waiting();
        self.killed_unseen = self.scope.leader.is_none().then(Instant::now);
        let (backend, scope) = (Arc::clone(&self.backend), self.scope.clone());
        let grace = self.job.settings.kill_grace;
        self.killing =
            Some(Box::pin(async move { kill::terminate(&*backend, &scope, grace).await }));
    }

    /// Whether the shell that was killed may have been on its way into the process table, and so
    /// have its command still before it.
    fn may_still_appear(&self) -> bool {
        self.killed_unseen.is_some_and(|since| since.elapsed() < APPEARING)
            && self.status.is_none()
            && self.control.open
            && self.stdout.open
    }

    fn kill_again(&mut self) {
        let (backend, scope) = (Arc::clone(&self.backend), self.scope.clone());
        if scope.leader.is_some() {
            // It is there now: this is the last time.
            self.killed_unseen = None;
        }
        self.killing = Some(Box::pin(async move {
            tokio::time::sleep(APPEARING_PAUSE).await;
            kill::end_everything(&*backend, &scope).await
        }));
    }

    fn report_progress(&mut self, elapsed: Duration) {
        if self.capture.fanout.is_empty() {
            return;
        }
        let event = Event::Progress {
            elapsed,
            bytes: self.capture.total(),
            last_line: self.capture.last_line(),
        };
        self.capture.fanout.tell(&event);
    }

    async fn take_stdout(&mut self, count: usize) {
        if count == 0 {
            self.stdout.open = false;
            return;
        }
        let buffer = std::mem::take(&mut self.stdout.buffer);
        match &mut self.stdout.frames {
            None => self.pass(Stream::Stdout, &buffer).await,
            Some(reader) => {
                let (mut frames, mut outside) = (Vec::new(), Vec::new());
                reader.feed(&buffer, &mut frames, &mut outside);
                if let Some(end) = frames.iter().find(|f| f.kind == END) {
                    self.stdout.complete = true;
                    self.ending.came_to_end = !end.payload.is_empty();
                }
                if !outside.is_empty() {
                    self.pass(Stream::Stdout, &outside).await;
                }
            }
        }
        self.stdout.buffer = buffer;
    }

    async fn take_control(&mut self, count: usize) {
        if count == 0 {
            self.control.open = false;
            return;
        }
        let mut frames: Vec<Frame> = Vec::new();
        let mut outside = Vec::new();
        self.control.frames.feed(&self.control.buffer, &mut frames, &mut outside);
        if self.separate && !outside.is_empty() {
            self.pass(Stream::Stderr, &outside).await;
        }
        for frame in frames {
            if frame.kind == DONE
                && let Some(record) = self.record.take()
            {
                for frame in record.read() {
                    self.ending.take(&frame, &mut self.scope);
                }
            }
            self.ending.take(&frame, &mut self.scope);
        }
    }

    /// Keeps bytes and passes them on.
    async fn pass(&mut self, stream: Stream, bytes: &[u8]) {
        self.capture.keep(stream, bytes);
        self.capture.fanout.push(stream, bytes);
        self.pass_on().await;
    }

    /// Passes on what the fan-out holds. A subscriber that makes the command wait cannot hold up
    /// its limit or an interrupt.
    async fn pass_on(&mut self) {
        if self.capture.fanout.is_empty() {
            return;
        }
        let mut stop = false;
        {
            let mut flush = pin!(self.capture.fanout.flush());
            while !stop {
                tokio::select! {
                    biased;
                    () = &mut flush => break,
                    () = sleep_until(self.deadline) => stop = true,
                    message = self.messages.recv(), if self.messages_open => match message {
                        Some(message) => {
                            stop = matches!(message, Control::Kill(_));
                            self.aside.push_back(message);
                        }
                        None => self.messages_open = false,
                    },
                }
            }
        }
        if stop {
            self.capture.fanout.stop_waiting();
            self.capture.fanout.flush().await;
        }
    }
}

async fn finished(killing: &mut Option<Killing>) -> usize {
    match killing {
        Some(killing) => killing.await,
        None => std::future::pending().await,
    }
}

async fn at(instant: Option<Instant>) {
    match instant {
        Some(instant) => sleep_until(instant).await,
        None => std::future::pending().await,
    }
}

async fn settled(until: Instant, wait: bool) {
    if wait {
        sleep_until(until).await;
    }
}
