//! The machine that a report was taken on: numbers without it say nothing.

use std::fs;

use serde::Serialize;

/// What can be told about it without asking anybody.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Machine {
    pub(crate) processors: usize,
    pub(crate) processor: String,
    pub(crate) memory_mib: u64,
    pub(crate) kernel: String,
    /// The load average when the bench began and when it ended; others' work is in it.
    pub(crate) load_before: String,
    pub(crate) load_after: String,
    /// Whether hexad was built with optimisations.
    pub(crate) optimised: bool,
}

impl Machine {
    pub(crate) fn look() -> Self {
        let read = |path: &str| fs::read_to_string(path).unwrap_or_default();
        let cpu = read("/proc/cpuinfo");
        let name = cpu.lines().find(|line| line.starts_with("model name"));
        let name = name.and_then(|line| line.split(':').nth(1)).unwrap_or("unknown").trim();
        let memory = read("/proc/meminfo");
        let total = memory.lines().find_map(|line| line.strip_prefix("MemTotal:"));
        let kib = total.and_then(|l| l.split_whitespace().next()?.parse::<u64>().ok());
        Self {
            processors: std::thread::available_parallelism().map_or(0, usize::from),
            processor: name.to_owned(),
            memory_mib: kib.unwrap_or(0) / 1024,
            kernel: read("/proc/sys/kernel/osrelease").trim().to_owned(),
            load_before: load(),
            load_after: String::new(),
            optimised: !cfg!(debug_assertions),
        }
    }

    /// Notes how loaded the machine is at the end.
    pub(crate) fn end(&mut self) {
        self.load_after = load();
    }

    /// In one line.
    pub(crate) fn line(&self) -> String {
        format!(
            "{} processors ({}), {} MiB, Linux {}, load average {} before and {} after{}",
            self.processors,
            self.processor,
            self.memory_mib,
            self.kernel,
            self.load_before,
            self.load_after,
            if self.optimised { "" } else { "; NOT OPTIMISED: a debug build" },
        )
    }
}

fn load() -> String {
    let average = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    average.split_whitespace().next().unwrap_or_default().to_owned()
}
