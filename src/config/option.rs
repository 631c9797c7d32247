//! What a row of the option table says. No rows here: they are in `options.rs`.

use super::backend::BackendKind;

/// The longest duration any option takes: 30 days, in seconds.
pub(super) const MAX_SECONDS: u32 = 30 * 24 * 60 * 60;

/// What zero seconds mean for an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Zero {
    /// Zero is a value like others.
    Allowed,
    /// Zero stands for the default.
    IsDefault,
    /// Zero is an error.
    Refused,
}

/// What an option takes.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Kind {
    /// true, yes, 1 or false, no, 0.
    Bool,
    /// A whole number within both bounds.
    Integer {
        /// The smallest allowed.
        min: i64,
        /// The largest allowed.
        max: i64,
    },
    /// A number from zero to `max`, fractions allowed.
    Decimal {
        /// The largest allowed.
        max: f64,
    },
    /// A duration in seconds up to 30 days, fractions allowed.
    Seconds {
        /// What zero means.
        zero: Zero,
    },
    /// Any text. Empty text counts as none.
    Text,
    /// A path on this machine; a leading `~/` stands for the home directory.
    Path,
    /// A list of texts; JSON in a variable.
    List,
    /// A mapping of names to texts; JSON in a variable.
    Map,
    /// One of these words, in any case.
    Choice(&'static [&'static str]),
}

/// The value of an option that nobody gives.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum DefaultValue {
    /// No text, an empty list or an empty mapping.
    Nothing,
    /// For [`Kind::Bool`].
    Flag(bool),
    /// For [`Kind::Integer`].
    Number(i64),
    /// For [`Kind::Decimal`].
    Decimal(f64),
    /// For [`Kind::Seconds`], in milliseconds.
    Millis(u64),
    /// For texts, paths and choices.
    Text(&'static str),
}

/// Whose option it is: it is read by profiles that use one of these backends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// All backends.
    Common,
    /// The four that run images: docker, singularity, modal and daytona.
    Containers,
    /// One backend.
    Only(BackendKind),
}

impl Owner {
    /// Whether a profile with this backend reads the option.
    #[must_use]
    pub fn includes(self, backend: BackendKind) -> bool {
        match self {
            Self::Common => true,
            Self::Containers => !matches!(backend, BackendKind::Local | BackendKind::Ssh),
            Self::Only(owner) => owner == backend,
        }
    }
}

/// What hexad does with an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Each profile may have its own value.
    Profile,
    /// One value for the whole runtime, from `terminal:` or stronger sources.
    Runtime,
    /// Known from other products, without use here. Giving it is a notice.
    Unused,
}

/// One option: a row of the table.
#[derive(Clone, Copy, Debug)]
pub struct OptionSpec {
    /// Its key in `terminal:` and in profiles, and on the command line.
    pub key: &'static str,
    /// An older name of the same key.
    pub legacy_key: Option<&'static str>,
    /// Another place in the file where it may be: top-level section and key.
    pub elsewhere: Option<(&'static str, &'static str)>,
    /// The environment variables that set it, strongest first.
    pub variables: &'static [&'static str],
    /// What it takes.
    pub kind: Kind,
    /// What it is if nobody gives it.
    pub default: DefaultValue,
    /// Which backends read it.
    pub owner: Owner,
    /// What hexad does with it.
    pub role: Role,
    /// Whether its values may be secrets and must not be shown.
    pub secret: bool,
    /// One line for a person: what it does; for an unused one, why it has no effect.
    pub help: &'static str,
}

impl OptionSpec {
    pub(super) const fn new(key: &'static str, kind: Kind, help: &'static str) -> Self {
        Self {
            key,
            legacy_key: None,
            elsewhere: None,
            variables: &[],
            kind,
            default: DefaultValue::Nothing,
            owner: Owner::Common,
            role: Role::Profile,
            secret: false,
            help,
        }
    }

    pub(super) const fn vars(self, variables: &'static [&'static str]) -> Self {
        Self { variables, ..self }
    }

    pub(super) const fn default(self, default: DefaultValue) -> Self {
        Self { default, ..self }
    }

    pub(super) const fn of(self, backend: BackendKind) -> Self {
        Self { owner: Owner::Only(backend), ..self }
    }

    pub(super) const fn containers(self) -> Self {
        Self { owner: Owner::Containers, ..self }
    }

    pub(super) const fn runtime(self) -> Self {
        Self { role: Role::Runtime, ..self }
    }

    pub(super) const fn unused(self) -> Self {
        Self { role: Role::Unused, ..self }
    }

    pub(super) const fn secret(self) -> Self {
        Self { secret: true, ..self }
    }

    pub(super) const fn legacy(self, key: &'static str) -> Self {
        Self { legacy_key: Some(key), ..self }
    }

    pub(super) const fn also_in(self, section: &'static str, key: &'static str) -> Self {
        Self { elsewhere: Some((section, key)), ..self }
    }
}
