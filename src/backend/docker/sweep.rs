//! Removing what dead runtimes left at a daemon.

use std::collections::HashMap;
use std::time::Duration;

use bollard::Docker;
use bollard::models::{ContainerInspectResponse, ContainerStateStatusEnum as Status};

use super::connect::Endpoint;
use super::instance::{list, remove};
use super::labels::{self, Owner};
use crate::host::Host;

/// Removes the containers of dead owners that nobody will come back to: those that were not to be
/// kept, those that never ran, and those that were kept and have been stopped for `stale`. Gives a
/// sentence for each. Quick where there is no daemon.
pub(super) async fn sweep(endpoint: &Endpoint, host: &Host, stale: Duration) -> Vec<String> {
    let mut found = Vec::new();
    let Ok(docker) = endpoint.client() else { return found };
    let ids = match list(&docker, &[format!("{}=1", labels::HEXAD)]).await {
        Ok(ids) => ids,
        Err(error) => {
            tracing::debug!(%error, "no sweep of containers");
            return found;
        }
    };
    for id in ids {
        if let Some(sentence) = look_at(&docker, &id, host, stale).await {
            found.push(sentence);
        }
    }
    found
}

async fn look_at(docker: &Docker, id: &str, host: &Host, stale: Duration) -> Option<String> {
    let container = docker.inspect_container(id, None).await.ok()?;
    let labels = container.config.as_ref().and_then(|c| c.labels.clone()).unwrap_or_default();
    if !Owner::is_dead(&labels, &host.name) || !is_over(&container, &labels, stale) {
        return None;
    }
    if let Err(error) = remove(docker, id).await {
        tracing::debug!(%error, id, "a container of a dead hexad was not removed");
        return None;
    }
    let task = labels.get(labels::TASK_ID).map_or("unknown", String::as_str);
    Some(format!(
        "removed the container {} of task {task}, whose hexad is dead",
        &id[..12.min(id.len())]
    ))
}

/// Whether nobody will come back to the container.
fn is_over(
    container: &ContainerInspectResponse,
    labels: &HashMap<String, String>,
    stale: Duration,
) -> bool {
    if labels.get(labels::KEEP).map(String::as_str) != Some("1") {
        return true;
    }
    let Some(state) = &container.state else { return false };
    match state.status {
        Some(Status::CREATED) => true,
        Some(Status::EXITED | Status::DEAD) => {
            state.finished_at.as_deref().and_then(age).is_some_and(|age| age > stale)
        }
        _ => false,
    }
}

/// How long ago a time such as `2026-01-31T12:00:00.123Z` was; none if it is not one.
fn age(text: &str) -> Option<Duration> {
    let (date, time) = text.split_once('T')?;
    let mut date = date.splitn(3, '-').map(str::parse::<i64>);
    let (year, month, day) = (date.next()?.ok()?, date.next()?.ok()?, date.next()?.ok()?);
    let mut time = time.get(..8)?.splitn(3, ':').map(str::parse::<i64>);
    let (hour, minute, second) = (time.next()?.ok()?, time.next()?.ok()?, time.next()?.ok()?);
    // Days since 1970, by the civil calendar.
    let (year, month) = if month <= 2 { (year - 1, month + 9) } else { (year, month - 3) };
    let days =
        365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day - 1 - 719_468;
    let then = u64::try_from(days * 86_400 + hour * 3600 + minute * 60 + second).ok()?;
    // A container that never ran has a time long before 1970.
    std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH + Duration::from_secs(then))
        .ok()
}

#[cfg(test)]
mod tests {
    use bollard::models::ContainerState;

    use super::*;

    const STALE: Duration = Duration::from_secs(600);

    fn over(keep: &str, status: Status, finished: &str) -> bool {
        let container = ContainerInspectResponse {
            state: Some(ContainerState {
                status: Some(status),
                finished_at: Some(finished.into()),
                ..ContainerState::default()
            }),
            ..ContainerInspectResponse::default()
        };
        let labels = HashMap::from([(labels::KEEP.to_owned(), keep.to_owned())]);
        is_over(&container, &labels, STALE)
    }

    #[test]
    fn what_is_to_be_kept_stays_while_it_may_be_used_again() {
        let never = "0001-01-01T00:00:00Z";
        assert!(over("0", Status::RUNNING, never));
        assert!(over("1", Status::CREATED, never));
        assert!(!over("1", Status::RUNNING, never));
        assert!(over("1", Status::EXITED, "2020-02-29T12:00:00.5Z"));
        assert!(!over("1", Status::EXITED, never));
        assert!(!over("1", Status::EXITED, "rubbish"));
    }

    #[test]
    fn times_are_understood() {
        let epoch = age("1970-01-01T00:00:00Z").unwrap().as_secs();
        assert_eq!(epoch - age("2024-02-29T01:02:03Z").unwrap().as_secs(), 1_709_168_523);
    }
}
