//! The stdio gateway: one JSON object a line in, one a line out.
//!
//! Requests of a connection run side by side; those of one task queue in its environment. The end
//! of the input finishes what runs; a stop interrupts it.

use std::sync::Arc;

use hexad_actors::backend::StopMode;
use hexad_actors::{Event, InterruptCause, Reply, Slow, Subscriber, SupervisorMessage, TaskId};
use serde_json::{Value, json};
use tokio::io::{
    AsyncBufRead, AsyncBufReadExt as _, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _,
};
use tokio::sync::{Notify, mpsc};
use tokio::task::JoinSet;

use super::wire::{self, Op, Request};
use crate::hexad::Hexad;

/// The longest line that is read; a longer one is answered with an error and skipped.
const MAX_LINE: u64 = 128 * 1024 * 1024;
/// Events that may wait for a slow reader before chunks of output are left out.
const EVENTS: usize = 256;

/// Serves until the end of `input`, or until `stop` is notified, which interrupts what runs.
///
/// # Errors
/// Reading the input failed. A reader of the output that went away is the end of the input.
pub async fn serve(
    hexad: &Hexad,
    input: impl AsyncBufRead + Unpin,
    output: impl AsyncWrite + Unpin + Send + 'static,
    stop: Arc<Notify>,
) -> std::io::Result<()> {
    let (events, written) = mpsc::channel::<Value>(EVENTS);
    let mut writer = tokio::spawn(write(output, written));
    let mut requests = JoinSet::new();
    let mut reader_gone = false;
    let read = tokio::select! {
        read = read_all(hexad, input, &events, &mut requests) => read,
        () = stop.notified() => end(hexad).await,
        _ = &mut writer => {
            reader_gone = true;
            end(hexad).await
        }
    };
    drop(events);
    loop {
        tokio::select! {
            next = requests.join_next() => if next.is_none() { break },
            () = stop.notified() => end(hexad).await?,
        }
    }
    if !reader_gone {
        let _ = writer.await;
    }
    read
}

/// Interrupts what runs and answers what waits; both are still reported.
async fn end(hexad: &Hexad) -> std::io::Result<()> {
    // An error here means that it has stopped already.
    let _ = hexad.shutdown().await;
    Ok(())
}

async fn read_all(
    hexad: &Hexad,
    mut input: impl AsyncBufRead + Unpin,
    events: &mpsc::Sender<Value>,
    requests: &mut JoinSet<()>,
) -> std::io::Result<()> {
    let mut line = Vec::new();
    loop {
        line.clear();
        let count = (&mut input).take(MAX_LINE).read_until(b'\n', &mut line).await?;
        if count == 0 {
            return Ok(());
        }
        while requests.try_join_next().is_some() {}
        if count as u64 == MAX_LINE && line.last() != Some(&b'\n') {
            skip_line(&mut input).await?;
            let error = hexad_actors::Error::InvalidRequest {
                message: format!("a line is longer than {MAX_LINE} bytes"),
            };
            let _ = events.send(wire::error(None, &error)).await;
            continue;
        }
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        match Request::parse(&line) {
            Ok(request) => {
                let (hexad, events) = (hexad.clone(), events.clone());
                // Sent before the next line is read, so that the order of lines is the order of
                // commands.
                let work = begin(&hexad, request, events);
                requests.spawn(work);
            }
            Err(bad) => {
                let _ = events.send(wire::error(bad.id.as_deref(), &bad.error)).await;
            }
        }
    }
}

async fn skip_line(input: &mut (impl AsyncBufRead + Unpin)) -> std::io::Result<()> {
    loop {
        let buffer = input.fill_buf().await?;
        if buffer.is_empty() {
            return Ok(());
        }
        let (used, found) = match buffer.iter().position(|&b| b == b'\n') {
            Some(at) => (at + 1, true),
            None => (buffer.len(), false),
        };
        input.consume(used);
        if found {
            return Ok(());
        }
    }
}

async fn write(mut output: impl AsyncWrite + Unpin, mut events: mpsc::Receiver<Value>) {
    while let Some(event) = events.recv().await {
        let mut line = event.to_string().into_bytes();
        line.push(b'\n');
        if output.write_all(&line).await.is_err() || output.flush().await.is_err() {
            return;
        }
    }
}

