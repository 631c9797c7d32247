//! Processes in a container: started over the API, their streams taken apart by a task of their
//! own, their end asked for.

use std::ffi::OsStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use bollard::container::LogOutput;
use bollard::errors::Error as ApiError;
use bollard::exec::{StartExecOptions, StartExecResults};
use bollard::models::ExecConfig;
use bytes::Bytes;
use futures_util::StreamExt as _;
use hexad_actors::BackendError;
use hexad_actors::backend::{Exit, ExitStatus, Process, SpawnSpec};
use tokio::sync::{Notify, mpsc, watch};
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

use super::connect::{QUICK, status, words};
use super::instance::Instance;
use super::stream::Reader;
use crate::backend::stream::Writer;

/// Chunks that may wait for a reader; the daemon sends at most 32 KiB in one.
const CHUNKS: usize = 16;
/// The buffer that the connection is read into.
const BUFFER: usize = 64 * 1024;
/// Between two looks at a process whose streams are still open; the second number is the longest.
/// A shell that was killed while a child of it holds the streams is only found this way.
const LOOK: (Duration, Duration) = (Duration::from_millis(100), Duration::from_millis(1000));

/// The first pause when the process is about to end.
const SOON: Duration = Duration::from_millis(1);
const NEVER_STARTED: &str = "the daemon could not start the process";

/// Starts a process.
pub(super) async fn spawn(instance: &Instance, spec: &SpawnSpec) -> Result<Process, BackendError> {
    let config = ExecConfig {
        attach_stdin: Some(true),
        attach_stdout: Some(true),
        attach_stderr: Some(true),
        tty: Some(false),
        env: Some(environment(instance, spec)?),
        cmd: Some(spec.argv.iter().map(|a| text(a)).collect::<Result<_, _>>()?),
        // The container's own directory may have been removed by a command; this one cannot be.
        working_dir: Some("/".into()),
        ..ExecConfig::default()
    };
    let docker = &instance.docker;
    let started = async {
        let exec = docker.create_exec(&instance.id, config).await?;
        let options = StartExecOptions { output_capacity: Some(BUFFER), ..Default::default() };
        let streams = docker.start_exec(&exec.id, Some(options)).await?;
        Ok::<_, ApiError>((exec.id, streams))
    };
    let (id, streams) = timeout(QUICK * 3, started)
        .await
        .unwrap_or(Err(ApiError::RequestTimeoutError))
        .map_err(|error| instance.gone_or(error, "starting a process"))?;
    let StartExecResults::Attached { output, input } = streams else {
        return Err(BackendError::internal("the daemon started a process without its streams"));
    };
    let (stdout, stdout_chunks) = mpsc::channel(CHUNKS);
    let (control, control_chunks) = mpsc::channel(CHUNKS);
    let (ended, end) = watch::channel(None);
    let process = Remote { instance: instance.clone(), id };
    let streams = Arc::new(AtomicBool::new(false));
    tokio::spawn(pump(process.clone(), output, stdout, control, ended, Arc::clone(&streams)));
    Ok(Process {
        record: None,
        stdin: Box::new(Writer::new(input)),
        stdout: Box::new(Reader::new(stdout_chunks)),
        control: Box::new(Reader::new(control_chunks)),
        exit: Box::new(RemoteExit {
            process,
            end,
            streams_ended: streams,
            due: Arc::default(),
            looking: None,
            found: watch::channel(None),
        }),
        pid: None,
    })
}

/// What the process gets beside what the container has. A name without a value takes a variable
/// of the container away, so that what a user has unset stays so.
fn environment(instance: &Instance, spec: &SpawnSpec) -> Result<Vec<String>, BackendError> {
    let mut env = Vec::with_capacity(spec.env.len() + instance.env.len());
    for (name, value) in &spec.env {
        env.push(format!("{}={}", text(name)?, text(value)?));
    }
    if !instance.is_podman {
        let names = instance.env.iter().map(|(name, _)| name.as_str()).chain(["PATH", "HOSTNAME"]);
        for name in names.filter(|name| !spec.env.iter().any(|(given, _)| given == name)) {
            env.push(name.to_owned());
        }
    }
    Ok(env)
}

fn text(text: &OsStr) -> Result<String, BackendError> {
    text.to_str().map(str::to_owned).ok_or_else(|| BackendError::Invalid {
        message: format!("{text:?} is not UTF-8, which the daemon's API needs"),
    })
}

