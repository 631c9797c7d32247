//! First contact with a host: which shell it has, what a login there begins with.

use hexad_actors::shell::quote::{is_variable_name, posix_quote};
use hexad_actors::{BackendError, Unavailable};

use super::link::Link;
use crate::backend::ask::is_new_enough;

/// What was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Probed {
    /// The path of a bash that is new enough.
    pub(super) bash: Option<String>,
    /// The path of the POSIX shell.
    pub(super) sh: String,
    pub(super) home: String,
    /// The first directory, if it can be entered.
    pub(super) cwd: Option<String>,
    /// What the server and the login shell give to a command.
    pub(super) env: Vec<(String, String)>,
    pub(super) system: String,
    /// Whether there is a process table that can be searched for marks.
    pub(super) has_proc: bool,
}

const SCRIPT: &str = r#"
b=$(command -v bash)
v=
[ -z "$b" ] || v=$("$b" --norc --noprofile -c 'echo "$BASH_VERSION"')
echo "bash=$b"
echo "version=$v"
s=$(command -v sh)
case $s in /*) ;; *) s=/bin/sh;; esac
echo "sh=$s"
echo "system=$(uname -sm)"
[ ! -r "/proc/$$/environ" ] || echo proc=
h=$HOME
[ -n "$h" ] || h=/
echo "home=$h"
case $__cwd in
'') d=$h;;
'~') d=$h;;
'~/'*) d=$h/${__cwd#??};;
/*) d=$__cwd;;
*) d=$h/$__cwd;;
esac
echo "cwd=$(unset CDPATH; cd -- "$d" && pwd)"
for n in HOME USER LOGNAME SHELL PATH LANG LC_ALL LC_CTYPE TZ MAIL XDG_RUNTIME_DIR SSH_CLIENT SSH_CONNECTION; do
eval "x=\${$n-}"
case $x in ''|*"
"*) ;; *) echo "env=$n=$x";; esac
done
unset b v s h d n x __cwd
"#;

/// Asks the host.
///
/// # Errors
/// It cannot be asked, or has no shell.
pub(super) async fn probe(link: &Link, cwd: Option<&str>) -> Result<Probed, BackendError> {
    let cwd = posix_quote(cwd.unwrap_or_default().as_bytes());
    let script = format!("__cwd={}\n{SCRIPT}", String::from_utf8_lossy(&cwd));
    let answer = link.ask(&script).await?;
    let probed = read(&String::from_utf8_lossy(&answer));
    if probed.sh.is_empty() {
        return Err(BackendError::unavailable(
            Unavailable::NoBinary,
            format!("{} has no POSIX shell that hexad can use", link.access().host),
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
            "system" => probed.system = value.to_owned(),
            "proc" => probed.has_proc = true,
            "cwd" if value.starts_with('/') => probed.cwd = Some(value.to_owned()),
            "env" => {
                let pair = value.split_once('=').filter(|(name, _)| is_variable_name(name));
                probed.env.extend(pair.map(|(n, v)| (n.to_owned(), v.to_owned())));
            }
            _ => {}
        }
    }
    probed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_read() {
        let text = "bash=/bin/bash\nversion=5.2.15(1)-release\nsh=/bin/sh\nhome=/h\ncwd=/h/x\n\
                    env=PATH=/bin:/usr/bin\nenv=X Y=1\nsystem=Linux x86_64\nproc=\n";
        let probed = read(text);
        assert_eq!(probed.bash.as_deref(), Some("/bin/bash"));
        assert_eq!(probed.cwd.as_deref(), Some("/h/x"));
        assert_eq!(probed.env, [("PATH".to_owned(), "/bin:/usr/bin".to_owned())]);
        assert!(probed.has_proc);
    }

    #[test]
    fn an_old_bash_is_none_and_a_missing_directory_too() {
        let probed = read("bash=/bin/bash\nversion=3.2.57(1)-release\nsh=/bin/sh\ncwd=\n");
        assert_eq!((probed.bash, probed.cwd), (None, None));
    }
}
