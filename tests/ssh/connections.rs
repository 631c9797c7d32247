//! How many connections there are, and what is left on the host.

use std::time::{Duration, Instant};

use hexad::Execute;

use crate::proxy::Proxy;
use crate::support::{Here, Server, connections, eventually, marked, run, runs, spare};

#[tokio::test(flavor = "multi_thread")]
async fn tasks_share_one_connection_and_the_eleventh_channel_gets_another_one() {
    let Some(here) = Here::new() else { return };
    let proxy = Proxy::start(here.port()).await;
    let hexad = here.hexad(proxy.port, &["spares: 0"]).await;
    let first = hexad.task("t0");
    run(&first, "true").await;
    run(&hexad.task("t1"), "true").await;
    assert_eq!((connections(&first).await, proxy.accepted()), (1, 1));
    let many: Vec<_> = (0..25)
        .map(|n| {
            let task = hexad.task(format!("t{n}"));
            tokio::spawn(async move { run(&task, &format!("sleep 1; echo {n}")).await.text() })
        })
        .collect();
    for (n, one) in many.into_iter().enumerate() {
        assert_eq!(one.await.unwrap(), format!("{n}\n"));
    }
    // Nine beside the warden on each.
    assert_eq!(connections(&first).await, 3);
    hexad.shutdown().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_allows_few_channels_is_believed() {
    let Some(here) = Here::new() else { return };
    let server = Server::start(&here, &["MaxSessions 3"]);
    let hexad = here.hexad(server.port, &[]).await;
    let many: Vec<_> = (0..8)
        .map(|n| {
            let task = hexad.task(format!("t{n}"));
            tokio::spawn(async move { run(&task, &format!("sleep 0.5; echo {n}")).await.text() })
        })
        .collect();
    for (n, one) in many.into_iter().enumerate() {
        assert_eq!(one.await.unwrap(), format!("{n}\n"));
    }
    hexad.shutdown().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn an_idle_task_keeps_neither_a_process_nor_a_connection() {
    let Some(here) = Here::new() else { return };
    let lines = ["spare_lifetime_seconds: 0.5", "ssh_idle_seconds: 1"];
    let hexad = here.hexad(here.port(), &lines).await;
    let task = hexad.task("t");
    let mark = run(&task, "X=kept; echo \"$HEXAD_MARK\"").await.text();
    let runtime = mark.split(['.', ':']).nth(1).unwrap().to_owned();
    let connection = mark.split(':').next().unwrap().to_owned();
    spare(&task).await;
    assert!(!marked(&runtime).is_empty());
    eventually("the spare ends", || marked(&runtime).is_empty()).await;
    eventually("the warden ends", || !runs(&format!("sh -s {connection}"))).await;
    let begun = Instant::now();
    while connections(&task).await > 0 {
        assert!(begun.elapsed() < Duration::from_secs(20));
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert_eq!(run(&task, "echo \"$X\"").await.text(), "kept\n");
    hexad.shutdown().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_left_on_the_host() {
    let Some(here) = Here::new() else { return };
    let hexad = here.hexad(here.port(), &[]).await;
    let task = hexad.task("t");
    let files = "find ~ /tmp /dev/shm -user \"$USER\" 2>/dev/null | sort";
    let before = run(&task, files).await.text();
    let text = "cd /tmp; export A=1; f() { :; }; echo \"$HEXAD_MARK\"; sleep 4242 & sleep 4242 &";
    let mark = run(&task, text).await.text();
    let runtime = mark.split(['.', ':']).nth(1).unwrap().to_owned();
    assert_eq!(run(&task, files).await.text(), before);
    task.release().await.unwrap();
    hexad.shutdown().await.unwrap();
    drop(hexad);
    eventually("all has ended", || marked(&runtime).is_empty()).await;
    assert!(!runs("sleep 4242"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reader_that_stands_still_does_not_hold_up_others() {
    let Some(here) = Here::new() else { return };
    let hexad = here.hexad(here.port(), &[]).await;
    let loud = hexad.task("loud");
    run(&loud, "true").await;
    // Nobody reads its events, so it has to wait; it holds more than a channel's window.
    let events = loud.stream(Execute::new("head -c 12000000 /dev/zero; echo; sleep 1"));
    tokio::time::sleep(Duration::from_millis(500)).await;
    let quiet = hexad.task("quiet");
    for _ in 0..5 {
        let begun = Instant::now();
        assert_eq!(run(&quiet, "echo through").await.text(), "through\n");
        assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
    }
    drop(events);
    hexad.shutdown().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_background_child_does_not_hold_the_call() {
    let Some(here) = Here::new() else { return };
    let hexad = here.hexad(here.port(), &[]).await;
    let task = hexad.task("t");
    run(&task, "true").await;
    let mut best = Duration::MAX;
    for _ in 0..5 {
        spare(&task).await;
        let begun = Instant::now();
        let result = run(&task, "sleep 4343 & echo up").await;
        best = best.min(begun.elapsed());
        assert_eq!(result.text(), "up\n");
        assert_eq!(result.left_running.len(), 1, "{result:?}");
    }
    assert!(best < Duration::from_millis(500), "{best:?}");
    task.release().await.unwrap();
    assert!(!runs("sleep 4343"));
    hexad.shutdown().await.unwrap();
}
