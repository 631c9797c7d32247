//! The labels by which containers are found again, and what they say about their owner.

use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize};

use crate::owner;

/// On every container of hexad.
pub(super) const HEXAD: &str = "hexad";
/// The task, in a form that label filters and people can read.
pub(super) const TASK: &str = "hexad.task";
/// The task id itself.
pub(super) const TASK_ID: &str = "hexad.task.id";
/// The profile that the container was made from.
pub(super) const PROFILE: &str = "hexad.profile";
/// Which state folder the task belongs to: two users may call their tasks the same.
pub(super) const HOME: &str = "hexad.home";
/// What the container was made with, piece by piece.
pub(super) const CONFIG: &str = "hexad.config";
/// Whether the container is meant to outlive the process that made it.
pub(super) const KEEP: &str = "hexad.keep";
/// Who made it.
pub(super) const OWNER: &str = "hexad.owner";

/// A label value: letters, digits, `_`, `.` and `-`, at most 63.
pub(super) fn cleaned(text: &str) -> String {
    let clean: String = text
        .chars()
        .take(63)
        .map(|c| if c.is_ascii_alphanumeric() || "_.-".contains(c) { c } else { '_' })
        .collect();
    if clean.is_empty() { "unknown".into() } else { clean }
}

/// A name for `text` in 16 hexadecimal digits that is the same in every version (FNV-1a).
pub(super) fn digest(text: &str) -> String {
    let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    format!("{hash:016x}")
}

/// The process that made a container.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Owner {
    host: String,
    /// The host's boot; process ids mean nothing beyond it.
    boot: String,
    /// The process namespace; ids mean nothing in another one.
    namespace: String,
    pid: i32,
    start_time: u64,
    mark: String,
}

impl Owner {
    /// This process.
    pub(super) fn current(host: &str, mark: &str) -> Self {
        let pid = i32::try_from(std::process::id()).unwrap_or(0);
        Self {
            host: host.to_owned(),
            boot: owner::boot_id(),
            namespace: namespace(),
            pid,
            start_time: owner::start_time(pid).unwrap_or(0),
            mark: mark.to_owned(),
        }
    }

    pub(super) fn to_label(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Whether the owner that `labels` name is known to be dead. One on another host, or in
    /// another process namespace, is nobody's to judge.
    pub(super) fn is_dead(labels: &HashMap<String, String>, host: &str) -> bool {
        let Some(owner) =
            labels.get(OWNER).and_then(|text| serde_json::from_str::<Self>(text).ok())
        else {
            return false;
        };
        if owner.host != host {
            return false;
        }
        if owner.boot != owner::boot_id() {
            return true;
        }
        owner.namespace == namespace() && owner::start_time(owner.pid) != Some(owner.start_time)
    }
}

fn namespace() -> String {
    std::fs::read_link("/proc/self/ns/pid")
        .map_or_else(|_| String::new(), |l| l.display().to_string())
}

/// The pieces of a configuration as one label: `image=…;mounts=…`.
pub(super) fn config_label(pieces: &BTreeMap<&'static str, String>) -> String {
    let piece = |(name, value): (&&str, &String)| format!("{name}={}", digest(value));
    pieces.iter().map(piece).collect::<Vec<_>>().join(";")
}

/// The names of the pieces in which two such labels differ.
pub(super) fn config_changes(before: &str, now: &str) -> Vec<String> {
    let parse = |text: &str| -> BTreeMap<String, String> {
        text.split(';')
            .filter_map(|piece| piece.split_once('='))
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect()
    };
    let (before, now) = (parse(before), parse(now));
    let names = before.keys().chain(now.keys()).collect::<std::collections::BTreeSet<_>>();
    names.into_iter().filter(|name| before.get(*name) != now.get(*name)).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_cleaned() {
        assert_eq!(cleaned("a/b:c@d"), "a_b_c_d");
        assert_eq!(cleaned(""), "unknown");
        assert_eq!(cleaned(&"x".repeat(100)).len(), 63);
    }

    #[test]
    fn what_changed_is_named() {
        let label = |image: &str, network: &str| {
            config_label(&BTreeMap::from([
                ("image", image.to_owned()),
                ("network", network.to_owned()),
            ]))
        };
        assert!(config_changes(&label("a", "on"), &label("a", "on")).is_empty());
        assert_eq!(config_changes(&label("a", "on"), &label("b", "on")), ["image"]);
        assert_eq!(config_changes("", &label("b", "on")), ["image", "network"]);
    }

    #[test]
    fn an_owner_is_dead_when_its_process_is() {
        let label = |owner: &Owner| HashMap::from([(OWNER.to_owned(), owner.to_label())]);
        let own = Owner::current("here", "m");
        assert!(!Owner::is_dead(&label(&own), "here"));
        let dead = Owner { pid: i32::MAX, ..own.clone() };
        assert!(Owner::is_dead(&label(&dead), "here"));
        assert!(!Owner::is_dead(&label(&dead), "elsewhere"), "another host's is not ours");
        let rebooted = Owner { boot: "before".into(), ..own.clone() };
        assert!(Owner::is_dead(&label(&rebooted), "here"));
        let inside = Owner { namespace: "pid:[1]".into(), pid: i32::MAX, ..own };
        assert!(!Owner::is_dead(&label(&inside), "here"));
        assert!(!Owner::is_dead(&HashMap::new(), "here"));
    }
}
