//! The name a caller gives to its environment.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize};

use crate::error::Error;

/// Names one task, and so one environment: 1–128 characters of `A–Z a–z 0–9 . _ - : @ /`,
/// without a `..` part. Cheap to clone.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
pub struct TaskId(Arc<str>);

/// The longest task id, in characters.
pub const MAX_TASK_ID: usize = 128;

impl TaskId {
    /// Checks `text` and makes a task id of it.
    ///
    /// # Errors
    /// [`Error::InvalidRequest`] that names the rule which `text` breaks.
    pub fn new(text: impl AsRef<str>) -> Result<Self, Error> {
        let text = text.as_ref();
        if text.is_empty() {
            return Err(Error::invalid("task_id is empty; give it 1 to 128 characters"));
        }
        if text.len() > MAX_TASK_ID {
            return Err(Error::invalid(format!(
                "task_id has {} bytes; at most {MAX_TASK_ID} are allowed",
                text.len()
            )));
        }
        if let Some(bad) =
            text.chars().find(|c| !(c.is_ascii_alphanumeric() || "._-:@/".contains(*c)))
        {
            return Err(Error::invalid(format!(
                "task_id contains {bad:?}; allowed are A-Z a-z 0-9 . _ - : @ /"
            )));
        }
        if text.split('/').any(|part| part == "..") {
            return Err(Error::invalid("task_id contains a '..' part, which is not allowed"));
        }
        Ok(Self(text.into()))
    }

    /// The id as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for TaskId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for TaskId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::new(text).map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_what_the_rule_allows() {
        for good in ["t", "a/b:c@d._-9", &"x".repeat(128), "a..b", "..."] {
            assert!(TaskId::new(good).is_ok(), "{good}");
        }
    }

    #[test]
    fn refuses_everything_else() {
        for bad in ["", "a b", "é", "..", "a/../b", "a\n", "a\0", &"x".repeat(129)] {
            assert!(matches!(TaskId::new(bad), Err(Error::InvalidRequest { .. })), "{bad:?}");
        }
    }
}
