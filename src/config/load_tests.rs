use std::collections::BTreeMap;
use std::time::Duration;

use hexad_actors::Settings;

use crate::config::{BackendKind, Config};

fn env(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
    pairs.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect()
}

fn parse(text: &str, vars: &[(&str, &str)], overrides: &[(&str, &str)]) -> Config {
    let overrides: Vec<_> =
        overrides.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
    Config::parse(text, "hexad.yaml", &env(vars), &overrides).unwrap()
}

/// A file as another product has it, with sections that are not ours.
const EXISTING: &str = r#"
model: {provider: "x", name: y}   # not ours
display:
  background_process_notifications: all
  display: [1, 2, {a: b}]
  display: twice is their affair
security: !custom
  terminal: {backend: nonsense}
tool_output:
  max_bytes: 20000
  max_lines: 100
anchors: &limits
  timeout: 60
  container_memory: 2048
terminal:
  <<: *limits
  env_type: docker
  cwd: .
  container_memory: 1024
  docker_image: "debian:13"
  docker_volumes:
  - /srv:/srv:ro
  - "/data:/data"
  docker_forward_env: '["LANG", "TZ"]'
  docker_env: {DEBUG: yes, VERSION: 1.10}
  docker_network: Off
  lifetime_seconds: "900"
  persistent_shell: true
  ssh_port: not a port, but ssh is not in use
  modal_mode:
mcp_servers: {}
"#;

#[test]
fn an_existing_file_works_unchanged() {
    let config = parse(EXISTING, &[], &[]);
    let profile = config.profile(None).unwrap();
    assert_eq!(profile.backend, BackendKind::Docker);
    assert_eq!(profile.cwd, None);
    assert_eq!(profile.timeout, Duration::from_secs(60));
    assert_eq!(profile.number("container_memory"), 1024);
    assert_eq!(profile.text("docker_image"), Some("debian:13"));
    assert_eq!(profile.list("docker_volumes"), ["/srv:/srv:ro", "/data:/data"]);
    assert_eq!(profile.list("docker_forward_env"), ["LANG", "TZ"]);
    assert_eq!(profile.map("docker_env"), &env(&[("DEBUG", "yes"), ("VERSION", "1.10")]));
    assert!(!profile.flag("docker_network"));
    assert_eq!(config.settings.idle_lifetime, Duration::from_secs(900));
    assert_eq!(config.settings.output_limit, 20_000);
    let notice = "hexad.yaml:28: terminal.persistent_shell has no effect: \
                  shell state always carries over, so there is nothing to choose";
    assert_eq!(config.notices, [notice]);
}

#[test]
fn nothing_given_is_the_defaults() {
    let builtin = format!("{:?}", Config { file: Some("hexad.yaml".into()), ..Config::builtin() });
    for text in [
        "",
        "\n",
        "# only a comment\n",
        "---\n",
        "~",
        "other: 1",
        "terminal:",
        "terminal: {}",
        "profiles:",
    ] {
        let config = parse(text, &[], &[]);
        assert_eq!(format!("{config:?}"), builtin, "{text:?}");
    }
    let settings = format!("{:?}", Config::builtin().settings);
    assert_eq!(settings, format!("{:?}", Settings::default()));
    assert_eq!(Config::builtin().profile(None).unwrap().backend, BackendKind::Local);
}

#[test]
fn precedence_is_command_line_environment_file_default() {
    for (over, var, file, expected) in [
        (Some("1"), Some("2"), Some("3"), 1),
        (Some("1"), Some("2"), None, 1),
        (Some("1"), None, Some("3"), 1),
        (Some("1"), None, None, 1),
        (None, Some("2"), Some("3"), 2),
        (None, Some("2"), None, 2),
        (None, None, Some("3"), 3),
        (None, None, None, 180),
        (None, Some(""), Some("3"), 3),
        (Some("1"), Some("broken"), Some("broken"), 1),
        (None, Some("2"), Some("broken"), 2),
    ] {
        let text = file.map_or_else(String::new, |value| format!("terminal: {{timeout: {value}}}"));
        let vars: Vec<_> = var.map(|value| ("TERMINAL_TIMEOUT", value)).into_iter().collect();
        let overrides: Vec<_> = over.map(|value| ("timeout", value)).into_iter().collect();
        let config = parse(&text, &vars, &overrides);
        let timeout = Duration::from_secs(expected);
        assert_eq!(config.profile(None).unwrap().timeout, timeout, "{over:?} {var:?} {file:?}");
        assert_eq!(config.settings.default_timeout, timeout);
    }
}

