//! What a profile says about the docker backend, read once. Nothing here talks to a daemon.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use hexad_actors::{Notice, TaskId};

use super::extra::{self, Extra};
use super::labels::{cleaned, digest};
use super::limits::Wanted;
use super::volumes::{self, Bind};
use crate::config::Profile;
use crate::host::Host;

/// Where the files of a task are kept in the container.
pub(super) const WORKSPACE: &str = "/workspace";
/// The home of root, and of the host's user where the container runs as that.
pub(super) const HOME: &str = "/root";

/// The options of one profile.
#[derive(Clone, Debug)]
pub(super) struct Settings {
    pub(super) profile: String,
    pub(super) image: String,
    /// The first directory; none leaves it to the image.
    pub(super) cwd: Option<String>,
    pub(super) wanted: Wanted,
    pub(super) persistent: bool,
    pub(super) across: bool,
    pub(super) network: bool,
    /// User and group of this process, where the container is to run as that.
    pub(super) user: Option<(u32, u32)>,
    pub(super) env: Vec<(String, String)>,
    /// Passed to the first shell and never written into the container's configuration.
    pub(super) forwarded: Vec<(String, String)>,
    pub(super) binds: Vec<Bind>,
    pub(super) extras: Vec<Extra>,
    pub(super) sandbox: PathBuf,
    pub(super) login: bool,
    pub(super) notices: Vec<Notice>,
}

impl Settings {
    /// Reads a profile.
    ///
    /// # Errors
    /// Arguments that are not taken, with the list of those that are.
    pub(super) fn new(profile: &Profile, host: &Host) -> Result<Self, String> {
        let extras = extra::parse(profile.list("docker_extra_args"))?;
        let network = profile.flag("docker_network");
        if !network && extras.iter().any(Extra::opens_network) {
            return Err("docker_extra_args gives the container a network, which docker_network: \
                        false takes away; remove one of the two"
                .into());
        }
        let (mut binds, mut notices) =
            volumes::configured(profile.list("docker_volumes"), &host.home);
        let taken = binds.iter().any(|bind| bind.target == WORKSPACE);
        let mut cwd = profile.cwd.clone();
        if profile.flag("docker_mount_cwd_to_workspace") && !taken {
            let named = cwd.as_ref().map(PathBuf::from).filter(|path| path.is_dir());
            let folder = named.unwrap_or_else(|| host.cwd.clone());
            if folder.is_dir() {
                let mut own = vec![Bind::new(&folder, WORKSPACE)];
                own.extend(main_repository(&folder).map(|git| {
                    let target = git.display().to_string();
                    Bind::new(&git, target)
                }));
                binds.splice(0..0, own);
                cwd = Some(WORKSPACE.into());
            }
        }
        let (credentials, said) =
            volumes::credentials(profile.list("credential_files"), &host.home, HOME);
        binds.extend(credentials);
        notices.extend(said);
        let cwd = cwd.and_then(|cwd| directory(&cwd, &mut notices));
        let as_host_user = profile.flag("docker_run_as_host_user");
        let ids = || (nix::unistd::getuid().as_raw(), nix::unistd::getgid().as_raw());
        Ok(Self {
            profile: profile.name.clone(),
            image: profile.text("docker_image").unwrap_or_default().trim().to_owned(),
            cwd,
            wanted: Wanted {
                cpu: profile.decimal("container_cpu"),
                memory_mb: profile.number("container_memory"),
                disk_mb: profile.number("container_disk"),
                disk_given: profile.is_given("container_disk"),
            },
            persistent: profile.flag("container_persistent"),
            across: profile.flag("docker_persist_across_processes"),
            network,
            user: as_host_user.then(ids),
            env: profile.map("docker_env").iter().map(|(n, v)| (n.clone(), v.clone())).collect(),
            forwarded: forwarded(profile.list("docker_forward_env"), host),
            binds,
            extras,
            sandbox: profile
                .text("sandbox_dir")
                .map_or_else(|| host.state_folder().join("sandboxes"), PathBuf::from),
            login: profile.flag("login_shell"),
            notices,
        })
    }

    /// The folder of this machine that holds the files of a task.
    pub(super) fn folder(&self, task: &TaskId) -> PathBuf {
        let name = cleaned(task.as_str());
        let name =
            if name == task.as_str() { name } else { format!("{name}-{}", digest(task.as_str())) };
        self.sandbox.join("docker").join(name)
    }

    /// What a container is made with, in pieces that have names. Secrets are in no piece but as
    /// part of a digest.
    pub(super) fn pieces(&self) -> BTreeMap<&'static str, String> {
        BTreeMap::from([
            ("image", self.image.clone()),
            ("limits", format!("{:?}", Wanted { disk_given: false, ..self.wanted })),
            ("mounts", format!("{:?} {} {}", self.binds, self.persistent, self.sandbox.display())),
            ("network", self.network.to_string()),
            ("user", format!("{:?}", self.user)),
            ("env", format!("{:?}", self.env)),
            ("extra_args", format!("{:?}", self.extras)),
        ])
    }
}

/// A directory of the container; one that cannot be there is named and not used.
fn directory(cwd: &str, notices: &mut Vec<Notice>) -> Option<String> {
    if cwd == "~" {
        return Some(HOME.into());
    }
    if let Some(rest) = cwd.strip_prefix("~/") {
        return Some(format!("{HOME}/{rest}"));
    }
    if cwd.starts_with('/') {
        return Some(cwd.to_owned());
    }
    notices.push(Notice::new(
        "cwd_skipped",
        format!("cwd: {cwd:?} is no absolute path in the container and was not used"),
    ));
    None
}

fn forwarded(names: &[String], host: &Host) -> Vec<(String, String)> {
    names
        .iter()
        .filter_map(|name| Some((name.clone(), host.var(name)?.to_str()?.to_owned())))
        .collect()
}

/// The repository that a work tree belongs to, if `folder` is a work tree of another one: without
/// it git does not work in there.
fn main_repository(folder: &Path) -> Option<PathBuf> {
    let text = std::fs::read_to_string(folder.join(".git")).ok()?;
    let own = folder.join(text.strip_prefix("gitdir:")?.trim());
    let common = std::fs::read_to_string(own.join("commondir")).ok()?;
    own.join(common.trim()).canonicalize().ok()
}
