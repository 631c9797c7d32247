//! What a profile says about the ssh backend, read once. Nothing here talks to a host.

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::config::Profile;
use crate::host::Host;

/// Holds the password, where one is to be used and no file is named.
pub(super) const PASSWORD_VARIABLE: &str = "HEXAD_SSH_PASSWORD";
/// Holds the passphrase of the private key, where no file is named.
pub(super) const PASSPHRASE_VARIABLE: &str = "HEXAD_SSH_PASSPHRASE";

/// The options of one profile.
#[derive(Clone, Debug)]
pub(super) struct Settings {
    pub(super) access: Access,
    /// The first directory, as the target knows it; none is the home.
    pub(super) cwd: Option<String>,
    pub(super) login: bool,
    /// Whether shells and connections are given back when nobody used them for this long.
    pub(super) idle: Duration,
    /// Of this machine, for hosts that set none; `ssh` usually sends it too.
    pub(super) locale: Vec<(String, String)>,
}

/// Which account of which host, and how to get in. Equal ones share their connections.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Access {
    pub(super) host: String,
    pub(super) user: Option<String>,
    /// None leaves it to `ssh_config`.
    pub(super) port: Option<u16>,
    pub(super) key: Option<PathBuf>,
    pub(super) config: Option<PathBuf>,
    pub(super) known_hosts: Option<PathBuf>,
    /// Whether the key of a host that nobody knows is taken and remembered.
    pub(super) accept_new: bool,
    pub(super) password: Option<Source>,
    pub(super) passphrase: Option<Source>,
}

/// Where a secret comes from; it is read when it is needed.
#[derive(Clone, PartialEq, Eq)]
pub(super) enum Source {
    File(PathBuf),
    Variable(String),
}

impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => write!(f, "File({})", path.display()),
            Self::Variable(_) => f.write_str("Variable(..)"),
        }
    }
}

impl Source {
    fn find(profile: &Profile, key: &str, host: &Host, variable: &str) -> Option<Self> {
        if let Some(path) = profile.text(key) {
            return Some(Self::File(expand(path, &host.home)));
        }
        let value = host.var(variable)?.to_str().filter(|value| !value.is_empty())?;
        Some(Self::Variable(value.to_owned()))
    }

    /// The secret; of a file, without the line feed at its end.
    pub(super) fn read(&self) -> Result<String, String> {
        match self {
            Self::Variable(value) => Ok(value.clone()),
            Self::File(path) => std::fs::read_to_string(path)
                .map(|text| text.trim_end_matches(['\r', '\n']).to_owned())
                .map_err(|error| format!("{} cannot be read: {error}", path.display())),
        }
    }
}

impl Settings {
    /// Reads a profile.
    ///
    /// # Errors
    /// No host is named.
    pub(super) fn new(profile: &Profile, host: &Host) -> Result<Self, String> {
        let text = |key: &str| profile.text(key).map(str::trim).filter(|text| !text.is_empty());
        let path = |key: &str| text(key).map(|path| expand(path, &host.home));
        let Some(name) = text("ssh_host") else {
            return Err(
                "the ssh backend needs a host: set ssh_host (TERMINAL_SSH_HOST) to a name \
                        or an address, and ssh_user to the user there"
                    .into(),
            );
        };
        let (user, name) = match name.rsplit_once('@') {
            Some((user, host)) => (Some(user.to_owned()), host.to_owned()),
            None => (None, name.to_owned()),
        };
        if name.is_empty() || name.starts_with('-') || name.contains(char::is_whitespace) {
            return Err(format!("ssh_host: {name:?} is not the name of a host"));
        }
        let port = profile.is_given("ssh_port").then(|| profile.number("ssh_port"));
        Ok(Self {
            access: Access {
                host: name,
                user: text("ssh_user").map(str::to_owned).or(user),
                port: port.and_then(|port| u16::try_from(port).ok()),
                key: path("ssh_key"),
                config: path("ssh_config"),
                known_hosts: path("ssh_known_hosts"),
                accept_new: text("ssh_host_keys") != Some("strict"),
                password: Source::find(profile, "ssh_password_file", host, PASSWORD_VARIABLE),
                passphrase: Source::find(profile, "ssh_passphrase_file", host, PASSPHRASE_VARIABLE),
            },
            cwd: profile.cwd.clone(),
            login: profile.flag("login_shell"),
            idle: profile.seconds("ssh_idle_seconds"),
            locale: ["LANG", "LC_ALL", "LC_CTYPE"]
                .into_iter()
                .filter_map(|name| Some((name.to_owned(), host.var(name)?.to_str()?.to_owned())))
                .collect(),
        })
    }
}

/// `~` is the home of this machine's user.
pub(super) fn expand(path: &str, home: &Path) -> PathBuf {
    match path.strip_prefix("~/") {
        Some(rest) => home.join(rest),
        None if path == "~" => home.to_owned(),
        None => PathBuf::from(path),
    }
}
