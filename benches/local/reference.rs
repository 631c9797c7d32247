//! The reference: a bare bash, started and waited for by this program through `tokio::process`,
//! its streams closed. The cheapest way there is to run a command in a fresh bash.

use std::process::Stdio;
use std::time::{Duration, Instant};

use tokio::process::Command;

use crate::Failure;
use crate::place::Place;
use crate::sample::Contender;

/// `bash -c true`.
pub(crate) const PLAIN: &[&str] = &["-c", "true"];
/// The same with the flags that our own shells get.
pub(crate) const BARE: &[&str] = &["--norc", "--noprofile", "-c", "true"];

/// Runs bash once; gives how long it took from before the start to behind the exit.
pub(crate) async fn bash(place: &Place, arguments: &[&str]) -> Result<Duration, Failure> {
    // By its path: with a bare name and a `PATH` of the child's own, the standard library would
    // fork, which is several times slower than the `posix_spawn` that it uses otherwise.
    let mut command = Command::new(&place.bash);
    command.args(arguments).env_clear().envs(place.env()).kill_on_drop(true);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let start = Instant::now();
    let status = command.status().await?;
    let took = start.elapsed();
    if status.success() { Ok(took) } else { Err(format!("bash ended with {status}").into()) }
}

/// The same as something to measure again and again.
pub(crate) fn contender<'a>(place: &'a Place, arguments: &'a [&'a str]) -> Contender<'a> {
    Box::new(move || Box::pin(bash(place, arguments)))
}
