//! Starting the binary in surroundings of its own, and looking at the process table.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// Surroundings for one test: an empty home and a state folder that is removed afterwards.
pub(crate) struct Surroundings {
    pub(crate) folder: TempDir,
}

impl Surroundings {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("home")).unwrap();
        Self { folder }
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// The binary with these arguments and nothing of the tester's environment but `PATH`.
    pub(crate) fn hexad(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hexad"));
        command
            .args(arguments)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.path().join("home"))
            .env("HEXAD_STATE_DIR", self.path().join("state"))
            .current_dir(self.path())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Run {
        Run::of(&self.hexad(arguments).output().unwrap())
    }

    /// `hexad exec -- LINE`
    pub(crate) fn exec(&self, line: &str) -> Run {
        self.run(&["exec", "--", line])
    }

    /// Runs with `input` on standard input.
    pub(crate) fn run_with_input(&self, arguments: &[&str], input: &[u8]) -> Run {
        let mut child = self.hexad(arguments).stdin(Stdio::piped()).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let input = input.to_vec();
        let writer = std::thread::spawn(move || {
            // A program that does not read to the end is its own affair.
            let _ = stdin.write_all(&input);
        });
        let output = child.wait_with_output().unwrap();
        writer.join().unwrap();
        Run::of(&output)
    }
}

/// What a run came to.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Run {
    pub(crate) fn of(output: &Output) -> Self {
        Self {
            code: output.status.code(),
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

/// How many live processes have `text` in their command line.
pub(crate) fn processes_with(text: &str) -> usize {
    let mut count = 0;
    for entry in fs::read_dir("/proc").unwrap().flatten() {
        let path = entry.path();
        let Ok(line) = fs::read(path.join("cmdline")) else { continue };
        let zombie = fs::read_to_string(path.join("stat")).is_ok_and(|s| s.contains(") Z "));
        let line = String::from_utf8_lossy(&line).replace('\0', " ");
        // The test's own shells and hexad carry the text as an argument of theirs.
        if !zombie && line.starts_with("sleep") && line.contains(text) {
            count += 1;
        }
    }
    count
}

/// Waits until `condition` holds; fails the test when it takes too long.
pub(crate) fn eventually(what: &str, condition: impl Fn() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(20);
    while !condition() {
        assert!(Instant::now() < deadline, "did not happen: {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// A number of seconds for `sleep` that no other test uses, so that its processes are told apart.
pub(crate) fn unique_sleep() -> String {
    let id = uuid::Uuid::new_v4().as_u128() % 1_000_000_000;
    format!("300.{id:09}")
}

pub(crate) fn signal(pid: u32, signal: nix::sys::signal::Signal) {
    let pid = nix::unistd::Pid::from_raw(i32::try_from(pid).unwrap());
    nix::sys::signal::kill(pid, signal).unwrap();
}
