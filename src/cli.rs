//! The command line.

mod args;
#[cfg(feature = "bench")]
mod bench;
mod context;
mod doctor;
mod exec;
mod serve;
mod shell;
mod tasks;

use std::ffi::OsString;
use std::io::Write as _;
use std::process::ExitCode;

use clap::Parser as _;

use self::args::{Arguments, Command};
use self::context::{Context, Failure};

/// What hexad exits with when it failed itself, as opposed to the command it ran.
pub const EXIT_FAILED: u8 = 125;

/// Runs the program: parses the command line, reads the configuration, does what was asked.
/// `env` is the environment of the process, taken by [`crate::sys::take_environment`].
#[must_use]
pub fn main(env: Vec<(OsString, OsString)>) -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            let code = if error.use_stderr() { 2 } else { 0 };
            let _ = error.print();
            return ExitCode::from(code);
        }
    };
    let context = Context::new(&arguments, env);
    context.start_logging();
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return report(&Failure::new(format!("no threads: {error}"))),
    };
    let code = runtime.block_on(async {
        match arguments.command {
            Command::Exec(exec) => exec::run(&context, exec).await,
            Command::Shell(shell) => shell::run(&context, shell).await,
            Command::Serve(serve) => serve::run(&context, &serve).await,
            Command::State(state) => tasks::state(&context, &state),
            Command::List(list) => tasks::list(&context, &list),
            Command::Release(release) => tasks::release(&context, release).await,
            #[cfg(feature = "bench")]
            Command::Bench(bench) => bench::run(&context, *bench).await,
            Command::Doctor => doctor::run(&context).await,
            Command::Config(config) => tasks::config(&context, &config),
        }
    });
    // A reader of standard input that is still blocked must not hold the exit up.
    runtime.shutdown_background();
    match code {
        Ok(code) => ExitCode::from(code),
        Err(failure) => report(&failure),
    }
}

fn report(failure: &Failure) -> ExitCode {
    let _ = writeln!(std::io::stderr(), "hexad: {}", failure.message);
    ExitCode::from(failure.code)
}
