//! Forks, repeated ids, the queue, and requests that are refused.

use std::time::Duration;

use hexad::{Event, Execute};

use crate::harness::row::{Need, Row, Step, code, gone, row, run};

pub fn rows() -> Vec<Row> {
    let mut rows = forks();
    rows.extend(ids());
    rows.extend(queue());
    rows.extend(refused());
    rows.extend(sizes());
    rows
}

fn forks() -> Vec<Row> {
    vec![
        row("a fork sees the state and changes nothing").runs([
            run("cd @DIR@; X=1"),
            run("pwd; echo $X; X=2; cd /").fork().out("@DIR@\n1\n").cwd("@DIR@"),
            run("echo $X; pwd").out("1\n@DIR@\n"),
        ]),
        row("a fork does not wait")
            .together([
                run("sleep 1; echo slow > @DIR@/slow"),
                run("ls @DIR@").fork().after_ms(200).out(""),
            ])
            .runs([run("cat @DIR@/slow").out("slow\n")]),
        row("forks run side by side").together([
            run("sleep 0.6; echo a").fork().out("a\n"),
            run("sleep 0.6; echo b").fork().out("b\n"),
            run("sleep 0.6; echo c").fork().out("c\n"),
        ]),
        row("a fork as the first message").runs([
            run("X=1; echo fork").fork().out("fork\n"),
            run("echo ${X-unset}").out("unset\n"),
        ]),
        row("a fork does not change $?").runs([
            run("(exit 3)").code(3),
            run("echo $?; exit 5").fork().code(5).out("3\n"),
            run("echo $?").out("3\n"),
        ]),
        row("a fork that times out leaves the queue alone")
            .need(Need::ProcTable)
            .together([
                run("sleep 4; echo whole").out("whole\n"),
                // Time enough to start a shell anywhere.
                run("sleep 3@N@").fork().after_ms(100).times_out(3.0),
            ])
            .then(gone("sleep 3@N@")),
    ]
}

fn ids() -> Vec<Row> {
    vec![
        row("a repeated id gets the same answer").runs([
            run("echo x >> @DIR@/f; wc -l < @DIR@/f | tr -d ' '; exit 3")
                .id("a")
                .code(3)
                .out("1\n"),
            run("echo x >> @DIR@/f; wc -l < @DIR@/f | tr -d ' '; exit 3")
                .id("a")
                .code(3)
                .out("1\n")
                .repeated(),
            run("wc -l < @DIR@/f | tr -d ' '").out("1\n"),
        ]),
        row("a repeated id at the same time")
            .together([
                run("echo x >> @DIR@/f; sleep 0.4; echo done")
                    .id("b")
                    .out("done\n")
                    .perhaps_repeated(),
                run("echo x >> @DIR@/f; sleep 0.4; echo done")
                    .id("b")
                    .out("done\n")
                    .perhaps_repeated(),
                run("echo x >> @DIR@/f; sleep 0.4; echo done")
                    .id("b")
                    .out("done\n")
                    .perhaps_repeated(),
            ])
            .runs([run("wc -l < @DIR@/f | tr -d ' '").out("1\n")]),
        row("a repeated id while the first waits")
            .together([
                run("sleep 0.5").id("first"),
                run("echo x >> @DIR@/f; echo ok")
                    .id("second")
                    .after_ms(100)
                    .out("ok\n")
                    .perhaps_repeated(),
                run("echo x >> @DIR@/f; echo ok")
                    .id("second")
                    .after_ms(200)
                    .out("ok\n")
                    .perhaps_repeated(),
            ])
            .runs([run("wc -l < @DIR@/f | tr -d ' '").out("1\n")]),
        row("the same id in two tasks is two requests").runs([
            run("echo x >> @DIR@/f").id("c"),
            run("echo x >> @DIR@/f; wc -l < @DIR@/f | tr -d ' '").id("c").task("-other").out("2\n"),
        ]),
        row("a repeated id that is watched")
            .together([
                run("echo a; sleep 0.5; echo b")
                    .id("d")
                    .out("a\nb\n")
                    .perhaps_repeated()
                    .streamed(),
                run("echo a; sleep 0.5; echo b")
                    .id("d")
                    .after_ms(250)
                    .out("a\nb\n")
                    .perhaps_repeated(),
            ])
            .runs([run("").id("d").out("a\nb\n").repeated()]),
        row("two first messages at the same moment make one environment")
            .together([
                run("echo one").out("one\n"),
                run("echo two").out("two\n"),
                run("echo three").fork().out("three\n"),
            ])
            .then(code(|c| async move {
                let list = c.runtime.list().await.map_err(|e| e.to_string())?;
                let count = list.iter().filter(|s| s.task == c.task).count();
                if count == 1 { Ok(()) } else { Err(format!("{count} environments")) }
            })),
    ]
}

