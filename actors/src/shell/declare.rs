//! Reading what a shell prints about its variables: `declare -p` of bash, `set` of a POSIX sh.
//!
//! Values are kept as the shell quoted them: they are only ever given back to a shell, so they
//! are checked to be closed, never rewritten. [`decode_scalar`] is for looking at one.

use serde::{Deserialize, Serialize};

use super::quote::is_variable_name;
use super::raw;

/// One variable of a shell.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// Attribute letters as `declare` prints them (`x` exported, `r` read-only, `a` array, …).
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub flags: String,
    /// The value as the shell quoted it; none when the variable is declared without one.
    #[serde(default, with = "raw::optional", skip_serializing_if = "Option::is_none")]
    pub value: Option<Vec<u8>>,
}

impl Variable {
    /// Whether children see it.
    #[must_use]
    pub fn is_exported(&self) -> bool {
        self.flags.contains('x')
    }

    /// Whether a process can be given it in its environment instead of by a declaration: a plain
    /// exported scalar that does not change how a shell starts.
    #[must_use]
    pub fn is_environment(&self) -> bool {
        self.flags == "x" && self.value.is_some() && !is_read_at_start(&self.name)
    }

    /// The value of a scalar, unquoted.
    #[must_use]
    pub fn scalar(&self) -> Option<Vec<u8>> {
        if self.flags.contains(['a', 'A']) {
            return None;
        }
        self.value.as_deref().and_then(decode_scalar)
    }
}

/// Variables that a shell acts on when it finds them in its environment.
fn is_read_at_start(name: &str) -> bool {
    name.starts_with("BASH")
        || name.starts_with("LC_")
        || name.starts_with("LD_")
        || matches!(
            name,
            "ENV"
                | "FUNCNEST"
                | "GLOBIGNORE"
                | "HISTFILE"
                | "HISTSIZE"
                | "HISTFILESIZE"
                | "IFS"
                | "LANG"
                | "LANGUAGE"
                | "MALLOC_TRACE"
                | "POSIXLY_CORRECT"
                | "POSIX_PEDANTIC"
                | "PS4"
                | "TEXTDOMAIN"
                | "TEXTDOMAINDIR"
                | "TMOUT"
        )
}

/// What was wrong with the text, with the byte where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("variable list is damaged at byte {at}: {what}")]
pub struct Damaged {
    /// Offset of the damage.
    pub at: usize,
    /// What was expected.
    pub what: &'static str,
}

/// Reads the output of bash's `declare -p`.
///
/// # Errors
/// [`Damaged`] when the text is not a sequence of closed declarations.
pub fn parse_declare(text: &[u8]) -> Result<Vec<Variable>, Damaged> {
    let mut variables = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        let Some(rest) = rest.strip_prefix(b"declare -") else {
            return Err(Damaged { at, what: "'declare -'" });
        };
        let Some(space) = rest.iter().position(|&b| b == b' ') else {
            return Err(Damaged { at, what: "a space behind the attributes" });
        };
        let flags = &rest[..space];
        if !flags.iter().all(|b| b.is_ascii_alphabetic() || *b == b'-') {
            return Err(Damaged { at, what: "attribute letters" });
        }
        let flags: String = flags.iter().filter(|b| **b != b'-').map(|b| char::from(*b)).collect();
        let start = at + "declare -".len() + space + 1;
        let (variable, end) = parse_assignment(text, start, flags)?;
        variables.push(variable);
        at = end;
    }
    Ok(variables)
}

/// Reads the output of a POSIX shell's `set`: one `NAME=value` a line, values quoted.
///
/// # Errors
/// [`Damaged`] when the text is not a sequence of closed assignments.
pub fn parse_set(text: &[u8]) -> Result<Vec<Variable>, Damaged> {
    let mut variables = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let (variable, end) = parse_assignment(text, at, String::new())?;
        variables.push(variable);
        at = end;
    }
    Ok(variables)
}

/// Reads the output of a POSIX shell's `export -p`; gives the names. Lines of another form are
/// passed over, lines that are part of a value are not taken for exports.
///
/// # Errors
/// [`Damaged`] when a value is not closed.
pub fn parse_exports(text: &[u8]) -> Result<Vec<String>, Damaged> {
    const EXPORT: &[u8] = b"export ";
    let mut names = Vec::new();
    let mut at = 0;
    while at < text.len() {
        if text[at..].starts_with(EXPORT) {
            let (variable, end) = parse_assignment(text, at + EXPORT.len(), String::new())?;
            names.push(variable.name);
            at = end;
        } else {
            let line = text[at..].iter().position(|&b| b == b'\n');
            at = line.map_or(text.len(), |n| at + n + 1);
        }
    }
    Ok(names)
}

