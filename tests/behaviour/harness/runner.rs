//! Runs the rows of a section on every target that is enabled, and reports everything that failed.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use hexad::{Execute, Slow, Streams, Subscriber};
use tokio::sync::{Semaphore, mpsc};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use super::Context;
use super::check::{differences, shown};
use super::cmd::Cmd;
use super::events::{add_up, collect};
use super::matrix::{self, Cell};
use super::plain::LocalPlain;
use super::row::{Row, Step, Wish};
use super::target::{Local, LocalPosix, Runtime, Target};

/// Rows that run at the same time.
const AT_ONCE: usize = 4;
/// What the longest row may take.
const ROW_LIMIT: Duration = Duration::from_secs(90);

fn targets() -> Vec<Arc<dyn Target>> {
    #[cfg_attr(
        not(any(feature = "docker", feature = "ssh")),
        expect(unused_mut, reason = "a backend may be left out")
    )]
    let mut all: Vec<Arc<dyn Target>> =
        vec![Arc::new(Local), Arc::new(LocalPlain), Arc::new(LocalPosix)];
    #[cfg(feature = "docker")]
    all.extend(super::docker::targets());
    #[cfg(feature = "ssh")]
    all.extend(super::ssh::targets());
    match std::env::var("HEXAD_TEST_TARGETS") {
        Ok(names) if !names.is_empty() => {
            let names: Vec<&str> = names.split(',').map(str::trim).collect();
            let known: Vec<&str> = all.iter().map(|t| t.name()).collect();
            for name in &names {
                assert!(known.contains(name), "HEXAD_TEST_TARGETS: no target {name}: {known:?}");
            }
            all.into_iter().filter(|t| names.contains(&t.name())).collect()
        }
        _ => all,
    }
}

/// Runs a section; panics at the end if any row failed.
pub fn section(name: &str, rows: fn() -> Vec<Row>) {
    let wanted = std::env::var("HEXAD_TEST_ROWS").unwrap_or_default();
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let mut columns = Vec::new();
    let mut failures = Vec::new();
    for target in targets() {
        let rows: Vec<Row> = rows().into_iter().filter(|r| r.id.contains(&wanted)).collect();
        let ids: Vec<&'static str> = rows.iter().map(|r| r.id).collect();
        let mut cells = runtime.block_on(run_rows(&target, rows));
        cells.sort_by_key(|(id, _)| ids.iter().position(|known| known == id));
        for (id, cell) in &cells {
            if let Cell::Failed(why) = cell {
                failures.push(format!(
                    "{name} / {id} on {}:\n  {}",
                    target.name(),
                    why.join("\n  ")
                ));
            }
        }
        columns.push((target.name(), cells));
    }
    matrix::publish(name, &columns);
    assert!(failures.is_empty(), "{} failed:\n{}", failures.len(), failures.join("\n"));
}

async fn run_rows(target: &Arc<dyn Target>, rows: Vec<Row>) -> Vec<(&'static str, Cell)> {
    let folder = tempfile::tempdir().unwrap();
    let shared = Arc::new(target.start(&Wish::default(), folder.path()).await);
    let places = Arc::new(Semaphore::new(AT_ONCE));
    let mut cells = Vec::new();
    let mut running = JoinSet::new();
    let mut names = std::collections::HashMap::new();
    for row in rows {
        if let Some(need) = row.needs.iter().find(|need| !target.has(**need)) {
            cells.push((row.id, Cell::Needs(*need)));
            continue;
        }
        let (target, shared, places) =
            (Arc::clone(target), Arc::clone(&shared), Arc::clone(&places));
        let id = row.id;
        let handle = running.spawn(async move {
            let _place = places.acquire_owned().await;
            let begun = std::time::Instant::now();
            let ended = timeout(ROW_LIMIT, run_row(&*target, &shared, &row)).await;
            if std::env::var_os("HEXAD_TEST_TIMES").is_some() {
                println!("{:6.2} s {} on {}", begun.elapsed().as_secs_f64(), id, target.name());
            }
            match ended {
                Ok(wrong) if wrong.is_empty() => Cell::Ok,
                Ok(wrong) => Cell::Failed(wrong),
                Err(_) => Cell::Failed(vec![format!("did not end within {ROW_LIMIT:?}")]),
            }
        });
        names.insert(handle.id(), id);
    }
    while let Some(ended) = running.join_next_with_id().await {
        cells.push(match ended {
            Ok((id, cell)) => (names[&id], cell),
            Err(error) => (names[&error.id()], Cell::Failed(vec![error.to_string()])),
        });
    }
    let _ = shared.shutdown().await;
    cells
}

static NUMBER: AtomicU64 = AtomicU64::new(0);

