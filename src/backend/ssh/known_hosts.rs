//! The `known_hosts` files: which keys a host is known by, and learning a new one.
//!
//! The format is that of sshd(8), "SSH_KNOWN_HOSTS FILE FORMAT". Lines of certificate authorities
//! are passed over: the keys of such hosts have to be known themselves.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ring::hmac;
use russh::keys::{PublicKey, parse_public_key_base64};

/// A key that a file holds for the host that was asked about.
#[derive(Clone, Debug)]
pub(super) struct Known {
    pub(super) key: PublicKey,
    pub(super) file: PathBuf,
    /// Counted from 1.
    pub(super) line: usize,
    /// Whether the line says that the key must not be used any more.
    pub(super) revoked: bool,
}

/// What the files say about a key.
#[derive(Debug)]
pub(super) enum Verdict {
    Known,
    /// No file has the host.
    New,
    /// The host is known by this other key.
    Changed(Known),
    Revoked(Known),
}

/// The name of a host in the files.
pub(super) fn name(host: &str, port: u16) -> String {
    if port == 22 { host.to_owned() } else { format!("[{host}]:{port}") }
}

/// The keys that `files` have for `name`. A file that is not there has none.
///
/// # Errors
/// A file is there and cannot be read: whom to trust is not known then.
pub(super) fn lookup(files: &[PathBuf], name: &str) -> io::Result<Vec<Known>> {
    let mut found = Vec::new();
    for file in files {
        let mut text = String::new();
        match File::open(file).and_then(|mut file| file.read_to_string(&mut text)) {
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => {
                return Err(io::Error::new(error.kind(), format!("{}: {error}", file.display())));
            }
        }
        found.extend(text.lines().enumerate().filter_map(|(at, line)| {
            let (key, revoked) = read_line(line, name)?;
            Some(Known { key, file: file.clone(), line: at + 1, revoked })
        }));
    }
    Ok(found)
}

/// Judges `key` by what is `known` of its host. A host that is known by keys of other kinds only is
/// not new: a stranger in between could always offer another kind.
pub(super) fn judge(known: &[Known], key: &PublicKey) -> Verdict {
    let same = |known: &&Known| known.key.key_data() == key.key_data();
    if let Some(revoked) = known.iter().filter(|k| k.revoked).find(same) {
        return Verdict::Revoked(revoked.clone());
    }
    let mut valid = known.iter().filter(|k| !k.revoked);
    if valid.clone().any(|k| same(&k)) {
        return Verdict::Known;
    }
    let alike = valid.clone().find(|k| k.key.algorithm() == key.algorithm());
    match alike.or_else(|| valid.next()) {
        Some(other) => Verdict::Changed(other.clone()),
        None => Verdict::New,
    }
}

/// Adds a line for `key`; a new file is for its owner alone.
///
/// # Errors
/// The file cannot be written.
pub(super) fn learn(file: &Path, name: &str, key: &PublicKey) -> io::Result<()> {
    if let Some(folder) = file.parent() {
        std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    }
    let mut out = OpenOptions::new().read(true).append(true).create(true).mode(0o600).open(file)?;
    out.lock()?;
    let mut last = [b'\n'];
    if out.seek(SeekFrom::End(-1)).is_ok() {
        out.read_exact(&mut last)?;
    }
    let key = key.to_openssh().map_err(io::Error::other)?;
    // Algorithm and key; a comment is the other side's business.
    let key: Vec<&str> = key.split(' ').take(2).collect();
    let begin = if last == [b'\n'] { "" } else { "\n" };
    out.write_all(format!("{begin}{name} {}\n", key.join(" ")).as_bytes())
}

fn read_line(line: &str, name: &str) -> Option<(PublicKey, bool)> {
    let mut words = line.split_whitespace();
    let mut hosts = words.next().filter(|word| !word.starts_with('#'))?;
    let mut revoked = false;
    if hosts.starts_with('@') {
        revoked = hosts == "@revoked";
        if !revoked {
            return None;
        }
        hosts = words.next()?;
    }
    if !matches_hosts(hosts, name) {
        return None;
    }
    let _algorithm = words.next()?;
    Some((parse_public_key_base64(words.next()?).ok()?, revoked))
}

fn matches_hosts(hosts: &str, name: &str) -> bool {
    if let Some(hashed) = hosts.strip_prefix("|1|") {
        return matches_hash(hashed, name).unwrap_or(false);
    }
    let mut found = false;
    for pattern in hosts.split(',') {
        match pattern.strip_prefix('!') {
            Some(pattern) if matches_pattern(pattern.as_bytes(), name.as_bytes()) => return false,
            Some(_) => {}
            None => found |= matches_pattern(pattern.as_bytes(), name.as_bytes()),
        }
    }
    found
}

fn matches_hash(hashed: &str, name: &str) -> Option<bool> {
    let (salt, hash) = hashed.split_once('|')?;
    let (salt, hash) = (STANDARD.decode(salt).ok()?, STANDARD.decode(hash).ok()?);
    let key = hmac::Key::new(hmac::HMAC_SHA1_FOR_LEGACY_USE_ONLY, &salt);
    Some(hmac::verify(&key, name.as_bytes(), &hash).is_ok())
}

/// `*` and `?`; small and capital letters are the same.
fn matches_pattern(pattern: &[u8], name: &[u8]) -> bool {
    match (pattern.first(), name.first()) {
        (None, None) => true,
        (Some(b'*'), _) => {
            matches_pattern(&pattern[1..], name)
                || (!name.is_empty() && matches_pattern(pattern, &name[1..]))
        }
        (Some(p), Some(n)) if *p == b'?' || p.eq_ignore_ascii_case(n) => {
            matches_pattern(&pattern[1..], &name[1..])
        }
        _ => false,
    }
}

#[cfg(test)]
#[path = "known_hosts_tests.rs"]
mod tests;