/// Takes the one stream apart until its end. When nobody reads any more it goes on and throws
/// away, so that what a command left running is not held up.
async fn pump(
    process: Remote,
    mut output: std::pin::Pin<
        Box<dyn futures_util::Stream<Item = Result<LogOutput, ApiError>> + Send>,
    >,
    stdout: mpsc::Sender<Bytes>,
    control: mpsc::Sender<Bytes>,
    ended: watch::Sender<Option<ExitStatus>>,
    streams_ended: Arc<AtomicBool>,
) {
    // What the daemon itself says when it cannot start a process comes as output of the process.
    let mut first = Vec::new();
    let mut broken = None;
    while let Some(item) = output.next().await {
        match item {
            Ok(LogOutput::StdOut { message } | LogOutput::Console { message }) => {
                if first.is_empty() {
                    first.extend_from_slice(&message[..message.len().min(2000)]);
                }
                let _ = stdout.send(message).await;
            }
            Ok(LogOutput::StdErr { message }) => {
                let _ = control.send(message).await;
            }
            Ok(LogOutput::StdIn { .. }) => {}
            Err(error) => {
                broken = Some(error);
                break;
            }
        }
    }
    drop(output);
    streams_ended.store(true, Ordering::Release);
    if ended.is_closed() {
        return;
    }
    if let Some(error) = broken {
        // Nobody knows what did not come any more.
        let reason = format!("the connection to the process broke: {error}");
        let _ = ended.send(Some(ExitStatus::Lost(reason)));
        return;
    }
    let status = match process.wait_for_end().await {
        ExitStatus::Lost(reason) if reason == NEVER_STARTED => {
            ExitStatus::Lost(format!("{NEVER_STARTED}: {}", String::from_utf8_lossy(&first).trim()))
        }
        status => status,
    };
    let _ = ended.send(Some(status));
}

/// A process as the daemon knows it.
#[derive(Clone)]
struct Remote {
    instance: Instance,
    id: String,
}

impl Remote {
    /// How it ended; none while it runs.
    async fn look(&self) -> Option<ExitStatus> {
        let answer = timeout(QUICK, self.instance.docker.inspect_exec(&self.id)).await;
        let answer = match answer.unwrap_or(Err(ApiError::RequestTimeoutError)) {
            Ok(answer) => answer,
            Err(ApiError::RequestTimeoutError) => return None,
            Err(error) if status(&error).is_some() => {
                return Some(ExitStatus::Lost(format!(
                    "the container {} is gone: {}",
                    self.instance.short_id(),
                    words(&error)
                )));
            }
            Err(error) => {
                return Some(ExitStatus::Lost(format!("the daemon cannot be asked: {error}")));
            }
        };
        if answer.running == Some(true) {
            return None;
        }
        if answer.pid.unwrap_or_default() == 0 && matches!(answer.exit_code, Some(126 | 127)) {
            return Some(ExitStatus::Lost(NEVER_STARTED.into()));
        }
        Some(match answer.exit_code.and_then(|code| i32::try_from(code).ok()) {
            // Killed: by somebody inside, or because the container was.
            Some(137) => match self.why_killed().await {
                Some(reason) => ExitStatus::Lost(reason),
                None => ExitStatus::Signal(9),
            },
            // The daemon adds 128 to the number of a signal, as a shell would.
            Some(code @ 129..=192) => ExitStatus::Signal(code - 128),
            Some(code) => ExitStatus::Code(code),
            None => ExitStatus::Lost("the daemon does not know how the process ended".into()),
        })
    }

    /// Why the container went, if that is what ended the process. The daemon learns of the end of
    /// the process first.
    async fn why_killed(&self) -> Option<String> {
        for pause in [0, 50, 150] {
            sleep(Duration::from_millis(pause)).await;
            let reason = self.instance.why_stopped().await;
            if reason.is_some() {
                return reason;
            }
        }
        None
    }

    /// Asks until it has ended; its streams have, so it is about to.
    async fn wait_for_end(&self) -> ExitStatus {
        let mut pause = Duration::from_millis(1);
        loop {
            if let Some(status) = self.look().await {
                return status;
            }
            sleep(pause).await;
            pause = (pause * 2).min(LOOK.1);
        }
    }
}

/// The end of a process: told by the task that reads its streams, or found by looking.
struct RemoteExit {
    process: Remote,
    end: watch::Receiver<Option<ExitStatus>>,
    /// Set once nothing more comes from the process.
    streams_ended: Arc<AtomicBool>,
    /// Told when the process is about to end.
    due: Arc<Notify>,
    looking: Option<JoinHandle<()>>,
    found: (watch::Sender<Option<ExitStatus>>, watch::Receiver<Option<ExitStatus>>),
}

#[async_trait]
impl Exit for RemoteExit {
    async fn wait(&mut self) -> ExitStatus {
        if let Some(status) = self.end.borrow().clone() {
            return status;
        }
        if self.looking.is_none() {
            let (process, found) = (self.process.clone(), self.found.0.clone());
            let due = Arc::clone(&self.due);
            self.looking = Some(tokio::spawn(async move {
                let mut pause = LOOK.0;
                loop {
                    tokio::select! {
                        () = due.notified() => pause = SOON,
                        () = sleep(pause) => {}
                    }
                    if let Some(status) = process.look().await {
                        let _ = found.send(Some(status));
                        return;
                    }
                    pause = (pause * 2).min(LOOK.1);
                }
            }));
        }
        let seen = |status: &Option<ExitStatus>| status.is_some();
        let status = tokio::select! {
            biased;
            status = self.end.wait_for(seen) => status.map(|s| s.clone()),
            status = self.found.1.wait_for(seen) => status.map(|s| s.clone()),
        };
        match status {
            Ok(Some(status)) => status,
            _ => ExitStatus::Lost("the task that watched the process ended".into()),
        }
    }

    fn is_due(&mut self) {
        self.due.notify_one();
    }

    fn is_over(&self) -> bool {
        self.streams_ended.load(Ordering::Acquire)
    }
}

impl Drop for RemoteExit {
    fn drop(&mut self) {
        if let Some(looking) = self.looking.take() {
            looking.abort();
        }
    }
}
