//! A warm command over SSH against `ssh` with a ControlMaster, in turns in one run.
//!
//! Needs a server: `scripts/services start DIR` and its line in the environment. `--quick` takes few
//! rounds.
#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a bench program")]

use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use hexad::host::Host;
use hexad::{Config, Hexad};

const USER: &str = "hexad-plain";

fn main() {
    let Some(services) = std::env::var("HEXAD_TEST_SSH").ok().filter(|a| !a.is_empty()) else {
        println!("ssh: HEXAD_TEST_SSH is not set, nothing to measure");
        return;
    };
    let rounds = if std::env::args().any(|a| a == "--quick") { 10 } else { 100 };
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(measure(Path::new(&services), rounds));
}

async fn measure(services: &Path, rounds: usize) {
    let folder = tempfile::tempdir().unwrap();
    let port = std::fs::read_to_string(services.join("port")).unwrap().trim().to_owned();
    let key = services.join("id_ed25519");
    let text = format!(
        "terminal:\n  backend: ssh\n  ssh_host: 127.0.0.1\n  ssh_user: {USER}\n  ssh_port: {port}\n  \
         ssh_key: {}\n  ssh_known_hosts: {}\n",
        key.display(),
        folder.path().join("known_hosts").display()
    );
    let config = Config::parse(&text, "bench.yaml", &Default::default(), &[]).unwrap();
    let env: Vec<(OsString, OsString)> = vec![
        ("PATH".into(), "/usr/bin:/bin".into()),
        ("HEXAD_STATE_DIR".into(), folder.path().into()),
        ("HOME".into(), folder.path().into()),
    ];
    let hexad = Hexad::builder(config).host(Host::with_env(env)).start().await.unwrap();
    let task = hexad.task("bench");
    let begun = Instant::now();
    task.execute("true").await.unwrap();
    let first = begun.elapsed();

    let ssh = |command: &str| {
        let done = Command::new("ssh")
            .args(["-F", "none", "-o", "BatchMode=yes", "-o", "StrictHostKeyChecking=accept-new"])
            .args(["-o", "LogLevel=ERROR", "-o", "ControlMaster=auto", "-o", "ControlPersist=60"])
            .arg("-o")
            .arg(format!("UserKnownHostsFile={}", folder.path().join("known").display()))
            .arg("-o")
            .arg(format!("ControlPath={}", folder.path().join("master").display()))
            .arg("-i")
            .arg(&key)
            .args(["-p", &port, &format!("{USER}@127.0.0.1"), command])
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .unwrap();
        assert!(done.success());
    };
    ssh("true");
    let (mut warm, mut left, mut client) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..rounds {
        // An agent thinks between two commands; the spare is made meanwhile.
        warm.push(timed(&task, "true").await);
        left.push(timed(&task, "sleep 1 &").await);
        let begun = Instant::now();
        ssh("bash -c true");
        client.push(begun.elapsed());
    }
    let _ = Command::new("ssh")
        .arg("-o")
        .arg(format!("ControlPath={}", folder.path().join("master").display()))
        .args(["-O", "exit", "127.0.0.1"])
        .stderr(Stdio::null())
        .status();
    task.release().await.unwrap();
    hexad.shutdown().await.unwrap();
    let (warm, left, client) = (median(warm), median(left), median(client));
    println!("| ssh, {rounds} rounds, medians | ms | of ssh |\n|---|---|---|");
    for (what, took) in [
        ("warm `true`, Execute to reply", warm),
        ("warm `sleep 1 &`", left),
        ("`ssh HOST bash -c true` with a ControlMaster", client),
        ("the first command of all, once: connect, look, login files", first),
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
