//! Lists and mappings of text, from JSON or from the file. Parts are named by their position only.

use std::collections::BTreeMap;

use serde_json::Value as Json;

use super::node::Node;
use super::raw::Step;
use super::section::{merged, repeated};
use super::value::{Wrong, clean};

type Map = BTreeMap<String, String>;

/// Gives the text of a scalar inside the value at hand, as it is written in the file.
pub(super) type RawText<'a> = &'a dyn Fn(&[Step<'_>]) -> Option<String>;

pub(super) fn list_from_json(text: &str) -> Result<Vec<String>, Wrong> {
    let Json::Array(items) = json(text)? else { return Err("JSON, but not a list".to_owned()) };
    items
        .iter()
        .enumerate()
        .map(|(index, item)| json_scalar(item).map_err(|wrong| in_list(index, &wrong)))
        .collect()
}

pub(super) fn map_from_json(text: &str) -> Result<Map, Wrong> {
    let Json::Object(entries) = json(text)? else {
        return Err("JSON, but not an object".to_owned());
    };
    let scalar = |(key, value): (&String, &Json)| {
        let text = json_scalar(value).map_err(|wrong| in_map(&wrong))?;
        Ok((name(key)?, text))
    };
    entries.iter().map(scalar).collect()
}

pub(super) fn list_from_node(node: &Node, raw: RawText<'_>) -> Result<Vec<String>, Wrong> {
    match node {
        Node::List(items) => items
            .iter()
            .enumerate()
            .map(|(index, item)| {
                scalar(item, &[Step::Item(index)], raw).map_err(|wrong| in_list(index, &wrong))
            })
            .collect(),
        Node::Text(text) if text.trim_start().starts_with('[') => list_from_json(text),
        other => Err(other.kind().to_owned()),
    }
}

pub(super) fn map_from_node(node: &Node, raw: RawText<'_>) -> Result<Map, Wrong> {
    match node {
        Node::Map(entries) if repeated(entries).is_some() => {
            Err("a mapping that gives a name twice".to_owned())
        }
        Node::Map(entries) => {
            let scalar = |(key, node): &(String, Node)| {
                let text = scalar(node, &[Step::Key(key)], raw).map_err(|wrong| in_map(&wrong))?;
                Ok((name(key)?, text))
            };
            merged(entries).iter().map(scalar).collect()
        }
        Node::Text(text) if text.trim_start().starts_with('{') => map_from_json(text),
        other => Err(other.kind().to_owned()),
    }
}

/// The text of a scalar node. Numbers and truth values are taken as they are written.
pub(super) fn scalar(node: &Node, path: &[Step<'_>], raw: RawText<'_>) -> Result<String, Wrong> {
    let text = match node {
        Node::Text(text) => text.clone(),
        Node::Bool(value) => raw(path).unwrap_or_else(|| value.to_string()),
        Node::Integer(value) => raw(path).unwrap_or_else(|| value.to_string()),
        Node::Float(value) => raw(path).unwrap_or_else(|| value.to_string()),
        other => return Err(other.kind().to_owned()),
    };
    clean(&text).map(str::to_owned)
}

fn json(text: &str) -> Result<Json, Wrong> {
    serde_json::from_str(text).map_err(|error| match text.trim() {
        "" => "empty".to_owned(),
        _ => format!("not JSON ({error})"),
    })
}

fn json_scalar(value: &Json) -> Result<String, Wrong> {
    let text = match value {
        Json::String(text) => text.clone(),
        Json::Number(number) => number.to_string(),
        Json::Bool(value) => value.to_string(),
        Json::Null => return Err("empty".to_owned()),
        Json::Array(_) => return Err("a list".to_owned()),
        Json::Object(_) => return Err("a mapping".to_owned()),
    };
    clean(&text).map(str::to_owned)
}

/// A name that a variable can have.
fn name(key: &str) -> Result<String, Wrong> {
    if key.is_empty() || key.contains(['=', '\0']) {
        return Err("a mapping with a name that is empty or contains \"=\" or NUL".to_owned());
    }
    Ok(key.to_owned())
}

fn in_list(index: usize, wrong: &str) -> Wrong {
    format!("a list whose item {} is {wrong}", index + 1)
}

fn in_map(wrong: &str) -> Wrong {
    format!("a mapping with a value that is {wrong}")
}

#[cfg(test)]
#[path = "collection_tests.rs"]
mod tests;
