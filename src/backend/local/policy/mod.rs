//! What a child of the local backend starts with: its environment, its working directory, its
//! shell and its temp dir.
//!
//! Everything here is a plain function of its arguments; at most it asks the file system whether
//! a path can be used. It must not start a process, wait, change this process's own environment
//! or directory, or write a variable's *value* into a notice, an error or a log line: many of
//! the values that pass through here are secrets.
//!
//! [`child_environment`] is meant to be the only way an environment for a child is made. A place
//! that starts processes with an inherited environment goes round every rule in this folder.

mod bash;
mod blocklist;
mod cwd;
mod defaults;
mod environment;
mod home;
mod names;
mod search_path;
mod secrets;
mod settings;
mod shell_start;
mod temp;

pub use bash::{FoundShell, ShellNotFound, find_shell};
pub use cwd::{initial_cwd, nearest_usable, usable_dir};
pub use defaults::NON_INTERACTIVE;
pub use environment::child_environment;
pub use home::HomeMode;
pub use search_path::{STANDARD_DIRS, complete_path, merge_path};
pub use secrets::{NameClass, classify};
pub use settings::{ChildEnvironment, Policy};
pub use temp::temp_dir;
