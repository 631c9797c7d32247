use proptest::prelude::*;

use super::{line_of, nth_line_of};

const FILE: &str = "\
# a comment
display:
  timeout: 1
  text: |
    terminal:
      timeout: 2

\"terminal\":   # ours

    # indented comment
    backend: docker
    docker_volumes:
    - a:b
    - timeout: 3
    'docker_env':
        TIMEOUT : 4
    timeout: 5
profiles:
  box: {timeout: 6}
  build:
    timeout: 7
    timeout: 8
";

#[test]
fn finds_keys_of_block_mappings() {
    for (path, line) in [
        (&["display"][..], 2),
        (&["display", "timeout"], 3),
        (&["terminal"], 8),
        (&["terminal", "backend"], 11),
        (&["terminal", "docker_env"], 15),
        (&["terminal", "docker_env", "TIMEOUT"], 16),
        (&["terminal", "timeout"], 17),
        (&["profiles", "build", "timeout"], 21),
    ] {
        assert_eq!(line_of(FILE, path), Some(line), "{path:?}");
    }
    assert_eq!(nth_line_of(FILE, &["profiles", "build", "timeout"], 1), Some(22));
}

#[test]
fn falls_back_to_the_parent() {
    assert_eq!(line_of(FILE, &["profiles", "box", "timeout"]), Some(19));
    assert_eq!(line_of(FILE, &["terminal", "absent"]), Some(8));
    assert_eq!(nth_line_of(FILE, &["terminal", "timeout"], 1), Some(8));
    assert_eq!(line_of(FILE, &["absent", "timeout"]), None);
    assert_eq!(line_of(FILE, &[]), None);
    assert_eq!(line_of("", &["a"]), None);
}

#[test]
fn copes_with_marks_and_line_ends() {
    let text = "\u{feff}%YAML 1.2\r\n---\r\nterminal:\r\n  timeout: 1\r\n";
    assert_eq!(line_of(text, &["terminal", "timeout"]), Some(4));
    assert_eq!(line_of("terminal:\n  timeouts: 1\n  time: 2", &["terminal", "time"]), Some(3));
    assert_eq!(line_of("a:b\na: 1", &["a"]), Some(2));
}

proptest! {
    #[test]
    fn never_panics(text in "[a-c:'\"#é \t\n-]{0,80}", key in "[a-cé:'\" ]{0,3}", nth in 0_usize..3) {
        let line = nth_line_of(&text, &["a", &key], nth);
        prop_assert!(line.is_none_or(|line| line >= 1 && line <= text.lines().count()));
    }

    #[test]
    fn finds_what_was_written(before in 0_usize..5, indent in 1_usize..9, after in 0_usize..5) {
        let pad = " ".repeat(indent);
        let key = |name: &str, count| (0..count).map(|n| format!("{pad}{name}{n}: 1\n")).collect::<String>();
        let text = format!("x:\n{0}t: 0\nt:\n{1}t: 1\n{2}", pad, key("b", before) + &pad, key("a", after));
        prop_assert_eq!(line_of(&text, &["t", "t"]), Some(4 + before));
    }
}
