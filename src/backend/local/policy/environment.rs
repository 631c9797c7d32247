//! Builds the whole environment of a child from the host's.
//!
//! Sources, weakest first: what the host has (filtered by name), forced variables of the host,
//! what the user configured for commands; then the rules for `PATH`, `HOME` and the defaults for
//! programs that would ask a person. It must not read this process's own environment: the caller
//! hands it in, so that one snapshot serves all children and tests need not change the real one.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;

use super::secrets::{MARK, NameClass, classify};
use super::{ChildEnvironment, Policy, complete_path, defaults};

/// A variable of the host with such a prefix is handed to children without the prefix, even if
/// its name is a fixed one. The later prefix wins.
const FORCE: &[&str] = &["_HERMES_FORCE_", "_HEXAD_FORCE_"];

/// Makes the environment of a child out of `host`, the variables of this process.
#[must_use]
pub fn child_environment(host: &[(OsString, OsString)], policy: &Policy) -> ChildEnvironment {
    let mut builder = Builder::new(policy);
    builder.allow();
    builder.inherit(host);
    builder.force(host);
    builder.configure();
    builder.finish()
}

struct Builder<'a> {
    policy: &'a Policy,
    passed: BTreeSet<&'a OsStr>,
    /// Names whose value the user chose for commands; the rules for HOME and TERM leave them alone.
    configured: BTreeSet<OsString>,
    vars: BTreeMap<OsString, OsString>,
    out: ChildEnvironment,
}

impl<'a> Builder<'a> {
    fn new(policy: &'a Policy) -> Self {
        Self {
            policy,
            passed: BTreeSet::new(),
            configured: BTreeSet::new(),
            vars: BTreeMap::new(),
            out: ChildEnvironment::default(),
        }
    }

    /// Reads the passthrough list. A name that may never pass is refused aloud: a skill that asks
    /// for the provider's key shall not fail in silence, let alone succeed.
    fn allow(&mut self) {
        for entry in &self.policy.passthrough {
            let name = OsStr::new(entry.trim());
            let class = classify(name);
            if is_name(name) && class.may_inherit(true) {
                self.passed.insert(name);
            } else {
                self.refuse("env_passthrough", name, class);
            }
        }
    }

    fn inherit(&mut self, host: &[(OsString, OsString)]) {
        for (name, value) in host {
            if name == MARK {
                self.out.inherited_mark.get_or_insert_with(|| value.clone());
            }
            // The first of several wins, as it does for getenv.
            if !is_valid(name, value) || forced_name(name).is_some() || self.vars.contains_key(name)
            {
                continue;
            }
            let class = classify(name);
            if class.may_inherit(self.passed.contains(name.as_os_str())) {
                self.vars.insert(name.clone(), value.clone());
            } else if class == NameClass::CredentialLike {
                self.out.withheld.push(name.to_string_lossy().into_owned());
            }
        }
    }

    fn force(&mut self, host: &[(OsString, OsString)]) {
        for prefix in FORCE {
            for (name, value) in host {
                if let Some(name) = cut(name, prefix) {
                    self.set("forced variable", name, value);
                }
            }
        }
    }

    fn configure(&mut self) {
        let policy = self.policy;
        for (name, value) in &policy.extra {
            let name = OsStr::new(name);
            self.set("env", forced_name(name).unwrap_or(name), OsStr::new(value));
        }
    }

    /// Sets what the user chose, unless no source may set it.
    fn set(&mut self, source: &str, name: &OsStr, value: &OsStr) {
        let class = classify(name);
        // What is left of `_HEXAD_FORCE__HEXAD_FORCE_X` is no name that anybody means.
        if !is_valid(name, value) || !class.may_configure() || forced_name(name).is_some() {
            return self.refuse(source, name, class);
        }
        self.vars.insert(name.to_owned(), value.to_owned());
        self.configured.insert(name.to_owned());
    }

    fn refuse(&mut self, source: &str, name: &OsStr, class: NameClass) {
        // Somebody who writes `NAME=value` where a name belongs must not see the value repeated.
        let shown = name.as_bytes().split(|byte| *byte == b'=').next().unwrap_or_default();
        let shown = OsStr::from_bytes(shown).to_string_lossy();
        let notice = format!("{source}: {shown:?} is not handed on because {}", class.reason());
        if !self.out.notices.contains(&notice) {
            self.out.notices.push(notice);
        }
    }

    fn finish(mut self) -> ChildEnvironment {
        self.out.withheld.retain(|name| !self.configured.contains(OsStr::new(name)));
        let asked = |name: &str| {
            let name = OsStr::new(name);
            self.configured.contains(name) || self.passed.contains(name)
        };
        defaults::fill(&mut self.vars, asked);
        let path = self.vars.get(OsStr::new("PATH")).map(OsString::as_os_str);
        let path = complete_path(path, self.policy.path_prefix.as_deref());
        self.vars.insert("PATH".into(), path);
        self.home();
        self.out.vars = self.vars.into_iter().collect();
        self.out
    }

    /// Children see the home that the policy picks, and always where the real one is.
    fn home(&mut self) {
        let Policy { home_mode, home_dir, real_home, in_container, .. } = self.policy;
        let (home, notice) = home_mode.choose(home_dir.as_ref(), real_home, *in_container);
        self.out.notices.extend(notice);
        let mut put = |name: &str, value: &OsStr| {
            if !value.is_empty() && !self.configured.contains(OsStr::new(name)) {
                self.vars.insert(name.into(), value.to_owned());
            }
        };
        put("HOME", home.as_os_str());
        put("HERMES_REAL_HOME", real_home.as_os_str());
    }
}

/// The name behind a force prefix.
fn forced_name(name: &OsStr) -> Option<&OsStr> {
    FORCE.iter().find_map(|prefix| cut(name, prefix))
}

fn cut<'n>(name: &'n OsStr, prefix: &str) -> Option<&'n OsStr> {
    name.as_bytes().strip_prefix(prefix.as_bytes()).map(OsStr::from_bytes)
}

fn is_name(name: &OsStr) -> bool {
    !name.is_empty() && !name.as_bytes().iter().any(|byte| [b'=', 0].contains(byte))
}

/// What the kernel cannot carry would fail the whole spawn, or arrive as another variable.
fn is_valid(name: &OsStr, value: &OsStr) -> bool {
    is_name(name) && !value.as_bytes().contains(&0)
}

#[cfg(test)]
#[path = "environment_tests.rs"]
mod tests;
