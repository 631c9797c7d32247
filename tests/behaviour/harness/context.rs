//! What a row knows while it runs.

use std::path::PathBuf;
use std::sync::Arc;

use hexad::{Execute, ExecuteResult};

use super::target::Runtime;

/// What a step in plain code gets.
#[derive(Clone)]
pub struct Context {
    pub runtime: Arc<Runtime>,
    /// The task of the row.
    pub task: String,
    /// A folder of this machine that is the row's own.
    pub folder: PathBuf,
    /// A directory of the target that is the row's own.
    pub dir: String,
    pub number: u64,
}

impl Context {
    /// Puts the row's own directory and number in.
    pub fn fill(&self, text: &[u8]) -> Vec<u8> {
        let number = self.number.to_string();
        let filled = replace(text, b"@DIR@", self.dir.as_bytes());
        replace(&filled, b"@N@", number.as_bytes())
    }

    pub fn text(&self, text: &str) -> String {
        String::from_utf8_lossy(&self.fill(text.as_bytes())).into_owned()
    }

    /// Runs one command in the row's task; an error is the row's failure.
    pub async fn run(&self, request: impl Into<Execute>) -> Result<ExecuteResult, String> {
        let mut request = request.into();
        request.command = self.fill(&request.command);
        self.runtime.execute(&self.task, request).await.map_err(|e| e.to_string())
    }
}

fn replace(text: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.iter().position(|&b| b == from[0]) {
        out.extend_from_slice(&rest[..at]);
        if let Some(behind) = rest[at..].strip_prefix(from) {
            out.extend_from_slice(to);
            rest = behind;
        } else {
            out.push(rest[at]);
            rest = &rest[at + 1..];
        }
    }
    out.extend_from_slice(rest);
    out
}
