//! What a caller asks for.

use std::path::PathBuf;
use std::time::Duration;

use crate::error::Error;
use crate::event::Subscriber;
use crate::settings::Settings;
use crate::shell::options::MARK_VARIABLE;
use crate::shell::quote::is_variable_name;

/// The longest command text, in bytes.
pub const MAX_COMMAND: usize = 64 * 1024 * 1024;

/// How standard output and standard error come back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Streams {
    /// As one stream, in the order they were written.
    #[default]
    Merged,
    /// Apart; the order between them is not known.
    Separate,
}

/// One command to run. Make it with [`Execute::new`] and change what you need.
#[derive(Clone, Debug, Default)]
pub struct Execute {
    /// The command, as bash reads it: any length up to [`MAX_COMMAND`], lines and bytes as they
    /// are, no NUL. An empty command succeeds.
    pub command: Vec<u8>,
    /// A directory for this command alone; it must exist, or the result is 126.
    pub cwd: Option<String>,
    /// Exported variables for this command alone.
    pub env: Vec<(String, Vec<u8>)>,
    /// What the command reads from standard input; none is end of file at once.
    pub stdin: Option<Vec<u8>>,
    /// The limit, counted from the start of the command. None or zero is the default limit.
    pub timeout: Option<Duration>,
    /// Runs beside the queue on a copy of the shell state that is thrown away.
    pub fork: bool,
    /// Whether the two output streams are kept apart.
    pub streams: Streams,
    /// A folder in which the whole output is kept in a file.
    pub spill: Option<PathBuf>,
    /// The caller's id for this request. Within a task, a repeated id gets the answer of the
    /// first one and nothing runs again.
    pub id: Option<String>,
    /// The profile that picks the backend, when this request is the first of its task. Later
    /// requests may repeat it; another one is a conflict.
    pub profile: Option<String>,
    /// Who watches.
    pub subscriber: Option<Subscriber>,
}

impl Execute {
    /// Runs `command` with all defaults.
    pub fn new(command: impl Into<Vec<u8>>) -> Self {
        Self { command: command.into(), ..Self::default() }
    }

    /// Sets the limit.
    #[must_use]
    pub fn timeout(mut self, limit: Duration) -> Self {
        self.timeout = Some(limit);
        self
    }

    /// Sets the directory for this command alone.
    #[must_use]
    pub fn cwd(mut self, cwd: impl Into<String>) -> Self {
        self.cwd = Some(cwd.into());
        self
    }

    /// Gives the command something to read.
    #[must_use]
    pub fn stdin(mut self, data: impl Into<Vec<u8>>) -> Self {
        self.stdin = Some(data.into());
        self
    }

    /// Sets a variable for this command alone.
    #[must_use]
    pub fn env(mut self, name: impl Into<String>, value: impl Into<Vec<u8>>) -> Self {
        self.env.push((name.into(), value.into()));
        self
    }

    /// Names the request.
    #[must_use]
    pub fn id(mut self, id: impl Into<String>) -> Self {
        self.id = Some(id.into());
        self
    }

    /// Runs it beside the queue on a copy of the state.
    #[must_use]
    pub fn fork(mut self) -> Self {
        self.fork = true;
        self
    }

    /// Keeps standard error apart.
    #[must_use]
    pub fn separate(mut self) -> Self {
        self.streams = Streams::Separate;
        self
    }

    /// Checks the request against the rules.
    ///
    /// # Errors
    /// [`Error::InvalidRequest`] that says what was wrong and what is allowed.
    pub fn check(&self, settings: &Settings) -> Result<(), Error> {
        if self.command.contains(&0) {
            return Err(Error::invalid(
                "the command contains a NUL byte, which no shell can take; \
                 give binary data through stdin instead",
            ));
        }
        if self.command.len() > MAX_COMMAND {
            return Err(Error::invalid(format!(
                "the command has {} bytes; at most {MAX_COMMAND} are allowed; \
                 give large data through stdin instead",
                self.command.len()
            )));
        }
        if let Some(limit) = self.timeout
            && limit > settings.max_timeout
        {
            return Err(Error::invalid(format!(
                "a timeout of {} s is over the limit of {} s; start long work in the \
                     background, or raise max_foreground_timeout",
                limit.as_secs_f64(),
                settings.max_timeout.as_secs_f64()
            )));
        }
        if self.cwd.as_ref().is_some_and(|cwd| cwd.contains('\0')) {
            return Err(Error::invalid("cwd contains a NUL byte"));
        }
        for (name, value) in &self.env {
            if !is_variable_name(name) {
                return Err(Error::invalid(format!(
                    "env has the name {name:?}; a variable name is letters, digits and _, \
                     not beginning with a digit"
                )));
            }
            if value.contains(&0) {
                return Err(Error::invalid(format!("the value of env.{name} contains a NUL byte")));
            }
            if name == MARK_VARIABLE {
                return Err(Error::invalid(format!("env.{name} belongs to hexad itself")));
            }
        }
        if self.id.as_ref().is_some_and(|id| id.len() > 512) {
            return Err(Error::invalid("id is longer than 512 bytes"));
        }
        Ok(())
    }

    /// The limit that is in force.
    #[must_use]
    pub fn limit(&self, settings: &Settings) -> Duration {
        match self.timeout {
            Some(limit) if !limit.is_zero() => limit,
            _ => settings.default_timeout,
        }
    }
}

impl From<&str> for Execute {
    fn from(command: &str) -> Self {
        Self::new(command)
    }
}

impl From<String> for Execute {
    fn from(command: String) -> Self {
        Self::new(command)
    }
}
