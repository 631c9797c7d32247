use std::collections::BTreeMap;

use proptest::prelude::*;

use crate::config::{Config, ConfigError, OPTIONS};

fn load(
    text: &str,
    vars: &[(&str, &str)],
    overrides: &[(&str, &str)],
) -> Result<Config, ConfigError> {
    let owned = |(k, v): &(&str, &str)| ((*k).to_owned(), (*v).to_owned());
    let vars: BTreeMap<_, _> = vars.iter().map(owned).collect();
    let overrides: Vec<_> = overrides.iter().map(owned).collect();
    Config::parse(text, "hexad.yaml", &vars, &overrides)
}

/// Each text of a file with the message it leads to.
#[test]
fn messages_about_the_file() {
    let long = format!("profiles:\n  {}: {{}}\n", "x".repeat(65));
    let long_name = format!(
        "hexad.yaml:2: {:?} is not a profile name; use 1 to 64 characters of A-Z a-z 0-9 . _ -",
        "x".repeat(65)
    );
    for (text, message) in [
        (
            "terminal:\n  backend: ssh\n\n  timeot: 5\n",
            "hexad.yaml:4: terminal.timeot is not a known key; did you mean \"timeout\"?",
        ),
        (
            "terminal:\n  colour_of_the_prompt: 5\n",
            "hexad.yaml:2: terminal.colour_of_the_prompt is not a known key",
        ),
        (
            "terminal: {timeot: 5}",
            "hexad.yaml:1: terminal.timeot is not a known key; did you mean \"timeout\"?",
        ),
        (
            "a: 1\nprofiles:\n  box:\n    dockerimage: x\n",
            "hexad.yaml:4: profiles.box.dockerimage is not a known key; did you mean \"docker_image\"?",
        ),
        ("terminal:\n  \"a\\e[1m\": 5\n", "hexad.yaml:1: terminal.a\\u{1b}[1m is not a known key"),
        (
            "terminal:\n  timeout: soon\n",
            "hexad.yaml:2: terminal.timeout is not a number; it takes a number of seconds from 0 to 2592000 (30 days)",
        ),
        (
            "terminal:\n  timeout: -5\n",
            "hexad.yaml:2: terminal.timeout is -5; it takes a number of seconds from 0 to 2592000 (30 days)",
        ),
        (
            "terminal:\n  timeout: .nan\n",
            "hexad.yaml:2: terminal.timeout is NaN; it takes a number of seconds from 0 to 2592000 (30 days)",
        ),
        (
            "terminal:\n  timeout: 2592001\n",
            "hexad.yaml:2: terminal.timeout is 2592001; it takes a number of seconds from 0 to 2592000 (30 days)",
        ),
        (
            "terminal:\n  timeout: 99999999999999999999999999999999999999999\n",
            "hexad.yaml:2: terminal.timeout is 100000000000000000000000000000000000000000; it takes a number of seconds from 0 to 2592000 (30 days)",
        ),
        (
            "terminal:\n  timeout: [1]\n",
            "hexad.yaml:2: terminal.timeout is a list; it takes a number of seconds from 0 to 2592000 (30 days)",
        ),
        (
            "terminal:\n  timeout: true\n",
            "hexad.yaml:2: terminal.timeout is true or false; it takes a number of seconds from 0 to 2592000 (30 days)",
        ),
        (
            "terminal:\n  progress_seconds: 0\n",
            "hexad.yaml:2: terminal.progress_seconds is 0; it takes a number of seconds above 0, at most 2592000 (30 days)",
        ),
        (
            "terminal:\n  spares: 2\n",
            "hexad.yaml:2: terminal.spares is 2; it takes a whole number from 0 to 1",
        ),
        (
            "terminal:\n  queue_limit: 1.5\n",
            "hexad.yaml:2: terminal.queue_limit is 1.5; it takes a whole number from 1 to 1000000",
        ),
        (
            "terminal:\n  login_shell: maybe\n",
            "hexad.yaml:2: terminal.login_shell is neither true nor false; it takes true or false",
        ),
        (
            "terminal:\n  login_shell: 2\n",
            "hexad.yaml:2: terminal.login_shell is a number; it takes true or false",
        ),
        ("terminal:\n  cwd: [a]\n", "hexad.yaml:2: terminal.cwd is a list; it takes text"),
        (
            "terminal:\n  shell: !x a\n",
            "hexad.yaml:2: terminal.shell is a tagged value; it takes a path",
        ),
        (
            "terminal:\n  env_passthrough: A\n",
            "hexad.yaml:2: terminal.env_passthrough is text; it takes a list of texts",
        ),
        (
            "terminal:\n  env: [A]\n",
            "hexad.yaml:2: terminal.env is a list; it takes a mapping of names to texts",
        ),
        (
            "terminal:\n  env: {A: [hunter2]}\n",
            "hexad.yaml:2: terminal.env is a mapping with a value that is a list; it takes a mapping of names to texts",
        ),
        (
            "terminal:\n  backend: dokcer\n",
            "hexad.yaml:2: terminal.backend is \"dokcer\"; it takes one of local, docker, ssh, modal, daytona, singularity",
        ),
        (
            "terminal:\n  env_type: 5\n",
            "hexad.yaml:2: terminal.env_type is a number; it takes one of local, docker, ssh, modal, daytona, singularity",
        ),
        (
            "terminal:\n  home_mode: fake\n",
            "hexad.yaml:2: terminal.home_mode is \"fake\"; it takes one of auto, real, profile",
        ),
        (
            "terminal:\n  backend: docker\n  container_cpu: -1\n",
            "hexad.yaml:3: terminal.container_cpu is -1; it takes a number from 0 to 4096",
        ),
        (
            "terminal:\n  ssh_port: 0\nprofiles:\n  box:\n    backend: ssh\n",
            "hexad.yaml:2: terminal.ssh_port is 0; it takes a whole number from 1 to 65535",
        ),
        (
            "tool_output:\n  max_bytes: many\n",
            "hexad.yaml:2: tool_output.max_bytes is not a number; it takes a whole number from 1 to 1073741824",
        ),
        (
            "a: 1\nterminal: 5\n",
            "hexad.yaml:2: terminal is a number; it takes a mapping of keys to values",
        ),
        (
            "terminal: [a]\n",
            "hexad.yaml:1: terminal is a list; it takes a mapping of keys to values",
        ),
        ("profiles: box\n", "hexad.yaml:1: profiles is text; it takes a mapping of keys to values"),
        (
            "profiles:\n  box: true\n",
            "hexad.yaml:2: profiles.box is true or false; it takes a mapping of keys to values",
        ),
        ("hunter2", "hexad.yaml: the file is a single value; it takes a mapping of keys to values"),
        ("- a\n", "hexad.yaml: the file is a list; it takes a mapping of keys to values"),
        (
            "!x {a: 1}",
            "hexad.yaml: the file is a tagged value; it takes a mapping of keys to values",
        ),
        (
            "profiles:\n  a b: {}\n",
            "hexad.yaml:2: \"a b\" is not a profile name; use 1 to 64 characters of A-Z a-z 0-9 . _ -",
        ),
        (&long, &long_name),
        (
            "profiles:\n  default: {}\n",
            "hexad.yaml:2: the profile \"default\" is the section terminal; put its keys there",
        ),
        (
            "terminal:\n  timeout: 5\n  cwd: /\n  timeout: 6\n",
            "hexad.yaml:4: terminal.timeout is given twice; keep one",
        ),
        ("terminal: {}\na: 1\nterminal: {}\n", "hexad.yaml:3: terminal is given twice; keep one"),
        ("profiles:\n  a: {}\n  a: {}\n", "hexad.yaml:3: profiles.a is given twice; keep one"),
        (
            "terminal:\n  env: {A: 1, A: 2}\n",
            "hexad.yaml:2: terminal.env is a mapping that gives a name twice; it takes a mapping of names to texts",
        ),
        (
            "terminal:\n  cwd: [a,\n",
            "hexad.yaml:3:1: did not find expected node content, while parsing a flow node",
        ),
        (
            "terminal:\n\tcwd: a\n",
            "hexad.yaml:2:1: found character that cannot start any token, while scanning for the next token",
        ),
        ("a: *b\n", "hexad.yaml:1:4: unknown anchor"),
        (
            "a: 1\n---\na: 2\n",
            "hexad.yaml: deserializing from YAML containing more than one document is not supported",
        ),
    ] {
        assert_eq!(load(text, &[], &[]).map(|_| ()).unwrap_err().to_string(), message, "{text}");
    }
}

