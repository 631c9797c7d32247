//! `hexad doctor`: what each backend needs here, in words.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use super::context::{Context, Failure};
use crate::backend::built_in;
#[cfg(feature = "ssh")]
use crate::config::BackendKind;
use crate::private;

pub(super) async fn run(context: &Context) -> Result<u8, Failure> {
    let mut report = Report { context, text: String::new(), local_works: true };
    report.local();
    report.docker().await;
    report.ssh().await;
    report.others();
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(report.text.as_bytes());
    // The local backend is the one that this version has.
    Ok(u8::from(!report.local_works))
}

struct Report<'a> {
    context: &'a Context,
    text: String,
    local_works: bool,
}

impl Report<'_> {
    fn line(&mut self, good: bool, text: &str) {
        let mark = if good { "ok     " } else { "missing" };
        self.text.push_str(&format!("  {mark} {text}\n"));
    }

    fn local(&mut self) {
        self.text.push_str("local\n");
        let path = self.context.host.var("PATH").unwrap_or_default().to_owned();
        let folder = self.context.host.state_folder();
        let mut check = |good: bool, text: String| {
            self.local_works &= good;
            self.line(good, &text);
        };
        match bash_version(&path) {
            Some((program, version)) if at_least(&version, 4, 1) => {
                check(true, format!("bash {version} ({})", program.display()));
            }
            Some((program, version)) => check(
                false,
                format!(
                    "bash 4.1 or newer; {} is {version}. Install a newer one or set terminal.shell",
                    program.display()
                ),
            ),
            None => check(
                false,
                "bash; without it commands run in sh, where functions and arrays do not carry over"
                    .into(),
            ),
        }
        let release = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
        let release = release.trim();
        check(
            at_least(release, 5, 4),
            format!("Linux 5.4 or newer, to watch processes; this is {release}"),
        );
        check(
            Path::new("/proc/self/environ").exists(),
            "/proc, to find what a command started".into(),
        );
        match private::make_folder(&folder) {
            Ok(()) => check(true, format!("a state folder of your own: {}", folder.display())),
            Err(error) => check(
                false,
                format!(
                    "a state folder: {}: {error}. Set HEXAD_STATE_DIR to one",
                    folder.display()
                ),
            ),
        }
        if nix::unistd::getuid().is_root() {
            self.text.push_str(
                "  note    hexad runs as root: commands could read its memory with a debugger\n",
            );
        }
    }

    #[cfg(feature = "docker")]
    async fn docker(&mut self) {
        self.text.push_str("docker\n");
        match crate::backend::docker::look(&self.context.host).await {
            Ok(what) => self.line(true, &what),
            Err(why) => self.line(false, &why),
        }
    }

    #[cfg(not(feature = "docker"))]
    async fn docker(&mut self) {
        self.text.push_str("docker (not in this build)\n");
    }

    /// Logs in where the configuration names a host.
    #[cfg(feature = "ssh")]
    async fn ssh(&mut self) {
        self.text.push_str("ssh\n");
        let config = self.context.config(None);
        let profiles: Vec<_> = match &config {
            Ok(config) => config.profiles.values().collect(),
            Err(_) => Vec::new(),
        };
        let profiles: Vec<_> =
            profiles.into_iter().filter(|profile| profile.backend == BackendKind::Ssh).collect();
        let host = std::sync::Arc::new(self.context.host.clone());
        for profile in &profiles {
            match crate::backend::ssh::look(profile, &host).await {
                Ok(what) => self.line(true, &what),
                Err(why) => self.line(false, &why),
            }
        }
        if profiles.is_empty() {
            let has_agent = host.var("SSH_AUTH_SOCK").is_some_and(|socket| !socket.is_empty());
            let good = has_agent || host.home.join(".ssh").is_dir();
            self.line(good, "a key or an agent; terminal.ssh_host and ssh_user name the host");
        }
        match self.find("ssh") {
            Some(program) => self
                .line(true, &format!("{}, which reads ~/.ssh/config for hexad", program.display())),
            None => self.line(false, "the program ssh; without it ~/.ssh/config is not read"),
        }
    }

    #[cfg(not(feature = "ssh"))]
    async fn ssh(&mut self) {
        self.text.push_str("ssh (not in this build)\n");
    }

    /// The backends that are still to come: what they will need is said all the same.
    fn others(&mut self) {
        let env = |name: &str| self.context.host.var(name).is_some_and(|v| !v.is_empty());
        let found = |name: &str| self.find(name).is_some();
        let needs = [
            (
                "singularity",
                found("apptainer") || found("singularity"),
                "apptainer or singularity on PATH",
            ),
            (
                "modal",
                env("MODAL_TOKEN_ID") || self.context.host.home.join(".modal.toml").exists(),
                "MODAL_TOKEN_ID and MODAL_TOKEN_SECRET, or ~/.modal.toml",
            ),
            ("daytona", env("DAYTONA_API_KEY"), "DAYTONA_API_KEY"),
        ];
        for (name, good, need) in needs {
            let built = if built_in().contains(&name) { "" } else { " (not in this version)" };
            self.text.push_str(&format!("{name}{built}\n"));
            self.line(good, need);
        }
    }

    fn find(&self, program: &str) -> Option<PathBuf> {
        let path = self.context.host.var("PATH")?;
        std::env::split_paths(path).map(|dir| dir.join(program)).find(|p| p.is_file())
    }
}

/// The first bash on `path` and what it says its version is.
fn bash_version(path: &std::ffi::OsStr) -> Option<(PathBuf, String)> {
    let program = std::env::split_paths(path).map(|dir| dir.join("bash")).find(|p| p.is_file())?;
    let output = std::process::Command::new(&program)
        .args(["--norc", "--noprofile", "-c", "echo \"$BASH_VERSION\""])
        .env_clear()
        .stdin(std::process::Stdio::null())
        .output()
        .ok()?;
    Some((program, String::from_utf8_lossy(&output.stdout).trim().to_owned()))
}

/// Whether a version such as `5.2.15(1)-release` is `major.minor` or newer.
fn at_least(version: &str, major: u32, minor: u32) -> bool {
    let mut numbers =
        version.split(|c: char| !c.is_ascii_digit()).map(|part| part.parse::<u32>().unwrap_or(0));
    let own = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
    own >= (major, minor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_as_numbers() {
        assert!(at_least("5.2.15(1)-release", 4, 1));
        assert!(at_least("4.1", 4, 1));
        assert!(!at_least("3.2.57", 4, 1));
        assert!(at_least("5.10.0-foo", 5, 4));
    }
}
