//! Interrupts: the running command, a waiting one, one by its id, none at all.

use hexad_actors::{Execute, InterruptCause, Outcome};
use tokio::time::Instant;

use crate::support::{Act, at_once, has_notice, runtime, settle};

const USER: Outcome = Outcome::Interrupted { cause: InterruptCause::User };

#[tokio::test(start_paused = true)]
async fn a_running_command_is_ended_with_what_it_had_said() {
    let rt = runtime().await;
    let running = rt.send("t", "say before; hang");
    settle().await;
    rt.backend("t").forget_calls();
    assert!(at_once(rt.interrupt("t", None)).await);
    let result = at_once(running.wait()).await.unwrap();
    assert_eq!((result.outcome, result.output.text().as_str()), (USER, "before\n"));
    assert_eq!(rt.backend("t").calls(), ["signal TERM 1", "signal CONT 0"]);
    assert_eq!(rt.run("t", "status").await.text(), "130\n");
}

#[tokio::test(start_paused = true)]
async fn one_that_ignores_term_is_killed_after_the_grace() {
    let rt = runtime().await;
    let running = rt.send("t", "ignore-term; hang");
    settle().await;
    let began = Instant::now();
    assert!(rt.interrupt("t", None).await);
    assert_eq!(running.wait().await.unwrap().outcome, USER);
    assert_eq!(began.elapsed().as_secs(), 2);
    assert_eq!(rt.backend("t").count("signal KILL 1"), 1);
}

#[tokio::test(start_paused = true)]
async fn a_waiting_request_is_ended_by_its_id_and_never_runs() {
    let rt = runtime().await;
    let running = rt.send("t", "sleep 50");
    settle().await;
    let waiting = rt.send("t", Execute::new("say never").id("w"));
    let other = rt.send("t", "say other");
    assert!(rt.interrupt("t", Some("w")).await);
    let result = at_once(waiting.wait()).await.unwrap();
    assert_eq!(result.outcome, USER);
    assert!(has_notice(&result, "never_ran"));
    assert_eq!(running.wait().await.unwrap().outcome, Outcome::Exited(0));
    other.wait().await.unwrap();
    assert_eq!(rt.backend("t").ran(), ["sleep 50", "say other"]);
}

#[tokio::test(start_paused = true)]
async fn the_running_request_is_ended_by_its_id() {
    let rt = runtime().await;
    let running = rt.send("t", Execute::new("hang").id("r"));
    settle().await;
    assert!(!rt.interrupt("t", Some("other")).await);
    assert!(rt.interrupt("t", Some("r")).await);
    assert_eq!(running.wait().await.unwrap().outcome, USER);
}

#[tokio::test(start_paused = true)]
async fn without_anything_to_end_the_answer_says_so() {
    let rt = runtime().await;
    rt.run("t", Execute::new("true").id("done")).await;
    assert!(!rt.interrupt("t", None).await);
    assert!(!rt.interrupt("t", Some("done")).await);
}

#[tokio::test(start_paused = true)]
async fn two_interrupts_are_one() {
    let rt = runtime().await;
    let running = rt.send("t", "ignore-term; hang");
    settle().await;
    assert!(rt.interrupt("t", None).await);
    assert!(rt.interrupt("t", None).await);
    assert_eq!(running.wait().await.unwrap().outcome, USER);
    assert_eq!(rt.backend("t").count("signal TERM"), 1);
}

#[tokio::test(start_paused = true)]
async fn a_command_whose_shell_cannot_be_started_yet_can_be_ended() {
    let rt = runtime().await;
    rt.run("t", "true").await;
    rt.backend("t").spawn_after(0, Act::Hang);
    let stuck = rt.send("t", "say never");
    settle().await;
    assert!(at_once(rt.interrupt("t", None)).await);
    assert_eq!(at_once(stuck.wait()).await.unwrap().outcome, USER);
    assert_eq!(rt.run("t", "say next").await.text(), "next\n");
    assert_eq!(rt.backend("t").ran(), ["true", "say next"]);
}

#[tokio::test(start_paused = true)]
async fn what_cannot_be_looked_at_is_killed_all_the_same() {
    let rt = runtime().await;
    let running = rt.send("t", "ignore-term; hang");
    settle().await;
    rt.backend("t").blind.store(true, std::sync::atomic::Ordering::SeqCst);
    assert!(rt.interrupt("t", None).await);
    assert_eq!(running.wait().await.unwrap().outcome, USER);
    assert!(rt.backend("t").count("signal KILL 1") == 1, "{:?}", rt.backend("t").calls());
}
