//! How containers are made, found again and let go.

use std::time::{Duration, Instant};

use hexad::Execute;

use crate::support::{Here, codes, run};

#[tokio::test(flavor = "multi_thread")]
async fn a_container_is_hardened_and_says_who_made_it() {
    let Some(here) = Here::new() else { return };
    let hexad = here.hexad(&["docker_forward_env: [FORWARDED]"]).await;
    let task = hexad.task("a/b:c");
    let result = run(&task, "echo \"$FORWARDED\"; id -u; pwd; ls -d /workspace").await;
    assert_eq!(result.text(), "forwarded secret\n0\n/root\n/workspace\n");
    let container = here.container("a/b:c");
    let host = here.inspect(
        &container,
        "{{.HostConfig.CapDrop}} {{.HostConfig.CapAdd}} {{.HostConfig.SecurityOpt}} \
         {{.HostConfig.PidsLimit}} {{.HostConfig.Init}} {{.HostConfig.NetworkMode}} \
         {{.HostConfig.Memory}} {{.HostConfig.NanoCpus}} {{.HostConfig.Privileged}}",
    );
    assert_eq!(
        host,
        "[ALL] [DAC_OVERRIDE CHOWN FOWNER SETUID SETGID KILL] [no-new-privileges] 256 true none \
         5368709120 1000000000 false"
    );
    let labels = here.inspect(&container, "{{json .Config.Labels}}");
    for part in ["\"hexad.task\":\"a_b_c\"", "\"hexad.task.id\":\"a/b:c\"", "start_time"] {
        assert!(labels.contains(part), "{labels}");
    }
    let all = here.inspect(&container, "{{json .}}");
    assert!(!all.contains("forwarded secret"), "a forwarded value is in the configuration");
    let status = task.status().await.unwrap().unwrap();
    let settings = format!("{:?}", status.settings);
    for part in ["hexad-test:bookworm", "network", "5120 MB", "processes"] {
        assert!(settings.contains(part), "{settings}");
    }
    task.release().await.unwrap();
    assert!(here.containers("a/b:c").is_empty());
    hexad.shutdown().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_restart_finds_the_container_and_the_state_again() {
    let Some(here) = Here::new() else { return };
    let hexad = here.hexad(&[]).await;
    run(&hexad.task("t"), "cd /var; X=kept; f() { echo \"f $1\"; }; echo layer > /opt/file").await;
    let before = here.container("t");
    hexad.shutdown().await.unwrap();
    assert_eq!(here.container("t"), before, "it is left running");

    let hexad = here.hexad(&[]).await;
    let result = run(&hexad.task("t"), "f \"$X\"; pwd; cat /opt/file").await;
    assert_eq!(result.text(), "f kept\n/var\nlayer\n");
    assert!(codes(&result).is_empty(), "{result:?}");
    assert_eq!(here.container("t"), before);
    hexad.shutdown().await.unwrap();

    // One that was stopped meanwhile is started, and what changed is named.
    here.docker(&["stop", "-t", "1", &before]);
    let hexad = here.hexad(&["container_memory: 100"]).await;
    let result = run(&hexad.task("t"), "f 2; cat /opt/file").await;
    assert_eq!(result.text(), "f 2\nlayer\n");
    assert_eq!(codes(&result), ["config_changed"]);
    assert!(result.notices[0].message.contains("limits"), "{result:?}");
    hexad.shutdown().await.unwrap();

    // A process that never started it removes it.
    let hexad = here.hexad(&[]).await;
    hexad.task("t").release().await.unwrap();
    assert!(here.containers("t").is_empty());
    hexad.shutdown().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn files_outlive_the_container_if_they_are_to() {
    let Some(here) = Here::new() else { return };
    let hexad = here.hexad(&[]).await;
    let task = hexad.task("t");
    run(&task, "echo 1 > /workspace/kept; echo 2 > ~/kept").await;
    task.release().await.unwrap();
    let result = run(&task, "cat /workspace/kept ~/kept").await;
    assert_eq!(result.text(), "1\n2\n");
    task.release().await.unwrap();
    hexad.shutdown().await.unwrap();

    let hexad = here.hexad(&["container_persistent: false"]).await;
    let task = hexad.task("u");
    let result =
        run(&task, "echo 1 > /workspace/kept; echo 2 > ~/kept; mount | grep -c tmpfs").await;
    assert_eq!(result.returncode(), 0, "{result:?}");
    task.release().await.unwrap();
    let result = run(&task, "ls -A /workspace").await;
    assert_eq!(result.text(), "");
    task.release().await.unwrap();
    hexad.shutdown().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_network_that_is_forbidden_is_not_found_again() {
    let Some(here) = Here::new() else { return };
    let hexad =
        here.hexad(&["docker_network: true", "docker_extra_args: ['--network=none']"]).await;
    run(&hexad.task("t"), "true").await;
    let first = here.container("t");
    hexad.shutdown().await.unwrap();
    // It has no network, so it is as good as one that was forbidden to have one.
    let hexad = here.hexad(&[]).await;
    let result = run(&hexad.task("t"), "cat /proc/net/dev | grep -c eth0").await;
    assert_eq!(result.text(), "0\n");
    assert_eq!(here.container("t"), first);
    hexad.shutdown().await.unwrap();

    // One with a network is replaced: made by hand here, with the labels of the first.
    let labels = here.inspect(&first, "{{range $k, $v := .Config.Labels}}{{$k}}={{$v}}\n{{end}}");
    here.docker(&["rm", "-f", &first]);
    let mut arguments = vec!["create", "--network=host"];
    let labels: Vec<String> = labels.lines().filter(|l| !l.is_empty()).map(str::to_owned).collect();
    for label in &labels {
        arguments.extend(["--label", label]);
    }
    arguments.extend(["hexad-test:bookworm", "sleep", "infinity"]);
    let open = here.docker(&arguments);
    let hexad = here.hexad(&[]).await;
    let result = run(&hexad.task("t"), "grep -c eth0 /proc/net/dev").await;
    assert_eq!(codes(&result), ["container_replaced"], "{result:?}");
    assert_ne!(here.container("t"), open);
    hexad.shutdown().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_limit_that_the_daemon_cannot_keep_is_said() {
    let Some(here) = Here::new() else { return };
    let info = here.docker(&["info", "--format", "{{.Driver}} {{json .DriverStatus}}"]);
    if info.contains("xfs") || info.starts_with("btrfs") || info.starts_with("zfs") {
        return;
    }
    let hexad = here.hexad(&["container_disk: 100", "container_memory: 64"]).await;
    let task = hexad.task("t");
    let result = run(&task, "true").await;
    assert_eq!(codes(&result), ["limits_not_enforced"]);
    assert!(result.notices[0].message.contains("disk (100 MB"), "{result:?}");
    assert_eq!(here.inspect(&here.container("t"), "{{.HostConfig.Memory}}"), "67108864");
    // The limit of memory is real, and its end is explained.
    let result = run(&task, "x=$(head -c 200000000 /dev/zero | tr '\\0' x); echo never").await;
    assert_ne!(result.text(), "never\n");
    assert_eq!(run(&task, "echo alive").await.text(), "alive\n");
    task.release().await.unwrap();
    hexad.shutdown().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_background_process_does_not_hold_the_call() {
    let Some(here) = Here::new() else { return };
    let hexad = here.hexad(&[]).await;
    let task = hexad.task("t");
    run(&task, "true").await;
    tokio::time::sleep(Duration::from_millis(500)).await;
    let begun = Instant::now();
    let result = run(&task, "sleep 300 & echo now").await;
    let took = begun.elapsed();
    assert_eq!(result.text(), "now\n");
    assert!(took < Duration::from_secs(1), "{took:?}");
    assert_eq!(result.left_running.len(), 1, "{result:?}");
    assert!(here.processes(&here.container("t")).contains("sleep 300"));
    hexad.shutdown().await.unwrap();
    assert!(!here.processes(&here.container("t")).contains("sleep 300"));
}

#[tokio::test(flavor = "multi_thread")]
async fn streams_are_exact_and_bounded() {
    let Some(here) = Here::new() else { return };
    let hexad = here.hexad(&[]).await;
    let task = hexad.task("t");
    let data: Vec<u8> =
        (0..5 * 1024 * 1024_u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    let mut request = Execute::new("cat > /tmp/data; sha256sum < /tmp/data; wc -c < /tmp/data")
        .stdin(data.clone());
    request.timeout = Some(Duration::from_secs(60));
    let result = task.execute(request).await.unwrap();
    let here_sum = {
        let file = here.path().join("data");
        std::fs::write(&file, &data).unwrap();
        let output = std::process::Command::new("sha256sum").arg(file).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    assert_eq!(result.text().split_whitespace().next(), here_sum.split_whitespace().next());
    assert!(result.text().ends_with("5242880\n"), "{}", result.text());
    // And back again, through the output.
    let mut request = Execute::new("cat /tmp/data");
    request.spill = Some(here.path().join("spills"));
    std::fs::create_dir(here.path().join("spills")).unwrap();
    let result = task.execute(request).await.unwrap();
    assert_eq!(std::fs::read(result.output.spill.unwrap()).unwrap(), data);

    let result = run(&task, "head -c 100000000 /dev/zero | tr '\\0' x").await;
    assert_eq!(result.output.total_bytes, 100_000_000);
    assert!(result.output.head.len() + result.output.tail.len() <= 50_000);
    task.release().await.unwrap();
    hexad.shutdown().await.unwrap();
}
