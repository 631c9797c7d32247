//! The ssh backend, where `HEXAD_TEST_SSH` names the folder that tells of the servers
//! (`scripts/services`). What becomes of connections is tested in `tests/ssh`.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use hexad::Hexad;

use super::row::{Need, Wish};
use super::target::{Runtime, Target, config, host};

/// The targets that can run here. In CI the servers have to be there.
pub fn targets() -> Vec<Arc<dyn Target>> {
    match std::env::var("HEXAD_TEST_SSH") {
        Ok(folder) if !folder.is_empty() => {
            let target = |name, port| -> Arc<dyn Target> {
                Arc::new(OverSsh { name, port, folder: PathBuf::from(&folder) })
            };
            let mut all = vec![target("ssh", "port")];
            // Only where it is asked for: with commands at once, Debian 12's dropbear now and then ends a
            // connection by a failed assertion of its own, and the rows on it fail.
            let wanted = std::env::var("HEXAD_TEST_TARGETS").unwrap_or_default();
            if wanted.contains("ssh-dropbear") {
                all.push(target("ssh-dropbear", "dropbear_port"));
            }
            all
        }
        _ => {
            let required = std::env::var("CI").is_ok_and(|ci| ci == "true");
            assert!(!required, "HEXAD_TEST_SSH is not set: start scripts/services");
            Vec::new()
        }
    }
}

struct OverSsh {
    name: &'static str,
    /// The file that holds the port.
    port: &'static str,
    folder: PathBuf,
}

#[async_trait]
impl Target for OverSsh {
    fn name(&self) -> &'static str {
        self.name
    }

    fn has(&self, need: Need) -> bool {
        match need {
            Need::Bash | Need::ProcTable | Need::SharedFiles | Need::Persist => true,
            // The script finds marks and sessions; login files and policy are the local backend's.
            Need::Descendants | Need::Login | Need::HostEnvironment => false,
        }
    }

    async fn start(&self, wish: &Wish, folder: &Path) -> Runtime {
        let port = std::fs::read_to_string(self.folder.join(self.port)).unwrap();
        let lines = [
            "backend: ssh".to_owned(),
            "ssh_host: 127.0.0.1".to_owned(),
            "ssh_user: hexad-plain".to_owned(),
            format!("ssh_port: {}", port.trim()),
            format!("ssh_key: {}", self.folder.join("id_ed25519").display()),
            format!("ssh_known_hosts: {}", folder.join("known_hosts").display()),
        ];
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let mut builder = Hexad::builder(config(wish, &lines)).host(host(wish, folder));
        if wish.persist {
            builder = builder.persist(Some(Duration::from_secs(5)));
        }
        let hexad = builder.start().await.unwrap();
        Runtime { supervisor: hexad.supervisor(), profile: None, _keep: Box::new(hexad) }
    }
}
