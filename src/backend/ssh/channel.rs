//! A process on the host: the command of one channel, its streams and its end.

use std::str::FromStr as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use async_trait::async_trait;
use hexad_actors::BackendError;
use hexad_actors::backend::{Exit, ExitStatus, Process};
use nix::sys::signal::Signal;
use russh::client::Msg;
use russh::{Channel, ChannelMsg, ChannelReadHalf, Sig};
use tokio::sync::watch;
use tokio::time::{sleep, timeout};

use super::connection::Slot;
use super::link::Link;
use super::stream::{self, Sink, Start};
use crate::backend::stream::Writer;

/// Standard error, in the protocol's words.
const STDERR: u32 = 1;
/// A server may tell the end of a process ahead of what it wrote last. Its end is believed once
/// nothing more came for this long, or the streams have ended.
const QUIET: Duration = Duration::from_millis(20);

/// Between two looks at what holds the streams of a process whose channel was closed.
const LOOK: (Duration, Duration) = (Duration::from_millis(500), Duration::from_secs(5));

/// Which run of which link a process is.
pub(super) struct Run {
    pub(super) link: Weak<Link>,
    pub(super) mark: String,
}

/// Starts `line` in a fresh channel. `mark` ends what the login shell says on its own.
///
/// # Errors
/// The connection is gone.
pub(super) async fn start(
    channel: Channel<Msg>,
    line: Vec<u8>,
    mark: &str,
    slot: Slot,
    run: Option<Run>,
) -> Result<Process, BackendError> {
    // The answer comes with the output: there is no round trip to wait for.
    channel
        .exec(true, line)
        .await
        .map_err(|_| BackendError::lost(format!("the connection to {} is gone", slot.host())))?;
    let (read, write) = channel.split();
    let stdin = Box::pin(write.make_writer());
    let (stdout, stdout_reader) = stream::buffer();
    let (control, control_reader) = stream::buffer();
    let (ended, end) = watch::channel(None);
    let over = Arc::new(AtomicBool::new(false));
    let lanes = [Lane::new(stdout, mark), Lane::new(control, mark)];
    let pump = Pump { read, lanes, ended, over: Arc::clone(&over), slot };
    tokio::spawn(async move {
        // Without this half nobody could close the channel.
        let _write = write;
        pump.run(run).await;
    });
    Ok(Process {
        record: None,
        stdin: Box::new(Writer::new(stdin)),
        stdout: Box::new(stdout_reader),
        control: Box::new(control_reader),
        exit: Box::new(ChannelExit { end, over }),
        pid: None,
    })
}

struct Lane {
    sink: Sink,
    start: Start,
}

impl Lane {
    fn new(sink: Sink, mark: &str) -> Self {
        Self { sink, start: Start::new(mark) }
    }
}

/// Empties a channel until its end.
struct Pump {
    read: ChannelReadHalf,
    lanes: [Lane; 2],
    ended: watch::Sender<Option<ExitStatus>>,
    over: Arc<AtomicBool>,
    slot: Slot,
}

