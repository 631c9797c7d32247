//! The names of the backends. This module knows nothing else about them.

use std::fmt;
use std::str::FromStr;

use super::error::ConfigError;

/// A place where bash can be started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum BackendKind {
    /// This machine.
    #[default]
    Local,
    /// A container of a Docker (or Podman) daemon.
    Docker,
    /// Another machine, over SSH.
    Ssh,
    /// A Modal sandbox.
    Modal,
    /// A Daytona sandbox.
    Daytona,
    /// A Singularity or Apptainer instance.
    Singularity,
}

impl BackendKind {
    /// All backends, in the order in which they are listed to people.
    pub const ALL: [Self; 6] =
        [Self::Local, Self::Docker, Self::Ssh, Self::Modal, Self::Daytona, Self::Singularity];

    /// Their names, in the same order.
    pub const NAMES: [&'static str; 6] =
        ["local", "docker", "ssh", "modal", "daytona", "singularity"];

    /// The name as it is written in the file and on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        Self::NAMES[self as usize]
    }
}

impl fmt::Display for BackendKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for BackendKind {
    type Err = ConfigError;

    /// Takes a name in any case, with or without blanks around it.
    fn from_str(text: &str) -> Result<Self, ConfigError> {
        let word = text.trim();
        Self::ALL
            .into_iter()
            .find(|kind| kind.as_str().eq_ignore_ascii_case(word))
            .ok_or_else(|| ConfigError::UnknownBackend { name: word.to_owned() })
    }
}

#[cfg(test)]
#[path = "backend_tests.rs"]
mod tests;
