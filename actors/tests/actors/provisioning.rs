//! Getting an instance: what waits is answered when it fails, and the next request tries again.

use std::time::Duration;

use hexad_actors::{Error, Event, Slow, Unavailable};
use tokio::time::Instant;

use crate::support::{Act, all_events, refused, runtime, runtime_with, settle, watched};

#[tokio::test(start_paused = true)]
async fn a_failed_start_answers_everybody_and_the_next_request_tries_again() {
    let rt = runtime().await;
    rt.backend("t").next_start(Act::Fail(refused()));
    let (request, mut events) = watched("say 1", 16, Slow::Skip);
    let answers = [rt.send("t", request), rt.send("t", "say 2"), rt.send("t", "say 3")];
    for answer in answers {
        let error = answer.wait().await.unwrap_err();
        let Error::Unavailable { backend, task, reason, message } = error else {
            panic!("{error}")
        };
        assert_eq!((backend.as_str(), task.as_str()), ("fake", "t"));
        assert_eq!(reason, Unavailable::Quota);
        assert!(message.contains("no room"));
    }
    let seen = all_events(&mut events).await;
    assert!(matches!(seen.last(), Some(Event::Failed(Error::Unavailable { .. }))), "{seen:?}");
    assert_eq!(rt.phase("t").await, "cold");
    assert_eq!(rt.run("t", "say again").await.text(), "again\n");
    assert_eq!(rt.backend("t").ran(), ["say again"]);
}

#[tokio::test(start_paused = true)]
async fn a_start_that_hangs_ends_at_its_deadline() {
    let rt = runtime_with(|s| (s.start_timeout, s.spares) = (Duration::from_secs(7), 0)).await;
    rt.backend("t").next_start(Act::Hang);
    let began = Instant::now();
    let error = rt.send("t", "true").wait().await.unwrap_err();
    assert!(matches!(error, Error::Unavailable { reason: Unavailable::Deadline, .. }), "{error}");
    assert_eq!(began.elapsed().as_secs(), 7);
    rt.run("t", "true").await;
}

#[tokio::test(start_paused = true)]
async fn a_panic_while_starting_is_an_error_and_not_the_end() {
    let rt = runtime().await;
    rt.backend("t").next_start(Act::Panic);
    let error = rt.send("t", "true").wait().await.unwrap_err();
    assert_eq!(error.code(), "internal");
    rt.run("t", "true").await;
}

#[tokio::test(start_paused = true)]
async fn everything_that_came_while_it_started_runs_in_order() {
    let rt = runtime().await;
    rt.backend("t").next_start(Act::After(Duration::from_secs(5)));
    let answers = [rt.send("t", "say 1"), rt.send("t", "say 2")];
    settle().await;
    let late = rt.send("t", "say 3");
    for answer in answers.into_iter().chain([late]) {
        answer.wait().await.unwrap();
    }
    assert_eq!(rt.backend("t").ran(), ["say 1", "say 2", "say 3"]);
}

#[tokio::test(start_paused = true)]
async fn watchers_are_told_how_starting_goes() {
    let rt = runtime().await;
    let (request, mut events) = watched("true", 16, Slow::Skip);
    let answer = rt.send("t", request);
    let seen = all_events(&mut events).await;
    let told = |e: &Event| matches!(e, Event::Provisioning { message } if message == "starting");
    assert!(seen.iter().any(told), "{seen:?}");
    answer.wait().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_first_state_that_cannot_be_captured_is_said_and_a_plain_one_is_used() {
    let rt = runtime().await;
    rt.backend("t").spawn_after(0, Act::Fail(refused()));
    let result = rt.run("t", "get PATH; pwd").await;
    assert_eq!(result.text(), "/bin\n/work\n");
    assert!(crate::support::has_notice(&result, "capture_failed"), "{:?}", result.notices);
    assert!(rt.run("t", "true").await.notices.is_empty(), "said once");
}
