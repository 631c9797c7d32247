//! Properties of the whole environment under any host, passthrough list and configuration.

use std::path::PathBuf;

use proptest::prelude::*;
use proptest::sample::select;

use super::super::super::HomeMode;
use super::*;

/// Names of every class, the odd ones included.
#[rustfmt::skip]
const POOL: &[&str] = &[
    "OPENAI_API_KEY", "openai_api_key", "GEMINI_API_KEY_2", "GH_TOKEN", "SLACK_X", "HASS_TOKEN",
    "AUXILIARY_A_API_KEY", "AUXILIARY_A_BASE_URL", "GATEWAY_RELAY_A_SECRET", "GATEWAY_RELAY_URL",
    "FOO_API_KEY", "NPM_TOKEN", "PGPASSWORD", "VIRTUAL_ENV", "CONDA_PREFIX", "ENV", "PS4",
    "BASH_ENV", "SHELLOPTS", "BASH_FUNC_read%%", "BASH_FUNC_f%%", "HERMES_SESSION_ID",
    "HERMES_REAL_HOME", "TERMINAL_ENV", "HEXAD_MARK", "HEXAD_X", "PATH", "HOME", "TERM", "LANG",
    "SSH_ASKPASS", "AWS_SESSION_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN", "FOO", "", "=", "A=B",
    "_HEXAD_FORCE_", "_HERMES_FORCE_",
];

fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => select(POOL).prop_map(String::from),
        3 => (select(FORCE), select(POOL)).prop_map(|(prefix, name)| format!("{prefix}{name}")),
        1 => "[A-Z_]{0,6}_(TOKEN|SECRET|API_KEY|BASE_URL)[0-9]?",
        1 => any::<String>(),
    ]
}

fn host() -> impl Strategy<Value = Vec<(OsString, OsString)>> {
    let odd = proptest::collection::vec(any::<u8>(), 0..8);
    let name = prop_oneof![
        9 => name().prop_map(OsString::from),
        1 => odd.clone().prop_map(OsStringExt::from_vec),
    ];
    proptest::collection::vec((name, odd.prop_map(OsStringExt::from_vec)), 0..30)
}

fn any_policy() -> impl Strategy<Value = Policy> {
    (
        proptest::collection::vec(name(), 0..12),
        proptest::collection::btree_map(name(), any::<String>(), 0..12),
        select(&[HomeMode::Auto, HomeMode::Real, HomeMode::Profile][..]),
        proptest::option::of("/?[a:]{0,3}".prop_map(PathBuf::from)),
        any::<bool>(),
        "/?[a]{0,3}",
    )
        .prop_map(|(passthrough, extra, home_mode, path, in_container, home)| Policy {
            passthrough,
            extra,
            home_mode,
            home_dir: path.clone(),
            in_container,
            real_home: home.into(),
            path_prefix: path,
        })
}

/// Whether the user set `name` for commands, on the host by force or in the configuration.
fn is_chosen(name: &OsStr, host: &[(OsString, OsString)], policy: &Policy) -> bool {
    let forced = |candidate: &OsStr| forced_name(candidate) == Some(name);
    host.iter().any(|(candidate, _)| forced(candidate))
        || policy.extra.keys().map(OsStr::new).any(|key| key == name || forced(key))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn no_name_survives_against_the_rules(host in host(), policy in any_policy()) {
        let env = child_environment(&host, &policy);
        for (name, value) in &env.vars {
            prop_assert!(is_valid(name, value), "{name:?}");
            prop_assert!(forced_name(name).is_none(), "{name:?}");
            let passed = policy.passthrough.iter().any(|entry| OsStr::new(entry.trim()) == name);
            let chosen = is_chosen(name, &host, &policy);
            match classify(name) {
                NameClass::Dynamic | NameClass::Runtime => prop_assert!(false, "{name:?}"),
                NameClass::Fixed | NameClass::Internal => prop_assert!(chosen, "{name:?}"),
                NameClass::CredentialLike => prop_assert!(chosen || passed, "{name:?}"),
                NameClass::Plain => {}
            }
        }
        prop_assert!(env.vars.windows(2).all(|pair| pair[0].0 < pair[1].0));
    }

    #[test]
    fn ordinary_variables_are_never_lost(host in host(), policy in any_policy()) {
        let env = child_environment(&host, &policy);
        let ruled = ["PATH", "HOME", "TERM", "LANG", "SSH_ASKPASS", "HERMES_REAL_HOME"];
        for (name, value) in &host {
            let first = host.iter().find(|(other, value)| other == name && is_valid(name, value));
            if first.is_none_or(|(_, kept)| kept != value)
                || forced_name(name).is_some()
                || classify(name) != NameClass::Plain
                || ruled.iter().any(|rule| name == rule)
                || is_chosen(name, &host, &policy)
            {
                continue;
            }
            let kept = env.vars.iter().find(|(other, _)| other == name).map(|(_, kept)| kept);
            prop_assert_eq!(kept, Some(value), "{:?}", name);
        }
        for always in ["PATH", "TERM", "PAGER"] {
            prop_assert!(env.vars.iter().any(|(name, _)| name == always), "{always}");
        }
    }

    #[test]
    fn a_child_that_is_a_host_hands_on_the_same(mut host in host()) {
        // Force is for the first child only: a secret does not go on without it.
        host.retain(|(name, _)| forced_name(name).is_none());
        let policy = Policy { real_home: "/home/u".into(), ..Policy::default() };
        let once = child_environment(&host, &policy);
        prop_assert_eq!(&child_environment(&once.vars, &policy).vars, &once.vars);
    }
}
