//! Getting a connection: the way there, the host's key, logging in; and what is wrong, in words.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hexad_actors::{BackendError, Unavailable};
use russh::client::{self, Handle};
use russh::keys::{Algorithm, HashAlg, PublicKeyOrCertificate};
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::auth;
use super::known_hosts::{self, Known, Verdict};
use super::resolve::{self, Target};
use super::settings::Access;
use crate::host::Host;

/// For the way to a host where its configuration sets no limit.
const CONNECT: Duration = Duration::from_secs(15);
/// For exchanging keys and for logging in; agents may ask a person.
const HANDSHAKE: Duration = Duration::from_secs(30);
/// A connection on which nothing came for this long is asked for a sign of life; after
/// [`KEEPALIVES`] questions without an answer it is lost.
const KEEPALIVE: Duration = Duration::from_secs(15);
const KEEPALIVES: usize = 3;
/// Hosts that may lie on the way.
const JUMPS: usize = 8;

/// A connection that is logged in.
pub(super) struct Connected {
    pub(super) handle: Handle<Client>,
    /// The connections it goes through; they end with it.
    pub(super) _jumps: Vec<Handle<Client>>,
    pub(super) target: Target,
}

/// Connects as `access` says.
///
/// # Errors
/// Why there is no connection, classified.
pub(super) async fn connect(access: &Access, host: &Host) -> Result<Connected, BackendError> {
    let target = resolve::resolve(access, host).await?;
    let mut hops = Vec::new();
    collect_hops(&target, access, host, &mut hops).await?;
    let mut jumps: Vec<Handle<Client>> = Vec::new();
    for hop in &hops {
        let own = Access { password: None, ..access.clone() };
        let handle = reach(hop, &own, host, jumps.last()).await?;
        jumps.push(handle);
    }
    let handle = reach(&target, access, host, jumps.last()).await?;
    Ok(Connected { handle, _jumps: jumps, target })
}

/// The hosts on the way to `target`, the nearest first.
async fn collect_hops(
    target: &Target,
    access: &Access,
    host: &Host,
    hops: &mut Vec<Target>,
) -> Result<(), BackendError> {
    for jump in &target.jumps {
        if hops.len() == JUMPS {
            return Err(BackendError::Invalid {
                message: format!("more than {JUMPS} hosts on the way to {}", target.host),
            });
        }
        let (user, rest) = match jump.rsplit_once('@') {
            Some((user, rest)) => (Some(user.to_owned()), rest),
            None => (None, jump.as_str()),
        };
        let rest = rest.trim_start_matches("ssh://");
        let (name, port) = match rest.rsplit_once(':') {
            Some((name, port)) if !name.contains(':') || name.ends_with(']') => {
                (name, port.parse().ok())
            }
            _ => (rest, None),
        };
        let name = name.trim_start_matches('[').trim_end_matches(']').to_owned();
        // Its identities are those of its own configuration.
        let own = Access { host: name, user, port, key: None, ..access.clone() };
        let mut hop = resolve::resolve(&own, host).await?;
        if hop.identities.iter().all(|file| !file.exists()) {
            hop.identities.extend(access.key.clone());
        }
        // Only the first one may have further ones before it.
        if hops.is_empty() && !hop.jumps.is_empty() && hop.host != target.host {
            Box::pin(collect_hops(&hop, access, host, hops)).await?;
        }
        hops.push(hop);
    }
    Ok(())
}

