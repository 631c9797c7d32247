//! The end of a runtime: every caller is answered, every instance suspended, nothing lost.

use std::time::Duration;

use hexad_actors::{InterruptCause, Outcome};
use tokio::time::Instant;

use crate::support::{Act, runtime, runtime_with, settle};

const SHUTDOWN: Outcome = Outcome::Interrupted { cause: InterruptCause::Shutdown };

#[tokio::test(start_paused = true)]
async fn every_caller_is_answered_and_every_backend_suspended() {
    let rt = runtime_with(|s| s.spares = 1).await;
    rt.run("idle", "cd /x").await;
    rt.backend("starting").next_start(Act::Hang);
    let running = rt.send("running", "say partial; hang");
    let waiting = rt.send("running", "say never");
    let starting = rt.send("starting", "say never");
    settle().await;
    rt.shutdown().wait().await.unwrap();
    let result = running.wait().await.unwrap();
    assert_eq!((&result.outcome, result.text().as_str()), (&SHUTDOWN, "partial\n"));
    assert_eq!(waiting.wait().await.unwrap().outcome, SHUTDOWN);
    assert_eq!(starting.wait().await.unwrap().outcome, SHUTDOWN);
    for task in ["idle", "running", "starting"] {
        assert_eq!(rt.backend(task).count("stop Suspend"), 1, "{task}");
        settle().await;
        assert!(rt.backend(task).table.live("test.").is_empty(), "{task}");
    }
    assert_eq!(rt.store.kept("idle").unwrap().cwd, b"/x");
    rt.ended.await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_message_behind_a_shutdown_is_answered_with_an_error() {
    let rt = runtime().await;
    rt.run("t", "true").await;
    let done = rt.shutdown();
    let late = rt.send("t", "say never");
    done.wait().await.unwrap();
    assert!(late.wait().await.is_err());
    assert!(rt.send("t", "say never").wait().await.is_err());
    assert_eq!(rt.backend("t").ran(), ["true"]);
}

#[tokio::test(start_paused = true)]
async fn a_shutdown_while_a_task_is_released_answers_what_waits_there() {
    let rt = runtime().await;
    rt.run("t", "true").await;
    rt.backend("t").next_stop(Act::After(Duration::from_secs(3)));
    let release = rt.release("t");
    settle().await;
    let waiting = rt.send("t", "say never");
    settle().await;
    rt.shutdown().wait().await.unwrap();
    release.wait().await.unwrap();
    assert_eq!(waiting.wait().await.unwrap().outcome, SHUTDOWN);
    assert_eq!(rt.backend("t").ran(), ["true"]);
}

#[tokio::test(start_paused = true)]
async fn a_backend_that_does_not_let_go_holds_up_nobody_for_ever() {
    let rt = runtime().await;
    rt.run("stuck", "true").await;
    rt.run("fine", "true").await;
    rt.backend("stuck").next_stop(Act::Hang);
    let began = Instant::now();
    rt.shutdown().wait().await.unwrap();
    assert!(began.elapsed() < Duration::from_secs(60));
    assert_eq!(rt.backend("fine").count("stopped"), 1);
    rt.ended.await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_supervisor_that_is_simply_stopped_lets_go_all_the_same() {
    let rt = runtime().await;
    rt.run("t", "true").await;
    let running = rt.send("t", "hang");
    settle().await;
    rt.supervisor.stop(None);
    assert_eq!(running.wait().await.unwrap().outcome, SHUTDOWN);
    let backend = rt.backend("t");
    rt.ended.await.unwrap();
    assert_eq!(backend.count("stop Suspend"), 1);
}

#[tokio::test(start_paused = true)]
async fn a_next_runtime_goes_on_with_the_saved_state() {
    let rt = runtime().await;
    rt.run("t", "cd /x; export A=1").await;
    rt.shutdown().wait().await.unwrap();
    let next = runtime().await;
    next.store.put("t", rt.store.kept("t").unwrap());
    assert_eq!(next.run("t", "pwd; get A").await.text(), "/x\n1\n");
}
