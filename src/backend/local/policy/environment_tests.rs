use std::os::unix::ffi::OsStringExt;

use super::*;

#[path = "environment_props.rs"]
mod props;

fn policy() -> Policy {
    Policy { real_home: "/home/u".into(), ..Policy::default() }
}

fn build(host: &[(&str, &str)], policy: &Policy) -> ChildEnvironment {
    let host: Vec<(OsString, OsString)> =
        host.iter().map(|(name, value)| (name.into(), value.into())).collect();
    child_environment(&host, policy)
}

fn get<'a>(env: &'a ChildEnvironment, name: &str) -> Option<&'a OsStr> {
    env.vars.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_os_str())
}

fn extra(pairs: &[(&str, &str)]) -> Policy {
    let extra = pairs.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
    Policy { extra, ..policy() }
}

#[test]
fn secrets_and_markers_stay_behind_and_the_rest_is_kept() {
    let host = [
        ("OPENAI_API_KEY", "s"),
        ("AUXILIARY_A_API_KEY", "s"),
        ("FOO_TOKEN", "s"),
        ("VIRTUAL_ENV", "/v"),
        ("BASH_ENV", "/x"),
        ("BASH_FUNC_read%%", "() { :; }"),
        ("HERMES_SESSION_ID", "1"),
        ("TERMINAL_DOCKER_ENV", "{}"),
        ("HEXAD_CONFIG", "/c"),
        ("AWS_SECRET_ACCESS_KEY", "kept"),
        ("CLAUDE_CODE_OAUTH_TOKEN", "kept"),
        ("BASH_FUNC_module%%", "kept"),
        ("FOO", "kept"),
    ];
    let env = build(&host, &policy());
    for (name, value) in host {
        assert_eq!(get(&env, name), (value == "kept").then_some(OsStr::new("kept")), "{name}");
    }
    assert_eq!(env.withheld, ["FOO_TOKEN"]);
    assert_eq!(env.notices, Vec::<String>::new());
}

#[test]
fn passthrough_opens_credentials_and_refuses_the_agents_own_keys() {
    let passthrough = ["FOO_TOKEN", "OPENAI_API_KEY", "AUXILIARY_A_API_KEY", "BASH_ENV", ""];
    let policy = Policy { passthrough: passthrough.map(String::from).to_vec(), ..policy() };
    let host = [("FOO_TOKEN", "1"), ("OPENAI_API_KEY", "2"), ("AUXILIARY_A_API_KEY", "3")];
    let env = build(&host, &policy);
    assert_eq!(get(&env, "FOO_TOKEN"), Some(OsStr::new("1")));
    assert_eq!(get(&env, "OPENAI_API_KEY"), None);
    assert_eq!(get(&env, "AUXILIARY_A_API_KEY"), None);
    assert_eq!(env.withheld, Vec::<String>::new());
    assert_eq!(env.notices.len(), 4, "{:?}", env.notices);
}

#[test]
fn configured_values_pass_except_dynamic_and_poisonous_ones() {
    let policy = extra(&[
        ("OPENAI_API_KEY", "mine"),
        ("ENV", "staging"),
        ("GATEWAY_RELAY_A_KEY", "no"),
        ("SHELLOPTS", "noexec"),
        ("HEXAD_MARK", "no"),
        ("A=B", "no"),
        ("NUL", "a\0b"),
        ("", "no"),
    ]);
    let env = build(&[("OPENAI_API_KEY", "host")], &policy);
    assert_eq!(get(&env, "OPENAI_API_KEY"), Some(OsStr::new("mine")));
    assert_eq!(get(&env, "ENV"), Some(OsStr::new("staging")));
    for name in ["GATEWAY_RELAY_A_KEY", "SHELLOPTS", "HEXAD_MARK", "A=B", "NUL", ""] {
        assert_eq!(get(&env, name), None, "{name}");
    }
    assert_eq!(env.notices.len(), 6, "{:?}", env.notices);
}