/// One connection, over another one where `through` says so.
async fn reach(
    target: &Target,
    access: &Access,
    host: &Host,
    through: Option<&Handle<Client>>,
) -> Result<Handle<Client>, BackendError> {
    let shown = target.shown();
    let name = match &target.alias {
        Some(alias) => alias.clone(),
        None => known_hosts::name(&target.host, target.port),
    };
    let known = known_hosts::lookup(&target.known_hosts, &name).map_err(|error| {
        BackendError::unavailable(
            Unavailable::NoPermission,
            format!("the known hosts cannot be read, so {shown} cannot be trusted: {error}"),
        )
    })?;
    let client = Client {
        check: Arc::new(HostKey {
            name,
            shown: shown.clone(),
            accept_new: access.accept_new && !target.strict,
            file: target.known_hosts.first().cloned(),
            known,
            refused: Mutex::new(None),
        }),
    };
    let check = Arc::clone(&client.check);
    let config = Arc::new(config(&check.known));
    let limit = target.connect_timeout.unwrap_or(CONNECT);
    let late = |what: &str, limit: Duration| {
        BackendError::unavailable(
            Unavailable::Deadline,
            format!("{shown} did not {what} within {} s", limit.as_secs_f64()),
        )
    };
    let handshake = async {
        if let Some(through) = through {
            let host = target.host.clone();
            let opened =
                through.channel_open_direct_tcpip(host, target.port.into(), "127.0.0.1", 0);
            let channel = timeout(limit, opened)
                .await
                .map_err(|_| late("answer through the host before it", limit))?
                .map_err(|error| {
                    BackendError::unavailable(
                        Unavailable::Refused,
                        format!(
                            "the host on the way to {shown} does not let us through: {error}. Does \
                             its server allow TCP forwarding, and does it reach {}?",
                            target.host
                        ),
                    )
                })?;
            return Ok(client::connect_stream(config, channel.into_stream(), client).await);
        }
        if let Some(command) = &target.proxy_command {
            let stream = proxy(command, host).map_err(|error| {
                BackendError::unavailable(
                    Unavailable::NoBinary,
                    format!("the ProxyCommand of {shown} could not be started: {error}"),
                )
            })?;
            return Ok(client::connect_stream(config, stream, client).await);
        }
        let stream = timeout(limit, TcpStream::connect((target.host.as_str(), target.port)))
            .await
            .map_err(|_| late("answer", limit))?
            .map_err(|error| unreachable_host(&shown, &error))?;
        // A command is a small packet, and somebody waits for it.
        let _ = stream.set_nodelay(true);
        Ok(client::connect_stream(config, stream, client).await)
    };
    let handshake = timeout(limit + HANDSHAKE, handshake)
        .await
        .map_err(|_| late("finish the key exchange", limit + HANDSHAKE))??;
    let mut handle = match handshake {
        Ok(handle) => handle,
        Err(error) => {
            return Err(match check.take_refusal() {
                Some(refusal) => refusal,
                None => no_handshake(&shown, &error),
            });
        }
    };
    timeout(HANDSHAKE * 2, auth::log_in(&mut handle, target, access))
        .await
        .map_err(|_| late("finish logging in", HANDSHAKE * 2))??;
    Ok(handle)
}

fn config(known: &[Known]) -> client::Config {
    let mut config = client::Config {
        keepalive_interval: Some(KEEPALIVE),
        keepalive_max: KEEPALIVES,
        nodelay: true,
        ..client::Config::default()
    };
    // A host that is known by one kind of key is asked for that kind.
    let kinds: Vec<Algorithm> = known.iter().map(|k| k.key.algorithm()).collect();
    // All ways to sign with RSA are one kind of key.
    let is_known = |algorithm: &Algorithm| match algorithm {
        Algorithm::Rsa { .. } => kinds.iter().any(|kind| matches!(kind, Algorithm::Rsa { .. })),
        other => kinds.contains(other),
    };
    let (mut first, rest): (Vec<_>, Vec<_>) =
        config.preferred.key.iter().cloned().partition(is_known);
    first.extend(rest);
    config.preferred.key = first.into();
    config
}

fn unreachable_host(shown: &str, error: &io::Error) -> BackendError {
    let (reason, text) = match error.kind() {
        io::ErrorKind::ConnectionRefused => (
            Unavailable::NoSocket,
            format!("{shown} refuses the connection; is an SSH server listening on that port?"),
        ),
        io::ErrorKind::TimedOut => (Unavailable::Deadline, format!("{shown} does not answer")),
        io::ErrorKind::HostUnreachable | io::ErrorKind::NetworkUnreachable => {
            (Unavailable::NoSocket, format!("there is no way to {shown}: {error}"))
        }
        // The resolver has no kind of its own.
        _ if error.raw_os_error().is_none() => (
            Unavailable::NoSocket,
            format!("{shown}: the host is not known: {error}; check ssh_host"),
        ),
        _ => (Unavailable::NoSocket, format!("connecting to {shown} failed: {error}")),
    };
    BackendError::unavailable(reason, text)
}

fn no_handshake(shown: &str, error: &russh::Error) -> BackendError {
    match error {
        russh::Error::NoCommonAlgo { kind, theirs, .. } => BackendError::unavailable(
            Unavailable::Refused,
            format!("{shown} offers no {kind:?} that hexad takes; it has: {}", theirs.join(", ")),
        ),
        russh::Error::IO(_) | russh::Error::Disconnect | russh::Error::HUP => {
            BackendError::unavailable(
                Unavailable::NoSocket,
                format!(
                    "{shown} closed the connection during the key exchange ({error}); it may be \
                     starting, or have too many connections (MaxStartups)"
                ),
            )
        }
        error => BackendError::unavailable(
            Unavailable::Refused,
            format!("no SSH connection to {shown}: {error}"),
        ),
    }
}

