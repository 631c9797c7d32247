//! The rows, by what they are about.

pub mod directories;
pub mod exits;
pub mod functions;
pub mod output;
pub mod state;
pub mod stdin;
