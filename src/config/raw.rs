//! The text of a scalar as it stands in the file.
//!
//! `VERSION: 1.10` is the number 1.1 to YAML, but the text "1.10" to whoever wrote it as the value
//! of a variable. This module reads the one value again, as text. It reports no errors.

use std::fmt;

use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor,
};

/// One step from a value to a part of it.
#[derive(Clone, Copy, Debug)]
pub(super) enum Step<'a> {
    Key(&'a str),
    Item(usize),
}

/// The scalar at `path` as written, or nothing if there is none (or it comes in by a merge).
pub(super) fn scalar(text: &str, path: &[Step<'_>]) -> Option<String> {
    Seek(path).deserialize(serde_yaml::Deserializer::from_str(text)).ok().flatten()
}

struct Seek<'a>(&'a [Step<'a>]);

impl<'de> DeserializeSeed<'de> for Seek<'_> {
    type Value = Option<String>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        if self.0.is_empty() {
            String::deserialize(deserializer).map(Some)
        } else {
            deserializer.deserialize_any(self)
        }
    }
}

impl<'de> Visitor<'de> for Seek<'_> {
    type Value = Option<String>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a mapping or a list")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Self::Value, A::Error> {
        let mut found = None;
        while let Some(key) = entries.next_key::<String>()? {
            match self.0.split_first() {
                Some((Step::Key(wanted), rest)) if *wanted == key => {
                    found = entries.next_value_seed(Seek(rest))?;
                }
                _ => {
                    entries.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(found)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
        let Some((Step::Item(wanted), rest)) = self.0.split_first() else {
            while items.next_element::<IgnoredAny>()?.is_some() {}
            return Ok(None);
        };
        for _ in 0..*wanted {
            if items.next_element::<IgnoredAny>()?.is_none() {
                return Ok(None);
            }
        }
        let found = items.next_element_seed(Seek(rest))?.flatten();
        while items.next_element::<IgnoredAny>()?.is_some() {}
        Ok(found)
    }
}

#[cfg(test)]
#[path = "raw_tests.rs"]
mod tests;
