//! Forks: beside the queue, on a copy of the state that is thrown away.

use hexad_actors::{Event, Execute, Slow};

use crate::support::{all_events, at_once, runtime, runtime_with, settle, watched};

#[tokio::test(start_paused = true)]
async fn a_fork_runs_beside_the_queue_on_a_copy_of_the_state() {
    let rt = runtime().await;
    rt.run("t", "cd /x; export A=1").await;
    let running = rt.send("t", "sleep 100; cd /y");
    let queued = rt.send("t", "pwd");
    settle().await;
    let fork = at_once(rt.run("t", Execute::new("pwd; get A; cd /z; exit 4").fork())).await;
    assert_eq!((fork.text().as_str(), fork.returncode()), ("/x\n1\n", 4));
    running.wait().await.unwrap();
    assert_eq!(queued.wait().await.unwrap().text(), "/y\n");
    assert_eq!(rt.run("t", "pwd; status").await.text(), "/y\n0\n");
}

#[tokio::test(start_paused = true)]
async fn forks_do_not_wait_for_each_other_nor_for_a_full_queue_but_have_a_bound_too() {
    let rt = runtime_with(|s| (s.queue_limit, s.spares) = (2, 0)).await;
    let mut all = vec![rt.send("t", "sleep 100")];
    settle().await;
    all.extend([rt.send("t", "true"), rt.send("t", "true")]);
    settle().await;
    all.extend([0, 1].map(|_| rt.send("t", Execute::new("sleep 50").fork())));
    settle().await;
    let status = rt.status("t").await.unwrap();
    assert_eq!((status.forks, status.queued), (2, 2));
    let error = at_once(rt.send("t", Execute::new("true").fork()).wait()).await.unwrap_err();
    assert_eq!(error.code(), "busy");
    for answer in all {
        answer.wait().await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn a_fork_that_starts_at_once_is_not_told_that_it_waits() {
    let rt = runtime().await;
    let running = rt.send("t", "sleep 100");
    settle().await;
    let (request, mut events) = watched(Execute::new("true").fork(), 16, Slow::Skip);
    let answer = rt.send("t", request);
    let seen = all_events(&mut events).await;
    assert!(matches!(seen[..], [Event::Started { .. }, Event::Finished(_)]), "{seen:?}");
    answer.wait().await.unwrap();
    running.wait().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_fork_can_be_the_first_message() {
    let rt = runtime().await;
    let fork = rt.run("t", Execute::new("cd /x; pwd").fork()).await;
    assert_eq!(fork.text(), "/x\n");
    assert_eq!(rt.run("t", "pwd").await.text(), "/work\n");
}

#[tokio::test(start_paused = true)]
async fn an_interrupt_without_a_name_means_the_command_and_not_its_forks() {
    let rt = runtime().await;
    let running = rt.send("t", "hang");
    settle().await;
    let fork = rt.send("t", Execute::new("sleep 50; say fork").fork().id("f"));
    settle().await;
    assert!(rt.interrupt("t", None).await);
    assert_eq!(running.wait().await.unwrap().returncode(), 130);
    assert_eq!(fork.wait().await.unwrap().text(), "fork\n");
}
