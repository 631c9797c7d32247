//! The file as a whole: which of its top-level sections are ours, and what they hold.
//!
//! Sections of other products are skipped unread: whatever they hold cannot make loading fail as
//! long as the file is YAML.

use super::error::ConfigError;
use super::locate;
use super::node::Node;
use super::options::OPTIONS;
use super::root::Root;
use super::section::merged;

/// A configuration file's name (for messages) and text.
#[derive(Clone, Copy)]
pub(super) struct File<'a> {
    pub(super) name: &'a str,
    pub(super) text: &'a str,
}

impl File<'_> {
    /// `file:line` of a key, or the file alone where no line is known.
    pub(super) fn at(&self, path: &[&str]) -> String {
        self.place(locate::line_of(self.text, path))
    }

    /// Like [`Self::at`], for the second time that the last key occurs.
    pub(super) fn at_second(&self, path: &[&str]) -> String {
        let second = locate::nth_line_of(self.text, path, 1);
        self.place(second.or_else(|| locate::line_of(self.text, path)))
    }

    fn place(&self, line: Option<usize>) -> String {
        line.map_or_else(|| self.name.to_owned(), |line| format!("{}:{line}", self.name))
    }
}

/// The sections that are hexad's alone.
const OWN: [&str; 2] = ["terminal", "profiles"];

/// The top-level sections that hexad reads, in the file's order.
#[derive(Debug, Default)]
pub(super) struct Document(Vec<(String, Node)>);

impl Document {
    pub(super) fn parse(file: File<'_>) -> Result<Self, ConfigError> {
        let root = serde_yaml::from_str(file.text).map_err(|error| syntax(file, &error))?;
        let sections = match root {
            Root::Sections(sections) => sections,
            Root::Other(found) => {
                return Err(ConfigError::NotAMapping {
                    at: file.name.to_owned(),
                    what: "the file".to_owned(),
                    found: found.to_owned(),
                });
            }
        };
        for name in OWN {
            if sections.iter().filter(|(key, _)| key == name).count() > 1 {
                let at = file.at_second(&[name]);
                return Err(ConfigError::DuplicateKey { at, key: name.to_owned() });
            }
        }
        Ok(Self(sections))
    }

    /// A section; nothing if it is absent or empty.
    pub(super) fn section(&self, name: &str) -> Option<&Node> {
        let (_, node) = self.0.iter().find(|(key, _)| key == name)?;
        (*node != Node::Null).then_some(node)
    }

    /// The sections beside ours that hold an option or two. They are another product's, so one that
    /// is not a mapping is passed over, and of a repeated key the last counts, as with most readers.
    pub(super) fn elsewhere(&self) -> Vec<(String, Vec<(String, Node)>)> {
        let others = self.0.iter().rev().filter(|(name, _)| !OWN.contains(&name.as_str()));
        others
            .filter_map(|(name, node)| match node {
                Node::Map(entries) => {
                    let mut entries = merged(entries);
                    entries.reverse();
                    Some((name.clone(), entries))
                }
                _ => None,
            })
            .collect()
    }
}

/// Whether hexad reads anything of a top-level section.
pub(super) fn is_ours(section: &str) -> bool {
    OWN.contains(&section)
        || OPTIONS.iter().filter_map(|spec| spec.elsewhere).any(|(name, _)| name == section)
}

/// Puts the place in front of the parser's words instead of among them.
fn syntax(file: File<'_>, error: &serde_yaml::Error) -> ConfigError {
    let message = error.to_string();
    let Some(place) = error.location() else {
        return ConfigError::Syntax { at: file.name.to_owned(), message };
    };
    let (line, column) = (place.line(), place.column());
    ConfigError::Syntax {
        at: format!("{}:{line}:{column}", file.name),
        message: message.replacen(&format!(" at line {line} column {column}"), "", 1),
    }
}
