//! What a command sees of the environment that the program was started with.

use std::time::Duration;

use crate::harness::row::{Row, code, gone, pause_ms, row, run};

pub fn rows() -> Vec<Row> {
    vec![
        row("keys of the agent's services are absent")
            .host_env("OPENAI_API_KEY", "canary-1")
            .host_env("ANTHROPIC_API_KEY", "canary-2")
            .host_env("OPENROUTER_API_KEY", "canary-3")
            .host_env("TELEGRAM_BOT_TOKEN", "canary-4")
            .runs([run("env; set; export -p").lacks("canary")]),
        row("names that read like credentials are absent")
            .host_env("FOO_API_KEY", "canary-1")
            .host_env("MY_SERVICE_TOKEN", "canary-2")
            .host_env("DB_PASSWORD", "canary-3")
            .host_env("RELAY_X_SECRET", "canary-4")
            .runs([
                run("env").lacks("canary"),
                run("cat /proc/$$/environ | tr '\\000' '\\n'").lacks("canary"),
            ]),
        row("the passthrough list lets a name through")
            .host_env("FOO_API_KEY", "wanted")
            .host_env("BAR_API_KEY", "canary")
            .config("env_passthrough: [FOO_API_KEY]")
            .runs([run("echo $FOO_API_KEY; env").has("wanted\n").lacks("canary")]),
        row("the passthrough list does not let a provider's key through")
            .host_env("OPENAI_API_KEY", "canary")
            .config("env_passthrough: [OPENAI_API_KEY]")
            .runs([run("env").lacks("canary").notice("environment")]),
        row("a forced variable goes through without its prefix")
            .host_env("_HEXAD_FORCE_OPENAI_API_KEY", "forced")
            .runs([run("echo $OPENAI_API_KEY; env | grep -c FORCE").code(1).out("forced\n0\n")]),
        row("configured variables go through")
            .config("env: {OWN_SETTING: \"a b\", FOO_API_KEY: given}")
            .host_env("FOO_API_KEY", "canary")
            .runs([run("echo \"$OWN_SETTING $FOO_API_KEY\"").out("a b given\n")]),
        row("defaults for programs that would ask")
            .host_env("HARMLESS", "1")
            .runs([
                run("echo $PAGER $GIT_PAGER $MANPAGER $GIT_TERMINAL_PROMPT $DEBIAN_FRONTEND $TERM $HARMLESS")
                    .out("cat cat cat 0 noninteractive dumb 1\n"),
            ]),
        row("a default that the host sets wins")
            .host_env("PAGER", "less")
            .host_env("TERM", "xterm-256color")
            .runs([run("echo $PAGER $TERM").out("less dumb\n")]),
        row("cloud credentials of the user's own tools stay")
            .host_env("AWS_PROFILE", "prod")
            .host_env("AWS_ACCESS_KEY_ID", "kept")
            .host_env("AWS_SECRET_ACCESS_KEY", "kept2")
            .runs([run("echo $AWS_PROFILE $AWS_ACCESS_KEY_ID $AWS_SECRET_ACCESS_KEY").out("prod kept kept2\n")]),
        row("markers of the program's own environment are absent")
            .host_env("VIRTUAL_ENV", "/opt/agent/venv")
            .host_env("CONDA_PREFIX", "/opt/conda")
            .host_env("HEXAD_CONFIG", "/etc/hexad.yaml")
            .runs([run("echo ${VIRTUAL_ENV-no} ${CONDA_PREFIX-no} ${HEXAD_CONFIG-no} ${HEXAD_STATE_DIR-no}").out("no no no no\n")]),
        row("variables that poison a shell are absent")
            .host_env("BASH_ENV", "/tmp/evil")
            .host_env("SHELLOPTS", "xtrace")
            .host_env("POSIXLY_CORRECT", "1")
            .host_env("PS4", "evil ")
            .host_env("BASH_XTRACEFD", "1")
            .runs([run("echo ${BASH_ENV-no} ${POSIXLY_CORRECT-no} ${BASH_XTRACEFD-no}; env | grep -c SHELLOPTS").code(1).out("no no no\n0\n")]),
        row("PATH is completed")
            .host_env("PATH", "/opt/only:/usr/bin:/bin")
            .runs([run("echo $PATH").has("/opt/only:").has("/usr/local/bin").has("/usr/sbin")]),
        row("odd variables of the host do no harm")
            .host_env("WITH SPACE", "1")
            .host_env("A.DOT", "2")
            .host_env("BASH_FUNC_ml%%", "() { echo \"it's\"; }")
            .runs([run("echo fine").out("fine\n"), run("echo still").out("still\n")]),
        row("an exported function of the host arrives").bash()
            .host_env("BASH_FUNC_ml%%", "() { echo \"it's\"; }")
            .runs([run("ml").out("it's\n"), run("ml").out("it's\n")]),
        row("the mark of an outer runtime stays in front")
            .host_env("HEXAD_MARK", "outer.env.run")
            .runs([run("echo \"${HEXAD_MARK%%:*}\"").out("outer.env.run\n")]),
        row("a profile cannot bring a provider's key in")
            .home(".profile", "export OPENAI_API_KEY=canary\n")
            .host_env("HARMLESS", "1")
            .runs([run("env").lacks("canary")]),
        row("an idle environment is retired and its state is not lost")
            .tweak(|s| {
                s.idle_lifetime = Duration::from_millis(300);
                s.janitor_interval = Duration::from_millis(100);
            })
            .runs([run("cd @DIR@; export X=1")])
            .then(code(|c| async move { retired(&c, true).await }))
            .runs([run("echo $X; pwd").out("1\n@DIR@\n")]),
        row("a busy environment is not retired")
            .tweak(|s| {
                s.idle_lifetime = Duration::from_millis(200);
                s.janitor_interval = Duration::from_millis(50);
            })
            .runs([run("sleep 1.2; echo whole").out("whole\n")]),
        row("an environment with a live child is not retired")
            .need(crate::harness::row::Need::ProcTable)
            .tweak(|s| {
                s.idle_lifetime = Duration::from_millis(200);
                s.janitor_interval = Duration::from_millis(50);
            })
            .runs([run("sleep 3@N@ & echo $! > @DIR@/pid").leaves(1..=1)])
            .then(pause_ms(900))
            .then(code(|c| async move { retired(&c, false).await }))
            .runs([run("kill $(cat @DIR@/pid)")])
            .then(code(|c| async move { retired(&c, true).await }))
            .then(gone("sleep 3@N@")),
        row("an environment with no lifetime stays")
            .tweak(|s| {
                s.idle_lifetime = Duration::ZERO;
                s.janitor_interval = Duration::from_millis(50);
            })
            .runs([run("true")])
            .then(pause_ms(500))
            .then(code(|c| async move { retired(&c, false).await })),
    ]
}

/// Whether the task's environment is gone from the list, after a while or now.
async fn retired(context: &crate::harness::Context, wanted: bool) -> Result<(), String> {
    for _ in 0..60 {
        let list = context.runtime.list().await.map_err(|e| e.to_string())?;
        let there = list.iter().any(|s| s.task == context.task);
        if there != wanted {
            return Ok(());
        }
        if !wanted {
            return Err("it was retired".into());
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    Err("it was not retired".into())
}
