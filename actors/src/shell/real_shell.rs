//! For tests: gives real shells a state and a command through the protocol, and reads what they
//! say. No runtime, no backend: a process, two blocks, its streams.

use std::io::Write as _;
use std::process::{Command, ExitStatus, Stdio};

use super::record::{self, FINAL, HELLO, PROVISIONAL, RecordError};
use super::{CommandInput, Dialect, Frame, FrameReader, Nonce, ShellState};

/// What a shell did with its blocks.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) stdout: String,
    /// Bytes of the control stream outside frames.
    pub(crate) outside: String,
    pub(crate) frames: Vec<Frame>,
    pub(crate) status: ExitStatus,
    dialect: Dialect,
    separate: bool,
}

impl Ran {
    pub(crate) fn frame(&self, kind: u8) -> &Frame {
        let found = self.frames.iter().rfind(|f| f.kind == kind);
        found.unwrap_or_else(|| panic!("no {} in {self:?}", char::from(kind)))
    }

    pub(crate) fn has(&self, kind: u8) -> bool {
        self.frames.iter().any(|f| f.kind == kind)
    }

    pub(crate) fn record(&self) -> Result<ShellState, RecordError> {
        record::parse_record(self.frame(FINAL), self.dialect, self.separate)
    }

    /// The state that it left.
    pub(crate) fn state(&self) -> ShellState {
        self.record().unwrap_or_else(|e| panic!("{e}: {self:?}"))
    }

    pub(crate) fn provisional(&self) -> ShellState {
        record::parse_record(self.frame(PROVISIONAL), self.dialect, self.separate).unwrap()
    }

    pub(crate) fn hello(&self) -> record::Hello {
        record::parse_hello(self.frame(HELLO)).unwrap()
    }
}

/// A plain command.
pub(crate) fn command(text: &str) -> CommandInput<'_> {
    CommandInput { command: text.as_bytes(), ..CommandInput::default() }
}

/// Runs one command in a shell that was given `state`; `data` is left on its standard input.
pub(crate) fn run(state: &ShellState, input: &CommandInput<'_>, data: &[u8]) -> Ran {
    run_as(state.dialect, state, input, data)
}

/// The same in a shell of another kind than the state is from.
pub(crate) fn run_as(
    dialect: Dialect,
    state: &ShellState,
    input: &CommandInput<'_>,
    data: &[u8],
) -> Ran {
    let program = match dialect {
        Dialect::Bash => "bash",
        Dialect::Posix => "sh",
    };
    let nonce = Nonce::random();
    let argv = dialect.argv(program.as_ref(), false);
    let mut child = Command::new(&argv[0])
        .args(&argv[1..])
        .env_clear()
        .env("PATH", "/usr/local/bin:/usr/bin:/bin")
        .current_dir("/")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut blocks = dialect.load_block(&nonce, state, false);
    blocks.extend(dialect.command_block(&nonce, input));
    blocks.extend_from_slice(data);
    let mut stdin = child.stdin.take().unwrap();
    // A shell that ends early breaks the pipe, which is its own affair.
    let writer = std::thread::spawn(move || drop(stdin.write_all(&blocks)));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    let mut reader = FrameReader::new(&nonce);
    let (mut frames, mut outside) = (Vec::new(), Vec::new());
    reader.feed(&output.stderr, &mut frames, &mut outside);
    reader.finish(&mut outside);
    Ran {
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        outside: String::from_utf8_lossy(&outside).into_owned(),
        frames,
        status: output.status,
        dialect,
        separate: input.separate,
    }
}

/// Runs a command in a shell that knows nothing yet.
pub(crate) fn fresh(dialect: Dialect, text: &str) -> Ran {
    run(&ShellState::empty(dialect, "/"), &command(text), b"")
}
