//! Logging in: the agent, key files with or without a certificate, a password.

use std::path::Path;
use std::sync::Arc;

use hexad_actors::{BackendError, Unavailable};
use russh::MethodKind;
use russh::client::{AuthResult, Handle, KeyboardInteractiveAuthResponse as Answer};
use russh::keys::agent::AgentIdentity;
use russh::keys::agent::client::AgentClient;
use russh::keys::{
    Certificate, HashAlg, PrivateKeyWithHashAlg, PublicKey, load_openssh_certificate,
    load_public_key, load_secret_key,
};
use tokio::net::UnixStream;

use super::connect::Client;
use super::resolve::Target;
use super::settings::{Access, PASSPHRASE_VARIABLE, PASSWORD_VARIABLE};

/// How many rounds of questions a server may ask.
const ROUNDS: usize = 10;

/// Logs in with whatever `target` and `access` have, in the order in which `ssh` tries: the
/// identities of the agent, the key files, the password.
///
/// # Errors
/// Nothing was accepted; the text says what was tried.
pub(super) async fn log_in(
    handle: &mut Handle<Client>,
    target: &Target,
    access: &Access,
) -> Result<(), BackendError> {
    let mut login =
        Login { handle, user: target.user.clone(), tried: Vec::new(), left: None, hash: None };
    match login.run(target, access).await {
        Ok(true) => Ok(()),
        Ok(false) => Err(login.refused(target, "")),
        Err(error) => Err(login.refused(target, &format!("; then {error}"))),
    }
}

struct Login<'a> {
    handle: &'a mut Handle<Client>,
    user: String,
    /// For people.
    tried: Vec<String>,
    /// What the server said it would still take.
    left: Option<Vec<MethodKind>>,
    /// The best hash for RSA keys that the server takes, once it was asked.
    hash: Option<Option<HashAlg>>,
}

impl Login<'_> {
    fn refused(&self, target: &Target, then: &str) -> BackendError {
        let tried = match self.tried.as_slice() {
            [] => "nothing: there is no key file and no agent with a key".to_owned(),
            tried => tried.join(", "),
        };
        let left: Vec<String> =
            self.left.iter().flatten().map(|m| String::from(<&str>::from(m))).collect();
        let takes = match left.as_slice() {
            [] => String::new(),
            left => format!("; the server takes: {}", left.join(", ")),
        };
        BackendError::unavailable(
            Unavailable::AuthRefused,
            format!(
                "{} does not let us in. Tried: {tried}{then}{takes}. Name a key (ssh_key), start an \
                 agent (SSH_AUTH_SOCK), or give a password ({PASSWORD_VARIABLE} or \
                 ssh_password_file)",
                target.shown()
            ),
        )
    }

    async fn run(&mut self, target: &Target, access: &Access) -> Result<bool, russh::Error> {
        let nothing = self.handle.authenticate_none(self.user.clone()).await?;
        if self.accepted(&nothing) {
            return Ok(true);
        }
        let wanted: Vec<PublicKey> = target.identities.iter().filter_map(|f| public(f)).collect();
        if let Some(socket) = &target.agent
            && self.agent(socket, &wanted, target.identities_only).await?
        {
            return Ok(true);
        }
        for file in &target.identities {
            if self.key_file(file, target, access).await? {
                return Ok(true);
            }
        }
        self.password(access).await
    }

    fn accepted(&mut self, result: &AuthResult) -> bool {
        if let AuthResult::Failure { remaining_methods, .. } = result {
            if !remaining_methods.is_empty() {
                self.left = Some(remaining_methods.iter().copied().collect());
            }
            return false;
        }
        true
    }

    fn takes(&self, method: MethodKind) -> bool {
        self.left.as_ref().is_none_or(|left| left.contains(&method))
    }

    async fn hash(&mut self) -> Result<Option<HashAlg>, russh::Error> {
        if self.hash.is_none() {
            let best = self.handle.best_supported_rsa_hash().await?;
            self.hash = Some(best.unwrap_or(Some(HashAlg::Sha512)));
        }
        Ok(self.hash.flatten())
    }

    async fn agent(
        &mut self,
        socket: &Path,
        wanted: &[PublicKey],
        only: bool,
    ) -> Result<bool, russh::Error> {
        let mut agent = match UnixStream::connect(socket).await {
            Ok(stream) => AgentClient::connect(stream),
            Err(error) => {
                self.tried.push(format!("the agent at {} ({error})", socket.display()));
                return Ok(false);
            }
        };
        let mut identities = match agent.request_identities().await {
            Ok(identities) => identities,
            Err(error) => {
                self.tried.push(format!("the agent at {} ({error})", socket.display()));
                return Ok(false);
            }
        };
        let is_wanted =
            |key: &PublicKey| wanted.iter().any(|wanted| wanted.key_data() == key.key_data());
        if only {
            identities.retain(|identity| is_wanted(&public_of(identity)));
        }
        // Those that are named come first: a server allows six tries.
        identities.sort_by_key(|identity| !is_wanted(&public_of(identity)));
        for identity in identities {
            let key = public_of(&identity);
            self.tried.push(format!("the agent's {} {}", key.algorithm(), print(&key)));
            let hash = if key.algorithm().is_rsa() { self.hash().await? } else { None };
            let user = self.user.clone();
            let result = match identity {
                AgentIdentity::PublicKey { key, .. } => {
                    self.handle.authenticate_publickey_with(user, key, hash, &mut agent).await
                }
                AgentIdentity::Certificate { certificate, .. } => {
                    let handle = &mut self.handle;
                    handle.authenticate_certificate_with(user, certificate, hash, &mut agent).await
                }
            };
            match result {
                Ok(result) => {
                    if self.accepted(&result) {
                        return Ok(true);
                    }
                }
                Err(error) => self.note(&format!("{error}")),
            }
            if self.handle.is_closed() {
                return Err(russh::Error::Disconnect);
            }
        }
        Ok(false)
    }

    /// Adds to what was tried last.
    fn note(&mut self, text: &str) {
        if let Some(last) = self.tried.last_mut() {
            last.push_str(&format!(" ({text})"));
        }
    }

    async fn key_file(
        &mut self,
        file: &Path,
        target: &Target,
        access: &Access,
    ) -> Result<bool, russh::Error> {
        if !file.exists() {
            // The usual names are usually not there; one that was named has to be.
            if access.key.as_deref() == Some(file) {
                self.tried.push(format!("{} (no such file)", file.display()));
            }
            return Ok(false);
        }
        self.tried.push(file.display().to_string());
        let key = match load(file, access) {
            Ok(key) => Arc::new(key),
            Err(why) => {
                self.note(&why);
                return Ok(false);
            }
        };
        let user = self.user.clone();
        for certificate in certificates(file, target) {
            if certificate.public_key() != key.public_key().key_data() {
                continue;
            }
            let key = Arc::clone(&key);
            let result =
                self.handle.authenticate_openssh_cert(user.clone(), key, certificate).await?;
            if self.accepted(&result) {
                return Ok(true);
            }
            self.note("and its certificate");
        }
        let hash = if key.algorithm().is_rsa() { self.hash().await? } else { None };
        let key = PrivateKeyWithHashAlg::new(key, hash);
        let result = self.handle.authenticate_publickey(user, key).await?;
        if self.handle.is_closed() {
            return Err(russh::Error::Disconnect);
        }
        Ok(self.accepted(&result))
    }

    async fn password(&mut self, access: &Access) -> Result<bool, russh::Error> {
        let Some(source) = &access.password else { return Ok(false) };
        let password = match source.read() {
            Ok(password) => password,
            Err(why) => {
                self.tried.push(format!("a password ({why})"));
                return Ok(false);
            }
        };
        let user = self.user.clone();
        if self.takes(MethodKind::Password) {
            self.tried.push("a password".into());
            let result = self.handle.authenticate_password(user.clone(), password.clone()).await?;
            if self.accepted(&result) {
                return Ok(true);
            }
        }
        if !self.takes(MethodKind::KeyboardInteractive) {
            return Ok(false);
        }
        self.tried.push("the password as an answer to the server's question".into());
        let mut answer =
            self.handle.authenticate_keyboard_interactive_start(user, None::<String>).await?;
        for _ in 0..ROUNDS {
            answer = match answer {
                Answer::Success => return Ok(true),
                Answer::Failure { .. } => return Ok(false),
                Answer::InfoRequest { prompts, .. } => {
                    // What is shown while it is typed is no password.
                    let answers = prompts
                        .iter()
                        .map(|p| if p.echo { String::new() } else { password.clone() })
                        .collect();
                    self.handle.authenticate_keyboard_interactive_respond(answers).await?
                }
            };
        }
        Ok(false)
    }
}

