//! `hexad exec`: one command, streamed, its status passed through.

use std::io::Write as _;
use std::time::Duration;

use hexad_actors::shell::quote::posix_quote;
use hexad_actors::{Event, Execute, ExecuteResult, InterruptCause, Outcome, Stream, TaskId};
use tokio::io::AsyncReadExt as _;

use super::args::ExecArguments;
use super::context::{Asked, Context, Failure, Signals, say, task_id};
use crate::gateway::wire;
use crate::hexad::Hexad;

/// How the events of a command are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Show {
    /// The output itself.
    Output,
    /// Every event as a JSON line.
    Json,
}

/// How following a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ended {
    /// With its end, and this status.
    Status(u8),
    /// With a second Ctrl-C: the user does not want to wait for it.
    Quit,
}

impl Ended {
    /// The status to exit with.
    pub(super) fn status(self) -> u8 {
        match self {
            Self::Status(status) => status,
            Self::Quit => 130,
        }
    }
}

pub(super) async fn run(context: &Context, arguments: ExecArguments) -> Result<u8, Failure> {
    let mut config = context.config(arguments.task.backend.as_deref())?;
    // One command does not need a shell for the next one.
    config.settings.spares = 0;
    let profile = arguments.task.profile.clone();
    config.profile(profile.as_deref()).map_err(|e| Failure::usage(format!("--profile: {e}")))?;
    let id = task_id(&arguments.task);
    TaskId::new(&id).map_err(|e| Failure::usage(format!("--task: {e}")))?;
    let show = if arguments.json { Show::Json } else { Show::Output };
    let mut request = request(&arguments).await?;
    request.check(&config.settings).map_err(|e| Failure::usage(e.to_string()))?;
    let signals = Signals::listen()?;
    let hexad = context.start(config, arguments.task.task.is_some(), None).await?;
    request.spill = arguments.spill.then(|| hexad.spill_folder());
    let ended = follow(&hexad, &id, request, show, signals).await;
    if matches!(ended, Ok(Ended::Quit)) {
        // Dropped without a shutdown it ends everything at once, without grace.
        drop(hexad);
        return Ok(130);
    }
    if arguments.task.task.is_none() {
        // Nobody can name this task again, so nothing of it is kept.
        if let Err(error) = hexad.task(&id).release().await {
            say(&error.to_string());
        }
    }
    let stopped = hexad.shutdown().await;
    let code = ended?.status();
    stopped?;
    Ok(code)
}

async fn request(arguments: &ExecArguments) -> Result<Execute, Failure> {
    let mut request = Execute::new(command_text(&arguments.command));
    request.cwd.clone_from(&arguments.cwd);
    request.profile.clone_from(&arguments.task.profile);
    if let Some(seconds) = arguments.timeout {
        let limit = Duration::try_from_secs_f64(seconds).map_err(|_| {
            Failure::usage(format!("--timeout: {seconds} is not a number of seconds from 0 up"))
        })?;
        request.timeout = Some(limit);
    }
    for pair in &arguments.env {
        let (name, value) =
            pair.split_once('=').ok_or_else(|| Failure::usage("--env takes NAME=VALUE"))?;
        request.env.push((name.to_owned(), value.as_bytes().to_vec()));
    }
    if arguments.separate {
        request = request.separate();
    }
    if arguments.stdin.is_some() {
        let mut data = Vec::new();
        tokio::io::stdin()
            .read_to_end(&mut data)
            .await
            .map_err(|e| Failure::new(format!("reading standard input: {e}")))?;
        request.stdin = Some(data);
    }
    Ok(request)
}

/// One word is a command line; several are a program and its arguments.
fn command_text(words: &[String]) -> Vec<u8> {
    if let [line] = words {
        return line.clone().into_bytes();
    }
    let mut text = Vec::new();
    for word in words {
        if !text.is_empty() {
            text.push(b' ');
        }
        let plain = |b: u8| b.is_ascii_alphanumeric() || b"_-./:=@%+,".contains(&b);
        // A plain word stays bare, so that an alias or a builtin is found by its name.
        if !word.is_empty() && word.bytes().all(plain) {
            text.extend_from_slice(word.as_bytes());
        } else {
            text.extend(posix_quote(word.as_bytes()));
        }
    }
    text
}

