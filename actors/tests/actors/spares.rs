//! Shells that are started ahead of time.

use std::sync::atomic::Ordering;
use std::time::Duration;

use hexad_actors::backend::ExitStatus;
use hexad_actors::{Execute, Settings};
use tokio::time::sleep;

use crate::support::{Act, Runtime, runtime_with, settle};

async fn spared() -> Runtime {
    runtime_with(|settings: &mut Settings| settings.spares = 1).await
}

async fn has_spare(rt: &Runtime) -> bool {
    rt.status("t").await.unwrap().spare
}

#[tokio::test(start_paused = true)]
async fn a_spare_is_made_after_a_command_and_the_next_one_takes_it() {
    let rt = spared().await;
    rt.run("t", "cd /x; export A=1").await;
    settle().await;
    assert!(has_spare(&rt).await);
    let before = rt.backend("t").count("spawn");
    assert_eq!(rt.run("t", "pwd; get A").await.text(), "/x\n1\n");
    settle().await;
    assert!(has_spare(&rt).await, "and there is another one");
    assert_eq!(rt.backend("t").count("spawn"), before + 1, "which is all that was started");
}

#[tokio::test(start_paused = true)]
async fn a_spare_reads_standard_input_like_any_other_shell() {
    let rt = spared().await;
    rt.run("t", "true").await;
    settle().await;
    assert_eq!(rt.run("t", Execute::new("cat").stdin("data")).await.text(), "data");
}

#[tokio::test(start_paused = true)]
async fn without_spares_none_is_made() {
    let rt = runtime_with(|s| s.spares = 0).await;
    rt.run("t", "true").await;
    sleep(Duration::from_secs(1)).await;
    assert!(!has_spare(&rt).await);
    assert_eq!(rt.backend("t").count("spawn"), 2, "the first look and the command");
}

#[tokio::test(start_paused = true)]
async fn a_spare_that_waits_too_long_is_dropped() {
    let rt = runtime_with(|s| s.spare_lifetime = Duration::from_secs(30)).await;
    rt.run("t", "true").await;
    sleep(Duration::from_secs(29)).await;
    assert!(has_spare(&rt).await);
    sleep(Duration::from_secs(2)).await;
    assert!(!has_spare(&rt).await);
    settle().await;
    assert!(rt.backend("t").table.live("test.").is_empty(), "its process has ended");
    rt.run("t", "true").await;
}

#[tokio::test(start_paused = true)]
async fn the_lifetime_is_that_of_each_spare_on_its_own() {
    let rt = runtime_with(|s| s.spare_lifetime = Duration::from_secs(30)).await;
    rt.run("t", "true").await;
    sleep(Duration::from_secs(20)).await;
    rt.run("t", "true").await;
    sleep(Duration::from_secs(20)).await;
    assert!(has_spare(&rt).await, "the second one has waited 20 s only");
}

#[tokio::test(start_paused = true)]
async fn a_dead_spare_goes_unnoticed_and_the_command_runs_once() {
    for stdin in [None, Some("data")] {
        for deaf in [false, true] {
            let rt = spared().await;
            let backend = rt.backend("t");
            backend.deaf_once_dead.store(deaf, Ordering::SeqCst);
            rt.run("t", "cd /x").await;
            settle().await;
            assert!(has_spare(&rt).await);
            backend.table.end_all(&ExitStatus::Signal(9));
            settle().await;
            let mut request = Execute::new("pwd; cat");
            request.stdin = stdin.map(Into::into);
            let result = rt.run("t", request).await;
            let wanted = format!("/x\n{}", stdin.unwrap_or_default());
            assert_eq!((result.text(), result.returncode()), (wanted, 0), "deaf: {deaf}");
            assert_eq!(backend.ran(), ["cd /x", "pwd; cat"]);
            assert!(result.notices.is_empty(), "{:?}", result.notices);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn an_interrupt_that_meets_a_dead_spare_is_not_followed_by_a_second_try() {
    let rt = spared().await;
    rt.run("t", "true").await;
    settle().await;
    rt.backend("t").table.end_all(&ExitStatus::Signal(9));
    let answer = rt.send("t", "hang");
    let (stopped, result) = tokio::join!(rt.interrupt("t", None), answer.wait());
    assert!(stopped);
    assert_eq!(result.unwrap().returncode(), 130);
}

#[tokio::test(start_paused = true)]
async fn a_spare_with_an_older_state_is_not_used() {
    // The instance is lost and comes back: the state is loaded anew, and so is its spare.
    let rt = spared().await;
    rt.run("t", "cd /x").await;
    settle().await;
    assert_eq!(rt.run("t", "vanish").await.outcome.as_str(), "lost");
    assert!(!has_spare(&rt).await);
    assert_eq!(rt.run("t", "pwd").await.text(), "/x\n");
    assert_eq!(rt.backend("t").count("started"), 2);
}

#[tokio::test(start_paused = true)]
async fn a_spare_that_cannot_be_made_does_not_matter() {
    let rt = spared().await;
    rt.backend("t").spawn_after(2, Act::Panic);
    rt.backend("t").spawn_after(0, Act::Hang);
    rt.run("t", "true").await;
    settle().await;
    assert!(!has_spare(&rt).await);
    let stuck = rt.send("t", "say stuck");
    settle().await;
    assert!(rt.interrupt("t", None).await);
    stuck.wait().await.unwrap();
    assert_eq!(rt.run("t", "say next").await.text(), "next\n");
}

#[tokio::test(start_paused = true)]
async fn a_command_does_not_wait_for_a_spare_that_is_being_made() {
    let rt = spared().await;
    rt.backend("t").spawn_after(2, Act::Hang);
    rt.run("t", "true").await;
    settle().await;
    assert_eq!(rt.run("t", "say next").await.text(), "next\n");
}

#[tokio::test(start_paused = true)]
async fn forks_take_no_spare() {
    let rt = spared().await;
    rt.run("t", "true").await;
    settle().await;
    rt.run("t", Execute::new("true").fork()).await;
    assert!(has_spare(&rt).await);
}
