//! A shell that speaks the protocol in memory and understands a tiny command language, one
//! statement a line or between `; `:
//!
//! `exit N` · `say TEXT` (a line) · `bytes N` · `err TEXT` (standard error) · `cat` (standard input)
//! · `pwd` · `status` · `get NAME` · `cd /x` · `export A=1` · `sleep N` (ms) · `hang` ·
//! `ignore-term` · `fork-off` (leaves a process that holds the streams) · `quit N` (ends without a
//! record, like `exec`) · `die N` (by a signal, without a record) · `vanish` (the connection goes
//! away) · `linger N` (ms between the record and the end) · `late N` (says `late`, writes its record and
//! the end mark of its output, all N ms behind its exit) · `signal N` (writes a record and an end mark
//! that do not tell of the signal that then ends it) · `cut`, `damage`, `oversize` (what is wrong with the record).

use std::sync::Arc;
use std::time::Duration;

use hexad_actors::backend::ExitStatus;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream};

use super::process::Table;
use super::script::{Loaded, Ordered, read_command, read_load};

/// The ends of the pipes that the shell has.
pub(crate) struct Pipes {
    pub(crate) stdin: DuplexStream,
    pub(crate) stdout: DuplexStream,
    pub(crate) control: DuplexStream,
}

pub(crate) struct Shell {
    pub(crate) pid: i32,
    pub(crate) mark: String,
    pub(crate) table: Arc<Table>,
    pub(crate) env: Vec<(String, String)>,
    pub(crate) pipes: Pipes,
    pub(crate) linger: Duration,
    pub(crate) late: Option<Duration>,
    pub(crate) signal: Option<i32>,
}

impl Pipes {
    fn closed() -> Self {
        let end = || tokio::io::duplex(1).0;
        Self { stdin: end(), stdout: end(), control: end() }
    }
}

enum Flow {
    On,
    Exit(u8),
    /// No record is written.
    Gone(ExitStatus),
    /// The record is written with this done to it.
    Spoiled(Spoil),
}

#[derive(Clone, Copy)]
enum Spoil {
    Cut,
    Damage,
    Oversize,
}

impl Shell {
    /// Plays the shell to its end.
    pub(crate) async fn run(mut self) -> ExitStatus {
        let Some(script) = self.block().await else { return ExitStatus::Code(0) };
        let mut loaded = read_load(&script);
        let env = std::mem::take(&mut self.env);
        loaded.variables.extend(env.iter().map(|(n, v)| format!("declare -x {n}=\"{v}\"")));
        let hello = format!("{}\x005.2.15\0{}\0", self.pid, loaded.cwd);
        if self.frame(&loaded.nonce, b'H', hello.as_bytes()).await.is_none() {
            return ExitStatus::Code(0);
        }
        let Some(script) = self.block().await else { return ExitStatus::Code(0) };
        let order = read_command(&script);
        if !order.command.is_empty() {
            self.table.note_ran(&order.command);
        }
        self.obey(loaded, &order).await.unwrap_or(ExitStatus::Signal(13))
    }

    async fn obey(&mut self, mut state: Loaded, order: &Ordered) -> Option<ExitStatus> {
        if let Some(cwd) = &order.cwd {
            state.cwd.clone_from(cwd);
        }
        state.variables.extend(order.env.iter().map(|e| format!("declare -x {e}")));
        let mut status = 0;
        let mut spoil = None;
        for statement in order.command.split(['\n', ';']).map(str::trim).filter(|s| !s.is_empty()) {
            match self.step(statement, &mut state, order).await? {
                Flow::On => {}
                Flow::Exit(code) => {
                    status = code;
                    break;
                }
                Flow::Gone(how) => return Some(how),
                Flow::Spoiled(how) => {
                    spoil = Some(how);
                    break;
                }
            }
        }
        let how = self.signal.map_or(ExitStatus::Code(status.into()), ExitStatus::Signal);
        if let Some(late) = self.late {
            let pipes = std::mem::replace(&mut self.pipes, Pipes::closed());
            let mut rest = Self {
                mark: self.mark.clone(),
                table: Arc::clone(&self.table),
                env: Vec::new(),
                pipes,
                ..*self
            };
            let separate = order.separate;
            tokio::spawn(async move {
                tokio::time::sleep(late).await;
                let _ = rest.say("late").await;
                rest.record(&state, status, separate, spoil).await;
                rest.end_mark(&state.nonce, "1").await;
            });
            return Some(how);
        }
        self.record(&state, status, order.separate, spoil).await;
        if self.signal.is_some() {
            self.end_mark(&state.nonce, "").await;
        }
        tokio::time::sleep(self.linger).await;
        Some(how)
    }