/// Whether trying again soon makes sense: the host may be on its way back.
pub(super) fn may_pass(error: &BackendError) -> bool {
    matches!(
        error,
        BackendError::Unavailable { reason: Unavailable::NoSocket | Unavailable::Deadline, .. }
            | BackendError::Lost { .. }
    )
}

type Pipes = tokio::io::Join<ProxyOutput, tokio::process::ChildStdin>;

/// The output of a proxy, which ends with it.
struct ProxyOutput {
    output: tokio::process::ChildStdout,
    _child: tokio::process::Child,
}

impl tokio::io::AsyncRead for ProxyOutput {
    fn poll_read(
        mut self: std::pin::Pin<&mut Self>,
        context: &mut std::task::Context<'_>,
        buffer: &mut tokio::io::ReadBuf<'_>,
    ) -> std::task::Poll<io::Result<()>> {
        std::pin::Pin::new(&mut self.output).poll_read(context, buffer)
    }
}

fn proxy(command: &str, host: &Host) -> io::Result<Pipes> {
    let mut child = tokio::process::Command::new("/bin/sh")
        .args(["-c", &format!("exec {command}")])
        .env_clear()
        .envs(host.env.iter().map(|(n, v)| (n, v)))
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::null())
        .kill_on_drop(true)
        .spawn()?;
    let missing = || io::Error::other("it has no pipes");
    let input = child.stdin.take().ok_or_else(missing)?;
    let output = child.stdout.take().ok_or_else(missing)?;
    Ok(tokio::io::join(ProxyOutput { output, _child: child }, input))
}

/// Our side of the protocol: it judges the host's key.
pub(super) struct Client {
    check: Arc<HostKey>,
}

struct HostKey {
    name: String,
    shown: String,
    accept_new: bool,
    file: Option<std::path::PathBuf>,
    known: Vec<Known>,
    refused: Mutex<Option<BackendError>>,
}

impl client::Handler for Client {
    type Error = russh::Error;

    async fn check_server_key(
        &mut self,
        key: &PublicKeyOrCertificate,
    ) -> Result<bool, Self::Error> {
        let refusal = self.check.judge(key);
        let accepted = refusal.is_none();
        *self.check.refused.lock().unwrap_or_else(PoisonError::into_inner) = refusal;
        Ok(accepted)
    }
}

impl HostKey {
    fn take_refusal(&self) -> Option<BackendError> {
        self.refused.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Why the key is not taken; none if it is.
    fn judge(&self, key: &PublicKeyOrCertificate) -> Option<BackendError> {
        let key = key.public_key();
        let print = key.fingerprint(HashAlg::Sha256);
        let Self { name, shown, .. } = self;
        let refused = |text: String| Some(BackendError::unavailable(Unavailable::Refused, text));
        match known_hosts::judge(&self.known, &key) {
            Verdict::Known => None,
            Verdict::New if self.accept_new => {
                let Some(file) = &self.file else {
                    return refused(format!("there is no file to remember the key of {shown} in"));
                };
                match known_hosts::learn(file, name, &key) {
                    Ok(()) => {
                        tracing::info!(host = name, key = %print, "remembered the key of a host");
                        None
                    }
                    Err(error) => refused(format!(
                        "the key of {shown} could not be remembered in {}: {error}",
                        file.display()
                    )),
                }
            }
            Verdict::New => refused(format!(
                "the host {shown} is not known (its key is {} {print}); add its key to \
                 known_hosts, or set ssh_host_keys: accept-new",
                key.algorithm()
            )),
            Verdict::Changed(old) => refused(format!(
                "THE KEY OF {shown} HAS CHANGED: it is now {} {print}, and {} line {} has {} {}. \
                 Somebody may be in between, or the host was set up anew; if so, remove that line",
                key.algorithm(),
                old.file.display(),
                old.line,
                old.key.algorithm(),
                old.key.fingerprint(HashAlg::Sha256)
            )),
            Verdict::Revoked(line) => refused(format!(
                "the key {print} of {shown} was revoked ({} line {})",
                line.file.display(),
                line.line
            )),
        }
    }
}