fn public_of(identity: &AgentIdentity) -> PublicKey {
    match identity {
        AgentIdentity::PublicKey { key, .. } => key.clone(),
        AgentIdentity::Certificate { certificate, .. } => {
            PublicKey::from(certificate.public_key().clone())
        }
    }
}

fn print(key: &PublicKey) -> String {
    key.fingerprint(HashAlg::Sha256).to_string()
}

/// The public half of a key file, from the file beside it.
fn public(file: &Path) -> Option<PublicKey> {
    let mut name = file.as_os_str().to_owned();
    name.push(".pub");
    load_public_key(Path::new(&name)).ok().or_else(|| load_public_key(file).ok())
}

fn load(file: &Path, access: &Access) -> Result<russh::keys::PrivateKey, String> {
    use russh::keys::Error;
    let locked = match load_secret_key(file, None) {
        Ok(key) => return Ok(key),
        Err(Error::KeyIsEncrypted) => "it needs a passphrase",
        Err(Error::SshKey(error)) if format!("{error}").contains("encrypted") => {
            "it needs a passphrase"
        }
        Err(error) => return Err(format!("it cannot be used: {error}")),
    };
    let Some(source) = &access.passphrase else {
        return Err(format!(
            "{locked}: set {PASSPHRASE_VARIABLE} or ssh_passphrase_file, or add it to an agent"
        ));
    };
    let passphrase = source.read()?;
    load_secret_key(file, Some(&passphrase))
        .map_err(|_| "the passphrase is not the right one".into())
}

/// The certificates for a key file: the one beside it and those that the configuration names.
fn certificates(file: &Path, target: &Target) -> Vec<Certificate> {
    let mut beside = file.as_os_str().to_owned();
    beside.push("-cert.pub");
    let named = target.certificates.iter().map(AsRef::as_ref);
    std::iter::once(Path::new(&beside))
        .chain(named)
        .filter_map(|f| load_openssh_certificate(f).ok())
        .collect()
}
