//! Variables that keep programs from asking a person who is not there.
//!
//! Each is a default: whoever sets the variable, on the host or in the configuration, wins.
//! Left alone on purpose:
//!
//! * `NO_COLOR`: without a terminal programs do not colour anyway, and setting it changes what
//!   test suites see and makes programs complain beside an inherited `FORCE_COLOR`.
//! * `EDITOR`, `GIT_EDITOR`: an editor that "succeeds" without a person would commit a template;
//!   one that fails for want of a terminal says what is wrong.
//! * `GIT_ASKPASS`: usually a script that answers with a token, which asks nobody.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};

/// Name and value of each default.
pub const NON_INTERACTIVE: &[(&str, &str)] = &[
    ("PAGER", "cat"),
    ("GIT_PAGER", "cat"),
    ("MANPAGER", "cat"),
    ("SYSTEMD_PAGER", "cat"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GCM_INTERACTIVE", "never"),
    ("DEBIAN_FRONTEND", "noninteractive"),
    ("PYTHONUNBUFFERED", "1"),
];

/// Fills in what `vars` lacks. `asked` says that the user named a variable, be it with a value or
/// on the passthrough list.
pub(super) fn fill(vars: &mut BTreeMap<OsString, OsString>, asked: impl Fn(&str) -> bool) {
    for (name, value) in NON_INTERACTIVE {
        vars.entry(OsString::from(name)).or_insert_with(|| OsString::from(value));
    }
    // The host's TERM describes the host's terminal, and a child has none.
    if !asked("TERM") || !vars.contains_key(OsStr::new("TERM")) {
        vars.insert("TERM".into(), "dumb".into());
    }
    ask_no_password(vars, asked);
    // An empty value counts as none, as it does for the C library.
    let said = |name: &str| vars.get(OsStr::new(name)).is_some_and(|value| !value.is_empty());
    if !["LANG", "LC_ALL", "LC_CTYPE"].into_iter().any(said) {
        vars.insert("LANG".into(), "C.UTF-8".into());
    }
}

/// A desktop session exports a program that opens a window to ask for a password; both ssh and
/// git would wait for it. A host that says how ssh shall use it has thought about it.
fn ask_no_password(vars: &mut BTreeMap<OsString, OsString>, asked: impl Fn(&str) -> bool) {
    let has = |name: &str| vars.contains_key(OsStr::new(name));
    if has("SSH_ASKPASS_REQUIRE") || (has("SSH_ASKPASS") && asked("SSH_ASKPASS")) {
        return;
    }
    // git falls back to SSH_ASKPASS and does not know SSH_ASKPASS_REQUIRE, so it takes both steps.
    vars.remove(OsStr::new("SSH_ASKPASS"));
    vars.insert("SSH_ASKPASS_REQUIRE".into(), "never".into());
}

#[cfg(test)]
#[path = "defaults_tests.rs"]
mod tests;
