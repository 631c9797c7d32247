//! `docker_extra_args`: arguments in the form that `docker run` takes, as far as they are known.
//!
//! What is not in the list is refused by name, so nothing is accepted and then ignored. What would
//! undo the hardening as a whole (`--privileged`, the host's namespaces) is not in the list.

use bollard::models::{DeviceMapping, HostConfig, ResourcesUlimits};

/// A known argument with its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Extra {
    name: &'static str,
    value: String,
}

/// Names, the short form, and whether there is a value.
const KNOWN: &[(&str, Option<&str>, bool)] = &[
    ("--add-host", None, true),
    ("--cap-add", None, true),
    ("--cap-drop", None, true),
    ("--cpu-shares", Some("-c"), true),
    ("--cpuset-cpus", None, true),
    ("--device", None, true),
    ("--dns", None, true),
    ("--env", Some("-e"), true),
    ("--group-add", None, true),
    ("--hostname", Some("-h"), true),
    ("--label", Some("-l"), true),
    ("--memory-swap", None, true),
    ("--network", None, true),
    ("--pids-limit", None, true),
    ("--read-only", None, false),
    ("--runtime", None, true),
    ("--shm-size", None, true),
    ("--tmpfs", None, true),
    ("--ulimit", None, true),
    ("--user", Some("-u"), true),
    ("--userns", None, true),
    ("--volume", Some("-v"), true),
];

/// Reads the arguments.
pub(super) fn parse(arguments: &[String]) -> Result<Vec<Extra>, String> {
    let mut extras = Vec::new();
    let mut words = arguments.iter().flat_map(|a| a.split_whitespace());
    while let Some(word) = words.next() {
        let (name, inline) = match word.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (word, None),
        };
        let name = if name == "--net" { "--network" } else { name };
        let Some((name, _, takes)) =
            KNOWN.iter().find(|(long, short, _)| *long == name || *short == Some(name))
        else {
            let known: Vec<&str> = KNOWN.iter().map(|(long, ..)| *long).collect();
            return Err(format!(
                "docker_extra_args: {name} is not taken; known are {}",
                known.join(", ")
            ));
        };
        let value = match (takes, inline) {
            (false, _) => "true".to_owned(),
            (true, Some(value)) => value.to_owned(),
            (true, None) => words
                .next()
                .ok_or_else(|| format!("docker_extra_args: {name} needs a value"))?
                .to_owned(),
        };
        let extra = Extra { name, value };
        extra.apply(&mut Target::default())?;
        extras.push(extra);
    }
    Ok(extras)
}

/// What arguments change.
#[derive(Debug, Default)]
pub(super) struct Target {
    pub(super) host: HostConfig,
    pub(super) env: Vec<String>,
    pub(super) hostname: Option<String>,
    pub(super) user: Option<String>,
    pub(super) labels: Vec<(String, String)>,
    pub(super) binds: Vec<String>,
}

impl Extra {
    /// Whether this gives a container without a network one after all.
    pub(super) fn opens_network(&self) -> bool {
        self.name == "--network" && self.value != "none"
    }

    pub(super) fn is_user(&self) -> bool {
        self.name == "--user"
    }

    /// As it is shown; values of variables are not.
    pub(super) fn shown(&self) -> String {
        match (self.name, self.value.split_once('=')) {
            ("--env", Some((variable, _))) => format!("--env {variable}"),
            ("--read-only", _) => "--read-only".into(),
            _ => format!("{} {}", self.name, self.value),
        }
    }

