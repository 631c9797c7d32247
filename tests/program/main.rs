//! Whole-program tests: they start the `hexad` binary as a user, a bot or a crash would.
#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on fails")]

#[cfg(feature = "bench")]
mod bench;
mod crash;
mod exec;
mod serve;
mod support;
mod tasks;
mod volume;
