//! Remembering answered requests, so that a repeated id is not run twice. Plain bookkeeping.
//!
//! A memory belongs to the task, not to the actor: it outlives a crash and a retirement, and ends
//! with the task's release.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::outcome::ExecuteResult;

/// Results beyond this many bytes in all are forgotten, oldest first.
const BYTES: usize = 1024 * 1024;
/// The same for a task that rests.
const RESTING_BYTES: usize = 64 * 1024;

/// The last results of requests that had an id.
#[derive(Debug)]
pub(crate) struct Memory {
    results: VecDeque<(String, Arc<ExecuteResult>)>,
    limit: usize,
    bytes: usize,
}

impl Memory {
    pub(crate) fn new(limit: usize) -> Self {
        Self { results: VecDeque::new(), limit, bytes: 0 }
    }

    /// The result of the request that was called `id`.
    pub(super) fn recall(&self, id: &str) -> Option<ExecuteResult> {
        let (_, result) = self.results.iter().rev().find(|(known, _)| known == id)?;
        Some(ExecuteResult { repeated: true, ..(**result).clone() })
    }

    pub(super) fn keep(&mut self, id: String, result: ExecuteResult) {
        self.bytes += size(&result);
        self.results.push_back((id, Arc::new(result)));
        while self.results.len() > self.limit || (self.bytes > BYTES && self.results.len() > 1) {
            self.forget_oldest();
        }
    }

    /// The task has no environment for now: keeps what costs little.
    pub(crate) fn rest(&mut self) {
        while self.bytes > RESTING_BYTES {
            self.forget_oldest();
        }
        self.results.shrink_to_fit();
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.results.is_empty()
    }

    /// The task is released: another one may have its name.
    pub(super) fn clear(&mut self) {
        self.results.clear();
        self.bytes = 0;
    }

    fn forget_oldest(&mut self) {
        if let Some((_, gone)) = self.results.pop_front() {
            self.bytes -= size(&gone);
        }
    }
}

fn size(result: &ExecuteResult) -> usize {
    let of = |c: &crate::outcome::Captured| c.head.len() + c.tail.len();
    256 + of(&result.output) + result.stderr.as_ref().map_or(0, of)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::outcome::{Captured, Outcome};

    fn result(code: u8, bytes: usize) -> ExecuteResult {
        ExecuteResult {
            outcome: Outcome::Exited(code),
            output: Captured {
                head: vec![b'x'; bytes],
                total_bytes: bytes as u64,
                ..Captured::default()
            },
            stderr: None,
            cwd: "/".into(),
            duration: Duration::ZERO,
            left_running: Vec::new(),
            notices: Vec::new(),
            repeated: false,
        }
    }

    #[test]
    fn recalls_with_a_mark_that_it_is_a_repetition() {
        let mut memory = Memory::new(2);
        memory.keep("a".into(), result(3, 0));
        let again = memory.recall("a").unwrap();
        assert!(again.repeated);
        assert_eq!(again.returncode(), 3);
        assert!(memory.recall("b").is_none());
    }

    #[test]
    fn forgets_the_oldest_by_count_and_by_size() {
        let mut memory = Memory::new(2);
        for id in ["a", "b", "c"] {
            memory.keep(id.into(), result(0, 0));
        }
        assert!(memory.recall("a").is_none() && memory.recall("c").is_some());
        memory.keep("big".into(), result(0, 2 * BYTES));
        assert!(memory.recall("c").is_none() && memory.recall("big").is_some());
    }

    #[test]
    fn a_resting_task_keeps_small_results_and_a_released_one_none() {
        let mut memory = Memory::new(8);
        memory.keep("big".into(), result(0, 2 * RESTING_BYTES));
        memory.keep("small".into(), result(0, 10));
        memory.rest();
        assert!(memory.recall("big").is_none() && memory.recall("small").is_some());
        memory.clear();
        assert!(memory.is_empty() && memory.recall("small").is_none());
    }
}
