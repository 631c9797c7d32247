use super::Step::{Item, Key};
use super::scalar;

const FILE: &str = "\
other: {a: 1, a: 2}
terminal:
  env: &vars {V: 1.10, H: 0x1F, B: TRUE, S: \"7\"}
  list: [x, 1.20, [1]]
  more: *vars
";

#[test]
fn gives_scalars_as_they_are_written() {
    let at = |path: &[_]| scalar(FILE, path);
    assert_eq!(at(&[Key("terminal"), Key("env"), Key("V")]).as_deref(), Some("1.10"));
    assert_eq!(at(&[Key("terminal"), Key("env"), Key("H")]).as_deref(), Some("0x1F"));
    assert_eq!(at(&[Key("terminal"), Key("env"), Key("B")]).as_deref(), Some("TRUE"));
    assert_eq!(at(&[Key("terminal"), Key("more"), Key("V")]).as_deref(), Some("1.10"));
    assert_eq!(at(&[Key("terminal"), Key("list"), Item(1)]).as_deref(), Some("1.20"));
}

#[test]
fn gives_nothing_for_everything_else() {
    for path in [
        &[Key("absent")][..],
        &[Key("terminal")],
        &[Key("terminal"), Key("list"), Item(2)],
        &[Key("terminal"), Key("list"), Item(9)],
        &[Key("terminal"), Key("list"), Key("x")],
        &[Key("terminal"), Item(0)],
        &[],
    ] {
        assert_eq!(scalar(FILE, path), None, "{path:?}");
    }
    assert_eq!(scalar("a: [", &[Key("a")]), None);
}
