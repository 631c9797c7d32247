use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

use proptest::prelude::*;

use super::NameClass::{CredentialLike, Dynamic, Fixed, Internal, Plain, Runtime};
use super::*;

fn class(name: &str) -> NameClass {
    classify(OsStr::new(name))
}

#[test]
fn every_class_has_its_names() {
    for (name, expected) in [
        ("PATH", Plain),
        ("HERMES_HOME", Plain),
        ("TERMINAL_EMULATOR", Plain),
        ("BASH_FUNC_module%%", Plain),
        ("FOO_API_KEY", CredentialLike),
        ("OPENAI_API_KEY", Fixed),
        ("HEXAD_ANYTHING", Internal),
        ("HERMES_SESSION_KEY", Internal),
        ("TERMINAL_CWD", Internal),
        ("VIRTUAL_ENV", Internal),
        ("CONDA_PREFIX", Internal),
        ("PROMPT_COMMAND", Internal),
        ("ENV", Internal),
        ("AUXILIARY_VISION_API_KEY", Dynamic),
        ("GATEWAY_RELAY_KEY", Dynamic),
        ("GATEWAY_RELAY_URL", Fixed),
        ("HEXAD_MARK", Runtime),
        ("BASH_ENV", Runtime),
        ("BASH_FUNC_eval%%", Runtime),
    ] {
        assert_eq!(class(name), expected, "{name}");
    }
}

#[test]
fn case_and_pool_numbers_hide_nothing() {
    assert_eq!(class("openai_api_key"), Fixed);
    assert_eq!(class("OPENAI_API_KEY_2"), Fixed);
    assert_eq!(class("Gemini_Api_Key12"), Fixed);
    assert_eq!(class("AUXILIARY_A_API_KEY_3"), Dynamic);
    assert_eq!(class("FOO_TOKEN_1"), CredentialLike);
}

#[test]
fn allowances_hold_with_a_number_too() {
    for name in ["AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN_2", "CLAUDE_CODE_OAUTH_TOKEN"] {
        assert_eq!(class(name), Plain, "{name}");
    }
}

#[test]
fn names_that_are_not_utf8_are_judged_by_the_rest() {
    assert_eq!(classify(OsStr::from_bytes(b"F\xff_API_KEY")), CredentialLike);
    assert_eq!(classify(OsStr::from_bytes(b"AUXILIARY_\xfe_API_KEY")), Dynamic);
}

proptest! {
    #[test]
    fn made_up_names_are_caught(stem in "[A-Za-z0-9_]{1,12}", n in 0usize..6) {
        let word = ["API_KEY", "SECRET", "TOKEN", "PASSWORD", "PRIVATE_KEY", "CREDENTIALS"][n];
        prop_assume!(!stem.to_ascii_uppercase().starts_with("AWS_"));
        let name = format!("{stem}_{word}");
        prop_assert!(!class(&name).may_inherit(false), "{name}");
        let auxiliary = format!("AUXILIARY_{stem}_API_KEY");
        prop_assert_eq!(class(&auxiliary), Dynamic);
        let relay = format!("GATEWAY_RELAY_{stem}_TOKEN");
        prop_assert_eq!(class(&relay), Dynamic);
    }

    #[test]
    fn any_bytes_are_judged(name in proptest::collection::vec(any::<u8>(), 0..40)) {
        let _ = classify(OsStr::from_bytes(&name));
    }
}