/// Runs a request and shows what happens.
pub(super) async fn follow(
    hexad: &Hexad,
    id: &str,
    request: Execute,
    show: Show,
    mut signals: Signals,
) -> Result<Ended, Failure> {
    let mut events = hexad.task(id).stream(request);
    let mut interrupts = 0;
    loop {
        tokio::select! {
            event = events.next() => match event {
                Some(event) => {
                    if let Some(code) = show_event(id, &event, show, hexad).await? {
                        return Ok(Ended::Status(code));
                    }
                }
                None => return Err(Failure::new("the command ended without a result")),
            },
            asked = signals.next() => {
                interrupts += 1;
                if interrupts > 1 {
                    return Ok(Ended::Quit);
                }
                let cause = match asked {
                    Asked::Interrupt => InterruptCause::User,
                    Asked::Stop => InterruptCause::Shutdown,
                };
                hexad.task(id).interrupt_because(cause).await?;
            }
        }
    }
}

/// Shows one event; gives the exit status with the last one.
async fn show_event(
    id: &str,
    event: &Event,
    show: Show,
    hexad: &Hexad,
) -> Result<Option<u8>, Failure> {
    if show == Show::Json {
        let task = TaskId::new(id)?;
        if let Some(value) = wire::execute_event(None, &task, event) {
            print(hexad, id, Stream::Stdout, format!("{value}\n").as_bytes()).await?;
        }
    }
    match event {
        Event::Output { stream, data, .. } if show == Show::Output => {
            print(hexad, id, *stream, data.as_bytes()).await?;
        }
        Event::Provisioning { message } if show == Show::Output => say(message),
        Event::Finished(result) => {
            if show == Show::Output {
                explain(result);
            }
            return Ok(Some(result.returncode()));
        }
        Event::Failed(error) => {
            return match show {
                Show::Output => Err(error.clone().into()),
                Show::Json => Ok(Some(super::EXIT_FAILED)),
            };
        }
        _ => {}
    }
    Ok(None)
}

/// Writes to one of our own streams. When nobody reads it any more, the command is ended, as a
/// broken pipe would end it.
async fn print(hexad: &Hexad, id: &str, stream: Stream, bytes: &[u8]) -> Result<(), Failure> {
    let written = match stream {
        Stream::Stdout => {
            let mut out = std::io::stdout().lock();
            out.write_all(bytes).and_then(|()| out.flush())
        }
        Stream::Stderr => std::io::stderr().lock().write_all(bytes),
    };
    if let Err(error) = written {
        hexad.task(id).interrupt_because(InterruptCause::Disconnect).await?;
        if error.kind() == std::io::ErrorKind::BrokenPipe {
            // What a shell shows for a program that SIGPIPE ended.
            return Err(Failure { message: "nobody reads the output any more".into(), code: 141 });
        }
        return Err(Failure::new(format!("writing the output: {error}")));
    }
    Ok(())
}

/// Says on standard error what the output and the status do not.
pub(super) fn explain(result: &ExecuteResult) {
    for notice in &result.notices {
        say(&notice.message);
    }
    match &result.outcome {
        Outcome::Interrupted { .. } => say("interrupted"),
        Outcome::Lost { reason } => say(&format!("the environment was lost: {reason}")),
        _ => {}
    }
    for spill in result.output.spill.iter().chain(result.stderr.iter().flat_map(|e| &e.spill)) {
        say(&format!("the whole output is in {}", spill.display()));
    }
    if !result.left_running.is_empty() {
        let list: Vec<String> =
            result.left_running.iter().map(|p| format!("{} ({})", p.pid, p.command)).collect();
        say(&format!("left running until hexad exits: {}", list.join(", ")));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(words: &[&str]) -> String {
        let words: Vec<String> = words.iter().map(|w| (*w).to_owned()).collect();
        String::from_utf8(command_text(&words)).unwrap()
    }

    #[test]
    fn one_word_is_a_command_line() {
        assert_eq!(text(&["cd /tmp && pwd"]), "cd /tmp && pwd");
    }

    #[test]
    fn several_words_keep_their_borders() {
        assert_eq!(text(&["ls", "-l", "a b", "", "$x"]), "ls -l 'a b' '' '$x'");
    }
}
