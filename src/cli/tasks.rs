//! `hexad state`, `list`, `release`, `config`: what is kept.

use std::io::Write as _;

use hexad_actors::TaskId;
use hexad_actors::shell::ShellState;
use serde_json::json;

use super::args::{ConfigArguments, ListArguments, ReleaseArguments, StateArguments};
use super::context::{Context, Failure};
use crate::config::{self, OPTIONS};

fn print(text: &str) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(Failure::new(format!("writing: {error}")))
        }
        _ => Ok(()),
    }
}

fn task(id: &str) -> Result<TaskId, Failure> {
    TaskId::new(id).map_err(|e| Failure::usage(e.to_string()))
}

fn not_saved(id: &TaskId) -> Failure {
    Failure::new(format!(
        "there is no saved state of task {id}; `hexad list` shows the tasks that have one"
    ))
}

pub(super) fn state(context: &Context, arguments: &StateArguments) -> Result<u8, Failure> {
    let id = task(&arguments.task)?;
    let saved = context.store().peek(&id).map_err(|e| Failure::new(e.to_string()))?;
    let state = saved.ok_or_else(|| not_saved(&id))?;
    if arguments.json {
        let text = serde_json::to_string_pretty(&state)
            .map_err(|e| Failure::new(format!("the state as JSON: {e}")))?;
        print(&format!("{text}\n"))?;
    } else {
        print(&describe(&id, &state))?;
    }
    Ok(0)
}

/// The state in words. Values stay out: they may be secrets, and a terminal is not the place.
fn describe(id: &TaskId, state: &ShellState) -> String {
    let names = |exported: bool| {
        let mut names: Vec<&str> = state
            .variables
            .iter()
            .filter(|v| v.is_exported() == exported)
            .map(|v| v.name.as_str())
            .collect();
        names.sort_unstable();
        names.join(" ")
    };
    let definitions = |text: &[u8], word: &str| {
        String::from_utf8_lossy(text).lines().filter(|l| l.starts_with(word)).count()
    };
    let functions =
        String::from_utf8_lossy(&state.functions).lines().filter(|l| l.ends_with(" () ")).count();
    format!(
        "task          {id}\n\
         directory     {}\n\
         last status   {}\n\
         umask         {}\n\
         set -o        {}\n\
         shopt         {}\n\
         functions     {functions}\n\
         aliases       {}\n\
         exported      {}\n\
         not exported  {}\n\
         (values: hexad state --json {id})\n",
        state.cwd_text(),
        state.last_status,
        state.umask.map_or_else(|| "-".into(), |mask| format!("{mask:04o}")),
        state.set_options.join(" "),
        state.shopts.join(" "),
        definitions(&state.aliases, "alias "),
        names(true),
        names(false),
    )
}

pub(super) fn list(context: &Context, arguments: &ListArguments) -> Result<u8, Failure> {
    let store = context.store();
    let tasks = store.tasks().map_err(|e| Failure::new(format!("the saved tasks: {e}")))?;
    let mut rows = Vec::new();
    let mut text = String::new();
    for id in tasks {
        // One that is damaged or went away meanwhile is still listed.
        let cwd = store.peek(&id).ok().flatten().map(|state| state.cwd_text());
        text.push_str(&format!("{id}\t{}\n", cwd.as_deref().unwrap_or("?")));
        rows.push(json!({ "task_id": id, "cwd": cwd }));
    }
    if arguments.json {
        print(&format!("{}\n", json!(rows)))?;
    } else {
        print(&text)?;
    }
    Ok(0)
}

pub(super) async fn release(context: &Context, arguments: ReleaseArguments) -> Result<u8, Failure> {
    let id = task(&arguments.task)?;
    let known = context.store().peek(&id).is_ok_and(|state| state.is_some());
    let config = context.config(None)?;
    let hexad = context.start(config, true, None).await?;
    let mut handle = hexad.task(&arguments.task);
    if let Some(profile) = arguments.profile {
        handle = handle.profile(profile);
    }
    let released = handle.release().await;
    hexad.shutdown().await?;
    released?;
    print(&if known {
        format!("released {id}\n")
    } else {
        format!("nothing was kept of task {id}\n")
    })?;
    Ok(0)
}

pub(super) fn config(context: &Context, arguments: &ConfigArguments) -> Result<u8, Failure> {
    if arguments.keys {
        print(&config::describe())?;
        return Ok(0);
    }
    let config = context.config(None)?;
    let mut text = match &config.file {
        Some(path) => format!("file: {}\n", path.display()),
        None => "file: none (defaults and environment)\n".to_owned(),
    };
    for profile in config.profiles.values() {
        text.push_str(&format!("profile {}: backend {}\n", profile.name, profile.backend));
        for option in OPTIONS.iter().filter(|o| o.owner.includes(profile.backend)) {
            if profile.is_given(option.key) {
                let value = if option.secret { "(hidden)" } else { "given" };
                text.push_str(&format!("  {} {value}\n", option.key));
            }
        }
    }
    print(&text)?;
    Ok(0)
}
