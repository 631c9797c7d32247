//! What goes wrong under a running hexad, and what it makes of it.

use std::time::{Duration, Instant};

use hexad::{Error, Execute, Hexad, Outcome, Task};

use crate::proxy::{Mode, Proxy};
use crate::support::{Here, Server, eventually, free_port, run, runs, spare};

/// A task whose connection goes through a proxy.
async fn behind_a_proxy() -> Option<(Here, Proxy, Hexad, Task)> {
    let here = Here::new()?;
    let proxy = Proxy::start(here.port()).await;
    let hexad = here.hexad(proxy.port, &[]).await;
    let task = hexad.task("t");
    Some((here, proxy, hexad, task))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_connection_that_was_cut_between_two_commands_is_made_again() {
    let Some((_here, proxy, hexad, task)) = behind_a_proxy().await else { return };
    run(&task, "X=kept; cd /var").await;
    spare(&task).await;
    proxy.set(Mode::Cut);
    tokio::time::sleep(Duration::from_millis(300)).await;
    proxy.set(Mode::Pass);
    let result = run(&task, "echo \"$X\"; pwd").await;
    assert_eq!(result.text(), "kept\n/var\n");
    assert_eq!(result.returncode(), 0);
    hexad.shutdown().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_has_not_begun_waits_for_the_host_to_come_back() {
    let Some((_here, proxy, hexad, task)) = behind_a_proxy().await else { return };
    run(&task, "X=kept").await;
    spare(&task).await;
    proxy.set(Mode::Cut);
    tokio::time::sleep(Duration::from_millis(300)).await;
    let waiting = {
        let task = task.clone();
        tokio::spawn(async move { task.execute("echo \"$X\"").await })
    };
    tokio::time::sleep(Duration::from_secs(2)).await;
    assert!(!waiting.is_finished());
    proxy.set(Mode::Pass);
    assert_eq!(waiting.await.unwrap().unwrap().text(), "kept\n");
    hexad.shutdown().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_connection_that_is_cut_under_a_command_is_a_loss_and_runs_nothing_twice() {
    let Some((_here, proxy, hexad, task)) = behind_a_proxy().await else { return };
    let file = run(&task, "X=kept; mktemp").await.text().trim().to_owned();
    let text = format!("echo run >> {file}; echo partial; sleep 4747; echo late >> {file}");
    let running = {
        let task = task.clone();
        tokio::spawn(async move { task.execute(text.as_str()).await.unwrap() })
    };
    eventually("the command runs", || runs("sleep 4747")).await;
    proxy.set(Mode::Cut);
    let result = running.await.unwrap();
    assert!(matches!(result.outcome, Outcome::Lost { .. }), "{result:?}");
    assert_eq!(result.text(), "partial\n");
    // The host sees that the connection is gone, and nobody needs to come back for this.
    eventually("the command is ended there", || !runs("sleep 4747")).await;
    proxy.set(Mode::Pass);
    let result = run(&task, &format!("echo \"$X\"; cat {file}; rm {file}")).await;
    assert_eq!(result.text(), "kept\nrun\n");
    hexad.shutdown().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_cut_left_running_is_ended_on_the_way_back_even_if_the_host_saw_no_cut() {
    let Some((_here, proxy, hexad, task)) = behind_a_proxy().await else { return };
    run(&task, "X=kept").await;
    let running = {
        let task = task.clone();
        // The shell that watches over the connection is ended first, so that only we are left.
        let text = "for p in $(pgrep -u \"$USER\" -f 'sh -s '\"${HEXAD_MARK%%:*}\"); do \
                    kill -9 $p; done; sleep 4848";
        tokio::spawn(async move { task.execute(text).await.unwrap() })
    };
    eventually("the command runs", || runs("sleep 4848")).await;
    proxy.set(Mode::Cut);
    assert!(matches!(running.await.unwrap().outcome, Outcome::Lost { .. }));
    assert!(runs("sleep 4848"), "nobody was there to end it");
    proxy.set(Mode::Pass);
    eventually("the command is ended there", || !runs("sleep 4848")).await;
    assert_eq!(run(&task, "echo \"$X\"").await.text(), "kept\n");
    hexad.shutdown().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_left_running_on_purpose_outlives_the_connection() {
    let Some((_here, proxy, hexad, task)) = behind_a_proxy().await else { return };
    run(&task, "sleep 4949 > /dev/null 2>&1 &").await;
    proxy.set(Mode::Cut);
    tokio::time::sleep(Duration::from_secs(1)).await;
    proxy.set(Mode::Pass);
    assert!(runs("sleep 4949"));
    assert_eq!(run(&task, "echo back").await.text(), "back\n");
    assert!(runs("sleep 4949"));
    task.release().await.unwrap();
    assert!(!runs("sleep 4949"));
    hexad.shutdown().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cut_at_any_stage_of_the_start_is_an_error_or_a_success_and_never_a_hang() {
    let Some(here) = Here::new() else { return };
    for bytes in [0, 20, 900, 1300, 1600, 2000, 2400, 3000, 4000, 6000] {
        let proxy = Proxy::start(here.port()).await;
        proxy.set(Mode::CutAfter(bytes));
        let hexad = here.hexad(proxy.port, &["spares: 0"]).await;
        let task = hexad.task("t");
        let begun = Instant::now();
        let result = task.execute("echo fine").await;
        match &result {
            Ok(result) if matches!(result.outcome, Outcome::Lost { .. }) => {}
            Ok(result) => assert_eq!(result.text(), "fine\n", "after {bytes}: {result:?}"),
            Err(Error::Unavailable { .. } | Error::Lost { .. }) => {}
            Err(error) => panic!("after {bytes}: {error:?}"),
        }
        assert!(begun.elapsed() < Duration::from_secs(60), "after {bytes}: {result:?}");
        proxy.set(Mode::Pass);
        assert_eq!(run(&task, "echo fine").await.text(), "fine\n", "after {bytes}");
        hexad.shutdown().await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stalled_connection_does_not_hold_a_command_beyond_its_limit() {
    let Some((_here, proxy, hexad, task)) = behind_a_proxy().await else { return };
    run(&task, "X=kept").await;
    spare(&task).await;
    proxy.set(Mode::Stall);
    let begun = Instant::now();
    let request = Execute::new("echo never").timeout(Duration::from_secs(1));
    let result = task.execute(request).await.unwrap();
    assert_eq!(result.returncode(), 124, "{result:?}");
    assert!(begun.elapsed() < Duration::from_secs(120), "{:?}", begun.elapsed());
    proxy.set(Mode::Pass);
    assert_eq!(run(&task, "echo \"$X\"").await.text(), "kept\n");
    hexad.shutdown().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_was_restarted_is_found_again() {
    let Some(here) = Here::new() else { return };
    let mut server = Server::start(&here, &[]);
    let hexad = here.hexad(server.port, &[]).await;
    let task = hexad.task("t");
    run(&task, "X=kept").await;
    server.restart();
    assert_eq!(run(&task, "echo \"$X\"").await.text(), "kept\n");
    hexad.shutdown().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_host_that_refuses_is_an_error_at_once() {
    let Some(here) = Here::new() else { return };
    let hexad = here.hexad(free_port(), &[]).await;
    let begun = Instant::now();
    let error = hexad.task("t").execute("true").await.unwrap_err();
    assert!(matches!(error, Error::Unavailable { .. }), "{error:?}");
    assert!(error.to_string().contains("refuses the connection"), "{error}");
    assert!(begun.elapsed() < Duration::from_secs(10));
    hexad.shutdown().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_host_that_nobody_knows_is_named() {
    let Some(here) = Here::new() else { return };
    let hexad = here.hexad(22, &["ssh_host: no-such-host.invalid"]).await;
    let error = hexad.task("t").execute("true").await.unwrap_err();
    assert!(matches!(error, Error::Unavailable { .. }), "{error:?}");
    assert!(error.to_string().contains("no-such-host.invalid"), "{error}");
    hexad.shutdown().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hexad_that_is_killed_leaves_nothing_running_on_the_host() {
    let Some(here) = Here::new() else { return };
    let mut program = here
        .program(here.port(), &["exec", "--task", "t", "--", "echo begun; sleep $((4600 + 46))"])
        .spawn()
        .unwrap();
    eventually("the command runs", || runs("sleep 4646")).await;
    program.kill().unwrap();
    program.wait().unwrap();
    eventually("the host ends it", || !runs("sleep 4646")).await;
}
