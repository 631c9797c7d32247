//! The report as one page that needs nothing from anywhere: no script, no font, no request.

use std::fmt::Write as _;

use super::plot::{Plot, Scale, Series, escape, number};
use super::report::{LoadReport, Report};
use super::scale::ScaleRow;
use super::times::Quantiles;

const STYLE: &str = include_str!("page.css");

/// The page.
pub(crate) fn page(report: &Report) -> String {
    let mut body = String::new();
    let verdict = if report.failures.is_empty() {
        "<span class=\"verdict good\">passed</span>".to_owned()
    } else {
        format!("<span class=\"verdict bad\">failed: {}</span>", report.failures.len())
    };
    let _ = write!(
        body,
        "<header><h1>hexad bench <small>{}</small></h1>{verdict}<p>{} · seed {}</p><p>{}</p></header>",
        escape(&report.backend),
        escape(&report.asked),
        report.seed,
        escape(&report.machine.line())
    );
    for failure in &report.failures {
        let _ = write!(body, "<p class=\"failure\">{}</p>", escape(failure));
    }
    cards(&mut body, report);
    if let Some(load) = &report.load {
        of_load(&mut body, load);
    }
    if !report.scale.is_empty() {
        of_scale(&mut body, &report.scale);
    }
    if !report.drift.is_empty() {
        of_drift(&mut body, report);
    }
    of_orphans(&mut body, report);
    format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" \
         content=\"width=device-width,initial-scale=1\"><title>hexad bench: {}</title>\
         <style>{STYLE}</style></head><body><main>{body}<footer>hexad {}</footer></main></body></html>\n",
        escape(&report.backend),
        report.version
    )
}

fn cards(out: &mut String, report: &Report) {
    let mut cards: Vec<(&str, String, String)> = Vec::new();
    if let Some(load) = &report.load {
        let t = &load.totals;
        let ms = |v: f64| format!("{} ms", number(v));
        cards.push(("median answer", ms(t.answer.p50), format!("p99 {}", ms(t.answer.p99))));
        cards.push((
            "right answers a second",
            number(load.throughput),
            format!("{} of {} right", t.right, t.requests),
        ));
        cards.push((
            "found a waiting shell",
            format!("{:.0} %", load.spare_rate * 100.0),
            format!("{} of {} commands", load.from_spare, load.commands),
        ));
        if t.overrun.count > 0 {
            let early = format!("p99 {}, {} too early", ms(t.overrun.p99), t.early);
            cards.push(("over a limit", ms(t.overrun.p50), early));
        }
    }
    if let Some(last) = report.scale.last() {
        let memory = format!("{} KiB each", number(last.memory_kib));
        cards.push(("tasks at once", last.tasks.to_string(), memory));
    }
    let orphans = report.orphans.total();
    cards.push(("orphans", orphans.to_string(), "processes left behind".to_owned()));
    out.push_str("<section class=\"cards\">");
    for (name, value, beside) in cards {
        let _ = write!(
            out,
            "<div class=\"card\"><b>{value}</b><span>{name}</span><i>{beside}</i></div>"
        );
    }
    out.push_str("</section>");
}

fn of_load(out: &mut String, load: &LoadReport) {
    let timeline = &load.totals.timeline;
    let over = |of: fn(&super::statistics::Slice) -> f64| {
        // A stretch without an answer has no latency; a gap is more honest than a zero.
        let filled = timeline.iter().filter(|slice| slice.answered > 0);
        filled.map(|slice| (slice.seconds, of(slice))).collect()
    };
    let seconds = ("seconds", Scale::Linear);
    figure(
        out,
        "Latency over time",
        "From when a request was due to its answer, by when it was answered.",
        &Plot {
            x: seconds,
            y: ("ms", Scale::Log),
            series: vec![
                Series::line("p50", over(|s| s.p50)),
                Series::line("p99", over(|s| s.p99)),
                Series::line("max", over(|s| s.max)),
            ],
        },
    );
    let bins = &load.totals.histogram;
    let mut bars: Vec<(f64, f64)> = bins.iter().map(|b| (b.from_ms, b.count as f64)).collect();
    bars.extend(bins.last().map(|b| (b.to_ms, 0.0)));
    figure(
        out,
        "Latency",
        "How many answers took how long; ten bars for each power of ten.",
        &Plot {
            x: ("ms", Scale::Log),
            y: ("answers", Scale::Linear),
            series: vec![Series::bars("answers", bars)],
        },
    );
    let rate = |of: fn(&super::statistics::Slice) -> u64| -> Vec<(f64, f64)> {
        timeline.iter().map(|s| (s.seconds, of(s) as f64 / s.width)).collect()
    };
    figure(
        out,
        "Throughput",
        "Answers a second, and those of them that were wrong or errors.",
        &Plot {
            x: seconds,
            y: ("a second", Scale::Linear),
            series: vec![
                Series::line("answered", rate(|s| s.answered)),
                Series::line("bad", rate(|s| s.failed)),
            ],
        },
    );
    let memory = load.resources.iter().map(|r| (r.seconds, r.memory_kib / 1024.0)).collect();
    let descriptors = load.resources.iter().map(|r| (r.seconds, r.descriptors)).collect();
    let processes: Vec<(f64, f64)> =
        load.resources.iter().filter_map(|r| Some((r.seconds, r.processes?))).collect();
    let line = |name: &'static str, points| Plot {
        x: seconds,
        y: (name, Scale::Linear),
        series: vec![Series::line(name, points)],
    };
    figure(out, "Memory of hexad", "Resident.", &line("MiB", memory));
    figure(out, "Descriptors of hexad", "Open.", &line("descriptors", descriptors));
    if !processes.is_empty() {
        figure(out, "Processes", "On the target.", &line("processes", processes));
    }
    times(out, load);
}

