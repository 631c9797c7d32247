//! Rules for `PATH`: what a child searches for programs.
//!
//! Entries are bytes between colons; nothing here asks whether a directory exists, because a
//! directory may appear later (an installer, a mount).

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;

/// Directories that every child can search. A service manager or a desktop often starts
/// programs with fewer, and then Homebrew and the system tools are not found.
pub const STANDARD_DIRS: &[&str] = &[
    "/opt/homebrew/bin",
    "/opt/homebrew/sbin",
    "/usr/local/sbin",
    "/usr/local/bin",
    "/usr/sbin",
    "/usr/bin",
    "/sbin",
    "/bin",
];

/// `path` without empty and repeated entries, with `prefix` in front and the standard directories
/// behind, each only if it is not there yet. Applying it again changes nothing.
///
/// An empty entry means the working directory, which is an invitation to run whatever a
/// repository brought along. A `prefix` that is relative or cannot be an entry is left out.
#[must_use]
pub fn complete_path(path: Option<&OsStr>, prefix: Option<&Path>) -> OsString {
    let mut list = Entries::default();
    list.extend(path.unwrap_or_default());
    let usable = |prefix: &&[u8]| {
        prefix.first() == Some(&b'/') && !prefix.iter().any(|byte| [b':', 0].contains(byte))
    };
    if let Some(prefix) = prefix.map(|prefix| prefix.as_os_str().as_bytes()).filter(usable) {
        list.push_front(prefix);
    }
    STANDARD_DIRS.iter().for_each(|dir| list.push(dir.as_bytes()));
    list.join()
}

/// The `PATH` after a login shell: `captured` is what its start-up files left, `caller` what the
/// shell was started with.
///
/// Many an `/etc/profile` sets `PATH` afresh, which loses a virtual environment or a user's own
/// tools. The profile's order stays; entries of the caller that went missing come before it, in
/// the caller's order. Applying it again changes nothing.
#[must_use]
pub fn merge_path(caller: &OsStr, captured: &OsStr) -> OsString {
    let mut profile = Entries::default();
    profile.extend(captured);
    let mut merged = Entries::default();
    for entry in split(caller).filter(|entry| !profile.contains(entry)) {
        merged.push(entry);
    }
    merged.extend(captured);
    merged.join()
}

fn split(path: &OsStr) -> impl Iterator<Item = &[u8]> {
    path.as_bytes().split(|byte| *byte == b':')
}

/// Entries without empty or repeated ones. `/bin` and `/bin/` are the same; the first spelling
/// stays.
#[derive(Default)]
struct Entries<'a>(Vec<&'a [u8]>);

impl<'a> Entries<'a> {
    fn contains(&self, entry: &[u8]) -> bool {
        self.0.iter().any(|known| bare(known) == bare(entry))
    }

    fn push(&mut self, entry: &'a [u8]) {
        if !entry.is_empty() && !self.contains(entry) {
            self.0.push(entry);
        }
    }

    fn push_front(&mut self, entry: &'a [u8]) {
        if !self.contains(entry) {
            self.0.insert(0, entry);
        }
    }

    fn extend(&mut self, path: &'a OsStr) {
        split(path).for_each(|entry| self.push(entry));
    }

    fn join(&self) -> OsString {
        OsString::from_vec(self.0.join(&b':'))
    }
}

/// `entry` without the slashes at its end; the root stays a slash.
fn bare(entry: &[u8]) -> &[u8] {
    match entry.iter().rposition(|byte| *byte != b'/') {
        Some(last) => &entry[..=last],
        None => &entry[..entry.len().min(1)],
    }
}

#[cfg(test)]
#[path = "search_path_tests.rs"]
mod tests;
