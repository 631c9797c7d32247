//! Running one command in one shell: from the block on standard input to the final record.
//!
//! This is spawned work of an environment. It never touches the environment's state: what came of
//! it is a [`Report`].

mod capture;
mod drive;
mod kill;
mod report;
mod shell;
mod streams;

pub(crate) use self::drive::{Control, run};
pub(crate) use self::kill::{end_everything, terminate};
pub(crate) use self::report::{Job, Leftover, Report};
pub(crate) use self::shell::{Marks, Shell};
