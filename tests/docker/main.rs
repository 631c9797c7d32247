//! The docker backend against a real daemon: what becomes of containers, and faults.
//!
//! Runs where `HEXAD_TEST_DOCKER` says that a daemon listens (`scripts/services` starts one); in
//! CI it has to. The daemon's own command line client is the second pair of eyes.
#![expect(clippy::unwrap_used, clippy::print_stderr, reason = "a test program")]

mod containers;
mod crashes;
mod faults;
mod images;
mod support;
