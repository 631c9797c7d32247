//! The directory a command starts in.
//!
//! It must not change this process's own directory: all environments share that one. Paths are
//! not made canonical either, so that a user sees the name with the symlink that they gave.

use std::path::{Component, Path, PathBuf};

use nix::unistd::{AccessFlags, User, access};

use super::temp_dir;

/// Where a new environment starts, and a notice if that is not what was asked for.
///
/// * Nothing, or one of the placeholders `.`, `auto` and `cwd`, means `process_cwd`.
/// * `~` is `home`, and `~name` the home of that user.
/// * A relative path is anchored at `process_cwd`, here and never again: anchoring it once more
///   at a later directory would nest it into itself.
/// * A relative path that does not exist there but is how `process_cwd` ends means `process_cwd`:
///   the configuration says `proj`, and hexad was started inside `proj`.
/// * A directory that cannot be used is replaced by the [`nearest_usable`] one.
#[must_use]
pub fn initial_cwd(
    configured: Option<&str>,
    process_cwd: &Path,
    home: &Path,
) -> (PathBuf, Option<String>) {
    let asked = configured.map(str::trim).unwrap_or_default();
    let wanted = match asked {
        "" | "." | "auto" | "cwd" => process_cwd.to_path_buf(),
        text => anchor(&expand(text, home), process_cwd),
    };
    let used = nearest_usable(&wanted);
    let notice = (used != wanted).then(|| {
        let why = complaint(&wanted);
        format!(
            "the working directory {} {why}; using {} instead",
            wanted.display(),
            used.display()
        )
    });
    (used, notice)
}

/// Whether this process may make `dir` its working directory. It needs the permission to search
/// it; that it exists is not enough, and that it can be listed is not needed.
#[must_use]
pub fn usable_dir(dir: &Path) -> bool {
    dir.is_dir() && access(dir, AccessFlags::X_OK).is_ok()
}

/// `dir` itself if it can be used, else its nearest ancestor that can, else the temp dir.
///
/// The root counts only if it was asked for: a command meant for a directory that is gone had
/// better find an empty place than the whole system. The answer is always absolute.
#[must_use]
pub fn nearest_usable(dir: &Path) -> PathBuf {
    dir.ancestors()
        .filter(|candidate| candidate.is_absolute())
        .filter(|candidate| candidate.parent().is_some() || *candidate == dir)
        .find(|candidate| usable_dir(candidate))
        .map_or_else(|| temp_dir(|name| std::env::var_os(name)), Path::to_path_buf)
}

/// Replaces a tilde at the start. Without a home to put there the text stays, as in a shell.
fn expand(text: &str, home: &Path) -> PathBuf {
    let Some(rest) = text.strip_prefix('~') else {
        return text.into();
    };
    let (user, below) = rest.split_once('/').unwrap_or((rest, ""));
    let base = if user.is_empty() { Some(home.to_path_buf()) } else { home_of(user) };
    match base {
        // Slashes are trimmed because joining an absolute path would replace the home.
        Some(base) if base.is_absolute() => match below.trim_start_matches('/') {
            "" => base,
            below => base.join(below),
        },
        _ => text.into(),
    }
}

fn home_of(user: &str) -> Option<PathBuf> {
    User::from_name(user).ok().flatten().map(|user| user.dir)
}

/// Makes `path` absolute, with the rule about the tail.
fn anchor(path: &Path, process_cwd: &Path) -> PathBuf {
    if path.is_absolute() {
        return path.to_path_buf();
    }
    let path: PathBuf = path.components().filter(|part| *part != Component::CurDir).collect();
    let joined = process_cwd.join(&path);
    if path.as_os_str().is_empty() || (!joined.exists() && process_cwd.ends_with(&path)) {
        return process_cwd.to_path_buf();
    }
    joined
}

fn complaint(dir: &Path) -> &'static str {
    if !dir.is_absolute() {
        "is not an absolute path"
    } else if dir.is_dir() {
        "may not be entered by this user"
    } else if dir.exists() {
        "is not a directory"
    } else {
        "does not exist or cannot be reached"
    }
}

#[cfg(test)]
#[path = "cwd_tests.rs"]
mod tests;
