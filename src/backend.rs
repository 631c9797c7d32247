//! The backends, and the place where one is chosen for a task.
//!
//! A new backend is one module here and one line in [`Backends::new`].

#[cfg(any(feature = "docker", feature = "ssh"))]
mod ask;
#[cfg(feature = "docker")]
pub mod docker;
#[cfg(feature = "local")]
pub mod local;
#[cfg(feature = "ssh")]
pub mod ssh;
#[cfg(any(feature = "docker", feature = "ssh"))]
mod stream;

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use hexad_actors::{Backend, Chosen, Error, Provider, TaskId};

use crate::config::{BackendKind, Config, DEFAULT_PROFILE, Profile};
use crate::host::Host;
use crate::owner::Owners;

/// Makes a backend for one environment.
type Factory = Box<dyn Fn(&TaskId) -> Arc<dyn Backend> + Send + Sync>;

/// Every profile of a configuration, ready to make backends.
pub struct Backends {
    profiles: BTreeMap<String, (Profile, Result<Factory, String>)>,
    owners: Option<Arc<Owners>>,
    #[cfg(feature = "docker")]
    docker: Vec<Arc<docker::DockerProfile>>,
}

/// The runtime that backends are made for.
#[derive(Clone, Copy, Debug)]
pub struct RuntimeFacts<'a> {
    /// Its mark.
    pub mark: &'a str,
    /// Whether it keeps shell states on disk, so that a later process may go on with a task.
    pub keeps_state: bool,
}

impl Backends {
    /// Takes the profiles of `config`. One whose backend is not in this build gives an error
    /// when it is chosen, not before.
    #[must_use]
    pub fn new(
        config: &Config,
        host: &Arc<Host>,
        owners: Option<Arc<Owners>>,
        runtime: RuntimeFacts<'_>,
    ) -> Self {
        #[cfg(feature = "docker")]
        let mut dockers: Vec<Arc<docker::DockerProfile>> = Vec::new();
        #[cfg(feature = "ssh")]
        let links = ssh::Links::default();
        #[cfg_attr(not(feature = "docker"), expect(unused_mut, reason = "docker notes profiles"))]
        let mut factory = |profile: &Profile| -> Result<Factory, String> {
            match profile.backend {
                #[cfg(feature = "docker")]
                BackendKind::Docker => {
                    let RuntimeFacts { mark, keeps_state } = runtime;
                    let docker = docker::DockerProfile::new(profile, host, mark, keeps_state)?;
                    let swept = dockers.iter().any(|d| d.address() == docker.address());
                    if !swept && profile.flag("docker_orphan_reaper") {
                        dockers.push(Arc::clone(&docker));
                    }
                    Ok(Box::new(move |task| Arc::new(docker.backend(task))))
                }
                #[cfg(feature = "local")]
                BackendKind::Local => {
                    let local = local::LocalProfile::new(profile, host);
                    Ok(Box::new(move |_| Arc::new(local.backend())))
                }
                #[cfg(feature = "ssh")]
                BackendKind::Ssh => {
                    let ssh = ssh::SshProfile::new(profile, host, &links)?;
                    Ok(Box::new(move |_| Arc::new(ssh.backend())))
                }
                other => Err(format!(
                    "backend {other} (profile {}) is not part of this version of hexad; it has: \
                     {}",
                    profile.name,
                    built_in().join(", ")
                )),
            }
        };
        let profiles = config
            .profiles
            .iter()
            .map(|(name, profile)| (name.clone(), (profile.clone(), factory(profile))))
            .collect();
        let _ = runtime;
        Self {
            profiles,
            owners,
            #[cfg(feature = "docker")]
            docker: dockers,
        }
    }
}

/// The backends in this build.
#[must_use]
pub fn built_in() -> Vec<&'static str> {
    let mut names = Vec::new();
    if cfg!(feature = "local") {
        names.push("local");
    }
    if cfg!(feature = "docker") {
        names.push("docker");
    }
    if cfg!(feature = "ssh") {
        names.push("ssh");
    }
    names
}

#[async_trait]
impl Provider for Backends {
    fn choose(&self, task: &TaskId, profile: Option<&str>) -> Result<Chosen, Error> {
        let name = profile.unwrap_or(DEFAULT_PROFILE);
        let Some((profile, factory)) = self.profiles.get(name) else {
            let known: Vec<&str> = self.profiles.keys().map(String::as_str).collect();
            return Err(Error::invalid(format!(
                "there is no profile {name:?}; the configuration has: {}",
                known.join(", ")
            )));
        };
        let make = factory.as_ref().map_err(|message| Error::invalid(message.clone()))?;
        Ok(Chosen {
            profile: name.to_owned(),
            backend: make(task),
            timeout: Some(profile.timeout),
            idle_lifetime: None,
        })
    }

    async fn sweep(&self) -> Vec<String> {
        #[cfg_attr(not(feature = "docker"), expect(unused_mut, reason = "docker adds to it"))]
        let mut found = match self.owners.clone() {
            Some(owners) => {
                tokio::task::spawn_blocking(move || owners.sweep()).await.unwrap_or_default()
            }
            None => Vec::new(),
        };
        #[cfg(feature = "docker")]
        for docker in &self.docker {
            found.extend(docker.sweep().await);
        }
        found
    }
}
