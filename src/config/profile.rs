//! Profiles: the checked options of one backend. Nothing here reads files or variables.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use super::backend::BackendKind;
use super::option::DefaultValue;
use super::options;
use super::value::Value;

/// The name of the profile that tasks get if they name none.
pub const DEFAULT_PROFILE: &str = "default";

/// A backend and how to use it.
#[derive(Clone, Debug)]
pub struct Profile {
    /// Its name in `profiles:`, or `default`.
    pub name: String,
    /// Where its commands run.
    pub backend: BackendKind,
    /// Where a task starts, as a directory of the target; none leaves that to the backend.
    pub cwd: Option<String>,
    /// The limit of a command that names none.
    pub timeout: Duration,
    /// All other options, see the getters.
    pub options: Options,
}

impl Profile {
    pub(super) fn new(name: &str, backend: BackendKind, options: Options) -> Self {
        let cwd = options.text("cwd").map(str::trim);
        let cwd = cwd.filter(|cwd| !matches!(*cwd, "" | "." | "auto" | "cwd"));
        Self {
            name: name.to_owned(),
            backend,
            cwd: cwd.map(str::to_owned),
            timeout: options.seconds("timeout"),
            options,
        }
    }
}

impl std::ops::Deref for Profile {
    type Target = Options;

    /// The getters of [`Options`] work on the profile itself: `profile.text("docker_image")`.
    fn deref(&self) -> &Options {
        &self.options
    }
}

/// Values by key. A getter answers with what was given, else with the default of the table.
///
/// Options of backends that the profile does not use were not read and answer with their defaults.
/// A key that the table does not have, or has with another kind, answers with none, zero, false or
/// empty; debug builds panic, since only a mistake in the program asks for such a key.
#[derive(Clone, Default, PartialEq)]
pub struct Options {
    values: BTreeMap<&'static str, Value>,
}

static NO_ENTRIES: BTreeMap<String, String> = BTreeMap::new();

impl Options {
    pub(super) fn set(&mut self, key: &'static str, value: Value) {
        self.values.insert(key, value);
    }

    pub(super) fn copy_from(&mut self, other: &Self, key: &'static str) {
        if let Some(value) = other.values.get(key) {
            self.set(key, value.clone());
        }
    }

    /// Whether anyone gave a value, so that it is not the default.
    #[must_use]
    pub fn is_given(&self, key: &str) -> bool {
        self.values.contains_key(key)
    }

    /// A text, path or choice. None if it is empty.
    #[must_use]
    pub fn text(&self, key: &str) -> Option<&str> {
        match (self.values.get(key), default_of(key)) {
            (Some(Value::Text(text)), _) => Some(text),
            (None, Some(DefaultValue::Text(text))) => Some(text),
            (None, Some(DefaultValue::Nothing)) => None,
            _ => mistaken(key, None),
        }
    }

    /// A truth value.
    #[must_use]
    pub fn flag(&self, key: &str) -> bool {
        match (self.values.get(key), default_of(key)) {
            (Some(Value::Flag(flag)), _) => *flag,
            (None, Some(DefaultValue::Flag(flag))) => flag,
            _ => mistaken(key, false),
        }
    }

    /// A whole number.
    #[must_use]
    pub fn number(&self, key: &str) -> i64 {
        match (self.values.get(key), default_of(key)) {
            (Some(Value::Number(number)), _) => *number,
            (None, Some(DefaultValue::Number(number))) => number,
            _ => mistaken(key, 0),
        }
    }

    /// A number that may have a fraction (`container_cpu`).
    #[must_use]
    pub fn decimal(&self, key: &str) -> f64 {
        match (self.values.get(key), default_of(key)) {
            (Some(Value::Decimal(number)), _) => *number,
            (None, Some(DefaultValue::Decimal(number))) => number,
            _ => mistaken(key, 0.0),
        }
    }

    /// A duration.
    #[must_use]
    pub fn seconds(&self, key: &str) -> Duration {
        match (self.values.get(key), default_of(key)) {
            (Some(Value::Seconds(duration)), _) => *duration,
            (None, Some(DefaultValue::Millis(millis))) => Duration::from_millis(millis),
            _ => mistaken(key, Duration::ZERO),
        }
    }

    /// A list of texts.
    #[must_use]
    pub fn list(&self, key: &str) -> &[String] {
        match (self.values.get(key), default_of(key)) {
            (Some(Value::List(list)), _) => list,
            (None, Some(DefaultValue::Nothing)) => &[],
            _ => mistaken(key, &[]),
        }
    }

    /// A mapping of names to texts.
    #[must_use]
    pub fn map(&self, key: &str) -> &BTreeMap<String, String> {
        match (self.values.get(key), default_of(key)) {
            (Some(Value::Map(map)), _) => map,
            (None, Some(DefaultValue::Nothing)) => &NO_ENTRIES,
            _ => mistaken(key, &NO_ENTRIES),
        }
    }
}

fn default_of(key: &str) -> Option<DefaultValue> {
    options::find(key).map(|spec| spec.default)
}

fn mistaken<T>(key: &str, fallback: T) -> T {
    debug_assert!(false, "the option table has no {key:?} of this kind");
    fallback
}

impl fmt::Debug for Options {
    /// Shows what was given; of options that may hold secrets, the names of entries only.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut map = f.debug_map();
        for (key, value) in &self.values {
            match (options::find(key).is_some_and(|spec| spec.secret), value) {
                (false, value) => map.entry(key, value),
                (true, Value::Map(entries)) => map.entry(key, &entries.keys()),
                (true, _) => map.entry(key, &"(not shown)"),
            };
        }
        map.finish()
    }
}

#[cfg(test)]
#[path = "profile_tests.rs"]
mod tests;
