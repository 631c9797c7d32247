//! The table.

use std::fmt::Write as _;
use std::fs;

use serde_json::{Value, json};

use crate::options::Options;
use crate::sample::Samples;

/// What a row should reach.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Bar {
    /// The number is only shown.
    None,
    /// The ratio, or the value of a row without a reference, is at most this.
    AtMost(f64),
    /// The same, at least.
    AtLeast(f64),
}

/// One line of the table.
#[derive(Debug)]
struct Row {
    name: String,
    unit: &'static str,
    ours: Samples,
    reference: Option<(String, Samples)>,
    bar: Bar,
}

impl Row {
    fn ratio(&self) -> Option<f64> {
        let (_, reference) = self.reference.as_ref()?;
        Some(self.ours.median() / reference.median())
    }

    fn reached(&self) -> Option<bool> {
        let value = self.ratio().unwrap_or_else(|| self.ours.median());
        match self.bar {
            Bar::None => None,
            Bar::AtMost(bar) => Some(value <= bar),
            Bar::AtLeast(bar) => Some(value >= bar),
        }
    }
}

/// The rows of a run and the machine they were taken on.
#[derive(Debug)]
pub(crate) struct Report {
    machine: String,
    rows: Vec<Row>,
}

impl Report {
    pub(crate) fn new(options: &Options) -> Self {
        let read = |path: &str| fs::read_to_string(path).unwrap_or_default().trim().to_owned();
        let processors = std::thread::available_parallelism().map_or(0, usize::from);
        let machine = format!(
            "{processors} processors, Linux {}, load at the start {}, {} run",
            read("/proc/sys/kernel/osrelease"),
            read("/proc/loadavg"),
            if options.quick { "quick" } else { "full" },
        );
        Self { machine, rows: Vec::new() }
    }

    /// Adds a row that has a reference.
    pub(crate) fn compare(
        &mut self,
        name: &str,
        unit: &'static str,
        ours: &Samples,
        (reference, theirs): (&str, &Samples),
        bar: Bar,
    ) {
        let reference = Some((reference.to_owned(), theirs.clone()));
        self.add(Row { name: name.to_owned(), unit, ours: ours.clone(), reference, bar });
    }

    /// Adds a row that has none.
    pub(crate) fn absolute(&mut self, name: &str, unit: &'static str, ours: Samples, bar: Bar) {
        self.add(Row { name: name.to_owned(), unit, ours, reference: None, bar });
    }

    fn add(&mut self, row: Row) {
        crate::progress(&line(&row));
        self.rows.push(row);
    }

    pub(crate) fn markdown(&self) -> String {
        let mut out = format!("Local backend. {}.\n\n", self.machine);
        out.push_str("Each number is the median, with the 90th percentile in parentheses.\n\n");
        out.push_str("| row | ours | reference | ratio | bar | reached? |\n");
        out.push_str("|---|---|---|---|---|---|\n");
        for row in &self.rows {
            let _ = writeln!(out, "{}", line(row));
        }
        out
    }

    pub(crate) fn json(&self) -> Value {
        let rows: Vec<Value> = self.rows.iter().map(in_json).collect();
        json!({ "machine": self.machine, "rows": rows })
    }
}

fn line(row: &Row) -> String {
    let numbers = |s: &Samples| format!("{:.2} ({:.2}) {}", s.median(), s.p90(), row.unit);
    let reference = row.reference.as_ref();
    let reference = reference.map_or("–".into(), |(n, s)| format!("{n}: {}", numbers(s)));
    let ratio = row.ratio().map_or("–".into(), |ratio| format!("{ratio:.2}"));
    // A bar without a unit is one for the ratio.
    let unit = if row.reference.is_some() { String::new() } else { format!(" {}", row.unit) };
    let bar = match row.bar {
        Bar::None => "–".to_owned(),
        Bar::AtMost(bar) => format!("≤ {bar}{unit}"),
        Bar::AtLeast(bar) => format!("≥ {bar}{unit}"),
    };
    let reached = row.reached().map_or("–", |reached| if reached { "yes" } else { "no" });
    format!("| {} | {} | {reference} | {ratio} | {bar} | {reached} |", row.name, numbers(&row.ours))
}

fn in_json(row: &Row) -> Value {
    let numbers = |s: &Samples| json!({ "median": s.median(), "p90": s.p90() });
    let bar = match row.bar {
        Bar::None => Value::Null,
        Bar::AtMost(bar) => json!({ "at_most": bar }),
        Bar::AtLeast(bar) => json!({ "at_least": bar }),
    };
    json!({
        "row": row.name,
        "unit": row.unit,
        "ours": numbers(&row.ours),
        "reference": row.reference.as_ref().map(|(name, samples)| {
            json!({ "name": name, "numbers": numbers(samples) })
        }),
        "ratio": row.ratio(),
        "bar": bar,
        "reached": row.reached(),
    })
}