/// Reads `NAME[=VALUE]\n` at `start`; gives the variable and the offset behind the newline.
fn parse_assignment(
    text: &[u8],
    start: usize,
    flags: String,
) -> Result<(Variable, usize), Damaged> {
    let name_len = text[start..]
        .iter()
        .position(|b| matches!(b, b'=' | b'\n'))
        .ok_or(Damaged { at: start, what: "'=' or the end of the line" })?;
    let name = std::str::from_utf8(&text[start..start + name_len])
        .ok()
        .filter(|n| is_variable_name(n))
        .ok_or(Damaged { at: start, what: "a variable name" })?
        .to_owned();
    let after = start + name_len;
    if text[after] == b'\n' {
        return Ok((Variable { name, flags, value: None }, after + 1));
    }
    let value_start = after + 1;
    let value_end = end_of_value(text, value_start)?;
    let value = Some(text[value_start..value_end].to_vec());
    Ok((Variable { name, flags, value }, value_end + 1))
}

/// Finds the newline that ends a value: the first one outside quotes and parentheses.
fn end_of_value(text: &[u8], start: usize) -> Result<usize, Damaged> {
    let mut at = start;
    let mut depth = 0usize;
    let closed = |at: Option<usize>, from: usize| {
        at.ok_or(Damaged { at: from, what: "the end of a quoted value" })
    };
    while at < text.len() {
        match text[at] {
            b'\n' if depth == 0 => return Ok(at),
            b'"' => at = closed(skip_escaped(text, at + 1, b'"'), at)?,
            b'$' if text.get(at + 1) == Some(&b'\'') => {
                at = closed(skip_escaped(text, at + 2, b'\''), at)?;
            }
            b'\'' => {
                let close = text[at + 1..].iter().position(|&b| b == b'\'');
                at = closed(close.map(|n| at + 1 + n), at)?;
            }
            b'\\' => at += 1,
            b'(' => depth += 1,
            b')' => {
                depth = depth.checked_sub(1).ok_or(Damaged { at, what: "'(' before ')'" })?;
            }
            // Bash quotes what is special; anything else that would run when the state is
            // loaded is not something it printed.
            b'`' | b';' | b'&' | b'|' | b'<' | b'>' => {
                return Err(Damaged { at, what: "a quoted value" });
            }
            b'$' => return Err(Damaged { at, what: "a quoted value" }),
            _ => {}
        }
        at += 1;
    }
    Err(Damaged { at: start, what: "the end of the line" })
}

/// The offset of the unescaped `close` at or behind `at`.
fn skip_escaped(text: &[u8], mut at: usize, close: u8) -> Option<usize> {
    while at < text.len() {
        match text[at] {
            b'\\' => at += 1,
            b if b == close => return Some(at),
            _ => {}
        }
        at += 1;
    }
    None
}

/// Undoes the shell's quoting of one scalar value; none when it is not closed.
#[must_use]
pub fn decode_scalar(raw: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(raw.len());
    let mut at = 0;
    while at < raw.len() {
        match raw[at] {
            b'"' => {
                let end = skip_escaped(raw, at + 1, b'"')?;
                decode_double(&raw[at + 1..end], &mut out);
                at = end + 1;
            }
            b'$' if raw.get(at + 1) == Some(&b'\'') => {
                let end = skip_escaped(raw, at + 2, b'\'')?;
                decode_ansi(&raw[at + 2..end], &mut out);
                at = end + 1;
            }
            b'\'' => {
                let end = at + 1 + raw[at + 1..].iter().position(|&b| b == b'\'')?;
                out.extend_from_slice(&raw[at + 1..end]);
                at = end + 1;
            }
            b'\\' => {
                out.push(*raw.get(at + 1)?);
                at += 2;
            }
            byte => {
                out.push(byte);
                at += 1;
            }
        }
    }
    Some(out)
}

fn decode_double(inner: &[u8], out: &mut Vec<u8>) {
    let mut at = 0;
    while at < inner.len() {
        if inner[at] == b'\\' && matches!(inner.get(at + 1), Some(b'"' | b'\\' | b'$' | b'`')) {
            at += 1;
        }
        out.push(inner[at]);
        at += 1;
    }
}

fn decode_ansi(inner: &[u8], out: &mut Vec<u8>) {
    let mut at = 0;
    while at < inner.len() {
        if inner[at] != b'\\' {
            out.push(inner[at]);
            at += 1;
            continue;
        }
        let Some(&escape) = inner.get(at + 1) else { return };
        at += 2;
        match escape {
            b'n' => out.push(b'\n'),
            b't' => out.push(b'\t'),
            b'r' => out.push(b'\r'),
            b'a' => out.push(7),
            b'b' => out.push(8),
            b'e' | b'E' => out.push(0x1b),
            b'f' => out.push(12),
            b'v' => out.push(11),
            b'0'..=b'7' => {
                let mut value = u32::from(escape - b'0');
                let mut digits = 1;
                while let (true, Some(&d @ b'0'..=b'7')) = (digits < 3, inner.get(at)) {
                    value = value * 8 + u32::from(d - b'0');
                    at += 1;
                    digits += 1;
                }
                out.push((value & 0xff) as u8);
            }
            other => out.push(other),
        }
    }
}

#[cfg(test)]
#[path = "declare_tests.rs"]
mod tests;
