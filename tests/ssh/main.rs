//! The ssh backend against real servers: what becomes of connections, faults, ways to log in.
//!
//! Runs where `HEXAD_TEST_SSH` names the folder of the servers (`scripts/services` starts them); in
//! CI it has to.
#![expect(clippy::unwrap_used, clippy::print_stderr, reason = "a test program")]

mod accounts;
mod auth;
mod connections;
mod faults;
mod proxy;
mod support;