fn queue() -> Vec<Row> {
    vec![
        row("commands of one task run one after the other, in order")
            .together([
                run("sleep 0.4; echo 1 >> @DIR@/f"),
                run("echo 2 >> @DIR@/f").after_ms(100),
                run("echo 3 >> @DIR@/f").after_ms(150),
            ])
            .runs([run("cat @DIR@/f").out("1\n2\n3\n")]),
        row("overlapping commands lose no state")
            .together([
                run("export A=1; sleep 0.3"),
                run("export B=1").after_ms(50),
                run("export C=1").after_ms(60),
            ])
            .runs([run("echo $A$B$C").out("111\n")]),
        row("other tasks do not wait").together([
            run("sleep 1.5; echo slow").out("slow\n"),
            run("echo quick").task("-other").after_ms(100).out("quick\n").within(1),
        ]),
        row("a waiting request is told its place").together([
            run("sleep 0.5"),
            run("true").after_ms(100).events(|events| match events.first() {
                Some(Event::Queued { position: 1 }) => Ok(()),
                other => Err(format!("{other:?}")),
            }),
        ]),
        row("a full queue says busy")
            .tweak(|s| s.queue_limit = 2)
            .runs([run("true")])
            .together([
                run("sleep 1"),
                run("echo a").after_ms(200).out("a\n"),
                run("echo b").after_ms(250).out("b\n"),
                run("touch @DIR@/c").after_ms(350).refused("busy"),
            ])
            .runs([run("ls @DIR@").out("")]),
        row("a request whose caller is gone before it begins does not begin").then(code(
            |c| async move {
                c.run("true").await?;
                let (runtime, task) = (c.runtime.clone(), c.task.clone());
                let first =
                    tokio::spawn(
                        async move { runtime.execute(&task, Execute::new("sleep 0.8")).await },
                    );
                tokio::time::sleep(Duration::from_millis(200)).await;
                let given_up =
                    tokio::time::timeout(Duration::from_millis(200), c.run("touch @DIR@/ran"))
                        .await;
                let _ = first.await;
                let left = c.run("ls @DIR@").await?;
                if given_up.is_err() && left.text().is_empty() { Ok(()) } else { Err(left.text()) }
            },
        )),
        row("status while a command runs").then(code(|c| async move {
            c.run("cd @DIR@").await?;
            let (runtime, task) = (c.runtime.clone(), c.task.clone());
            let first = tokio::spawn(async move {
                runtime.execute(&task, Execute::new("sleep 0.6\n#second line").id("named")).await
            });
            tokio::time::sleep(Duration::from_millis(200)).await;
            let status = c.runtime.status(&c.task).await.map_err(|e| e.to_string())?;
            let _ = first.await;
            let Some(status) = status else { return Err("no status".into()) };
            let running = status.running.as_ref();
            let fine = status.phase == "busy"
                && running
                    .is_some_and(|r| r.command == "sleep 0.6" && r.id.as_deref() == Some("named"))
                && status.cwd == Some(c.text("@DIR@"));
            if fine { Ok(()) } else { Err(format!("{status:?}")) }
        })),
        row("a released task is not in the list").then(run("true")).then(Step::Release).then(code(
            |c| async move {
                for _ in 0..50 {
                    let list = c.runtime.list().await.map_err(|e| e.to_string())?;
                    if !list.iter().any(|s| s.task == c.task) {
                        return Ok(());
                    }
                    tokio::time::sleep(Duration::from_millis(20)).await;
                }
                Err("it is still there".into())
            },
        )),
        row("the state can be asked for").bash().runs([run("cd @DIR@; asked=1; f() { :; }")]).then(
            code(|c| async move {
                let state = c.runtime.state(&c.task).await.map_err(|e| e.to_string())?;
                let Some(state) = state else { return Err("no state".into()) };
                let value = state.variable("asked").and_then(|v| v.scalar());
                let fine = state.cwd == c.fill(b"@DIR@") && value.as_deref() == Some(b"1");
                if fine { Ok(()) } else { Err(format!("{:?}", state.cwd_text())) }
            }),
        ),
    ]
}

