use std::path::PathBuf;

use super::*;
use crate::config::Config;
use crate::host::Host;

fn settings(lines: &str) -> Settings {
    let text = format!("terminal:\n  backend: docker\n{lines}");
    let config = Config::parse(&text, "test.yaml", &BTreeMap::default(), &[]).unwrap();
    let env = vec![("HOME".into(), "/nobody".into()), ("FORWARDED".into(), "secret".into())];
    Settings::new(config.profile(None).unwrap(), &Host::with_env(env)).unwrap()
}

fn body_for(settings: &Settings, user: Option<&str>) -> ContainerCreateBody {
    let image = ImageConfig { user: user.map(str::to_owned), ..ImageConfig::default() };
    let limits = Limits { pids: Some(256), ..Limits::default() };
    let folder = PathBuf::from("/sandbox/t");
    Plan {
        settings,
        image: &image,
        limits: &limits,
        folder: &folder,
        init: true,
        labels: HashMap::new(),
    }
    .body()
    .unwrap()
}

fn body(lines: &str) -> ContainerCreateBody {
    body_for(&settings(lines), None)
}

#[test]
fn the_hardening_is_always_on() {
    let host = body("").host_config.unwrap();
    assert_eq!(host.cap_drop.unwrap(), ["ALL"]);
    let added = ["DAC_OVERRIDE", "CHOWN", "FOWNER", "SETUID", "SETGID", "KILL"];
    assert_eq!(host.cap_add.unwrap(), added);
    assert_eq!(host.security_opt.unwrap(), ["no-new-privileges"]);
    assert_eq!(host.pids_limit, Some(256));
    assert_eq!(host.init, Some(true));
    let tmpfs = host.tmpfs.unwrap();
    assert!(tmpfs["/var/tmp"].contains("noexec") && tmpfs["/run"].contains("noexec"));
    assert!(!tmpfs["/tmp"].contains("noexec"));
    assert_eq!(host.network_mode, None);
    assert_eq!(host.privileged, None);
}

#[test]
fn a_user_of_the_host_gets_fewer_capabilities_and_a_home() {
    let mut settings = settings("");
    settings.user = Some((1000, 100));
    let body = body_for(&settings, None);
    assert_eq!(body.user.as_deref(), Some("1000:100"));
    assert!(body.env.unwrap().contains(&"HOME=/root".to_owned()));
    assert_eq!(body.host_config.unwrap().cap_add.unwrap(), CAPABILITIES);
}

#[test]
fn files_are_kept_in_folders_of_this_machine_or_in_memory() {
    let kept = body("").host_config.unwrap();
    assert_eq!(kept.binds.unwrap(), ["/sandbox/t/home:/root", "/sandbox/t/workspace:/workspace"]);
    assert!(!kept.tmpfs.unwrap().contains_key("/workspace"));
    let gone = body("  container_persistent: false\n").host_config.unwrap();
    assert!(gone.binds.unwrap().is_empty());
    let tmpfs = gone.tmpfs.unwrap();
    assert!(["/workspace", "/home", "/root"].iter().all(|place| tmpfs.contains_key(*place)));
}

#[test]
fn nothing_is_put_over_the_home_of_an_images_own_user() {
    let settings = settings("  container_persistent: false\n");
    let host = body_for(&settings, Some("app")).host_config.unwrap();
    let tmpfs = host.tmpfs.unwrap();
    assert!(tmpfs.contains_key("/workspace") && !tmpfs.contains_key("/home"));
}

#[test]
fn a_mount_of_the_user_takes_the_place_of_ours() {
    let body = body("  docker_volumes: ['/data:/workspace', '/x:/tmp']\n");
    let host = body.host_config.unwrap();
    assert_eq!(host.binds.unwrap(), ["/sandbox/t/home:/root", "/data:/workspace", "/x:/tmp"]);
    assert!(!host.tmpfs.unwrap().contains_key("/tmp"));
}

#[test]
fn no_network_stays_no_network() {
    let body = body("  docker_network: false\n");
    assert_eq!(body.host_config.unwrap().network_mode.as_deref(), Some("none"));
    let text = "terminal:\n  backend: docker\n  docker_network: false\n  docker_extra_args: ['--network=bridge']\n";
    let config = Config::parse(text, "test.yaml", &BTreeMap::default(), &[]).unwrap();
    let refused = Settings::new(config.profile(None).unwrap(), &Host::with_env(Vec::new()));
    assert!(refused.unwrap_err().contains("docker_network"));
}

#[test]
fn a_forwarded_variable_is_not_in_the_containers_configuration() {
    let settings = settings("  docker_forward_env: [FORWARDED]\n  docker_env: {A: '1'}\n");
    assert_eq!(settings.forwarded, [("FORWARDED".to_owned(), "secret".to_owned())]);
    assert_eq!(body_for(&settings, None).env.unwrap(), ["A=1"]);
}

#[test]
fn labels_of_hexad_are_stronger_than_given_ones() {
    let settings = settings("  docker_extra_args: ['--label=team=a']\n");
    let labels = body_for(&settings, None).labels.unwrap();
    assert_eq!(labels["team"], "a");
}
