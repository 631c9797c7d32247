//! The option table as text for people. Reads the table and nothing else.

use std::fmt::Write as _;

use super::backend::BackendKind;
use super::option::{DefaultValue, Kind, MAX_SECONDS, OptionSpec, Owner, Role, Zero};
use super::options::OPTIONS;

impl Kind {
    /// What a value may be, as it follows "it takes". `as_text`: in a variable or on the command
    /// line, where lists and mappings are written as JSON.
    #[must_use]
    pub fn allowed(self, as_text: bool) -> String {
        match self {
            Self::Bool => "true or false".to_owned(),
            Self::Integer { min, max } => format!("a whole number from {min} to {max}"),
            Self::Decimal { max } => format!("a number from 0 to {max}"),
            Self::Seconds { zero: Zero::Refused } => {
                format!("a number of seconds above 0, at most {MAX_SECONDS} (30 days)")
            }
            Self::Seconds { .. } => {
                format!("a number of seconds from 0 to {MAX_SECONDS} (30 days)")
            }
            Self::Text => "text".to_owned(),
            Self::Path => "a path".to_owned(),
            Self::List if as_text => "a JSON list of texts".to_owned(),
            Self::List => "a list of texts".to_owned(),
            Self::Map if as_text => "a JSON object of names and texts".to_owned(),
            Self::Map => "a mapping of names to texts".to_owned(),
            Self::Choice(words) => format!("one of {}", words.join(", ")),
        }
    }
}

/// All options for a person: key, variables, what it takes, default and what it does, in groups by
/// backend. Lines are not wrapped; the text ends with a newline.
#[must_use]
pub fn describe() -> String {
    let mut text = String::new();
    let owners = [Owner::Common, Owner::Containers]
        .into_iter()
        .chain(BackendKind::ALL.into_iter().map(Owner::Only));
    for owner in owners {
        let title = match owner {
            Owner::Common => "all backends".to_owned(),
            Owner::Containers => "backends that run images".to_owned(),
            Owner::Only(backend) => format!("backend {backend}"),
        };
        group(&mut text, &title, |spec| spec.owner == owner && spec.role != Role::Unused);
    }
    group(&mut text, "known, without effect", |spec| spec.role == Role::Unused);
    text
}

fn group(text: &mut String, title: &str, belongs: impl Fn(&OptionSpec) -> bool) {
    if !text.is_empty() {
        text.push('\n');
    }
    // Writing to a string cannot fail.
    let _ = writeln!(text, "{title}:");
    for spec in OPTIONS.iter().filter(|spec| belongs(spec)) {
        let mut facts = vec![spec.kind.allowed(false)];
        if let Some(default) = default(spec.default) {
            facts.push(format!("default {default}"));
        }
        if !spec.variables.is_empty() {
            facts.push(format!("variable {}", spec.variables.join(", ")));
        }
        if let Some(key) = spec.legacy_key {
            facts.push(format!("older name {key}"));
        }
        if let Some((section, key)) = spec.elsewhere {
            facts.push(format!("also {section}.{key}"));
        }
        if spec.role == Role::Runtime {
            facts.push("not in profiles".to_owned());
        }
        let _ = writeln!(text, "  {}: {}\n      {}", spec.key, spec.help, facts.join("; "));
    }
}

fn default(value: DefaultValue) -> Option<String> {
    Some(match value {
        DefaultValue::Nothing => return None,
        DefaultValue::Flag(flag) => flag.to_string(),
        DefaultValue::Number(number) => number.to_string(),
        DefaultValue::Decimal(number) => number.to_string(),
        DefaultValue::Millis(millis) if millis % 1000 == 0 => (millis / 1000).to_string(),
        DefaultValue::Millis(millis) => format!("{}.{:03}", millis / 1000, millis % 1000),
        DefaultValue::Text(text) => text.to_owned(),
    })
}

#[cfg(test)]
#[path = "describe_tests.rs"]
mod tests;
