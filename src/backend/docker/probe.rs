//! First contact with a container: which shell it has, and where its user is at home.

use hexad_actors::backend::SpawnSpec;
use hexad_actors::{BackendError, Unavailable};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::time::timeout;

use super::connect::QUICK;
use super::exec;
use super::instance::Instance;

/// What was found.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Probed {
    /// The path of a bash that is new enough.
    pub(super) bash: Option<String>,
    /// The path of the POSIX shell.
    pub(super) sh: String,
    pub(super) home: String,
    /// Whether files can be made there.
    pub(super) home_is_writable: bool,
    /// Whether the first directory can be entered.
    pub(super) cwd_is_there: bool,
}

const SCRIPT: &str = r#"
b=$(command -v bash 2>/dev/null)
v=
[ -z "$b" ] || v=$("$b" --norc --noprofile -c 'echo "$BASH_VERSION"' 2>/dev/null)
echo "bash=$b"
echo "version=$v"
echo "sh=$(command -v sh)"
echo "home=$HOME"
[ ! -w "$HOME" ] || echo home_is_writable=
[ -z "$__cwd" ] || ! cd "$__cwd" 2>/dev/null || echo cwd_is_there=
"#;

/// Asks the container.
pub(super) async fn probe(
    instance: &Instance,
    env: &[(String, String)],
    cwd: Option<&str>,
) -> Result<Probed, BackendError> {
    let mut env: Vec<_> = env.iter().map(|(n, v)| (n.into(), v.into())).collect();
    env.push(("__cwd".into(), cwd.unwrap_or_default().into()));
    let spec = SpawnSpec { argv: ["sh", "-s"].map(Into::into).to_vec(), env };
    let work = async {
        let mut process = exec::spawn(instance, &spec).await?;
        let io = |e: std::io::Error| BackendError::lost(format!("talking to the container: {e}"));
        process.stdin.write_all(SCRIPT.as_bytes()).await.map_err(io)?;
        process.stdin.shutdown().await.map_err(io)?;
        let (mut out, mut err) = (String::new(), String::new());
        process.stdout.read_to_string(&mut out).await.map_err(io)?;
        process.control.read_to_string(&mut err).await.map_err(io)?;
        Ok((out, err))
    };
    let (out, err) = timeout(QUICK * 2, work).await.map_err(|_| {
        BackendError::unavailable(
            Unavailable::Deadline,
            format!("the container {} did not answer a first command", instance.short_id()),
        )
    })??;
    let probed = read(&out);
    if probed.sh.is_empty() {
        return Err(BackendError::unavailable(
            Unavailable::NoBinary,
            format!("the image has no sh that works: {}", err.trim()),
        ));
    }
    Ok(probed)
}

fn read(text: &str) -> Probed {
    let mut probed = Probed::default();
    let mut bash = None;
    for line in text.lines() {
        let (name, value) = line.split_once('=').unwrap_or((line, ""));
        match name {
            "bash" if value.starts_with('/') => bash = Some(value.to_owned()),
            "version" if is_new_enough(value) => probed.bash = bash.take(),
            "sh" => probed.sh = value.to_owned(),
            "home" => probed.home = value.to_owned(),
            "home_is_writable" => probed.home_is_writable = true,
            "cwd_is_there" => probed.cwd_is_there = true,
            _ => {}
        }
    }
    probed
}

/// Whether a version of bash is 4.1 or newer.
fn is_new_enough(version: &str) -> bool {
    let mut numbers = version.split(|c: char| !c.is_ascii_digit()).map(|n| n.parse().unwrap_or(0));
    let own: (u32, u32) = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
    own >= (4, 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_old_bash_is_none() {
        let text = "bash=/bin/bash\nversion=3.2.57(1)-release\nsh=/bin/sh\nhome=/root\n";
        let probed = read(text);
        assert_eq!((probed.bash, probed.sh.as_str()), (None, "/bin/sh"));
        let text = "bash=/bin/bash\nversion=5.2.15(1)-release\nsh=/bin/sh\nhome=/\ncwd_is_there=\n";
        let probed = read(text);
        assert_eq!(probed.bash.as_deref(), Some("/bin/bash"));
        assert!(probed.cwd_is_there && !probed.home_is_writable);
    }
}
