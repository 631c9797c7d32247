//! Puts a configuration together from text, variables and command-line values. Opens nothing.

use std::collections::BTreeMap;

use super::backend::BackendKind;
use super::document::{Document, File};
use super::error::ConfigError;
use super::layers::Layers;
use super::load::Config;
use super::option::Role;
use super::options::{self, OPTIONS};
use super::profile::{DEFAULT_PROFILE, Options, Profile};
use super::section::{Section, mapping, no_effect};
use super::settings::settings;
use super::suggest::nearest_key;
use super::value::Value;

/// Checks everything and makes the profiles and settings. The result names no file.
pub(super) fn assemble(
    file: File<'_>,
    env: &BTreeMap<String, String>,
    overrides: &[(String, String)],
) -> Result<Config, ConfigError> {
    let mut notices = Vec::new();
    let document = Document::parse(file)?;
    let terminal = Section::read(file, &["terminal"], document.section("terminal"), &mut notices)?;
    let named = named_sections(file, &document, &mut notices)?;
    check_overrides(overrides, &mut notices)?;
    note_variables(env, &mut notices);

    let elsewhere = document.elsewhere();
    let home = env.get("HOME").map(String::as_str).filter(|home| !home.is_empty());
    let none = BTreeMap::new();
    let layers =
        Layers { file, overrides, env, sections: vec![&terminal], elsewhere: &elsewhere, home };
    let default = profile(DEFAULT_PROFILE, &layers, None)?;
    let mut profiles = BTreeMap::new();
    for (name, section) in &named {
        let sections = vec![section, &terminal];
        let layers = Layers { overrides: &[], env: &none, sections, ..layers };
        profiles.insert(name.clone(), profile(name, &layers, Some(&default.options))?);
    }
    let settings = settings(&default.options);
    profiles.insert(DEFAULT_PROFILE.to_owned(), default);
    Ok(Config { profiles, settings, notices, file: None })
}

/// Checks the options that the profile's backend reads. `runtime` has those that are one value for
/// the whole runtime; without it they are read here.
fn profile(
    name: &str,
    layers: &Layers<'_>,
    runtime: Option<&Options>,
) -> Result<Profile, ConfigError> {
    let given = match options::find("backend") {
        Some(spec) => layers.value(spec)?,
        None => None,
    };
    let backend = match given {
        Some(Value::Text(word)) => word.parse()?,
        _ => BackendKind::default(),
    };
    let mut options = Options::default();
    for spec in OPTIONS.iter().filter(|spec| spec.owner.includes(backend)) {
        match (spec.role, runtime) {
            (Role::Unused, _) => {}
            (Role::Runtime, Some(runtime)) => options.copy_from(runtime, spec.key),
            _ => {
                if let Some(value) = layers.value(spec)? {
                    options.set(spec.key, value);
                }
            }
        }
    }
    Ok(Profile::new(name, backend, options))
}

fn named_sections(
    file: File<'_>,
    document: &Document,
    notices: &mut Vec<String>,
) -> Result<Vec<(String, Section)>, ConfigError> {
    let mut named = Vec::new();
    for (name, node) in mapping(file, &["profiles"], document.section("profiles"))? {
        let path = ["profiles", name.as_str()];
        let allowed = |c: char| c.is_ascii_alphanumeric() || ".-_".contains(c);
        if name.is_empty() || name.len() > 64 || !name.chars().all(allowed) {
            return Err(ConfigError::ProfileName { at: file.at(&path), name });
        }
        if name == DEFAULT_PROFILE {
            return Err(ConfigError::DefaultProfile { at: file.at(&path) });
        }
        let section = Section::read(file, &path, Some(&node), notices)?;
        named.push((name, section));
    }
    Ok(named)
}

fn check_overrides(
    overrides: &[(String, String)],
    notices: &mut Vec<String>,
) -> Result<(), ConfigError> {
    for (key, _) in overrides {
        let Some(spec) = options::find(key) else {
            return Err(ConfigError::UnknownKey {
                at: "command line".to_owned(),
                key: key.clone(),
                suggestion: nearest_key(key).map(str::to_owned),
            });
        };
        if spec.role == Role::Unused {
            notices.push(no_effect(&format!("command line: {key}"), spec.help));
        }
    }
    Ok(())
}

fn note_variables(env: &BTreeMap<String, String>, notices: &mut Vec<String>) {
    for spec in OPTIONS.iter().filter(|spec| spec.role == Role::Unused) {
        for name in spec.variables {
            if env.get(*name).is_some_and(|text| !text.is_empty()) {
                notices.push(no_effect(name, spec.help));
            }
        }
    }
}
