use proptest::prelude::*;

use super::*;

fn message(text: &str) -> (Option<String>, String) {
    let error = Request::parse(text.as_bytes()).unwrap_err();
    assert_eq!(error.error.code(), "invalid_request");
    (error.id, error.error.to_string())
}

#[test]
fn an_execute_request_is_read_with_its_defaults() {
    let text = r#"{"id":"1","op":"execute","task_id":"t1","command":"make","cwd":null,
        "timeout":1.5,"stdin_data":null,"env":{"A":"1"},"fork":false,"stream":true}"#;
    let request = Request::parse(text.as_bytes()).unwrap();
    assert_eq!(request.id.as_deref(), Some("1"));
    let Op::Execute { task, request, stream, spill: false } = request.op else {
        panic!("not execute")
    };
    assert_eq!(task.as_str(), "t1");
    assert!(stream);
    assert_eq!(request.command, b"make");
    assert_eq!(request.timeout, Some(Duration::from_millis(1500)));
    assert_eq!(request.env, [("A".to_owned(), b"1".to_vec())]);
    assert_eq!(request.stdin, None);
    assert_eq!(request.id.as_deref(), Some("1"));
}

#[test]
fn every_mistake_is_named() {
    for (text, id, part) in [
        ("nonsense", None, "not a JSON object"),
        ("[1]", None, "\"op\""),
        (r#"{"id":"7"}"#, Some("7"), "op is missing"),
        (r#"{"id":"7","op":"exec"}"#, Some("7"), "unknown op \"exec\"; it is one of: execute"),
        (r#"{"id":"7","op":5}"#, Some("7"), "op must be a string, not a number"),
        (r#"{"id":[],"op":"ping"}"#, None, "id must be a string, not a list"),
        (r#"{"id":"7","op":"execute","task_id":"t"}"#, Some("7"), "missing field `command`"),
        (r#"{"id":"7","op":"execute","command":"x"}"#, Some("7"), "missing field `task_id`"),
        (r#"{"op":"execute","task_id":"t","command":5}"#, None, "expected a string"),
        (r#"{"op":"execute","task_id":"a b","command":"x"}"#, None, "task_id contains ' '"),
        (r#"{"op":"execute","task_id":"t","command":"x","timeout":-1}"#, None, "timeout must be"),
        (
            r#"{"op":"execute","task_id":"t","command":"x","timeout":1e300}"#,
            None,
            "timeout must be",
        ),
        (
            r#"{"op":"execute","task_id":"t","command":"x","timout":1}"#,
            None,
            "unknown field `timout`",
        ),
        (
            r#"{"op":"execute","task_id":"t","command":"x","stdin_base64":"?"}"#,
            None,
            "stdin_base64",
        ),
        (r#"{"op":"upload","task_id":"t"}"#, None, "not part of this version"),
        (r#"{"op":"list","task_id":"t"}"#, None, "unknown field"),
    ] {
        let (got_id, got) = message(text);
        assert_eq!(got_id.as_deref(), id, "{text}");
        assert!(got.contains(part), "{text}: {got}");
    }
}

#[test]
fn a_number_is_taken_for_an_id() {
    let request = Request::parse(br#"{"id":12,"op":"ping"}"#).unwrap();
    assert_eq!(request.id.as_deref(), Some("12"));
}

proptest! {
    #[test]
    fn any_line_is_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = Request::parse(&bytes);
    }
}