#[test]
fn the_last_override_of_a_key_counts() {
    let config = parse("", &[], &[("timeout", "1"), ("backend", "ssh"), ("timeout", "2")]);
    assert_eq!(config.settings.default_timeout, Duration::from_secs(2));
    let config = parse("", &[], &[("backend", "ssh"), ("env_type", "docker")]);
    assert_eq!(config.profile(None).unwrap().backend, BackendKind::Docker);
}

#[test]
fn variables_give_every_kind() {
    let config = parse(
        "",
        &[
            ("TERMINAL_ENV", "Docker"),
            ("TERMINAL_DOCKER_VOLUMES", r#"["/a:/a"]"#),
            ("TERMINAL_DOCKER_ENV", r#"{"A": "b"}"#),
            ("TERMINAL_DOCKER_NETWORK", "NO"),
            ("TERMINAL_CONTAINER_CPU", "0.25"),
            ("TERMINAL_CONTAINER_MEMORY", "512"),
            ("TERMINAL_LIFETIME_SECONDS", "0"),
            ("TERMINAL_MAX_FOREGROUND_TIMEOUT", "3600"),
            ("HEXAD_SPARES", "0"),
            ("TERMINAL_CWD", "/work"),
        ],
        &[],
    );
    let profile = config.profile(None).unwrap();
    assert_eq!(profile.backend, BackendKind::Docker);
    assert_eq!(profile.list("docker_volumes"), ["/a:/a"]);
    assert_eq!(profile.map("docker_env"), &env(&[("A", "b")]));
    assert!(!profile.flag("docker_network"));
    assert!((profile.decimal("container_cpu") - 0.25).abs() < f64::EPSILON);
    assert_eq!(profile.number("container_memory"), 512);
    assert_eq!(profile.cwd.as_deref(), Some("/work"));
    assert_eq!(config.settings.idle_lifetime, Duration::ZERO);
    assert_eq!(config.settings.max_timeout, Duration::from_secs(3600));
    assert_eq!(config.settings.spares, 0);
}

#[test]
fn settings_come_from_the_file() {
    let config = parse(
        "tool_output: {max_bytes: 7}\nterminal:\n  timeout: 1\n  max_foreground_timeout: 2\n  \
         daemon_term_grace_seconds: 0\n  lifetime_seconds: 4\n  queue_limit: 5\n  spares: 0\n  \
         spare_lifetime_seconds: 6\n  progress_seconds: 0.5\n  output_limit: 8\n  \
         login_timeout_seconds: 9\n  start_timeout_seconds: 10\n",
        &[],
        &[],
    );
    let expected = Settings {
        default_timeout: Duration::from_secs(1),
        max_timeout: Duration::from_secs(2),
        kill_grace: Duration::ZERO,
        idle_lifetime: Duration::from_secs(4),
        queue_limit: 5,
        spares: 0,
        spare_lifetime: Duration::from_secs(6),
        progress_interval: Duration::from_millis(500),
        output_limit: 8,
        login_timeout: Duration::from_secs(9),
        start_timeout: Duration::from_secs(10),
        ..Settings::default()
    };
    assert_eq!(format!("{:?}", config.settings), format!("{expected:?}"));
}

#[test]
fn values_of_backends_not_in_use_break_nothing() {
    let vars = [
        ("TERMINAL_DOCKER_VOLUMES", "not json"),
        ("TERMINAL_SSH_PORT", "x"),
        ("TERMINAL_CONTAINER_MEMORY", "lots"),
    ];
    let text = "terminal: {docker_env: 7, container_cpu: [], ssh_key: {}, modal_mode: x}\n\
                tool_output: not a mapping";
    let config = parse(text, &vars, &[("daytona_image", "\0")]);
    assert_eq!(config.profile(None).unwrap().backend, BackendKind::Local);
    assert!(config.notices.is_empty());
}

const PROFILES: &str = "\
terminal:
  timeout: 60
  docker_image: debian
  ssh_port: broken, and no profile uses it
profiles:
  box:
    backend: docker
    timeout: 90
  bare:
  Old.Name-1_x:
    env_type: docker
    docker_image: alpine
    docker_volumes: [a:a]
";

#[test]
fn profiles_inherit_the_section_and_override_it() {
    let config = parse(PROFILES, &[], &[]);
    let names: Vec<_> = config.profiles.keys().map(String::as_str).collect();
    assert_eq!(names, ["Old.Name-1_x", "bare", "box", "default"]);
    let profile = |name| config.profile(Some(name)).unwrap();
    let timeout = |name| profile(name).timeout.as_secs();
    assert_eq!((timeout("default"), timeout("box"), timeout("bare")), (60, 90, 60));
    assert_eq!(profile("default").backend, BackendKind::Local);
    assert_eq!(profile("bare").backend, BackendKind::Local);
    assert_eq!(profile("box").backend, BackendKind::Docker);
    assert_eq!(profile("box").text("docker_image"), Some("debian"));
    assert_eq!(profile("Old.Name-1_x").backend, BackendKind::Docker);
    assert_eq!(profile("Old.Name-1_x").text("docker_image"), Some("alpine"));
    assert_eq!(profile("box").name, "box");
    assert_eq!(config.settings.default_timeout.as_secs(), 60);
}

#[test]
fn an_older_key_in_a_profile_overrides_the_section() {
    let text = "terminal: {backend: ssh}\nprofiles: {box: {env_type: docker}}";
    let config = parse(text, &[], &[]);
    assert_eq!(config.profile(Some("box")).unwrap().backend, BackendKind::Docker);
    assert!(config.notices.is_empty());
}

#[test]
fn variables_and_command_line_are_for_the_default_profile() {
    let vars = [("TERMINAL_TIMEOUT", "5"), ("TERMINAL_DOCKER_IMAGE", "from-env")];
    let config = parse(PROFILES, &vars, &[("cwd", "/here"), ("queue_limit", "3")]);
    let default = config.profile(None).unwrap();
    assert_eq!((default.timeout.as_secs(), default.cwd.as_deref()), (5, Some("/here")));
    let bare = config.profile(Some("bare")).unwrap();
    assert_eq!((bare.timeout.as_secs(), bare.cwd.as_deref()), (60, None));
    assert_eq!(config.profile(Some("box")).unwrap().text("docker_image"), Some("debian"));
    assert_eq!(bare.number("queue_limit"), 3, "one value for the whole runtime");
}

#[test]
fn what_was_given_in_vain_is_a_notice() {
    let text = "\
terminal:
  backend: local
  env_type: docker
  sudo_password: hunter2
profiles:
  box:
    queue_limit: 1
    persistent_shell: false
    scratch_dir:
";
    let vars = [("TERMINAL_SSH_PERSISTENT", "1"), ("SUDO_PASSWORD", "hunter2")];
    let config = parse(text, &vars, &[("disk_warning_gb", "x")]);
    let expected = [
        "hexad.yaml:3: terminal.env_type has no effect: backend is given too",
        "hexad.yaml:4: terminal.sudo_password has no effect: hexad does not answer sudo's question yet",
        "hexad.yaml:7: profiles.box.queue_limit has no effect: it is one value for the whole runtime; put it in terminal",
        "hexad.yaml:8: profiles.box.persistent_shell has no effect: shell state always carries over, so there is nothing to choose",
        "command line: disk_warning_gb has no effect: hexad does not measure disks",
        "TERMINAL_SSH_PERSISTENT has no effect: shell state always carries over, so there is nothing to choose",
        "SUDO_PASSWORD has no effect: hexad does not answer sudo's question yet",
    ];
    assert_eq!(config.notices, expected);
    assert_eq!(config.profile(None).unwrap().backend, BackendKind::Local);
    assert!(!format!("{config:?}").contains("hunter2"));
}
