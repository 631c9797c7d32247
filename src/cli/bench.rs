//! `hexad bench`: load on a backend, and what a user would see.

use std::io::{IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use tokio::sync::Notify;

use super::context::{Context, Failure, Signals};
use crate::bench::mix::{BUILT_IN, Mix, PLAIN};
use crate::bench::run::{Plan, Screen, Soak, run as run_load};
use crate::bench::scale::scale;
use crate::bench::schedule::Arrivals;
use crate::bench::span::parse_span;
use crate::bench::{Machine, Pace, Report, page, summary};
use crate::config::{BackendKind, Config};

/// What is exited with when the bench ran and something was not as it has to be.
const EXIT_NOT_PASSED: u8 = 1;

#[derive(Debug, Args)]
#[command(after_help = "\
Open loop and closed loop:
  --rate 50         50 requests a second, whatever the answers do. Times count from when a request
                    was due, so a stall shows in every request that was due meanwhile.
  --concurrency 8   8 callers, each of which waits for its answer. Shows what can be done at most;
                    hides stalls, because nobody asks during one. --think is the pause of a caller.

A mix file says what is asked for (kinds, each with its share):
  seed: 7
  commands:
    - {kind: builtin, share: 40}                 bash alone
    - {kind: external, share: 25}                one program
    - {kind: output, bytes: 200000, share: 5}
    - {kind: stdin, bytes: 4000, share: 5}
    - {kind: sleep, for: 50ms, share: 5}
    - {kind: fail, code: 3, share: 5}
    - {kind: timeout, limit: 200ms, share: 5}    runs into its limit
    - {kind: interrupt, after: 50ms, share: 5}
    - {kind: background, for: 2s, share: 5}      leaves a process running
    - {kind: command, name: status, command: git status, code: 0, share: 5}
Without --mix all kinds are in it; --mix plain is the builtin alone. Every answer is checked.

Examples:
  hexad bench --tasks 16 --rate 100 --duration 30 --report out.html
  hexad bench --backend docker --tasks 4 --concurrency 4 --think 200ms
  hexad bench --soak --rate 2 --duration 4h     fails when memory, descriptors, processes or
                                                answers grow
  hexad bench --scale 1,10,100,1000,10000       cost of a task as their number grows

Exit status: 0; 1 when an answer was wrong, a request failed other than by busy, a process was left
behind or something grew; 2 for a command line or a file that makes no sense; 125 when it could
not be run.")]
pub(super) struct BenchArguments {
    /// Use this backend instead of the configured one
    #[arg(long, value_name = "NAME", conflicts_with = "profile")]
    backend: Option<String>,
    /// Use this profile of the configuration
    #[arg(long, value_name = "NAME")]
    profile: Option<String>,
    /// How many tasks, each with an environment of its own
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    tasks: u32,
    /// Open loop: this many requests a second
    #[arg(long, value_name = "R", conflicts_with_all = ["concurrency", "think", "scale"])]
    rate: Option<f64>,
    /// Spacing in open loop
    #[arg(long, value_name = "HOW", value_enum, default_value = "even")]
    arrivals: Arrivals,
    /// Closed loop: this many callers [default: one for each task]
    #[arg(long, value_name = "C", conflicts_with = "scale", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    concurrency: Option<u32>,
    /// Closed loop: pause of a caller between an answer and its next request
    #[arg(long, value_name = "TIME", value_parser = parse_span)]
    think: Option<Duration>,
    /// How long requests are sent, the warm-up left out [default: 10s, with --soak 1h]
    #[arg(long, value_name = "TIME", value_parser = parse_span)]
    duration: Option<Duration>,
    /// How long requests are sent before they count [default: a tenth of the duration, at most 5s]
    #[arg(long, value_name = "TIME", value_parser = parse_span)]
    warm_up: Option<Duration>,
    /// What is asked for: a file, or plain
    #[arg(long, value_name = "FILE", conflicts_with = "scale")]
    mix: Option<PathBuf>,
    /// Makes the same requests again [default: the mix file's, else 1]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Shells that wait in each environment [default: as configured; with --scale 0]
    #[arg(long, value_name = "0|1", value_parser = clap::value_parser!(u8).range(0..=1))]
    spares: Option<u8>,
    /// Watch for growth and fail when there is any
    #[arg(long, conflicts_with = "scale")]
    soak: bool,
    /// Growth of memory, descriptors and processes that --soak tolerates over the run, in percent
    #[arg(long, value_name = "PERCENT", default_value_t = 15.0)]
    tolerance: f64,
    /// The same for latency, which depends on what else the machine does
    #[arg(long, value_name = "PERCENT", default_value_t = 100.0)]
    latency_tolerance: f64,
    /// Start, use and retire these numbers of tasks, one after the other
    #[arg(long, value_name = "N,N,…", value_delimiter = ',', conflicts_with = "tasks")]
    scale: Vec<usize>,
    /// Print the report as JSON
    #[arg(long)]
    json: bool,
    /// Write the report as a page with plots
    #[arg(long, value_name = "FILE.html")]
    report: Option<PathBuf>,
}

pub(super) async fn run(context: &Context, arguments: BenchArguments) -> Result<u8, Failure> {
    let mut config = context.config(arguments.backend.as_deref())?;
    let profile = config
        .profile(arguments.profile.as_deref())
        .map_err(|e| Failure::usage(format!("--profile: {e}")))?;
    let backend = profile.backend;
    let plan = plan(&arguments, backend)?;
    if let Some(spares) = arguments.spares.or((!arguments.scale.is_empty()).then_some(0)) {
        config.settings.spares = spares.into();
    }
    // Tasks that wait for their turn in a long run must not be retired under it.
    config.settings.idle_lifetime = Duration::ZERO;
    if let Some(path) = &arguments.report {
        // Known before hours of work, not after.
        write(path, "")?;
    }
    let stop = Signals::listen()?.notify();
    let screen = screen();
    let mut report = Report {
        version: env!("CARGO_PKG_VERSION"),
        machine: Machine::look(),
        backend: backend.to_string(),
        asked: asked(&arguments, &plan),
        seed: plan.seed,
        tasks: plan.tasks,
        load: None,
        scale: Vec::new(),
        drift: Vec::new(),
        orphans: Default::default(),
        failures: Vec::new(),
    };
    if arguments.scale.is_empty() {
        of_load(context, config, &plan, &screen, &stop, &mut report).await?;
    } else {
        of_scale(context, &config, &plan, &arguments.scale, &screen, &mut report).await?;
    }
    screen("");
    report.machine.end();
    report.failures = failures(&report);
    if let Some(path) = &arguments.report {
        write(path, &page(&report))?;
    }
    let text = if arguments.json {
        let json = serde_json::to_string_pretty(&report);
        json.map_err(|e| Failure::new(format!("the report as JSON: {e}")))? + "\n"
    } else {
        summary(&report)
    };
    // A reader that went away has seen enough.
    let _ = std::io::stdout().write_all(text.as_bytes());
    Ok(if report.failures.is_empty() { 0 } else { EXIT_NOT_PASSED })
}

fn plan(arguments: &BenchArguments, backend: BackendKind) -> Result<Plan, Failure> {
    let mix = match &arguments.mix {
        None => Mix::parse(BUILT_IN),
        Some(path) if path == Path::new("plain") => Mix::parse(PLAIN),
        Some(path) => {
            std::fs::read_to_string(path).map_err(|e| e.to_string()).and_then(|t| Mix::parse(&t))
        }
    };
    let shown = arguments.mix.as_deref().unwrap_or(Path::new("")).display();
    let mix = mix.map_err(|error| Failure::usage(format!("--mix {shown}: {error}")))?;
    let tasks = arguments.tasks as usize;
    let soak_pace = (arguments.soak && arguments.concurrency.is_none()).then_some(2.0);
    let pace = match arguments.rate.or(soak_pace) {
        Some(rate) if rate.is_finite() && rate > 0.0 && rate <= 1e6 => {
            Pace::Open { rate, arrivals: arguments.arrivals }
        }
        Some(rate) => {
            return Err(Failure::usage(format!(
                "--rate: {rate} is not a rate above 0, a million at most"
            )));
        }
        None => Pace::Closed {
            callers: arguments.concurrency.map_or(tasks, |c| c as usize),
            think: arguments.think.unwrap_or_default(),
        },
    };
    let usual = Duration::from_secs(if arguments.soak { 3600 } else { 10 });
    let duration = arguments.duration.unwrap_or(usual);
    if duration.is_zero() {
        return Err(Failure::usage("--duration: 0 measures nothing"));
    }
    if arguments.scale.contains(&0) {
        return Err(Failure::usage("--scale: 0 tasks cannot be measured"));
    }
    let percent = |name: &str, value: f64| {
        if value.is_finite() && value >= 0.0 {
            Ok(value / 100.0)
        } else {
            Err(Failure::usage(format!("--{name}: {value} is not a percentage from 0 up")))
        }
    };
    let soak = Soak {
        growth: percent("tolerance", arguments.tolerance)?,
        latency: percent("latency-tolerance", arguments.latency_tolerance)?,
    };
    Ok(Plan {
        tasks,
        pace,
        warm_up: arguments.warm_up.unwrap_or((duration / 10).min(Duration::from_secs(5))),
        duration,
        seed: arguments.seed.or(mix.seed).unwrap_or(1),
        works: mix.works,
        profile: arguments.profile.clone(),
        local: backend == BackendKind::Local,
        soak: arguments.soak.then_some(soak),
    })
}

/// What was asked for, in words.
fn asked(arguments: &BenchArguments, plan: &Plan) -> String {
    if !arguments.scale.is_empty() {
        return format!("{:?} tasks, started, used and released", arguments.scale);
    }
    let pace = match plan.pace {
        Pace::Open { rate, arrivals: Arrivals::Even } => format!("{rate} requests a second"),
        Pace::Open { rate, .. } => format!("{rate} requests a second at random"),
        Pace::Closed { callers, think } => format!("{callers} callers, {think:?} between"),
    };
    let mix: Vec<String> =
        plan.works.iter().map(|w| format!("{} {:.0} %", w.name, w.share * 100.0)).collect();
    let soak = if plan.soak.is_some() { "soak, " } else { "" };
    format!("{soak}{} tasks, {pace}, {:?}: {}", plan.tasks, plan.duration, mix.join(", "))
}

async fn of_load(
    context: &Context,
    config: Config,
    plan: &Plan,
    screen: &Screen,
    stop: &Arc<Notify>,
    report: &mut Report,
) -> Result<(), Failure> {
    let hexad = context.start(config, false, None).await?;
    let done = run_load(&hexad, plan, screen, stop).await;
    let stopped = hexad.shutdown().await;
    let done = done?;
    stopped?;
    (report.load, report.drift, report.orphans) = (Some(done.load), done.drift, done.orphans);
    Ok(())
}

async fn of_scale(
    context: &Context,
    config: &Config,
    plan: &Plan,
    sizes: &[usize],
    screen: &Screen,
    report: &mut Report,
) -> Result<(), Failure> {
    for &size in sizes {
        let hexad = context.start(config.clone(), false, None).await?;
        let row = scale(&hexad, plan, size, screen, &mut report.orphans).await;
        let stopped = hexad.shutdown().await;
        report.scale.push(row?);
        stopped?;
    }
    Ok(())
}

/// Why the run does not pass.
fn failures(report: &Report) -> Vec<String> {
    let mut failures = Vec::new();
    let mut add = |count: u64, what: &str| {
        if count > 0 {
            failures.push(format!("{count} {what}"));
        }
    };
    if let Some(load) = &report.load {
        add(load.totals.wrong, "answers were wrong");
        let busy = load.totals.errors.get("busy").copied().unwrap_or(0);
        add(load.totals.failed - busy, "requests failed with an error");
        add(load.unanswered, "requests were never answered");
        add(load.totals.early, "commands were ended before their limit");
    }
    add(report.orphans.total() as u64, "processes were left behind");
    for drift in report.drift.iter().filter(|drift| drift.grows == Some(true)) {
        failures.push(format!(
            "{} grows: from {:.1} to {:.1} {}, {:.1} tolerated",
            drift.what, drift.from, drift.to, drift.unit, drift.tolerated
        ));
    }
    failures
}

/// A line on a terminal that is written anew each time; nothing elsewhere.
fn screen() -> Screen {
    if !std::io::stderr().is_terminal() {
        return Arc::new(|_| {});
    }
    Arc::new(|line| {
        let _ = write!(std::io::stderr(), "\r\x1b[K{line}");
    })
}

fn write(path: &Path, text: &str) -> Result<(), Failure> {
    std::fs::write(path, text)
        .map_err(|error| Failure::usage(format!("--report {}: {error}", path.display())))
}
