use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::PermissionsExt;

use proptest::prelude::*;
use tempfile::{TempDir, tempdir};

use super::*;

/// A directory with programs of these names and modes.
fn programs(list: &[(&str, u32)]) -> TempDir {
    let dir = tempdir().unwrap();
    for (name, mode) in list {
        fs::write(dir.path().join(name), "").unwrap();
        let mode = fs::Permissions::from_mode(*mode);
        fs::set_permissions(dir.path().join(name), mode).unwrap();
    }
    dir
}

fn shell(path: PathBuf, is_bash: bool) -> FoundShell {
    FoundShell { path, is_bash }
}

fn why(result: Result<FoundShell, ShellNotFound>) -> &'static str {
    match result {
        Err(ShellNotFound::Configured { why, .. }) => why,
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_configured_shell_is_used_or_refused_by_name() {
    let dir = programs(&[("bash-5.2", 0o755), ("dash", 0o755), ("plain", 0o644), ("fish", 0o755)]);
    let find = |name: &str| find_shell(Some(&dir.path().join(name)), "/bin".as_ref(), None);
    assert_eq!(find("bash-5.2"), Ok(shell(dir.path().join("bash-5.2"), true)));
    assert_eq!(find("dash"), Ok(shell(dir.path().join("dash"), false)));
    assert_eq!(why(find("plain")), "is not executable");
    assert_eq!(why(find("gone")), "does not exist");
    assert_eq!(why(find("")), "is not a file");
    assert_eq!(why(find("fish")), "does not understand POSIX shell scripts");
    let text = find("gone").unwrap_err().to_string();
    assert!(text.contains(dir.path().join("gone").to_str().unwrap()), "{text}");
}

#[test]
fn a_configured_bare_name_is_looked_up_and_a_relative_path_refused() {
    let dir = programs(&[("mksh", 0o755)]);
    let path = dir.path().as_os_str();
    let found = find_shell(Some(Path::new("mksh")), path, None);
    assert_eq!(found, Ok(shell(dir.path().join("mksh"), false)));
    assert_eq!(why(find_shell(Some(Path::new("ksh")), path, None)), "is not on PATH");
    assert_eq!(why(find_shell(Some(Path::new("./mksh")), path, None)), "is not an absolute path");
    assert_eq!(why(find_shell(Some(Path::new("")), path, None)), "is not on PATH");
}

#[test]
fn the_order_is_path_then_usual_then_shell_then_sh() {
    let one = programs(&[("bash", 0o644)]);
    let two = programs(&[("bash", 0o755), ("usual", 0o755), ("ksh", 0o755), ("last", 0o755)]);
    let at = |name: &str| two.path().join(name);
    let text = |name: &str| at(name).to_str().unwrap().to_owned();
    let both = std::env::join_paths([one.path(), two.path()]).unwrap();
    let (usual, last, ksh) = (text("usual"), text("last"), OsString::from(text("ksh")));
    let search = |path: &OsStr, usual: &str, shell_var| search(path, &[usual], shell_var, &last);
    assert_eq!(search(&both, &usual, Some(&ksh)), Ok(shell(at("bash"), true)));
    let one = one.path().as_os_str();
    assert_eq!(search(one, &usual, Some(&ksh)), Ok(shell(at("usual"), false)));
    assert_eq!(search(one, "/gone", Some(&ksh)), Ok(shell(at("ksh"), false)));
    for not_sh in ["/usr/bin/fish", "/usr/bin/zsh", "ksh", ""] {
        let found = search(one, "/gone", Some(not_sh.as_ref()));
        assert_eq!(found, Ok(shell(at("last"), false)), "{not_sh}");
    }
}

#[test]
fn nothing_found_says_what_was_tried_and_what_to_install() {
    let dir = tempdir().unwrap();
    let bash = dir.path().join("bash");
    fs::create_dir(&bash).unwrap();
    let error = search(dir.path().as_os_str(), &["/gone"], Some("/no/ksh".as_ref()), "/no/sh");
    let error = error.unwrap_err();
    let tried = vec![bash, "/gone".into(), "/no/ksh".into(), "/no/sh".into()];
    assert_eq!(error, ShellNotFound::Nothing { tried });
    assert!(error.to_string().contains("apt-get install bash"), "{error}");
    assert!(error.to_string().contains("/no/ksh"), "{error}");
}

#[test]
fn relative_entries_of_path_are_ignored() {
    let found: Vec<_> = on_path(":.:bin:/a".as_ref(), Path::new("bash")).collect();
    assert_eq!(found, [PathBuf::from("/a/bash")]);
}

#[test]
fn bash_is_told_by_its_file_name() {
    for (path, expected) in [
        ("/b/bash", true),
        ("/bash5", true),
        ("/bash.exe", true),
        ("/bashful", false),
        ("/", false),
    ] {
        assert_eq!(is_bash(Path::new(path)), expected, "{path}");
    }
}

#[test]
fn this_machine_has_a_shell() {
    assert!(find_shell(None, OsStr::new(""), None).is_ok());
}

proptest! {
    #[test]
    fn odd_bytes_are_survived(
        path in proptest::collection::vec(any::<u8>(), 0..20),
        shell in proptest::collection::vec(any::<u8>(), 0..20),
    ) {
        let (path, shell) = (OsString::from_vec(path), OsString::from_vec(shell));
        let _ = find_shell(Some(Path::new(&shell)), &path, Some(&shell));
        let _ = find_shell(None, &path, Some(&shell));
    }
}
