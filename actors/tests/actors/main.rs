//! The runtime as its callers see it, under paused time, on fakes that write down every call.
#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

mod crash;
mod forks;
mod interrupt;
mod janitor;
mod lost;
mod order;
mod provisioning;
mod records;
mod release;
mod repeat;
mod shutdown;
mod spares;
mod store;
mod subscribers;
mod support;
mod timeout;
