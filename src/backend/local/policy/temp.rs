//! Where temporary files of the local backend go.
//!
//! It only asks the file system; it must not create anything.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use nix::unistd::{AccessFlags, access};

/// Places that exist on most systems, tried when no variable names a better one.
const FALLBACKS: &[&str] = &["/tmp", "/var/tmp", "/usr/tmp"];

/// The temp dir: the first of `TMPDIR`, `TMP` and `TEMP` that is an absolute path to a directory
/// one may write to, else `/tmp`, `/var/tmp` or `/usr/tmp`, else `/tmp` for want of a better.
///
/// `lookup` gives a variable's value: the environment's own first, then the host's. Some systems
/// have no `/tmp` (Termux), and a `TMPDIR` may outlive its directory (a batch job, `nix-shell`),
/// so a variable is believed only if the directory is there.
#[must_use]
pub fn temp_dir(lookup: impl Fn(&str) -> Option<OsString>) -> PathBuf {
    ["TMPDIR", "TMP", "TEMP"]
        .into_iter()
        .filter_map(lookup)
        .map(PathBuf::from)
        .chain(FALLBACKS.iter().map(PathBuf::from))
        .find(|dir| dir.is_absolute() && writable_dir(dir))
        .unwrap_or_else(|| PathBuf::from("/tmp"))
}

fn writable_dir(dir: &Path) -> bool {
    dir.is_dir() && access(dir, AccessFlags::W_OK | AccessFlags::X_OK).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_usable_variable_wins() {
        let dir = tempfile::tempdir().unwrap();
        let found = temp_dir(|name| match name {
            "TMPDIR" => Some("relative".into()),
            "TMP" => Some(dir.path().join("gone").into()),
            "TEMP" => Some(dir.path().into()),
            _ => None,
        });
        assert_eq!(found, dir.path());
    }

    #[test]
    fn without_variables_a_standard_place_is_used() {
        let found = temp_dir(|_| None);
        assert!(FALLBACKS.iter().any(|place| found == Path::new(place)));
    }

    #[test]
    fn odd_values_are_skipped() {
        for value in ["", ".", "\0", "/dev/null", "C:\\Temp"] {
            assert_eq!(temp_dir(|_| Some(value.into())), temp_dir(|_| None), "{value:?}");
        }
    }
}