    async fn step(&mut self, step: &str, state: &mut Loaded, order: &Ordered) -> Option<Flow> {
        let (word, rest) = step.split_once(' ').unwrap_or((step, ""));
        let number = || rest.parse::<u32>().unwrap_or_else(|_| panic!("{step:?} has no number"));
        match word {
            "true" => {}
            "exit" => return Some(Flow::Exit(number() as u8)),
            "say" => self.say(rest).await?,
            "err" => self.pipes.control.write_all(rest.as_bytes()).await.ok()?,
            "bytes" => self.print(&vec![b'x'; number() as usize]).await?,
            "pwd" => self.say(&state.cwd.clone()).await?,
            "status" => self.say(&order.status.to_string()).await?,
            "get" => {
                let head = format!(" {rest}=");
                let line = state.variables.iter().rev().find(|l| l.contains(&head));
                let value = line.and_then(|l| l.split_once('=')).map_or("", |(_, v)| v);
                self.say(value.trim_matches(['"', '\''])).await?;
            }
            "cat" if order.stdin => {
                let mut data = Vec::new();
                self.pipes.stdin.read_to_end(&mut data).await.ok()?;
                self.print(&data).await?;
            }
            "cat" => {}
            "cd" => state.cwd = rest.to_owned(),
            "export" => {
                let (name, value) = rest.split_once('=').expect("export NAME=VALUE");
                let head = format!("declare -x {name}=");
                state.variables.retain(|l| !l.starts_with(&head));
                state.variables.push(format!("{head}\"{value}\""));
            }
            "sleep" => tokio::time::sleep(Duration::from_millis(number().into())).await,
            "hang" => std::future::pending().await,
            "linger" => self.linger = Duration::from_millis(number().into()),
            "late" => self.late = Some(Duration::from_millis(number().into())),
            "signal" => self.signal = Some(number() as i32),
            "ignore-term" => self.table.ignore_term(self.pid),
            "fork-off" => self.fork_off(),
            "quit" => return Some(Flow::Gone(ExitStatus::Code(number() as i32))),
            "die" => return Some(Flow::Gone(ExitStatus::Signal(number() as i32))),
            "vanish" => return Some(Flow::Gone(ExitStatus::Lost("connection reset".into()))),
            "cut" => return Some(Flow::Spoiled(Spoil::Cut)),
            "damage" => return Some(Flow::Spoiled(Spoil::Damage)),
            "oversize" => return Some(Flow::Spoiled(Spoil::Oversize)),
            _ => panic!("the fake shell does not know {step:?}"),
        }
        Some(Flow::On)
    }

    /// A process that keeps the streams open behind the shell.
    fn fork_off(&mut self) {
        let (near, _) = tokio::io::duplex(1);
        // The shell goes on without its standard output; nothing of the tests prints after this.
        let held = std::mem::replace(&mut self.pipes.stdout, near);
        self.table.add_holder(&self.mark, held);
    }

    async fn block(&mut self) -> Option<String> {
        let mut length = [0; 10];
        self.pipes.stdin.read_exact(&mut length).await.ok()?;
        let length: usize = std::str::from_utf8(&length).ok()?.parse().ok()?;
        let mut script = vec![0; length];
        self.pipes.stdin.read_exact(&mut script).await.ok()?;
        Some(String::from_utf8(script).expect("tests use text"))
    }

    async fn say(&mut self, text: &str) -> Option<()> {
        self.print(format!("{text}\n").as_bytes()).await
    }

    async fn print(&mut self, bytes: &[u8]) -> Option<()> {
        self.pipes.stdout.write_all(bytes).await.ok()
    }

    async fn end_mark(&mut self, nonce: &str, payload: &str) {
        let _ = self.print(format!("\0{nonce}:E{payload}\0{nonce};").as_bytes()).await;
    }

    async fn frame(&mut self, nonce: &str, kind: u8, payload: &[u8]) -> Option<()> {
        let mut frame = format!("\0{nonce}:{}", char::from(kind)).into_bytes();
        frame.extend_from_slice(payload);
        frame.extend_from_slice(format!("\0{nonce};").as_bytes());
        self.pipes.control.write_all(&frame).await.ok()
    }

    async fn record(&mut self, state: &Loaded, status: u8, twice: bool, spoil: Option<Spoil>) {
        let variables: String = state.variables.iter().map(|l| format!("{l}\n")).collect();
        let once = format!(
            "{status}\0braceexpand:hashall\0expand_aliases:sourcepath\0{}\n\x000022\n\0{variables}\0\0\0\0",
            state.cwd
        );
        let mut payload = once.repeat(if twice { 2 } else { 1 }).into_bytes();
        match spoil {
            Some(Spoil::Cut) => {
                let head = format!("\0{}:F{status}\0brace", state.nonce);
                let _ = self.pipes.control.write_all(head.as_bytes()).await;
                return;
            }
            Some(Spoil::Damage) => payload.truncate(payload.len() / 2),
            Some(Spoil::Oversize) => {
                payload.resize(hexad_actors::shell::control::MAX_FRAME + 1, b'x');
            }
            None => {}
        }
        let _ = self.frame(&state.nonce, b'F', &payload).await;
    }
}
