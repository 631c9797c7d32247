//! The process table of a target, read and signalled through a shell script.
//!
//! This is the default for backends without a better way. It needs a `/proc` and a POSIX sh on the
//! target. A process that changed its user or wiped its environment and left the session cannot
//! be found this way.

use std::fmt::Write as _;
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::time::timeout;

use super::{Backend, SpawnSpec};
use crate::error::BackendError;
use crate::shell::options::MARK_VARIABLE;

/// Which processes of a target are meant: those that carry the mark in their environment, and
/// those in the session of `leader`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scope {
    /// Part of the value of `HEXAD_MARK`; letters, digits, `.` and `-`.
    pub mark: String,
    /// The process id of a session leader, if one is known.
    pub leader: Option<i32>,
}

/// A process that a command left running.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct ProcessInfo {
    /// Its id on the target.
    pub pid: i32,
    /// Its command line, arguments joined by spaces, cut at 200 characters.
    pub command: String,
}

/// The signals that the runtime sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// Ask to end.
    Term,
    /// Let a stopped process see what else was sent.
    Cont,
    /// End.
    Kill,
}

impl Signal {
    /// The name without `SIG`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Term => "TERM",
            Self::Cont => "CONT",
            Self::Kill => "KILL",
        }
    }
}

const DEADLINE: Duration = Duration::from_secs(10);

/// Does `action` for every process in scope except itself, whose id is in `p`. Looks a second time
/// when it found none: a process may end behind the look whose last child began ahead of it.
fn script(scope: &Scope, action: &str) -> Result<String, BackendError> {
    if scope.mark.is_empty()
        || !scope.mark.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'.' || b == b'-')
    {
        return Err(BackendError::internal(format!("not a mark: {:?}", scope.mark)));
    }
    let leader = scope.leader.unwrap_or(-1);
    let mark = &scope.mark;
    let mut out = String::new();
    // Two greps for all, and nothing else is started: a fork for each process takes seconds on a busy
    // machine, and a shell that reads each `stat` itself reads it byte by byte. Only what was found is
    // looked at: a zombie has ended. The shell's own children carry neither mark nor session.
    let _ = write!(
        out,
        "n=; w=' '; for t in 1 2; do [ \"$n\" ] && break; \
         for d in $(grep -l '{MARK_VARIABLE}=[^=]*{mark}' /proc/[0-9]*/environ 2>/dev/null) \
         $(grep -l ') [^Z] [0-9]* [0-9]* {leader} ' /proc/[0-9]*/stat 2>/dev/null); \
         do d=${{d%/*}}; p=${{d#/proc/}}; [ \"$p\" = \"$$\" ] && continue; \
         case $w in *\" $p \"*) continue;; esac; w=\"$w$p \"; \
         s=; {{ read -r s < \"$d/stat\"; }} 2>/dev/null; [ -n \"$s\" ] || continue; \
         set -- ${{s##*) }}; [ \"$1\" = Z ] && continue; n=1; {action}; done; done",
    );
    Ok(out)
}

/// The script that [`parse_list`] reads the output of.
///
/// # Errors
/// The scope is none.
pub fn list_script(scope: &Scope) -> Result<String, BackendError> {
    script(
        scope,
        "printf '%s\\000' \"$p\"; { tr '\\000' ' ' < \"$d/cmdline\"; } 2>/dev/null; printf '\\000'",
    )
}

/// The processes that a [`list_script`] found.
#[must_use]
pub fn parse_list(output: &[u8]) -> Vec<ProcessInfo> {
    let text = String::from_utf8_lossy(output);
    let mut fields = text.split('\0');
    let mut found = Vec::new();
    while let (Some(pid), Some(command)) = (fields.next(), fields.next()) {
        if let Ok(pid) = pid.parse() {
            found
                .push(ProcessInfo { pid, command: command.trim_end().chars().take(200).collect() });
        }
    }
    found
}

/// The script that sends `signal` to every process in `scope`; it prints a letter for each that
/// got it.
///
/// # Errors
/// The scope is none.
pub fn signal_script(scope: &Scope, signal: Signal) -> Result<String, BackendError> {
    script(scope, &format!("kill -{} \"$p\" 2>/dev/null && printf x", signal.name()))
}

pub(super) async fn list<B: Backend + ?Sized>(
    backend: &B,
    scope: &Scope,
) -> Result<Vec<ProcessInfo>, BackendError> {
    Ok(parse_list(&run(backend, &list_script(scope)?).await?))
}

pub(super) async fn signal<B: Backend + ?Sized>(
    backend: &B,
    scope: &Scope,
    signal: Signal,
) -> Result<usize, BackendError> {
    Ok(run(backend, &signal_script(scope, signal)?).await?.len())
}

/// Runs a script in a `sh` of its own, the text on standard input.
async fn run<B: Backend + ?Sized>(backend: &B, script: &str) -> Result<Vec<u8>, BackendError> {
    let work = async {
        let spec = SpawnSpec {
            argv: ["sh", "-s"].map(Into::into).to_vec(),
            env: vec![("PATH".into(), "/usr/local/bin:/usr/bin:/bin".into())],
        };
        let mut process = backend.spawn(spec).await?;
        let io = |e: std::io::Error| BackendError::lost(format!("reading the process table: {e}"));
        process.stdin.write_all(script.as_bytes()).await.map_err(io)?;
        process.stdin.shutdown().await.map_err(io)?;
        drop(std::mem::replace(&mut process.stdin, Box::new(tokio::io::sink())));
        let mut output = Vec::new();
        process.stdout.read_to_end(&mut output).await.map_err(io)?;
        process.exit.wait().await;
        Ok(output)
    };
    timeout(DEADLINE, work).await.unwrap_or_else(|_| {
        Err(BackendError::lost(format!(
            "the target's process table could not be read within {DEADLINE:?}"
        )))
    })
}
