//! What `ssh` itself would make of a host's name. The program reads its configuration (`ssh -G`);
//! without it the name is taken as it is.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use hexad_actors::{BackendError, Unavailable};
use tokio::process::Command;
use tokio::time::timeout;

use super::settings::{Access, expand};
use crate::host::Host;

/// How long the program may take; a `Match exec` of the configuration runs within it.
const LIMIT: Duration = Duration::from_secs(15);

/// Where to connect and with what.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Target {
    /// The name or address to connect to.
    pub(super) host: String,
    pub(super) port: u16,
    pub(super) user: String,
    /// The name under which the host's key is known, if that is another one.
    pub(super) alias: Option<String>,
    pub(super) identities: Vec<PathBuf>,
    pub(super) certificates: Vec<PathBuf>,
    /// Whether other identities of the agent must not be tried.
    pub(super) identities_only: bool,
    pub(super) agent: Option<PathBuf>,
    /// The first one gets what is learnt.
    pub(super) known_hosts: Vec<PathBuf>,
    /// Hosts to go through, the first one first: `[user@]host[:port]`.
    pub(super) jumps: Vec<String>,
    pub(super) proxy_command: Option<String>,
    pub(super) connect_timeout: Option<Duration>,
    /// The configuration refuses hosts that are not known.
    pub(super) strict: bool,
}

impl Target {
    /// As people write it.
    pub(super) fn shown(&self) -> String {
        match self.port {
            22 => format!("{}@{}", self.user, self.host),
            port => format!("{}@{}:{port}", self.user, self.host),
        }
    }
}

/// Resolves `access`.
///
/// # Errors
/// The configuration of ssh cannot be read.
pub(super) async fn resolve(access: &Access, host: &Host) -> Result<Target, BackendError> {
    let mut target = match ask(access, host).await? {
        Some(text) => read(&text, &host.home),
        None => plain(access, host),
    };
    if let Some(key) = &access.key {
        // The one that is named, and no other.
        target.identities = vec![key.clone()];
        target.identities_only = true;
    }
    if let Some(file) = &access.known_hosts {
        target.known_hosts = vec![file.clone()];
    }
    if target.agent.is_none() {
        target.agent = host.var("SSH_AUTH_SOCK").filter(|s| !s.is_empty()).map(PathBuf::from);
    }
    Ok(target)
}

/// Asks the program; none if there is none.
async fn ask(access: &Access, host: &Host) -> Result<Option<String>, BackendError> {
    let mut command = Command::new("ssh");
    command.env_clear().envs(host.env.iter().map(|(n, v)| (n, v)));
    if let Some(file) = &access.config {
        command.arg("-F").arg(file);
    }
    if let Some(port) = access.port {
        command.args(["-p", &port.to_string()]);
    }
    if let Some(user) = &access.user {
        command.args(["-l", user]);
    }
    command.args(["-G", "--", &access.host]);
    command.stdin(Stdio::null()).kill_on_drop(true);
    let invalid = |why: String| BackendError::Invalid {
        message: format!("the ssh configuration of {} cannot be used: {why}", access.host),
    };
    match timeout(LIMIT, command.output()).await {
        Err(_) => Err(BackendError::unavailable(
            Unavailable::Deadline,
            format!("`ssh -G {}` did not end within {LIMIT:?}", access.host),
        )),
        Ok(Err(_)) if access.config.is_some() => {
            Err(invalid("ssh_config needs the program ssh in PATH, which reads it".into()))
        }
        Ok(Err(_)) => Ok(None),
        Ok(Ok(output)) if output.status.success() => {
            Ok(Some(String::from_utf8_lossy(&output.stdout).into_owned()))
        }
        Ok(Ok(output)) => Err(invalid(String::from_utf8_lossy(&output.stderr).trim().to_owned())),
    }
}

/// Without the program.
fn plain(access: &Access, host: &Host) -> Target {
    let folder = host.home.join(".ssh");
    let own = || nix::unistd::User::from_uid(nix::unistd::getuid()).ok().flatten();
    let user = access.user.clone().or_else(|| own().map(|user| user.name)).unwrap_or_default();
    Target {
        host: access.host.clone(),
        port: access.port.unwrap_or(22),
        user,
        identities: ["id_ed25519", "id_ecdsa", "id_rsa"].map(|name| folder.join(name)).into(),
        known_hosts: vec![folder.join("known_hosts"), "/etc/ssh/ssh_known_hosts".into()],
        ..Target::default()
    }
}

