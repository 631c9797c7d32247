//! The options of the local backend as a struct. It reads [`Options`], expands and checks nothing.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

use super::profile::Options;

/// Which home directory commands get.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HomeMode {
    /// The user's own on a host, one kept apart inside a container.
    #[default]
    Auto,
    /// Always the user's own.
    Real,
    /// Always one kept apart.
    Profile,
}

/// What the local backend can be told.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct LocalOptions {
    /// Which HOME commands get.
    pub home_mode: HomeMode,
    /// Names of host variables to let through although they look like secrets. The backend's list
    /// of names that never pass is stronger.
    pub env_passthrough: Vec<String>,
    /// Files for the login shell to source instead of the usual ones; `~` and `${VAR}` as written.
    pub shell_init_files: Vec<String>,
    /// Whether the login shell sources the user's usual files.
    pub auto_source_bashrc: bool,
    /// Whether a login shell runs at first contact.
    pub login_shell: bool,
    /// The bash to use; none means the one in PATH.
    pub shell: Option<PathBuf>,
    /// Variables that every command gets.
    pub env: BTreeMap<String, String>,
    /// Directory that holds what environments keep.
    pub sandbox_dir: Option<PathBuf>,
}

impl Options {
    /// The options of the local backend. For a profile of another backend, those that are the local
    /// backend's alone have their defaults.
    #[must_use]
    pub fn local(&self) -> LocalOptions {
        LocalOptions {
            home_mode: match self.text("home_mode") {
                Some("real") => HomeMode::Real,
                Some("profile") => HomeMode::Profile,
                _ => HomeMode::Auto,
            },
            env_passthrough: self.list("env_passthrough").to_vec(),
            shell_init_files: self.list("shell_init_files").to_vec(),
            auto_source_bashrc: self.flag("auto_source_bashrc"),
            login_shell: self.flag("login_shell"),
            shell: self.text("shell").map(PathBuf::from),
            env: self.map("env").clone(),
            sandbox_dir: self.text("sandbox_dir").map(PathBuf::from),
        }
    }
}

impl fmt::Debug for LocalOptions {
    /// Shows the names in `env` without their values.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LocalOptions")
            .field("home_mode", &self.home_mode)
            .field("env_passthrough", &self.env_passthrough)
            .field("shell_init_files", &self.shell_init_files)
            .field("auto_source_bashrc", &self.auto_source_bashrc)
            .field("login_shell", &self.login_shell)
            .field("shell", &self.shell)
            .field("env", &self.env.keys())
            .field("sandbox_dir", &self.sandbox_dir)
            .finish()
    }
}
