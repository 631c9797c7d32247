//! What the command line asks for.

use std::path::PathBuf;

use crate::Failure;

/// The options of one run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Options {
    /// Fewer rounds and environments.
    pub(crate) quick: bool,
    /// Where the rows go as JSON.
    pub(crate) json: Option<PathBuf>,
    /// Rows whose name contains this text are run.
    pub(crate) only: Option<String>,
}

impl Options {
    /// Reads the arguments behind the program's name.
    pub(crate) fn from_arguments(
        mut arguments: impl Iterator<Item = String>,
    ) -> Result<Self, Failure> {
        let mut options = Self::default();
        while let Some(argument) = arguments.next() {
            let mut value = || arguments.next().ok_or(format!("{argument} needs a value"));
            match argument.as_str() {
                "--quick" => options.quick = true,
                "--json" => options.json = Some(value()?.into()),
                "--only" => options.only = Some(value()?),
                // `cargo bench` passes this to every benchmark.
                "--bench" => {}
                _ => return Err(format!("unknown argument {argument}").into()),
            }
        }
        Ok(options)
    }

    /// Whether any of these rows is wanted.
    pub(crate) fn wants(&self, rows: &[&str]) -> bool {
        self.only.as_ref().is_none_or(|text| rows.iter().any(|row| row.contains(text)))
    }

    /// `full` rounds, or `quick` ones.
    pub(crate) fn rounds(&self, full: usize, quick: usize) -> usize {
        if self.quick { quick } else { full }
    }
}
