//! The processor time that a command costs, our own and that of the shells together. It hardly
//! depends on what else the machine does, and bounds the rate at which commands can be run.

use std::fs;
use std::time::Duration;

use crate::Failure;
use crate::options::Options;
use crate::place::Place;
use crate::reference::{self, BARE};
use crate::report::{Bar, Report};
use crate::sample::{Samples, execute};

/// Commands between two looks at the clock, which ticks in hundredths of a second.
const TRAIN: usize = 50;
/// Enough for the next shell to be ready.
const THINKING: Duration = Duration::from_millis(8);

/// With and without spares. The shell that is started for the next command counts too.
pub(crate) async fn time(
    place: &Place,
    options: &Options,
    report: &mut Report,
) -> Result<(), Failure> {
    let kinds = [
        ("processor time: `true`, warm", "1", THINKING),
        ("processor time: `true`, warm, back to back", "1", Duration::ZERO),
        ("processor time: `true`, no spare", "0", Duration::ZERO),
    ];
    for (row, spares, pause) in kinds {
        if !options.wants(&[row]) {
            continue;
        }
        let hexad = place.start(&[("spares", spares)]).await?;
        let task = hexad.task("processor");
        execute(&task, "true").await?;
        let (mut ours, mut bare) = (Samples::default(), Samples::default());
        for _ in 0..options.rounds(11, 3) {
            let before = used();
            for _ in 0..TRAIN {
                execute(&task, "true").await?;
                tokio::time::sleep(pause).await;
            }
            ours.push((used() - before) / TRAIN as f64);
            tokio::time::sleep(2 * THINKING).await;
            let before = used();
            for _ in 0..TRAIN {
                reference::bash(place, BARE).await?;
                tokio::time::sleep(pause).await;
            }
            bare.push((used() - before) / TRAIN as f64);
        }
        let reference = "`bash --norc --noprofile -c true`";
        report.compare(row, "ms", &ours, (reference, &bare), Bar::None);
        hexad.shutdown().await?;
    }
    Ok(())
}

/// User and system time of this process and of the children it has waited for, in milliseconds.
fn used() -> f64 {
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = stat.rsplit(')').next().unwrap_or_default().split_ascii_whitespace();
    // Fields 14 to 17, in ticks of 10 ms; the first one behind the name is number 3.
    fields.skip(11).take(4).filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>() * 10.0
}
