//! The rows, by what they are about.

pub mod background;
pub mod directories;
pub mod exits;
pub mod functions;
pub mod kill;
pub mod login;
pub mod output;
pub mod poison;
pub mod policy;
pub mod requests;
pub mod restart;
pub mod state;
pub mod stdin;
