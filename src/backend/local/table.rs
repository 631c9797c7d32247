//! The process table of this machine, read from `/proc` and signalled through pidfds.
//!
//! Processes are found by three signs: the mark in their environment, the session of the shell
//! that started them, and descent from one that has either. A process that was in a scope when it
//! was signalled stays in it. Only a process that wiped its environment, left the session and lost
//! its parent before that shows none of them.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::io;
use std::sync::{Mutex, PoisonError};

use hexad_actors::backend::{ProcessInfo, Scope, Signal};
use hexad_actors::shell::options::MARK_VARIABLE;
use rustix::process::{Pid, PidfdFlags, pidfd_open, pidfd_send_signal};

/// One live process.
#[derive(Clone, Debug)]
struct Entry {
    pid: i32,
    parent: i32,
    session: i32,
    /// Start time in clock ticks since boot: tells a process from a later one with its number.
    start: u64,
}

/// The live processes in `scope`, this process itself left out.
pub(super) fn list(scope: &Scope, seen: &Seen) -> io::Result<Vec<ProcessInfo>> {
    let found = find(scope, &seen.of(&scope.mark))?;
    if found.is_empty() {
        seen.forget(&scope.mark);
    }
    Ok(found
        .into_iter()
        .map(|entry| ProcessInfo { pid: entry.pid, command: command_line(entry.pid) })
        .collect())
}

/// Sends `signal` to each process in `scope`; gives how many got it.
pub(super) fn signal(scope: &Scope, signal: Signal, seen: &Seen) -> io::Result<usize> {
    let found = find(scope, &seen.of(&scope.mark))?;
    seen.keep(&scope.mark, &found);
    Ok(found.iter().filter(|entry| send(entry, signal)).count())
}

/// Processes that were in a scope when it was signalled, with their start times, by the mark of
/// the scope. One that wiped its environment in a session of its own is known by its parent only,
/// and the first signal may end that.
#[derive(Debug, Default)]
pub(super) struct Seen(Mutex<HashMap<String, HashMap<i32, u64>>>);

impl Seen {
    fn of(&self, mark: &str) -> HashMap<i32, u64> {
        self.lock().get(mark).cloned().unwrap_or_default()
    }

    fn keep(&self, mark: &str, found: &[Entry]) {
        let of_mark = found.iter().map(|entry| (entry.pid, entry.start));
        self.lock().entry(mark.to_owned()).or_default().extend(of_mark);
    }

