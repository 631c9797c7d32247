//! Judges a variable by its name: may a child have it, and from which source.
//!
//! It must not look at values: a rule that needs the value would make the value's path through
//! the program longer. Secrets inside harmless names (a password in a `DATABASE_URL`) are
//! therefore not found here.

use std::ffi::OsStr;

use super::{blocklist, shell_start};

/// What kind of variable a name is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NameClass {
    /// An ordinary variable: inherited as it is.
    Plain,
    /// Reads like a credential. Not inherited, unless the passthrough list names it.
    CredentialLike,
    /// A variable of the agent's own services. Never inherited and never passed through; only a
    /// value that the user configures for commands reaches them.
    Fixed,
    /// State of hexad, of the session or of the host's shell. Treated like [`Self::Fixed`].
    Internal,
    /// A secret whose name is made up at run time. Never, from no source.
    Dynamic,
    /// Would break the runtime's own shell or its book-keeping. Never, from no source.
    Runtime,
}

impl NameClass {
    /// Whether a child may have the host's value; `passed` says that the passthrough list names it.
    #[must_use]
    pub fn may_inherit(self, passed: bool) -> bool {
        match self {
            Self::Plain => true,
            Self::CredentialLike => passed,
            Self::Fixed | Self::Internal | Self::Dynamic | Self::Runtime => false,
        }
    }

    /// Whether a child may have a value that the user configured or forced.
    #[must_use]
    pub fn may_configure(self) -> bool {
        !matches!(self, Self::Dynamic | Self::Runtime)
    }

    /// Why a name is refused, in words that follow "because".
    pub(super) fn reason(self) -> &'static str {
        match self {
            Self::Plain => "it cannot be a variable's name or value",
            Self::CredentialLike => "it reads like a credential",
            Self::Fixed => {
                "it belongs to the agent's own services; set a value for commands under `env` \
                 if they must have one"
            }
            Self::Internal => {
                "it describes hexad, its session or its host's shell; set a value for commands \
                 under `env` if they must have one"
            }
            Self::Dynamic => "it is an internal secret that no command may see",
            Self::Runtime => "it would change the shell that hexad itself relies on",
        }
    }
}

/// The variable that marks every process of one command, so that stragglers can be found.
pub(super) const MARK: &str = "HEXAD_MARK";

/// Judges `name`. Names of secrets are compared without case and without a number at the end
/// (`OPENAI_API_KEY_2` is one key of a pool).
#[must_use]
pub fn classify(name: &OsStr) -> NameClass {
    let exact = name.to_string_lossy();
    let upper = exact.to_ascii_uppercase();
    let pooled = upper.trim_end_matches(|c: char| c.is_ascii_digit()).trim_end_matches('_');
    let either = |rule: fn(&str) -> bool| rule(&upper) || rule(pooled);

    // The rules that no source may override come first.
    if either(blocklist::is_dynamic) {
        NameClass::Dynamic
    } else if exact == MARK || shell_start::is_poison(&exact) {
        NameClass::Runtime
    } else if either(blocklist::is_fixed) {
        NameClass::Fixed
    } else if is_internal(&exact) {
        NameClass::Internal
    } else if either(blocklist::is_credential_like) {
        NameClass::CredentialLike
    } else {
        NameClass::Plain
    }
}

/// The markers of a virtual environment are hexad's or its gateway's own: `uv` and `poetry` would
/// install the user's packages into it.
fn is_internal(name: &str) -> bool {
    ["VIRTUAL_ENV", "CONDA_PREFIX"].contains(&name)
        || name.starts_with("HEXAD_")
        || name.starts_with("HERMES_SESSION_")
        || blocklist::is_terminal_setting(name)
        || shell_start::is_interactive(name)
}

#[cfg(test)]
#[path = "secrets_tests.rs"]
mod tests;
