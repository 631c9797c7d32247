//! What can be wrong with a configuration, each as a sentence for the person who wrote it.
//!
//! No variant carries a value that may be a secret: only keys, lines, kinds of values, and words
//! or numbers of options that are known to be harmless.

use std::path::PathBuf;

use thiserror::Error;

use super::backend::BackendKind;

/// Why there is no configuration. `at` is `file:line`, a variable's name or `command line`.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// The file cannot be read as text.
    #[error("cannot read {}: {reason}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// The file is not YAML.
    #[error("{at}: {message}")]
    Syntax {
        /// `file:line:column`, or the file alone where the parser gave no place.
        at: String,
        /// The parser's words.
        message: String,
    },
    /// Something that has keys was written as something that has none.
    #[error("{at}: {what} is {found}; it takes a mapping of keys to values")]
    NotAMapping {
        /// Where.
        at: String,
        /// `terminal`, `profiles.build` and so on.
        what: String,
        /// What stands there instead.
        found: String,
    },
    /// A key is given twice in one mapping.
    #[error("{at}: {} is given twice; keep one", key.escape_debug())]
    DuplicateKey {
        /// Where the second one is.
        at: String,
        /// The key with its section.
        key: String,
    },
    /// Nobody knows this key.
    #[error("{at}: {} is not a known key{}", key.escape_debug(), did_you_mean(suggestion.as_deref()))]
    UnknownKey {
        /// Where.
        at: String,
        /// The key, with its section if it is from the file.
        key: String,
        /// The known key that looks most like it, if any does.
        suggestion: Option<String>,
    },
    /// An option's value is of the wrong type or out of its range.
    #[error("{subject} is {found}; it takes {allowed}")]
    WrongValue {
        /// Which option and where: `file:line: terminal.key`, a variable, `command line: key`.
        subject: String,
        /// What was found, never the value of a secret.
        found: String,
        /// What is allowed.
        allowed: String,
    },
    /// A name that is none of the six.
    #[error("{name:?} is not a backend; the backends are {}", BackendKind::NAMES.join(", "))]
    UnknownBackend {
        /// What was given.
        name: String,
    },
    /// A profile's name breaks the rule.
    #[error("{at}: {name:?} is not a profile name; use 1 to 64 characters of A-Z a-z 0-9 . _ -")]
    ProfileName {
        /// Where.
        at: String,
        /// What was given.
        name: String,
    },
    /// `profiles:` has an entry `default`.
    #[error("{at}: the profile \"default\" is the section terminal; put its keys there")]
    DefaultProfile {
        /// Where.
        at: String,
    },
    /// A task asked for a profile that the configuration does not have.
    #[error("there is no profile {name:?}; the profiles are {}", known.join(", "))]
    UnknownProfile {
        /// What was asked for.
        name: String,
        /// The names that exist.
        known: Vec<String>,
    },
}

fn did_you_mean(suggestion: Option<&str>) -> String {
    suggestion.map_or_else(String::new, |key| format!("; did you mean {key:?}?"))
}
