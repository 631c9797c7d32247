use std::collections::BTreeSet;

use super::{OPTIONS, find};
use crate::config::option::{DefaultValue, Kind, Owner, Role};
use crate::config::{BackendKind, Config};

#[test]
fn keys_and_variables_are_unique() {
    let mut seen = BTreeSet::new();
    for spec in OPTIONS {
        assert!(seen.insert(spec.key) && spec.legacy_key.is_none_or(|key| seen.insert(key)));
        assert!(spec.variables.iter().all(|name| seen.insert(name)), "{}", spec.key);
        assert_eq!(find(spec.key).unwrap().key, spec.key);
    }
    assert_eq!(find("env_type").unwrap().key, "backend");
}

#[test]
fn defaults_fit_their_kinds() {
    for spec in OPTIONS.iter().filter(|spec| spec.role != Role::Unused) {
        let fits = match (spec.kind, spec.default) {
            (Kind::Bool, DefaultValue::Flag(_)) => true,
            (Kind::Integer { min, max }, DefaultValue::Number(n)) => (min..=max).contains(&n),
            (Kind::Decimal { max }, DefaultValue::Decimal(n)) => (0.0..=max).contains(&n),
            (Kind::Seconds { .. }, DefaultValue::Millis(_)) => true,
            (Kind::Choice(words), DefaultValue::Text(word)) => words.contains(&word),
            (Kind::Text | Kind::Path, DefaultValue::Text(_) | DefaultValue::Nothing) => true,
            (Kind::List | Kind::Map, DefaultValue::Nothing) => true,
            _ => false,
        };
        assert!(fits, "{}", spec.key);
    }
}

#[test]
fn every_default_is_answered_by_the_getter_of_its_kind() {
    let config = Config::builtin();
    let profile = config.profile(None).unwrap();
    for spec in OPTIONS.iter().filter(|spec| spec.role != Role::Unused) {
        match spec.kind {
            Kind::Bool => drop(profile.flag(spec.key)),
            Kind::Integer { .. } => drop(profile.number(spec.key)),
            Kind::Decimal { .. } => drop(profile.decimal(spec.key)),
            Kind::Seconds { .. } => drop(profile.seconds(spec.key)),
            Kind::Text | Kind::Path | Kind::Choice(_) => drop(profile.text(spec.key)),
            Kind::List => assert!(profile.list(spec.key).is_empty()),
            Kind::Map => assert!(profile.map(spec.key).is_empty()),
        }
    }
}

#[test]
fn prefixes_and_owners_agree() {
    for spec in OPTIONS {
        let prefix = spec.key.split('_').next().unwrap_or_default();
        match prefix.parse::<BackendKind>() {
            Ok(backend) => assert_eq!(spec.owner, Owner::Only(backend), "{}", spec.key),
            Err(_) if prefix == "container" => assert_eq!(spec.owner, Owner::Containers),
            Err(_) => {}
        }
    }
    assert!(Owner::Containers.includes(BackendKind::Modal));
    assert!(!Owner::Containers.includes(BackendKind::Ssh));
    assert!(!Owner::Containers.includes(BackendKind::Local));
}