#[test]
fn the_force_prefix_goes_and_the_variable_comes() {
    let host = [
        ("_HERMES_FORCE_OPENAI_API_KEY", "old"),
        ("_HEXAD_FORCE_OPENAI_API_KEY", "new"),
        ("OPENAI_API_KEY", "plain"),
        ("_HERMES_FORCE_AUXILIARY_A_API_KEY", "no"),
        ("_HEXAD_FORCE_", "no"),
        ("_HEXAD_FORCE__HERMES_FORCE_X", "no"),
    ];
    let env = build(&host, &policy());
    assert_eq!(get(&env, "OPENAI_API_KEY"), Some(OsStr::new("new")));
    assert!(!env.vars.iter().any(|(name, _)| name.to_string_lossy().contains("_FORCE_")));
    assert_eq!(get(&env, "AUXILIARY_A_API_KEY"), None);
    let configured = build(&host, &extra(&[("_HERMES_FORCE_OPENAI_API_KEY", "mine")]));
    assert_eq!(get(&configured, "OPENAI_API_KEY"), Some(OsStr::new("mine")));
}

#[test]
fn home_follows_the_policy_unless_it_is_configured() {
    let mut policy = policy();
    policy.home_dir = Some("/p/home".into());
    policy.in_container = true;
    let host = [("HOME", "/host"), ("HERMES_REAL_HOME", "/other")];
    let env = build(&host, &policy);
    assert_eq!(get(&env, "HOME"), Some(OsStr::new("/p/home")));
    assert_eq!(get(&env, "HERMES_REAL_HOME"), Some(OsStr::new("/home/u")));
    policy.extra.insert("HOME".into(), "/mine".into());
    assert_eq!(get(&build(&host, &policy), "HOME"), Some(OsStr::new("/mine")));
    let unknown = build(&host, &Policy::default());
    assert_eq!(get(&unknown, "HOME"), Some(OsStr::new("/host")));
}

#[test]
fn path_is_completed_wherever_it_comes_from() {
    let mut policy = extra(&[("PATH", "/mine::/mine")]);
    policy.path_prefix = Some("/opt/hexad".into());
    let path = build(&[("PATH", "/host")], &policy);
    let path = get(&path, "PATH").and_then(OsStr::to_str).unwrap_or_default().to_owned();
    assert!(path.starts_with("/opt/hexad:/mine:/opt/homebrew/bin:"), "{path}");
    assert!(!path.contains("/host"));
}

#[test]
fn passthrough_lets_the_terminal_through_and_configuration_sets_it() {
    let host = [("TERM", "xterm")];
    assert_eq!(get(&build(&host, &policy()), "TERM"), Some(OsStr::new("dumb")));
    let passed = Policy { passthrough: vec![" TERM ".into()], ..policy() };
    assert_eq!(get(&build(&host, &passed), "TERM"), Some(OsStr::new("xterm")));
    assert_eq!(get(&build(&host, &extra(&[("TERM", "vt100")])), "TERM"), Some("vt100".as_ref()));
}

#[test]
fn the_mark_is_told_and_not_inherited() {
    let env = build(&[("HEXAD_MARK", "m1")], &policy());
    assert_eq!(env.inherited_mark.as_deref(), Some(OsStr::new("m1")));
    assert_eq!(get(&env, "HEXAD_MARK"), None);
}

#[test]
fn values_that_are_not_utf8_pass_unchanged_and_impossible_ones_are_dropped() {
    let odd = OsString::from_vec(vec![0xff, 0xfe]);
    let host = [
        ("ODD".into(), odd.clone()),
        ("NUL".into(), "a\0b".into()),
        ("N\0L".into(), "x".into()),
        ("=C:".into(), "x".into()),
        ("".into(), "x".into()),
        ("TWICE".into(), "first".into()),
        ("TWICE".into(), "second".into()),
    ];
    let env = child_environment(&host, &policy());
    assert_eq!(get(&env, "ODD"), Some(odd.as_os_str()));
    assert_eq!(get(&env, "TWICE"), Some(OsStr::new("first")));
    for name in ["NUL", "N\0L", "=C:", ""] {
        assert_eq!(get(&env, name), None, "{name:?}");
    }
}

#[test]
fn no_value_is_ever_shown() {
    let mut policy = extra(&[("AUXILIARY_A_API_KEY", "V4LUE"), ("B", "V4LUE")]);
    policy.passthrough = vec!["OPENAI_API_KEY=V4LUE".into(), "HASS_TOKEN".into()];
    let host = [("FOO_TOKEN", "V4LUE"), ("_HEXAD_FORCE_AUXILIARY_B_API_KEY", "V4LUE")];
    let env = build(&[&host[..], &[("HEXAD_MARK", "V4LUE")]].concat(), &policy);
    let shown = format!("{env:?} {:?} {:?}", env.notices, Policy { passthrough: vec![], ..policy });
    assert!(!shown.contains("V4LUE"), "{shown}");
    assert_eq!(env.notices.len(), 4);
}
