use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use proptest::prelude::*;
use tempfile::tempdir;

use super::*;

fn start(configured: &str, process: &Path, home: &Path) -> (PathBuf, Option<String>) {
    initial_cwd(Some(configured), process, home)
}

#[test]
fn nothing_and_placeholders_mean_the_process_directory() {
    let dir = tempdir().unwrap();
    for asked in [None, Some(""), Some("."), Some("auto"), Some("cwd"), Some("  "), Some("./")] {
        let found = initial_cwd(asked, dir.path(), Path::new("/root"));
        assert_eq!(found, (dir.path().to_path_buf(), None), "{asked:?}");
    }
}

#[test]
fn a_tilde_is_a_home() {
    let home = tempdir().unwrap();
    fs::create_dir(home.path().join("src")).unwrap();
    let process = Path::new("/");
    assert_eq!(start("~", process, home.path()), (home.path().into(), None));
    assert_eq!(start("~/", process, home.path()), (home.path().into(), None));
    assert_eq!(start("~//src", process, home.path()), (home.path().join("src"), None));
    assert_eq!(expand("~root", home.path()), home_of("root").unwrap());
    assert_eq!(expand("~no-such-user/x", home.path()), Path::new("~no-such-user/x"));
    assert_eq!(expand("~/x", Path::new("")), Path::new("~/x"));
}

#[test]
fn relative_paths_are_anchored_once() {
    let dir = tempdir().unwrap();
    let proj = dir.path().join("work/proj");
    fs::create_dir_all(&proj).unwrap();
    let home = Path::new("/");
    assert_eq!(start("work/proj", dir.path(), home), (proj.clone(), None));
    // The tail rule: it is already inside.
    assert_eq!(start("proj", &proj, home), (proj.clone(), None));
    assert_eq!(start("./work/proj/", &proj, home), (proj.clone(), None));
    // Half a name is no tail, and a directory that is there comes first.
    assert!(start("oj", &proj, home).1.is_some());
    fs::create_dir(proj.join("proj")).unwrap();
    assert_eq!(start("proj", &proj, home), (proj.join("proj"), None));
}

#[test]
fn a_missing_directory_is_replaced_by_its_nearest_ancestor_aloud() {
    let dir = tempdir().unwrap();
    let gone = dir.path().join("a/b/c");
    let (used, notice) = start(gone.to_str().unwrap(), Path::new("/"), Path::new("/"));
    assert_eq!(used, dir.path());
    let notice = notice.unwrap();
    assert!(notice.contains(gone.to_str().unwrap()), "{notice}");
    assert!(notice.contains("does not exist"), "{notice}");
    assert!(notice.contains(&format!("using {}", dir.path().display())), "{notice}");
}

#[test]
fn a_file_is_no_directory() {
    let dir = tempdir().unwrap();
    let file = dir.path().join("file");
    fs::write(&file, "").unwrap();
    assert!(!usable_dir(&file));
    assert_eq!(nearest_usable(&file.join("below")), dir.path());
    let (_, notice) = start(file.to_str().unwrap(), Path::new("/"), Path::new("/"));
    assert!(notice.unwrap().contains("is not a directory"));
}

#[test]
fn the_root_is_used_only_when_asked_for() {
    let temp = temp_dir(|name| std::env::var_os(name));
    assert_eq!(nearest_usable(Path::new("/")), Path::new("/"));
    assert_eq!(nearest_usable(Path::new("/no-such-dir/x")), temp);
    assert_eq!(nearest_usable(Path::new("relative")), temp);
    assert_eq!(nearest_usable(Path::new("")), temp);
}

#[test]
fn symlinks_keep_their_name() {
    let dir = tempdir().unwrap();
    let link = dir.path().join("link");
    symlink("/usr", &link).unwrap();
    assert_eq!(nearest_usable(&link), link);
}

#[test]
fn a_directory_needs_search_permission_and_only_that() {
    let dir = tempdir().unwrap();
    let inner = dir.path().join("locked");
    fs::create_dir(&inner).unwrap();
    let set = |mode| fs::set_permissions(&inner, fs::Permissions::from_mode(mode)).unwrap();
    set(0o100);
    assert!(usable_dir(&inner));
    set(0o600);
    // The superuser may enter every directory.
    let superuser = nix::unistd::geteuid().is_root();
    assert_eq!(usable_dir(&inner), superuser);
    if !superuser {
        assert_eq!(nearest_usable(&inner), dir.path());
        assert!(complaint(&inner).contains("may not be entered"));
    }
    set(0o700);
}

proptest! {
    #[test]
    fn the_answer_can_always_be_used(text in "[~./a\\x00é ]{0,12}", process in "/?[a/]{0,4}") {
        let (used, _) = start(&text, Path::new(&process), Path::new(&process));
        prop_assert!(used.is_absolute() && usable_dir(&used), "{used:?}");
    }
}
