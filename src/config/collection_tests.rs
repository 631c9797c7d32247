use super::{list_from_json, list_from_node, map_from_json, map_from_node};
use crate::config::node::Node;

fn node(text: &str) -> Node {
    serde_yaml::from_str(text).unwrap()
}

#[test]
fn lists_from_json() {
    assert_eq!(list_from_json("[]"), Ok(vec![]));
    assert_eq!(list_from_json(r#" ["a", 1, true] "#).unwrap(), ["a", "1", "true"]);
    for (text, found) in [
        ("", "empty"),
        ("a,b", "not JSON (expected value at line 1 column 1)"),
        (r#"["a""#, "not JSON (EOF while parsing a list at line 1 column 4)"),
        ("{}", "JSON, but not a list"),
        ("3", "JSON, but not a list"),
        (r#"["a", null]"#, "a list whose item 2 is empty"),
        ("[[]]", "a list whose item 1 is a list"),
        (r#"["a\u0000"]"#, "a list whose item 1 is text with a NUL character"),
    ] {
        assert_eq!(list_from_json(text), Err(found.to_owned()), "{text}");
    }
}

#[test]
fn mappings_from_json() {
    let map = map_from_json(r#"{"A": "x", "B": 2}"#).unwrap();
    assert_eq!(
        map.into_iter().collect::<Vec<_>>(),
        [("A".to_owned(), "x".to_owned()), ("B".to_owned(), "2".to_owned())]
    );
    let bad_name = "a mapping with a name that is empty or contains \"=\" or NUL";
    for (text, found) in [
        ("[]", "JSON, but not an object"),
        (r#"{"A": {}}"#, "a mapping with a value that is a mapping"),
        (r#"{"": "x"}"#, bad_name),
        (r#"{"A=B": "x"}"#, bad_name),
    ] {
        assert_eq!(map_from_json(text), Err(found.to_owned()), "{text}");
    }
}

#[test]
fn lists_from_the_file() {
    let read = |text: &str| list_from_node(&node(text), &|_| None);
    assert_eq!(read("[a, 1, false, 2.5]").unwrap(), ["a", "1", "false", "2.5"]);
    assert_eq!(read(r#"'["a"]'"#).unwrap(), ["a"], "JSON in a text, as other products write it");
    assert_eq!(read("a"), Err("text".to_owned()));
    assert_eq!(read("{a: b}"), Err("a mapping".to_owned()));
    assert_eq!(read("[a, {b: c}]"), Err("a list whose item 2 is a mapping".to_owned()));
    assert_eq!(read("[a, ]").unwrap(), ["a"]);
    assert_eq!(read("[!x a]"), Err("a list whose item 1 is a tagged value".to_owned()));
}

#[test]
fn mappings_from_the_file() {
    let read = |text: &str| map_from_node(&node(text), &|_| None);
    assert_eq!(read("{A: 1}").unwrap()["A"], "1");
    assert_eq!(read(r#"'{"A": "1"}'"#).unwrap()["A"], "1");
    assert_eq!(read("{A: 1, A: 2}"), Err("a mapping that gives a name twice".to_owned()));
    assert_eq!(read("{A: }"), Err("a mapping with a value that is empty".to_owned()));
    assert_eq!(read("[A]"), Err("a list".to_owned()));
    let merged = read("{<<: {A: 1, B: 2}, A: 3}").unwrap();
    assert_eq!((merged["A"].as_str(), merged["B"].as_str()), ("3", "2"));
}
