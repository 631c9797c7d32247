//! A call ends when its shell does. What it leaves running lives on, is named in the result, and
//! ends with the environment.

use crate::harness::row::{Need, Row, Step, alive, gone, pause_ms, row, run};

pub fn rows() -> Vec<Row> {
    let mut rows = returning();
    rows.extend(living_on());
    rows.into_iter().map(|r| r.need(Need::ProcTable)).collect()
}

fn returning() -> Vec<Row> {
    vec![
        row("a background child does not hold the call")
            .then(run("sleep 3@N@ & echo started").out("started\n").within(5).leaves(1..=1))
            .then(alive("sleep 3@N@"))
            .then(Step::Release)
            .then(gone("sleep 3@N@")),
        row("a pid of a background child")
            .runs([run("cd /tmp && sleep 3@N@ & echo PID:$!").has("PID:").within(5).leaves(1..=2)]),
        row("a list in the background").runs([
            run("true && { sleep 3@N@; echo late; } & echo now")
                .out("now\n")
                .within(5)
                .leaves(1..=2),
            run("true && sleep 3@N@ & true & wait $!; echo both")
                .out("both\n")
                .within(5)
                .leaves(1..=2),
        ]),
        row("a subshell in the background").runs([
            run("( sleep 3@N@ & ); echo now").out("now\n").within(5).leaves(1..=1),
            run("( sleep 3@N@; true ) & echo now").out("now\n").within(5).leaves(1..=2),
        ]),
        row("nohup").runs([run("nohup sleep 3@N@ >/dev/null 2>&1 & echo now")
            .out("now\n")
            .within(5)
            .leaves(0..=1)]),
        row("setsid and disown")
            .bash()
            .then(run("setsid sleep 3@N@ & disown; echo now").out("now\n").within(5).leaves(1..=1))
            .then(alive("sleep 3@N@"))
            .then(Step::Release)
            .then(gone("sleep 3@N@")),
        row("a double fork")
            .then(
                run("(setsid sh -c 'sleep 3@N@ & exit' &) ; echo now")
                    .out("now\n")
                    .within(5)
                    .leaves(0..=3),
            )
            .then(alive("sleep 3@N@"))
            .then(Step::Release)
            .then(gone("sleep 3@N@")),
        row("a pipe in the background")
            .runs([run("sleep 3@N@ | cat & echo now").out("now\n").within(5).leaves(2..=2)]),
        row("a coprocess is left")
            .bash()
            .runs([run("coproc sleep 3@N@; echo now").has("now\n").within(5).leaves(0..=1)]),
        row("exit does not wait")
            .runs([run("sleep 3@N@ & exit 4").code(4).within(5).leaves(1..=1)]),
        row("wait does").runs([
            run("sleep 0.3 & wait; echo waited").out("waited\n"),
            run("(sleep 0.2; exit 7) & wait $!").code(7),
        ]),
        row("what a short background child still prints is not waited for").runs([run(
            "(sleep 4; echo late) & echo now",
        )
        .out("now\n")
        .leaves(1..=2)
        .within(5)]),
        row("all that was printed before the end is there").runs([run(
            "sleep 3@N@ & head -c 300000 /dev/zero | tr '\\0' x",
        )
        .leaves(1..=1)
        .check(|r| {
            if r.output.total_bytes == 300_000 {
                Ok(())
            } else {
                Err(r.output.total_bytes.to_string())
            }
        })]),
        row("a background child that floods the output").runs([
            run("while :; do echo flood flood flood flood@N@; done & sleep 0.2; echo end")
                .has("flood")
                .within(10)
                .leaves(1..=1),
            run("echo next").out("next\n"),
        ]),
        row("separate streams with a background child").runs([run(
            "sleep 3@N@ & echo out; echo err >&2",
        )
        .separate()
        .out("out\n")
        .err("err\n")
        .within(5)
        .leaves(1..=1)]),
    ]
}

fn living_on() -> Vec<Row> {
    vec![
        row("a server that keeps writing does not die of it").then(
            run("sh -c 'i=0; while [ $i -lt 3000 ]; do echo server $i line line line line line line; i=$((i+1)); done; echo done > @DIR@/survived; exec sleep 3@N@' & echo up")
                .has("up").within(5).leaves(1..=2),
        ).runs([
            run("until [ -s @DIR@/survived ]; do sleep 0.05; done; cat @DIR@/survived").out("done\n").within(60),
        ]).then(alive("sleep 3@N@")),
        row("a background child is seen by later commands").runs([
            run("sleep 3@N@ & echo $! > @DIR@/pid").leaves(1..=1),
            run("kill -0 $(cat @DIR@/pid) && echo alive").out("alive\n"),
            run("kill $(cat @DIR@/pid)"),
        ]).then(gone("sleep 3@N@")),
        row("status counts what is left").then(
            run("sleep 3@N@ & true").leaves(1..=1),
        ).then(crate::harness::row::code(|c| async move {
            let status = c.runtime.status(&c.task).await.map_err(|e| e.to_string())?;
            match status {
                Some(s) if s.left_running == 1 => Ok(()),
                other => Err(format!("{other:?}")),
            }
        })),
        row("the timeout of a later command leaves it alone").then(
            run("sleep 3@N@ & true").leaves(1..=1),
        ).runs([run("sleep 4@N@").times_out(1.5).within(10)])
            .then(gone("sleep 4@N@")).then(alive("sleep 3@N@")),
        row("an interrupt leaves it alone").then(
            run("sleep 3@N@ & true").leaves(1..=1),
        ).runs([run("sleep 4@N@").interrupted_after_ms(300).within(10)])
            .then(gone("sleep 4@N@")).then(alive("sleep 3@N@")),
        row("a release ends it whatever it did").then(
            run("setsid sh -c 'trap \"\" TERM HUP; sleep 3@N@; sleep 3@N@' >/dev/null 2>&1 & sleep 0.2; echo up")
                .out("up\n").leaves(0..=2),
        ).then(alive("sleep 3@N@")).then(Step::Release).then(gone("sleep 3@N@")),
        row("a release ends it while a command runs")
            .then(crate::harness::row::code(|c| async move {
                let (runtime, task) = (c.runtime.clone(), c.task.clone());
                let releasing = tokio::spawn(async move {
                    tokio::time::sleep(std::time::Duration::from_millis(600)).await;
                    runtime.release(&task).await
                });
                let result = c.run("sleep 3@N@ & echo up; sleep 4@N@").await?;
                releasing.await.map_err(|e| e.to_string())?.map_err(|e| e.to_string())?;
                let fine = result.returncode() == 130 && result.text() == "up\n";
                if fine { Ok(()) } else { Err(format!("{result:?}")) }
            }))
            .then(gone("3@N@")),
        row("shutdown ends everything").tweak(|_| {}).then(
            run("setsid sleep 3@N@ >/dev/null 2>&1 & sleep 0.1").leaves(0..=1),
        ).then(Step::Restart).then(pause_ms(50)).then(gone("sleep 3@N@")),
    ]
}
