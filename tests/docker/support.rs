//! A hexad in surroundings of its own, and the daemon seen by its own client.

use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use hexad::host::Host;
use hexad::{Config, ExecuteResult, Hexad, Task};
use tempfile::TempDir;

/// Where the daemon listens; none skips the test, which in CI is a failure.
pub(crate) fn daemon() -> Option<String> {
    match std::env::var("HEXAD_TEST_DOCKER") {
        Ok(address) if !address.is_empty() => Some(address),
        _ => {
            let required = std::env::var("CI").is_ok_and(|ci| ci == "true");
            assert!(!required, "HEXAD_TEST_DOCKER is not set: start scripts/services");
            eprintln!("skipped: HEXAD_TEST_DOCKER is not set");
            None
        }
    }
}

/// Surroundings of one test. Whatever containers its state folder had are removed at the end.
pub(crate) struct Here {
    pub(crate) folder: TempDir,
    pub(crate) address: String,
}

impl Here {
    pub(crate) fn new() -> Option<Self> {
        Some(Self { address: daemon()?, folder: tempfile::tempdir().unwrap() })
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn host(&self) -> Host {
        let env = [
            ("PATH", "/usr/sbin:/usr/bin:/sbin:/bin".to_owned()),
            ("HOME", self.path().display().to_string()),
            ("DOCKER_HOST", self.address.clone()),
            ("HEXAD_STATE_DIR", self.path().join("state").display().to_string()),
            ("FORWARDED", "forwarded secret".to_owned()),
        ];
        Host::with_env(env.into_iter().map(|(n, v)| (n.into(), v.into())).collect())
    }

    pub(crate) fn yaml(lines: &[&str]) -> String {
        let mut text = String::from("terminal:\n  backend: docker\n");
        let given = |key: &str| lines.iter().any(|line| line.starts_with(key));
        if !given("docker_image:") {
            text.push_str("  docker_image: hexad-test:bookworm\n");
        }
        if !given("docker_network:") {
            text.push_str("  docker_network: false\n");
        }
        for line in lines {
            text.push_str(&format!("  {line}\n"));
        }
        text
    }

    /// A hexad that keeps states on disk, as the command line does for named tasks.
    pub(crate) async fn hexad(&self, lines: &[&str]) -> Hexad {
        self.hexad_with(lines, |_| {}).await
    }

    pub(crate) async fn hexad_with(
        &self,
        lines: &[&str],
        change: impl FnOnce(&mut Config),
    ) -> Hexad {
        let text = Self::yaml(lines);
        let mut config = Config::parse(&text, "test.yaml", &Default::default(), &[]).unwrap();
        change(&mut config);
        let patience = Some(Duration::from_secs(5));
        Hexad::builder(config).host(self.host()).persist(patience).start().await.unwrap()
    }

    /// Runs the daemon's own client.
    pub(crate) fn docker(&self, arguments: &[&str]) -> String {
        let output = self.try_docker(arguments);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "docker {arguments:?}: {said}");
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }

    fn try_docker(&self, arguments: &[&str]) -> Output {
        Command::new("docker")
            .args(["-H", &self.address])
            .args(arguments)
            .stdin(Stdio::null())
            .output()
            .unwrap()
    }

    /// The containers of a task in these surroundings, also those that do not run.
    pub(crate) fn containers(&self, task: &str) -> Vec<String> {
        let home = self.home_label();
        let listed = self.docker(&[
            "ps",
            "-aq",
            "--no-trunc",
            "--filter",
            &format!("label=hexad.task.id={task}"),
            "--filter",
            &format!("label=hexad.home={home}"),
        ]);
        listed.lines().map(str::to_owned).collect()
    }

    /// All containers whose owner had its state in these surroundings.
    pub(crate) fn all_containers(&self) -> Vec<String> {
        let filter = format!("label=hexad.home={}", self.home_label());
        let listed = self.docker(&["ps", "-aq", "--no-trunc", "--filter", &filter]);
        listed.lines().map(str::to_owned).collect()
    }

    pub(crate) fn container(&self, task: &str) -> String {
        let all = self.containers(task);
        assert_eq!(all.len(), 1, "containers of {task}: {all:?}");
        all[0].clone()
    }

    /// As the product names a state folder in its labels.
    fn home_label(&self) -> String {
        let host = self.host();
        let text = format!("{}:{}", host.name, host.state_folder().display());
        let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        });
        format!("{hash:016x}")
    }

    pub(crate) fn inspect(&self, container: &str, format: &str) -> String {
        self.docker(&["inspect", "--format", format, container])
    }

    /// The command lines in the container's process table, one a line.
    pub(crate) fn processes(&self, container: &str) -> String {
        let script = "for f in /proc/[0-9]*/cmdline; do tr '\\0' ' ' <$f; echo; done 2>/dev/null";
        self.docker(&["exec", container, "sh", "-c", script])
    }

    /// The hexad program in these surroundings.
    pub(crate) fn program(&self, lines: &[&str], arguments: &[&str]) -> Command {
        let config = self.path().join("hexad.yaml");
        std::fs::write(&config, Self::yaml(lines)).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_hexad"));
        command.env_clear().envs(self.host().env).arg("--config").arg(config).args(arguments);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }
}

impl Drop for Here {
    fn drop(&mut self) {
        for container in self.all_containers() {
            self.try_docker(&["rm", "-f", "-v", &container]);
        }
    }
}

/// Runs a command that must give a result.
pub(crate) async fn run(task: &Task, command: &str) -> ExecuteResult {
    task.execute(command).await.unwrap()
}

/// The codes of the notices of a result.
pub(crate) fn codes(result: &ExecuteResult) -> Vec<&str> {
    result.notices.iter().map(|notice| notice.code.as_str()).collect()
}

/// Waits until `condition` holds; fails the test when it takes too long.
pub(crate) async fn eventually(what: &str, mut condition: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(20);
    while !condition() {
        assert!(Instant::now() < deadline, "did not happen: {what}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}
