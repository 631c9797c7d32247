//! `hexad shell`: a prompt over the same messages.

use std::path::PathBuf;

use hexad_actors::Execute;
use rustyline::completion::Completer;
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::FileHistory;
use rustyline::validate::{ValidationContext, ValidationResult, Validator};
use rustyline::{Config, Editor, Helper};

use super::args::ShellArguments;
use super::context::{Context, Failure, Signals, say, task_id};
use super::exec::{Show, follow};
use crate::private;

type Prompt = Editor<Lines, FileHistory>;

pub(super) async fn run(context: &Context, arguments: ShellArguments) -> Result<u8, Failure> {
    let config = context.config(arguments.task.backend.as_deref())?;
    let profile = arguments.task.profile.clone();
    config.profile(profile.as_deref()).map_err(|e| Failure::usage(format!("--profile: {e}")))?;
    let id = task_id(&arguments.task);
    hexad_actors::TaskId::new(&id).map_err(|e| Failure::usage(format!("--task: {e}")))?;
    let history = history_file(context);
    let mut editor = editor(history.as_ref())?;
    let hexad = context.start(config, arguments.task.task.is_some(), None).await?;
    let label = arguments.task.task.as_deref().unwrap_or("hexad").to_owned();
    let mut status = 0;
    // Gets the environment ready, so that the first prompt knows where it is; as a fork it leaves
    // the saved state, `$?` included, as it was.
    let mut first = Execute::new("").fork();
    first.profile.clone_from(&profile);
    follow(&hexad, &id, first, Show::Output, Signals::listen()?).await?;
    loop {
        let cwd = match hexad.task(&id).state().await? {
            Some(state) => state.cwd_text(),
            None => "~".into(),
        };
        let mark = if status == 0 { String::new() } else { format!("[{status}] ") };
        let prompt = format!("{mark}{label}:{cwd}$ ");
        // Reading a line blocks; a runtime thread must not.
        let (back, line) = tokio::task::spawn_blocking(move || {
            let line = editor.readline(&prompt);
            (editor, line)
        })
        .await
        .map_err(|e| Failure::new(format!("the prompt crashed: {e}")))?;
        editor = back;
        let line = match line {
            Ok(line) => line,
            Err(ReadlineError::Interrupted) => continue,
            Err(ReadlineError::Eof) => break,
            Err(error) => {
                hexad.shutdown().await?;
                return Err(Failure::new(format!("reading a line: {error}")));
            }
        };
        if line.trim().is_empty() {
            continue;
        }
        let _ = editor.add_history_entry(line.as_str());
        if let Some(code) = leaving(&line, status) {
            status = code;
            break;
        }
        let mut request = Execute::new(line);
        request.profile.clone_from(&profile);
        status = match follow(&hexad, &id, request, Show::Output, Signals::listen()?).await {
            // A second Ctrl-C goes back to the prompt; the command is being ended.
            Ok(ended) => ended.status(),
            Err(failure) => {
                say(&failure.message);
                failure.code
            }
        };
    }
    if let Some(path) = history {
        let _ = editor.save_history(&path);
    }
    if arguments.task.task.is_none() {
        // Nobody can name this task again, so nothing of it is kept.
        if let Err(error) = hexad.task(&id).release().await {
            say(&error.to_string());
        }
    }
    hexad.shutdown().await?;
    Ok(status)
}

/// `exit` typed at the prompt leaves it; inside a longer line it ends that command alone.
fn leaving(line: &str, status: u8) -> Option<u8> {
    let mut words = line.split_whitespace();
    match (words.next(), words.next(), words.next()) {
        (Some("exit" | "logout"), None, None) => Some(status),
        (Some("exit" | "logout"), Some(code), None) => code.parse().ok(),
        _ => None,
    }
}

fn history_file(context: &Context) -> Option<PathBuf> {
    let folder = context.host.state_folder();
    private::make_folder(&folder).ok()?;
    let path = folder.join("shell_history");
    if !path.exists() {
        private::write(&path, b"").ok()?;
    }
    Some(path)
}

fn editor(history: Option<&PathBuf>) -> Result<Prompt, Failure> {
    let config = Config::builder().auto_add_history(false).build();
    let failed = |e: ReadlineError| Failure::new(format!("no prompt: {e}"));
    let mut editor = Prompt::with_config(config).map_err(failed)?;
    editor.set_helper(Some(Lines));
    if let Some(path) = history {
        let _ = editor.load_history(path);
    }
    Ok(editor)
}

/// Lets a command go on over lines.
struct Lines;

impl Helper for Lines {}
impl Highlighter for Lines {}

impl Hinter for Lines {
    type Hint = String;
}

impl Completer for Lines {
    type Candidate = String;
}

impl Validator for Lines {
    fn validate(&self, context: &mut ValidationContext<'_>) -> rustyline::Result<ValidationResult> {
        Ok(if is_open(context.input()) {
            ValidationResult::Incomplete
        } else {
            ValidationResult::Valid(None)
        })
    }
}

/// Whether a quote is not closed, or the line ends with a backslash.
fn is_open(text: &str) -> bool {
    let (mut single, mut double, mut escaped) = (false, false, false);
    for c in text.chars() {
        match c {
            _ if escaped => escaped = false,
            '\\' if !single => escaped = true,
            '\'' if !double => single = !single,
            '"' if !single => double = !double,
            _ => {}
        }
    }
    single || double || escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn open_lines_are_seen() {
        for open in ["echo 'a", "echo \"a'", "echo a\\", "echo 'it\"s"] {
            assert!(is_open(open), "{open}");
        }
        for closed in ["echo a", "echo \"it's\"", "echo 'a\\'", "echo a\\\\"] {
            assert!(!is_open(closed), "{closed}");
        }
    }

    #[test]
    fn exit_alone_leaves() {
        assert_eq!(leaving(" exit ", 3), Some(3));
        assert_eq!(leaving("exit 7", 0), Some(7));
        assert_eq!(leaving("exit 7; echo", 0), None);
        assert_eq!(leaving("echo exit", 0), None);
    }
}
