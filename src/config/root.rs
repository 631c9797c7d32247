//! The outermost value of the file. Keeps sections that hexad reads and skips the others unread.

use std::fmt;

use serde::de::{
    Deserialize, Deserializer, EnumAccess, Error, IgnoredAny, MapAccess, SeqAccess, VariantAccess,
    Visitor,
};

use super::document::is_ours;
use super::node::Node;

/// What the file is.
pub(super) enum Root {
    /// A mapping: those of its entries that hexad reads.
    Sections(Vec<(String, Node)>),
    /// Something else, in words that give nothing away.
    Other(&'static str),
}

impl<'de> Deserialize<'de> for Root {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(RootVisitor)
    }
}

struct RootVisitor;

impl<'de> Visitor<'de> for RootVisitor {
    type Value = Root;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a mapping")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Root, A::Error> {
        let mut sections = Vec::new();
        while let Some(key) = entries.next_key::<String>()? {
            if is_ours(&key) {
                sections.push((key, entries.next_value()?));
            } else {
                entries.next_value::<IgnoredAny>()?;
            }
        }
        Ok(Root::Sections(sections))
    }

    fn visit_unit<E: Error>(self) -> Result<Root, E> {
        Ok(Root::Sections(Vec::new()))
    }

    fn visit_none<E: Error>(self) -> Result<Root, E> {
        Ok(Root::Sections(Vec::new()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Root, A::Error> {
        while items.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Root::Other("a list"))
    }

    fn visit_enum<A: EnumAccess<'de>>(self, tagged: A) -> Result<Root, A::Error> {
        let (IgnoredAny, content) = tagged.variant()?;
        content.newtype_variant::<IgnoredAny>()?;
        Ok(Root::Other("a tagged value"))
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<Root, E> {
        Ok(Root::Other("a single value"))
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<Root, E> {
        Ok(Root::Other("a single value"))
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<Root, E> {
        Ok(Root::Other("a single value"))
    }

    fn visit_i128<E: Error>(self, _: i128) -> Result<Root, E> {
        Ok(Root::Other("a single value"))
    }

    fn visit_u128<E: Error>(self, _: u128) -> Result<Root, E> {
        Ok(Root::Other("a single value"))
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<Root, E> {
        Ok(Root::Other("a single value"))
    }

    fn visit_str<E: Error>(self, _: &str) -> Result<Root, E> {
        Ok(Root::Other("a single value"))
    }
}
