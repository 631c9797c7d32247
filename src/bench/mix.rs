//! What is asked for, and in which shares: the mix file and the mix that is used without one.
//!
//! Plain code; nothing here runs anything.

use serde::Deserialize;

use super::span::parse_span;
use super::work::{Kind, Work};

/// Kinds of commands with their shares.
#[derive(Clone, Debug)]
pub(crate) struct Mix {
    /// At least one.
    pub(crate) works: Vec<Work>,
    /// The seed that the file names.
    pub(crate) seed: Option<u64>,
}

/// Used without `--mix`: what an agent's session looks like, with every ending in it.
pub(crate) const BUILT_IN: &str = "\
commands:
  - {kind: builtin, share: 40}
  - {kind: external, share: 25}
  - {kind: output, bytes: 2000, share: 12}
  - {kind: output, bytes: 200000, share: 3, name: much output}
  - {kind: stdin, bytes: 4000, share: 5}
  - {kind: sleep, for: 50ms, share: 5}
  - {kind: fail, code: 3, share: 5}
  - {kind: timeout, limit: 200ms, share: 2}
  - {kind: interrupt, after: 50ms, share: 2}
  - {kind: background, for: 2s, share: 1}
";

/// Only `true`: the plainest measurement.
pub(crate) const PLAIN: &str = "commands: [{kind: builtin}]\n";

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawMix {
    seed: Option<u64>,
    commands: Vec<RawWork>,
}

/// One entry as it is written. Which fields belong to which kind is checked afterwards, for
/// messages that say so.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct RawWork {
    kind: String,
    share: Option<f64>,
    name: Option<String>,
    bytes: Option<usize>,
    code: Option<u8>,
    #[serde(rename = "for")]
    span: Option<Span>,
    limit: Option<Span>,
    after: Option<Span>,
    command: Option<String>,
}

/// A span of time: a number of seconds, or text with a unit.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
enum Span {
    Seconds(f64),
    Text(String),
}

impl Mix {
    /// Reads a mix file.
    ///
    /// # Errors
    /// What is wrong, with the entry it is in.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let raw: RawMix = serde_yaml::from_str(text).map_err(|error| error.to_string())?;
        let mut works = Vec::new();
        for (n, entry) in raw.commands.into_iter().enumerate() {
            let work = entry.check().map_err(|e| format!("commands, entry {}: {e}", n + 1))?;
            works.push(work);
        }
        let total: f64 = works.iter().map(|work| work.share).sum();
        if works.is_empty() || total <= 0.0 {
            return Err("commands: at least one entry needs a share above 0".to_owned());
        }
        for work in &mut works {
            work.share /= total;
        }
        works.retain(|work| work.share > 0.0);
        name_apart(&mut works);
        Ok(Self { works, seed: raw.seed })
    }
}

/// Two entries of one kind get names that tell them apart.
fn name_apart(works: &mut [Work]) {
    for at in 1..works.len() {
        let taken = |name: &str, works: &[Work]| works[..at].iter().any(|w| w.name == name);
        let base = works[at].name.clone();
        let mut n = 2;
        while taken(&works[at].name, works) {
            works[at].name = format!("{base} {n}");
            n += 1;
        }
    }
}

impl RawWork {
    fn check(self) -> Result<Work, String> {
        let share = self.share.unwrap_or(1.0);
        if !share.is_finite() || share < 0.0 {
            return Err(format!("share: {share} is not a number from 0 up"));
        }
        let given = [
            ("bytes", self.bytes.is_some()),
            ("code", self.code.is_some()),
            ("for", self.span.is_some()),
            ("limit", self.limit.is_some()),
            ("after", self.after.is_some()),
            ("command", self.command.is_some()),
        ];
        let (kind, takes): (Kind, &[&str]) = match self.kind.as_str() {
            "builtin" => (Kind::Builtin, &[]),
            "external" => (Kind::External, &[]),
            "output" => (Kind::Output { bytes: self.bytes.unwrap_or(1000) }, &["bytes"]),
            "stdin" => (Kind::Stdin { bytes: self.bytes.unwrap_or(1000) }, &["bytes"]),
            "sleep" => (Kind::Sleep { span: time(self.span, 0.1, "for")? }, &["for"]),
            "fail" => (Kind::Fail { code: self.code.unwrap_or(1) }, &["code"]),
            "timeout" => (Kind::Timeout { limit: time(self.limit, 0.2, "limit")? }, &["limit"]),
            "interrupt" => {
                (Kind::Interrupt { after: time(self.after, 0.05, "after")? }, &["after"])
            }
            "background" => (Kind::Background { span: time(self.span, 2.0, "for")? }, &["for"]),
            "command" => {
                let text = self.command.ok_or("a command entry needs `command`")?;
                (Kind::Command { text, code: self.code.unwrap_or(0) }, &["command", "code"])
            }
            other => {
                return Err(format!(
                    "kind {other:?} is not known; there are: builtin, external, output, stdin, \
                     sleep, fail, timeout, interrupt, background, command"
                ));
            }
        };
        if let Some((name, _)) = given.iter().find(|(name, is)| *is && !takes.contains(name)) {
            return Err(format!("kind {} has no use for {name}", self.kind));
        }
        if matches!(kind, Kind::Timeout { limit } if limit.is_zero()) {
            return Err("limit: 0 would be the configured limit; give one above 0".to_owned());
        }
        Ok(Work { name: self.name.unwrap_or(self.kind), share, kind })
    }
}

fn time(given: Option<Span>, usual: f64, field: &str) -> Result<std::time::Duration, String> {
    let parsed = match given {
        None => parse_span(&usual.to_string()),
        Some(Span::Seconds(seconds)) => parse_span(&seconds.to_string()),
        Some(Span::Text(text)) => parse_span(&text),
    };
    parsed.map_err(|error| format!("{field}: {error}"))
}

#[cfg(test)]
#[path = "mix_tests.rs"]
mod tests;
