//! Where rows run. A further backend is one more [`Target`]; the rows stay as they are.

use std::any::Any;
use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use async_trait::async_trait;
use hexad::actors::backend::StopMode;
use hexad::actors::{Reply, shell::ShellState};
use hexad::host::Host;
use hexad::{
    Config, EnvironmentStatus, Error, Execute, ExecuteResult, Hexad, InterruptCause,
    SupervisorMessage, TaskId,
};
use ractor::ActorRef;

use super::row::{Need, Wish};

/// A place where the whole table runs.
#[async_trait]
pub trait Target: Send + Sync {
    /// Its name in the matrix and in `HEXAD_TEST_TARGETS`.
    fn name(&self) -> &'static str;

    fn has(&self, need: Need) -> bool;

    /// Codes of notices that the first result of an environment carries here.
    fn usual_notices(&self) -> &'static [&'static str] {
        &[]
    }

    /// Starts a runtime as `wish` says; what it keeps on this machine goes under `folder`.
    async fn start(&self, wish: &Wish, folder: &Path) -> Runtime;
}

/// A running hexad, seen through its supervisor.
pub struct Runtime {
    pub supervisor: ActorRef<SupervisorMessage>,
    /// The profile that rows use; none is the default one.
    pub profile: Option<String>,
    /// What ends the runtime when it is dropped.
    pub _keep: Box<dyn Any + Send + Sync>,
}

impl Runtime {
    async fn ask<T>(
        &self,
        message: impl FnOnce(Reply<T>) -> SupervisorMessage,
    ) -> Result<T, Error> {
        let (reply, answer) = Reply::new();
        self.supervisor
            .cast(message(reply))
            .map_err(|_| Error::internal("the supervisor is gone"))?;
        answer.wait().await
    }

    pub async fn execute(&self, task: &str, mut request: Execute) -> Result<ExecuteResult, Error> {
        let task = TaskId::new(task)?;
        request.profile.clone_from(&self.profile);
        let request = Box::new(request);
        self.ask(|reply| SupervisorMessage::Execute { task, request, reply }).await
    }

    pub async fn interrupt(&self, task: &str, id: Option<String>) -> Result<bool, Error> {
        let (task, cause) = (TaskId::new(task)?, InterruptCause::User);
        self.ask(|reply| SupervisorMessage::Interrupt { task, id, cause, reply }).await
    }

    pub async fn release(&self, task: &str) -> Result<(), Error> {
        let (task, profile, mode) = (TaskId::new(task)?, self.profile.clone(), StopMode::Destroy);
        self.ask(|reply| SupervisorMessage::Release { task, profile, mode, reply }).await
    }

    pub async fn status(&self, task: &str) -> Result<Option<EnvironmentStatus>, Error> {
        let task = TaskId::new(task)?;
        self.ask(|reply| SupervisorMessage::Status { task, reply }).await
    }

    pub async fn state(&self, task: &str) -> Result<Option<ShellState>, Error> {
        let task = TaskId::new(task)?;
        let state = self.ask(|reply| SupervisorMessage::State { task, reply }).await?;
        Ok(state.map(|state| (*state).clone()))
    }

    pub async fn list(&self) -> Result<Vec<EnvironmentStatus>, Error> {
        self.ask(|reply| SupervisorMessage::List { reply }).await
    }

    pub async fn shutdown(&self) -> Result<(), Error> {
        self.ask(|reply| SupervisorMessage::Shutdown { reply }).await
    }

    /// Whether the target's own process table has `pattern` in a command line. Looked at by a
    /// command in a task of its own; its text is in no command line, so it does not find itself.
    pub async fn sees(&self, pattern: &str) -> Result<bool, String> {
        let script = format!(
            "list=$(cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\000' ' '); \
             case $list in *'{pattern}'*) echo seen;; *) echo gone;; esac"
        );
        let result =
            self.execute("onlooker", Execute::new(script)).await.map_err(|e| e.to_string())?;
        match result.text().trim() {
            "seen" => Ok(true),
            "gone" => Ok(false),
            other => Err(format!("the process table could not be read: {other}")),
        }
    }

    /// Waits until the process table agrees, at most a few seconds.
    pub async fn comes_to(&self, pattern: &str, there: bool) -> Result<(), String> {
        for pause in [0, 20, 50, 100, 200, 400, 800, 1600] {
            tokio::time::sleep(Duration::from_millis(pause)).await;
            if self.sees(pattern).await? == there {
                return Ok(());
            }
        }
        if there {
            return Err(format!("{pattern:?} is not in the target's process table"));
        }
        let script = format!(
            "for d in /proc/[0-9]*; do c=$(tr '\\000' ' ' < $d/cmdline) 2>/dev/null; \
             case $c in *'{pattern}'*) cat $d/stat; echo \"  $c\";; esac; done"
        );
        let who = self.execute("onlooker", Execute::new(script)).await.map(|r| r.text());
        Err(format!("{pattern:?} is still in the target's process table: {who:?}"))
    }
}

/// The configuration that a wish amounts to.
pub fn config(wish: &Wish, lines: &[&str]) -> Config {
    let mut text = String::from("terminal:\n  cwd: /tmp\n");
    for line in lines.iter().chain(&wish.config) {
        text.push_str(&format!("  {line}\n"));
    }
    let mut config = Config::parse(&text, "test.yaml", &Default::default(), &[])
        .unwrap_or_else(|error| panic!("{text}: {error}"));
    if let Some(tweak) = wish.tweak {
        tweak(&mut config.settings);
    }
    config
}

/// Surroundings with a home of their own, so that nobody's profile is read.
pub fn host(wish: &Wish, folder: &Path) -> Host {
    let home = folder.join("home");
    std::fs::create_dir_all(&home).unwrap();
    for (file, text) in &wish.home {
        std::fs::write(home.join(file), text).unwrap();
    }
    let mut env: Vec<(OsString, OsString)> = vec![
        ("PATH".into(), "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin".into()),
        ("HOME".into(), home.into()),
        ("LANG".into(), "C.UTF-8".into()),
        ("HEXAD_STATE_DIR".into(), folder.join("state").into()),
    ];
    for (name, value) in &wish.env {
        env.retain(|(known, _)| known != name);
        env.push((name.into(), value.into()));
    }
    Host::with_env(env)
}

/// The local backend, as everybody gets it.
pub struct Local;

/// The local backend where there is no bash.
pub struct LocalPosix;

async fn start(wish: &Wish, folder: &Path, lines: &[&str]) -> Runtime {
    let mut builder = Hexad::builder(config(wish, lines)).host(host(wish, folder));
    if wish.persist {
        builder = builder.persist(Some(Duration::from_secs(5)));
    }
    let hexad = builder.start().await.unwrap();
    Runtime { supervisor: hexad.supervisor(), profile: None, _keep: Box::new(hexad) }
}

#[async_trait]
impl Target for Local {
    fn name(&self) -> &'static str {
        "local"
    }

    fn has(&self, _: Need) -> bool {
        true
    }

    async fn start(&self, wish: &Wish, folder: &Path) -> Runtime {
        start(wish, folder, &[]).await
    }
}

#[async_trait]
impl Target for LocalPosix {
    fn name(&self) -> &'static str {
        "local-posix"
    }

    fn has(&self, need: Need) -> bool {
        !matches!(need, Need::Bash | Need::Login)
    }

    fn usual_notices(&self) -> &'static [&'static str] {
        &["posix_shell"]
    }

    async fn start(&self, wish: &Wish, folder: &Path) -> Runtime {
        start(wish, folder, &["shell: /bin/sh"]).await
    }
}