/// Sends the message of a request at once; gives the work of answering it.
fn begin(
    hexad: &Hexad,
    request: Request,
    events: mpsc::Sender<Value>,
) -> impl Future<Output = ()> + Send + 'static {
    let Request { id, op } = request;
    let supervisor = hexad.supervisor();
    let spills = hexad.spill_folder();
    let cast = move |message| {
        // A supervisor that is gone drops the reply, which is an answer.
        let _ = supervisor.cast(message);
    };
    let work: std::pin::Pin<Box<dyn Future<Output = Answer> + Send>> = match op {
        Op::Execute { task, mut request, stream, spill } => {
            request.spill = spill.then_some(spills);
            let (sender, receiver) = mpsc::channel(EVENTS);
            request.subscriber = Some(Subscriber { sender, slow: Slow::Skip });
            let (reply, answer) = Reply::new();
            cast(SupervisorMessage::Execute { task: task.clone(), request, reply });
            return Box::pin(async move {
                pass_on(id, task, receiver, stream, &events).await;
                drop(answer);
            }) as std::pin::Pin<Box<dyn Future<Output = ()> + Send>>;
        }
        Op::Interrupt { task, request_id } => {
            let (reply, answer) = Reply::new();
            let cause = InterruptCause::User;
            cast(SupervisorMessage::Interrupt { task, id: request_id, cause, reply });
            Box::pin(async move { Ok(json!({ "interrupted": answer.wait().await? })) })
        }
        Op::Status { task } => {
            let (reply, answer) = Reply::new();
            cast(SupervisorMessage::Status { task, reply });
            Box::pin(async move {
                let status = answer.wait().await?;
                Ok(json!({ "environment": status.as_ref().map(status_fields) }))
            })
        }
        Op::List => {
            let (reply, answer) = Reply::new();
            cast(SupervisorMessage::List { reply });
            Box::pin(async move {
                let all: Vec<Value> = answer.wait().await?.iter().map(status_fields).collect();
                Ok(json!({ "environments": all }))
            })
        }
        Op::State { task } => {
            let (reply, answer) = Reply::new();
            cast(SupervisorMessage::State { task, reply });
            Box::pin(async move { Ok(json!({ "state": answer.wait().await?.as_deref() })) })
        }
        Op::Release { task, profile } => {
            let (reply, answer) = Reply::new();
            let mode = StopMode::Destroy;
            cast(SupervisorMessage::Release { task, profile, mode, reply });
            Box::pin(async move {
                answer.wait().await?;
                Ok(json!({ "released": true }))
            })
        }
        Op::Ping => Box::pin(async {
            Ok(json!({ "version": env!("CARGO_PKG_VERSION"),
                       "backends": crate::backend::built_in() }))
        }),
    };
    Box::pin(async move {
        let event = match work.await {
            Ok(fields) => wire::done(id.as_deref(), fields),
            Err(error) => wire::error(id.as_deref(), &error),
        };
        let _ = events.send(event).await;
    })
}

type Answer = Result<Value, hexad_actors::Error>;

/// Passes the events of a command on. A reader that is slow costs it chunks, never the last event.
async fn pass_on(
    id: Option<String>,
    task: TaskId,
    mut receiver: mpsc::Receiver<Event>,
    stream: bool,
    events: &mpsc::Sender<Value>,
) {
    while let Some(event) = receiver.recv().await {
        let last = event.is_last();
        if !stream && matches!(event, Event::Output { .. } | Event::Gap { .. }) {
            continue;
        }
        if let Some(value) = wire::execute_event(id.as_deref(), &task, &event)
            && events.send(value).await.is_err()
        {
            return;
        }
        if last {
            return;
        }
    }
}

fn status_fields(status: &hexad_actors::EnvironmentStatus) -> Value {
    json!({
        "task_id": status.task, "profile": status.profile, "backend": status.backend,
        "phase": status.phase, "queued": status.queued, "forks": status.forks,
        "left_running": status.left_running, "spare": status.spare, "cwd": status.cwd,
        "commands": status.commands, "from_spare": status.from_spare,
        "idle_seconds": status.idle.as_secs_f64(),
        "running": status.running.as_ref().map(|running| json!({
            "id": running.id, "command": running.command,
            "elapsed_seconds": running.elapsed.as_secs_f64() })),
        "settings": status.settings.iter().cloned().collect::<std::collections::BTreeMap<_, _>>(),
    })
}
