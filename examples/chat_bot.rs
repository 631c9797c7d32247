//! A chat bot's loop over the stdio gateway: it starts `hexad serve --stdio`, sends what users
//! type as requests, and shows events as chat messages. `/stop` interrupts.
//!
//! Run it with `cargo run --example chat_bot`; it plays a short conversation and exits.
#![expect(clippy::print_stdout, reason = "an example shows what it does")]

use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::process::{ChildStdin, Command};

/// The hexad program: next to this example's folder, or on PATH.
fn program() -> PathBuf {
    let built = std::env::current_exe()
        .ok()
        .and_then(|exe| Some(exe.parent()?.parent()?.join("hexad")))
        .filter(|path| path.exists());
    built.unwrap_or_else(|| "hexad".into())
}

/// Sends what a user typed. The message's id is the request's, so a chat service that delivers a
/// message twice does not run a command twice.
async fn send(stdin: &mut ChildStdin, id: &str, chat: &str, text: &str) -> std::io::Result<()> {
    let request = match text {
        "/stop" => json!({ "id": id, "op": "interrupt", "task_id": chat }),
        command => json!({ "id": id, "op": "execute", "task_id": chat, "command": command }),
    };
    println!("{chat}> {text}");
    stdin.write_all(format!("{request}\n").as_bytes()).await
}

/// What the bot says about an event; nothing about most.
fn say(event: &Value) -> Option<String> {
    let text = |key: &str| event[key].as_str().unwrap_or_default().trim_end().to_owned();
    match event["event"].as_str()? {
        "finished" if event["outcome"] == "exited" => {
            let status = event["returncode"].as_u64().filter(|code| *code != 0);
            let status = status.map(|code| format!(" (status {code})")).unwrap_or_default();
            Some(format!("{}{status}", text("output")))
        }
        "finished" => Some(format!("[{}] {}", text("outcome"), text("output"))),
        "progress" => Some(format!("still running ... {}", text("last_line"))),
        "error" => Some(format!("sorry: {}", text("message"))),
        _ => None,
    }
}

#[tokio::main]
async fn main() -> std::io::Result<()> {
    let mut child = Command::new(program())
        .args(["serve", "--stdio", "--ephemeral"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let (Some(mut stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
        return Err(std::io::Error::other("no pipes"));
    };
    let reader = tokio::spawn(async move {
        let mut lines = BufReader::new(stdout).lines();
        while let Ok(Some(line)) = lines.next_line().await {
            let event: Value = serde_json::from_str(&line).unwrap_or_default();
            if let Some(text) = say(&event) {
                println!("bot> {text}");
            }
        }
    });
    send(&mut stdin, "m1", "chat-7", "cd /tmp && export WHO=world").await?;
    send(&mut stdin, "m2", "chat-7", "echo hello $WHO from $PWD").await?;
    // The chat service delivers the same message again: answered, not run again.
    send(&mut stdin, "m2", "chat-7", "echo hello $WHO from $PWD").await?;
    send(&mut stdin, "m3", "chat-7", "echo working; sleep 60").await?;
    tokio::time::sleep(Duration::from_secs(1)).await;
    send(&mut stdin, "m4", "chat-7", "/stop").await?;
    drop(stdin);
    child.wait().await?;
    reader.await?;
    Ok(())
}
