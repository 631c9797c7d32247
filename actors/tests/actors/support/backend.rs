//! A backend in memory that writes down what is asked of it and misbehaves on demand.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use hexad_actors::backend::{
    Backend, Capabilities, Exit, ExitStatus, Process, ProcessInfo, Progress, Scope, Signal,
    SpawnSpec, Started, StopMode,
};
use hexad_actors::shell::{Dialect, options::MARK_VARIABLE};
use hexad_actors::{BackendError, Unavailable};
use tokio::io::{AsyncWrite, duplex, sink};
use tokio::sync::watch;

use super::process::Table;
use super::shell::{Pipes, Shell};

/// What one call does instead of the usual.
#[derive(Clone, Debug)]
pub(crate) enum Act {
    Usual,
    Fail(BackendError),
    After(Duration),
    Hang,
    Panic,
}

/// See the module.
pub(crate) struct FakeBackend {
    name: String,
    pub(crate) table: Arc<Table>,
    calls: Mutex<Vec<String>>,
    pub(crate) starts: Mutex<VecDeque<Act>>,
    pub(crate) spawns: Mutex<VecDeque<Act>>,
    pub(crate) stops: Mutex<VecDeque<Act>>,
    pub(crate) capabilities: Mutex<Capabilities>,
    pub(crate) panic_in_name: AtomicBool,
    pub(crate) panic_in_describe: AtomicBool,
    /// Standard input of shells swallows everything, as that of a connection does whose other
    /// end is gone.
    pub(crate) deaf_once_dead: AtomicBool,
    /// The process table cannot be read.
    pub(crate) blind: AtomicBool,
}

impl FakeBackend {
    pub(crate) fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            table: Arc::default(),
            calls: Mutex::default(),
            starts: Mutex::default(),
            spawns: Mutex::default(),
            stops: Mutex::default(),
            capabilities: Mutex::new(Capabilities { settle: Duration::ZERO, ..Default::default() }),
            panic_in_name: AtomicBool::new(false),
            panic_in_describe: AtomicBool::new(false),
            deaf_once_dead: AtomicBool::new(false),
            blind: AtomicBool::new(false),
        }
    }

    /// Every call so far, looks at the process table left out.
    pub(crate) fn calls(&self) -> Vec<String> {
        self.calls.lock().unwrap().clone()
    }

    /// How many calls began like this.
    pub(crate) fn count(&self, call: &str) -> usize {
        self.calls().iter().filter(|c| c.starts_with(call)).count()
    }

    pub(crate) fn forget_calls(&self) {
        self.calls.lock().unwrap().clear();
    }

    /// The commands that were begun, in order.
    pub(crate) fn ran(&self) -> Vec<String> {
        self.table.ran()
    }

    pub(crate) fn next_start(&self, act: Act) {
        self.starts.lock().unwrap().push_back(act);
    }

    /// What the spawn after `skip` usual ones does.
    pub(crate) fn spawn_after(&self, skip: usize, act: Act) {
        let mut spawns = self.spawns.lock().unwrap();
        spawns.extend(std::iter::repeat_n(Act::Usual, skip));
        spawns.push_back(act);
    }

    pub(crate) fn next_stop(&self, act: Act) {
        self.stops.lock().unwrap().push_back(act);
    }

    fn note(&self, call: impl Into<String>) {
        self.calls.lock().unwrap().push(call.into());
    }

    async fn act(&self, script: &Mutex<VecDeque<Act>>) -> Result<(), BackendError> {
        let act = script.lock().unwrap().pop_front().unwrap_or(Act::Usual);
        match act {
            Act::Usual => Ok(()),
            Act::Fail(error) => Err(error),
            Act::After(delay) => {
                tokio::time::sleep(delay).await;
                Ok(())
            }
            Act::Hang => std::future::pending().await,
            Act::Panic => panic!("the fake backend was told to panic"),
        }
    }
}

pub(crate) fn refused() -> BackendError {
    BackendError::unavailable(Unavailable::Quota, "no room for another one")
}

#[async_trait]
impl Backend for FakeBackend {
    fn name(&self) -> &str {
        assert!(!self.panic_in_name.swap(false, Ordering::SeqCst), "told to panic in name()");
        &self.name
    }

