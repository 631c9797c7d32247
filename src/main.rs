//! The `hexad` program. See `hexad --help`.

use std::process::ExitCode;

fn main() -> ExitCode {
    // First of all, while there is one thread: see what it promises.
    let env = hexad::sys::take_environment();
    hexad::cli::main(env)
}
