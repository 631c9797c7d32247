//! What goes wrong under a running hexad, and what it makes of it.

use std::time::{Duration, Instant};

use hexad::{Error, Execute, Outcome};

use crate::support::{Here, codes, eventually, run};

#[tokio::test(flavor = "multi_thread")]
async fn a_container_that_was_removed_is_made_again_and_that_is_said() {
    let Some(here) = Here::new() else { return };
    let hexad = here.hexad(&[]).await;
    let task = hexad.task("t");
    run(&task, "cd /var; X=kept; echo file > /workspace/file").await;
    let first = here.container("t");
    here.docker(&["rm", "-f", &first]);
    tokio::time::sleep(Duration::from_millis(300)).await;
    let result = run(&task, "echo \"$X\"; pwd; cat /workspace/file").await;
    assert_eq!(result.text(), "kept\n/var\nfile\n");
    assert_eq!(codes(&result), ["instance_lost"], "{result:?}");
    assert_ne!(here.container("t"), first);
    hexad.shutdown().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_container_that_was_stopped_is_started_again() {
    let Some(here) = Here::new() else { return };
    let hexad = here.hexad(&[]).await;
    let task = hexad.task("t");
    run(&task, "X=kept; echo layer > /opt/file").await;
    let first = here.container("t");
    here.docker(&["stop", "-t", "1", &first]);
    tokio::time::sleep(Duration::from_millis(300)).await;
    let result = run(&task, "echo \"$X\"; cat /opt/file").await;
    assert_eq!(result.text(), "kept\nlayer\n");
    assert_eq!(codes(&result), ["instance_lost"], "{result:?}");
    assert_eq!(here.container("t"), first);
    hexad.shutdown().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_container_that_is_paused_is_resumed() {
    let Some(here) = Here::new() else { return };
    // Without a spare, which would wait in the paused container with the command in its hands.
    let hexad = here.hexad(&["spares: 0"]).await;
    let task = hexad.task("t");
    run(&task, "X=kept").await;
    let first = here.container("t");
    here.docker(&["pause", &first]);
    let result = run(&task, "echo \"$X\"").await;
    assert_eq!(result.text(), "kept\n");
    assert_eq!(codes(&result), ["instance_lost", "container_resumed"], "{result:?}");
    hexad.shutdown().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_paused_container_does_not_hold_a_command_beyond_its_limit() {
    let Some(here) = Here::new() else { return };
    let hexad = here.hexad(&[]).await;
    let task = hexad.task("t");
    run(&task, "X=kept").await;
    tokio::time::sleep(Duration::from_millis(500)).await;
    let first = here.container("t");
    here.docker(&["pause", &first]);
    let begun = Instant::now();
    let request = Execute::new("sleep 5077").timeout(Duration::from_secs(1));
    let result = task.execute(request).await.unwrap();
    assert_eq!(result.returncode(), 124, "{result:?}");
    assert!(begun.elapsed() < Duration::from_secs(15), "{:?}", begun.elapsed());
    assert_eq!(run(&task, "echo \"$X\"").await.text(), "kept\n");
    assert!(!here.processes(&first).contains("sleep 5077"));
    hexad.shutdown().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_container_that_goes_away_under_a_command_is_a_loss_and_runs_nothing_twice() {
    let Some(here) = Here::new() else { return };
    let hexad = here.hexad(&[]).await;
    let task = hexad.task("t");
    run(&task, "X=kept").await;
    let running = {
        let task = task.clone();
        tokio::spawn(async move {
            task.execute("echo run >> /workspace/runs; echo partial; sleep 60").await.unwrap()
        })
    };
    let runs = here.path().join("state/sandboxes/docker/t/workspace/runs");
    eventually("the command runs", || runs.exists()).await;
    here.docker(&["rm", "-f", &here.container("t")]);
    let result = running.await.unwrap();
    assert!(matches!(result.outcome, Outcome::Lost { .. }), "{result:?}");
    assert_eq!(result.text(), "partial\n");
    assert_eq!(run(&task, "echo \"$X\"").await.text(), "kept\n");
    assert_eq!(std::fs::read_to_string(runs).unwrap(), "run\n");
    hexad.shutdown().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn words_of_the_daemon_in_the_output_of_a_command_mean_nothing() {
    let Some(here) = Here::new() else { return };
    let hexad = here.hexad(&[]).await;
    let task = hexad.task("t");
    run(&task, "true").await;
    let first = here.container("t");
    let text =
        "echo ran >> /workspace/runs; echo 'Error: No such container: x is not running'; exit 1";
    let result = run(&task, text).await;
    assert_eq!(result.returncode(), 1);
    assert_eq!(run(&task, "cat /workspace/runs").await.text(), "ran\n");
    assert_eq!(here.container("t"), first);
    hexad.shutdown().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_timeout_leaves_nothing_in_the_containers_process_table() {
    let Some(here) = Here::new() else { return };
    let hexad = here.hexad(&[]).await;
    let task = hexad.task("t");
    let text = "for i in 1 2 3 4 5; do (setsid sleep 5086 & sleep 5086) & done; \
                (setsid sh -c 'trap \"\" TERM; sleep 5086; sleep 5086' &); sleep 5086";
    for _ in 0..3 {
        let request = Execute::new(text).timeout(Duration::from_millis(700));
        let result = task.execute(request).await.unwrap();
        assert_eq!(result.returncode(), 124, "{result:?}");
        let left = here.processes(&here.container("t"));
        assert!(!left.contains("sleep 5086"), "{left}");
    }
    assert_eq!(run(&task, "echo usable").await.text(), "usable\n");
    hexad.shutdown().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn what_another_user_inside_runs_is_ended_too() {
    let Some(here) = Here::new() else { return };
    let hexad = here.hexad(&[]).await;
    let task = hexad.task("t");
    let request = Execute::new("setpriv --reuid=1000 --regid=1000 --clear-groups sleep 5085")
        .timeout(Duration::from_millis(700));
    assert_eq!(task.execute(request).await.unwrap().returncode(), 124);
    assert!(!here.processes(&here.container("t")).contains("sleep 5085"));
    hexad.shutdown().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn every_way_of_not_having_a_daemon_is_said() {
    let Some(mut here) = Here::new() else { return };
    let good = std::mem::replace(&mut here.address, "unix:///nonexistent/docker.sock".into());
    let hexad = here.hexad(&[]).await;
    let error = hexad.task("t").execute("true").await.unwrap_err();
    assert!(
        matches!(&error, Error::Unavailable { reason, .. } if reason.as_str() == "no_socket"),
        "{error:?}"
    );
    hexad.shutdown().await.unwrap();

    // A socket that nobody listens on.
    let dead = here.path().join("dead.sock");
    drop(std::os::unix::net::UnixListener::bind(&dead).unwrap());
    here.address = format!("unix://{}", dead.display());
    let hexad = here.hexad(&[]).await;
    let error = hexad.task("t").execute("true").await.unwrap_err();
    assert!(error.to_string().contains("no daemon answers"), "{error}");
    hexad.shutdown().await.unwrap();

    // One that takes connections and says nothing.
    let mute = here.path().join("mute.sock");
    let _listener = std::os::unix::net::UnixListener::bind(&mute).unwrap();
    here.address = format!("unix://{}", mute.display());
    let hexad = here.hexad_with(&[], |c| c.settings.start_timeout = Duration::from_secs(2)).await;
    let error = hexad.task("t").execute("true").await.unwrap_err();
    assert!(
        matches!(&error, Error::Unavailable { reason, .. } if reason.as_str() == "deadline"),
        "{error:?}"
    );
    drop(hexad);
    here.address = good;
}
