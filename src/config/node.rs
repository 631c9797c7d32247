//! A YAML value as the file has it, before any option's kind is known.
//!
//! Unlike `serde_yaml::Value` it never fails on a value (so no parser error quotes one), keeps
//! repeated keys for a message of ours, and keeps all integers.

use std::fmt;

use serde::de::{
    Deserialize, Deserializer, EnumAccess, Error, IgnoredAny, MapAccess, SeqAccess, VariantAccess,
    Visitor,
};

/// One value.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Node {
    Null,
    Bool(bool),
    Integer(i128),
    Float(f64),
    Text(String),
    List(Vec<Node>),
    Map(Vec<(String, Node)>),
    /// A value with a tag of its own (`!name`), which no option takes.
    Tagged,
}

impl Node {
    /// What it is, in words that give nothing away.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::Null => "empty",
            Self::Bool(_) => "true or false",
            Self::Integer(_) | Self::Float(_) => "a number",
            Self::Text(_) => "text",
            Self::List(_) => "a list",
            Self::Map(_) => "a mapping",
            Self::Tagged => "a tagged value",
        }
    }
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NodeVisitor)
    }
}

struct NodeVisitor;

impl<'de> Visitor<'de> for NodeVisitor {
    type Value = Node;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E: Error>(self) -> Result<Node, E> {
        Ok(Node::Null)
    }

    fn visit_none<E: Error>(self) -> Result<Node, E> {
        Ok(Node::Null)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Node, E> {
        Ok(Node::Bool(value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Node, E> {
        Ok(Node::Integer(value.into()))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Node, E> {
        Ok(Node::Integer(value.into()))
    }

    fn visit_i128<E: Error>(self, value: i128) -> Result<Node, E> {
        Ok(Node::Integer(value))
    }

    fn visit_u128<E: Error>(self, value: u128) -> Result<Node, E> {
        Ok(i128::try_from(value).map_or(Node::Float(f64::INFINITY), Node::Integer))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Node, E> {
        Ok(Node::Float(value))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Node, E> {
        Ok(Node::Text(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Node, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(Node::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Node, A::Error> {
        let mut map = Vec::new();
        while let Some(key) = entries.next_key::<String>()? {
            map.push((key, entries.next_value()?));
        }
        Ok(Node::Map(map))
    }

    fn visit_enum<A: EnumAccess<'de>>(self, tagged: A) -> Result<Node, A::Error> {
        let (IgnoredAny, content) = tagged.variant()?;
        content.newtype_variant::<IgnoredAny>()?;
        Ok(Node::Tagged)
    }
}
