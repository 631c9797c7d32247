//! What goes into an environment for a child and what comes out.
//!
//! Both hold secrets, so their `Debug` must not show a value.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;

use super::HomeMode;

/// What the configuration says about the environment of children. `Debug` shows no values.
#[derive(Clone, Default)]
pub struct Policy {
    /// Names that look like credentials and that commands may have all the same
    /// (`terminal.env_passthrough`).
    pub passthrough: Vec<String>,
    /// Variables that the user configured for commands (`terminal.env`).
    pub extra: BTreeMap<String, String>,
    /// Which home children get.
    pub home_mode: HomeMode,
    /// The profile's home, if there is one and it exists.
    pub home_dir: Option<PathBuf>,
    /// Whether hexad itself runs in a container.
    pub in_container: bool,
    /// The home of the user that hexad runs as. Empty: unknown, the host's `HOME` stays.
    pub real_home: PathBuf,
    /// The directory of the hexad program, so that commands find it.
    pub path_prefix: Option<PathBuf>,
}

/// The environment of a child, and what there is to say about it. `Debug` shows no values.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct ChildEnvironment {
    /// Names and values, sorted by name, each name once.
    pub vars: Vec<(OsString, OsString)>,
    /// What was asked for and refused, for the user. Names only.
    pub notices: Vec<String>,
    /// Variables of the host that were held back only because their names read like credentials;
    /// the passthrough list can allow them. Too many for notices, good to have in a log.
    pub withheld: Vec<String>,
    /// The mark of the command that this hexad itself runs under, if any. Not among `vars`: the
    /// caller decides how marks nest.
    pub inherited_mark: Option<OsString>,
}

impl fmt::Debug for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Policy")
            .field("passthrough", &self.passthrough)
            .field("extra", &self.extra.keys())
            .field("home_mode", &self.home_mode)
            .field("home_dir", &self.home_dir)
            .field("in_container", &self.in_container)
            .field("real_home", &self.real_home)
            .field("path_prefix", &self.path_prefix)
            .finish()
    }
}

impl fmt::Debug for ChildEnvironment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.vars.iter().map(|(name, _)| name).collect();
        f.debug_struct("ChildEnvironment")
            .field("vars", &names)
            .field("notices", &self.notices)
            .field("withheld", &self.withheld)
            .finish_non_exhaustive()
    }
}
