//! Where a profile's options may come from, strongest first, and the one that wins.
//!
//! Only the value that wins is parsed. This module knows the order and nothing about backends.

use std::collections::BTreeMap;

use super::collection::{list_from_node, map_from_node, scalar};
use super::document::File;
use super::error::ConfigError;
use super::node::Node;
use super::option::{Kind, OptionSpec};
use super::raw::{self, Step};
use super::section::{Entry, Section};
use super::value::{Value, Wrong, from_float, from_integer, from_text};

/// The sources of one profile.
pub(super) struct Layers<'a> {
    pub(super) file: File<'a>,
    /// Values of the command line; of a repeated key the last counts.
    pub(super) overrides: &'a [(String, String)],
    pub(super) env: &'a BTreeMap<String, String>,
    /// Sections of the file, strongest first.
    pub(super) sections: Vec<&'a Section>,
    /// Sections beside `terminal:` that hold an option or two: name and entries.
    pub(super) elsewhere: &'a [(String, Vec<(String, Node)>)],
    /// What `~` stands for.
    pub(super) home: Option<&'a str>,
}

impl Layers<'_> {
    /// The checked value of an option, or nothing if no source gives one.
    pub(super) fn value(&self, spec: &OptionSpec) -> Result<Option<Value>, ConfigError> {
        let given = self.overrides.iter().rev().find(|(key, _)| is_named(spec, key));
        if let Some((key, text)) = given {
            let subject = || format!("command line: {key}");
            return self.checked(spec, text, subject);
        }
        let variable = spec.variables.iter().find_map(|name| self.env.get_key_value(*name));
        if let Some((name, text)) = variable.filter(|(_, text)| !text.is_empty()) {
            return self.checked(spec, text, || name.clone());
        }
        for section in &self.sections {
            if let Some(Entry { key, node, .. }) = section.get(spec) {
                return self
                    .node(spec, node, &section.path_to(key))
                    .map_err(|found| wrong(spec, section.subject(self.file, key), found, false));
            }
        }
        self.elsewhere(spec)
    }

    fn elsewhere(&self, spec: &OptionSpec) -> Result<Option<Value>, ConfigError> {
        let Some((name, key)) = spec.elsewhere else { return Ok(None) };
        let section = self.elsewhere.iter().find(|(section, _)| section == name);
        let entry = section.and_then(|(_, all)| all.iter().find(|(known, _)| known == key));
        let Some((_, node)) = entry.filter(|(_, node)| *node != Node::Null) else {
            return Ok(None);
        };
        self.node(spec, node, &[name, key]).map_err(|found| {
            let subject = format!("{}: {name}.{key}", self.file.at(&[name, key]));
            wrong(spec, subject, found, false)
        })
    }

    fn checked(
        &self,
        spec: &OptionSpec,
        text: &str,
        subject: impl FnOnce() -> String,
    ) -> Result<Option<Value>, ConfigError> {
        from_text(spec.kind, text, self.home).map_err(|found| wrong(spec, subject(), found, true))
    }

    fn node(&self, spec: &OptionSpec, node: &Node, path: &[&str]) -> Result<Option<Value>, Wrong> {
        let raw = |rest: &[Step<'_>]| {
            let whole: Vec<Step<'_>> =
                path.iter().map(|key| Step::Key(key)).chain(rest.iter().copied()).collect();
            raw::scalar(self.file.text, &whole)
        };
        match (spec.kind, node) {
            (Kind::List, _) => Ok(Some(Value::List(list_from_node(node, &raw)?))),
            (Kind::Map, _) => Ok(Some(Value::Map(map_from_node(node, &raw)?))),
            (kind @ (Kind::Text | Kind::Path), _) => {
                from_text(kind, &scalar(node, &[], &raw)?, self.home)
            }
            (Kind::Bool, Node::Bool(value)) => Ok(Some(Value::Flag(*value))),
            (Kind::Bool, Node::Integer(0 | 1)) => Ok(Some(Value::Flag(*node == Node::Integer(1)))),
            // YAML 1.1, in which existing files may be written, has these two words as well.
            (Kind::Bool, Node::Text(word)) if word.eq_ignore_ascii_case("on") => {
                Ok(Some(Value::Flag(true)))
            }
            (Kind::Bool, Node::Text(word)) if word.eq_ignore_ascii_case("off") => {
                Ok(Some(Value::Flag(false)))
            }
            (Kind::Bool | Kind::Choice(_), Node::Integer(_) | Node::Float(_)) => {
                Err(node.kind().to_owned())
            }
            (kind, Node::Integer(number)) => from_integer(kind, *number),
            (kind, Node::Float(number)) => from_float(kind, *number),
            (kind, Node::Text(text)) => from_text(kind, text, self.home),
            _ => Err(node.kind().to_owned()),
        }
    }
}

/// Whether `key` names the option, by its key or its older one.
fn is_named(spec: &OptionSpec, key: &str) -> bool {
    spec.key == key || spec.legacy_key == Some(key)
}

fn wrong(spec: &OptionSpec, subject: String, found: Wrong, as_text: bool) -> ConfigError {
    ConfigError::WrongValue { subject, found, allowed: spec.kind.allowed(as_text) }
}
