use std::process::Command;

use proptest::prelude::*;

use super::*;

fn shell_says(shell: &str, word: &[u8]) -> Vec<u8> {
    use std::os::unix::ffi::OsStrExt;
    let mut script = b"printf %s ".to_vec();
    script.extend_from_slice(word);
    let output = Command::new(shell)
        .arg("-c")
        .arg(std::ffi::OsStr::from_bytes(&script))
        .output()
        .unwrap_or_else(|e| panic!("{shell} must run: {e}"));
    output.stdout
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn bash_gives_back_the_bytes(bytes in prop::collection::vec(1u8..=255, 0..200)) {
        prop_assert_eq!(shell_says("bash", &bash_quote(&bytes)), bytes);
    }

    #[test]
    fn sh_gives_back_the_bytes(bytes in prop::collection::vec(1u8..=255, 0..200)) {
        prop_assert_eq!(shell_says("sh", &posix_quote(&bytes)), bytes);
    }

    #[test]
    fn bash_quoting_is_ascii(bytes in prop::collection::vec(1u8..=255, 0..200)) {
        prop_assert!(bash_quote(&bytes).is_ascii());
    }
}

#[test]
fn an_octal_escape_does_not_swallow_the_next_digit() {
    assert_eq!(shell_says("bash", &bash_quote(b"\x017")), b"\x017");
}

#[test]
fn variable_names() {
    for good in ["A", "_a1", "HOME"] {
        assert!(is_variable_name(good));
    }
    for bad in ["", "1a", "a-b", "a b", "é", "a="] {
        assert!(!is_variable_name(bad));
    }
}
