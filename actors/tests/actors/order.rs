//! One environment a task, one command at a time, first come first served, a bounded queue, and a
//! mailbox that answers whatever goes on.

use std::sync::atomic::Ordering;
use std::time::Duration;

use hexad_actors::{Error, Execute, Outcome};

use crate::support::{Act, at_once, runtime, runtime_with, settle};

#[tokio::test(start_paused = true)]
async fn two_first_messages_make_one_environment() {
    let rt = runtime().await;
    let (first, second) = (rt.send("t", "say one"), rt.send("t", "say two"));
    assert_eq!(first.wait().await.unwrap().text(), "one\n");
    assert_eq!(second.wait().await.unwrap().text(), "two\n");
    assert_eq!(rt.world.chosen.load(Ordering::SeqCst), 1);
    assert_eq!(rt.backend("t").count("start"), 2, "start and started, once each");
}

#[tokio::test(start_paused = true)]
async fn commands_of_a_task_run_in_the_order_they_came() {
    let rt = runtime().await;
    let commands: Vec<String> = (0..20).map(|n| format!("sleep 3; say {n}")).collect();
    let answers: Vec<_> = commands.iter().map(|c| rt.send("t", c.as_str())).collect();
    for (n, answer) in answers.into_iter().enumerate() {
        assert_eq!(answer.wait().await.unwrap().text(), format!("{n}\n"));
    }
    assert_eq!(rt.backend("t").ran(), commands);
}

#[tokio::test(start_paused = true)]
async fn tasks_do_not_wait_for_each_other_and_share_nothing() {
    let rt = runtime().await;
    let slow = rt.send("a", "export WHO=a; sleep 60000");
    let result = at_once(rt.run("b", "get WHO; pwd")).await;
    assert_eq!(result.text(), "\n/work\n");
    assert_eq!(slow.wait().await.unwrap().outcome, Outcome::Exited(0));
    assert_eq!(rt.run("a", "get WHO").await.text(), "a\n");
}

#[tokio::test(start_paused = true)]
async fn state_goes_from_one_command_to_the_next() {
    let rt = runtime().await;
    let first = rt.run("t", "cd /x; export A=1; exit 3").await;
    assert_eq!((first.returncode(), first.cwd.as_str()), (3, "/x"));
    assert_eq!(rt.run("t", "pwd; get A; status").await.text(), "/x\n1\n3\n");
}

#[tokio::test(start_paused = true)]
async fn cwd_and_env_of_a_request_are_for_it_alone() {
    let rt = runtime().await;
    let request = Execute::new("pwd; get A").cwd("/elsewhere").env("A", "once");
    let result = rt.run("t", request).await;
    assert_eq!(result.text(), "/elsewhere\nonce\n");
    assert_eq!(result.cwd, "/work");
    assert_eq!(rt.run("t", "pwd; get A").await.text(), "/work\n\n");
}

#[tokio::test(start_paused = true)]
async fn over_the_bound_callers_get_busy_while_everything_else_is_answered() {
    let rt = runtime_with(|s| (s.queue_limit, s.spares) = (2, 0)).await;
    let running = rt.send("t", "hang");
    settle().await;
    let waiting = [rt.send("t", "say 1"), rt.send("t", "say 2")];
    let refused = at_once(rt.send("t", "say 3").wait()).await.unwrap_err();
    assert!(matches!(refused, Error::Busy { queued: 2, .. }), "{refused}");
    assert!(refused.retry_after().is_some_and(|d| d > Duration::ZERO));

    let status = at_once(rt.status("t")).await.unwrap();
    assert_eq!((status.phase, status.queued), ("busy", 2));
    assert_eq!(status.running.unwrap().command, "hang");
    assert!(at_once(rt.interrupt("t", None)).await);
    assert_eq!(running.wait().await.unwrap().returncode(), 130);
    for (n, answer) in waiting.into_iter().enumerate() {
        assert_eq!(answer.wait().await.unwrap().text(), format!("{}\n", n + 1));
    }
    assert_eq!(rt.backend("t").ran(), ["hang", "say 1", "say 2"]);
}

#[tokio::test(start_paused = true)]
async fn a_request_that_nobody_waits_for_takes_no_place_in_the_queue() {
    let rt = runtime_with(|s| (s.queue_limit, s.spares) = (1, 0)).await;
    let running = rt.send("t", "sleep 100");
    settle().await;
    drop(rt.send("t", "say abandoned"));
    settle().await;
    assert_eq!(rt.run("t", "say wanted").await.text(), "wanted\n");
    running.wait().await.unwrap();
    assert_eq!(rt.backend("t").ran(), ["sleep 100", "say wanted"]);
}

#[tokio::test(start_paused = true)]
async fn an_abandoned_request_that_runs_goes_on_and_its_state_counts() {
    let rt = runtime().await;
    let running = rt.send("t", "sleep 100; cd /done");
    settle().await;
    drop(running);
    assert_eq!(rt.run("t", "pwd").await.text(), "/done\n");
}

#[tokio::test(start_paused = true)]
async fn a_release_is_taken_at_once_with_a_full_queue() {
    let rt = runtime_with(|s| (s.queue_limit, s.spares) = (1, 0)).await;
    let answers = [rt.send("t", "hang")];
    settle().await;
    let waiting = rt.send("t", "say never");
    at_once(rt.release("t").wait()).await.unwrap();
    for answer in answers.into_iter().chain([waiting]) {
        assert_eq!(answer.wait().await.unwrap().returncode(), 130);
    }
    assert_eq!(rt.backend("t").ran(), ["hang"]);
}

#[tokio::test(start_paused = true)]
async fn the_mailbox_answers_while_provisioning_hangs() {
    let rt = runtime().await;
    rt.backend("t").next_start(Act::Hang);
    let waiting = rt.send("t", Execute::new("say x").id("one"));
    settle().await;
    assert_eq!(at_once(rt.phase("t")).await, "provisioning");
    assert_eq!(at_once(rt.list()).await.len(), 1);
    assert!(at_once(rt.interrupt("t", Some("one"))).await);
    assert_eq!(at_once(waiting.wait()).await.unwrap().returncode(), 130);
    at_once(rt.release("t").wait()).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn wrong_requests_are_refused_before_anything_runs() {
    let rt = runtime().await;
    for bad in [
        Execute::new(b"a\0b".to_vec()),
        Execute::new("true").env("1A", "x"),
        Execute::new("true").timeout(Duration::from_secs(601)),
    ] {
        let error = rt.send("t", bad).wait().await.unwrap_err();
        assert_eq!(error.code(), "invalid_request");
    }
    assert!(rt.backend("t").calls().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_task_keeps_its_profile() {
    let rt = runtime().await;
    let with = |profile: &str| {
        let mut request = Execute::new("true");
        request.profile = Some(profile.into());
        request
    };
    rt.run("t", with("big")).await;
    rt.run("t", with("big")).await;
    rt.run("t", "true").await;
    let error = rt.send("t", with("small")).wait().await.unwrap_err();
    assert!(matches!(error, Error::Conflict { .. }), "{error}");
    let error = rt.send("new", with("unknown")).wait().await.unwrap_err();
    assert_eq!(error.code(), "invalid_request");
    assert!(rt.status("new").await.is_none());
}

#[tokio::test(start_paused = true)]
async fn unknown_tasks_have_nothing_to_tell() {
    let rt = runtime().await;
    assert!(rt.status("none").await.is_none());
    assert!(rt.state("none").await.is_none());
    assert!(!rt.interrupt("none", None).await);
    assert!(rt.list().await.is_empty());
}
