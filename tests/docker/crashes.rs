//! What is left when hexad is killed, and what the next start makes of it.

use std::time::Duration;

use crate::support::{Here, eventually};

const NOT_KEPT: &str = "docker_persist_across_processes: false";

#[tokio::test(flavor = "multi_thread")]
async fn killed_at_any_moment_it_leaves_no_container_behind_the_next_start() {
    let Some(here) = Here::new() else { return };
    for moment in [20, 60, 100, 200, 300, 400, 500, 600, 700, 800, 1000, 1500] {
        let mut child = here
            .program(&[NOT_KEPT], &["exec", "--task", "t", "--", "sleep 5083"])
            .spawn()
            .unwrap();
        tokio::time::sleep(Duration::from_millis(moment)).await;
        child.kill().unwrap();
        child.wait().unwrap();
    }
    // What the daemon had under way may finish behind the kill.
    tokio::time::sleep(Duration::from_millis(1500)).await;
    let output =
        here.program(&[NOT_KEPT], &["exec", "--task", "t", "--", "echo usable"]).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "usable\n", "{output:?}");
    eventually("all containers are gone", || here.all_containers().is_empty()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn one_that_was_to_be_kept_is_found_again_without_the_command_that_ran() {
    let Some(here) = Here::new() else { return };
    let program = |command: &str| here.program(&[], &["exec", "--task", "t", "--", command]);
    let output = program("X=kept; echo layer > /opt/file").output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let first = here.container("t");
    let mut child = program("sleep 5082 & sleep 5082").spawn().unwrap();
    eventually("the command runs", || here.processes(&first).matches("sleep 5082").count() >= 2)
        .await;
    child.kill().unwrap();
    child.wait().unwrap();
    let output = program("echo \"$X\"; cat /opt/file").output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "kept\nlayer\n", "{output:?}");
    assert_eq!(here.container("t"), first);
    eventually("the processes are ended", || !here.processes(&first).contains("sleep 5082")).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_without_a_task_leaves_no_container() {
    let Some(here) = Here::new() else { return };
    let output = here.program(&[], &["exec", "--", "echo once"]).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "once\n", "{output:?}");
    assert!(here.all_containers().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_container_that_never_ran_is_swept_even_if_it_was_to_be_kept() {
    let Some(here) = Here::new() else { return };
    let output = here.program(&[], &["exec", "--task", "t", "--", "true"]).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let first = here.container("t");
    let labels = here.inspect(&first, "{{range $k, $v := .Config.Labels}}{{$k}}={{$v}}\n{{end}}");
    let mut arguments = vec!["create", "--network=none"];
    let labels: Vec<String> = labels.lines().filter(|l| !l.is_empty()).map(str::to_owned).collect();
    for label in &labels {
        arguments.extend(["--label", label]);
    }
    arguments.extend(["hexad-test:bookworm", "true"]);
    let created = here.docker(&arguments);
    let output = here.program(&[], &["exec", "--task", "u", "--", "true"]).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    eventually("it is swept", || !here.containers("t").contains(&created)).await;
    assert_eq!(here.container("t"), first);
}
