//! Where shell states are kept: saved behind the answer, loaded at the start, and no fault of it
//! costs more than what it says.

use std::sync::atomic::Ordering;
use std::time::Duration;

use tokio::time::sleep;

use crate::support::{at_once, has_notice, runtime, settle};

#[tokio::test(start_paused = true)]
async fn the_state_is_saved_after_each_command_that_changed_it() {
    let rt = runtime().await;
    rt.run("t", "cd /a").await;
    settle().await;
    rt.run("t", "true").await;
    rt.run("t", "cd /b").await;
    settle().await;
    let calls = rt.store.calls();
    assert_eq!(calls[0], "load t");
    let saved: Vec<&str> = calls.iter().filter_map(|c| c.strip_prefix("save t ")).collect();
    assert_eq!(saved.last(), Some(&"/b"));
    assert!(saved.contains(&"/a"));
}

#[tokio::test(start_paused = true)]
async fn the_last_state_is_saved_before_the_instance_is_let_go_of() {
    let rt = runtime().await;
    for n in 0..50 {
        rt.run("t", format!("cd /{n}")).await;
    }
    rt.shutdown().wait().await.unwrap();
    assert_eq!(rt.store.kept("t").unwrap().cwd, b"/49");
}

#[tokio::test(start_paused = true)]
async fn a_state_that_cannot_be_loaded_is_said_and_the_task_starts_anew() {
    let rt = runtime().await;
    rt.store.fail_load.store(true, Ordering::SeqCst);
    let result = rt.run("t", "pwd").await;
    assert_eq!(result.text(), "/work\n");
    assert!(has_notice(&result, "state_unreadable"), "{:?}", result.notices);
}

#[tokio::test(start_paused = true)]
async fn a_state_that_cannot_be_saved_is_still_in_force_and_is_saved_later() {
    let rt = runtime().await;
    rt.store.fail_save.store(true, Ordering::SeqCst);
    rt.run("t", "cd /x").await;
    assert_eq!(rt.run("t", "pwd").await.text(), "/x\n");
    rt.store.fail_save.store(false, Ordering::SeqCst);
    rt.shutdown().wait().await.unwrap();
    assert_eq!(rt.store.kept("t").unwrap().cwd, b"/x");
}

#[tokio::test(start_paused = true)]
async fn a_store_that_waits_for_one_task_holds_up_no_other() {
    let rt = runtime().await;
    rt.store.hold(Some("held"));
    let waiting = rt.send("held", "say mine");
    settle().await;
    assert_eq!(at_once(rt.run("free", "say free")).await.text(), "free\n");
    assert_eq!(at_once(rt.phase("held")).await, "provisioning");
    sleep(Duration::from_secs(10)).await;
    rt.store.hold(None);
    assert_eq!(waiting.wait().await.unwrap().text(), "mine\n");
}

#[tokio::test(start_paused = true)]
async fn a_task_that_waits_for_its_place_can_be_interrupted_and_released() {
    let rt = runtime().await;
    rt.store.hold(Some("held"));
    let waiting = rt.send("held", "say never");
    settle().await;
    assert!(at_once(rt.interrupt("held", None)).await);
    assert_eq!(at_once(waiting.wait()).await.unwrap().returncode(), 130);
    let release = rt.release("held");
    settle().await;
    rt.store.hold(None);
    release.wait().await.unwrap();
}