impl Pump {
    async fn run(mut self, run: Option<Run>) {
        let mut status = None;
        let mut closed = false;
        loop {
            let message = if status.is_some() && self.ended.borrow().is_none() {
                match timeout(QUIET, self.read.wait()).await {
                    Ok(message) => message,
                    Err(_) => {
                        self.tell(status.clone());
                        continue;
                    }
                }
            } else {
                self.read.wait().await
            };
            match message {
                Some(ChannelMsg::Data { data }) => self.put(0, data).await,
                Some(ChannelMsg::ExtendedData { data, ext: STDERR }) => self.put(1, data).await,
                Some(ChannelMsg::ExitStatus { exit_status }) => {
                    status = Some(ExitStatus::Code(i32::try_from(exit_status).unwrap_or(255)));
                }
                Some(ChannelMsg::ExitSignal { signal_name, .. }) => {
                    status = Some(number(&signal_name));
                }
                Some(ChannelMsg::Failure) => {
                    let why = format!("{} refuses to run commands for us", self.slot.host());
                    status = Some(ExitStatus::Lost(why));
                    break;
                }
                // Not the end of the streams with such a server, but that of the process.
                Some(ChannelMsg::Eof) if self.slot.closes_early() => {}
                Some(ChannelMsg::Eof) => {
                    self.lanes.iter_mut().for_each(|lane| lane.sink.end());
                }
                Some(ChannelMsg::Close) => {
                    closed = true;
                    break;
                }
                None => break,
                Some(_) => {}
            }
        }
        if self.ended.borrow().is_none() {
            let status = match status {
                Some(status) => self.never_began().unwrap_or(status),
                None if closed => self.never_began().unwrap_or_else(|| {
                    ExitStatus::Lost(format!(
                        "{} did not say how the process ended",
                        self.slot.host()
                    ))
                }),
                None => {
                    ExitStatus::Lost(format!("the connection to {} was lost", self.slot.host()))
                }
            };
            let began = self.lanes.iter().any(|lane| lane.start.noise().is_none());
            self.tell(Some(status.clone()));
            match run {
                Some(run) if !closed => run.lost(),
                Some(run) if began && self.slot.closes_early() && is_known(&status) => {
                    drop(self.slot);
                    run.until_nothing_is_left().await;
                }
                _ => {}
            }
        }
        self.over.store(true, Ordering::Release);
        self.lanes.iter_mut().for_each(|lane| lane.sink.end());
    }

    fn tell(&self, status: Option<ExitStatus>) {
        let _ = self.ended.send(status);
    }

    async fn put(&mut self, lane: usize, data: bytes::Bytes) {
        let lane = &mut self.lanes[lane];
        let data = lane.start.take(data);
        if lane.sink.is_full() {
            // From now on others had better go another way.
            self.slot.is_clogged(true);
            lane.sink.put(data).await;
            self.slot.is_clogged(false);
        } else {
            lane.sink.put(data).await;
        }
    }

    /// A process that ended without its mark never was: what came is what the login shell said.
    fn never_began(&self) -> Option<ExitStatus> {
        let mut said = Vec::new();
        for lane in &self.lanes {
            said.extend_from_slice(lane.start.noise()?);
        }
        let said = String::from_utf8_lossy(&said);
        let host = self.slot.host();
        let why = format!("the login shell at {host} did not start the shell: {}", said.trim());
        Some(ExitStatus::Lost(why))
    }
}

impl Run {
    fn lost(self) {
        if let Some(link) = self.link.upgrade() {
            link.left_behind(self.mark);
        }
    }

    async fn until_nothing_is_left(&self) {
        let mut pause = LOOK.0;
        while let Some(link) = self.link.upgrade() {
            if !link.has_left(&self.mark).await {
                return;
            }
            drop(link);
            sleep(pause).await;
            pause = (pause * 2).min(LOOK.1);
        }
    }
}

fn is_known(status: &ExitStatus) -> bool {
    !matches!(status, ExitStatus::Lost(_))
}

fn number(signal: &Sig) -> ExitStatus {
    let name = match signal {
        // Names of the protocol's own would be `XCPU@example.com`.
        Sig::Custom(name) => name.split('@').next().unwrap_or_default().to_owned(),
        other => format!("{other:?}"),
    };
    match Signal::from_str(&format!("SIG{name}")) {
        Ok(signal) => ExitStatus::Signal(signal as i32),
        Err(_) => ExitStatus::Lost(format!("a signal that has no number here ended it: {name}")),
    }
}

struct ChannelExit {
    end: watch::Receiver<Option<ExitStatus>>,
    over: Arc<AtomicBool>,
}

#[async_trait]
impl Exit for ChannelExit {
    async fn wait(&mut self) -> ExitStatus {
        match self.end.wait_for(Option::is_some).await.map(|status| status.clone()) {
            Ok(Some(status)) => status,
            _ => ExitStatus::Lost("the task that read from the channel ended".into()),
        }
    }

    fn is_over(&self) -> bool {
        self.over.load(Ordering::Acquire)
    }
}
