//! The image: there, or pulled with its progress passed on.

use std::collections::HashMap;
use std::time::Duration;

use bollard::Docker;
use bollard::errors::Error as ApiError;
use bollard::models::{CreateImageInfo, ImageConfig};
use bollard::query_parameters::CreateImageOptionsBuilder;
use futures_util::StreamExt as _;
use hexad_actors::backend::Progress;
use hexad_actors::{BackendError, Unavailable};
use tokio::time::Instant;

use super::connect::{Endpoint, status, words};

/// Between two words about a pull that goes on.
const SAY_EVERY: Duration = Duration::from_secs(2);

/// What the image says about itself. Pulls it when it is not there.
pub(super) async fn ensure(
    docker: &Docker,
    endpoint: &Endpoint,
    image: &str,
    progress: &Progress,
) -> Result<ImageConfig, BackendError> {
    match docker.inspect_image(image).await {
        Ok(found) => return Ok(found.config.unwrap_or_default()),
        Err(error) if status(&error) == Some(404) => {}
        Err(error) => return Err(endpoint.classify(error, &format!("looking for image {image}"))),
    }
    progress.say(format!("pulling image {image}"));
    pull(docker, image, progress).await.map_err(|error| no_image(image, &error))?;
    let found = docker.inspect_image(image).await;
    let found = found.map_err(|error| no_image(image, &error))?;
    progress.say(format!("image {image} is there"));
    Ok(found.config.unwrap_or_default())
}

fn no_image(image: &str, error: &ApiError) -> BackendError {
    BackendError::unavailable(
        Unavailable::Refused,
        format!(
            "there is no image {image} here and it could not be pulled: {}; check docker_image, \
             or pull it by hand",
            words(error)
        ),
    )
}

async fn pull(docker: &Docker, image: &str, progress: &Progress) -> Result<(), ApiError> {
    let (name, tag) = split(image);
    let options = CreateImageOptionsBuilder::default().from_image(name).tag(tag).build();
    let mut events = docker.create_image(Some(options), None, None);
    let mut layers = Layers::default();
    let mut next = Instant::now() + SAY_EVERY;
    while let Some(event) = events.next().await {
        layers.take(&event?);
        if Instant::now() >= next {
            next = Instant::now() + SAY_EVERY;
            progress.say(layers.say(image));
        }
    }
    Ok(())
}

/// Name and tag; a digest stays part of the name.
fn split(image: &str) -> (&str, &str) {
    if image.contains('@') {
        return (image, "");
    }
    match image.rsplit_once(':') {
        // What looks like a tag may be the port of a registry.
        Some((name, tag)) if !tag.contains('/') => (name, tag),
        _ => (image, "latest"),
    }
}

/// What is known of the layers of a pull.
#[derive(Debug, Default)]
struct Layers(HashMap<String, (i64, i64, bool)>);

impl Layers {
    fn take(&mut self, event: &CreateImageInfo) {
        let Some(id) = &event.id else { return };
        let (current, total, done) = self.0.entry(id.clone()).or_default();
        if let Some(detail) = &event.progress_detail {
            *current = detail.current.unwrap_or(*current);
            *total = detail.total.unwrap_or(*total);
        }
        *done |= matches!(event.status.as_deref(), Some("Pull complete" | "Already exists"));
    }

    fn say(&self, image: &str) -> String {
        let done = self.0.values().filter(|(.., done)| *done).count();
        let bytes: i64 = self.0.values().map(|(current, ..)| current).sum();
        format!(
            "pulling image {image}: {done} of {} layers, {} MB",
            self.0.len(),
            bytes / 1_000_000
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_split_as_the_daemon_means_them() {
        assert_eq!(split("debian"), ("debian", "latest"));
        assert_eq!(split("debian:12"), ("debian", "12"));
        assert_eq!(split("host:5000/a/b"), ("host:5000/a/b", "latest"));
        assert_eq!(split("host:5000/a/b:1"), ("host:5000/a/b", "1"));
        assert_eq!(split("a@sha256:00"), ("a@sha256:00", ""));
    }

    #[test]
    fn progress_counts_layers() {
        let mut layers = Layers::default();
        for (id, status) in [("a", "Downloading"), ("b", "Pull complete")] {
            layers.take(&CreateImageInfo {
                id: Some(id.into()),
                status: Some(status.into()),
                ..CreateImageInfo::default()
            });
        }
        assert_eq!(layers.say("x"), "pulling image x: 1 of 2 layers, 0 MB");
    }
}
