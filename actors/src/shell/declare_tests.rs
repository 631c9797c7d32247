use std::process::Command;

use proptest::prelude::*;

use super::*;
use crate::shell::quote::bash_quote;

fn declare_p(setup: &[u8]) -> Vec<u8> {
    use std::os::unix::ffi::OsStrExt;
    let mut script = setup.to_vec();
    script.extend_from_slice(b"\ndeclare -p");
    Command::new("bash")
        .args(["--norc", "--noprofile", "-c"])
        .arg(std::ffi::OsStr::from_bytes(&script))
        .output()
        .unwrap()
        .stdout
}

fn find<'a>(all: &'a [Variable], name: &str) -> &'a Variable {
    all.iter().find(|v| v.name == name).unwrap_or_else(|| panic!("{name} is missing"))
}

#[test]
fn reads_what_bash_prints() {
    let text = declare_p(
        b"declare -A map=([a]=1 ['k )\" x']=$'v\\n(' ); list=('a b' $'\\n)' '' \"it's\"); \
          declare -i number=7; declare -r fixed='x;y'; declare -x out='$HOME `id`'; empty=; \
          declare -x unset_one; declare -n ref=number; declare -u upper=abc; none=(); \
          multi=$'one\ntwo\n'",
    );
    let all = parse_declare(&text).unwrap();
    assert_eq!(find(&all, "map").flags, "A");
    assert_eq!(find(&all, "list").flags, "a");
    assert_eq!(find(&all, "number").flags, "i");
    assert_eq!(find(&all, "fixed").scalar().unwrap(), b"x;y");
    assert!(find(&all, "out").is_exported());
    assert_eq!(find(&all, "out").scalar().unwrap(), b"$HOME `id`");
    assert_eq!(find(&all, "empty").scalar().unwrap(), b"");
    assert_eq!(find(&all, "unset_one").value, None);
    assert_eq!(find(&all, "ref").flags, "n");
    assert_eq!(find(&all, "upper").scalar().unwrap(), b"ABC");
    assert_eq!(find(&all, "none").value.as_deref(), Some(&b"()"[..]));
    assert_eq!(find(&all, "multi").scalar().unwrap(), b"one\ntwo\n");
}

#[test]
fn reads_the_array_form_of_old_bash() {
    let all = parse_declare(b"declare -a A='([0]=\"x\" [1]=\"y\")'\n").unwrap();
    assert_eq!(all[0].name, "A");
}

#[test]
fn refuses_damage() {
    for bad in [
        &b"declare -x A=\"abc"[..],
        b"declare -x A=\"abc\"",
        b"declare -x A=$(id)\n",
        b"declare -x A=`id`\n",
        b"declare -x A=x; id\n",
        b"declare -x 1A=\"x\"\n",
        b"A=\"x\"\n",
        b"declare -x A=\"x\" )\n",
        b"declare -a A=([0]=\"x\"\n",
    ] {
        assert!(parse_declare(bad).is_err(), "{}", String::from_utf8_lossy(bad));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_value_comes_back(bytes in prop::collection::vec(1u8..=255, 0..100)) {
        let mut setup = b"probe=".to_vec();
        setup.extend_from_slice(&bash_quote(&bytes));
        let all = parse_declare(&declare_p(&setup)).unwrap();
        prop_assert_eq!(find(&all, "probe").scalar().unwrap(), bytes);
    }

    #[test]
    fn any_text_is_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let _ = parse_declare(&bytes);
        let _ = parse_set(&bytes);
        let _ = decode_scalar(&bytes);
    }

    #[test]
    fn near_misses_are_read_or_refused(
        tail in "[a-zA-Z0-9=\"'\\\\$()\\[\\]\n;` -]{0,80}",
    ) {
        let _ = parse_declare(format!("declare -{tail}").as_bytes());
    }
}
