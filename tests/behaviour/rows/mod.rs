//! The rows, by what they are about.

pub mod background;
pub mod directories;
pub mod exits;
pub mod functions;
pub mod kill;
pub mod output;
pub mod poison;
pub mod state;
pub mod stdin;
