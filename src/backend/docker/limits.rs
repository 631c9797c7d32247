//! Which limits the daemon can enforce. Decided once, from what it says about itself.

use bollard::models::SystemInfo;
use hexad_actors::Notice;

/// Processes that a container may have.
pub(super) const PIDS: i64 = 256;

/// What the daemon can do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Daemon {
    pub(super) version: String,
    pub(super) memory: bool,
    pub(super) swap: bool,
    pub(super) cpu: bool,
    pub(super) pids: bool,
    /// Whether a size can be set for the container's own layer.
    pub(super) disk: bool,
    pub(super) storage: String,
    pub(super) init: bool,
    pub(super) cgroup: String,
}

impl Daemon {
    pub(super) fn new(info: &SystemInfo) -> Self {
        let storage = info.driver.clone().unwrap_or_default();
        let backing = info.driver_status.iter().flatten().find_map(|pair| match &pair[..] {
            [name, value] if name == "Backing Filesystem" => Some(value.as_str()),
            _ => None,
        });
        Self {
            version: info.server_version.clone().unwrap_or_default(),
            memory: info.memory_limit != Some(false),
            swap: info.swap_limit == Some(true),
            cpu: info.cpu_cfs_quota != Some(false) && info.cpu_cfs_period != Some(false),
            pids: info.pids_limit != Some(false),
            // Overlay needs xfs with project quotas; whether it has those the daemon says when it
            // is asked to set one.
            disk: matches!(storage.as_str(), "btrfs" | "zfs")
                || (storage == "overlay2" && backing == Some("xfs")),
            storage,
            init: info.init_binary.as_deref().is_none_or(|binary| !binary.is_empty()),
            cgroup: info.cgroup_version.map(|v| v.to_string()).unwrap_or_default(),
        }
    }
}

/// The limits of one container: what was asked for, as far as the daemon can do it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Limits {
    pub(super) nano_cpus: Option<i64>,
    pub(super) memory: Option<i64>,
    pub(super) pids: Option<i64>,
    pub(super) disk: Option<String>,
}

/// What was asked for; zero is no limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Wanted {
    pub(super) cpu: f64,
    pub(super) memory_mb: i64,
    pub(super) disk_mb: i64,
    /// Whether somebody asked for the disk limit, so that not having it is worth a word.
    pub(super) disk_given: bool,
}

impl Wanted {
    /// The limits that can be kept, and a notice that names those that cannot.
    pub(super) fn on(&self, daemon: &Daemon) -> (Limits, Vec<Notice>) {
        let mut limits = Limits::default();
        let mut missing = Vec::new();
        if self.cpu > 0.0 {
            if daemon.cpu {
                #[expect(clippy::cast_possible_truncation, reason = "at most 4096 processors")]
                let nano = (self.cpu * 1e9) as i64;
                limits.nano_cpus = Some(nano);
            } else {
                missing.push(format!("processors ({})", self.cpu));
            }
        }
        if self.memory_mb > 0 {
            if daemon.memory {
                limits.memory = Some(self.memory_mb << 20);
            } else {
                missing.push(format!("memory ({} MB)", self.memory_mb));
            }
        }
        if daemon.pids {
            limits.pids = Some(PIDS);
        } else {
            missing.push(format!("processes ({PIDS})"));
        }
        if self.disk_mb > 0 {
            if daemon.disk {
                limits.disk = Some(format!("{}m", self.disk_mb));
            } else if self.disk_given {
                missing
                    .push(format!("disk ({} MB, storage driver {})", self.disk_mb, daemon.storage));
            }
        }
        let notices = if missing.is_empty() {
            Vec::new()
        } else {
            vec![Notice::new(
                "limits_not_enforced",
                format!(
                    "this Docker daemon cannot enforce these limits, so the container runs \
                     without them: {}",
                    missing.join(", ")
                ),
            )]
        };
        (limits, notices)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WANTED: Wanted = Wanted { cpu: 0.5, memory_mb: 64, disk_mb: 100, disk_given: true };

    fn daemon(info: &SystemInfo) -> Daemon {
        Daemon::new(info)
    }

    #[test]
    fn a_daemon_that_can_do_everything_is_asked_for_everything() {
        let info = SystemInfo {
            driver: Some("overlay2".into()),
            driver_status: Some(vec![vec!["Backing Filesystem".into(), "xfs".into()]]),
            ..SystemInfo::default()
        };
        let (limits, notices) = WANTED.on(&daemon(&info));
        assert_eq!(limits.nano_cpus, Some(500_000_000));
        assert_eq!(limits.memory, Some(64 << 20));
        assert_eq!(limits.pids, Some(PIDS));
        assert_eq!(limits.disk.as_deref(), Some("100m"));
        assert!(notices.is_empty());
    }

    #[test]
    fn what_it_cannot_do_is_left_out_and_named() {
        let info = SystemInfo {
            driver: Some("overlay2".into()),
            driver_status: Some(vec![vec!["Backing Filesystem".into(), "extfs".into()]]),
            memory_limit: Some(false),
            cpu_cfs_quota: Some(false),
            pids_limit: Some(false),
            ..SystemInfo::default()
        };
        let (limits, notices) = WANTED.on(&daemon(&info));
        assert_eq!(limits, Limits::default());
        let message = &notices[0].message;
        for word in ["processors", "memory", "processes", "disk"] {
            assert!(message.contains(word), "{message}");
        }
        // The default disk limit was nobody's wish.
        let quiet = Wanted { cpu: 0.0, memory_mb: 0, disk_given: false, ..WANTED };
        let (_, notices) = quiet.on(&daemon(&SystemInfo { pids_limit: None, ..info }));
        assert!(notices.is_empty());
    }
}
