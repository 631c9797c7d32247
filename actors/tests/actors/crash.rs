//! Panics: in the actor of an environment, and in the work that it spawned.

use std::sync::atomic::Ordering;

use hexad_actors::{Error, Event, Execute, Slow};

use crate::support::{Act, all_events, at_once, runtime, settle, watched};

#[tokio::test(start_paused = true)]
async fn a_crashed_environment_answers_its_callers_and_is_replaced_with_its_last_state() {
    let rt = runtime().await;
    rt.run("t", Execute::new("cd /kept; export A=1").id("once")).await;
    let other = rt.send("other", "sleep 100; say fine");
    let running = rt.send("t", "cd /lost; hang");
    settle().await;
    let waiting = rt.send("t", "say never");
    settle().await;
    rt.backend("t").panic_in_describe.store(true, Ordering::SeqCst);
    rt.backend("t").forget_calls();
    assert!(rt.ask_status("t").wait().await.is_err());
    for answer in [running, waiting] {
        let error = at_once(answer.wait()).await.unwrap_err();
        assert!(matches!(error, Error::Internal { .. }), "{error}");
    }
    assert_eq!(rt.run("t", "pwd; get A").await.text(), "/kept\n1\n");
    let again = rt.run("t", Execute::new("cd /elsewhere").id("once")).await;
    assert!(again.repeated, "an answer outlives the crash, too");
    assert_eq!(rt.run("t", "pwd").await.text(), "/kept\n");
    assert_eq!(other.wait().await.unwrap().text(), "fine\n");
}

#[tokio::test(start_paused = true)]
async fn what_a_crashed_environment_left_running_is_ended_before_anything_starts() {
    let rt = runtime().await;
    let running = rt.send("t", "hang");
    settle().await;
    rt.backend("t").panic_in_describe.store(true, Ordering::SeqCst);
    assert!(rt.ask_status("t").wait().await.is_err());
    assert!(running.wait().await.is_err());
    rt.backend("t").forget_calls();
    rt.run("t", "true").await;
    let calls = rt.backend("t").calls();
    assert_eq!(calls[0], "signal KILL 1", "{calls:?}");
    assert_eq!(calls[1], "start");
}

#[tokio::test(start_paused = true)]
async fn a_panic_in_name_while_a_command_is_begun_is_answered() {
    let rt = runtime().await;
    rt.run("t", "cd /x").await;
    rt.backend("t").panic_in_name.store(true, Ordering::SeqCst);
    let (request, mut events) = watched("say never", 16, Slow::Skip);
    let answer = rt.send("t", request);
    assert_eq!(answer.wait().await.unwrap_err().code(), "internal");
    let seen = all_events(&mut events).await;
    assert!(matches!(seen.last(), Some(Event::Failed(_))), "{seen:?}");
    assert_eq!(rt.run("t", "pwd").await.text(), "/x\n");
    assert_eq!(rt.backend("t").ran(), ["cd /x", "pwd"]);
}

#[tokio::test(start_paused = true)]
async fn a_crash_before_the_first_command_loses_nothing_either() {
    let rt = runtime().await;
    rt.backend("t").next_start(Act::Fail(crate::support::refused()));
    rt.backend("t").panic_in_name.store(true, Ordering::SeqCst);
    assert!(rt.send("t", "true").wait().await.is_err());
    assert_eq!(rt.run("t", "say again").await.text(), "again\n");
}

#[tokio::test(start_paused = true)]
async fn a_panic_in_spawned_work_fails_that_request_alone() {
    let rt = runtime().await;
    rt.run("t", "cd /x").await;
    rt.backend("t").spawn_after(0, Act::Panic);
    let (request, mut events) = watched("say never", 16, Slow::Skip);
    let failing = rt.send("t", request);
    let next = rt.send("t", "pwd");
    let error = failing.wait().await.unwrap_err();
    assert!(matches!(error, Error::Internal { .. }), "{error}");
    let seen = all_events(&mut events).await;
    assert!(matches!(seen.last(), Some(Event::Failed(_))), "{seen:?}");
    assert_eq!(next.wait().await.unwrap().text(), "/x\n");
    assert_eq!(rt.backend("t").count("started"), 1, "the environment went on");
}

#[tokio::test(start_paused = true)]
async fn a_panic_while_stopping_is_told_and_the_task_can_be_used_again() {
    let rt = runtime().await;
    rt.run("t", "true").await;
    rt.backend("t").next_stop(Act::Panic);
    assert_eq!(rt.release("t").wait().await.unwrap_err().code(), "internal");
    rt.run("t", "true").await;
}

#[tokio::test(start_paused = true)]
async fn an_environment_that_crashed_and_is_not_used_again_is_retired_with_its_leftovers() {
    let rt = runtime().await;
    let running = rt.send("t", "hang");
    settle().await;
    rt.backend("t").panic_in_describe.store(true, Ordering::SeqCst);
    assert!(rt.ask_status("t").wait().await.is_err());
    assert!(running.wait().await.is_err());
    tokio::time::sleep(std::time::Duration::from_secs(400)).await;
    assert!(rt.status("t").await.is_none());
    assert!(rt.backend("t").table.live("test.").is_empty());
}
