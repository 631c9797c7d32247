use std::time::Duration;

use super::{Value, from_float, from_integer, from_text};
use crate::config::option::{Kind, Zero};

const COUNT: Kind = Kind::Integer { min: 1, max: 64 };
const LIMIT: Kind = Kind::Seconds { zero: Zero::IsDefault };
const GRACE: Kind = Kind::Seconds { zero: Zero::Allowed };
const PERIOD: Kind = Kind::Seconds { zero: Zero::Refused };

fn read(kind: Kind, text: &str) -> Result<Option<Value>, String> {
    from_text(kind, text, Some("/home/u"))
}

#[test]
fn truth_values() {
    for text in ["true", "TRUE", "1", "yes", "Yes", " true "] {
        assert_eq!(read(Kind::Bool, text), Ok(Some(Value::Flag(true))), "{text}");
    }
    for text in ["false", "False", "0", "no", "NO"] {
        assert_eq!(read(Kind::Bool, text), Ok(Some(Value::Flag(false))), "{text}");
    }
    for text in ["", "2", "on", "off", "y", "truee", "enabled"] {
        assert_eq!(read(Kind::Bool, text), Err("neither true nor false".to_owned()), "{text}");
    }
}

#[test]
fn whole_numbers() {
    assert_eq!(read(COUNT, " 64 "), Ok(Some(Value::Number(64))));
    for (text, found) in [
        ("0", "0"),
        ("65", "65"),
        ("-1", "-1"),
        ("1.5", "1.5"),
        ("99999999999999999999", "99999999999999999999"),
        ("NaN", "NaN"),
        ("", "empty"),
        ("four", "not a number"),
    ] {
        assert_eq!(read(COUNT, text), Err(found.to_owned()), "{text}");
    }
    assert_eq!(from_integer(COUNT, i128::MAX), Err(i128::MAX.to_string()));
    assert_eq!(from_float(COUNT, 2.0), Err("2".to_owned()));
}

#[test]
fn decimals() {
    let kind = Kind::Decimal { max: 8.0 };
    assert_eq!(read(kind, "0.5"), Ok(Some(Value::Decimal(0.5))));
    assert_eq!(read(kind, "8"), Ok(Some(Value::Decimal(8.0))));
    assert_eq!(read(kind, "8.1"), Err("8.1".to_owned()));
    assert_eq!(read(kind, "-0.1"), Err("-0.1".to_owned()));
}

#[test]
fn durations() {
    let seconds = |value| Ok(Some(Value::Seconds(Duration::from_secs_f64(value))));
    for kind in [LIMIT, GRACE, PERIOD] {
        assert_eq!(read(kind, "1.5"), seconds(1.5));
        assert_eq!(read(kind, "2592000"), seconds(2_592_000.0));
        for text in ["-1", "-0.001", "2592001", "NaN", "inf", "-inf", "1e300"] {
            assert!(read(kind, text).is_err(), "{text}");
        }
        assert_eq!(read(kind, "5m"), Err("not a number".to_owned()));
    }
    for text in ["0", "0.0", "-0", "1e-30"] {
        assert_eq!(read(LIMIT, text), Ok(None), "{text}");
        assert_eq!(read(GRACE, text), seconds(0.0), "{text}");
        assert!(read(PERIOD, text).is_err(), "{text}");
    }
}

#[test]
fn texts_and_paths() {
    let text = |value: &str| Ok(Some(Value::Text(value.to_owned())));
    assert_eq!(read(Kind::Text, "~/a b"), text("~/a b"));
    assert_eq!(read(Kind::Text, ""), Ok(None));
    assert_eq!(read(Kind::Path, "~/key"), text("/home/u/key"));
    assert_eq!(read(Kind::Path, "~"), text("/home/u"));
    assert_eq!(read(Kind::Path, "~other/key"), text("~other/key"));
    assert_eq!(read(Kind::Path, "a/~/b"), text("a/~/b"));
    assert_eq!(from_text(Kind::Path, "~/key", None), text("~/key"));
    assert_eq!(read(Kind::Text, "a\0b"), Err("text with a NUL character".to_owned()));
}

#[test]
fn words() {
    let kind = Kind::Choice(&["auto", "real"]);
    assert_eq!(read(kind, " REAL "), Ok(Some(Value::Text("real".to_owned()))));
    assert_eq!(read(kind, "reel"), Err("\"reel\"".to_owned()));
    assert_eq!(read(kind, ""), Err("empty".to_owned()));
    assert_eq!(read(kind, "pass word!"), Err("another text".to_owned()));
    assert_eq!(read(kind, &"x".repeat(25)), Err("another text".to_owned()));
}
