//! The container of a task: found again, made, let go.

use std::collections::HashMap;
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
use std::path::Path;
use std::sync::Arc;

use bollard::Docker;
use bollard::errors::Error as ApiError;
use bollard::models::{
    ContainerCreateBody, ContainerInspectResponse, ContainerStateStatusEnum as Status, ImageConfig,
};
use bollard::query_parameters::{
    CreateContainerOptionsBuilder, ListContainersOptionsBuilder, RemoveContainerOptionsBuilder,
};
use hexad_actors::backend::Progress;
use hexad_actors::{BackendError, Notice, Unavailable};
use tokio::time::timeout;

use super::connect::{Endpoint, QUICK, status, words};
use super::image;
use super::labels;
use super::limits::Daemon;
use super::spec::Plan;
use super::{DockerProfile, TaskLabels};

/// A running container, and how to talk to it. Cheap to clone.
#[derive(Clone, Debug)]
pub(super) struct Instance {
    pub(super) docker: Docker,
    pub(super) endpoint: Arc<Endpoint>,
    pub(super) id: Arc<str>,
    pub(super) is_podman: bool,
    /// The variables of the container itself.
    pub(super) env: Arc<[(String, String)]>,
}

impl Instance {
    pub(super) fn short_id(&self) -> &str {
        short(&self.id)
    }

    /// What an answer to `doing` something with the container means: that it is gone, if the
    /// daemon says so.
    pub(super) fn gone_or(&self, error: ApiError, doing: &str) -> BackendError {
        match status(&error) {
            Some(404) => BackendError::lost(format!("the container {} is gone", self.short_id())),
            Some(409) => BackendError::lost(format!(
                "the container {} cannot be used: {}",
                self.short_id(),
                words(&error)
            )),
            _ => self.endpoint.classify(error, doing),
        }
    }

    /// Why the container does not run any more; none if it does or nobody knows.
    pub(super) async fn why_stopped(&self) -> Option<String> {
        let asked = timeout(QUICK, self.docker.inspect_container(&self.id, None)).await.ok()?;
        let container = match asked {
            Ok(container) => container,
            Err(error) if status(&error) == Some(404) => {
                return Some(format!("the container {} was removed", self.short_id()));
            }
            Err(_) => return None,
        };
        let state = container.state?;
        if state.running == Some(true) {
            return None;
        }
        let memory = if state.oom_killed == Some(true) { ", out of memory" } else { "" };
        Some(format!(
            "the container {} was stopped (status {}{memory})",
            self.short_id(),
            state.exit_code.unwrap_or_default()
        ))
    }
}

fn short(id: &str) -> &str {
    id.get(..12).unwrap_or(id)
}

/// A container that was found or made.
pub(super) struct Found {
    pub(super) instance: Instance,
    /// The user that commands run as, as the container names it.
    pub(super) user: String,
    /// The first directory; none means the home of that user.
    pub(super) cwd: Option<String>,
    pub(super) reattached: bool,
    pub(super) notices: Vec<Notice>,
}

/// Getting at the container of one task.
pub(super) struct Getting<'a> {
    pub(super) profile: &'a DockerProfile,
    pub(super) task: &'a TaskLabels,
    pub(super) docker: &'a Docker,
    pub(super) daemon: &'a Daemon,
    pub(super) folder: &'a Path,
    pub(super) progress: &'a Progress,
}

