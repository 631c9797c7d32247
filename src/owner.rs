//! Owner records: which runtime a mark belongs to, written before it starts anything.
//!
//! A runtime that ends well removes its record. One that was killed cannot; the next runtime
//! finds the record, sees that its process is dead, and ends what carries its mark.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::private;

/// The folder of whole outputs, in the state folder.
pub(crate) const SPILLS: &str = "spills";

/// How long a whole output is kept.
const SPILL_LIFETIME: Duration = Duration::from_secs(24 * 60 * 60);

/// The record of one runtime.
#[derive(Debug, Serialize, Deserialize)]
struct Record {
    mark: String,
    pid: i32,
    /// In clock ticks since boot, so that a later process with the same number is not taken for it.
    start_time: u64,
    boot: String,
}

/// The records of all runtimes of this user on this machine, our own among them.
#[derive(Debug)]
pub struct Owners {
    folder: PathBuf,
    spills: PathBuf,
    mark: String,
}

impl Owners {
    /// Writes the record of this runtime.
    ///
    /// # Errors
    /// The folder or the record cannot be written.
    pub fn register(state_folder: &Path, mark: &str) -> io::Result<Self> {
        let folder = state_folder.join("runtimes");
        // The folder above as well: in a shared temp dir somebody else may have made it first.
        private::make_folder(state_folder)?;
        private::make_folder(&folder)?;
        let pid = i32::try_from(std::process::id()).unwrap_or(0);
        let record = Record {
            mark: mark.to_owned(),
            pid,
            start_time: start_time(pid).unwrap_or(0),
            boot: boot_id(),
        };
        let text = serde_json::to_vec(&record).map_err(io::Error::other)?;
        private::write(&folder.join(format!("{mark}.json")), &text)?;
        Ok(Self { folder, spills: state_folder.join(SPILLS), mark: mark.to_owned() })
    }

    /// Removes the record: everything of this runtime has ended.
    pub fn resign(&self) {
        let _ = fs::remove_file(self.folder.join(format!("{}.json", self.mark)));
    }

    /// Ends what dead runtimes left. Gives a sentence for each that had left something.
    #[must_use]
    pub fn sweep(&self) -> Vec<String> {
        let mut found = Vec::new();
        remove_old(&self.spills);
        let Ok(entries) = fs::read_dir(&self.folder) else { return found };
        for entry in entries.flatten() {
            let path = entry.path();
            if path.extension().is_none_or(|e| e != "json") {
                continue;
            }
            let record =
                fs::read(&path).ok().and_then(|t| serde_json::from_slice::<Record>(&t).ok());
            let Some(record) = record else {
                // Not ours to understand; a half-written one is replaced by a rename, never seen.
                continue;
            };
            if record.mark == self.mark || is_alive(&record) {
                continue;
            }
            if record.boot == boot_id() {
                match end(&record.mark) {
                    Ok(0) => {}
                    Ok(count) => found.push(format!(
                        "ended {count} processes of the hexad with pid {}, which is dead",
                        record.pid
                    )),
                    // Left for the next sweep.
                    Err(_) => continue,
                }
            }
            let _ = fs::remove_file(&path);
        }
        found
    }
}

/// Removes whole outputs that nobody fetched for long.
fn remove_old(spills: &Path) {
    for entry in fs::read_dir(spills).into_iter().flatten().flatten() {
        let age = entry.metadata().and_then(|m| m.modified()).map(|time| time.elapsed());
        if matches!(age, Ok(Ok(age)) if age > SPILL_LIFETIME) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

fn is_alive(record: &Record) -> bool {
    record.boot == boot_id() && start_time(record.pid) == Some(record.start_time)
}

pub(crate) fn boot_id() -> String {
    fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default().trim().to_owned()
}

/// When a process was started, in clock ticks since boot; none if there is none.
pub(crate) fn start_time(pid: i32) -> Option<u64> {
    let text = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name of the program may hold anything; what follows its last parenthesis does not.
    let rest = text.rsplit_once(')')?.1;
    let state = rest.split_ascii_whitespace().next()?;
    // A zombie has ended.
    if matches!(state, "Z" | "X") {
        return None;
    }
    rest.split_ascii_whitespace().nth(19)?.parse().ok()
}

#[cfg(feature = "local")]
fn end(mark: &str) -> io::Result<usize> {
    crate::backend::local::table::kill_marked(&format!("{mark}."))
}

#[cfg(not(feature = "local"))]
fn end(_mark: &str) -> io::Result<usize> {
    Ok(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_record_of_a_dead_runtime_is_removed_and_that_of_a_live_one_stays() {
        let folder = tempfile::tempdir().unwrap();
        let own = Owners::register(folder.path(), "own1").unwrap();
        let dead = Record { mark: "dead1".into(), pid: i32::MAX, start_time: 1, boot: boot_id() };
        let path = own.folder.join("dead1.json");
        fs::write(&path, serde_json::to_vec(&dead).unwrap()).unwrap();
        assert!(own.sweep().is_empty());
        assert!(!path.exists());
        assert!(own.folder.join("own1.json").exists());
        own.resign();
        assert!(!own.folder.join("own1.json").exists());
    }

    #[test]
    fn this_process_has_a_start_time() {
        let own = i32::try_from(std::process::id()).unwrap();
        assert!(start_time(own).is_some());
        assert!(start_time(i32::MAX).is_none());
    }

    #[test]
    fn whole_outputs_go_after_a_day() {
        let folder = tempfile::tempdir().unwrap();
        let own = Owners::register(folder.path(), "own3").unwrap();
        fs::create_dir(&own.spills).unwrap();
        let (old, new) = (own.spills.join("old.out"), own.spills.join("new.out"));
        fs::write(&new, b"x").unwrap();
        let yesterday = std::time::SystemTime::now() - SPILL_LIFETIME - Duration::from_secs(60);
        fs::File::create(&old).unwrap().set_modified(yesterday).unwrap();
        assert!(own.sweep().is_empty());
        assert!(!old.exists() && new.exists());
    }

    #[test]
    fn a_record_that_cannot_be_read_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let own = Owners::register(folder.path(), "own2").unwrap();
        let path = own.folder.join("odd.json");
        fs::write(&path, b"{").unwrap();
        assert!(own.sweep().is_empty());
        assert!(path.exists());
    }
}
