//! What survives a command.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt as _;

use serde::{Deserialize, Serialize};

use super::Dialect;
use super::declare::Variable;
use super::options::is_carried_variable;
use super::raw;

/// The state of a shell between two commands: all that `cd`, `export`, functions, aliases and
/// options leave behind. It lives in the environment actor, never on the target.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShellState {
    /// The kind of shell that it came from.
    pub dialect: Dialect,
    /// The working directory, absolute, as the shell names it (links are kept).
    #[serde(with = "raw")]
    pub cwd: Vec<u8>,
    /// `OLDPWD`, where `cd -` goes.
    #[serde(default, with = "raw::optional", skip_serializing_if = "Option::is_none")]
    pub oldpwd: Option<Vec<u8>>,
    /// The file mode mask; none leaves the one the shell starts with.
    pub umask: Option<u32>,
    /// `$?` of the last command, 0–255.
    pub last_status: u8,
    /// Carried `set -o` options that are on.
    pub set_options: Vec<String>,
    /// Carried `shopt` options that are on.
    pub shopts: Vec<String>,
    /// Variables, exported or not, arrays included.
    pub variables: Vec<Variable>,
    /// Function definitions as the shell printed them.
    #[serde(with = "raw")]
    pub functions: Vec<u8>,
    /// `declare -fx name` lines: the functions that children see.
    #[serde(with = "raw")]
    pub function_attributes: Vec<u8>,
    /// Alias definitions as commands.
    #[serde(with = "raw")]
    pub aliases: Vec<u8>,
}

impl ShellState {
    /// A shell that has done nothing yet, in `cwd`.
    #[must_use]
    pub fn empty(dialect: Dialect, cwd: impl Into<Vec<u8>>) -> Self {
        Self {
            dialect,
            cwd: cwd.into(),
            oldpwd: None,
            umask: None,
            last_status: 0,
            set_options: vec!["braceexpand".into(), "hashall".into()],
            shopts: Vec::new(),
            variables: Vec::new(),
            functions: Vec::new(),
            function_attributes: Vec::new(),
            aliases: Vec::new(),
        }
    }

    /// The variable called `name`.
    #[must_use]
    pub fn variable(&self, name: &str) -> Option<&Variable> {
        self.variables.iter().find(|v| v.name == name)
    }

    /// Whether [`ShellState::environment`] is within what a kernel takes (128 KiB for one entry, and
    /// a few hundred for all).
    #[must_use]
    pub fn fits_environment(&self) -> bool {
        let sizes = self.variables.iter().filter(|v| v.is_environment());
        let sizes = sizes.map(|v| v.name.len() + v.value.as_ref().map_or(0, Vec::len));
        let (total, largest) = sizes.fold((0, 0), |(t, l), size| (t + size, size.max(l)));
        total < 256 * 1024 && largest < 64 * 1024
    }

    /// The variables that a process can be given in its environment, with their plain values.
    #[must_use]
    pub fn environment(&self) -> Vec<(OsString, OsString)> {
        self.variables
            .iter()
            .filter(|v| v.is_environment() && is_carried_variable(&v.name))
            .filter_map(|v| Some((v.name.clone().into(), OsString::from_vec(v.scalar()?))))
            .collect()
    }

    /// The working directory as text; bytes that are not UTF-8 are replaced.
    #[must_use]
    pub fn cwd_text(&self) -> String {
        String::from_utf8_lossy(&self.cwd).into_owned()
    }

    /// Takes the state that a command left, keeping out what the request set for that command
    /// alone: variables in `request_env` that still have the given value, and the working
    /// directory if `own_cwd`.
    pub fn settle(&mut self, before: &Self, request_env: &[(String, Vec<u8>)], own_cwd: bool) {
        if own_cwd {
            self.cwd.clone_from(&before.cwd);
            self.oldpwd.clone_from(&before.oldpwd);
        }
        for (name, given) in request_env {
            let unchanged =
                self.variable(name).is_none_or(|v| v.scalar().as_deref() == Some(given.as_slice()));
            if !unchanged {
                continue;
            }
            self.variables.retain(|v| v.name != *name);
            if let Some(old) = before.variable(name) {
                self.variables.push(old.clone());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(variables: &[(&str, &str)]) -> ShellState {
        let mut state = ShellState::empty(Dialect::Bash, "/");
        for (name, value) in variables {
            state.variables.push(Variable {
                name: (*name).into(),
                flags: "x".into(),
                value: Some(format!("\"{value}\"").into_bytes()),
            });
        }
        state
    }

    #[test]
    fn variables_of_one_request_do_not_stay() {
        let before = with(&[("KEPT", "old")]);
        let mut after = with(&[("KEPT", "once"), ("ONCE", "1"), ("OWN", "user")]);
        let given = [
            ("KEPT".to_owned(), b"once".to_vec()),
            ("ONCE".to_owned(), b"1".to_vec()),
            ("OWN".to_owned(), b"given".to_vec()),
        ];
        after.settle(&before, &given, false);
        assert_eq!(after.variable("KEPT").unwrap().scalar().unwrap(), b"old");
        assert!(after.variable("ONCE").is_none());
        assert_eq!(after.variable("OWN").unwrap().scalar().unwrap(), b"user");
    }

    #[test]
    fn a_directory_of_one_request_does_not_stay() {
        let before = ShellState::empty(Dialect::Bash, "/home");
        let mut after = ShellState::empty(Dialect::Bash, "/tmp");
        after.settle(&before, &[], true);
        assert_eq!(after.cwd, b"/home");
    }

    #[test]
    fn bytes_that_are_not_text_survive_json() {
        let mut state = with(&[("A", "x")]);
        state.cwd = b"/tmp/\xff".to_vec();
        let json = serde_json::to_string(&state).unwrap();
        assert_eq!(serde_json::from_str::<ShellState>(&json).unwrap(), state);
    }
}