async fn run_row(target: &dyn Target, shared: &Arc<Runtime>, row: &Row) -> Vec<String> {
    let number = u64::from(std::process::id()) * 10_000 + NUMBER.fetch_add(1, Ordering::Relaxed);
    let folder = tempfile::tempdir().unwrap();
    let mut runtime = Arc::clone(shared);
    if row.own_runtime {
        runtime = Arc::new(target.start(&row.wish, folder.path()).await);
    }
    // The directory is made by a task of its own, on the target.
    let made = shared.execute("maker", Execute::new("mktemp -d /tmp/row.XXXXXXXXXX")).await;
    let dir = match made {
        Ok(made) => made.text().trim().to_owned(),
        Err(error) => return vec![format!("no directory for the row: {error}")],
    };
    let mut context = Context {
        runtime,
        task: format!("row-{number}"),
        folder: folder.path().to_path_buf(),
        dir,
        number,
    };
    let mut wrong = Vec::new();
    for (at, step) in row.steps.iter().enumerate() {
        let found = run_step(target, row, &mut context, step).await;
        wrong.extend(found.into_iter().map(|text| format!("step {}: {text}", at + 1)));
        if !wrong.is_empty() {
            break;
        }
    }
    let _ = context.runtime.release(&context.task).await;
    if row.own_runtime {
        let _ = context.runtime.shutdown().await;
    }
    let clean = format!("chmod -R u+rwx {0}; rm -rf {0}", context.dir);
    let _ = shared.execute("maker", Execute::new(clean)).await;
    wrong
}

async fn run_step(
    target: &dyn Target,
    row: &Row,
    context: &mut Context,
    step: &Step,
) -> Vec<String> {
    let usual = target.usual_notices();
    let one = |result: Result<(), String>| result.err().into_iter().collect::<Vec<_>>();
    match step {
        Step::Run(cmd) => run_cmd(context, cmd, usual).await,
        Step::Together(cmds) => {
            let mut wrong = Vec::new();
            // All futures make progress in this one task, in the order they were written down.
            let mut futures: Vec<_> =
                cmds.iter().map(|cmd| Box::pin(run_cmd(context, cmd, usual))).collect();
            std::future::poll_fn(|cx| {
                futures.retain_mut(|future| match future.as_mut().poll(cx) {
                    std::task::Poll::Ready(found) => {
                        wrong.extend(found);
                        false
                    }
                    std::task::Poll::Pending => true,
                });
                if futures.is_empty() {
                    std::task::Poll::Ready(())
                } else {
                    std::task::Poll::Pending
                }
            })
            .await;
            wrong
        }
        Step::Interrupt(expected) => match context.runtime.interrupt(&context.task, None).await {
            Ok(was) if was == *expected => Vec::new(),
            other => vec![format!("interrupt gave {other:?}")],
        },
        Step::Release => {
            one(context.runtime.release(&context.task).await.map_err(|e| e.to_string()))
        }
        Step::Restart => {
            let stopped = context.runtime.shutdown().await.map_err(|e| e.to_string());
            context.runtime = Arc::new(target.start(&row.wish, &context.folder).await);
            one(stopped)
        }
        Step::Pause(pause) => {
            sleep(*pause).await;
            Vec::new()
        }
        Step::Gone(pattern) => one(context.runtime.comes_to(&context.text(pattern), false).await),
        Step::Alive(pattern) => one(context.runtime.comes_to(&context.text(pattern), true).await),
        Step::Code(work) => one(work(context.clone()).await),
    }
}

async fn run_cmd(context: &Context, cmd: &Cmd, usual: &[&str]) -> Vec<String> {
    sleep(cmd.after).await;
    let task = format!("{}{}", context.task, cmd.task);
    let id = cmd
        .id
        .clone()
        .or_else(|| cmd.interrupt_after.map(|_| format!("interrupt-me-{}", cmd.text.len())));
    let mut request = Execute {
        command: context.fill(&cmd.text),
        cwd: cmd.cwd.as_deref().map(|cwd| context.text(cwd)),
        env: cmd.env.iter().map(|(n, v)| (n.clone(), context.fill(v))).collect(),
        stdin: cmd.stdin.clone(),
        timeout: cmd.timeout,
        fork: cmd.fork,
        streams: if cmd.separate { Streams::Separate } else { Streams::Merged },
        id: id.clone(),
        ..Execute::default()
    };
    let mut events = None;
    if cmd.streamed {
        let (sender, receiver) = mpsc::channel(64);
        request.subscriber = Some(Subscriber { sender, slow: Slow::Wait });
        events = Some(tokio::spawn(collect(receiver)));
    }
    if let Some(pause) = cmd.interrupt_after {
        let (runtime, task) = (Arc::clone(&context.runtime), task.clone());
        tokio::spawn(async move {
            sleep(pause).await;
            let _ = runtime.interrupt(&task, id).await;
        });
    }
    let answer = context.runtime.execute(&task, request).await;
    let mut wrong = match (&answer, cmd.expect.refused) {
        (Ok(result), None) => differences(&cmd.expect, result, &|text| context.fill(text), usual),
        (Err(error), Some(code)) if error.code() == code => Vec::new(),
        (Ok(result), Some(code)) => vec![format!("{result:?} instead of the error {code}")],
        (Err(error), wanted) => vec![format!("{}: {error} instead of {wanted:?}", error.code())],
    };
    if let Some(events) = events {
        let events = events.await.unwrap();
        if let Ok(result) = &answer {
            wrong.extend(add_up(&events, result));
        }
        wrong.extend(cmd.expect.events.iter().filter_map(|check| check(&events).err()));
    }
    let text = shown(&cmd.text);
    wrong.into_iter().map(|why| format!("{why}\n    in {text}")).collect()
}
