//! Where the benchmark runs: a temporary home and state folder, and an environment of few
//! variables that our shells and the reference's get alike.

use std::ffi::OsString;
use std::path::PathBuf;

use hexad::config::Sources;
use hexad::host::Host;
use hexad::{Config, Hexad};
use tempfile::TempDir;

use crate::Failure;

/// The surroundings; the folder goes with it.
pub(crate) struct Place {
    /// The bash that both use.
    pub(crate) bash: PathBuf,
    folder: TempDir,
    env: Vec<(OsString, OsString)>,
}

impl Place {
    pub(crate) fn new() -> Result<Self, Failure> {
        let folder = tempfile::tempdir()?;
        let home = folder.path().join("home");
        std::fs::create_dir(&home)?;
        let path = std::env::var_os("PATH").unwrap_or_else(|| "/usr/bin:/bin".into());
        let bash = std::env::split_paths(&path)
            .map(|folder| folder.join("bash"))
            .find(|bash| bash.is_absolute() && bash.is_file())
            .ok_or("there is no bash in PATH")?;
        let fixed = [("LANG", "C.UTF-8"), ("TERM", "dumb"), ("USER", "bench"), ("SHELL", "bash")];
        let mut env: Vec<(OsString, OsString)> =
            fixed.into_iter().map(|(name, value)| (name.into(), value.into())).collect();
        env.push(("PATH".into(), path));
        env.push(("HOME".into(), home.into_os_string()));
        Ok(Self { bash, folder, env })
    }

    /// What the shells of the reference get.
    pub(crate) fn env(&self) -> impl Iterator<Item = (OsString, OsString)> + use<> {
        self.env.clone().into_iter()
    }

    /// A runtime here with the built-in configuration and these options over it.
    pub(crate) async fn start(&self, options: &[(&str, &str)]) -> Result<Hexad, Failure> {
        let overrides = options.iter().map(|&(k, v)| (k.to_owned(), v.to_owned())).collect();
        let config = Config::load(&Sources { overrides, ..Sources::default() })?;
        let mut env = self.env.clone();
        env.push(("HEXAD_STATE_DIR".into(), self.folder.path().join("state").into_os_string()));
        let mut host = Host::with_env(env);
        host.cwd = host.home.clone();
        Ok(Hexad::builder(config).host(host).start().await?)
    }
}
