//! What happens to the bytes of a command: kept in bounds, spilled, passed to subscribers.
//! Plain code: nothing here reads a stream or waits.

mod collector;
mod fanout;
mod spill;
mod utf8;

pub use self::collector::Collector;
pub(crate) use self::fanout::Fanout;
pub use self::spill::Spill;
pub use self::utf8::{TextOrBytes, Utf8Chunker};
