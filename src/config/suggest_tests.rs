use super::{nearest, nearest_key};

#[test]
fn finds_slips_of_the_finger() {
    for (given, meant) in [
        ("timeot", "timeout"),
        ("tiemout", "timeout"),
        ("Timeout", "timeout"),
        ("docker-image", "docker_image"),
        ("dockerimage", "docker_image"),
        ("ssh_hots", "ssh_host"),
        ("backnd", "backend"),
        ("cdw", "cwd"),
        ("TERMINAL_DOCKER_VOLUMES", "docker_volumes"),
        ("TERMINAL_ENV", "backend"),
    ] {
        assert_eq!(nearest_key(given), Some(meant), "{given}");
    }
}

#[test]
fn says_nothing_when_nothing_is_near() {
    for given in ["", "x", "ab", "colour_of_the_prompt", "<<", "été", &"timeout".repeat(1000)] {
        assert_eq!(nearest_key(given), None, "{given}");
    }
}

#[test]
fn takes_the_nearest_of_several() {
    assert_eq!(nearest("abcdeg", ["abcxxg", "abcdef", "abcdxx"].into_iter()), Some("abcdef"));
}
