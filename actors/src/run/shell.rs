//! A shell that was started: waiting as a spare, or about to get its command.

use std::ffi::OsString;
use std::sync::Arc;

use tokio::io::AsyncWriteExt as _;

use crate::backend::{Backend, Process, Scope, SpawnSpec, Started};
use crate::error::BackendError;
use crate::shell::options::MARK_VARIABLE;
use crate::shell::record::{self, HELLO, Hello};
use crate::shell::{Dialect, FrameReader, Nonce, ShellState};

/// Names the processes of one environment: its mark is part of the mark of each of its runs, and
/// begins with that of the runtime.
#[derive(Clone, Debug)]
pub(crate) struct Marks {
    environment: String,
    /// The mark of the hexad that this one runs under, if it does.
    outer: Option<String>,
}

impl Marks {
    pub(crate) fn new(runtime: &str, outer: Option<&str>) -> Self {
        let id = uuid::Uuid::new_v4().simple().to_string();
        Self { environment: format!("{runtime}.{}", &id[..12]), outer: outer.map(str::to_owned) }
    }

    /// Finds everything that this environment ever started.
    pub(crate) fn environment(&self) -> Scope {
        Scope { mark: format!("{}.", self.environment), leader: None }
    }

    fn run(&self) -> String {
        let id = uuid::Uuid::new_v4().simple().to_string();
        format!("{}.{}", self.environment, &id[..12])
    }

    fn variable(&self, run: &str) -> (OsString, OsString) {
        let value = match &self.outer {
            Some(outer) => format!("{outer}:{run}"),
            None => run.to_owned(),
        };
        (MARK_VARIABLE.into(), value.into())
    }
}

/// One shell process that has been given a state.
#[derive(Debug)]
pub(crate) struct Shell {
    pub(crate) process: Process,
    pub(crate) frames: FrameReader,
    pub(crate) nonce: Nonce,
    pub(crate) dialect: Dialect,
    /// The state that it was given.
    pub(crate) state: Arc<ShellState>,
    /// Set once the shell has said hello.
    pub(crate) hello: Option<Hello>,
    mark: String,
    /// Whether part of the state came with the process's own environment.
    native_env: bool,
}

impl Shell {
    /// Starts a shell and begins to give it `state`. The block is returned when it could not be
    /// written whole at once: it goes out with the command.
    ///
    /// # Errors
    /// The process could not be started.
    pub(crate) async fn start(
        backend: &dyn Backend,
        started: &Started,
        marks: &Marks,
        state: Arc<ShellState>,
        env: &[(OsString, OsString)],
        interactive: bool,
    ) -> Result<Self, BackendError> {
        let mark = marks.run();
        let native_env = started.capabilities.native_env && state.fits_environment();
        let mut env = env.to_vec();
        if native_env {
            env.extend(state.environment());
        }
        env.push(marks.variable(&mark));
        let argv = started.dialect.argv(&started.program, interactive);
        let process = backend.spawn(SpawnSpec { argv, env }).await?;
        let nonce = Nonce::random();
        Ok(Self {
            process,
            frames: FrameReader::new(&nonce),
            nonce,
            dialect: started.dialect,
            state,
            hello: None,
            mark,
            native_env,
        })
    }

    /// The block that loads the state.
    pub(crate) fn load_block(&self) -> Vec<u8> {
        self.dialect.load_block(&self.nonce, &self.state, self.native_env)
    }

    /// Loads the state and waits until the shell has said hello. For spares and for the login
    /// capture; a command that is waiting sends everything at once instead.
    ///
    /// # Errors
    /// The shell ended, or what it said is damaged.
    pub(crate) async fn settle(&mut self) -> Result<(), BackendError> {
        use tokio::io::AsyncReadExt as _;
        let block = self.load_block();
        let lost = |e: std::io::Error| BackendError::lost(format!("talking to the shell: {e}"));
        self.process.stdin.write_all(&block).await.map_err(lost)?;
        self.process.stdin.flush().await.map_err(lost)?;
        let mut buffer = [0; 4096];
        let (mut frames, mut noise) = (Vec::new(), Vec::new());
        loop {
            let count = self.process.control.read(&mut buffer).await.map_err(lost)?;
            if count == 0 {
                let text = String::from_utf8_lossy(&noise).trim().to_owned();
                return Err(BackendError::lost(format!(
                    "the shell ended before it was ready: {text}"
                )));
            }
            self.frames.feed(&buffer[..count], &mut frames, &mut noise);
            noise.truncate(2000);
            if let Some(frame) = frames.iter().find(|f| f.kind == HELLO) {
                let hello = record::parse_hello(frame)
                    .map_err(|e| BackendError::internal(e.to_string()))?;
                self.hello = Some(hello);
                return Ok(());
            }
        }
    }

    /// Whether the process has ended, as far as is known without waiting. What is written to the
    /// input of a dead one may vanish without an error where a connection lies between.
    pub(crate) async fn has_ended(&mut self) -> bool {
        if self.process.exit.is_over() {
            return true;
        }
        tokio::select! {
            biased;
            _ = self.process.exit.wait() => true,
            () = std::future::ready(()) => false,
        }
    }

    /// Where to look for what this shell started.
    pub(crate) fn scope(&self) -> Scope {
        let leader = self.process.pid.or(self.hello.as_ref().map(|h| h.pid));
        Scope { mark: self.mark.clone(), leader }
    }
}