    fn forget(&self, mark: &str) {
        self.lock().remove(mark);
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<String, HashMap<i32, u64>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Ends every process that carries `mark`, at once. For what dead runtimes left, and for a
/// runtime that is dropped without having been shut down.
pub(crate) fn kill_marked(mark: &str) -> io::Result<usize> {
    let scope = Scope { mark: mark.to_owned(), leader: None };
    let mut killed = 0;
    // Processes may start others while they are being ended; each round finds what is left.
    for _ in 0..100 {
        let found = find(&scope, &HashMap::new())?;
        if found.is_empty() {
            break;
        }
        killed += found.iter().filter(|entry| send(entry, Signal::Kill)).count();
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    Ok(killed)
}

/// The processes in `scope`. A look takes time: a process may end behind it whose last child began
/// ahead of it. So nothing is found only when nothing was found twice.
fn find(scope: &Scope, seen: &HashMap<i32, u64>) -> io::Result<Vec<Entry>> {
    let found = look(scope, seen)?;
    if found.is_empty() { look(scope, seen) } else { Ok(found) }
}

fn look(scope: &Scope, seen: &HashMap<i32, u64>) -> io::Result<Vec<Entry>> {
    let own = i32::try_from(std::process::id()).unwrap_or(0);
    let mut all = Vec::new();
    for name in fs::read_dir("/proc")? {
        let name = name?.file_name();
        let Some(pid) = name.to_str().and_then(|n| n.parse::<i32>().ok()) else { continue };
        if pid != own {
            all.extend(read_entry(pid));
        }
    }
    let mut matched: HashSet<i32> = all
        .iter()
        .filter(|e| {
            scope.leader == Some(e.session)
                || seen.get(&e.pid) == Some(&e.start)
                || carries(e.pid, &scope.mark)
        })
        .map(|e| e.pid)
        .collect();
    loop {
        let before = matched.len();
        for entry in &all {
            if matched.contains(&entry.parent) {
                matched.insert(entry.pid);
            }
        }
        if matched.len() == before {
            break;
        }
    }
    all.retain(|entry| matched.contains(&entry.pid));
    Ok(all)
}

/// Reads `/proc/PID/stat`; none for a process that is gone or a zombie.
fn read_entry(pid: i32) -> Option<Entry> {
    let stat = fs::read(format!("/proc/{pid}/stat")).ok()?;
    parse_stat(pid, &stat)
}

/// The name, in parentheses, may itself hold any bytes: fields count from the last parenthesis.
fn parse_stat(pid: i32, stat: &[u8]) -> Option<Entry> {
    let close = stat.iter().rposition(|&b| b == b')')?;
    let rest = std::str::from_utf8(&stat[close + 1..]).ok()?;
    let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
    if matches!(*fields.first()?, "Z" | "X") {
        return None;
    }
    Some(Entry {
        pid,
        parent: fields.get(1)?.parse().ok()?,
        session: fields.get(3)?.parse().ok()?,
        start: fields.get(19)?.parse().ok()?,
    })
}

/// Whether the environment that `pid` was started with carries `mark`.
fn carries(pid: i32, mark: &str) -> bool {
    let Ok(environment) = fs::read(format!("/proc/{pid}/environ")) else { return false };
    has_mark(&environment, mark)
}

fn has_mark(environment: &[u8], mark: &str) -> bool {
    environment.split(|&b| b == 0).any(|entry| {
        entry
            .strip_prefix(MARK_VARIABLE.as_bytes())
            .and_then(|e| e.strip_prefix(b"="))
            .is_some_and(|value| value.windows(mark.len()).any(|w| w == mark.as_bytes()))
    })
}

fn command_line(pid: i32) -> String {
    let bytes = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes).replace('\0', " ");
    text.trim_end().chars().take(200).collect()
}

/// Sends a signal to exactly this process, not to a later one with the same number.
fn send(entry: &Entry, signal: Signal) -> bool {
    let Some(pid) = Pid::from_raw(entry.pid) else { return false };
    let Ok(pidfd) = pidfd_open(pid, PidfdFlags::empty()) else { return false };
    if read_entry(entry.pid).is_none_or(|now| now.start != entry.start) {
        return false;
    }
    let signal = match signal {
        Signal::Term => rustix::process::Signal::TERM,
        Signal::Cont => rustix::process::Signal::CONT,
        Signal::Kill => rustix::process::Signal::KILL,
    };
    pidfd_send_signal(&pidfd, signal).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_parentheses_and_spaces_is_read() {
        let stat = b"7 (a) b) (c) S 3 7 7 0 -1 4194304 1 0 0 0 0 0 0 0 20 0 1 0 12345 1 1";
        let entry = parse_stat(7, stat).unwrap();
        assert_eq!((entry.parent, entry.session, entry.start), (3, 7, 12345));
    }

    #[test]
    fn zombies_are_not_live() {
        let stat = b"7 (x) Z 3 7 7 0 -1 4194304 1 0 0 0 0 0 0 0 20 0 1 0 12345 1 1";
        assert!(parse_stat(7, stat).is_none());
    }

    #[test]
    fn marks_are_looked_for_in_their_variable_only() {
        assert!(has_mark(b"A=1\0HEXAD_MARK=o.e.r:abc.def.ghi\0B=2\0", "abc.def."));
        assert!(!has_mark(b"A=abc.def.\0HEXAD_MARK=abc.dex.y\0", "abc.def."));
    }
}
