//! The local backend against bare bash, as ratios.
//!
//! Every row measures something of ours and a reference in the same run, one after the other
//! within each round, so that whatever else the machine does hits both. A ratio is the median of
//! ours through the median of the reference: for times below 1 is faster than the reference, for
//! rates and throughputs above 1 is. Rows that have no reference are absolute. Everything runs on
//! the workers of one tokio runtime, as it would in a server.
//!
//! ```text
//! cargo bench --bench local                    every row (minutes)
//! cargo bench --bench local -- --quick         fewer rounds, 200 idle environments
//! cargo bench --bench local -- --only warm     rows whose name contains "warm"
//! cargo bench --bench local -- --json FILE     the same as JSON
//! ```
//!
//! It runs in an empty temporary home with a state folder of its own, starts and ends only
//! processes of its own, and fails (status 1) only when something does not work: bars are
//! reported, not enforced, because numbers of a busy machine prove nothing.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a program for people")]

mod endings;
mod idle;
mod latency;
mod load;
mod memory;
mod options;
mod output;
mod place;
mod processor;
mod reference;
mod report;
mod sample;

use std::process::ExitCode;

use options::Options;
use place::Place;
use report::Report;

/// What stops a benchmark: something did not work.
type Failure = Box<dyn std::error::Error + Send + Sync>;

fn main() -> ExitCode {
    match Options::from_arguments(std::env::args().skip(1)).and_then(run) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("benchmark failed: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(options: Options) -> Result<(), Failure> {
    let json = options.json.clone();
    let runtime = tokio::runtime::Runtime::new()?;
    // On a worker and not in `block_on`: that would add a wake-up of another thread to each call.
    let report = runtime.block_on(async move { tokio::spawn(rows(options)).await })??;
    println!("{}", report.markdown());
    if let Some(path) = json {
        std::fs::write(path, serde_json::to_vec_pretty(&report.json())?)?;
    }
    Ok(())
}

async fn rows(options: Options) -> Result<Report, Failure> {
    let place = Place::new()?;
    let mut report = Report::new(&options);
    // First: the growth of the resident set means most in a process that has done little.
    idle::environments(&place, &options, &mut report).await?;
    latency::warm(&place, &options, &mut report).await?;
    latency::back_to_back(&place, &options, &mut report).await?;
    latency::cold(&place, &options, &mut report).await?;
    latency::large_state(&place, &options, &mut report).await?;
    processor::time(&place, &options, &mut report).await?;
    load::sustained(&place, &options, &mut report).await?;
    load::burst(&place, &options, &mut report).await?;
    output::drained(&place, &options, &mut report).await?;
    endings::background(&place, &options, &mut report).await?;
    endings::interrupt(&place, &options, &mut report).await?;
    endings::timeout(&place, &options, &mut report).await?;
    Ok(report)
}

/// Shows a row as soon as it is known; the table follows at the end.
fn progress(line: &str) {
    eprintln!("{line}");
}
