//! Reading the records that a shell writes to its control stream: hello and final.
//!
//! A record is checked as a whole before anything of it is used; a damaged one gives an error and
//! never a half-filled state.

use super::Dialect;
use super::control::Frame;
use super::declare::{self, Variable};
use super::options::{CARRIED_SET_OPTIONS, CARRIED_SHOPTS, is_carried_variable};
use super::state::ShellState;

/// Kind of the frame a shell writes when it has loaded its state and waits for a command.
pub const HELLO: u8 = b'H';
/// Kind of the frame that says in which directory a command runs after all.
pub const MOVED: u8 = b'M';
/// Kind of the record written before the user's own EXIT trap runs.
pub const PROVISIONAL: u8 = b'P';
/// Of the frame behind the final record, where standard output has no end mark. It holds `1` if
/// the command came to its end or called `exit`, so that the record tells all, and nothing if an
/// option or a signal ended the shell.
pub const DONE: u8 = b'D';
/// Kind of the record that ends a command.
pub const FINAL: u8 = b'F';
/// Of the empty frame ahead of the command, where the end of standard output has a mark.
pub const BEGUN: u8 = b'B';
/// Of the frame at the end of standard output, where that has an end mark.
pub const END: u8 = b'E';

/// Why a record was not taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RecordError {
    /// The frame was longer than the bound.
    #[error("the shell's state is larger than {} MiB", super::control::MAX_FRAME >> 20)]
    Oversize,
    /// The record is not what the scripts write.
    #[error("the shell's final record is damaged: {0}")]
    Damaged(String),
}

fn damaged(what: impl Into<String>) -> RecordError {
    RecordError::Damaged(what.into())
}

/// What a shell says when it is ready.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hello {
    /// Its process id on the target.
    pub pid: i32,
    /// `$BASH_VERSION`; empty for a POSIX sh.
    pub version: String,
    /// Where it is. Differs from the state's directory when that is gone.
    pub cwd: Vec<u8>,
}

/// Reads a [`HELLO`] frame.
///
/// # Errors
/// [`RecordError`] when it does not have the form that the scripts write.
pub fn parse_hello(frame: &Frame) -> Result<Hello, RecordError> {
    let mut parts = sections(&frame.payload);
    let (Some(pid), Some(version), Some(cwd), None) =
        (parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return Err(damaged("hello does not have three parts"));
    };
    Ok(Hello {
        pid: text(pid)?.parse().map_err(|_| damaged("process id"))?,
        version: text(version)?.to_owned(),
        cwd: cwd.to_vec(),
    })
}

/// Reads a [`FINAL`] or [`PROVISIONAL`] frame. `doubled` records hold everything twice, because
/// the stream is shared with the user's standard error; both copies must agree.
///
/// # Errors
/// [`RecordError`] when anything of it is not as the scripts write it.
pub fn parse_record(
    frame: &Frame,
    dialect: Dialect,
    doubled: bool,
) -> Result<ShellState, RecordError> {
    if frame.oversize {
        return Err(RecordError::Oversize);
    }
    let payload = if doubled { undouble(&frame.payload)? } else { &frame.payload[..] };
    match dialect {
        Dialect::Bash => parse_bash(payload),
        Dialect::Posix => parse_posix(payload),
    }
}

fn undouble(payload: &[u8]) -> Result<&[u8], RecordError> {
    let half = payload.len() / 2;
    let (first, second) = payload.split_at(half);
    if payload.len().is_multiple_of(2) && first == second {
        Ok(first)
    } else {
        Err(damaged("something else was written into it"))
    }
}

fn parse_bash(payload: &[u8]) -> Result<ShellState, RecordError> {
    let parts: Vec<&[u8]> = sections(payload).collect();
    let [status, set_options, shopts, cwd, umask, variables, functions, attributes, aliases] =
        parts[..]
    else {
        return Err(damaged(format!("{} parts instead of 9", parts.len())));
    };
    let all = declare::parse_declare(variables).map_err(|e| damaged(e.to_string()))?;
    let oldpwd = all.iter().find(|v| v.name == "OLDPWD").and_then(Variable::scalar);
    Ok(ShellState {
        dialect: Dialect::Bash,
        cwd: parse_cwd(cwd)?,
        oldpwd,
        umask: Some(parse_umask(umask)?),
        last_status: parse_status(status)?,
        set_options: listed(set_options, CARRIED_SET_OPTIONS)?,
        shopts: listed(shopts, CARRIED_SHOPTS)?,
        variables: all.into_iter().filter(|v| is_carried_variable(&v.name)).collect(),
        functions: functions.to_vec(),
        function_attributes: attributes_only(attributes)?,
        aliases: aliases.to_vec(),
    })
}