fn times(out: &mut String, load: &LoadReport) {
    let t = &load.totals;
    out.push_str(
        "<section><h2>Times in ms</h2><table><tr><th></th><th>count</th><th>p50</th><th>p90</th>\
         <th>p99</th><th>p99.9</th><th>max</th></tr>",
    );
    let mut rows: Vec<(String, Quantiles)> = [
        ("answer, from when it was due", t.answer),
        ("first byte, from when it was due", t.first_byte),
        ("waiting for the command to begin", t.queue),
        ("over a limit, to the answer", t.overrun),
        ("interrupt, to the answer", t.interrupt),
        ("the bench's own lag", t.lateness),
        ("first command of a task", load.first_command),
    ]
    .map(|(name, q)| (name.to_owned(), q))
    .to_vec();
    for kind in &t.kinds {
        let name = format!(
            "{}: {} right, {} wrong, {} failed",
            kind.name, kind.right, kind.wrong, kind.failed
        );
        rows.push((name, kind.answer));
    }
    for (name, q) in rows {
        let _ = write!(out, "<tr><td>{}</td><td>{}</td>", escape(&name), q.count);
        for value in [q.p50, q.p90, q.p99, q.p999, q.max] {
            let _ =
                write!(out, "<td>{}</td>", if q.count > 0 { number(value) } else { "–".into() });
        }
        out.push_str("</tr>");
    }
    out.push_str("</table>");
    for (class, count) in &t.errors {
        let _ = write!(out, "<p>{class}: {count}</p>");
    }
    for example in &t.examples {
        let _ = write!(out, "<p class=\"failure\">{}</p>", escape(example));
    }
    let _ = write!(
        out,
        "<p>Each task: {} KiB and {} descriptors of hexad.</p></section>",
        number(load.memory_kib_per_task),
        number(load.descriptors_per_task)
    );
}

fn of_scale(out: &mut String, rows: &[ScaleRow]) {
    let over = |of: fn(&ScaleRow) -> f64| -> Vec<(f64, f64)> {
        rows.iter().map(|row| (row.tasks as f64, of(row))).collect()
    };
    let tasks = ("tasks", Scale::Log);
    figure(
        out,
        "Time as tasks grow",
        "Sixteen at once at every size.",
        &Plot {
            x: tasks,
            y: ("ms", Scale::Log),
            series: vec![
                Series::line("start, each", over(|r| r.start_ms)),
                Series::line("answer p50", over(|r| r.answer.p50)),
                Series::line("answer p99", over(|r| r.answer.p99)),
                Series::line("release, each", over(|r| r.release_ms)),
            ],
        },
    );
    figure(
        out,
        "Memory as tasks grow",
        "Growth of hexad through each task, and what is left of it after release.",
        &Plot {
            x: tasks,
            y: ("KiB each", Scale::Linear),
            series: vec![
                Series::line("used", over(|r| r.memory_kib)),
                Series::line("kept", over(|r| r.memory_kept_kib)),
            ],
        },
    );
    out.push_str(
        "<section><table><tr><th>tasks</th><th>start ms</th><th>answer p50</th><th>answer p99</th>\
         <th>answers/s</th><th>KiB</th><th>descriptors</th><th>list ms</th><th>release ms</th>\
         <th>left</th></tr>",
    );
    for row in rows {
        let _ = write!(out, "<tr><td>{}</td>", row.tasks);
        for value in [
            row.start_ms,
            row.answer.p50,
            row.answer.p99,
            row.throughput,
            row.memory_kib,
            row.descriptors,
            row.list_ms,
            row.release_ms,
            row.left as f64,
        ] {
            let _ = write!(out, "<td>{}</td>", number(value));
        }
        out.push_str("</tr>");
    }
    out.push_str("</table></section>");
}

fn of_drift(out: &mut String, report: &Report) {
    out.push_str(
        "<section><h2>Drift</h2><table><tr><th></th><th>from</th><th>to</th><th>an hour</th>\
         <th>tolerated</th><th>grows</th></tr>",
    );
    for drift in &report.drift {
        let grows = drift.grows.map_or("too few samples", |grows| if grows { "yes" } else { "no" });
        let name = format!("{} {}", drift.what, drift.unit);
        let _ = write!(out, "<tr><td>{}</td>", escape(name.trim()));
        for value in [drift.from, drift.to, drift.per_hour, drift.tolerated] {
            let _ = write!(out, "<td>{}</td>", number(value));
        }
        let _ = write!(out, "<td>{grows}</td></tr>");
    }
    out.push_str("</table></section>");
}

fn of_orphans(out: &mut String, report: &Report) {
    let o = &report.orphans;
    let _ = write!(
        out,
        "<section><h2>Orphans</h2><p>{} survived the end of their command, {} were left after \
         release, {} zombies. Looked at {}.</p>",
        o.survivors,
        o.left,
        o.zombies,
        escape(&o.looked)
    );
    for line in o.examples.iter().chain(&o.unknown) {
        let _ = write!(out, "<p class=\"failure\">{}</p>", escape(line));
    }
    out.push_str("</section>");
}

fn figure(out: &mut String, title: &str, text: &str, plot: &Plot) {
    let _ = write!(
        out,
        "<figure><figcaption><h2>{}</h2>{}</figcaption>{}</figure>",
        escape(title),
        escape(text),
        plot.svg()
    );
}