/// Reads what `ssh -G` prints: one option a line, the name in small letters.
fn read(text: &str, home: &Path) -> Target {
    let mut target = Target { port: 22, ..Target::default() };
    let mut files = Vec::new();
    let mut global = Vec::new();
    for line in text.lines() {
        let (name, value) = line.split_once(' ').unwrap_or((line, ""));
        let value = value.trim();
        let given = (!value.is_empty() && value != "none").then_some(value);
        let list = || value.split_whitespace().map(str::to_owned);
        match name {
            "hostname" => target.host = value.to_owned(),
            "port" => target.port = value.parse().unwrap_or(22),
            "user" => target.user = value.to_owned(),
            "hostkeyalias" => target.alias = given.map(str::to_owned),
            "identityfile" => files.extend(given.map(|file| (file.to_owned(), false))),
            "certificatefile" => files.extend(given.map(|file| (file.to_owned(), true))),
            "identitiesonly" => target.identities_only = value == "yes",
            "identityagent" if value != "SSH_AUTH_SOCK" => {
                target.agent = given.map(|path| expand(path, home));
            }
            "userknownhostsfile" => target.known_hosts = list().map(|f| expand(&f, home)).collect(),
            "globalknownhostsfile" => global = list().map(PathBuf::from).collect(),
            "proxyjump" => {
                target.jumps = given
                    .map(|value| value.split(',').map(|hop| hop.trim().to_owned()).collect())
                    .unwrap_or_default();
            }
            "proxycommand" => target.proxy_command = given.map(str::to_owned),
            "connecttimeout" => {
                target.connect_timeout = value.parse().ok().map(Duration::from_secs);
            }
            "stricthostkeychecking" => target.strict = matches!(value, "true" | "yes"),
            _ => {}
        }
    }
    target.known_hosts.extend(global);
    for (file, certificate) in files {
        let path = expand(&tokens(&file, &target, home), home);
        match certificate {
            true => target.certificates.push(path),
            false => target.identities.push(path),
        }
    }
    if let Some(command) = target.proxy_command.take() {
        target.proxy_command = Some(tokens(&command, &target, home));
    }
    target
}

/// Fills in `%h` and the like.
fn tokens(text: &str, target: &Target, home: &Path) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        if c != '%' {
            out.push(c);
            continue;
        }
        match rest.next() {
            Some('h' | 'n') => out.push_str(&target.host),
            Some('p') => out.push_str(&target.port.to_string()),
            Some('r') => out.push_str(&target.user),
            Some('d') => out.push_str(&home.display().to_string()),
            Some('%') => out.push('%'),
            Some(other) => out.extend(['%', other]),
            None => out.push('%'),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_program_prints_is_read() {
        let text = "user deploy\nhostname 10.0.0.7\nport 2222\nidentityfile ~/.ssh/%h_key\n\
                    certificatefile ~/.ssh/c.pub\nidentitiesonly yes\nproxyjump a@b:23,c\n\
                    userknownhostsfile ~/.ssh/known_hosts /k2\nglobalknownhostsfile /g\n\
                    proxycommand nc %h %p %%\nstricthostkeychecking true\nhostkeyalias box\n";
        let target = read(text, Path::new("/home/u"));
        assert_eq!(target.shown(), "deploy@10.0.0.7:2222");
        assert_eq!(target.identities, [PathBuf::from("/home/u/.ssh/10.0.0.7_key")]);
        assert_eq!(target.certificates, [PathBuf::from("/home/u/.ssh/c.pub")]);
        assert_eq!(target.jumps, ["a@b:23", "c"]);
        assert_eq!(target.proxy_command.as_deref(), Some("nc 10.0.0.7 2222 %"));
        assert_eq!(target.alias.as_deref(), Some("box"));
        assert!(target.strict && target.identities_only);
        let files = ["/home/u/.ssh/known_hosts", "/k2", "/g"].map(PathBuf::from);
        assert_eq!(target.known_hosts, files);
    }

    #[test]
    fn none_means_none() {
        let target = read("proxyjump none\nproxycommand none\nidentityfile none\n", Path::new("/"));
        assert!(target.jumps.is_empty() && target.proxy_command.is_none());
        assert!(target.identities.is_empty());
    }
}
