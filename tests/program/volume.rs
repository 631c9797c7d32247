//! Many commands in one process: nothing may pile up.

use hexad::host::Host;
use hexad::{Config, Hexad};

use crate::support::Surroundings;

/// Open descriptors of this process.
fn descriptors() -> usize {
    std::fs::read_dir("/proc/self/fd").unwrap().count()
}

/// Ended children of this process that nobody waited for, among those that are bash.
fn zombies() -> usize {
    let own = std::process::id().to_string();
    let mut count = 0;
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let Ok(stat) = std::fs::read_to_string(entry.path().join("stat")) else { continue };
        let Some((name, rest)) = stat.rsplit_once(')') else { continue };
        let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
        if name.ends_with("(bash") && fields[0] == "Z" && fields[1] == own {
            count += 1;
        }
    }
    count
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ten_thousand_commands_leave_no_zombie_and_no_descriptor() {
    let here = Surroundings::new();
    let env = vec![
        ("PATH".into(), std::env::var_os("PATH").unwrap_or_default()),
        ("HOME".into(), here.path().join("home").into()),
        ("HEXAD_STATE_DIR".into(), here.path().join("state").into()),
    ];
    let host = Host::with_env(env);
    let hexad = Hexad::builder(Config::builtin()).host(host).start().await.unwrap();
    let round = async |count: usize| {
        let mut work = tokio::task::JoinSet::new();
        for lane in 0..4 {
            let task = hexad.task(format!("lane-{lane}"));
            work.spawn(async move {
                for n in 0..count / 4 {
                    let result = task.execute(format!("N={n}; (exit {})", n % 7)).await.unwrap();
                    assert_eq!(usize::from(result.returncode()), n % 7);
                }
            });
        }
        while let Some(done) = work.join_next().await {
            done.unwrap();
        }
        // The shells that wait for the next command are part of the count both times.
        tokio::time::sleep(std::time::Duration::from_millis(300)).await;
    };
    round(100).await;
    let before = descriptors();
    round(10_000).await;
    let after = descriptors();
    assert!(after <= before + 4, "{before} descriptors before, {after} after");
    assert_eq!(zombies(), 0);
    hexad.shutdown().await.unwrap();
    assert_eq!(zombies(), 0);
}