impl Getting<'_> {
    /// Finds the container of the task, else makes one.
    pub(super) async fn get(&self) -> Result<Found, BackendError> {
        let mut notices = self.profile.settings.notices.clone();
        if let Some(found) = self.reattach(&mut notices).await? {
            return Ok(found);
        }
        self.create(notices).await
    }

    fn classify(&self, error: ApiError, doing: &str) -> BackendError {
        self.profile.endpoint.classify(error, doing)
    }

    /// The containers of the task, those that run first, then the newest.
    async fn existing(&self) -> Result<Vec<ContainerInspectResponse>, BackendError> {
        let listed = list(self.docker, &self.task.filters()).await;
        let mut all = Vec::new();
        for id in listed.map_err(|e| self.classify(e, "looking for the task's container"))? {
            match self.docker.inspect_container(&id, None).await {
                Ok(container) => all.push(container),
                // Gone since.
                Err(error) if status(&error) == Some(404) => {}
                Err(error) => return Err(self.classify(error, "looking at a container")),
            }
        }
        all.sort_by_key(|c| state_of(c) != Status::RUNNING);
        Ok(all)
    }

    async fn reattach(&self, notices: &mut Vec<Notice>) -> Result<Option<Found>, BackendError> {
        for container in self.existing().await? {
            let Some(id) = container.id.clone() else { continue };
            let labels = container.config.as_ref().and_then(|c| c.labels.clone());
            let labels = labels.unwrap_or_default();
            // Without permission to keep it, a container is only the business of its maker.
            if !self.profile.settings.across && labels.get(labels::OWNER) != Some(&self.task.owner)
            {
                continue;
            }
            let mode = container.host_config.as_ref().and_then(|h| h.network_mode.as_deref());
            if !self.profile.settings.network && mode != Some("none") {
                notices.push(Notice::new(
                    "container_replaced",
                    format!(
                        "the container {} had a network ({}), which docker_network: false \
                         forbids; it was replaced",
                        short(&id),
                        mode.unwrap_or("unknown")
                    ),
                ));
                self.remove(&id).await?;
                continue;
            }
            if !self.wake(&id, state_of(&container), notices).await? {
                continue;
            }
            let changes = labels::config_changes(
                labels.get(labels::CONFIG).map_or("", String::as_str),
                &self.profile.config_label,
            );
            if !changes.is_empty() {
                notices.push(Notice::new(
                    "config_changed",
                    format!(
                        "the container {} of this task was made with another configuration \
                         ({}) and goes on as it is; release the task to have a new one made",
                        short(&id),
                        changes.join(", ")
                    ),
                ));
            }
            return self.found(id, None, true, std::mem::take(notices)).await.map(Some);
        }
        Ok(None)
    }

    /// Makes a container run that exists. Gives false, with a notice, if it had to go instead.
    async fn wake(
        &self,
        id: &str,
        state: Status,
        notices: &mut Vec<Notice>,
    ) -> Result<bool, BackendError> {
        let result = match state {
            Status::RUNNING => return Ok(true),
            Status::PAUSED => {
                notices.push(Notice::new(
                    "container_resumed",
                    format!("the container {} was paused; it was resumed", short(id)),
                ));
                self.docker.unpause_container(id).await
            }
            Status::DEAD | Status::REMOVING => {
                self.remove(id).await?;
                return Ok(false);
            }
            _ => {
                self.progress.say(format!("starting the container {} again", short(id)));
                self.docker.start_container(id, None).await
            }
        };
        match result {
            Ok(()) => Ok(true),
            Err(error) if status(&error).is_some() => {
                notices.push(Notice::new(
                    "container_replaced",
                    format!(
                        "the container {} could not be started again ({}) and was replaced",
                        short(id),
                        words(&error)
                    ),
                ));
                self.remove(id).await?;
                Ok(false)
            }
            Err(error) => Err(self.classify(error, "starting a container again")),
        }
    }

    async fn remove(&self, id: &str) -> Result<(), BackendError> {
        remove(self.docker, id).await.map_err(|e| self.classify(e, "removing a container"))
    }

    async fn create(&self, mut notices: Vec<Notice>) -> Result<Found, BackendError> {
        let settings = &self.profile.settings;
        let endpoint = &self.profile.endpoint;
        let image = image::ensure(self.docker, endpoint, &settings.image, self.progress).await?;
        let (mut limits, said) = settings.wanted.on(self.daemon);
        notices.extend(said);
        let mut init = self.daemon.init;
        loop {
            let plan = Plan {
                settings,
                image: &image,
                limits: &limits,
                folder: self.folder,
                init,
                labels: self.task.labels(&self.profile.config_label),
            };
            make_folders(&plan)?;
            let body = plan.body().map_err(|message| BackendError::Invalid { message })?;
            let cwd = plan.cwd();
            self.progress.say(format!("making a container from {}", settings.image));
            let error = match self.make(body).await {
                Ok(id) => return self.found(id, cwd, false, notices).await,
                Err(error) => error,
            };
            let said = words(&error).to_lowercase();
            // One thing less at a time, each only if the daemon names it as the reason.
            if limits.disk.is_some() && said.contains("storage-opt") {
                limits.disk = None;
                notices.push(Notice::new(
                    "limits_not_enforced",
                    format!("the daemon does not limit disks: {}", words(&error)),
                ));
            } else if init && said.contains("init") && said.contains("exec") {
                init = false;
                notices.push(Notice::new(
                    "no_init",
                    "the daemon has no docker-init; the container reaps its processes itself",
                ));
            } else {
                return Err(self.not_made(error, &image));
            }
        }
    }

    /// Creates and starts; what is half made when that fails is removed.
    async fn make(&self, body: ContainerCreateBody) -> Result<String, ApiError> {
        let name = format!("hexad-{}", &uuid::Uuid::new_v4().simple().to_string()[..8]);
        let options = CreateContainerOptionsBuilder::default().name(&name).build();
        let created = self.docker.create_container(Some(options), body).await;
        let result = match created {
            Ok(created) => {
                for warning in &created.warnings {
                    tracing::debug!(%warning, "the daemon warns");
                }
                let started = self.docker.start_container(&created.id, None).await;
                started.map(|()| created.id)
            }
            Err(error) => Err(error),
        };
        if result.is_err()
            && let Err(error) = remove(self.docker, &name).await
        {
            tracing::debug!(%error, %name, "a container that was half made is left to the sweep");
        }
        result
    }

    fn not_made(&self, error: ApiError, image: &ImageConfig) -> BackendError {
        let said = words(&error);
        let name = &self.profile.settings.image;
        if said.contains("\"sh\"") && said.contains("not found") {
            return BackendError::unavailable(
                Unavailable::NoBinary,
                format!(
                    "the image {name} has no sh, so no command can run in it; choose an image \
                     with bash (docker_image)"
                ),
            );
        }
        let _ = image;
        self.classify(error, &format!("to make a container from {name}"))
    }

    /// Puts together what is known of a container that runs.
    async fn found(
        &self,
        id: String,
        cwd: Option<String>,
        reattached: bool,
        notices: Vec<Notice>,
    ) -> Result<Found, BackendError> {
        let container = self.docker.inspect_container(&id, None).await;
        let container = container.map_err(|e| self.classify(e, "looking at the container"))?;
        let config = container.config.unwrap_or_default();
        let env = config.env.unwrap_or_default();
        let env = env.iter().filter_map(|entry| entry.split_once('='));
        let dir = config.working_dir.filter(|dir| !matches!(dir.as_str(), "" | "/"));
        Ok(Found {
            instance: Instance {
                docker: self.docker.clone(),
                endpoint: Arc::clone(&self.profile.endpoint),
                id: id.into(),
                is_podman: self.profile.is_podman(),
                env: env.map(|(name, value)| (name.to_owned(), value.to_owned())).collect(),
            },
            user: config.user.unwrap_or_default(),
            cwd: self.profile.settings.cwd.clone().or(cwd).or(dir),
            reattached,
            notices,
        })
    }
}

