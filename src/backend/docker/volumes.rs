//! Mounts: what the configuration asks for, checked, and what the product adds.

use std::path::{Path, PathBuf};

use hexad_actors::Notice;

/// A mount of something of this machine, or of a named volume.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Bind {
    /// A path of the daemon's machine, or the name of a volume.
    pub(super) source: String,
    /// Where it is in the container.
    pub(super) target: String,
    /// What follows the second colon.
    pub(super) options: Option<String>,
}

impl Bind {
    pub(super) fn new(source: &Path, target: impl Into<String>) -> Self {
        Self { source: source.display().to_string(), target: target.into(), options: None }
    }

    pub(super) fn read_only(source: &Path, target: impl Into<String>) -> Self {
        Self { options: Some("ro".into()), ..Self::new(source, target) }
    }

    /// Reads `host:container[:options]`.
    pub(super) fn parse(text: &str, home: &Path) -> Result<Self, String> {
        let mut parts = text.split(':');
        let (Some(source), Some(target), options, None) =
            (parts.next(), parts.next(), parts.next(), parts.next())
        else {
            return Err("it is not host:container or host:container:options".into());
        };
        if source.is_empty() {
            return Err("the part before the colon is empty".into());
        }
        if !target.starts_with('/') || target.split('/').any(|part| part == "..") {
            return Err(format!("{target:?} is not an absolute path in the container"));
        }
        if let Some(unknown) =
            options.and_then(|o| o.split(',').find(|word| !OPTIONS.contains(word)))
        {
            return Err(format!("{unknown:?} is no option; known are {}", OPTIONS.join(", ")));
        }
        Ok(Self {
            source: expand(source, home),
            target: target.trim_end_matches('/').to_owned(),
            options: options.map(str::to_owned),
        })
    }

    /// As the daemon's API takes it.
    pub(super) fn to_api(&self) -> String {
        match &self.options {
            Some(options) => format!("{}:{}:{options}", self.source, self.target),
            None => format!("{}:{}", self.source, self.target),
        }
    }

    /// Whether the container can rule the machine through this mount.
    pub(super) fn is_control_socket(&self) -> bool {
        let name = Path::new(&self.source).file_name().and_then(|n| n.to_str());
        matches!(name, Some("docker.sock" | "podman.sock" | "containerd.sock"))
    }
}

const OPTIONS: &[&str] = &[
    "ro",
    "rw",
    "z",
    "Z",
    "cached",
    "delegated",
    "consistent",
    "nocopy",
    "private",
    "rprivate",
    "shared",
    "rshared",
    "slave",
    "rslave",
];

fn expand(path: &str, home: &Path) -> String {
    match path.strip_prefix('~') {
        Some("") => home.display().to_string(),
        Some(rest) if rest.starts_with('/') => format!("{}{rest}", home.display()),
        _ => path.to_owned(),
    }
}

/// The configured mounts that make sense; a notice for each that does not, or that gives the
/// container the run of the machine.
pub(super) fn configured(texts: &[String], home: &Path) -> (Vec<Bind>, Vec<Notice>) {
    let mut binds = Vec::new();
    let mut notices = Vec::new();
    for text in texts {
        match Bind::parse(text.trim(), home) {
            Ok(bind) => {
                if bind.is_control_socket() {
                    notices.push(Notice::new(
                        "host_access",
                        format!(
                            "the mount {text} gives commands in the container the same power \
                             over this machine that hexad has"
                        ),
                    ));
                }
                binds.push(bind);
            }
            Err(why) => notices.push(Notice::new(
                "volume_skipped",
                format!("docker_volumes: {text:?} was not mounted: {why}"),
            )),
        }
    }
    (binds, notices)
}

/// The credential files that are there, read-only below the container's home. One that is missing
/// or a folder is left out: a daemon would make a folder of that name.
pub(super) fn credentials(
    files: &[String],
    home: &Path,
    container_home: &str,
) -> (Vec<Bind>, Vec<Notice>) {
    let mut binds = Vec::new();
    let mut notices = Vec::new();
    for file in files {
        let mut source = PathBuf::from(expand(file, home));
        if source.is_relative() {
            source = home.join(".hermes").join(source);
        }
        if !source.is_file() {
            notices.push(Notice::new(
                "credential_skipped",
                format!("credential_files: {} is no file here and was left out", source.display()),
            ));
            continue;
        }
        let target = match source.strip_prefix(home) {
            Ok(below) => format!("{}/{}", container_home.trim_end_matches('/'), below.display()),
            Err(_) => source.display().to_string(),
        };
        binds.push(Bind::read_only(&source, target));
    }
    (binds, notices)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mount_is_read_and_written() {
        let home = Path::new("/home/u");
        let bind = Bind::parse("~/data:/data/:ro,z", home).unwrap();
        assert_eq!(bind.to_api(), "/home/u/data:/data:ro,z");
        assert_eq!(Bind::parse("cache:/c", home).unwrap().to_api(), "cache:/c");
        for bad in ["/data", ":/x", "/a:b", "/a:/b:rubbish", "/a:/b:ro:x", "/a:/b/../etc"] {
            assert!(Bind::parse(bad, home).is_err(), "{bad}");
        }
    }

    #[test]
    fn what_makes_no_sense_is_said_and_left_out() {
        let texts = ["/a:/b", "nonsense", "/var/run/docker.sock:/var/run/docker.sock"];
        let (binds, notices) = configured(&texts.map(str::to_owned), Path::new("/"));
        assert_eq!(binds.len(), 2);
        let codes: Vec<_> = notices.iter().map(|n| n.code.as_str()).collect();
        assert_eq!(codes, ["volume_skipped", "host_access"]);
    }

    #[test]
    fn credentials_are_mounted_read_only_if_they_are_files() {
        let home = tempfile::tempdir().unwrap();
        std::fs::write(home.path().join("token"), "x").unwrap();
        std::fs::create_dir(home.path().join("folder")).unwrap();
        let files = ["~/token", "~/folder", "missing"].map(str::to_owned);
        let (binds, notices) = credentials(&files, home.path(), "/root");
        assert_eq!(binds.len(), 1);
        assert_eq!(binds[0].target, "/root/token");
        assert_eq!(binds[0].options.as_deref(), Some("ro"));
        assert_eq!(notices.len(), 2);
    }
}
