//! Where a configuration comes from, and reading its file. No other file is opened.

use std::collections::BTreeMap;
use std::fmt;
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use super::error::ConfigError;

/// A configuration file of more bytes than this is refused.
const MAX_BYTES: u64 = 4 << 20;

/// Everything that [`Config::load`](super::Config::load) looks at.
#[derive(Clone, Default)]
pub struct Sources {
    /// The file named on the command line. It must exist.
    pub file: Option<PathBuf>,
    /// Otherwise the first of these that exists; none need exist. See [`default_discovery`].
    pub discover: Vec<PathBuf>,
    /// A copy of the process environment. An empty variable counts as unset.
    pub env: BTreeMap<String, String>,
    /// Keys of `terminal:` with values from command-line flags, lists and mappings as JSON.
    pub overrides: Vec<(String, String)>,
}

impl fmt::Debug for Sources {
    /// Shows names without values: both maps may hold secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sources")
            .field("file", &self.file)
            .field("discover", &self.discover)
            .field("env", &self.env.keys())
            .field("overrides", &self.overrides.iter().map(|(key, _)| key).collect::<Vec<_>>())
            .finish()
    }
}

/// Where to look for a file that was not named: `hexad.yaml` in the working directory, then
/// `hexad/hexad.yaml` in `$XDG_CONFIG_HOME`, or in `~/.config` if that is not set (or not absolute).
#[must_use]
pub fn default_discovery(env: &BTreeMap<String, String>) -> Vec<PathBuf> {
    let directory = |name: &str| env.get(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let config =
        directory("XDG_CONFIG_HOME").or_else(|| directory("HOME").map(|home| home.join(".config")));
    let user = config.map(|config| config.join("hexad").join("hexad.yaml"));
    [PathBuf::from("hexad.yaml")].into_iter().chain(user).collect()
}

impl Sources {
    /// The file to use and its text, or nothing if no file was named and none was found.
    pub(super) fn read(&self) -> Result<Option<(PathBuf, String)>, ConfigError> {
        if let Some(path) = &self.file {
            let text = read(path)?.ok_or_else(|| unreadable(path, "there is no such file"))?;
            return Ok(Some((path.clone(), text)));
        }
        for path in &self.discover {
            if let Some(text) = read(path)? {
                return Ok(Some((path.clone(), text)));
            }
        }
        Ok(None)
    }
}

fn read(path: &Path) -> Result<Option<String>, ConfigError> {
    let mut bytes = Vec::new();
    let outcome =
        File::open(path).and_then(|file| file.take(MAX_BYTES + 1).read_to_end(&mut bytes));
    match outcome.map_err(|error| (error.kind(), error)) {
        Ok(size) if size as u64 > MAX_BYTES => {
            Err(unreadable(path, "it has more than 4 MiB, so it is no configuration"))
        }
        Ok(_) => text(path, bytes).map(Some),
        Err((ErrorKind::NotFound | ErrorKind::NotADirectory, _)) => Ok(None),
        Err((ErrorKind::PermissionDenied, _)) => Err(unreadable(path, "permission denied")),
        Err((ErrorKind::IsADirectory, _)) => Err(unreadable(path, "it is a directory")),
        Err((_, error)) => Err(unreadable(path, &error.to_string())),
    }
}

fn text(path: &Path, bytes: Vec<u8>) -> Result<String, ConfigError> {
    String::from_utf8(bytes).map_err(|error| {
        let good = error.utf8_error().valid_up_to();
        let line = error.as_bytes()[..good].iter().filter(|byte| **byte == b'\n').count() + 1;
        unreadable(path, &format!("line {line} is not UTF-8 text"))
    })
}

fn unreadable(path: &Path, reason: &str) -> ConfigError {
    ConfigError::Unreadable { path: path.to_owned(), reason: reason.to_owned() }
}

#[cfg(test)]
#[path = "sources_tests.rs"]
mod tests;
