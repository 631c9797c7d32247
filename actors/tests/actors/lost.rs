//! An instance that goes away: said as what it is, never run again behind the caller's back, and
//! provisioned anew for the next command.

use hexad_actors::{BackendError, Error, Event, Outcome, Slow};

use crate::support::{Act, all_events, runtime, settle, watched};

#[tokio::test(start_paused = true)]
async fn a_connection_that_goes_away_under_a_command_is_a_lost_outcome() {
    let rt = runtime().await;
    rt.run("t", "cd /kept").await;
    let losing = rt.send("t", "say partial; cd /x; vanish");
    let next = rt.send("t", "pwd");
    let result = losing.wait().await.unwrap();
    assert!(matches!(&result.outcome, Outcome::Lost { reason } if reason.contains("reset")));
    assert_eq!((result.text().as_str(), result.returncode()), ("partial\n", 255));
    assert_eq!(next.wait().await.unwrap().text(), "/kept\n");
    assert_eq!(rt.backend("t").count("started"), 2, "provisioned again");
    assert_eq!(rt.backend("t").ran(), ["cd /kept", "say partial; cd /x; vanish", "pwd"]);
}

#[tokio::test(start_paused = true)]
async fn a_command_that_never_began_gets_the_next_instance_and_is_told() {
    let rt = runtime().await;
    rt.run("t", "cd /kept").await;
    rt.backend("t").spawn_after(0, Act::Fail(BackendError::lost("the container is gone")));
    let result = rt.run("t", "pwd").await;
    assert_eq!(result.text(), "/kept\n");
    let codes: Vec<_> = result.notices.iter().map(|n| n.code.as_str()).collect();
    assert_eq!(codes, ["instance_lost"]);
    assert!(result.notices[0].message.contains("the container is gone"), "{result:?}");
    assert_eq!(rt.backend("t").count("started"), 2);
    assert_eq!(rt.backend("t").ran(), ["cd /kept", "pwd"]);
}

#[tokio::test(start_paused = true)]
async fn an_instance_that_is_gone_again_is_a_lost_error() {
    let rt = runtime().await;
    rt.run("t", "cd /kept").await;
    for _ in 0..2 {
        rt.backend("t").spawn_after(0, Act::Fail(BackendError::lost("the container is gone")));
    }
    let (request, mut events) = watched("say x", 16, Slow::Skip);
    let error = rt.send("t", request).wait().await.unwrap_err();
    assert!(matches!(error, Error::Lost { .. }), "{error}");
    let seen = all_events(&mut events).await;
    assert!(matches!(seen.last(), Some(Event::Failed(Error::Lost { .. }))), "{seen:?}");
    assert_eq!(rt.run("t", "pwd").await.text(), "/kept\n");
    assert_eq!(rt.backend("t").ran(), ["cd /kept", "pwd"]);
}

#[tokio::test(start_paused = true)]
async fn another_failure_to_spawn_does_not_cost_the_instance() {
    let rt = runtime().await;
    rt.run("t", "true").await;
    rt.backend("t").spawn_after(0, Act::Fail(crate::support::refused()));
    assert_eq!(rt.send("t", "true").wait().await.unwrap_err().code(), "unavailable");
    rt.run("t", "true").await;
    assert_eq!(rt.backend("t").count("started"), 1);
}

#[tokio::test(start_paused = true)]
async fn forks_that_run_on_keep_the_environment_from_starting_over() {
    let rt = runtime().await;
    rt.run("t", "true").await;
    let fork = rt.send("t", hexad_actors::Execute::new("sleep 100; say f").fork());
    settle().await;
    assert_eq!(rt.run("t", "vanish").await.outcome.as_str(), "lost");
    assert_eq!(fork.wait().await.unwrap().text(), "f\n");
    rt.run("t", "true").await;
}