fn state_of(container: &ContainerInspectResponse) -> Status {
    container.state.as_ref().and_then(|s| s.status).unwrap_or(Status::EMPTY)
}

/// Makes the folders that are mounted. Their parent lets nobody in; they themselves take any user
/// that the container may have.
fn make_folders(plan: &Plan<'_>) -> Result<(), BackendError> {
    let failed = |path: &Path, error: std::io::Error| {
        BackendError::internal(format!("the folder {}: {error}", path.display()))
    };
    for bind in plan.own_binds() {
        let folder = Path::new(&bind.source);
        let parent = folder.parent().unwrap_or(folder);
        let mut builder = std::fs::DirBuilder::new();
        builder.recursive(true).mode(0o700);
        builder.create(parent).map_err(|e| failed(parent, e))?;
        if !folder.is_dir() {
            builder.create(folder).map_err(|e| failed(folder, e))?;
            let mode = if plan.owns_home() { 0o755 } else { 0o777 };
            let permissions = std::fs::Permissions::from_mode(mode);
            std::fs::set_permissions(folder, permissions).map_err(|e| failed(folder, e))?;
        }
    }
    Ok(())
}

/// The ids of all containers with these labels.
pub(super) async fn list(docker: &Docker, labels: &[String]) -> Result<Vec<String>, ApiError> {
    let filters = HashMap::from([("label".to_owned(), labels.to_vec())]);
    let options = ListContainersOptionsBuilder::default().all(true).filters(&filters).build();
    let listed = timeout(QUICK, docker.list_containers(Some(options))).await;
    let listed = listed.unwrap_or(Err(ApiError::RequestTimeoutError))?;
    Ok(listed.into_iter().filter_map(|container| container.id).collect())
}

/// Removes a container with its anonymous volumes. One that is gone, or going, is no error.
pub(super) async fn remove(docker: &Docker, id: &str) -> Result<(), ApiError> {
    let options = RemoveContainerOptionsBuilder::default().force(true).v(true).build();
    match docker.remove_container(id, Some(options)).await {
        Err(error) if matches!(status(&error), Some(404 | 409)) => Ok(()),
        other => other,
    }
}
