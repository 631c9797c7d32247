//! What hexad knows of the machine and the process it runs in, read once at the start.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::{Path, PathBuf};

/// The surroundings of this process. `Debug` shows no values of variables.
#[derive(Clone)]
pub struct Host {
    /// The environment that hexad was started with.
    pub env: Vec<(OsString, OsString)>,
    /// The working directory at start.
    pub cwd: PathBuf,
    /// The home of the user that hexad runs as; empty when it is not known.
    pub home: PathBuf,
    /// The machine's name.
    pub name: String,
    /// Whether this is the inside of a container.
    pub in_container: bool,
    /// The folder of the hexad program, if this is the hexad program.
    pub program_folder: Option<PathBuf>,
}

impl Host {
    /// Reads the surroundings of this process.
    #[must_use]
    pub fn current() -> Self {
        Self::with_env(std::env::vars_os().collect())
    }

    /// The same with an environment that was read before.
    #[must_use]
    pub fn with_env(env: Vec<(OsString, OsString)>) -> Self {
        let find = |name: &str| env.iter().find(|(n, _)| n == name).map(|(_, v)| v.clone());
        let home = find("HOME").map(PathBuf::from).filter(|h| h.is_absolute());
        let user = || {
            nix::unistd::User::from_uid(nix::unistd::getuid()).ok().flatten().map(|user| user.dir)
        };
        let program =
            std::env::current_exe().ok().filter(|p| p.file_stem() == Some(OsStr::new("hexad")));
        Self {
            cwd: std::env::current_dir().unwrap_or_else(|_| PathBuf::from("/")),
            home: home.or_else(user).unwrap_or_default(),
            name: nix::unistd::gethostname()
                .map_or_else(|_| "localhost".into(), |n| n.to_string_lossy().into_owned()),
            in_container: ["/.dockerenv", "/run/.containerenv"]
                .iter()
                .any(|p| Path::new(p).exists()),
            program_folder: program.and_then(|p| p.parent().map(Path::to_path_buf)),
            env,
        }
    }

    /// The value of a variable.
    #[must_use]
    pub fn var(&self, name: &str) -> Option<&OsStr> {
        self.env.iter().find(|(n, _)| n == name).map(|(_, value)| value.as_os_str())
    }

    /// The environment as text, for configuration; values that are not UTF-8 are left out.
    #[must_use]
    pub fn text_env(&self) -> BTreeMap<String, String> {
        self.env
            .iter()
            .filter_map(|(n, v)| Some((n.to_str()?.to_owned(), v.to_str()?.to_owned())))
            .collect()
    }

    /// The home that commands get where the policy says `profile`: `home` in the product's own
    /// folder, if that is there.
    #[must_use]
    pub fn profile_home(&self) -> Option<PathBuf> {
        let base = self
            .var("HEXAD_HOME")
            .or_else(|| self.var("HERMES_HOME"))
            .map_or_else(|| self.home.join(".hermes"), PathBuf::from);
        Some(base.join("home")).filter(|home| home.is_dir())
    }

    /// Where hexad keeps what outlives it: `HEXAD_STATE_DIR`, else `XDG_STATE_HOME/hexad`, else
    /// `~/.local/state/hexad`, else a folder of this user in the temp dir.
    #[must_use]
    pub fn state_folder(&self) -> PathBuf {
        let absolute =
            |name: &str| self.var(name).map(PathBuf::from).filter(|path| path.is_absolute());
        if let Some(folder) = absolute("HEXAD_STATE_DIR") {
            return folder;
        }
        if let Some(folder) = absolute("XDG_STATE_HOME") {
            return folder.join("hexad");
        }
        if self.home.is_absolute() && self.home.is_dir() {
            return self.home.join(".local/state/hexad");
        }
        std::env::temp_dir().join(format!("hexad-{}", nix::unistd::getuid()))
    }
}

impl fmt::Debug for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Host")
            .field("name", &self.name)
            .field("cwd", &self.cwd)
            .field("home", &self.home)
            .finish_non_exhaustive()
    }
}
