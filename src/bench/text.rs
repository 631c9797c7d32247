//! The report for a terminal.

use std::fmt::Write as _;

use super::report::{LoadReport, Report};
use super::times::Quantiles;

/// The report as text; tables are Markdown, so that they can be pasted.
pub(crate) fn summary(report: &Report) -> String {
    let mut out = format!(
        "hexad {} · {} · {}\nseed {} · {}\n",
        report.version,
        report.backend,
        report.asked,
        report.seed,
        report.machine.line()
    );
    if let Some(load) = &report.load {
        of_load(&mut out, load);
    }
    if !report.scale.is_empty() {
        out.push_str(
            "\n| tasks | start, each | first p50 | first p99 | answer p50 | answer p99 | answers/s \
             | memory, each | fds, each | list | release, each | memory kept, each | left |\n\
             |---|---|---|---|---|---|---|---|---|---|---|---|---|\n",
        );
    }
    for row in &report.scale {
        let _ = writeln!(
            out,
            "| {} | {:.2} ms | {:.2} ms | {:.2} ms | {:.2} ms | {:.2} ms | {:.0} | {:.1} KiB | \
             {:.2} | {:.2} ms | {:.2} ms | {:.1} KiB | {} |",
            row.tasks,
            row.start_ms,
            row.first_command.p50,
            row.first_command.p99,
            row.answer.p50,
            row.answer.p99,
            row.throughput,
            row.memory_kib,
            row.descriptors,
            row.list_ms,
            row.release_ms,
            row.memory_kept_kib,
            row.left
        );
    }
    if !report.drift.is_empty() {
        out.push_str("\n| over the run | from | to | an hour | tolerated | grows |\n|---|---|---|---|---|---|\n");
    }
    for drift in &report.drift {
        let grows = drift.grows.map_or("too few samples", |grows| if grows { "YES" } else { "no" });
        let _ = writeln!(
            out,
            "| {} | {:.1} {unit} | {:.1} {unit} | {:+.1} {unit} | {:.1} {unit} | {grows} |",
            drift.what,
            drift.from,
            drift.to,
            drift.per_hour,
            drift.tolerated,
            unit = drift.unit
        );
    }
    let orphans = &report.orphans;
    let _ = writeln!(
        out,
        "\norphans: {} ({} survived the end of their command, {} left after release, {} zombies); \
         looked at {}",
        orphans.total(),
        orphans.survivors,
        orphans.left,
        orphans.zombies,
        orphans.looked
    );
    for example in &orphans.examples {
        let _ = writeln!(out, "  {example}");
    }
    if let Some(unknown) = &orphans.unknown {
        let _ = writeln!(out, "  not everything is known: {unknown}");
    }
    match report.failures.as_slice() {
        [] => out.push_str("passed\n"),
        failures => failures.iter().for_each(|f| {
            let _ = writeln!(out, "FAILED: {f}");
        }),
    }
    out
}

fn of_load(out: &mut String, load: &LoadReport) {
    let totals = &load.totals;
    let _ = writeln!(
        out,
        "\n{} sent in {:.1} s, {:.1} right answers a second; {} right, {} wrong, {} failed, {} \
         without an answer, {} not sent",
        load.sent,
        load.seconds,
        load.throughput,
        totals.right,
        totals.wrong,
        totals.failed,
        load.unanswered,
        load.not_sent
    );
    for (class, count) in &totals.errors {
        let _ = writeln!(out, "  {class}: {count}");
    }
    for example in &totals.examples {
        let _ = writeln!(out, "  {example}");
    }
    out.push_str(
        "\n| ms | count | p50 | p90 | p99 | p99.9 | max |\n|---|---|---|---|---|---|---|\n",
    );
    let rows = [
        ("answer, from when it was due", totals.answer),
        ("first byte, from when it was due", totals.first_byte),
        ("waiting for the command to begin", load.totals.queue),
        ("over a limit, to the answer", totals.overrun),
        ("interrupt, to the answer", totals.interrupt),
        ("the bench's own lag", totals.lateness),
        ("first command of a task", load.first_command),
    ];
    for (name, q) in rows.into_iter().filter(|(_, q)| q.count > 0) {
        row(out, name, &q);
    }
    for kind in &totals.kinds {
        row(out, &format!("· {}", kind.name), &kind.answer);
    }
    let _ = writeln!(
        out,
        "\nspares: {} of {} commands found one ({:.0} %); each task: {:.1} KiB and {:.2} descriptors \
         of hexad{}",
        load.from_spare,
        load.commands,
        load.spare_rate * 100.0,
        load.memory_kib_per_task,
        load.descriptors_per_task,
        load.target_memory_kib_per_task
            .map_or_else(String::new, |kib| format!(", {kib:.0} KiB of waiting shells"))
    );
}

fn row(out: &mut String, name: &str, q: &Quantiles) {
    let _ = writeln!(
        out,
        "| {name} | {} | {:.2} | {:.2} | {:.2} | {:.2} | {:.2} |",
        q.count, q.p50, q.p90, q.p99, q.p999, q.max
    );
}
