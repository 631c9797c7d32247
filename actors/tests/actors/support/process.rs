//! The process table of a fake instance.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicI32, Ordering};

use hexad_actors::backend::{ExitStatus, ProcessInfo, Signal};
use tokio::io::DuplexStream;
use tokio::sync::watch;

/// What is sent to a process.
pub(crate) type End = watch::Sender<Option<ExitStatus>>;

struct Entry {
    mark: String,
    command: String,
    ignores_term: bool,
    end: End,
    /// A stream that is held open as long as the process lives.
    _held: Option<DuplexStream>,
}

/// Every live process, and every command that was begun.
#[derive(Default)]
pub(crate) struct Table {
    processes: Mutex<BTreeMap<i32, Entry>>,
    next: AtomicI32,
    ran: Mutex<Vec<String>>,
}

impl Table {
    /// Adds a shell; gives its id and the place where its end is announced.
    pub(crate) fn add(&self, mark: &str) -> (i32, End) {
        let (end, _) = watch::channel(None);
        (self.insert(mark, "bash", end.clone(), None), end)
    }

    /// Adds a process that holds a stream.
    pub(crate) fn add_holder(&self, mark: &str, held: DuplexStream) {
        self.insert(mark, "sleep 600", watch::channel(None).0, Some(held));
    }

    fn insert(&self, mark: &str, command: &str, end: End, held: Option<DuplexStream>) -> i32 {
        let pid = 100 + self.next.fetch_add(1, Ordering::Relaxed);
        let entry = Entry {
            mark: mark.to_owned(),
            command: command.to_owned(),
            ignores_term: false,
            end,
            _held: held,
        };
        self.processes.lock().unwrap().insert(pid, entry);
        pid
    }

    pub(crate) fn remove(&self, pid: i32) {
        self.processes.lock().unwrap().remove(&pid);
    }

    pub(crate) fn ignore_term(&self, pid: i32) {
        if let Some(entry) = self.processes.lock().unwrap().get_mut(&pid) {
            entry.ignores_term = true;
        }
    }

    pub(crate) fn live(&self, mark: &str) -> Vec<ProcessInfo> {
        let processes = self.processes.lock().unwrap();
        let of = processes.iter().filter(|(_, e)| e.mark.contains(mark));
        of.map(|(pid, e)| ProcessInfo { pid: *pid, command: e.command.clone() }).collect()
    }

    /// Delivers a signal; gives how many got it.
    pub(crate) fn signal(&self, mark: &str, signal: Signal) -> usize {
        let mut processes = self.processes.lock().unwrap();
        let hit: Vec<i32> =
            processes.iter().filter(|(_, e)| e.mark.contains(mark)).map(|(pid, _)| *pid).collect();
        for pid in &hit {
            let number = match signal {
                Signal::Cont => continue,
                Signal::Term if processes[pid].ignores_term => continue,
                Signal::Term => 15,
                Signal::Kill => 9,
            };
            if let Some(entry) = processes.remove(pid) {
                entry.end.send_replace(Some(ExitStatus::Signal(number)));
            }
        }
        hit.len()
    }

    /// Ends a shell as something outside would, without a signal of ours.
    pub(crate) fn end_all(&self, status: &ExitStatus) {
        for (_, entry) in std::mem::take(&mut *self.processes.lock().unwrap()) {
            entry.end.send_replace(Some(status.clone()));
        }
    }

    pub(crate) fn note_ran(&self, command: &str) {
        self.ran.lock().unwrap().push(command.to_owned());
    }

    pub(crate) fn ran(&self) -> Vec<String> {
        self.ran.lock().unwrap().clone()
    }
}
