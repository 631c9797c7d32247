//! Output is bytes, all of them, in order; and of long output the head, the tail and the count.

use hexad::{Event, ExecuteResult};

use crate::harness::row::{Row, row, run};

pub fn rows() -> Vec<Row> {
    let mut rows = exact();
    rows.extend(long());
    rows.extend(streams());
    rows
}

fn exact() -> Vec<Row> {
    vec![
        row("no newline is added").runs([run("printf abc").out("abc"), run("printf ''").out("")]),
        row("newlines at the end are kept").runs([run("printf 'a\\n\\n\\n'").out("a\n\n\n")]),
        row("NUL bytes").runs([
            run("printf 'a\\000b\\000'").out(b"a\0b\0"),
            run("head -c 5 /dev/zero").out(b"\0\0\0\0\0"),
        ]),
        row("bytes that are not UTF-8")
            .runs([run("printf '\\377\\376\\200ok\\303'").out(b"\xff\xfe\x80ok\xc3").streamed()]),
        row("all 256 bytes").runs([run(
            "i=0; while [ $i -lt 256 ]; do printf \"\\\\$(printf %03o $i)\"; i=$((i+1)); done",
        )
        .out((0..=255).collect::<Vec<u8>>())]),
        row("carriage returns and escape sequences").runs([
            run("printf 'a\\r\\nb\\r'").out("a\r\nb\r"),
            run("printf '\\033[31mred\\033[0m\\033]0;t\\007'")
                .out("\x1b[31mred\x1b[0m\x1b]0;t\x07"),
        ]),
        row("an exclamation mark").runs([
            run("printf %s 'a!b'").out("a!b"),
            run("printf %s \"a!b !! !x\"").out("a!b !! !x"),
        ]),
        row("backslashes").runs([run("printf '%s' 'a\\b\\\\c'").out("a\\b\\\\c")]),
        row("the command's own bytes").bash().runs([
            run(b"printf %s '\xff\x80 \xc3\xa9 \t\x01\x7f'").out(b"\xff\x80 \xc3\xa9 \t\x01\x7f"),
            run("printf %s 'a\r\nb'").out("a\r\nb"),
        ]),
        row("a mark of the runtime's kind in the output")
            .runs([run("printf '\\000deadbeef:F0\\000x\\000deadbeef;'")
                .out(b"\0deadbeef:F0\0x\0deadbeef;")]),
        row("stdout and stderr in order")
            .runs([run("for i in 1 2 3 4 5; do echo o$i; echo e$i >&2; done")
                .out("o1\ne1\no2\ne2\no3\ne3\no4\ne4\no5\ne5\n")]),
        row("commands that print nothing end at once")
            .runs([run("true").out("").within(5), run("grep -q zzz /etc/passwd").out("").code(1)]),
        row("a large heredoc").runs([run(format!(
            "cat <<'E' | wc -c\n{}\nE",
            "x".repeat(200_000)
        ))
        .check(|r| expect_trimmed(r, "200001"))]),
        row("a heredoc in a substitution").runs([run(format!(
            "echo \"$(cat <<'E'\n{}\nE\n)\" | wc -c",
            "y".repeat(5000)
        ))
        .check(|r| expect_trimmed(r, "5001"))]),
        row("process substitution").bash().runs([
            run("cat <(echo a) <(echo b); echo c > >(cat); wait; sleep 0.1").has("a\nb\n"),
            run("diff <(echo 1) <(echo 2)").code(1).has("< 1"),
        ]),
    ]
}

