//! The result as a table, row by target: printed, and kept in a file where one is named.

use std::fmt::Write as _;
use std::fs::OpenOptions;
use std::io::{Read as _, Seek as _, Write as _};

use super::row::Need;

/// What became of a row on a target.
pub enum Cell {
    Ok,
    Needs(Need),
    Failed(Vec<String>),
}

impl Cell {
    fn word(&self) -> String {
        match self {
            Self::Ok => "ok".into(),
            Self::Needs(need) => format!("needs {need:?}"),
            Self::Failed(_) => "FAIL".into(),
        }
    }
}

type Column = (&'static str, Vec<(&'static str, Cell)>);

/// Prints the table of a section and puts it into the file that `HEXAD_TEST_MATRIX` names.
pub fn publish(section: &str, columns: &[Column]) {
    let table = render(section, columns);
    print!("{table}");
    let mut line = format!("{section}:");
    for (target, cells) in columns {
        let count = |want: fn(&Cell) -> bool| cells.iter().filter(|(_, c)| want(c)).count();
        let _ = write!(
            line,
            " {target} {} ok, {} skipped, {} FAILED;",
            count(|c| matches!(c, Cell::Ok)),
            count(|c| matches!(c, Cell::Needs(_))),
            count(|c| matches!(c, Cell::Failed(_))),
        );
    }
    // Not through the macro, which a test run hides.
    let _ = writeln!(std::io::stdout(), "{}", line.trim_end_matches(';'));
    if let Some(path) = std::env::var_os("HEXAD_TEST_MATRIX").filter(|path| !path.is_empty()) {
        let kept = keep(std::path::Path::new(&path), section, &table);
        assert!(kept.is_ok(), "HEXAD_TEST_MATRIX: {kept:?}");
    }
}

fn render(section: &str, columns: &[Column]) -> String {
    let mut out = format!("## {section}\n\n| row |");
    for (target, _) in columns {
        let _ = write!(out, " {target} |");
    }
    out.push_str("\n|---|");
    out.push_str(&"---|".repeat(columns.len()));
    out.push('\n');
    let rows = columns.first().map_or(0, |(_, cells)| cells.len());
    for at in 0..rows {
        let _ = write!(out, "| {} |", columns[0].1[at].0);
        for (_, cells) in columns {
            let _ = write!(out, " {} |", cells[at].1.word());
        }
        out.push('\n');
    }
    out.push('\n');
    out
}

/// Replaces the section in the file. Sections may be run by several processes at once.
fn keep(path: &std::path::Path, section: &str, table: &str) -> std::io::Result<()> {
    let mut file =
        OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)?;
    file.lock()?;
    let mut text = String::new();
    file.read_to_string(&mut text)?;
    let title = format!("## {section}\n");
    let mut parts: Vec<String> = text
        .split_inclusive('\n')
        .fold(Vec::new(), |mut parts: Vec<String>, line| {
            match parts.last_mut() {
                Some(part) if !line.starts_with("## ") => part.push_str(line),
                _ => parts.push(line.to_owned()),
            }
            parts
        })
        .into_iter()
        .filter(|part| part.starts_with("## ") && !part.starts_with(&title))
        .collect();
    parts.push(table.to_owned());
    parts.sort();
    file.set_len(0)?;
    file.rewind()?;
    file.write_all(format!("# Behaviour\n\n{}", parts.concat()).as_bytes())
}
