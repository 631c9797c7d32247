//! Accounts of all kinds: login shells, noisy start-up files, restricted ones.

use std::time::{Duration, Instant};

use hexad::{Error, Execute, Streams};

use crate::support::{Here, Server, run, spare};

#[tokio::test(flavor = "multi_thread")]
async fn login_shells_of_every_kind_do() {
    let Some(here) = Here::new() else { return };
    for user in ["hexad-fish", "hexad-csh", "hexad-zsh", "hexad-noisy"] {
        let line = format!("ssh_user: {user}");
        let hexad = here.hexad(here.port(), &[&line]).await;
        let task = hexad.task("t");
        let result = run(&task, "X='a b\\'; echo \"$USER ${BASH_VERSION:+bash}\"; pwd").await;
        assert_eq!(result.text(), format!("{user} bash\n/home/{user}\n"), "{result:?}");
        assert_eq!(run(&task, "echo \"$X\"").await.text(), "a b\\\n", "{user}");
        let mut request = Execute::new("echo out; echo err >&2");
        request.streams = Streams::Separate;
        let result = task.execute(request).await.unwrap();
        assert_eq!(result.text(), "out\n", "{user}");
        assert_eq!(result.stderr.as_ref().map(|s| s.text()).unwrap(), "err\n", "{user}");
        hexad.shutdown().await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_slow_and_noisy_rc_file_is_neither_heard_nor_waited_for() {
    let Some(here) = Here::new() else { return };
    let hexad = here.hexad(here.port(), &["ssh_user: hexad-noisy"]).await;
    let task = hexad.task("t");
    let result = run(&task, "echo \"$FROM_RC\"").await;
    assert_eq!(result.text(), "yes\n", "{result:?}");
    let mut best = Duration::MAX;
    for _ in 0..5 {
        spare(&task).await;
        let begun = Instant::now();
        assert_eq!(run(&task, "echo one").await.text(), "one\n");
        best = best.min(begun.elapsed());
    }
    // The file sleeps for half a second.
    assert!(best < Duration::from_millis(400), "{best:?}");
    hexad.shutdown().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn an_account_that_runs_something_else_is_an_error_with_its_words() {
    let Some(here) = Here::new() else { return };
    let server = Server::start(&here, &["ForceCommand echo this account is for git only; exit 3"]);
    let hexad = here.hexad(server.port, &[]).await;
    let error = hexad.task("t").execute("true").await.unwrap_err();
    assert!(matches!(error, Error::Unavailable { .. } | Error::Lost { .. }), "{error:?}");
    assert!(error.to_string().contains("for git only"), "{error}");
    hexad.shutdown().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn the_first_directory_is_the_targets() {
    let Some(here) = Here::new() else { return };
    for (line, cwd, notice) in [
        ("cwd: '~'", "/home/hexad-plain\n", false),
        ("cwd: /usr/lib", "/usr/lib\n", false),
        ("cwd: ~/.ssh", "/home/hexad-plain/.ssh\n", false),
        ("cwd: /no/such/place", "/home/hexad-plain\n", true),
    ] {
        let hexad = here.hexad(here.port(), &[line]).await;
        let result = run(&hexad.task("t"), "pwd").await;
        assert_eq!(result.text(), cwd, "{line}");
        assert_eq!(result.notices.iter().any(|n| n.code == "cwd_gone"), notice, "{result:?}");
        hexad.shutdown().await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dropbear_does_too() {
    let Some(here) = Here::new() else { return };
    let hexad = here.hexad(here.number("dropbear_port"), &[]).await;
    let task = hexad.task("t");
    assert_eq!(run(&task, "X=kept; echo first").await.text(), "first\n");
    assert_eq!(run(&task, "echo \"$X\"").await.text(), "kept\n");
    let result = run(&task, "sleep 4545 & echo up").await;
    assert_eq!((result.text().as_str(), result.left_running.len()), ("up\n", 1));
    let request = Execute::new("sleep 4545").timeout(Duration::from_secs(1));
    assert_eq!(task.execute(request).await.unwrap().returncode(), 124);
    task.release().await.unwrap();
    assert!(!crate::support::runs("sleep 4545"));
    hexad.shutdown().await.unwrap();
}