fn parse_posix(payload: &[u8]) -> Result<ShellState, RecordError> {
    let parts: Vec<&[u8]> = sections(payload).collect();
    let [status, cwd, umask, options, variables, exported, aliases] = parts[..] else {
        return Err(damaged(format!("{} parts instead of 7", parts.len())));
    };
    let mut all = declare::parse_set(variables).map_err(|e| damaged(e.to_string()))?;
    let exported = declare::parse_exports(exported).map_err(|e| damaged(e.to_string()))?;
    for variable in &mut all {
        if exported.contains(&variable.name) {
            variable.flags.push('x');
        }
    }
    let oldpwd = all.iter().find(|v| v.name == "OLDPWD").and_then(Variable::scalar);
    Ok(ShellState {
        dialect: Dialect::Posix,
        cwd: parse_cwd(cwd)?,
        oldpwd,
        umask: Some(parse_umask(umask)?),
        last_status: parse_status(status)?,
        set_options: posix_options(text(options)?),
        shopts: Vec::new(),
        variables: all.into_iter().filter(|v| is_carried_variable(&v.name)).collect(),
        functions: Vec::new(),
        function_attributes: Vec::new(),
        aliases: aliases.to_vec(),
    })
}

/// The parts of a payload: each ends with a NUL.
fn sections(payload: &[u8]) -> impl Iterator<Item = &[u8]> {
    let body = payload.strip_suffix(b"\0");
    let complete = body.is_some();
    body.into_iter().flat_map(|b| b.split(|&c| c == 0)).filter(move |_| complete)
}

fn text(bytes: &[u8]) -> Result<&str, RecordError> {
    std::str::from_utf8(bytes).map_err(|_| damaged("text that is not UTF-8"))
}

/// Some shells let `exit` have any number; the system keeps its last eight bits.
fn parse_status(bytes: &[u8]) -> Result<u8, RecordError> {
    let status: i64 = text(bytes)?.parse().map_err(|_| damaged("exit status"))?;
    Ok((status & 0xff) as u8)
}

fn parse_umask(bytes: &[u8]) -> Result<u32, RecordError> {
    let digits = text(bytes)?.trim_end();
    u32::from_str_radix(digits, 8)
        .ok()
        .filter(|mask| *mask <= 0o777)
        .ok_or_else(|| damaged("umask"))
}

fn parse_cwd(bytes: &[u8]) -> Result<Vec<u8>, RecordError> {
    let path = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    if path.starts_with(b"/") { Ok(path.to_vec()) } else { Err(damaged("working directory")) }
}

fn listed(bytes: &[u8], allowed: &[&str]) -> Result<Vec<String>, RecordError> {
    let on: Vec<&str> = text(bytes)?.split(':').collect();
    Ok(allowed.iter().filter(|name| on.contains(name)).map(|n| (*n).to_owned()).collect())
}

/// Keeps the lines of `declare -F` that say more than a name, checked to be only names.
fn attributes_only(bytes: &[u8]) -> Result<Vec<u8>, RecordError> {
    let mut kept = Vec::new();
    for line in bytes.split(|&b| b == b'\n').filter(|l| !l.is_empty()) {
        let rest = line.strip_prefix(b"declare -").ok_or_else(|| damaged("function list"))?;
        let space = rest.iter().position(|&b| b == b' ').ok_or_else(|| damaged("function list"))?;
        let (flags, name) = (&rest[..space], &rest[space + 1..]);
        if name.iter().any(|b| b"'\"\\$`;&|<>() \t".contains(b)) {
            return Err(damaged("function name"));
        }
        if flags != b"f" {
            kept.extend_from_slice(line);
            kept.push(b'\n');
        }
    }
    Ok(kept)
}

fn posix_options(text: &str) -> Vec<String> {
    let on: Vec<&str> = text.lines().filter_map(|l| l.trim().strip_prefix("set -o ")).collect();
    CARRIED_SET_OPTIONS.iter().filter(|n| on.contains(n)).map(|n| (*n).to_owned()).collect()
}

#[cfg(test)]
#[path = "record_tests.rs"]
mod tests;
