//! A timeout and an interrupt end everything that the command started, whatever it did to hide,
//! keep what it had printed, and leave the environment working.

use crate::harness::row::{Cmd, Need, Row, alive, code, gone, row, run};

pub fn rows() -> Vec<Row> {
    let mut rows = ended();
    rows.extend(trees());
    rows.extend(interrupts());
    rows.into_iter().map(|r| r.need(Need::ProcTable)).collect()
}

fn works() -> Cmd {
    run("echo works").out("works\n")
}

fn ended() -> Vec<Row> {
    vec![
        row("a timeout keeps what was printed").runs([
            run("echo a; printf b; echo c >&2; sleep 30").times_out(1.5).out("a\nbc\n").within(10),
            works(),
        ]),
        row("a timeout of a silent command says so").runs([run("sleep 30")
            .times_out(1.5)
            .out("")
            .within(10)
            .check(|r| {
                let text = format!("{:?}", r.notices);
                if text.contains("limit of 1.5 s") { Ok(()) } else { Err(text) }
            })]),
        // Bash runs its EXIT trap when TERM ends it, so what was done before the limit is kept.
        row("a change of state before a timeout").bash().runs([
            run("X=old; cd @DIR@"),
            run("X=new; cd /; sleep 30").times_out(1.5).cwd("/"),
            run("echo $X; pwd").out("new\n/\n"),
        ]),
        row("a change of state before a kill")
            .tweak(|s| s.kill_grace = std::time::Duration::from_millis(200))
            .runs([
                run("X=old; cd @DIR@"),
                run("X=new; cd /; trap '' TERM; while :; do sleep 0.1; done")
                    .times_out(1.5)
                    .cwd("@DIR@"),
                run("echo $X; pwd").out("old\n@DIR@\n"),
            ]),
        row("a command in its own time is not touched")
            .runs([run("sleep 0.3; echo done").timeout(20.0).out("done\n")]),
        row("a timeout of zero is the default").runs([run("echo ok").timeout(0.0).out("ok\n")]),
        row("a busy loop of the shell itself")
            .runs([run("while :; do :; done").times_out(1.5).within(10), works()]),
        row("a shell that ignores TERM")
            .tweak(|s| s.kill_grace = std::time::Duration::from_millis(300))
            .runs([
                run("trap '' TERM; echo in; while :; do sleep 0.1; done")
                    .times_out(1.5)
                    .out("in\n")
                    .within(8),
                works(),
            ]),
        row("a read that waits for ever")
            .runs([run("mkfifo @DIR@/p; cat @DIR@/p").times_out(1.5).within(10), works()]),
        row("a flood of output").runs([
            run("while :; do echo yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy; done")
                .times_out(1.5)
                .has("yyy")
                .within(10),
            works(),
        ]),
    ]
}

fn quick(row: Row) -> Row {
    row.tweak(|s| s.kill_grace = std::time::Duration::from_millis(300))
}

fn trees() -> Vec<Row> {
    vec![
        row("children and grandchildren").then(
            run("sh -c 'sleep 3@N@ & sh -c \"sleep 3@N@; true\"; true'").times_out(1.5).within(10),
        ).then(gone("sleep 3@N@")).runs([works()]),
        row("a child in a session of its own").then(
            run("setsid sleep 3@N@ & sleep 4@N@").times_out(1.5).within(10),
        ).then(gone("sleep 3@N@")).runs([works()]),
        row("a double fork").then(
            run("(setsid sh -c 'sleep 3@N@ & exit' &); sleep 4@N@").times_out(1.5).within(10),
        ).then(gone("sleep 3@N@")).runs([works()]),
        quick(row("a child that ignores TERM")).then(
            run("sh -c 'trap \"\" TERM; sleep 3@N@; sleep 3@N@' & sleep 4@N@").times_out(1.5).within(10),
        ).then(gone("sleep 3@N@")).runs([works()]),
        quick(row("a child of another session that ignores TERM")).then(
            run("setsid sh -c 'trap \"\" TERM HUP; sleep 3@N@; sleep 3@N@' & sleep 4@N@").times_out(1.5).within(10),
        ).then(gone("sleep 3@N@")).runs([works()]),
        row("a stopped child").then(
            run("sleep 3@N@ & kill -STOP $!; sleep 4@N@").times_out(1.5).within(10),
        ).then(gone("sleep 3@N@")).runs([works()]),
        quick(row("a stopped shell")).then(
            run("sleep 3@N@ & echo in; kill -STOP $$; echo never").times_out(1.5).has("in\n").within(10),
        ).then(gone("sleep 3@N@")).runs([works()]),
        row("a child with an empty environment").then(
            run("env -i sleep 3@N@ & sleep 4@N@").times_out(1.5).within(10),
        ).then(gone("sleep 3@N@")).runs([works()]),
        row("a child with an empty environment in a session of its own").need(Need::Descendants).then(
            run("env -i setsid sleep 3@N@ & sleep 4@N@").times_out(1.5).within(10),
        ).then(gone("sleep 3@N@")).runs([works()]),
        quick(row("one that hides from every sign and ignores TERM")).need(Need::Descendants).then(
            run("env -i setsid sh -c 'trap \"\" TERM; sleep 3@N@; sleep 3@N@' & sleep 4@N@").times_out(1.5).within(10),
        ).then(gone("3@N@")).runs([works()]),
        row("children that start others as they end").then(
            run("sh -c 'trap \"sleep 3@N@ & exit\" TERM; while :; do sleep 0.05; done' & sleep 4@N@").times_out(1.5).within(15),
        ).then(gone("sleep 3@N@")).runs([works()]),
        row("a pipeline").then(
            run("sleep 3@N@ | cat | cat").times_out(1.5).within(10),
        ).then(gone("sleep 3@N@")).runs([works()]),
        row("a program in place of the shell").then(
            run("exec sleep 3@N@").times_out(1.5).within(10),
        ).then(gone("sleep 3@N@")).runs([works()]),
        row("timeout and stdin that nobody reads").then(
            run("sleep 3@N@").stdin(vec![b'x'; 1 << 20]).times_out(1.5).within(10),
        ).then(gone("sleep 3@N@")).runs([works()]),
        row("a killed child of the shell").runs([
            run("sleep 3@N@ & kill -9 $!; wait $!; echo $?").has("137\n"),
            works(),
        ]),
    ]
}