fn refused() -> Vec<Row> {
    vec![
        row("a NUL in the command")
            .runs([run(b"echo a\0b").refused("invalid_request"), run("echo fine").out("fine\n")]),
        row("a limit over the largest").runs([
            run("true").timeout(100_000.0).refused("invalid_request"),
            run("true").timeout(600.0),
        ]),
        row("names of variables that are none").runs([
            run("true").env("A-B", "1").refused("invalid_request"),
            run("true").env("", "1").refused("invalid_request"),
            run("true").env("1A", "1").refused("invalid_request"),
            run("true").env("A=B", "1").refused("invalid_request"),
            run("true").env("A\n", "1").refused("invalid_request"),
            run("true").env("HEXAD_MARK", "1").refused("invalid_request"),
            run("true").env("OK", b"nul\0").refused("invalid_request"),
        ]),
        row("task ids that are none").runs([
            run("true").task(" space").refused("invalid_request"),
            run("true").task("/../x").refused("invalid_request"),
            run("true").task("\n").refused("invalid_request"),
            run("true").task("ü").refused("invalid_request"),
            run("echo ok").task("/a.b_c:d@e").out("ok\n"),
        ]),
        row("a directory with a NUL").runs([run("pwd").at("/tmp\0x").refused("invalid_request")]),
        row("an id that is too long").then(code(|c| async move {
            let long = "i".repeat(513);
            match c.run(Execute::new("true").id(long)).await {
                Err(text) if text.contains("512") => Ok(()),
                other => Err(format!("{other:?}")),
            }
        })),
    ]
}

fn sizes() -> Vec<Row> {
    vec![
        row("a command of 200 KiB").runs([
            run(format!("X='{}'; echo ${{#X}}", "z".repeat(200 << 10))).out("204800\n"),
        ]),
        row("a command of 8 MiB").bash().runs([
            run(format!(": '{}'; echo done", "z".repeat(8 << 20))).out("done\n"),
            run("echo next").out("next\n"),
        ]),
        row("a command of two thousand lines").runs([
            run(format!("{}echo done", "X=$((X+1))\n".repeat(2000))).out("done\n"),
            run("echo $X").out("2000\n"),
        ]),
        // A POSIX sh reads its command line by line and takes long for that.
        row("a command of fifty thousand lines").bash().runs([
            run(format!("{}echo done", "X=$((X+1))\n".repeat(50_000))).out("done\n"),
            run("echo $X").out("50000\n"),
        ]),
        row("a command of many bytes that are not ASCII").bash().runs([
            run(format!("X='{}'; echo ${{#X}}", "ü€".repeat(20_000))).out("40000\n"),
        ]),
        row("the command is in no command line").need(Need::ProcTable).runs([
            run("secret='s3cr3t@N@'; cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\000' '\\n' > @DIR@/all; case $(cat @DIR@/all) in *\"$secret\"*) echo seen;; *) echo hidden;; esac")
                .stdin("input@N@").out("hidden\n"),
        ]),
        row("values of requests are in no command line").need(Need::ProcTable).runs([
            run("list=$(cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\000' '\\n'); case $list in *value@N@*) echo seen;; *) echo hidden;; esac")
                .env("GIVEN", "value@N@").out("hidden\n"),
        ]),
        row("the state is in no command line and no environment of others").need(Need::ProcTable).runs([
            run("PLAIN=kept@N@; export OUT=exported@N@"),
            run("list=$(cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\000' '\\n'); case $list in *kept@N@*|*exported@N@*) echo seen;; *) echo hidden;; esac")
                .out("hidden\n"),
        ]),
        row("a hundred commands in a row").then(code(|c| async move {
            for round in 0..100 {
                let result = c.run("N=$((N+1)); echo 1 && echo 2; echo $N").await?;
                let wanted = format!("1\n2\n{}\n", round + 1);
                if result.text() != wanted {
                    return Err(format!("round {round}: {:?}", result.text()));
                }
            }
            Ok(())
        })),
    ]
}
