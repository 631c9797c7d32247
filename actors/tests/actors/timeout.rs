//! Limits of commands: TERM, grace, KILL, what was said until then, and an environment that goes
//! on.

use std::time::Duration;

use hexad_actors::{Execute, Outcome};
use tokio::time::Instant;

use crate::support::{Act, has_notice, runtime, runtime_with};

const fn secs(n: u64) -> Duration {
    Duration::from_secs(n)
}

#[tokio::test(start_paused = true)]
async fn at_the_limit_the_command_is_asked_then_killed() {
    let rt = runtime_with(|s| (s.kill_grace, s.spares) = (secs(3), 0)).await;
    rt.run("t", "cd /kept").await;
    rt.backend("t").forget_calls();
    let began = Instant::now();
    let request = Execute::new("say partial; cd /lost; ignore-term; hang").timeout(secs(5));
    let result = rt.run("t", request).await;
    assert_eq!(result.outcome, Outcome::TimedOut { limit: secs(5) });
    assert_eq!((result.returncode(), result.text().as_str()), (124, "partial\n"));
    assert!(has_notice(&result, "timed_out"));
    assert_eq!(began.elapsed().as_secs(), 8);
    let calls = rt.backend("t").calls();
    assert_eq!(calls, ["spawn", "signal TERM 1", "signal CONT 1", "signal KILL 1"]);
    assert_eq!(rt.run("t", "pwd; status").await.text(), "/kept\n124\n");
    assert_eq!(rt.backend("t").count("stop"), 0, "the instance goes on");
}

#[tokio::test(start_paused = true)]
async fn a_command_that_obeys_term_is_not_killed() {
    let rt = runtime().await;
    let began = Instant::now();
    let result = rt.run("t", Execute::new("hang").timeout(secs(5))).await;
    assert_eq!(result.returncode(), 124);
    assert_eq!(began.elapsed().as_secs(), 5);
    assert_eq!(rt.backend("t").count("signal KILL"), 0);
}

#[tokio::test(start_paused = true)]
async fn the_default_the_profile_and_the_request_decide_in_this_order() {
    let rt = runtime().await;
    *rt.world.timeout.lock().unwrap() = Some(secs(20));
    let limits = |outcome| match outcome {
        Outcome::TimedOut { limit } => limit,
        other => panic!("{other:?}"),
    };
    assert_eq!(limits(rt.run("profile", "hang").await.outcome), secs(20));
    let own = Execute::new("hang").timeout(secs(30));
    assert_eq!(limits(rt.run("profile", own).await.outcome), secs(30));
    let zero = Execute::new("hang").timeout(Duration::ZERO);
    assert_eq!(limits(rt.run("profile", zero).await.outcome), secs(20));
    *rt.world.timeout.lock().unwrap() = None;
    assert_eq!(limits(rt.run("default", "hang").await.outcome), secs(180));
}

#[tokio::test(start_paused = true)]
async fn waiting_in_the_queue_does_not_count() {
    let rt = runtime().await;
    let first = rt.send("t", "sleep 100000");
    let second = rt.send("t", Execute::new("sleep 900; say done").timeout(secs(1)));
    first.wait().await.unwrap();
    assert_eq!(second.wait().await.unwrap().text(), "done\n");
}

#[tokio::test(start_paused = true)]
async fn a_shell_that_cannot_be_started_runs_into_the_limit_too() {
    let rt = runtime().await;
    rt.run("t", "true").await;
    rt.backend("t").spawn_after(0, Act::Hang);
    let began = Instant::now();
    let result = rt.run("t", Execute::new("say never").timeout(secs(4))).await;
    assert_eq!(result.outcome, Outcome::TimedOut { limit: secs(4) });
    assert_eq!(began.elapsed().as_secs(), 4);
    assert_eq!(rt.run("t", "say next").await.text(), "next\n");
}

#[tokio::test(start_paused = true)]
async fn input_that_is_never_read_does_not_hold_up_the_limit() {
    let rt = runtime().await;
    let request = Execute::new("hang").stdin(vec![b'x'; 4 << 20]).timeout(secs(2));
    assert_eq!(rt.run("t", request).await.returncode(), 124);
    let request = Execute::new("say done").stdin(vec![b'x'; 4 << 20]);
    assert_eq!(rt.run("t", request).await.text(), "done\n");
}
