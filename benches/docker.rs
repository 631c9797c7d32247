//! A warm command in a container against `docker exec CONTAINER bash -c true`, in turns in one run.
//!
//! Needs a daemon: `scripts/services start DIR` and its line in the environment. `--quick` takes few
//! rounds.
#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a bench program")]

use std::ffi::OsString;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use hexad::host::Host;
use hexad::{Config, Hexad};

fn main() {
    let Some(address) = std::env::var("HEXAD_TEST_DOCKER").ok().filter(|a| !a.is_empty()) else {
        println!("docker: HEXAD_TEST_DOCKER is not set, nothing to measure");
        return;
    };
    let rounds = if std::env::args().any(|a| a == "--quick") { 10 } else { 100 };
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(measure(&address, rounds));
}

async fn measure(address: &str, rounds: usize) {
    let folder = tempfile::tempdir().unwrap();
    let text = "terminal:\n  backend: docker\n  docker_image: hexad-test:bookworm\n  \
                docker_network: false\n  container_persistent: false\n";
    let config = Config::parse(text, "bench.yaml", &Default::default(), &[]).unwrap();
    let env: Vec<(OsString, OsString)> = vec![
        ("DOCKER_HOST".into(), address.into()),
        ("HEXAD_STATE_DIR".into(), folder.path().into()),
        ("HOME".into(), folder.path().into()),
    ];
    let hexad = Hexad::builder(config).host(Host::with_env(env)).start().await.unwrap();
    let task = hexad.task("bench");
    task.execute("true").await.unwrap();
    let status = task.status().await.unwrap().unwrap();
    let container = status.settings.iter().find(|(name, _)| name == "container").unwrap().1.clone();

    let (mut warm, mut left, mut client) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..rounds {
        // An agent thinks between two commands; the spare is made meanwhile.
        warm.push(timed(&task, "true").await);
        let begun = Instant::now();
        let done = Command::new("docker")
            .args(["-H", address, "exec", &container, "bash", "-c", "true"])
            .stdin(Stdio::null())
            .status()
            .unwrap();
        assert!(done.success());
        client.push(begun.elapsed());
    }
    // Apart: the daemon handles the end of anything two seconds late while a process that was left
    // running holds the streams of its shell.
    for _ in 0..rounds / 5 {
        left.push(timed(&task, "sleep 1 &").await);
    }
    task.release().await.unwrap();
    hexad.shutdown().await.unwrap();
    let (warm, left, client) = (median(warm), median(left), median(client));
    println!("| docker, {rounds} rounds, medians | ms | of docker exec |\n|---|---|---|");
    for (what, took) in [
        ("warm `true`, Execute to reply", warm),
        ("warm `sleep 1 &`", left),
        ("`docker exec CONTAINER bash -c true`", client),
    ] {
        let ratio = took.as_secs_f64() / client.as_secs_f64();
        println!("| {what} | {:.2} | {ratio:.3} |", took.as_secs_f64() * 1e3);
    }
}

async fn timed(task: &hexad::Task, command: &str) -> Duration {
    while !task.status().await.unwrap().unwrap().spare {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let begun = Instant::now();
    let result = task.execute(command).await.unwrap();
    assert_eq!(result.returncode(), 0);
    begun.elapsed()
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}
