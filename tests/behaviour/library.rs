//! The same through the library's own handles.

use std::time::Duration;

use hexad::{Config, Event, Execute, Hexad};

use crate::harness::row::Wish;
use crate::harness::target::host;

async fn start(folder: &tempfile::TempDir) -> Hexad {
    let host = host(&Wish::default(), folder.path());
    Hexad::builder(Config::builtin()).host(host).start().await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_gives_the_events_in_order_and_ends_with_the_result() {
    let folder = tempfile::tempdir().unwrap();
    let hexad = start(&folder).await;
    let mut stream = hexad.task("t").stream("echo one; sleep 0.2; echo two");
    let (mut words, mut text) = (Vec::new(), String::new());
    while let Some(event) = stream.next().await {
        words.push(match event {
            Event::Started { .. } => "started",
            Event::Output { data, .. } => {
                text.push_str(std::str::from_utf8(data.as_bytes()).unwrap());
                "output"
            }
            Event::Finished(result) => {
                assert_eq!(result.text(), text);
                "finished"
            }
            _ => "other",
        });
    }
    assert_eq!(text, "one\ntwo\n");
    assert_eq!(words, ["started", "output", "output", "finished"]);
    hexad.shutdown().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bad_task_id_is_an_error_of_every_call() {
    let folder = tempfile::tempdir().unwrap();
    let hexad = start(&folder).await;
    let task = hexad.task("not/../good");
    assert_eq!(task.execute("true").await.unwrap_err().code(), "invalid_request");
    assert!(matches!(task.stream("true").next().await, Some(Event::Failed(_))));
    assert!(task.interrupt().await.is_err());
    assert!(task.status().await.is_err());
    assert!(task.release().await.is_err());
    hexad.shutdown().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unknown_profile_is_refused_and_another_one_is_a_conflict() {
    let folder = tempfile::tempdir().unwrap();
    let hexad = start(&folder).await;
    let refused = hexad.task("t").profile("no-such").execute("true").await.unwrap_err();
    assert_eq!(refused.code(), "invalid_request");
    hexad.task("t").profile("default").execute("true").await.unwrap();
    let conflict = hexad.task("t").profile("other").execute("true").await.unwrap_err();
    assert_eq!(conflict.code(), "conflict");
    hexad.shutdown().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_shutdown_interrupts_what_runs_and_answers_what_waits() {
    let folder = tempfile::tempdir().unwrap();
    let hexad = start(&folder).await;
    let task = hexad.task("t");
    let running = tokio::spawn({
        let task = task.clone();
        async move { task.execute("echo begun; sleep 30").await }
    });
    tokio::time::sleep(Duration::from_millis(400)).await;
    let waiting = tokio::spawn({
        let task = task.clone();
        async move { task.execute("echo never").await }
    });
    tokio::time::sleep(Duration::from_millis(100)).await;
    hexad.shutdown().await.unwrap();
    let running = running.await.unwrap().unwrap();
    assert_eq!((running.returncode(), running.text().as_str()), (130, "begun\n"));
    let waiting = waiting.await.unwrap().unwrap();
    assert_eq!((waiting.returncode(), waiting.text().as_str()), (130, ""));
    assert!(task.execute("true").await.is_err());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hexad_that_is_dropped_leaves_nothing_running() {
    let folder = tempfile::tempdir().unwrap();
    let hexad = start(&folder).await;
    let script = "setsid sleep 300 >/dev/null 2>&1 & echo $!";
    let pid = hexad.task("t").execute(script).await.unwrap().text().trim().to_owned();
    assert!(std::path::Path::new(&format!("/proc/{pid}/stat")).exists());
    drop(hexad);
    for _ in 0..100 {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        if stat.is_empty() || stat.contains(") Z ") {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("process {pid} is still there");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_whole_output_is_kept_in_a_file_when_asked() {
    let folder = tempfile::tempdir().unwrap();
    let hexad = start(&folder).await;
    let request = Execute {
        spill: Some(folder.path().join("spill")),
        ..Execute::new("i=0; while [ $i -lt 20000 ]; do echo $i; i=$((i+1)); done; echo ERR")
    };
    let result = hexad.task("t").execute(request).await.unwrap();
    let path = result.output.spill.clone().unwrap();
    let whole = std::fs::read_to_string(&path).unwrap();
    assert_eq!(whole.len() as u64, result.output.total_bytes);
    assert!(whole.starts_with("0\n1\n") && whole.ends_with("19999\nERR\n"));
    assert!(result.text().contains(&path.display().to_string()));
    hexad.shutdown().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hundred_tasks_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let hexad = start(&folder).await;
    let mut running = tokio::task::JoinSet::new();
    for number in 0..100 {
        let task = hexad.task(format!("t{number}"));
        running.spawn(async move {
            task.execute(format!("X={number}")).await.unwrap();
            assert_eq!(task.execute("echo $X").await.unwrap().text(), format!("{number}\n"));
        });
    }
    while let Some(ended) = running.join_next().await {
        ended.unwrap();
    }
    assert_eq!(hexad.list().await.unwrap().len(), 100);
    hexad.shutdown().await.unwrap();
}
