//! Values of options: read from text (a variable, the command line) or from the file, by kind.
//!
//! What was wrong is described without the value itself, except numbers and single words.

use std::collections::BTreeMap;
use std::time::Duration;

use super::option::{Kind, MAX_SECONDS, Zero};

/// A checked value.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    Flag(bool),
    Number(i64),
    Decimal(f64),
    Seconds(Duration),
    Text(String),
    List(Vec<String>),
    Map(BTreeMap<String, String>),
}

/// What was found instead of a value of the kind, as it follows "is".
pub(super) type Wrong = String;

/// Reads a value from text. Nothing means: as if it were not given, so the default.
pub(super) fn from_text(
    kind: Kind,
    text: &str,
    home: Option<&str>,
) -> Result<Option<Value>, Wrong> {
    match kind {
        Kind::Bool => flag(text).map(|value| Some(Value::Flag(value))),
        Kind::Integer { .. } | Kind::Decimal { .. } | Kind::Seconds { .. } => number(kind, text),
        Kind::Text => Ok(some_text(clean(text)?)),
        Kind::Path => Ok(some_text(&with_home(clean(text)?, home))),
        Kind::Choice(words) => choice(words, text).map(some_text),
        Kind::List => super::collection::list_from_json(text).map(|list| Some(Value::List(list))),
        Kind::Map => super::collection::map_from_json(text).map(|map| Some(Value::Map(map))),
    }
}

/// Text without NUL, which no command line, path or variable can hold.
pub(super) fn clean(text: &str) -> Result<&str, Wrong> {
    if text.contains('\0') { Err("text with a NUL character".to_owned()) } else { Ok(text) }
}

/// Checks a number that is exact as an integer.
pub(super) fn from_integer(kind: Kind, number: i128) -> Result<Option<Value>, Wrong> {
    match kind {
        Kind::Integer { min, max } => i64::try_from(number)
            .ok()
            .filter(|number| (min..=max).contains(number))
            .map(|number| Some(Value::Number(number)))
            .ok_or_else(|| number.to_string()),
        // Beyond 2^53 this is not exact, and far out of every range.
        #[expect(clippy::cast_precision_loss, reason = "only numbers out of range lose digits")]
        _ => from_float(kind, number as f64),
    }
}

/// Checks a number that may have a fraction.
pub(super) fn from_float(kind: Kind, number: f64) -> Result<Option<Value>, Wrong> {
    let wrong = || Err(number.to_string());
    match kind {
        Kind::Decimal { max } if (0.0..=max).contains(&number) => Ok(Some(Value::Decimal(number))),
        Kind::Seconds { zero } if (0.0..=f64::from(MAX_SECONDS)).contains(&number) => {
            let duration = Duration::try_from_secs_f64(number.abs()).map_err(|e| e.to_string())?;
            match zero {
                Zero::IsDefault if duration.is_zero() => Ok(None),
                Zero::Refused if duration.is_zero() => wrong(),
                _ => Ok(Some(Value::Seconds(duration))),
            }
        }
        _ => wrong(),
    }
}

fn number(kind: Kind, text: &str) -> Result<Option<Value>, Wrong> {
    let text = text.trim();
    if let Ok(number) = text.parse::<i128>() {
        return from_integer(kind, number);
    }
    match text.parse::<f64>() {
        Ok(number) => from_float(kind, number),
        Err(_) if text.is_empty() => Err("empty".to_owned()),
        Err(_) => Err("not a number".to_owned()),
    }
}

fn flag(text: &str) -> Result<bool, Wrong> {
    let is = |words: &[&str]| words.iter().any(|word| word.eq_ignore_ascii_case(text.trim()));
    if is(&["true", "1", "yes"]) {
        Ok(true)
    } else if is(&["false", "0", "no"]) {
        Ok(false)
    } else {
        Err("neither true nor false".to_owned())
    }
}

fn choice(words: &[&'static str], text: &str) -> Result<&'static str, Wrong> {
    let text = text.trim();
    words.iter().find(|word| word.eq_ignore_ascii_case(text)).copied().ok_or_else(|| {
        let harmless = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        match text {
            "" => "empty".to_owned(),
            _ if text.len() <= 24 && text.chars().all(harmless) => format!("{text:?}"),
            _ => "another text".to_owned(),
        }
    })
}

fn some_text(text: &str) -> Option<Value> {
    (!text.is_empty()).then(|| Value::Text(text.to_owned()))
}

fn with_home(path: &str, home: Option<&str>) -> String {
    match (home, path.strip_prefix('~')) {
        (Some(home), Some(rest)) if rest.is_empty() || rest.starts_with('/') => {
            format!("{}{rest}", home.trim_end_matches('/'))
        }
        _ => path.to_owned(),
    }
}

#[cfg(test)]
#[path = "value_tests.rs"]
mod tests;
