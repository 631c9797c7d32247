//! What a container is made of. Plain data: nothing here talks to a daemon.
//!
//! The hardening is always on: no capabilities but those that root needs to own files and to
//! change user, no new privileges, a bound on processes, temporary folders in memory.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use bollard::models::{ContainerCreateBody, HealthConfig, HostConfig, ImageConfig};

use super::extra::{Extra, Target};
use super::limits::Limits;
use super::settings::{HOME, Settings, WORKSPACE};
use super::volumes::Bind;

/// What runs as long as the container does. It needs nothing of the image but `sh`.
const KEEP_ALIVE: &str = "trap 'exit 0' TERM INT; \
    if command -v sleep >/dev/null 2>&1; then while :; do sleep 86400 & wait $!; done; fi; \
    read -r _";

/// Capabilities that root keeps: to read, own and hand over files of mounted folders.
const CAPABILITIES: [&str; 3] = ["DAC_OVERRIDE", "CHOWN", "FOWNER"];
/// To become another user; and to end what that one started.
const USER_CAPABILITIES: [&str; 3] = ["SETUID", "SETGID", "KILL"];

/// Everything that decides what a container is like.
pub(super) struct Plan<'a> {
    pub(super) settings: &'a Settings,
    pub(super) image: &'a ImageConfig,
    pub(super) limits: &'a Limits,
    /// The folder of this machine with the files of the task.
    pub(super) folder: &'a Path,
    pub(super) init: bool,
    pub(super) labels: HashMap<String, String>,
}

impl Plan<'_> {
    /// Whether commands run as root, or as somebody whose home is ours to give.
    pub(super) fn owns_home(&self) -> bool {
        let chosen = self.settings.extras.iter().any(Extra::is_user);
        self.settings.user.is_some() || (!chosen && is_root(self.image.user.as_deref()))
    }

    /// The folders of this machine that are mounted, and where.
    pub(super) fn own_binds(&self) -> Vec<Bind> {
        if !self.settings.persistent {
            return Vec::new();
        }
        let mut binds = Vec::new();
        if self.owns_home() && !self.is_taken(HOME) {
            binds.push(Bind::new(&self.folder.join("home"), HOME));
        }
        if !self.is_taken(WORKSPACE) {
            binds.push(Bind::new(&self.folder.join("workspace"), WORKSPACE));
        }
        binds
    }

    fn is_taken(&self, target: &str) -> bool {
        self.settings.binds.iter().any(|bind| bind.target == target)
    }

    /// Where commands start; none means the home of the image's user.
    pub(super) fn cwd(&self) -> Option<String> {
        match &self.settings.cwd {
            Some(cwd) => Some(cwd.clone()),
            None if self.owns_home() => Some(HOME.into()),
            None => self.image.working_dir.clone().filter(|dir| !matches!(dir.as_str(), "" | "/")),
        }
    }

    fn tmpfs(&self) -> HashMap<String, String> {
        let mut tmpfs = BTreeMap::from([
            ("/tmp", "rw,exec,nosuid,nodev,size=512m".to_owned()),
            ("/var/tmp", "rw,noexec,nosuid,nodev,size=256m".to_owned()),
            ("/run", "rw,noexec,nosuid,nodev,size=64m".to_owned()),
        ]);
        if !self.settings.persistent {
            let owner = match self.settings.user {
                Some((uid, gid)) => format!(",uid={uid},gid={gid}"),
                None => String::new(),
            };
            tmpfs.insert(WORKSPACE, format!("rw,exec,nosuid,nodev,size=10g{owner}"));
            // The home of an image's own user is in the image: nothing is put over it.
            if self.owns_home() {
                tmpfs.insert("/home", format!("rw,exec,nosuid,nodev,size=1g{owner}"));
                tmpfs.insert(HOME, format!("rw,exec,nosuid,nodev,size=1g,mode=700{owner}"));
            }
        }
        tmpfs
            .into_iter()
            .filter(|(target, _)| !self.is_taken(target))
            .map(|(target, options)| (target.to_owned(), options))
            .collect()
    }

    /// The request that makes the container.
    pub(super) fn body(&self) -> Result<ContainerCreateBody, String> {
        let settings = self.settings;
        let mut capabilities: Vec<String> = CAPABILITIES.map(str::to_owned).to_vec();
        if settings.user.is_none() {
            capabilities.extend(USER_CAPABILITIES.map(str::to_owned));
        }
        let mut env: Vec<String> =
            settings.env.iter().map(|(name, value)| format!("{name}={value}")).collect();
        if settings.user.is_some() && !settings.env.iter().any(|(name, _)| name == "HOME") {
            env.push(format!("HOME={HOME}"));
        }
        let binds = self.own_binds().into_iter().chain(settings.binds.iter().cloned());
        let mut target = Target {
            host: HostConfig {
                cap_drop: Some(vec!["ALL".into()]),
                cap_add: Some(capabilities),
                security_opt: Some(vec!["no-new-privileges".into()]),
                pids_limit: self.limits.pids,
                nano_cpus: self.limits.nano_cpus,
                memory: self.limits.memory,
                storage_opt: self
                    .limits
                    .disk
                    .clone()
                    .map(|size| HashMap::from([("size".to_owned(), size)])),
                init: Some(self.init),
                tmpfs: Some(self.tmpfs()),
                network_mode: (!settings.network).then(|| "none".to_owned()),
                ..HostConfig::default()
            },
            env,
            binds: binds.map(|bind| bind.to_api()).collect(),
            user: settings.user.map(|(uid, gid)| format!("{uid}:{gid}")),
            ..Target::default()
        };
        // Last, so that they are stronger; what they may not touch, they cannot name.
        for extra in &settings.extras {
            extra.apply(&mut target)?;
        }
        if !settings.network {
            target.host.network_mode = Some("none".into());
        }
        target.host.binds = Some(target.binds);
        let mut labels: HashMap<String, String> = target.labels.into_iter().collect();
        labels.extend(self.labels.clone());
        Ok(ContainerCreateBody {
            image: Some(settings.image.clone()),
            hostname: target.hostname,
            user: target.user,
            env: Some(target.env),
            entrypoint: Some(["sh", "-c", KEEP_ALIVE, "hexad"].map(str::to_owned).to_vec()),
            cmd: Some(Vec::new()),
            working_dir: self.cwd(),
            open_stdin: Some(true),
            stop_timeout: Some(2),
            healthcheck: Some(HealthConfig {
                test: Some(vec!["NONE".into()]),
                ..HealthConfig::default()
            }),
            labels: Some(labels),
            host_config: Some(target.host),
            ..ContainerCreateBody::default()
        })
    }
}

fn is_root(user: Option<&str>) -> bool {
    let user = user.unwrap_or_default();
    matches!(user.split(':').next(), Some("" | "root" | "0"))
}

#[cfg(test)]
#[path = "spec_tests.rs"]
mod tests;
