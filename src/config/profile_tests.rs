use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use super::Profile;
use crate::config::{BackendKind, Config, HomeMode, LocalOptions};

fn default_profile(text: &str) -> Profile {
    let env = BTreeMap::from([("HOME".to_owned(), "/home/u".to_owned())]);
    Config::parse(text, "hexad.yaml", &env, &[]).unwrap().profile(None).unwrap().clone()
}

#[test]
fn placeholders_leave_the_directory_to_the_backend() {
    for cwd in ["\"\"", ".", "auto", "cwd", "\" . \"", "~"] {
        assert_eq!(default_profile(&format!("terminal: {{cwd: {cwd}}}")).cwd, None, "{cwd}");
    }
    assert_eq!(default_profile("terminal: {cwd: /srv}").cwd.as_deref(), Some("/srv"));
    assert_eq!(default_profile("terminal: {cwd: '~'}").cwd.as_deref(), Some("~"));
}

#[test]
fn a_limit_of_zero_or_none_is_the_default() {
    for timeout in ["0", "0.0", "null", ""] {
        let profile = default_profile(&format!("terminal: {{timeout: {timeout}}}"));
        assert_eq!(profile.timeout, Duration::from_secs(180), "{timeout}");
    }
    let profile = default_profile("terminal: {timeout: 1.5}");
    assert_eq!(profile.timeout, Duration::from_millis(1500));
}

#[test]
fn getters_answer_by_kind() {
    let profile = default_profile(
        "terminal:\n  backend: docker\n  docker_image: alpine\n  docker_network: off\n  \
         container_cpu: 0.5\n  container_memory: 64\n  docker_volumes: [/a:/a]\n  \
         docker_env: {A: b}\n",
    );
    assert_eq!(profile.backend, BackendKind::Docker);
    assert_eq!(profile.text("docker_image"), Some("alpine"));
    assert!(!profile.flag("docker_network"));
    assert!((profile.decimal("container_cpu") - 0.5).abs() < f64::EPSILON);
    assert_eq!(profile.number("container_memory"), 64);
    assert_eq!(profile.list("docker_volumes"), ["/a:/a"]);
    assert_eq!(profile.map("docker_env")["A"], "b");
    assert_eq!(profile.seconds("lifetime_seconds"), Duration::from_secs(300));
    assert!(profile.is_given("docker_image") && !profile.is_given("container_disk"));
    assert_eq!(profile.number("container_disk"), 51_200);
}

#[test]
fn options_of_other_backends_have_their_defaults() {
    let profile = default_profile("terminal: {docker_image: alpine}");
    assert_eq!(profile.text("docker_image"), Some("nikolaik/python-nodejs:python3.11-nodejs20"));
}

#[test]
#[cfg(debug_assertions)]
#[should_panic = "the option table has no \"docker_imag\" of this kind"]
fn asking_for_a_key_that_does_not_exist_is_a_mistake_in_the_program() {
    let _ = default_profile("").text("docker_imag");
}

#[test]
#[cfg(debug_assertions)]
#[should_panic = "the option table has no \"cwd\" of this kind"]
fn asking_with_the_wrong_getter_is_a_mistake_in_the_program() {
    let _ = default_profile("").flag("cwd");
}

#[test]
fn local_options_have_defaults() {
    let expected =
        LocalOptions { auto_source_bashrc: true, login_shell: true, ..LocalOptions::default() };
    assert_eq!(default_profile("").local(), expected);
}

#[test]
fn local_options_are_read() {
    let local = default_profile(
        "terminal:\n  home_mode: Profile\n  env_passthrough: [A_KEY]\n  \
         shell_init_files: [~/.rc]\n  auto_source_bashrc: no\n  login_shell: false\n  \
         shell: ~/bin/bash\n  env: {PORT: 8080, V: 1.10, YES: yes, E: '', H: 0x1F}\n  \
         sandbox_dir: /var/box\n",
    )
    .local();
    let env = [("PORT", "8080"), ("V", "1.10"), ("YES", "yes"), ("E", ""), ("H", "0x1F")];
    let expected = LocalOptions {
        home_mode: HomeMode::Profile,
        env_passthrough: vec!["A_KEY".to_owned()],
        shell_init_files: vec!["~/.rc".to_owned()],
        auto_source_bashrc: false,
        login_shell: false,
        shell: Some(PathBuf::from("/home/u/bin/bash")),
        env: env.map(|(k, v)| (k.to_owned(), v.to_owned())).into(),
        sandbox_dir: Some(PathBuf::from("/var/box")),
    };
    assert_eq!(local, expected);
    assert_eq!(default_profile("terminal: {home_mode: real}").local().home_mode, HomeMode::Real);
}

#[test]
fn debug_output_has_no_secrets() {
    let local = default_profile("terminal: {sudo_password: hunter2, env: {A: hunter2}}");
    let docker = default_profile(
        "terminal: {backend: docker, docker_env: {A: hunter2}, docker_extra_args: [-e, B=hunter2]}",
    );
    let shown = format!("{local:?} {:?} {docker:?}", local.local());
    assert!(!shown.contains("hunter2"), "{shown}");
    assert!(shown.contains("\"env\": [\"A\"]"), "{shown}");
    assert!(shown.contains("\"docker_extra_args\": \"(not shown)\""), "{shown}");
}
