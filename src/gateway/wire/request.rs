//! Reading a request: strict, and with words that say what was expected.

use std::collections::BTreeMap;
use std::time::Duration;

use base64::Engine as _;
use hexad_actors::{Error, Execute, Streams, TaskId};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// The ops of the vocabulary that this version answers.
const OPS: &str = "execute, interrupt, status, list, state, release, ping";

/// A request, checked as far as it can be without running it.
#[derive(Debug)]
pub struct Request {
    /// The caller's id; comes back in every event.
    pub id: Option<String>,
    /// What to do.
    pub op: Op,
}

/// What a request asks for.
#[derive(Debug)]
pub enum Op {
    /// Run a command.
    Execute {
        /// The task.
        task: TaskId,
        /// The command.
        request: Box<Execute>,
        /// Whether the caller wants `output` events.
        stream: bool,
        /// Whether the whole output is to be kept in a file.
        spill: bool,
    },
    /// End the running command of a task, or one request of it.
    Interrupt {
        /// The task.
        task: TaskId,
        /// The request to end; none is the running one.
        request_id: Option<String>,
    },
    /// Describe a task's environment.
    Status {
        /// The task.
        task: TaskId,
    },
    /// Describe all environments.
    List,
    /// Give the shell state of a task.
    State {
        /// The task.
        task: TaskId,
    },
    /// End a task and forget its state.
    Release {
        /// The task.
        task: TaskId,
        /// Its profile, if this process has not seen the task.
        profile: Option<String>,
    },
    /// Answer.
    Ping,
}

/// A line that is not a request, with the id it carried if that could be read.
#[derive(Debug)]
pub struct RequestError {
    /// The caller's id.
    pub id: Option<String>,
    /// What was wrong.
    pub error: Error,
}

/// The fields of an execute request, as they are on the wire.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExecuteFields {
    task_id: TaskId,
    command: String,
    #[serde(default)]
    cwd: Option<String>,
    /// Seconds; null or 0 is the default limit.
    #[serde(default)]
    timeout: Option<f64>,
    #[serde(default)]
    stdin_data: Option<String>,
    /// The same for bytes that are not text.
    #[serde(default)]
    stdin_base64: Option<String>,
    #[serde(default)]
    env: BTreeMap<String, String>,
    #[serde(default)]
    fork: bool,
    #[serde(default)]
    stream: bool,
    #[serde(default)]
    spill: bool,
    #[serde(default)]
    streams: StreamsField,
    #[serde(default)]
    profile: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum StreamsField {
    #[default]
    Merged,
    Separate,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TaskFields {
    task_id: TaskId,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct InterruptFields {
    task_id: TaskId,
    #[serde(default)]
    request_id: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ReleaseFields {
    task_id: TaskId,
    #[serde(default)]
    profile: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NoFields {}

impl Request {
    /// Reads one JSON object.
    ///
    /// # Errors
    /// [`RequestError`] that says which op or field was wrong and what was expected.
    pub fn parse(text: &[u8]) -> Result<Self, RequestError> {
        let fail = |id: Option<String>, message: String| RequestError {
            id,
            error: Error::InvalidRequest { message },
        };
        let value: Value = serde_json::from_slice(text)
            .map_err(|e| fail(None, format!("not a JSON object on one line: {e}")))?;
        let Value::Object(mut fields) = value else {
            return Err(fail(None, "a request is a JSON object with the key \"op\"".into()));
        };
        let id = match fields.remove("id") {
            None | Some(Value::Null) => None,
            Some(Value::String(id)) => Some(id),
            Some(Value::Number(id)) => Some(id.to_string()),
            Some(other) => {
                return Err(fail(None, format!("id must be a string, not {}", kind(&other))));
            }
        };
        let op = match fields.remove("op") {
            Some(Value::String(op)) => op,
            Some(other) => {
                return Err(fail(id, format!("op must be a string, not {}", kind(&other))));
            }
            None => return Err(fail(id, format!("op is missing; it is one of: {OPS}"))),
        };
        parse_op(&op, fields, id.as_deref())
            .map(|op| Self { id: id.clone(), op })
            .map_err(|message| fail(id, message))
    }
}

fn parse_op(op: &str, fields: Map<String, Value>, id: Option<&str>) -> Result<Op, String> {
    Ok(match op {
        "execute" => {
            let fields: ExecuteFields = read(op, fields)?;
            let (task, stream, spill) = (fields.task_id.clone(), fields.stream, fields.spill);
            Op::Execute { task, request: Box::new(fields.into_request(id)?), stream, spill }
        }
        "interrupt" => {
            let InterruptFields { task_id, request_id } = read(op, fields)?;
            Op::Interrupt { task: task_id, request_id }
        }
        "status" => Op::Status { task: read::<TaskFields>(op, fields)?.task_id },
        "state" => Op::State { task: read::<TaskFields>(op, fields)?.task_id },
        "release" => {
            let ReleaseFields { task_id, profile } = read(op, fields)?;
            Op::Release { task: task_id, profile }
        }
        "list" => read::<NoFields>(op, fields).map(|NoFields {}| Op::List)?,
        "ping" => read::<NoFields>(op, fields).map(|NoFields {}| Op::Ping)?,
        "upload" | "download" => {
            return Err(format!("op {op} is not part of this version; it has: {OPS}"));
        }
        other => return Err(format!("unknown op {other:?}; it is one of: {OPS}")),
    })
}

fn read<T: DeserializeOwned>(op: &str, fields: Map<String, Value>) -> Result<T, String> {
    serde_json::from_value(Value::Object(fields)).map_err(|e| format!("op {op}: {e}"))
}

impl ExecuteFields {
    fn into_request(self, id: Option<&str>) -> Result<Execute, String> {
        let stdin = match (self.stdin_data, self.stdin_base64) {
            (Some(_), Some(_)) => {
                return Err("op execute: give stdin_data or stdin_base64, not both".into());
            }
            (Some(text), None) => Some(text.into_bytes()),
            (None, Some(text)) => Some(
                base64::engine::general_purpose::STANDARD
                    .decode(text)
                    .map_err(|e| format!("op execute: stdin_base64: {e}"))?,
            ),
            (None, None) => None,
        };
        Ok(Execute {
            command: self.command.into_bytes(),
            cwd: self.cwd.filter(|cwd| !cwd.is_empty()),
            env: self.env.into_iter().map(|(n, v)| (n, v.into_bytes())).collect(),
            stdin,
            timeout: self.timeout.map(seconds).transpose()?,
            fork: self.fork,
            streams: match self.streams {
                StreamsField::Merged => Streams::Merged,
                StreamsField::Separate => Streams::Separate,
            },
            id: id.map(str::to_owned),
            profile: self.profile,
            ..Execute::default()
        })
    }
}

/// Seconds as a duration.
fn seconds(value: f64) -> Result<Duration, String> {
    Duration::try_from_secs_f64(value).map_err(|_| {
        format!("op execute: timeout must be a number of seconds from 0 up, not {value}")
    })
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
#[path = "request_tests.rs"]
mod tests;
