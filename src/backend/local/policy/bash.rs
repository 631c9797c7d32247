//! Finds the shell that runs commands on this machine.
//!
//! It judges by names and permissions and must not start a candidate: how old a bash is, is found
//! out by whoever starts it.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use nix::unistd::{AccessFlags, access};
use thiserror::Error;

/// Where bash is when `PATH` does not say.
const USUAL: &[&str] = &["/usr/bin/bash", "/bin/bash"];

/// The shell every system has.
const LAST: &str = "/bin/sh";

/// Shells that run a POSIX script as it is meant. zsh is not one of them: unless it is called
/// `sh` it splits words differently.
const SH_FAMILY: &[&str] =
    &["sh", "dash", "ash", "ksh", "ksh93", "mksh", "lksh", "oksh", "pdksh", "posh", "yash"];

/// Shells with a language of their own, which nobody can configure by mistake unnoticed.
const FOREIGN: &[&str] = &["fish", "csh", "tcsh", "nu", "elvish", "xonsh", "pwsh", "rc", "es"];

/// A shell to run commands with.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FoundShell {
    /// The absolute path of the program.
    pub path: PathBuf,
    /// Whether it is a bash, by its file name. Otherwise it is a POSIX shell; that includes a
    /// `/bin/sh` that is a link to bash, because bash then behaves as one.
    pub is_bash: bool,
}

/// Why there is no shell to run commands with.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum ShellNotFound {
    /// The configured shell cannot be used. Nothing else is tried in its place: somebody chose it.
    #[error(
        "the configured shell {path:?} {why}; correct the setting, or remove it to use the bash on PATH"
    )]
    Configured {
        /// The shell as it is configured.
        path: PathBuf,
        /// What is wrong with it.
        why: &'static str,
    },
    /// There is neither a bash nor another shell.
    #[error(
        "no shell found; tried {tried:?}; install bash (package `bash`, e.g. `apt-get install bash` or `apk add bash`)"
    )]
    Nothing {
        /// Every place that was looked at, in order.
        tried: Vec<PathBuf>,
    },
}

/// Finds the shell: the `configured` one; else bash on `path`, in `/usr/bin` or in `/bin`; else
/// `shell_var` (the value of `SHELL`) if it is a bash or another shell of the sh family; else
/// `/bin/sh`.
///
/// A `configured` name without a slash is looked up on `path`. Relative entries of `path` are
/// ignored: they would make the shell depend on the directory hexad happens to be in.
///
/// # Errors
/// [`ShellNotFound`], which says what was tried and what to do.
pub fn find_shell(
    configured: Option<&Path>,
    path: &OsStr,
    shell_var: Option<&OsStr>,
) -> Result<FoundShell, ShellNotFound> {
    match configured {
        Some(configured) => find_configured(configured, path),
        None => search(path, USUAL, shell_var, LAST),
    }
}

fn find_configured(configured: &Path, path: &OsStr) -> Result<FoundShell, ShellNotFound> {
    let fail = |why| Err(ShellNotFound::Configured { path: configured.to_path_buf(), why });
    if FOREIGN.iter().any(|name| file_name(configured) == name.as_bytes()) {
        return fail("does not understand POSIX shell scripts");
    }
    if configured.is_absolute() {
        return match complaint(configured) {
            Some(why) => fail(why),
            None => Ok(found(configured)),
        };
    }
    if configured.as_os_str().as_bytes().contains(&b'/') {
        return fail("is not an absolute path");
    }
    match on_path(path, configured).find(|candidate| complaint(candidate).is_none()) {
        Some(candidate) => Ok(found(&candidate)),
        None => fail("is not on PATH"),
    }
}

fn search(
    path: &OsStr,
    usual: &[&str],
    shell_var: Option<&OsStr>,
    last: &str,
) -> Result<FoundShell, ShellNotFound> {
    let mut tried: Vec<PathBuf> = Vec::new();
    let candidates = on_path(path, Path::new("bash"))
        .chain(usual.iter().map(PathBuf::from))
        .chain(shell_var.map(PathBuf::from).filter(|shell| is_sh_family(shell)))
        .chain([PathBuf::from(last)]);
    for candidate in candidates {
        if complaint(&candidate).is_none() {
            return Ok(found(&candidate));
        }
        if !tried.contains(&candidate) {
            tried.push(candidate);
        }
    }
    Err(ShellNotFound::Nothing { tried })
}

/// `name` in every absolute directory of `path`.
fn on_path<'a>(path: &'a OsStr, name: &'a Path) -> impl Iterator<Item = PathBuf> + 'a {
    let absolute = std::env::split_paths(path).filter(|dir| dir.is_absolute());
    absolute.filter(move |_| !name.as_os_str().is_empty()).map(move |dir| dir.join(name))
}

fn found(path: &Path) -> FoundShell {
    FoundShell { path: path.to_path_buf(), is_bash: is_bash(path) }
}

/// `bash`, `bash5`, `bash-5.2`, but not `bashful`.
fn is_bash(path: &Path) -> bool {
    file_name(path)
        .strip_prefix(b"bash")
        .is_some_and(|rest| !rest.first().is_some_and(u8::is_ascii_alphabetic))
}

fn is_sh_family(path: &Path) -> bool {
    path.is_absolute()
        && (is_bash(path) || SH_FAMILY.iter().any(|name| file_name(path) == name.as_bytes()))
}

fn file_name(path: &Path) -> &[u8] {
    path.file_name().map_or(&[], OsStr::as_bytes)
}

/// What keeps `path` from being started, if anything.
fn complaint(path: &Path) -> Option<&'static str> {
    if path.is_file() {
        access(path, AccessFlags::X_OK).is_err().then_some("is not executable")
    } else if path.exists() {
        Some("is not a file")
    } else {
        Some("does not exist")
    }
}

#[cfg(test)]
#[path = "bash_tests.rs"]
mod tests;