fn interrupts() -> Vec<Row> {
    vec![
        row("an interrupt keeps what was printed").runs([
            run("echo a; sleep 30").interrupted_after_ms(500).out("a\n").within(10),
            run("echo $?").out("130\n"),
        ]),
        row("an interrupt says who").runs([run("sleep 30").interrupted_after_ms(300).check(|r| {
            use hexad::{InterruptCause::User, Outcome};
            if r.outcome == (Outcome::Interrupted { cause: User }) {
                Ok(())
            } else {
                Err(format!("{:?}", r.outcome))
            }
        })]),
        row("an interrupt reaches the whole tree")
            .then(
                run("setsid sleep 3@N@ & (sh -c 'trap \"\" INT; sleep 3@N@') ; sleep 30")
                    .interrupted_after_ms(500)
                    .within(10),
            )
            .then(gone("sleep 3@N@"))
            .runs([works()]),
        row("an interrupt of nothing")
            .then(run("true"))
            .then(crate::harness::row::Step::Interrupt(false))
            .runs([works()]),
        row("an interrupt of a task that nobody knows")
            .then(crate::harness::row::Step::Interrupt(false)),
        row("an interrupt of a waiting request")
            .together([
                run("sleep 1; echo first").id("first").out("first\n"),
                run("touch @DIR@/ran")
                    .id("second")
                    .after_ms(200)
                    .interrupted_after_ms(300)
                    .notice("never_ran"),
            ])
            .runs([run("ls @DIR@").out("")]),
        row("an interrupt in the first moment")
            .then(code(|c| async move {
                let (runtime, task) = (c.runtime.clone(), c.task.clone());
                let running = tokio::spawn(async move {
                    runtime.execute(&task, hexad::Execute::new("sleep 30")).await
                });
                // While the environment is still being made, or just after.
                while !c.runtime.interrupt(&c.task, None).await.is_ok_and(|was| was) {
                    tokio::time::sleep(std::time::Duration::from_millis(1)).await;
                }
                let result =
                    running.await.map_err(|e| e.to_string())?.map_err(|e| e.to_string())?;
                if result.returncode() == 130 { Ok(()) } else { Err(format!("{result:?}")) }
            }))
            .runs([works()]),
        row("two interrupts at once")
            .then(code(|c| async move {
                let (runtime, task) = (c.runtime.clone(), c.task.clone());
                let twice = tokio::spawn(async move {
                    tokio::time::sleep(std::time::Duration::from_millis(500)).await;
                    let (a, b) = tokio::join!(
                        runtime.interrupt(&task, None),
                        runtime.interrupt(&task, None)
                    );
                    (a.is_ok_and(|was| was), b.is_ok())
                });
                let result = c.run("sleep 30").await?;
                let fine =
                    result.returncode() == 130 && twice.await.is_ok_and(|t| t == (true, true));
                if fine { Ok(()) } else { Err(format!("{result:?}")) }
            }))
            .runs([works()]),
        row("an interrupt of one task leaves the other").together([
            run("sleep 1.2; echo whole").out("whole\n"),
            run("sleep 30").task("-other").interrupted_after_ms(400).within(10),
        ]),
        row("a program that is still there before it is ended")
            .then(code(|c| async move {
                let (runtime, task) = (c.runtime.clone(), c.task.clone());
                let pattern = c.text("sleep 3@N@");
                let killer = tokio::spawn(async move {
                    let seen = runtime.comes_to(&pattern, true).await;
                    let _ = runtime.interrupt(&task, None).await;
                    seen
                });
                let result = c.run("sleep 3@N@").await?;
                killer.await.map_err(|e| e.to_string())??;
                if result.returncode() == 130 { Ok(()) } else { Err(format!("{result:?}")) }
            }))
            .then(gone("sleep 3@N@")),
        row("what is alive is seen")
            .then(run("sleep 3@N@ & true").leaves(1..=1))
            .then(alive("sleep 3@N@")),
    ]
}
