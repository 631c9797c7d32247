//! Keeps the head and the tail of a stream and counts the rest.

use std::collections::VecDeque;

use crate::outcome::Captured;

/// Share of the limit that goes to the head, in percent; the tail, where errors are, gets the rest.
const HEAD_PERCENT: usize = 40;

/// Holds at most `limit` bytes of a stream of any length. Cuts never split a UTF-8 character.
#[derive(Clone, Debug)]
pub struct Collector {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    head_limit: usize,
    tail_limit: usize,
    total: u64,
}

impl Collector {
    /// A collector that keeps `limit` bytes.
    #[must_use]
    pub fn new(limit: usize) -> Self {
        let head_limit = limit / 100 * HEAD_PERCENT + limit % 100 * HEAD_PERCENT / 100;
        Self {
            head: Vec::new(),
            tail: VecDeque::new(),
            head_limit,
            tail_limit: limit - head_limit,
            total: 0,
        }
    }

    /// Takes the next bytes.
    pub fn push(&mut self, bytes: &[u8]) {
        self.total += bytes.len() as u64;
        let room = self.head_limit - self.head.len();
        let (head, rest) = bytes.split_at(room.min(bytes.len()));
        self.head.extend_from_slice(head);
        if rest.len() >= self.tail_limit {
            self.tail.clear();
            self.tail.extend(&rest[rest.len() - self.tail_limit..]);
        } else {
            let over = (self.tail.len() + rest.len()).saturating_sub(self.tail_limit);
            self.tail.drain(..over);
            self.tail.extend(rest);
        }
    }

    /// How many bytes there were.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.total
    }

    /// The last line with something in it, cut at `max` bytes, for progress reports.
    #[must_use]
    pub fn last_line(&self, max: usize) -> String {
        let end: Vec<u8> = if self.tail.is_empty() {
            self.head[self.head.len().saturating_sub(4 * max)..].to_vec()
        } else {
            let skip = self.tail.len().saturating_sub(4 * max);
            self.tail.iter().skip(skip).copied().collect()
        };
        let text = String::from_utf8_lossy(&end);
        let line = text.lines().rev().find(|l| !l.trim().is_empty()).unwrap_or("").trim();
        line.chars().take(max).collect()
    }

    /// What was kept.
    #[must_use]
    pub fn finish(self) -> Captured {
        let kept = (self.head.len() + self.tail.len()) as u64;
        let (mut head, mut tail) = (self.head, Vec::from(self.tail));
        if kept == self.total {
            head.append(&mut tail);
        } else {
            head.truncate(head.len() - cut_character(&head));
            let skip = tail.iter().take(3).take_while(|b| is_continuation(**b)).count();
            tail.drain(..skip);
        }
        Captured { head, tail, total_bytes: self.total, spill: None }
    }
}

fn is_continuation(byte: u8) -> bool {
    byte & 0b1100_0000 == 0b1000_0000
}

/// How many bytes at the end of `bytes` begin a character that is not complete.
pub(super) fn cut_character(bytes: &[u8]) -> usize {
    for back in 1..=bytes.len().min(3) {
        let byte = bytes[bytes.len() - back];
        let length = match byte {
            0xc2..=0xdf => 2,
            0xe0..=0xef => 3,
            0xf0..=0xf4 => 4,
            b if is_continuation(b) => continue,
            _ => return 0,
        };
        return if length > back { back } else { 0 };
    }
    0
}

#[cfg(test)]
#[path = "collector_tests.rs"]
mod tests;
