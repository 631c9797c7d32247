//! The rows, by what they are about.

pub mod exits;
pub mod functions;
pub mod output;
pub mod state;
