//! The one line that a server runs through the user's login shell, whatever shell that is.
//!
//! The text of a command is never in it: only the constant prologue of a shell, a mark, and what
//! environment the shell begins with.

use std::ffi::{OsStr, OsString};

use hexad_actors::BackendError;
use hexad_actors::backend::SpawnSpec;
use hexad_actors::shell::options::MARK_VARIABLE;

/// Says on both streams where the start-up files of the login shell end, and becomes the program.
const BEGIN: &str = "printf %s \"$1\"; printf %s \"$1\" >&2; shift; exec \"$@\"";

/// The line for `spec`. `connection` becomes part of the mark in the environment.
///
/// # Errors
/// An argument that a login shell cannot be given.
pub(super) fn line(
    spec: &SpawnSpec,
    connection: &str,
    mark: &str,
) -> Result<Vec<u8>, BackendError> {
    let mut out = b"exec env -i".to_vec();
    for (name, value) in &spec.env {
        let mut pair = name.as_encoded_bytes().to_vec();
        pair.push(b'=');
        if name == MARK_VARIABLE {
            pair.extend(format!("{connection}:").bytes());
        }
        pair.extend(value.as_encoded_bytes());
        out.push(b' ');
        quote(&pair, &mut out)?;
    }
    let words = ["sh", "-c", BEGIN, "sh", mark].map(OsString::from);
    for word in words.iter().chain(&spec.argv) {
        out.push(b' ');
        quote(OsStr::as_encoded_bytes(word), &mut out)?;
    }
    Ok(out)
}

/// The line of a helper that gets the environment as the server makes it.
pub(super) fn helper(argv: &[&str], mark: &str) -> Result<Vec<u8>, BackendError> {
    let mut out = b"exec".to_vec();
    for word in ["sh", "-c", BEGIN, "sh", mark].iter().chain(argv) {
        out.push(b' ');
        quote(word.as_bytes(), &mut out)?;
    }
    Ok(out)
}

/// Quotes for POSIX shells, csh and fish at once: they agree on single quotes but for `\` (fish) and
/// `!` (csh) in them, and on a `\` before a character outside of them.
fn quote(word: &[u8], out: &mut Vec<u8>) -> Result<(), BackendError> {
    if word.iter().any(|&b| b == b'\n' || b == 0) {
        return Err(BackendError::Internal {
            message: "a login shell cannot be given a word with a line feed".into(),
        });
    }
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"_-./:=,+@".contains(&b);
    if !word.is_empty() && word.iter().all(|&b| plain(b)) {
        out.extend_from_slice(word);
        return Ok(());
    }
    out.push(b'\'');
    for &byte in word {
        if matches!(byte, b'\'' | b'\\' | b'!') {
            out.extend_from_slice(&[b'\'', b'\\', byte, b'\'']);
        } else {
            out.push(byte);
        }
    }
    out.push(b'\'');
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use hexad_actors::shell::Dialect;

    use super::*;

    const WORDS: [&str; 9] = [
        "",
        "plain",
        "a b",
        "it's",
        "\\b \\\\ \\'",
        "a!b",
        "$HOME `id` \"x\"",
        "*?[~]{}",
        "#;&|<>()",
    ];

    /// What a login shell makes of the words; none where it is not installed.
    fn through(shell: &str) -> Option<Vec<String>> {
        let mut line = b"exec printf '%s|' ".to_vec();
        for word in WORDS {
            quote(word.as_bytes(), &mut line).unwrap();
            line.push(b' ');
        }
        let line = String::from_utf8(line).unwrap();
        let output = Command::new(shell).args(["-c", &line]).output().ok()?;
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success(), "{shell}: {}", String::from_utf8_lossy(&output.stderr));
        Some(text.split('|').map(str::to_owned).collect())
    }

    #[test]
    fn every_login_shell_reads_the_words_as_they_were() {
        // The word with a bar in it falls apart like this.
        let expected: Vec<&str> = WORDS.iter().flat_map(|w| w.split('|')).chain([""]).collect();
        for shell in ["sh", "bash", "dash", "zsh", "tcsh", "fish"] {
            if let Some(words) = through(shell) {
                assert_eq!(words, expected, "{shell}");
            }
        }
    }

    #[test]
    fn a_line_holds_the_mark_and_the_connection_and_no_line_feed() {
        let spec = SpawnSpec {
            argv: Dialect::Bash.argv(OsStr::new("/bin/bash"), false),
            env: vec![(MARK_VARIABLE.into(), "r.e.x".into())],
        };
        let line = String::from_utf8(line(&spec, "c0ffee", "MARK").unwrap()).unwrap();
        assert!(line.starts_with("exec env -i HEXAD_MARK=c0ffee:r.e.x sh -c "), "{line}");
        assert!(line.contains(" sh MARK /bin/bash --norc "), "{line}");
        assert!(!line.contains('\n'));
    }
}
