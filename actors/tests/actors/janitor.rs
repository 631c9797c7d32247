//! The janitor: idle environments are retired, busy ones never, dead runtimes are swept up after.

use std::sync::atomic::Ordering;
use std::time::Duration;

use hexad_actors::Execute;
use tokio::time::sleep;

use crate::support::{Act, runtime, runtime_with, settle};

const fn secs(n: u64) -> Duration {
    Duration::from_secs(n)
}

#[tokio::test(start_paused = true)]
async fn an_idle_environment_is_suspended_and_its_state_survives() {
    let rt = runtime().await;
    rt.run("t", "cd /x; export A=1").await;
    sleep(secs(290)).await;
    assert_eq!(rt.phase("t").await, "ready");
    sleep(secs(80)).await;
    assert!(rt.status("t").await.is_none());
    assert_eq!(rt.backend("t").count("stop Suspend"), 1);
    assert_eq!(rt.state("t").await.unwrap().cwd, b"/x");
    assert_eq!(rt.run("t", "pwd; get A").await.text(), "/x\n1\n");
    assert_eq!(rt.backend("t").count("started"), 2);
}

#[tokio::test(start_paused = true)]
async fn an_environment_with_work_is_never_retired() {
    let rt = runtime_with(|s| {
        s.max_timeout = secs(100_000);
        s.spares = 0;
    })
    .await;
    let long = |command: &str| Execute::new(command).timeout(secs(50_000));
    let running = rt.send("running", long("sleep 3000000"));
    let fork = rt.send("fork", long("sleep 3000000").fork());
    rt.backend("left").capabilities.lock().unwrap().tracks_holders = true;
    let left = rt.run("left", "fork-off").await;
    assert_eq!(left.left_running.len(), 1);
    sleep(secs(2000)).await;
    for task in ["running", "fork", "left"] {
        assert!(rt.status(task).await.is_some(), "{task}");
        assert_eq!(rt.backend(task).count("stop"), 0, "{task}");
    }
    running.wait().await.unwrap();
    fork.wait().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn when_what_was_left_running_ends_the_environment_grows_old_from_then() {
    let rt = runtime().await;
    rt.backend("t").capabilities.lock().unwrap().tracks_holders = true;
    rt.run("t", "fork-off").await;
    sleep(secs(1000)).await;
    assert_eq!(rt.status("t").await.unwrap().left_running, 1);
    rt.backend("t").table.end_all(&hexad_actors::backend::ExitStatus::Code(0));
    sleep(secs(200)).await;
    let status = rt.status("t").await.expect("not yet");
    assert_eq!(status.left_running, 0);
    sleep(secs(200)).await;
    assert!(rt.status("t").await.is_none());
}

#[tokio::test(start_paused = true)]
async fn an_environment_that_still_starts_is_left_alone() {
    let rt = runtime_with(|s| s.start_timeout = secs(10_000)).await;
    rt.backend("t").next_start(Act::After(secs(5000)));
    let answer = rt.send("t", "say done");
    sleep(secs(2000)).await;
    assert_eq!(rt.phase("t").await, "provisioning");
    assert_eq!(answer.wait().await.unwrap().text(), "done\n");
}

#[tokio::test(start_paused = true)]
async fn a_lifetime_of_zero_keeps_environments_and_a_profile_has_its_own() {
    let rt = runtime_with(|s| (s.idle_lifetime, s.spares) = (Duration::ZERO, 0)).await;
    rt.run("kept", "true").await;
    *rt.world.idle_lifetime.lock().unwrap() = Some(secs(30));
    rt.run("short", "true").await;
    sleep(secs(100)).await;
    assert!(rt.status("short").await.is_none());
    sleep(secs(10_000)).await;
    assert!(rt.status("kept").await.is_some());
}

#[tokio::test(start_paused = true)]
async fn a_message_that_comes_while_it_retires_is_not_lost() {
    // The stop takes 5 ms; a command is sent at every moment around it.
    for delay in 0..12 {
        let rt = runtime().await;
        *rt.world.idle_lifetime.lock().unwrap() = Some(secs(59));
        rt.run("t", "cd /x").await;
        rt.backend("t").next_stop(Act::After(Duration::from_millis(5)));
        sleep(secs(60) - Duration::from_millis(4) + Duration::from_millis(delay)).await;
        let result = rt.run("t", "pwd").await;
        assert_eq!(result.text(), "/x\n", "after {delay} ms");
        assert_eq!(rt.run("t", "pwd").await.text(), "/x\n");
    }
}

#[tokio::test(start_paused = true)]
async fn questions_while_it_retires_are_answered() {
    let rt = runtime().await;
    rt.run("t", "true").await;
    rt.backend("t").next_stop(Act::After(secs(30)));
    sleep(secs(310)).await;
    assert_eq!(rt.phase("t").await, "releasing");
    assert!(!rt.interrupt("t", None).await);
    assert_eq!(rt.list().await.len(), 1);
    rt.release("t").wait().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn sweeps_come_at_the_start_and_then_again_and_again() {
    let rt = runtime().await;
    settle().await;
    assert_eq!(rt.world.sweeps.load(Ordering::SeqCst), 1);
    sleep(secs(601)).await;
    assert_eq!(rt.world.sweeps.load(Ordering::SeqCst), 2);
    sleep(secs(6000)).await;
    assert_eq!(rt.world.sweeps.load(Ordering::SeqCst), 12);
}
