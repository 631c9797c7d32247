//! Spans of time as people write them: `30`, `1.5s`, `200ms`, `5m`, `2h`.

use std::time::Duration;

/// The longest span: a year.
const LONGEST: f64 = 365.0 * 24.0 * 3600.0;

/// Reads a span; a bare number is seconds.
///
/// # Errors
/// What is wrong and what would be right.
pub(crate) fn parse_span(text: &str) -> Result<Duration, String> {
    let text = text.trim();
    let split = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let factor = match unit {
        "ms" => 1e-3,
        "" | "s" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => return Err(wrong(text)),
    };
    let seconds = number.trim().parse::<f64>().map_err(|_| wrong(text))? * factor;
    if (0.0..=LONGEST).contains(&seconds) {
        Ok(Duration::from_secs_f64(seconds))
    } else {
        Err(wrong(text))
    }
}

fn wrong(text: &str) -> String {
    format!("{text:?} is not a time; write seconds (30) or a unit (200ms, 1.5s, 5m, 2h)")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_read() {
        let read = |text| parse_span(text).map(|span| span.as_millis());
        assert_eq!(read("30"), Ok(30_000));
        assert_eq!(read("200ms"), Ok(200));
        assert_eq!(read("1.5s"), Ok(1500));
        assert_eq!(read("5m"), Ok(300_000));
        assert_eq!(read(" 2 h"), Ok(7_200_000));
    }

    #[test]
    fn nonsense_is_refused() {
        for text in ["", "s", "-1", "1d", "1e300", "nan", "inf", "1 2"] {
            assert!(parse_span(text).is_err(), "{text}");
        }
    }
}
