//! One mapping of options in the file, `terminal:` or a profile, with its keys checked. Values stay
//! as they are: whether one is used, and so must be right, is not known here.

use super::document::File;
use super::error::ConfigError;
use super::node::Node;
use super::option::{OptionSpec, Role};
use super::options;
use super::suggest::nearest_key;

/// A section's entries, each with its row of the table.
#[derive(Debug, Default)]
pub(super) struct Section {
    /// The keys that lead to it from the top of the file.
    path: Vec<String>,
    entries: Vec<Entry>,
}

/// One option as the file gives it.
#[derive(Debug)]
pub(super) struct Entry {
    /// The key as written, which may be an older name.
    pub(super) key: String,
    pub(super) node: Node,
    spec: &'static OptionSpec,
}

impl Section {
    /// Takes the keys of `node`, complaining about those nobody knows.
    pub(super) fn read(
        file: File<'_>,
        path: &[&str],
        node: Option<&Node>,
        notices: &mut Vec<String>,
    ) -> Result<Self, ConfigError> {
        let mut section = Self {
            path: path.iter().map(|part| (*part).to_owned()).collect(),
            entries: Vec::new(),
        };
        for (key, node) in mapping(file, path, node)? {
            let Some(spec) = options::find(&key) else {
                let suggestion = nearest_key(&key).map(str::to_owned);
                let at = file.at(&section.path_to(&key));
                return Err(ConfigError::UnknownKey { at, key: section.name(&key), suggestion });
            };
            if node != Node::Null {
                section.entries.push(Entry { key, node, spec });
            }
        }
        section.note(file, notices);
        Ok(section)
    }

    /// The entry that gives an option.
    pub(super) fn get(&self, spec: &OptionSpec) -> Option<&Entry> {
        let mut entries = self.entries.iter().filter(|entry| entry.spec.key == spec.key);
        let first = entries.next()?;
        Some(entries.find(|entry| entry.key == spec.key).unwrap_or(first))
    }

    /// The keys that lead to one of its keys.
    pub(super) fn path_to<'a>(&'a self, key: &'a str) -> Vec<&'a str> {
        self.path.iter().map(String::as_str).chain([key]).collect()
    }

    /// The place and name of one of its keys: `hexad.yaml:7: terminal.timeout`.
    pub(super) fn subject(&self, file: File<'_>, key: &str) -> String {
        format!("{}: {}", file.at(&self.path_to(key)), self.name(key))
    }

    fn name(&self, key: &str) -> String {
        self.path_to(key).join(".")
    }

    fn note(&self, file: File<'_>, notices: &mut Vec<String>) {
        let is_profile = self.path.len() > 1;
        for entry in &self.entries {
            let current = self.get(entry.spec).map(|winner| &winner.key);
            let reason = match entry.spec.role {
                Role::Unused => entry.spec.help.to_owned(),
                Role::Runtime if is_profile => {
                    "it is one value for the whole runtime; put it in terminal".to_owned()
                }
                _ if current != Some(&entry.key) => format!("{} is given too", entry.spec.key),
                _ => continue,
            };
            notices.push(no_effect(&self.subject(file, &entry.key), &reason));
        }
    }
}

/// The notice about something that was given in vain.
pub(super) fn no_effect(subject: &str, reason: &str) -> String {
    format!("{subject} has no effect: {reason}")
}

/// The entries of a mapping, merges (`<<`) applied, or an error if it is something else.
pub(super) fn mapping(
    file: File<'_>,
    path: &[&str],
    node: Option<&Node>,
) -> Result<Vec<(String, Node)>, ConfigError> {
    match node {
        None | Some(Node::Null) => Ok(Vec::new()),
        Some(Node::Map(entries)) => {
            if let Some(key) = repeated(entries) {
                let path: Vec<&str> = path.iter().copied().chain([key]).collect();
                let at = file.at_second(&path);
                return Err(ConfigError::DuplicateKey { at, key: path.join(".") });
            }
            Ok(merged(entries))
        }
        Some(other) => Err(ConfigError::NotAMapping {
            at: file.at(path),
            what: path.join("."),
            found: other.kind().to_owned(),
        }),
    }
}

/// The first key that occurs a second time.
pub(super) fn repeated(entries: &[(String, Node)]) -> Option<&str> {
    let mut seen = std::collections::BTreeSet::new();
    entries.iter().map(|(key, _)| key.as_str()).find(|key| !seen.insert(*key))
}

/// Applies merges: what a mapping has itself is stronger than what it merges in.
pub(super) fn merged(entries: &[(String, Node)]) -> Vec<(String, Node)> {
    let mut all: Vec<(String, Node)> = Vec::new();
    let mut weaker = Vec::new();
    for (key, node) in entries {
        match node {
            Node::Map(parent) if key == "<<" => weaker.extend(merged(parent)),
            Node::List(parents) if key == "<<" => {
                for parent in parents {
                    if let Node::Map(parent) = parent {
                        weaker.extend(merged(parent));
                    }
                }
            }
            _ => all.push((key.clone(), node.clone())),
        }
    }
    for (key, node) in weaker {
        if !all.iter().any(|(known, _)| *known == key) {
            all.push((key, node));
        }
    }
    all
}
