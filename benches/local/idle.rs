//! Many environments that do nothing: what each costs, and that they still work.

use std::time::{Duration, Instant};

use hexad::Hexad;
use tokio::task::JoinSet;

use crate::Failure;
use crate::memory;
use crate::options::Options;
use crate::place::Place;
use crate::report::{Bar, Report};
use crate::sample::{Samples, execute, millis};

/// How many run their first command at the same time.
const AT_ONCE: usize = 16;

/// Environments that have run one command each and keep no spare. The memory of each is the
/// growth of this process through their number.
pub(crate) async fn environments(
    place: &Place,
    options: &Options,
    report: &mut Report,
) -> Result<(), Failure> {
    let count = options.rounds(10_000, 200);
    let rows = [
        format!("{count} idle environments: memory of each"),
        format!("{count} idle environments: making one, `true` included"),
        format!("{count} idle environments: `true` in one of them"),
    ];
    if !options.wants(&rows.each_ref().map(String::as_str)) {
        return Ok(());
    }
    let settings = [("spares", "0"), ("login_shell", "false"), ("lifetime_seconds", "0")];
    let hexad = place.start(&settings).await?;
    // What the first ones allocate is the runtime's, not theirs.
    first_commands(&hexad, "first", AT_ONCE).await?;
    let before = memory::resident();
    let start = Instant::now();
    first_commands(&hexad, "idle", count).await?;
    let making = start.elapsed();
    // The last workers of the runtime put things away.
    tokio::time::sleep(Duration::from_millis(300)).await;
    let growth = memory::resident() - before;
    report.absolute(&rows[0], "KiB", one(growth / count as f64), Bar::AtMost(64.0));
    report.absolute(&rows[1], "ms", one(millis(making) / count as f64), Bar::None);

    let mut again = Samples::default();
    for n in (0..count).step_by((count / 100).max(1)) {
        again.push(millis(execute(&hexad.task(format!("idle-{n}")), "true").await?));
    }
    report.absolute(&rows[2], "ms", again, Bar::None);
    let found = hexad.list().await?.len();
    if found != count + AT_ONCE {
        return Err(format!("there are {found} environments").into());
    }
    Ok(hexad.shutdown().await?)
}

fn one(value: f64) -> Samples {
    let mut samples = Samples::default();
    samples.push(value);
    samples
}

/// Runs the first command of `count` new environments, some at a time.
async fn first_commands(hexad: &Hexad, name: &str, count: usize) -> Result<(), Failure> {
    let mut workers = JoinSet::new();
    for worker in 0..AT_ONCE {
        let (hexad, name) = (hexad.clone(), name.to_owned());
        workers.spawn(async move {
            for n in (worker..count).step_by(AT_ONCE) {
                execute(&hexad.task(format!("{name}-{n}")), "true").await?;
            }
            Ok::<(), Failure>(())
        });
    }
    while let Some(done) = workers.join_next().await {
        done??;
    }
    Ok(())
}
