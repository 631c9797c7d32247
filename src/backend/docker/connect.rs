//! Finding the daemon, and saying what is wrong with it in words that help.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use bollard::errors::Error as ApiError;
use bollard::{API_DEFAULT_VERSION, Docker};
use hexad_actors::{BackendError, Unavailable};

use crate::host::Host;

/// How long a request may take that the daemon answers from memory.
pub(super) const QUICK: Duration = Duration::from_secs(10);
/// How long creating or starting a container may take.
const SLOW_SECONDS: u64 = 120;

/// Where the daemon listens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Endpoint {
    /// `unix:///…` or `tcp://…`.
    pub(super) address: String,
    /// What named it: a variable, or none for the usual places.
    from: Option<&'static str>,
}

impl Endpoint {
    /// `DOCKER_HOST`, else the usual socket, else that of Podman, else that of a rootless daemon.
    pub(super) fn find(host: &Host) -> Self {
        let text = |name: &str| {
            host.var(name).and_then(|v| v.to_str()).map(str::trim).filter(|v| !v.is_empty())
        };
        if let Some(address) = text("DOCKER_HOST") {
            return Self { address: address.to_owned(), from: Some("DOCKER_HOST") };
        }
        let usual = PathBuf::from("/var/run/docker.sock");
        let mut places = vec![usual.clone()];
        if let Some(folder) = text("XDG_RUNTIME_DIR") {
            places.push(Path::new(folder).join("docker.sock"));
            places.push(Path::new(folder).join("podman/podman.sock"));
        }
        places.push("/run/podman/podman.sock".into());
        let found = places.into_iter().find(|place| place.exists()).unwrap_or(usual);
        Self { address: format!("unix://{}", found.display()), from: None }
    }

    /// The socket's path, if it is one.
    pub(super) fn socket(&self) -> Option<&Path> {
        self.address.strip_prefix("unix://").map(Path::new)
    }

    /// A client. Nothing is sent yet.
    pub(super) fn client(&self) -> Result<Docker, BackendError> {
        if let Some(socket) = self.socket() {
            self.look_at(socket)?;
            return Docker::connect_with_unix(&self.address, SLOW_SECONDS, API_DEFAULT_VERSION)
                .map_err(|error| self.classify(error, "connecting"));
        }
        if self.address.starts_with("tcp://") || self.address.starts_with("http://") {
            return Docker::connect_with_http(&self.address, SLOW_SECONDS, API_DEFAULT_VERSION)
                .map_err(|error| self.classify(error, "connecting"));
        }
        Err(BackendError::Invalid {
            message: format!(
                "DOCKER_HOST={}: this version of hexad speaks unix:// and tcp:// (without TLS)",
                self.address
            ),
        })
    }

    fn look_at(&self, socket: &Path) -> Result<(), BackendError> {
        match socket.metadata() {
            Ok(_) => Ok(()),
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Err(self.refused()),
            Err(_) => Err(BackendError::unavailable(
                Unavailable::NoSocket,
                format!(
                    "there is no Docker or Podman socket at {}{}; start the daemon, or set \
                     DOCKER_HOST to its socket",
                    socket.display(),
                    self.from.map(|name| format!(" ({name})")).unwrap_or_default(),
                ),
            )),
        }
    }

    fn refused(&self) -> BackendError {
        BackendError::unavailable(
            Unavailable::NoPermission,
            format!(
                "this user may not use the socket {}; add it to the group of the socket (often \
                 `docker`), or use a rootless daemon",
                self.address
            ),
        )
    }

    /// What the daemon's answer, or its silence, to `doing` something means.
    pub(super) fn classify(&self, error: ApiError, doing: &str) -> BackendError {
        if let Some(kind) = io_kind(&error) {
            return match kind {
                io::ErrorKind::PermissionDenied => self.refused(),
                io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused => {
                    BackendError::unavailable(
                        Unavailable::NoSocket,
                        format!(
                            "no daemon answers at {}, though its socket may be there; start it",
                            self.address
                        ),
                    )
                }
                _ => BackendError::lost(format!(
                    "the connection to the daemon at {} broke while {doing}: {error}",
                    self.address
                )),
            };
        }
        match error {
            ApiError::SocketNotFoundError(_) => BackendError::unavailable(
                Unavailable::NoSocket,
                format!("there is no socket at {}; start the daemon", self.address),
            ),
            ApiError::RequestTimeoutError => BackendError::unavailable(
                Unavailable::Deadline,
                format!("the daemon at {} did not answer in time while {doing}", self.address),
            ),
            ApiError::DockerResponseServerError { status_code: 401 | 403, message } => {
                BackendError::unavailable(
                    Unavailable::AuthRefused,
                    format!("the daemon refused {doing}: {message}"),
                )
            }
            ApiError::DockerResponseServerError { message, .. } => BackendError::unavailable(
                Unavailable::Refused,
                format!("the daemon refused {doing}: {}", message.trim()),
            ),
            other => {
                BackendError::unavailable(Unavailable::Refused, format!("{doing} failed: {other}"))
            }
        }
    }
}

/// The kind of the input/output error at the bottom of `error`, if there is one.
fn io_kind(error: &ApiError) -> Option<io::ErrorKind> {
    let mut source: Option<&(dyn std::error::Error + 'static)> = Some(error);
    while let Some(error) = source {
        if let Some(io) = error.downcast_ref::<io::Error>() {
            return Some(io.kind());
        }
        source = error.source();
    }
    None
}

/// The status that the daemon answered with.
pub(super) fn status(error: &ApiError) -> Option<u16> {
    match error {
        ApiError::DockerResponseServerError { status_code, .. } => Some(*status_code),
        _ => None,
    }
}

/// The daemon's words, or ours where it has none.
pub(super) fn words(error: &ApiError) -> String {
    match error {
        ApiError::DockerResponseServerError { message, .. } => message.trim().to_owned(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host(env: &[(&str, &str)]) -> Host {
        Host::with_env(env.iter().map(|(n, v)| (n.into(), v.into())).collect())
    }

    #[test]
    fn the_variable_is_stronger_than_the_usual_places() {
        let endpoint = Endpoint::find(&host(&[("DOCKER_HOST", "unix:///nowhere.sock")]));
        assert_eq!(endpoint.socket(), Some(Path::new("/nowhere.sock")));
        let error = endpoint.client().unwrap_err();
        assert!(
            matches!(error, BackendError::Unavailable { reason: Unavailable::NoSocket, .. }),
            "{error}"
        );
        assert!(error.to_string().contains("DOCKER_HOST"), "{error}");
    }

    #[test]
    fn the_socket_of_podman_is_found() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("podman")).unwrap();
        std::fs::write(folder.path().join("podman/podman.sock"), "").unwrap();
        let endpoint =
            Endpoint::find(&host(&[("XDG_RUNTIME_DIR", folder.path().to_str().unwrap())]));
        if !Path::new("/var/run/docker.sock").exists() {
            assert!(endpoint.address.ends_with("podman/podman.sock"), "{endpoint:?}");
        }
    }

    #[test]
    fn a_way_that_is_not_spoken_is_said() {
        let endpoint = Endpoint::find(&host(&[("DOCKER_HOST", "ssh://there")]));
        assert!(matches!(endpoint.client(), Err(BackendError::Invalid { .. })));
    }
}
