//! The wire vocabulary: requests and events as JSON, the same on every gateway.
//!
//! Plain types and conversions; nothing here waits or does I/O.

mod event;
mod request;

pub use self::event::{done, error, event, execute_event};
pub use self::request::{ExecuteFields, Op, Request, RequestError};