    pub(super) fn apply(&self, target: &mut Target) -> Result<(), String> {
        let value = &self.value;
        let bad = |what: &str| format!("docker_extra_args: {} {value}: {what}", self.name);
        let number = || value.parse::<i64>().map_err(|_| bad("not a whole number"));
        let bytes = || bytes(value).ok_or_else(|| bad("not a size such as 64m"));
        let push =
            |list: &mut Option<Vec<String>>| list.get_or_insert_default().push(value.clone());
        let host = &mut target.host;
        match self.name {
            "--add-host" => push(&mut host.extra_hosts),
            "--cap-add" if value.eq_ignore_ascii_case("all") => {
                return Err(bad("all capabilities at once are not given"));
            }
            "--cap-add" => push(&mut host.cap_add),
            "--cap-drop" => push(&mut host.cap_drop),
            "--cpu-shares" => host.cpu_shares = Some(number()?),
            "--cpuset-cpus" => host.cpuset_cpus = Some(value.clone()),
            "--device" => {
                let mut parts = value.split(':');
                let on_host = parts.next().filter(|p| p.starts_with('/'));
                let on_host = on_host.ok_or_else(|| bad("not a device path"))?;
                let inside = parts.next().unwrap_or(on_host);
                host.devices.get_or_insert_default().push(DeviceMapping {
                    path_on_host: Some(on_host.into()),
                    path_in_container: Some(inside.into()),
                    cgroup_permissions: Some(parts.next().unwrap_or("rwm").into()),
                });
            }
            "--dns" => push(&mut host.dns),
            "--env" if value.contains('=') => target.env.push(value.clone()),
            "--env" => return Err(bad("say NAME=VALUE, or use docker_forward_env")),
            "--group-add" => push(&mut host.group_add),
            "--hostname" => target.hostname = Some(value.clone()),
            "--label" => {
                let (name, value) = value.split_once('=').unwrap_or((value, ""));
                if name == "hexad" || name.starts_with("hexad.") {
                    return Err(bad("labels of hexad are its own"));
                }
                target.labels.push((name.into(), value.into()));
            }
            "--memory-swap" => {
                host.memory_swap = Some(if value == "-1" { -1 } else { bytes()? });
            }
            "--network" if matches!(value.as_str(), "host") || value.starts_with("container:") => {
                return Err(bad("the network of the machine or of another container is not given"));
            }
            "--network" => host.network_mode = Some(value.clone()),
            "--pids-limit" => host.pids_limit = Some(number()?),
            "--read-only" => host.readonly_rootfs = Some(true),
            "--runtime" => host.runtime = Some(value.clone()),
            "--shm-size" => host.shm_size = Some(bytes()?),
            "--tmpfs" => {
                let (path, options) = value.split_once(':').unwrap_or((value, ""));
                host.tmpfs.get_or_insert_default().insert(path.into(), options.into());
            }
            "--ulimit" => host
                .ulimits
                .get_or_insert_default()
                .push(ulimit(value).ok_or_else(|| bad("not a limit such as nofile=1024:2048"))?),
            "--user" => target.user = Some(value.clone()),
            "--userns" if value == "host" => {
                return Err(bad("the user namespace of the machine is not given"));
            }
            "--userns" => host.userns_mode = Some(value.clone()),
            "--volume" => {
                let bind = super::volumes::Bind::parse(value, std::path::Path::new("~"))
                    .map_err(|why| bad(&why))?;
                target.binds.push(bind.to_api());
            }
            _ => return Err(bad("not taken")),
        }
        Ok(())
    }
}

fn bytes(text: &str) -> Option<i64> {
    let text = text.to_ascii_lowercase();
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit: i64 = match &text[digits.len()..] {
        "" | "b" => 1,
        "k" | "kb" => 1 << 10,
        "m" | "mb" => 1 << 20,
        "g" | "gb" => 1 << 30,
        _ => return None,
    };
    digits.parse::<i64>().ok()?.checked_mul(unit)
}

fn ulimit(text: &str) -> Option<ResourcesUlimits> {
    let (name, limits) = text.split_once('=')?;
    let (soft, hard) = limits.split_once(':').unwrap_or((limits, limits));
    Some(ResourcesUlimits {
        name: Some(name.into()),
        soft: Some(soft.parse().ok()?),
        hard: Some(hard.parse().ok()?),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn applied(arguments: &[&str]) -> Result<Target, String> {
        let arguments: Vec<String> = arguments.iter().map(|a| (*a).to_owned()).collect();
        let mut target = Target::default();
        for extra in parse(&arguments)? {
            extra.apply(&mut target)?;
        }
        Ok(target)
    }

    #[test]
    fn known_arguments_do_what_docker_run_does() {
        let target = applied(&[
            "--shm-size=64m",
            "-e",
            "A=1",
            "--ulimit nofile=10:20",
            "--add-host a:1.2.3.4",
            "--device /dev/fuse",
            "--read-only",
        ])
        .unwrap();
        assert_eq!(target.host.shm_size, Some(64 << 20));
        assert_eq!(target.env, ["A=1"]);
        assert_eq!(target.host.ulimits.unwrap()[0].hard, Some(20));
        assert_eq!(target.host.extra_hosts.unwrap(), ["a:1.2.3.4"]);
        assert_eq!(target.host.devices.unwrap()[0].path_in_container.as_deref(), Some("/dev/fuse"));
        assert_eq!(target.host.readonly_rootfs, Some(true));
    }

    #[test]
    fn what_is_not_known_or_undoes_the_hardening_is_refused() {
        for bad in [
            "--privileged",
            "--pid=host",
            "--network=host",
            "--cap-add=ALL",
            "--entrypoint=x",
            "--shm-size=much",
            "--memory-swap",
            "--label=hexad.keep=1",
            "--env=NAME",
        ] {
            assert!(applied(&[bad]).is_err(), "{bad}");
        }
    }

    #[test]
    fn values_of_variables_are_not_shown() {
        let extras = parse(&["-e".into(), "TOKEN=secret".into()]).unwrap();
        assert_eq!(extras[0].shown(), "--env TOKEN");
    }
}
