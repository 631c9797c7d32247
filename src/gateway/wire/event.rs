//! Writing events.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hexad_actors::output::TextOrBytes;
use hexad_actors::{Captured, Error, Event, ExecuteResult, Stream, TaskId};
use serde_json::{Map, Value, json};

/// An event of a request: `id`, `event` and `fields` beside them.
#[must_use]
pub fn event(id: Option<&str>, name: &str, fields: Value) -> Value {
    let mut object = Map::new();
    object.insert("id".into(), json!(id));
    object.insert("event".into(), json!(name));
    if let Value::Object(fields) = fields {
        object.extend(fields);
    }
    Value::Object(object)
}

/// The answer to every op but execute.
#[must_use]
pub fn done(id: Option<&str>, fields: Value) -> Value {
    event(id, "done", fields)
}

/// An error event.
#[must_use]
pub fn error(id: Option<&str>, error: &Error) -> Value {
    let mut fields = json!({ "code": error.code(), "message": error.to_string() });
    if let Some(retry_after) = error.retry_after() {
        fields["retry_after"] = json!(retry_after.as_secs_f64());
    }
    if let Error::Unavailable { reason, .. } = error {
        fields["reason"] = json!(reason.as_str());
    }
    event(id, "error", fields)
}

/// An event in the life of an execute request. None for one this vocabulary has no word for.
#[must_use]
pub fn execute_event(id: Option<&str>, task: &TaskId, happened: &Event) -> Option<Value> {
    Some(match happened {
        Event::Queued { position } => event(id, "queued", json!({ "position": position })),
        Event::Provisioning { message } => {
            event(id, "progress", json!({ "phase": "provisioning", "message": message }))
        }
        Event::Started { backend } => {
            event(id, "started", json!({ "task_id": task, "backend": backend }))
        }
        Event::Output { seq, offset, stream, data } => {
            let mut fields = json!({ "seq": seq, "offset": offset });
            if *stream == Stream::Stderr {
                fields["stream"] = json!("stderr");
            }
            match data {
                TextOrBytes::Text(text) => fields["text"] = json!(text),
                TextOrBytes::Bytes(bytes) => fields["base64"] = json!(STANDARD.encode(bytes)),
            }
            event(id, "output", fields)
        }
        Event::Gap { seq, bytes } => event(
            id,
            "notice",
            json!({ "code": "gap", "seq": seq, "missing_bytes": bytes,
                    "message": format!("{bytes} bytes of output were left out here because they \
                                        were not read quickly enough; the result has its own copy") }),
        ),
        Event::Progress { elapsed, bytes, last_line } => event(
            id,
            "progress",
            json!({ "phase": "running", "elapsed_ms": millis(*elapsed), "bytes": bytes,
                    "last_line": last_line }),
        ),
        Event::Notice(notice) => {
            event(id, "notice", json!({ "code": notice.code, "message": notice.message }))
        }
        Event::Finished(result) => event(id, "finished", finished(result)),
        Event::Failed(failed) => error(id, failed),
        _ => return None,
    })
}

fn finished(result: &ExecuteResult) -> Value {
    let mut fields = json!({
        "outcome": result.outcome.as_str(),
        "returncode": result.returncode(),
        "cwd": result.cwd,
        "duration_ms": millis(result.duration),
        "left_running": result.left_running,
        "notices": result.notices,
    });
    if result.repeated {
        fields["repeated"] = json!(true);
    }
    captured(&mut fields, "", &result.output);
    if let Some(stderr) = &result.stderr {
        captured(&mut fields, "stderr_", stderr);
    }
    match &result.outcome {
        hexad_actors::Outcome::Interrupted { cause } => fields["cause"] = json!(cause),
        hexad_actors::Outcome::Lost { reason } => fields["reason"] = json!(reason),
        _ => {}
    }
    fields
}

/// `output` is always text; where the bytes are not, `output_base64` has them exactly.
fn captured(fields: &mut Value, prefix: &str, output: &Captured) {
    let bytes = output.bytes();
    let name = if prefix.is_empty() { "output" } else { "stderr" };
    match String::from_utf8(bytes) {
        Ok(text) => fields[name] = json!(text),
        Err(error) => {
            fields[name] = json!(String::from_utf8_lossy(error.as_bytes()));
            fields[format!("{name}_base64")] = json!(STANDARD.encode(error.as_bytes()));
        }
    }
    fields[format!("{prefix}total_bytes")] = json!(output.total_bytes);
    fields[format!("{prefix}omitted_bytes")] = json!(output.omitted_bytes());
    fields[format!("{prefix}spill")] = json!(output.spill);
}

fn millis(duration: std::time::Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use hexad_actors::Outcome;

    use super::*;

    fn result(output: &[u8]) -> ExecuteResult {
        ExecuteResult {
            outcome: Outcome::Exited(3),
            output: Captured {
                head: output.to_vec(),
                total_bytes: output.len() as u64,
                ..Captured::default()
            },
            stderr: None,
            cwd: "/w".into(),
            duration: Duration::from_millis(12),
            left_running: Vec::new(),
            notices: Vec::new(),
            repeated: false,
        }
    }

    #[test]
    fn a_result_has_the_fields_of_the_vocabulary() {
        let task = TaskId::new("t").unwrap();
        let event = Event::Finished(Box::new(result(b"hi\n")));
        let value = execute_event(Some("1"), &task, &event).unwrap();
        assert_eq!(
            value,
            json!({ "id": "1", "event": "finished", "outcome": "exited", "returncode": 3,
                    "output": "hi\n", "cwd": "/w", "total_bytes": 3, "omitted_bytes": 0,
                    "spill": null, "duration_ms": 12, "left_running": [], "notices": [] })
        );
    }

    #[test]
    fn bytes_that_are_not_text_are_given_exactly_as_well() {
        let value = finished(&result(b"a\xff"));
        assert_eq!(value["output"], "a\u{fffd}");
        assert_eq!(value["output_base64"], "Yf8=");
    }

    #[test]
    fn a_busy_error_says_when_to_come_back() {
        let task = TaskId::new("t").unwrap();
        let busy = Error::Busy { task, queued: 64, retry_after: Duration::from_secs(1) };
        let value = error(None, &busy);
        assert_eq!(value["code"], "busy");
        assert_eq!(value["retry_after"], 1.0);
        assert_eq!(value["id"], Value::Null);
    }
}
