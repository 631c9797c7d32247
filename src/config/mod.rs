//! Configuration: `hexad.yaml` and the environment, read once and checked, as a [`Config`].
//!
//! Everything is driven by one table of options ([`OPTIONS`]): which keys exist, which environment
//! variable sets them, what they take and whose they are. Precedence, highest first: command line,
//! environment, file, default. Environment variables and command-line values apply to the profile
//! `default` only; a named profile is what the file says, its own keys over those of `terminal:`.
//!
//! The value that wins is checked, and only where it is used: a value for a backend that a profile
//! does not use, or one that a stronger source replaces, is never looked at.
//!
//! This module must not: read the process environment (it is handed a copy), open anything but the
//! configuration file, contact a backend, start a process or log. A value that may be a secret
//! appears neither in an error nor in `Debug` output.

mod assemble;
mod backend;
mod collection;
mod describe;
mod document;
mod error;
mod layers;
mod load;
mod local;
mod locate;
mod node;
mod option;
mod options;
mod profile;
mod raw;
mod root;
mod section;
mod settings;
mod sources;
mod suggest;
mod value;

pub use backend::BackendKind;
pub use describe::describe;
pub use error::ConfigError;
pub use load::Config;
pub use local::{HomeMode, LocalOptions};
pub use option::{DefaultValue, Kind, OptionSpec, Owner, Role, Zero};
pub use options::OPTIONS;
pub use profile::{DEFAULT_PROFILE, Options, Profile};
pub use sources::{Sources, default_discovery};
