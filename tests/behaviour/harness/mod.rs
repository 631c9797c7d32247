//! What runs the table: targets, rows, comparison, matrix.

pub mod check;
mod matrix;
mod plain;
pub mod row;
mod runner;
pub mod target;

pub use self::runner::{Context, section};
