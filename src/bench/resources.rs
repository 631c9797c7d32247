//! What this process and the target hold, as the kernel counts it.

use std::fs;
use std::path::Path;

use serde::Serialize;

/// A look at this process.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub(crate) struct Resources {
    /// Since the start of the load.
    pub(crate) seconds: f64,
    /// Resident memory of hexad.
    pub(crate) memory_kib: f64,
    /// Open descriptors of hexad.
    pub(crate) descriptors: f64,
    /// Threads of hexad.
    pub(crate) threads: f64,
    /// Processes that hexad has on the target, where they were counted.
    pub(crate) processes: Option<f64>,
}

impl Resources {
    /// How things are now.
    pub(crate) fn now(seconds: f64) -> Self {
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        Self {
            seconds,
            memory_kib: field(&status, "VmRSS:"),
            // The folder that is being read counts itself.
            descriptors: fs::read_dir("/proc/self/fd").map_or(0, |d| d.count().saturating_sub(1))
                as f64,
            threads: field(&status, "Threads:"),
            processes: None,
        }
    }
}

fn field(status: &str, name: &str) -> f64 {
    let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default();
    line.split_whitespace().next().and_then(|kib| kib.parse().ok()).unwrap_or(0.0)
}

/// A process of this machine that was looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) pid: u32,
    pub(crate) command: String,
    /// Memory that it does not share, and its part of what it does.
    pub(crate) memory_kib: u64,
}

/// The processes of this machine whose environment has an entry that begins with one of `signs`.
pub(crate) fn carrying(signs: &[String]) -> Vec<Found> {
    let own = std::process::id();
    let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
    let pids = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    pids.filter(|pid| *pid != own)
        .filter_map(|pid: u32| {
            let folder = Path::new("/proc").join(pid.to_string());
            let environment = fs::read(folder.join("environ")).ok()?;
            let carries = |entry: &[u8]| signs.iter().any(|s| entry.starts_with(s.as_bytes()));
            if !environment.split(|&b| b == 0).any(carries) {
                return None;
            }
            let line = fs::read(folder.join("cmdline")).unwrap_or_default();
            let command = String::from_utf8_lossy(&line).replace('\0', " ").trim().to_owned();
            let rollup = fs::read_to_string(folder.join("smaps_rollup")).unwrap_or_default();
            Some(Found { pid, command, memory_kib: field(&rollup, "Pss:") as u64 })
        })
        .collect()
}

/// Children of this process that have ended and were not waited for.
pub(crate) fn zombies() -> usize {
    let own = std::process::id().to_string();
    let Ok(entries) = fs::read_dir("/proc") else { return 0 };
    let stats = entries.flatten().filter_map(|e| fs::read_to_string(e.path().join("stat")).ok());
    stats
        .filter(|stat| {
            // The name, in parentheses, may hold anything.
            let mut fields = stat.rsplit(')').next().unwrap_or_default().split_ascii_whitespace();
            fields.next() == Some("Z") && fields.next() == Some(&own)
        })
        .count()
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn this_process_has_memory_descriptors_and_threads() {
        let now = Resources::now(0.0);
        assert!(now.memory_kib > 500.0 && now.descriptors >= 3.0 && now.threads >= 1.0, "{now:?}");
    }

    #[test]
    fn a_process_is_found_by_a_variable_while_it_lives() {
        let sign = format!("HEXAD_BENCH_TEST={}", uuid::Uuid::new_v4().simple());
        let (name, value) = sign.split_once('=').unwrap();
        let mut child =
            Command::new("sleep").arg("60").env(name, value).stdin(Stdio::null()).spawn().unwrap();
        let signs = [sign.clone()];
        // A child that was only just forked still has its parent's environment.
        let deadline = std::time::Instant::now() + std::time::Duration::from_secs(20);
        while carrying(&signs).is_empty() && std::time::Instant::now() < deadline {
            std::thread::yield_now();
        }
        assert_eq!(carrying(&signs)[0].pid, child.id());
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(carrying(&signs), []);
    }
}
