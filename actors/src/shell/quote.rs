//! Turning any bytes into one shell word that evaluates to exactly those bytes.

/// Quotes `bytes` for bash as pure ASCII: `'…'` where that is possible, `$'…'` otherwise, so that
/// one byte is one character whatever the locale of the shell that reads it.
///
/// The bytes must hold no NUL (a shell word cannot).
#[must_use]
pub fn bash_quote(bytes: &[u8]) -> Vec<u8> {
    let plain = bytes.iter().all(|b| matches!(b, b' '..=b'~' | b'\n' | b'\t'));
    if plain { posix_quote(bytes) } else { ansi_quote(bytes) }
}

/// Quotes `bytes` for any POSIX shell: `'…'`, bytes outside ASCII as they are.
#[must_use]
pub fn posix_quote(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len() + 2);
    out.push(b'\'');
    for &byte in bytes {
        if byte == b'\'' {
            out.extend_from_slice(b"'\\''");
        } else {
            out.push(byte);
        }
    }
    out.push(b'\'');
    out
}

fn ansi_quote(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len() * 2 + 3);
    out.extend_from_slice(b"$'");
    for &byte in bytes {
        match byte {
            b'\'' | b'\\' => out.extend_from_slice(&[b'\\', byte]),
            b' '..=b'~' | b'\n' | b'\t' => out.push(byte),
            // Always three digits, so a digit that follows is not taken into the escape.
            _ => out.extend_from_slice(format!("\\{byte:03o}").as_bytes()),
        }
    }
    out.push(b'\'');
    out
}

/// Whether `name` is a name a shell accepts for a variable.
#[must_use]
pub fn is_variable_name(name: &str) -> bool {
    let mut chars = name.bytes();
    chars.next().is_some_and(|b| b.is_ascii_alphabetic() || b == b'_')
        && chars.all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

#[cfg(test)]
#[path = "quote_tests.rs"]
mod tests;
