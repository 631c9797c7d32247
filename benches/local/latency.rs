//! How long one command takes, from the Execute message to its reply.

use std::fmt::Write as _;
use std::time::Duration;

use hexad::Hexad;

use crate::Failure;
use crate::options::Options;
use crate::place::Place;
use crate::reference::{self, BARE, PLAIN};
use crate::report::{Bar, Report};
use crate::sample::{Samples, by_turns, contender, execute};

/// Between two commands of a session that thinks: enough for the next shell to be ready.
const THINKING: Duration = Duration::from_millis(8);
const PLAIN_NAME: &str = "`bash -c true`";
const BARE_NAME: &str = "`bash --norc --noprofile -c true`";

/// The usual case: the next shell was started while the caller was thinking.
pub(crate) async fn warm(
    place: &Place,
    options: &Options,
    report: &mut Report,
) -> Result<(), Failure> {
    let row = "warm: `true`, 8 ms think time";
    if !options.wants(&[row]) {
        return Ok(());
    }
    let hexad = place.start(&[]).await?;
    let [ours, bare, plain] = against_bash(place, &hexad, options, THINKING).await?;
    report.compare(row, "ms", &ours, (BARE_NAME, &bare), Bar::AtMost(0.7));
    report.compare(row, "ms", &ours, (PLAIN_NAME, &plain), Bar::AtMost(0.7));
    Ok(hexad.shutdown().await?)
}

/// No think time: the next shell is not ready when its command arrives.
pub(crate) async fn back_to_back(
    place: &Place,
    options: &Options,
    report: &mut Report,
) -> Result<(), Failure> {
    let row = "warm, back to back: `true`, no think time";
    if !options.wants(&[row]) {
        return Ok(());
    }
    let hexad = place.start(&[]).await?;
    let task = hexad.task("back-to-back");
    execute(&task, "true").await?;
    // By turns, each in a train of its own: otherwise the reference would be our think time.
    let (mut ours, mut bare) = (Samples::default(), Samples::default());
    for _ in 0..options.rounds(20, 5) {
        for _ in 0..20 {
            ours.push(crate::sample::millis(execute(&task, "true").await?));
        }
        tokio::time::sleep(THINKING).await;
        for _ in 0..20 {
            bare.push(crate::sample::millis(reference::bash(place, BARE).await?));
        }
    }
    report.compare(row, "ms", &ours, (BARE_NAME, &bare), Bar::None);
    Ok(hexad.shutdown().await?)
}

/// Without spares: a shell is started when its command arrives.
pub(crate) async fn cold(
    place: &Place,
    options: &Options,
    report: &mut Report,
) -> Result<(), Failure> {
    let row = "cold: `true`, no spare";
    if !options.wants(&[row]) {
        return Ok(());
    }
    let hexad = place.start(&[("spares", "0")]).await?;
    let [ours, bare, plain] = against_bash(place, &hexad, options, THINKING).await?;
    report.compare(row, "ms", &ours, (BARE_NAME, &bare), Bar::AtMost(1.5));
    report.compare(row, "ms", &ours, (PLAIN_NAME, &plain), Bar::AtMost(1.5));
    Ok(hexad.shutdown().await?)
}

/// Warm, with much to carry over from each command to the next.
pub(crate) async fn large_state(
    place: &Place,
    options: &Options,
    report: &mut Report,
) -> Result<(), Failure> {
    let row = "warm, large state: 200 variables, 50 functions";
    if !options.wants(&[row]) {
        return Ok(());
    }
    let hexad = place.start(&[]).await?;
    let mut script = String::new();
    for n in 0..200 {
        let _ = writeln!(script, "export BENCH_{n}='a value of a usual length, number {n}'");
    }
    for n in 0..50 {
        let _ = writeln!(
            script,
            "f{n} () {{ local a=$1; if [[ -n $a ]]; then echo \"$a {n}\"; else return {n}; fi; }}"
        );
    }
    execute(&hexad.task("latency"), &script).await?;
    let think = 2 * THINKING;
    let [ours, bare, _] = against_bash(place, &hexad, options, think).await?;
    report.compare(row, "ms", &ours, (BARE_NAME, &bare), Bar::None);
    Ok(hexad.shutdown().await?)
}

async fn against_bash(
    place: &Place,
    hexad: &Hexad,
    options: &Options,
    think: Duration,
) -> Result<[Samples; 3], Failure> {
    let task = hexad.task("latency");
    let ours = contender(&task, "true");
    let bare = reference::contender(place, BARE);
    let plain = reference::contender(place, PLAIN);
    by_turns(options.rounds(500, 100), think, [ours, bare, plain]).await
}
