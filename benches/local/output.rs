//! Much output: how fast it is drained, and that memory does not grow with it.

use crate::Failure;
use crate::memory;
use crate::options::Options;
use crate::place::Place;
use crate::reference;
use crate::report::{Bar, Report};
use crate::sample::{Samples, execute};

/// 1 GiB through hexad, which keeps its head and tail, and through a pipe to `cat`.
pub(crate) async fn drained(
    place: &Place,
    options: &Options,
    report: &mut Report,
) -> Result<(), Failure> {
    let rows = ["output: 1 GiB drained", "output: growth of the peak resident set"];
    if !options.wants(&rows) {
        return Ok(());
    }
    let hexad = place.start(&[]).await?;
    let task = hexad.task("output");
    let pipe = "bash -c 'head -c 1G /dev/zero' | cat >/dev/null";
    execute(&task, "true").await?;
    let rate = |took: std::time::Duration| 1024.0 / took.as_secs_f64();
    let (mut ours, mut theirs, mut growth) =
        (Samples::default(), Samples::default(), Samples::default());
    for _ in 0..options.rounds(9, 3) {
        memory::forget_peak();
        let before = memory::resident();
        ours.push(rate(execute(&task, "head -c 1G /dev/zero").await?));
        growth.push((memory::peak() - before).max(0.0) / 1024.0);
        theirs.push(rate(reference::bash(place, &["-c", pipe]).await?));
    }
    report.compare(rows[0], "MiB/s", &ours, (&format!("`{pipe}`"), &theirs), Bar::AtLeast(0.7));
    report.absolute(rows[1], "MiB", growth, Bar::AtMost(4.0));
    Ok(hexad.shutdown().await?)
}
