//! Ways to log in, keys of hosts, hosts on the way.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

use hexad::Error;

use crate::support::{Here, Server, run};

fn text(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap()
}

async fn works(here: &Here, port: u16, lines: &[&str]) {
    let hexad = here.hexad(port, lines).await;
    assert_eq!(run(&hexad.task("t"), "echo in").await.text(), "in\n");
    hexad.shutdown().await.unwrap();
}

async fn fails(here: &Here, port: u16, lines: &[&str]) -> String {
    let hexad = here.hexad(port, lines).await;
    let error = hexad.task("t").execute("true").await.unwrap_err();
    assert!(matches!(error, Error::Unavailable { .. }), "{error:?}");
    hexad.shutdown().await.unwrap();
    error.to_string()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_password_from_a_file_or_a_variable_lets_us_in_and_is_not_shown() {
    let Some(mut here) = Here::new() else { return };
    let file = here.services.join("password");
    let line = format!("ssh_password_file: {}", file.display());
    // Without a home there are no keys; an empty key option leaves the usual ones.
    works(&here, here.port(), &["ssh_key:", &line]).await;
    here.env.push(("HEXAD_SSH_PASSWORD", text(&file).trim().to_owned()));
    works(&here, here.port(), &["ssh_key:"]).await;
    here.env[0].1 = "not-the-password".into();
    let error = fails(&here, here.port(), &["ssh_key:"]).await;
    assert!(error.contains("a password") && !error.contains("not-the-password"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_with_a_passphrase_needs_it() {
    let Some(mut here) = Here::new() else { return };
    let key = here.path().join("locked");
    std::fs::copy(here.key(), &key).unwrap();
    std::fs::set_permissions(&key, std::fs::Permissions::from_mode(0o600)).unwrap();
    let name = key.to_str().unwrap().to_owned();
    Here::run("ssh-keygen", &["-q", "-p", "-P", "", "-N", "open sesame", "-f", &name]);
    let line = format!("ssh_key: {name}");
    let error = fails(&here, here.port(), &[&line]).await;
    assert!(error.contains("needs a passphrase") && error.contains(&name), "{error}");
    here.env.push(("HEXAD_SSH_PASSPHRASE", "wrong".into()));
    let error = fails(&here, here.port(), &[&line]).await;
    assert!(error.contains("passphrase is not the right one"), "{error}");
    here.env[0].1 = "open sesame".into();
    works(&here, here.port(), &[&line]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn keys_of_every_kind_let_us_in() {
    let Some(here) = Here::new() else { return };
    let keys = here.path().join("keys");
    let mut all = String::new();
    for kind in ["rsa", "ecdsa", "ed25519"] {
        let file = here.path().join(kind);
        let file = file.to_str().unwrap();
        Here::run("ssh-keygen", &["-q", "-t", kind, "-N", "", "-f", file]);
        all.push_str(&text(Path::new(&format!("{file}.pub"))));
    }
    std::fs::write(&keys, all).unwrap();
    // Read by the server as root: the user could not.
    let command = format!("AuthorizedKeysCommand /bin/cat {}", keys.display());
    let server = Server::start(&here, &[&command, "AuthorizedKeysCommandUser root"]);
    for kind in ["rsa", "ecdsa", "ed25519"] {
        let line = format!("ssh_key: {}", here.path().join(kind).display());
        works(&here, server.port, &[&line]).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_certificate_beside_the_key_lets_us_in() {
    let Some(here) = Here::new() else { return };
    let (ca, key) = (here.path().join("ca"), here.path().join("id"));
    let (ca, key) = (ca.to_str().unwrap(), key.to_str().unwrap());
    Here::run("ssh-keygen", &["-q", "-t", "ed25519", "-N", "", "-f", ca]);
    Here::run("ssh-keygen", &["-q", "-t", "ed25519", "-N", "", "-f", key]);
    let server = Server::start(&here, &[&format!("TrustedUserCAKeys {ca}.pub")]);
    let line = format!("ssh_key: {key}");
    let error = fails(&here, server.port, &[&line]).await;
    assert!(error.contains("does not let us in") && error.contains(key), "{error}");
    let public = format!("{key}.pub");
    Here::run("ssh-keygen", &["-q", "-s", ca, "-I", "test", "-n", "hexad-plain", &public]);
    works(&here, server.port, &[&line]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_agent_lets_us_in_and_only_the_named_identity_is_tried() {
    let Some(mut here) = Here::new() else { return };
    let socket = here.path().join("agent");
    let mut agent = Command::new("ssh-agent").args(["-D", "-a"]).arg(&socket).spawn().unwrap();
    crate::support::eventually("the agent answers", || socket.exists()).await;
    let add = |file: &Path| {
        let done =
            Command::new("ssh-add").arg("-q").arg(file).env("SSH_AUTH_SOCK", &socket).status();
        assert!(done.unwrap().success());
    };
    let other = here.path().join("other");
    Here::run("ssh-keygen", &["-q", "-t", "ed25519", "-N", "", "-f", other.to_str().unwrap()]);
    add(&other);
    add(&here.key());
    here.env.push(("SSH_AUTH_SOCK", socket.display().to_string()));
    works(&here, here.port(), &["ssh_key:"]).await;
    // The private half is with the agent alone.
    let public = here.path().join("named");
    std::fs::copy(here.key().with_extension("pub"), public.with_extension("pub")).unwrap();
    works(&here, here.port(), &[&format!("ssh_key: {}", public.display())]).await;
    let error = fails(&here, here.port(), &[&format!("ssh_key: {}", other.display())]).await;
    let good = Here::run("ssh-keygen", &["-l", "-f", here.key().to_str().unwrap()]);
    let print = good.split(' ').nth(1).unwrap();
    assert!(!error.contains(print), "{error}");
    agent.kill().unwrap();
    agent.wait().unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_to_log_in_with_is_said() {
    let Some(here) = Here::new() else { return };
    let missing = here.path().join("missing");
    let error = fails(&here, here.port(), &[&format!("ssh_key: {}", missing.display())]).await;
    assert!(error.contains("no such file") && error.contains("the server takes:"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_key_of_a_new_host_is_remembered_and_a_changed_one_is_refused() {
    let Some(here) = Here::new() else { return };
    let known = here.path().join("known_hosts");
    let error = fails(&here, here.port(), &["ssh_host_keys: strict"]).await;
    assert!(error.contains("is not known") && error.contains("SHA256:"), "{error}");
    assert!(!known.exists());
    works(&here, here.port(), &[]).await;
    works(&here, here.port(), &["ssh_host_keys: strict"]).await;
    assert_eq!(text(&known).lines().count(), 1);
    assert_eq!(std::fs::metadata(&known).unwrap().permissions().mode() & 0o777, 0o600);
    // Hashed, as many distributions do it.
    Here::run("ssh-keygen", &["-q", "-H", "-f", known.to_str().unwrap()]);
    assert!(text(&known).starts_with("|1|"));
    works(&here, here.port(), &["ssh_host_keys: strict"]).await;
    let other = here.path().join("other");
    Here::run("ssh-keygen", &["-q", "-t", "ed25519", "-N", "", "-f", other.to_str().unwrap()]);
    let key: Vec<String> =
        text(&other.with_extension("pub")).split(' ').take(2).map(str::to_owned).collect();
    let line = format!("# first\n[127.0.0.1]:{} {}\n", here.port(), key.join(" "));
    std::fs::write(&known, &line).unwrap();
    let error = fails(&here, here.port(), &[]).await;
    let print = Here::run(
        "ssh-keygen",
        &["-l", "-f", here.services.join("host_key.pub").to_str().unwrap()],
    );
    let print = print.split(' ').nth(1).unwrap();
    assert!(error.contains("HAS CHANGED") && error.contains(print), "{error}");
    assert!(error.contains("known_hosts line 2"), "{error}");
    assert_eq!(text(&known), line);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_host_that_is_known_by_one_kind_of_key_is_asked_for_that() {
    let Some(here) = Here::new() else { return };
    let rsa = here.path().join("rsa");
    Here::run("ssh-keygen", &["-q", "-t", "rsa", "-N", "", "-f", rsa.to_str().unwrap()]);
    let first = format!("HostKey {}", here.services.join("host_key").display());
    let second = format!("HostKey {}", rsa.display());
    let server = Server::start(&here, &[&first, &second]);
    let key: Vec<String> =
        text(&rsa.with_extension("pub")).split(' ').take(2).map(str::to_owned).collect();
    let line = format!("[127.0.0.1]:{} {}\n", server.port, key.join(" "));
    std::fs::write(here.path().join("known_hosts"), line).unwrap();
    works(&here, server.port, &["ssh_host_keys: strict"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_name_of_the_configuration_leads_through_a_jump_host() {
    let Some(here) = Here::new() else { return };
    // What lies behind is only reached from the jump host's own process; there is nothing to see
    // of that on one machine but the log of the server.
    let jump = Server::start(&here, &["AllowTcpForwarding yes", "LogLevel DEBUG1"]);
    let config = here.path().join("ssh_config");
    let key = here.key().display().to_string();
    let included = here.path().join("included");
    std::fs::write(
        &included,
        format!("Host jump\n  HostName 127.0.0.1\n  Port {}\n  User hexad-noisy\n  IdentityFile {key}\n", jump.port),
    )
    .unwrap();
    std::fs::write(
        &config,
        format!(
            "Include {}\nHost behind\n  HostName 127.0.0.1\n  Port {}\n  User hexad-plain\n  \
             IdentityFile {key}\n  IdentitiesOnly yes\n  ProxyJump jump\nHost piped\n  HostName \
             127.0.0.1\n  Port {}\n  User hexad-plain\n  IdentityFile {key}\n  ProxyCommand \
             bash -c 'exec 3<>/dev/tcp/%h/%p 4<&0; cat <&4 >&3 & exec cat <&3 4<&-'\n",
            included.display(),
            here.port(),
            here.port()
        ),
    )
    .unwrap();
    let line = format!("ssh_config: {}", config.display());
    let lines = ["ssh_host: behind", "ssh_user:", "ssh_port:", "ssh_key:", &line];
    let hexad = here.hexad(0, &lines).await;
    let result = run(&hexad.task("t"), "echo \"$USER\"").await;
    assert_eq!(result.text(), "hexad-plain\n");
    hexad.shutdown().await.unwrap();
    let log = text(&jump.log());
    assert!(log.contains("direct-tcpip"), "{log}");
    let lines = ["ssh_host: piped", "ssh_user:", "ssh_port:", "ssh_key:", &line];
    works(&here, 0, &lines).await;
}