#[test]
fn messages_about_variables_and_the_command_line() {
    for (key, value, message) in [
        (
            "TERMINAL_TIMEOUT",
            "soon",
            "TERMINAL_TIMEOUT is not a number; it takes a number of seconds from 0 to 2592000 (30 days)",
        ),
        (
            "TERMINAL_TIMEOUT",
            "-1",
            "TERMINAL_TIMEOUT is -1; it takes a number of seconds from 0 to 2592000 (30 days)",
        ),
        (
            "TERMINAL_TIMEOUT",
            "inf",
            "TERMINAL_TIMEOUT is inf; it takes a number of seconds from 0 to 2592000 (30 days)",
        ),
        (
            "TERMINAL_DOCKER_NETWORK",
            "on",
            "TERMINAL_DOCKER_NETWORK is neither true nor false; it takes true or false",
        ),
        (
            "TERMINAL_DOCKER_VOLUMES",
            "/a:/b",
            "TERMINAL_DOCKER_VOLUMES is not JSON (expected value at line 1 column 1); it takes a JSON list of texts",
        ),
        (
            "TERMINAL_DOCKER_ENV",
            "[]",
            "TERMINAL_DOCKER_ENV is JSON, but not an object; it takes a JSON object of names and texts",
        ),
        (
            "TERMINAL_CONTAINER_MEMORY",
            "4g",
            "TERMINAL_CONTAINER_MEMORY is not a number; it takes a whole number from 0 to 1073741824",
        ),
    ] {
        let text = "terminal: {backend: docker}";
        assert_eq!(load(text, &[(key, value)], &[]).unwrap_err().to_string(), message);
    }
    let backend = load("", &[("TERMINAL_ENV", "podman")], &[]).unwrap_err().to_string();
    assert_eq!(
        backend,
        "TERMINAL_ENV is \"podman\"; it takes one of local, docker, ssh, modal, daytona, singularity"
    );
    for (key, value, message) in [
        ("timeot", "5", "command line: timeot is not a known key; did you mean \"timeout\"?"),
        (
            "timeout",
            "",
            "command line: timeout is empty; it takes a number of seconds from 0 to 2592000 (30 days)",
        ),
        (
            "env",
            "A=b",
            "command line: env is not JSON (expected value at line 1 column 1); it takes a JSON object of names and texts",
        ),
    ] {
        assert_eq!(load("", &[], &[(key, value)]).unwrap_err().to_string(), message);
    }
}

