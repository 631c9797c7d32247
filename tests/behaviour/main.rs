//! The behaviour table: what a command does, the same on every backend.
//!
//! Rows are data ([`harness::row`]) and know no backend; targets ([`harness::target`]) are places
//! to run them. `HEXAD_TEST_TARGETS=local,local-posix` picks targets, `HEXAD_TEST_ROWS=text` picks
//! rows by a part of their id, `HEXAD_TEST_MATRIX=file.md` keeps the table of results.
#![expect(unreachable_pub, clippy::unwrap_used, clippy::print_stdout, reason = "a test program")]

mod harness;
mod library;
mod memory;
mod rows;

use harness::section;

macro_rules! sections {
    ($($name:ident),* $(,)?) => {
        $(
            #[test]
            fn $name() {
                section(stringify!($name), rows::$name::rows);
            }
        )*
    };
}

sections!(
    background,
    directories,
    exits,
    functions,
    kill,
    login,
    output,
    poison,
    policy,
    requests,
    restart,
    state,
    stdin,
);