    async fn start(&self, progress: &Progress) -> Result<Started, BackendError> {
        self.note("start");
        progress.say("starting");
        self.act(&self.starts).await?;
        self.note("started");
        Ok(Started {
            program: "bash".into(),
            dialect: Dialect::Bash,
            env: vec![("PATH".into(), "/bin".into())],
            cwd: b"/work".to_vec(),
            login: None,
            capabilities: self.capabilities.lock().unwrap().clone(),
            notices: Vec::new(),
            reattached: false,
        })
    }

    async fn spawn(&self, spec: SpawnSpec) -> Result<Process, BackendError> {
        self.note("spawn");
        self.act(&self.spawns).await?;
        let mut env: Vec<(String, String)> = spec
            .env
            .iter()
            .map(|(n, v)| (n.to_str().unwrap().to_owned(), v.to_str().unwrap().to_owned()))
            .collect();
        let at = env.iter().position(|(n, _)| n == MARK_VARIABLE).expect("every process is marked");
        let (_, mark) = env.remove(at);
        let (pid, end) = self.table.add(&mark);
        let (stdin, shell_stdin) = duplex(1 << 20);
        let (stdout, shell_stdout) = duplex(64 * 1024);
        let (control, shell_control) = duplex(64 * 1024);
        let pipes = Pipes { stdin: shell_stdin, stdout: shell_stdout, control: shell_control };
        let table = Arc::clone(&self.table);
        let (linger, late, signal) = (Duration::ZERO, None, None);
        let shell = Shell { pid, mark, table, env, pipes, linger, late, signal };
        let (table, exit) = (Arc::clone(&self.table), end.subscribe());
        let mut killed = end.subscribe();
        tokio::spawn(async move {
            let status = tokio::select! {
                _ = killed.wait_for(Option::is_some) => return,
                status = shell.run() => status,
            };
            table.remove(pid);
            end.send_replace(Some(status));
        });
        let stdin: Box<dyn AsyncWrite + Send + Unpin> =
            if self.deaf_once_dead.load(Ordering::SeqCst) {
                Box::new(Deaf { inner: stdin, sink: sink() })
            } else {
                Box::new(stdin)
            };
        Ok(Process {
            record: None,
            stdin,
            stdout: Box::new(stdout),
            control: Box::new(control),
            exit: Box::new(FakeExit(exit)),
            pid: Some(pid),
        })
    }

    async fn stop(&self, mode: StopMode) -> Result<(), BackendError> {
        self.note(format!("stop {mode:?}"));
        self.act(&self.stops).await?;
        self.note("stopped");
        Ok(())
    }

    async fn processes(&self, scope: &Scope) -> Result<Vec<ProcessInfo>, BackendError> {
        if self.blind.load(Ordering::SeqCst) {
            return Err(BackendError::lost("the process table cannot be read"));
        }
        Ok(self.table.live(&scope.mark))
    }

    async fn signal(&self, scope: &Scope, signal: Signal) -> Result<usize, BackendError> {
        let hit = self.table.signal(&scope.mark, signal);
        self.note(format!("signal {} {hit}", signal.name()));
        Ok(hit)
    }

    fn describe(&self) -> Vec<(String, String)> {
        let panics = self.panic_in_describe.swap(false, Ordering::SeqCst);
        assert!(!panics, "told to panic in describe()");
        vec![("kind".into(), "fake".into())]
    }
}

struct FakeExit(watch::Receiver<Option<ExitStatus>>);

#[async_trait]
impl Exit for FakeExit {
    async fn wait(&mut self) -> ExitStatus {
        match self.0.wait_for(Option::is_some).await {
            Ok(status) => status.clone().expect("waited for"),
            Err(_) => ExitStatus::Lost("the fake shell is gone".into()),
        }
    }
}

/// Takes what the other end no longer does.
struct Deaf {
    inner: tokio::io::DuplexStream,
    sink: tokio::io::Sink,
}

mod deaf {
    use std::io;
    use std::pin::Pin;
    use std::task::{Context, Poll};

    use super::{AsyncWrite, Deaf};

    impl AsyncWrite for Deaf {
        fn poll_write(
            mut self: Pin<&mut Self>,
            cx: &mut Context<'_>,
            bytes: &[u8],
        ) -> Poll<io::Result<usize>> {
            match Pin::new(&mut self.inner).poll_write(cx, bytes) {
                Poll::Ready(Err(_)) => Pin::new(&mut self.sink).poll_write(cx, bytes),
                other => other,
            }
        }

        fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
            Pin::new(&mut self.inner).poll_flush(cx)
        }

        fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
            Pin::new(&mut self.inner).poll_shutdown(cx)
        }
    }
}
