//! With a state folder, a task goes on after a restart where it was.

use std::os::unix::fs::PermissionsExt as _;

use crate::harness::row::{Need, Row, Step, code, gone, row, run};

pub fn rows() -> Vec<Row> {
    vec![
        row("the state survives a restart").bash().persist().runs([
            run("cd @DIR@; export X=1; f() { echo f; }; alias g='echo g'; set -o pipefail; umask 027; a=(1 $'\\xff'); false").code(1),
        ]).then(Step::Restart).runs([
            run("echo $? $X ${#a[@]}; pwd; f; g; umask; false | true").code(1).out("1 1 2\n@DIR@\nf\ng\n0027\n"),
        ]),
        row("the state of a POSIX sh survives a restart").persist().runs([
            run("cd @DIR@; export X='a b'; Y=2"),
        ]).then(Step::Restart).runs([run("echo \"$X $Y\"; pwd").out("a b 2\n@DIR@\n")]),
        row("a released task is forgotten on disk").persist().runs([run("X=1")]).then(Step::Release)
            .then(Step::Restart).runs([run("echo ${X-none}").out("none\n")]),
        row("a directory that went away during a restart").persist().runs([
            run("mkdir @DIR@/a; cd @DIR@/a; X=1"),
            run("rmdir @DIR@/a").task("-other"),
        ]).then(Step::Restart).runs([run("pwd; echo $X").out("@DIR@\n1\n").notice("cwd_gone")]),
        row("children end with the runtime").need(Need::ProcTable).persist().runs([
            run("setsid sleep 3@N@ >/dev/null 2>&1 & X=1; sleep 0.1").leaves(0..=1),
        ]).then(Step::Restart).then(gone("sleep 3@N@")).runs([run("echo $X").out("1\n")]),
        row("the state on disk is for its owner alone").need(Need::SharedFiles).persist().runs([
            run("export SECRET=hidden"),
        ]).then(Step::Restart).then(code(|c| async move {
            let file = c.folder.join("state/tasks").join(format!("_{}", c.task)).join("state.json");
            let mode = std::fs::metadata(&file).map_err(|e| e.to_string())?.permissions().mode();
            if mode & 0o777 == 0o600 { Ok(()) } else { Err(format!("{mode:o}")) }
        })),
        row("a damaged state on disk is said and not used").need(Need::SharedFiles).persist().runs([
            run("X=1"),
        ]).then(Step::Restart).then(code(|c| async move {
            let file = c.folder.join("state/tasks").join(format!("_{}", c.task)).join("state.json");
            std::fs::write(&file, b"{\"cwd\": ").map_err(|e| e.to_string())
        })).runs([run("echo ${X-none}").out("none\n").notice("state_unreadable")]),
        row("without a state folder nothing survives").tweak(|_| {}).runs([run("X=1")])
            .then(Step::Restart).runs([run("echo ${X-none}").out("none\n")]),
        row("without spares everything is the same").tweak(|s| s.spares = 0).runs([
            run("cd @DIR@; X=1; f() { echo f; }"),
            run("echo $X; f; pwd").out("1\nf\n@DIR@\n"),
        ]).bash(),
        row("a spare that is too old is replaced").tweak(|s| s.spare_lifetime = std::time::Duration::from_millis(50))
            .runs([run("X=1")]).then(crate::harness::row::pause_ms(300)).runs([run("echo $X").out("1\n")]),
        row("a spare that was killed is replaced").need(Need::ProcTable).tweak(|_| {}).runs([
            run("X=1; echo $$ > @DIR@/me"),
        ]).then(crate::harness::row::pause_ms(300)).runs([
            // Every shell of this runtime but its own: the waiting ones, too.
            run("for p in $(cat /proc/[0-9]*/stat 2>/dev/null | cut -d' ' -f1); do [ $p != $$ ] && grep -q \"HEXAD_MARK=${HEXAD_MARK%.*.*}\" /proc/$p/environ 2>/dev/null && echo $p; done > @DIR@/all; true").task("-other"),
            run("for p in $(cat @DIR@/all); do kill -9 $p 2>/dev/null; done; true").task("-other").any_code(),
        ]).then(crate::harness::row::pause_ms(100)).runs([run("echo $X").out("1\n")]),
    ]
}
