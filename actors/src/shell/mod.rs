//! The shell protocol: how a fresh shell is given its state and its command, and how the state it
//! leaves comes back. Plain text in, plain text out: nothing here starts a process or waits.
//!
//! A shell is started as `bash --norc --noprofile -c PROLOGUE`. The prologue is constant; it reads
//! two length-prefixed blocks from standard input and evaluates each: first the *load script*,
//! which moves standard error to a private control descriptor and loads the [`ShellState`], then
//! the *command script*, which arms the EXIT trap and evaluates the command. So a shell can wait,
//! loaded, for its command, and no command text ever is an argument. The trap writes one
//! [`record`] to the control descriptor, framed by a [`control::Nonce`].

mod bash;
pub mod control;
pub mod declare;
pub mod login;
pub mod options;
mod posix;
pub mod quote;
pub(crate) mod raw;
#[cfg(test)]
mod real_shell;
pub mod record;
mod state;

use std::ffi::{OsStr, OsString};

use serde::{Deserialize, Serialize};

pub use self::control::{Frame, FrameReader, Nonce};
pub use self::state::ShellState;

/// The kind of shell that runs commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Dialect {
    /// GNU bash 4.1 or newer.
    Bash,
    /// Any POSIX sh. Functions, arrays and unusual options are not carried, and a command that
    /// sets its own EXIT trap leaves no state.
    Posix,
}

/// Where a shell finds the file for its final record, if it was given one
/// ([`Process::record`](crate::backend::Process::record)). Beside the control stream, out of the
/// way of what scripts use by hand.
pub const RECORD_DESCRIPTOR: i32 = 240;

/// What the command script needs to know besides the command.
#[derive(Clone, Debug, Default)]
pub struct CommandInput<'a> {
    /// The command text; no NUL in it.
    pub command: &'a [u8],
    /// A directory for this command alone.
    pub cwd: Option<&'a [u8]>,
    /// Exported variables for this command alone; names are valid, values hold no NUL.
    pub env: &'a [(String, Vec<u8>)],
    /// `$?` as the command sees it first.
    pub last_status: u8,
    /// Whether what is left of standard input is the command's.
    pub stdin: bool,
    /// Whether standard error is kept apart (it then shares the control stream).
    pub separate: bool,
    /// Whether standard output ends with a frame, behind everything that the command itself
    /// wrote. It holds `1` if the command came to its end, and nothing if `exit`, an option or a
    /// signal ended the shell. The control stream then gets a frame ahead of the command as well,
    /// since what is written to a shell that has ended may vanish without an error.
    pub end_mark: bool,
    /// Whether the shell may write its final record to the file at [`RECORD_DESCRIPTOR`].
    pub record_file: bool,
}

/// A directory as `cd` takes it for nothing else: `CDPATH` is not searched for a relative one, and
/// one called `-` is not the directory before.
fn anchored(cwd: &[u8]) -> Vec<u8> {
    let prefix: &[u8] = if cwd.starts_with(b"/") { b"" } else { b"./" };
    [prefix, cwd].concat()
}

impl Dialect {
    /// The arguments that start a shell of this kind; constant, so nothing shows in a process
    /// list. `interactive` is for the login capture, whose files often ask for it.
    #[must_use]
    pub fn argv(self, program: &OsStr, interactive: bool) -> Vec<OsString> {
        let mut argv = vec![program.to_owned()];
        if self == Self::Bash {
            argv.extend(["--norc", "--noprofile"].map(OsString::from));
            if interactive {
                argv.push("-i".into());
            }
        }
        // The last word is `$0`, which messages of the shell begin with.
        let (prologue, name) = match self {
            Self::Bash => (bash::PROLOGUE, "bash"),
            Self::Posix => (posix::PROLOGUE, "sh"),
        };
        argv.extend(["-c", prologue, name].map(OsString::from));
        argv
    }

    /// The block that loads `state` and answers with a hello frame. `native_env` says that the
    /// process was started with [`ShellState::environment`], which is then left out.
    #[must_use]
    pub fn load_block(self, nonce: &Nonce, state: &ShellState, native_env: bool) -> Vec<u8> {
        match self {
            Self::Bash => bash::block(bash::load_script(nonce, state, native_env)),
            Self::Posix => posix::block(posix::load_script(nonce, state, native_env)),
        }
    }

    /// The block that runs a command and ends with a final record.
    #[must_use]
    pub fn command_block(self, nonce: &Nonce, input: &CommandInput<'_>) -> Vec<u8> {
        match self {
            Self::Bash => bash::block(bash::command_script(nonce, input)),
            Self::Posix => posix::block(posix::command_script(nonce, input)),
        }
    }
}
