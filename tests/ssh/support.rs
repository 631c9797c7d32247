//! A hexad in surroundings of its own, servers of a test's own, and the host seen by another eye:
//! the host is this machine, so its process table is ours.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use hexad::host::Host;
use hexad::{Config, ExecuteResult, Hexad, Task};
use tempfile::TempDir;

/// The folder of the servers; none skips the test, which in CI is a failure.
pub(crate) fn services() -> Option<PathBuf> {
    match std::env::var("HEXAD_TEST_SSH") {
        Ok(folder) if !folder.is_empty() => Some(folder.into()),
        _ => {
            let required = std::env::var("CI").is_ok_and(|ci| ci == "true");
            assert!(!required, "HEXAD_TEST_SSH is not set: start scripts/services");
            eprintln!("skipped: HEXAD_TEST_SSH is not set");
            None
        }
    }
}

/// Surroundings of one test.
pub(crate) struct Here {
    pub(crate) folder: TempDir,
    pub(crate) services: PathBuf,
    /// Beside the usual variables.
    pub(crate) env: Vec<(&'static str, String)>,
}

impl Here {
    pub(crate) fn new() -> Option<Self> {
        let services = services()?;
        Some(Self { services, folder: tempfile::tempdir().unwrap(), env: Vec::new() })
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn port(&self) -> u16 {
        self.number("port")
    }

    pub(crate) fn number(&self, file: &str) -> u16 {
        std::fs::read_to_string(self.services.join(file)).unwrap().trim().parse().unwrap()
    }

    pub(crate) fn key(&self) -> PathBuf {
        self.services.join("id_ed25519")
    }

    pub(crate) fn host(&self) -> Host {
        let mut env = vec![
            ("PATH", "/usr/sbin:/usr/bin:/sbin:/bin".to_owned()),
            ("HOME", self.path().display().to_string()),
            ("HEXAD_STATE_DIR", self.path().join("state").display().to_string()),
        ];
        env.extend(self.env.iter().cloned());
        Host::with_env(env.into_iter().map(|(n, v)| (n.into(), v.into())).collect())
    }

    /// The configuration: what `lines` does not say is that of the ordinary user.
    pub(crate) fn yaml(&self, port: u16, lines: &[&str]) -> String {
        let mut text = String::from("terminal:\n  backend: ssh\n");
        let usual = [
            ("ssh_host", "127.0.0.1".to_owned()),
            ("ssh_user", "hexad-plain".to_owned()),
            ("ssh_port", port.to_string()),
            ("ssh_key", self.key().display().to_string()),
            ("ssh_known_hosts", self.path().join("known_hosts").display().to_string()),
        ];
        for (key, value) in usual {
            // `key:` alone leaves it out.
            if !lines.iter().any(|line| line.starts_with(&format!("{key}:"))) {
                text.push_str(&format!("  {key}: {value}\n"));
            }
        }
        for line in lines.iter().filter(|line| !line.ends_with(':')) {
            text.push_str(&format!("  {line}\n"));
        }
        text
    }

    pub(crate) async fn hexad(&self, port: u16, lines: &[&str]) -> Hexad {
        let text = self.yaml(port, lines);
        let config = Config::parse(&text, "test.yaml", &Default::default(), &[]).unwrap();
        Hexad::builder(config).host(self.host()).start().await.unwrap()
    }

    /// The hexad program in these surroundings.
    pub(crate) fn program(&self, port: u16, arguments: &[&str]) -> Command {
        let config = self.path().join("hexad.yaml");
        std::fs::write(&config, self.yaml(port, &[])).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_hexad"));
        command.env_clear().envs(self.host().env).arg("--config").arg(config).args(arguments);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Runs a program that must succeed.
    pub(crate) fn run(program: &str, arguments: &[&str]) -> String {
        let output = Command::new(program).args(arguments).stdin(Stdio::null()).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{program} {arguments:?}: {said}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }
}

/// An OpenSSH server of one test, on a port of its own; ended with it.
pub(crate) struct Server {
    child: Child,
    pub(crate) port: u16,
    config: PathBuf,
}

impl Server {
    /// Starts one with the ordinary users and further lines of configuration.
    pub(crate) fn start(here: &Here, lines: &[&str]) -> Self {
        let port = free_port();
        let config = here.path().join(format!("sshd-{port}.conf"));
        let mut text = format!(
            "ListenAddress 127.0.0.1:{port}\nPidFile none\nUsePAM no\nStrictModes no\n\
             KbdInteractiveAuthentication no\n"
        );
        if !lines.iter().any(|line| line.starts_with("HostKey ")) {
            text.push_str(&format!("HostKey {}\n", here.services.join("host_key").display()));
        }
        for line in lines {
            text.push_str(line);
            text.push('\n');
        }
        std::fs::write(&config, text).unwrap();
        Self { child: Self::spawn(&config, port), port, config }
    }

    fn spawn(config: &Path, port: u16) -> Child {
        let log = config.with_extension("log");
        let child = Command::new("/usr/sbin/sshd")
            .args(["-D", "-f", config.to_str().unwrap(), "-E", log.to_str().unwrap()])
            .stdin(Stdio::null())
            .spawn()
            .unwrap();
        let until = Instant::now() + Duration::from_secs(20);
        while std::net::TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(Instant::now() < until, "sshd: {:?}", std::fs::read_to_string(&log));
            std::thread::sleep(Duration::from_millis(20));
        }
        child
    }

    /// Ends the server and every connection that it serves.
    pub(crate) fn kill(&mut self) {
        // Those that serve a connection are its children, and one further down.
        let own = self.child.id().to_string();
        let mut all = vec![own];
        let mut at = 0;
        while at < all.len() {
            let found = Command::new("pgrep").args(["-P", &all[at]]).output().unwrap();
            let found = String::from_utf8_lossy(&found.stdout).into_owned();
            let servers = found.lines().filter(|pid| {
                std::fs::read_to_string(format!("/proc/{pid}/comm"))
                    .is_ok_and(|c| c.trim() == "sshd")
            });
            all.extend(servers.map(str::to_owned).collect::<Vec<_>>());
            at += 1;
        }
        let _ = Command::new("kill").arg("-KILL").args(&all).status();
        let _ = self.child.wait();
    }

    pub(crate) fn log(&self) -> PathBuf {
        self.config.with_extension("log")
    }

    pub(crate) fn restart(&mut self) {
        self.kill();
        self.child = Self::spawn(&self.config, self.port);
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
    }
}

pub(crate) fn free_port() -> u16 {
    std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// Runs a command that must give a result.
pub(crate) async fn run(task: &Task, command: &str) -> ExecuteResult {
    task.execute(command).await.unwrap()
}

/// Whether a process of this machine has `pattern` in its command line.
pub(crate) fn runs(pattern: &str) -> bool {
    std::fs::read_dir("/proc").unwrap().flatten().any(|entry| {
        std::fs::read(entry.path().join("cmdline"))
            .is_ok_and(|line| String::from_utf8_lossy(&line).replace('\0', " ").contains(pattern))
    })
}

/// The processes that carry the mark of a hexad in their environment and have `pattern` in it.
pub(crate) fn marked(pattern: &str) -> Vec<String> {
    std::fs::read_dir("/proc")
        .unwrap()
        .flatten()
        .filter_map(|entry| {
            let env = std::fs::read(entry.path().join("environ")).ok()?;
            let env = String::from_utf8_lossy(&env).into_owned();
            let mark = env.split('\0').find(|v| v.starts_with("HEXAD_MARK="))?.to_owned();
            let line = std::fs::read(entry.path().join("cmdline")).ok()?;
            let line = String::from_utf8_lossy(&line).replace('\0', " ");
            mark.contains(pattern).then(|| format!("{mark} {line}"))
        })
        .collect()
}

/// Waits until `condition` holds; fails the test when it takes too long.
pub(crate) async fn eventually(what: &str, mut condition: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(30);
    while !condition() {
        assert!(Instant::now() < deadline, "did not happen: {what}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// The connections of a task's link, as its status tells.
pub(crate) async fn connections(task: &Task) -> usize {
    let status = task.status().await.unwrap().unwrap();
    let found = status.settings.iter().find(|(name, _)| name == "connections");
    found.unwrap().1.parse().unwrap()
}

/// Waits for the spare of a task.
pub(crate) async fn spare(task: &Task) {
    let deadline = Instant::now() + Duration::from_secs(30);
    while !task.status().await.unwrap().unwrap().spare {
        assert!(Instant::now() < deadline, "no spare");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}