fn long() -> Vec<Row> {
    vec![
        row("long output keeps head and tail and says how much there was").runs([run(
            "i=0; while [ $i -lt 2000 ]; do printf '%099d\\n' $i; i=$((i+1)); done; echo ERR",
        )
        .check(|r| {
            let c = &r.output;
            let fine = c.total_bytes == 200_004
                && c.head.len() == 20_000
                && c.tail.len() == 30_000
                && c.omitted_bytes() == 150_004
                && c.tail.ends_with(b"ERR\n")
                && r.text().contains("150004 of 200004 bytes left out");
            if fine { Ok(()) } else { Err(counts(r)) }
        })
        .streamed()]),
        row("characters are not cut where the middle is left out").runs([run(
            "s=你; for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do s=$s$s; done; printf 'a%s' \"$s\"",
        )
        .check(|r| {
            let whole = |b: &[u8]| std::str::from_utf8(b).is_ok();
            let c = &r.output;
            let fine = c.total_bytes == 3 * 32_768 + 1 && whole(&c.head) && whole(&c.tail);
            if fine { Ok(()) } else { Err(counts(r)) }
        })]),
        row("characters are not cut between chunks").runs([run(
            "s=€; for i in 1 2 3 4 5 6 7 8 9 10 11 12 13; do s=$s$s; done; printf 'a%s' \"$s\"",
        )
        .events(|events| {
            for event in events {
                let Event::Output { data, seq, .. } = event else { continue };
                if std::str::from_utf8(data.as_bytes()).is_err() {
                    return Err(format!("chunk {seq} cuts a character"));
                }
            }
            Ok(())
        })]),
        row("one line of 6 MB").runs([run("head -c 6000000 /dev/zero | tr '\\0' x; printf END")
            .streamed()
            .check(|r| {
                let c = &r.output;
                if c.total_bytes == 6_000_003 && c.tail.ends_with(b"xEND") {
                    Ok(())
                } else {
                    Err(counts(r))
                }
            })]),
        row("exactly the limit is all of it").runs([
            run("head -c 50000 /dev/zero | tr '\\0' x").check(|r| {
                let fine = r.output.head.len() == 50_000 && r.output.omitted_bytes() == 0;
                if fine { Ok(()) } else { Err(counts(r)) }
            }),
            run("head -c 50001 /dev/zero | tr '\\0' x").check(|r| {
                if r.output.omitted_bytes() == 1 { Ok(()) } else { Err(counts(r)) }
            }),
        ]),
        row("a hundred thousand short writes").runs([run(
            "i=0; while [ $i -lt 30000 ]; do echo $i; i=$((i+1)); done",
        )
        .streamed()
        .check(|r| {
            if r.output.total_bytes == 168_890 && r.output.tail.ends_with(b"\n29999\n") {
                Ok(())
            } else {
                Err(counts(r))
            }
        })]),
        row("a small limit").tweak(|s| s.output_limit = 10).runs([run("echo 0123456789abcdef").check(
            |r| {
                let c = &r.output;
                if c.head == b"0123" && c.tail == b"bcdef\n" { Ok(()) } else { Err(counts(r)) }
            },
        )]),
    ]
}

fn streams() -> Vec<Row> {
    vec![
        row("separate streams").runs([
            run("echo out; echo err >&2; exit 7").separate().out("out\n").err("err\n").code(7),
            run("printf '\\000\\377' >&2").separate().out("").err(b"\0\xff").streamed(),
            run("echo merged; echo both >&2").out("merged\nboth\n"),
        ]),
        row("separate streams keep state and error words").runs([
            run("X=1; cd @DIR@; no-such-@N@").separate().code(127).out("").cwd("@DIR@"),
            run("echo $X; pwd").out("1\n@DIR@\n"),
        ]),
        row("separate streams with a trap and a trace").bash().runs([
            run("trap 'echo bye; echo ebye >&2' EXIT; echo a")
                .separate()
                .out("a\nbye\n")
                .err("ebye\n"),
            run("set -x; : a").separate().out("").check(|r| {
                let err = r.stderr.as_ref().map(hexad::Captured::text).unwrap_or_default();
                if err.ends_with("+ : a\n") && !err.contains("hx_") { Ok(()) } else { Err(err) }
            }),
            run("echo 'open").separate().code(2).out(""),
        ]),
        row("separate streams, both long").runs([run(
            "i=0; while [ $i -lt 3000 ]; do echo out$i; echo err$i >&2; i=$((i+1)); done",
        )
        .separate()
        .streamed()
        .check(|r| {
            let err = r.stderr.as_ref().map_or(0, |c| c.total_bytes);
            if r.output.total_bytes == err && err == 22_890 { Ok(()) } else { Err(counts(r)) }
        })]),
        row("chunks come while the command runs").runs([run("echo first; sleep 0.7; echo second")
            .streamed()
            .events(|events| {
                let chunks = events.iter().filter(|e| matches!(e, Event::Output { .. })).count();
                let begun = events.iter().any(|e| matches!(e, Event::Started { .. }));
                if chunks >= 2 && begun { Ok(()) } else { Err(format!("{events:?}")) }
            })]),
        row("signs of life")
            .tweak(|s| s.progress_interval = std::time::Duration::from_millis(100))
            .runs([run("echo working; sleep 0.8").events(|events| {
                let lines: Vec<_> = events
                    .iter()
                    .filter_map(|e| match e {
                        Event::Progress { last_line, bytes, .. } => Some((last_line, *bytes)),
                        _ => None,
                    })
                    .collect();
                if lines.len() >= 3 && lines.iter().any(|l| l.0 == "working" && l.1 == 8) {
                    Ok(())
                } else {
                    Err(format!("{lines:?}"))
                }
            })]),
    ]
}

fn counts(result: &ExecuteResult) -> String {
    let c = &result.output;
    format!("head {}, tail {}, of {}", c.head.len(), c.tail.len(), c.total_bytes)
}

fn expect_trimmed(result: &ExecuteResult, wanted: &str) -> Result<(), String> {
    if result.text().trim() == wanted { Ok(()) } else { Err(result.text()) }
}
