//! Images: missing, without bash, with a user of their own.

use hexad::Error;

use crate::support::{Here, codes, run};

#[tokio::test(flavor = "multi_thread")]
async fn an_image_that_nobody_has_is_said_with_the_daemons_words() {
    let Some(here) = Here::new() else { return };
    let hexad = here.hexad(&["docker_image: localhost:1/nobody/nothing:none"]).await;
    let error = hexad.task("t").execute("true").await.unwrap_err();
    assert!(matches!(error, Error::Unavailable { .. }), "{error:?}");
    assert!(error.to_string().contains("localhost:1/nobody/nothing:none"), "{error}");
    assert!(here.all_containers().is_empty());
    hexad.shutdown().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn an_image_without_bash_does_with_less() {
    let Some(here) = Here::new() else { return };
    let hexad = here.hexad(&["docker_image: hexad-test:busybox"]).await;
    let task = hexad.task("t");
    let result = run(&task, "cd /tmp; export X='a b'; echo \"$0\"").await;
    assert_eq!(codes(&result), ["posix_shell"], "{result:?}");
    let result = run(&task, "echo \"$X\"; pwd").await;
    assert_eq!(result.text(), "a b\n/tmp\n");
    let request = hexad::Execute::new("sleep 5084 & sleep 5084")
        .timeout(std::time::Duration::from_millis(700));
    assert_eq!(task.execute(request).await.unwrap().returncode(), 124);
    assert!(!here.processes(&here.container("t")).contains("sleep 5084"));
    hexad.shutdown().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn an_image_without_a_shell_is_said_to_have_none() {
    let Some(here) = Here::new() else { return };
    let tar = here.path().join("empty.tar");
    std::fs::write(here.path().join("file"), "x").unwrap();
    let status = std::process::Command::new("tar")
        .arg("-C")
        .arg(here.path())
        .arg("-cf")
        .arg(&tar)
        .arg("file")
        .status()
        .unwrap();
    assert!(status.success());
    here.docker(&["import", tar.to_str().unwrap(), "hexad-test:empty"]);
    let hexad = here.hexad(&["docker_image: hexad-test:empty"]).await;
    let error = hexad.task("t").execute("true").await.unwrap_err();
    assert!(
        matches!(&error, Error::Unavailable { reason, .. } if reason.as_str() == "no_binary"),
        "{error:?}"
    );
    assert!(here.all_containers().is_empty(), "nothing half made is left");
    hexad.shutdown().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn an_image_with_a_user_and_an_entry_point_of_its_own_works() {
    let Some(here) = Here::new() else { return };
    let made = here.docker(&["create", "--network=none", "hexad-test:busybox", "sh"]);
    here.docker(&[
        "commit",
        "-c",
        "USER user",
        "-c",
        "WORKDIR /home/user",
        "-c",
        "ENV FROM_IMAGE=yes",
        "-c",
        "ENTRYPOINT [\"/bin/false\"]",
        &made,
        "hexad-test:user",
    ]);
    here.docker(&["rm", &made]);
    let hexad = here.hexad(&["docker_image: hexad-test:user"]).await;
    let task = hexad.task("t");
    let result = run(
        &task,
        "id -u; echo \"$FROM_IMAGE $HOME\"; pwd; echo x > /workspace/f && cat /workspace/f",
    )
    .await;
    assert_eq!(result.text(), "1000\nyes /home/user\n/home/user\nx\n");
    // What was unset stays so, although the image sets it.
    run(&task, "unset FROM_IMAGE").await;
    assert_eq!(run(&task, "echo \"${FROM_IMAGE-unset}\"").await.text(), "unset\n");
    hexad.shutdown().await.unwrap();
}
