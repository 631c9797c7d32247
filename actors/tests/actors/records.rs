//! Final records that do not come or are not whole: the old state stays, the result says so.

use hexad_actors::{Execute, ExecuteResult, Outcome};

use crate::support::{Runtime, has_notice, runtime};

async fn after_a_good_command(spoil: &str) -> (Runtime, ExecuteResult) {
    let rt = runtime().await;
    rt.run("t", "cd /kept; export A=1").await;
    let result = rt.run("t", format!("say said; cd /lost; {spoil}")).await;
    assert_eq!(result.text(), "said\n");
    assert_eq!(result.cwd, "/kept");
    (rt, result)
}

#[tokio::test(start_paused = true)]
async fn a_record_that_is_not_whole_keeps_the_old_state_and_the_real_outcome() {
    for spoil in ["cut", "damage", "oversize"] {
        let (rt, result) = after_a_good_command(spoil).await;
        assert_eq!(result.outcome, Outcome::Exited(0), "{spoil}");
        assert!(has_notice(&result, "state_kept"), "{spoil}: {:?}", result.notices);
        assert_eq!(rt.run("t", "pwd; get A").await.text(), "/kept\n1\n", "{spoil}");
        assert_eq!(rt.backend("t").count("started"), 1, "{spoil}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_shell_that_leaves_no_record_keeps_the_old_state_and_its_own_status() {
    for (spoil, outcome, code) in [
        ("quit 7", Outcome::Exited(7), 7),
        ("quit 0", Outcome::Exited(0), 0),
        ("die 9", Outcome::Signaled(9), 137),
        ("die 11", Outcome::Signaled(11), 139),
    ] {
        let (rt, result) = after_a_good_command(spoil).await;
        assert_eq!((&result.outcome, result.returncode()), (&outcome, code));
        assert!(has_notice(&result, "state_kept"), "{spoil}: {:?}", result.notices);
        let next = rt.run("t", "pwd; get A; status").await;
        assert_eq!(next.text(), format!("/kept\n1\n{code}\n"));
    }
}

#[tokio::test(start_paused = true)]
async fn separate_streams_share_the_record_s_stream_without_harm() {
    let rt = runtime().await;
    let request = Execute::new("say out; err bad; cd /x; exit 2").separate();
    let result = rt.run("t", request).await;
    assert_eq!(result.output.text(), "out\n");
    assert_eq!(result.stderr.unwrap().text(), "bad");
    assert_eq!((result.outcome, result.cwd.as_str()), (Outcome::Exited(2), "/x"));
}

#[tokio::test(start_paused = true)]
async fn a_record_that_came_decides_even_if_the_limit_or_an_interrupt_comes_right_behind_it() {
    let rt = runtime().await;
    let secs = std::time::Duration::from_secs;
    rt.backend("t").capabilities.lock().unwrap().exit_grace = secs(5);
    let limited = Execute::new("cd /x; linger 3000").timeout(secs(1));
    let result = rt.run("t", limited).await;
    assert_eq!((result.outcome, result.cwd.as_str()), (Outcome::Exited(0), "/x"));
    let answer = rt.send("t", "cd /y; linger 3000");
    tokio::time::sleep(secs(1)).await;
    rt.interrupt("t", None).await;
    assert_eq!(answer.wait().await.unwrap().outcome, Outcome::Exited(0));
    assert_eq!(rt.run("t", "pwd").await.text(), "/y\n");
    assert_eq!(rt.backend("t").count("signal"), 0);
}

async fn runtime_with_unordered_streams() -> Runtime {
    let rt = runtime().await;
    let mut capabilities = rt.backend("t").capabilities.lock().unwrap().clone();
    capabilities.unordered = true;
    capabilities.exit_grace = std::time::Duration::from_millis(300);
    *rt.backend("t").capabilities.lock().unwrap() = capabilities;
    rt
}

#[tokio::test(start_paused = true)]
async fn an_exit_that_is_told_ahead_of_the_record_and_of_output_loses_neither() {
    let rt = runtime_with_unordered_streams().await;
    let result = rt.run("t", "say early; cd /x; late 3000").await;
    assert_eq!(result.text(), "early\nlate\n");
    assert_eq!((result.outcome, result.cwd.as_str()), (Outcome::Exited(0), "/x"));
    assert!(result.notices.is_empty(), "{:?}", result.notices);
}

#[tokio::test(start_paused = true)]
async fn a_signal_that_the_record_does_not_tell_of_is_waited_for_and_never_a_success() {
    let rt = runtime_with_unordered_streams().await;
    let result = rt.run("t", "cd /x; signal 1; linger 4000").await;
    assert_eq!((result.outcome, result.cwd.as_str()), (Outcome::Signaled(1), "/x"));
    let result = rt.run("t", "signal 1; linger 60000").await;
    assert!(matches!(result.outcome, Outcome::Lost { .. }), "{result:?}");
}
