//! A repeated request id gets the first one's answer; the command never runs twice.

use hexad_actors::{Event, Execute, Slow};

use crate::support::{Act, all_events, at_once, refused, runtime, runtime_with, settle, watched};

fn named(command: &str) -> Execute {
    Execute::new(command).id("id")
}

#[tokio::test(start_paused = true)]
async fn while_it_runs_the_second_asker_waits_with_the_first() {
    let rt = runtime().await;
    let first = rt.send("t", named("say a; sleep 50; say b"));
    settle().await;
    let (request, mut events) = watched(named("say a; sleep 50; say b"), 16, Slow::Skip);
    let second = rt.send("t", request);
    let (first, second) = (first.wait().await.unwrap(), second.wait().await.unwrap());
    assert_eq!(first.text(), "a\nb\n");
    assert_eq!(first.text(), second.text());
    assert_ne!(first.repeated, second.repeated, "one of them was the repetition");
    let seen = all_events(&mut events).await;
    // Nobody watched before: chunks are counted from here, the offset tells what was missed.
    assert!(
        matches!(&seen[0], Event::Output { seq: 0, offset: 2, data, .. } if data.as_bytes() == b"b\n")
    );
    assert!(matches!(seen.last(), Some(Event::Finished(_))));
    assert_eq!(rt.backend("t").ran().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn after_its_end_the_result_is_remembered() {
    let rt = runtime().await;
    let first = rt.run("t", named("say once; exit 3")).await;
    let (request, mut events) = watched(named("say once; exit 3"), 16, Slow::Skip);
    let again = at_once(rt.run("t", request)).await;
    assert!(again.repeated && !first.repeated);
    assert_eq!((again.text(), again.returncode()), ("once\n".into(), 3));
    let seen = all_events(&mut events).await;
    assert!(matches!(&seen[..], [Event::Finished(result)] if result.repeated), "{seen:?}");
    assert_eq!(rt.backend("t").ran().len(), 1);
    assert_eq!(rt.run("other", named("say twice")).await.text(), "twice\n", "ids are per task");
}

#[tokio::test(start_paused = true)]
async fn a_task_that_was_retired_still_remembers_and_a_released_one_does_not() {
    let rt = runtime().await;
    rt.run("t", named("say once; exit 3")).await;
    tokio::time::sleep(std::time::Duration::from_secs(400)).await;
    assert!(rt.status("t").await.is_none(), "it has been retired");
    let again = rt.run("t", named("say once; exit 3")).await;
    assert_eq!((again.repeated, again.returncode()), (true, 3));
    assert_eq!(rt.backend("t").ran().len(), 1);
    rt.release("t").wait().await.unwrap();
    let anew = rt.run("t", named("say once; exit 3")).await;
    assert!(!anew.repeated);
    assert_eq!(rt.backend("t").ran().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn while_it_waits_both_askers_get_everything() {
    let rt = runtime().await;
    let running = rt.send("t", "sleep 50");
    settle().await;
    let (request, mut events_a) = watched(named("say x"), 16, Slow::Skip);
    let a = rt.send("t", request);
    let (request, mut events_b) = watched(named("say x"), 16, Slow::Skip);
    let b = rt.send("t", request);
    assert_eq!(a.wait().await.unwrap().text(), "x\n");
    assert_eq!(b.wait().await.unwrap().text(), "x\n");
    running.wait().await.unwrap();
    for events in [&mut events_a, &mut events_b] {
        let seen = all_events(events).await;
        assert!(seen.iter().any(|e| matches!(e, Event::Output { seq: 0, .. })), "{seen:?}");
        assert!(matches!(seen.last(), Some(Event::Finished(_))));
    }
    assert_eq!(rt.backend("t").ran(), ["sleep 50", "say x"]);
}

#[tokio::test(start_paused = true)]
async fn the_first_caller_may_go_away_when_a_second_one_asked() {
    let rt = runtime().await;
    let running = rt.send("t", "sleep 50");
    settle().await;
    let first = rt.send("t", named("say x"));
    let second = rt.send("t", named("say x"));
    settle().await;
    drop(first);
    running.wait().await.unwrap();
    assert_eq!(second.wait().await.unwrap().text(), "x\n");
}

#[tokio::test(start_paused = true)]
async fn a_watcher_that_comes_just_when_it_ends_is_told_of_the_end() {
    // Whatever the moment: every watcher gets a last event.
    for delay in 0..4 {
        let rt = runtime().await;
        rt.run("t", "true").await;
        let first = rt.send("t", named("sleep 2"));
        tokio::time::sleep(std::time::Duration::from_millis(delay)).await;
        let (request, mut events) = watched(named("sleep 2"), 16, Slow::Skip);
        let second = rt.send("t", request);
        second.wait().await.unwrap();
        first.wait().await.unwrap();
        let seen = all_events(&mut events).await;
        assert!(matches!(seen.last(), Some(Event::Finished(_))), "after {delay} ms: {seen:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_request_that_never_began_may_be_sent_again() {
    let rt = runtime().await;
    rt.backend("t").next_start(Act::Fail(refused()));
    assert!(rt.send("t", named("say x")).wait().await.is_err());
    let result = rt.run("t", named("say x")).await;
    assert!(!result.repeated);
}

#[tokio::test(start_paused = true)]
async fn only_so_many_results_are_remembered() {
    let rt = runtime_with(|s| (s.remembered_results, s.spares) = (2, 0)).await;
    for id in ["a", "b", "c"] {
        rt.run("t", Execute::new(format!("say {id}")).id(id)).await;
    }
    assert!(rt.run("t", Execute::new("say c").id("c")).await.repeated);
    assert!(!rt.run("t", Execute::new("say a").id("a")).await.repeated);
}
