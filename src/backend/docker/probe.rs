//! First contact with a container: which shell it has, and where its user is at home.

use hexad_actors::shell::quote::posix_quote;
use hexad_actors::{BackendError, Unavailable};

use super::warden::Warden;
use crate::backend::ask::is_new_enough;

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
    /// Processes of runtimes that are dead, which were ended.
    pub(super) ended: usize,
}

const SCRIPT: &str = r#"
b=$(command -v bash 2>/dev/null)
v=
# A shell may call itself sh without a path, so the files are looked for.
[ -z "$b" ] || v=$("$b" --norc --noprofile -c 'echo "$BASH_VERSION"' 2>/dev/null)
echo "bash=$b"
echo "version=$v"
s=
old=$IFS; IFS=:
for d in $PATH; do
    case $d in /*) [ ! -x "$d/sh" ] || { s=$d/sh; break; };; esac
done
IFS=$old
echo "sh=$s"
echo "home=$HOME"
if [ -n "$__mark" ]; then
    for f in $(grep -l HEXAD_MARK= /proc/[0-9]*/environ 2>/dev/null); do
        grep -q "HEXAD_MARK=[^=]*$__mark[.]" "$f" 2>/dev/null && continue
        p=${f#/proc/}
        kill -KILL "${p%/environ}" 2>/dev/null && echo ended=
    done
fi
[ ! -w "$HOME" ] || echo home_is_writable=
[ -z "$__cwd" ] || ! cd "$__cwd" 2>/dev/null || echo cwd_is_there=
cd /
"#;

/// Asks the container. With a `mark`, processes of other runtimes than the one of that mark are
/// ended: the caller knows that those are dead.
pub(super) async fn probe(
    warden: &Warden,
    cwd: Option<&str>,
    mark: Option<&str>,
) -> Result<Probed, BackendError> {
    let mut script = b"__cwd=".to_vec();
    script.extend(posix_quote(cwd.unwrap_or_default().as_bytes()));
    script.extend(format!("\n__mark={}\n", mark.unwrap_or_default()).into_bytes());
    let script = format!("{}{SCRIPT}", String::from_utf8_lossy(&script));
    let answer = warden.ask(&script).await?;
    let probed = read(&String::from_utf8_lossy(&answer));
    if probed.sh.is_empty() {
        return Err(BackendError::unavailable(
            Unavailable::NoBinary,
            "the image has no sh in its PATH; choose an image with bash (docker_image)",
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
            "ended" => probed.ended += 1,
            "cwd_is_there" => probed.cwd_is_there = true,
            _ => {}
        }
    }
    probed
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
