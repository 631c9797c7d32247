//! Letting go of a task, whatever it is doing.

use std::time::Duration;

use hexad_actors::backend::StopMode;
use hexad_actors::{Execute, InterruptCause, Outcome, SupervisorMessage};

use crate::support::{Act, at_once, refused, runtime, settle, task};

const RELEASED: Outcome = Outcome::Interrupted { cause: InterruptCause::Release };

#[tokio::test(start_paused = true)]
async fn a_release_ends_what_runs_answers_what_waits_and_destroys() {
    let rt = runtime().await;
    rt.run("t", "cd /x").await;
    let running = rt.send("t", "say before; hang");
    settle().await;
    let waiting = rt.send("t", "say never");
    rt.release("t").wait().await.unwrap();
    let result = running.wait().await.unwrap();
    assert_eq!((&result.outcome, result.text().as_str()), (&RELEASED, "before\n"));
    assert_eq!(waiting.wait().await.unwrap().outcome, RELEASED);
    assert_eq!(rt.backend("t").count("stop Destroy"), 1);
    assert!(rt.store.calls().contains(&"forget t".to_owned()));
    settle().await;
    assert!(rt.status("t").await.is_none(), "the environment is gone");
    assert!(rt.state("t").await.is_none());
    assert_eq!(rt.run("t", "pwd; status").await.text(), "/work\n0\n", "nothing is left");
}

#[tokio::test(start_paused = true)]
async fn a_release_while_it_starts_gives_up_starting_before_it_stops() {
    let rt = runtime().await;
    rt.backend("t").next_start(Act::Hang);
    let waiting = rt.send("t", "say never");
    settle().await;
    at_once(rt.release("t").wait()).await.unwrap();
    assert_eq!(at_once(waiting.wait()).await.unwrap().outcome, RELEASED);
    assert_eq!(rt.backend("t").count("started"), 0);
    assert_eq!(rt.backend("t").count("stop Destroy"), 1);
    assert_eq!(rt.run("t", "say new").await.text(), "new\n");
}

#[tokio::test(start_paused = true)]
async fn two_releases_are_one_and_both_are_answered() {
    let rt = runtime().await;
    rt.run("t", "true").await;
    rt.backend("t").next_stop(Act::After(Duration::from_secs(3)));
    let (first, second) = (rt.release("t"), rt.release("t"));
    first.wait().await.unwrap();
    second.wait().await.unwrap();
    assert_eq!(rt.backend("t").count("stop Destroy"), 1);
}

#[tokio::test(start_paused = true)]
async fn an_unknown_task_is_destroyed_and_forgotten_too() {
    let rt = runtime().await;
    rt.release("old").wait().await.unwrap();
    assert_eq!(rt.backend("old").count("stop Destroy"), 1);
    assert_eq!(rt.store.calls(), ["forget old"]);
    assert_eq!(rt.backend("old").count("start"), 0);
    settle().await;
    assert!(rt.list().await.is_empty());
}

#[tokio::test(start_paused = true)]
async fn what_comes_during_a_release_runs_afterwards_in_a_fresh_environment() {
    let rt = runtime().await;
    rt.run("t", "cd /old").await;
    rt.backend("t").next_stop(Act::After(Duration::from_secs(3)));
    let release = rt.release("t");
    settle().await;
    assert_eq!(rt.phase("t").await, "releasing");
    let late = rt.send("t", "pwd");
    release.wait().await.unwrap();
    assert_eq!(late.wait().await.unwrap().text(), "/work\n");
    assert_eq!(rt.backend("t").count("started"), 2);
}

#[tokio::test(start_paused = true)]
async fn a_second_release_ends_what_came_after_the_first() {
    let rt = runtime().await;
    rt.run("t", "true").await;
    rt.backend("t").next_stop(Act::After(Duration::from_secs(3)));
    let first = rt.release("t");
    settle().await;
    let late = rt.send("t", "say never");
    let second = rt.release("t");
    assert_eq!(late.wait().await.unwrap().outcome, RELEASED);
    first.wait().await.unwrap();
    second.wait().await.unwrap();
    assert_eq!(rt.backend("t").ran(), ["true"]);
}

#[tokio::test(start_paused = true)]
async fn a_stop_that_fails_is_told_and_the_task_can_be_used_again() {
    let rt = runtime().await;
    rt.run("t", "true").await;
    rt.backend("t").next_stop(Act::Fail(refused()));
    let error = rt.release("t").wait().await.unwrap_err();
    assert_eq!(error.code(), "unavailable");
    rt.run("t", "true").await;
}

#[tokio::test(start_paused = true)]
async fn a_suspended_task_goes_on_where_it_was() {
    let rt = runtime().await;
    rt.run("t", "cd /x; export A=1").await;
    let (name, mode) = (task("t"), StopMode::Suspend);
    rt.ask(|reply| SupervisorMessage::Release { task: name, profile: None, mode, reply })
        .wait()
        .await
        .unwrap();
    assert_eq!(rt.backend("t").count("stop Suspend"), 1);
    settle().await;
    assert!(rt.status("t").await.is_none());
    assert_eq!(rt.state("t").await.unwrap().cwd, b"/x");
    assert_eq!(rt.run("t", "pwd; get A").await.text(), "/x\n1\n");
}

#[tokio::test(start_paused = true)]
async fn a_command_whose_shell_cannot_be_started_does_not_hold_up_a_release() {
    let rt = runtime().await;
    rt.run("t", "true").await;
    rt.backend("t").spawn_after(0, Act::Hang);
    let stuck = rt.send("t", "say never");
    settle().await;
    at_once(rt.release("t").wait()).await.unwrap();
    assert_eq!(stuck.wait().await.unwrap().outcome, RELEASED);
}

#[tokio::test(start_paused = true)]
async fn forks_and_what_commands_left_behind_end_with_the_environment() {
    let rt = runtime().await;
    rt.backend("t").capabilities.lock().unwrap().tracks_holders = true;
    let left = rt.run("t", "fork-off").await;
    assert_eq!(left.left_running.len(), 1);
    let fork = rt.send("t", Execute::new("hang").fork());
    settle().await;
    rt.release("t").wait().await.unwrap();
    assert_eq!(fork.wait().await.unwrap().outcome, RELEASED);
    assert!(rt.backend("t").table.live("test.").is_empty());
}
