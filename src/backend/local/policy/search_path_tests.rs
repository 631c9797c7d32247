use proptest::prelude::*;

use super::*;

fn complete(path: &str, prefix: Option<&str>) -> String {
    let path = complete_path(Some(OsStr::new(path)), prefix.map(Path::new));
    path.into_string().unwrap()
}

fn merge(caller: &str, captured: &str) -> String {
    merge_path(caller.as_ref(), captured.as_ref()).into_string().unwrap()
}

#[test]
fn no_path_gives_the_standard_one() {
    assert_eq!(complete_path(None, None), OsString::from(STANDARD_DIRS.join(":")));
}

#[test]
fn empty_and_repeated_entries_go_and_missing_ones_come_last() {
    let rest =
        "/opt/homebrew/bin:/opt/homebrew/sbin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/sbin";
    assert_eq!(complete(":/usr/bin::/bin/:/usr/bin/:", None), format!("/usr/bin:/bin/:{rest}"));
}

#[test]
fn the_prefix_comes_first_only_if_it_is_missing() {
    assert!(complete("/usr/bin", Some("/opt/hexad")).starts_with("/opt/hexad:/usr/bin:"));
    assert!(complete("/a:/opt/hexad/", Some("/opt/hexad")).starts_with("/a:/opt/hexad/:"));
    for odd in ["", "relative", "/a:b", "/a\0b"] {
        assert_eq!(complete("/bin", Some(odd)), complete("/bin", None), "{odd:?}");
    }
}

#[test]
fn a_profile_that_resets_path_does_not_lose_the_callers_tools() {
    assert_eq!(
        merge("/venv/bin:/usr/bin:/home/u/bin:/bin", "/usr/local/bin:/usr/bin:/bin"),
        "/venv/bin:/home/u/bin:/usr/local/bin:/usr/bin:/bin"
    );
    assert_eq!(merge("", "/bin::/bin"), "/bin");
    assert_eq!(merge("/bin::/bin", ""), "/bin");
    assert_eq!(merge("/usr/bin", "/new:/usr/bin"), "/new:/usr/bin");
    assert_eq!(merge("", ""), "");
}

#[test]
fn the_root_is_an_entry_like_any_other() {
    assert_eq!(merge("//:/", "/bin"), "//:/bin");
}

fn entries(path: &OsStr) -> Vec<Vec<u8>> {
    split(path).map(|entry| bare(entry).to_vec()).collect()
}

fn some_path() -> impl Strategy<Value = OsString> {
    let entry = prop_oneof![
        Just(Vec::new()),
        proptest::sample::select(STANDARD_DIRS).prop_map(|dir| dir.as_bytes().to_vec()),
        "/[ab]{1,2}/{0,2}".prop_map(String::into_bytes),
        proptest::collection::vec(any::<u8>(), 0..5),
    ];
    proptest::collection::vec(entry, 0..10).prop_map(|list| OsString::from_vec(list.join(&b':')))
}

proptest! {
    #[test]
    fn completing_twice_changes_nothing(path in some_path(), prefix in "/?[ab:]{0,3}") {
        let once = complete_path(Some(&path), Some(Path::new(&prefix)));
        prop_assert_eq!(&complete_path(Some(&once), Some(Path::new(&prefix))), &once);
        let list = entries(&once);
        prop_assert!(STANDARD_DIRS.iter().all(|dir| list.contains(&dir.as_bytes().to_vec())));
    }

    #[test]
    fn merging_keeps_all_without_repeats(caller in some_path(), captured in some_path()) {
        let merged = merge_path(&caller, &captured);
        prop_assert_eq!(&merge_path(&caller, &merged), &merged);
        let list = if merged.is_empty() { Vec::new() } else { entries(&merged) };
        let mut unique = list.clone();
        unique.sort();
        unique.dedup();
        prop_assert_eq!(unique.len(), list.len());
        for entry in entries(&caller).iter().chain(&entries(&captured)) {
            prop_assert_eq!(list.contains(entry), !entry.is_empty());
        }
        // What the profile says ends up at the end, in its own order.
        prop_assert!(merged.as_bytes().ends_with(merge_path(OsStr::new(""), &captured).as_bytes()));
    }
}
