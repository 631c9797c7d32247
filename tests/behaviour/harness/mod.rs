//! What runs the table: targets, rows, comparison, matrix.

mod check;
mod cmd;
mod context;
#[cfg(feature = "docker")]
mod docker;
mod events;
mod matrix;
mod plain;
pub mod row;
mod runner;
#[cfg(feature = "ssh")]
mod ssh;
pub mod target;

pub use self::context::Context;
pub use self::runner::section;