#[test]
fn an_unknown_profile_is_an_error_with_the_names() {
    let config = load("profiles: {box: {}, arm: {}}", &[], &[]).unwrap();
    let error = config.profile(Some("bx")).unwrap_err().to_string();
    assert_eq!(error, "there is no profile \"bx\"; the profiles are arm, box, default");
}

/// Whatever is wrong with a value, neither messages nor notices show it.
#[test]
fn no_message_shows_a_value() {
    let shapes = [
        "hunter2!",
        "[hunter2!, [hunter2!]]",
        "{hunter2x: {a: hunter2!}}",
        "!hunter2! hunter2!",
        "'[\"hunter2!\"'",
    ];
    for backend in crate::config::BackendKind::ALL {
        for spec in OPTIONS {
            for shape in shapes {
                let text = format!("terminal:\n  {}: {shape}\n  backend: {backend}\n", spec.key);
                let vars = spec.variables.iter().map(|name| (*name, "hunter2!"));
                let vars: Vec<_> = vars.filter(|(name, _)| *name != "TERMINAL_ENV").collect();
                for vars in [&[][..], &vars] {
                    let shown = match load(&text, vars, &[]) {
                        Ok(config) => config.notices.join(" "),
                        Err(error) => format!("{error} {error:?}"),
                    };
                    assert!(!shown.contains("hunter2"), "{text}: {shown}");
                }
            }
        }
    }
    let number = "terminal: {sudo_password: 99999999999999999999, timeot: 1}";
    assert!(!load(number, &[], &[]).unwrap_err().to_string().contains("999"));
}

fn yamlish() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        Just("terminal:".to_owned()),
        Just("profiles:".to_owned()),
        Just("<<:".to_owned()),
        Just("&a ".to_owned()),
        Just("*a".to_owned()),
        Just("!x ".to_owned()),
        Just("\n".to_owned()),
        Just("\n  ".to_owned()),
        Just("\n    ".to_owned()),
        Just("- ".to_owned()),
        Just("{".to_owned()),
        Just("}".to_owned()),
        Just("[".to_owned()),
        Just("]".to_owned()),
        Just(", ".to_owned()),
        Just("|".to_owned()),
        Just("0".to_owned()),
        Just("tool_output: {max_bytes: ".to_owned()),
        prop::sample::select(OPTIONS).prop_map(|spec| format!("{}: ", spec.key)),
        prop::sample::select(&["docker", "-1", "1e99", ".nan", "true", "\"", "'", "a=b"][..])
            .prop_map(str::to_owned),
        "\\PC{0,4}",
    ];
    prop::collection::vec(word, 0..40).prop_map(|words| words.concat())
}

proptest! {
    #[test]
    fn no_text_makes_it_panic(text in yamlish()) {
        let _ = load(&text, &[], &[]);
    }

    #[test]
    fn no_section_makes_it_panic(
        body in prop::collection::vec((prop::sample::select(OPTIONS), yamlish()), 0..4),
        backend in prop::sample::select(&crate::config::BackendKind::NAMES[..]),
    ) {
        let lines = body.iter().map(|(spec, value)| format!("  {}: {value}\n", spec.key));
        let text = format!("terminal:\n  backend: {backend}\n{}", lines.collect::<String>());
        let _ = load(&text, &[], &[]);
    }

    #[test]
    fn no_variable_makes_it_panic(spec in prop::sample::select(OPTIONS), value in "\\PC{0,12}") {
        let vars: Vec<_> = spec.variables.iter().map(|name| (*name, value.as_str())).collect();
        let _ = load("terminal: {backend: docker}", &vars, &[]);
        let _ = load("", &[], &[(spec.key, &value)]);
    }
}
