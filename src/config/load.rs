//! From sources to a checked [`Config`].

use std::collections::BTreeMap;
use std::path::PathBuf;

use hexad_actors::Settings;

use super::assemble::assemble;
use super::backend::BackendKind;
use super::document::File;
use super::error::ConfigError;
use super::profile::{DEFAULT_PROFILE, Options, Profile};
use super::settings::settings;
use super::sources::Sources;

/// A checked configuration.
#[derive(Clone, Debug)]
pub struct Config {
    /// Profiles by name; `default` is always there.
    pub profiles: BTreeMap<String, Profile>,
    /// The limits of the runtime, from the options that are not a profile's own.
    pub settings: Settings,
    /// Sentences for the user about values that were given in vain.
    pub notices: Vec<String>,
    /// The file that was read, if any.
    pub file: Option<PathBuf>,
}

impl Config {
    /// Reads the file, if there is one, and everything else that `sources` name.
    ///
    /// # Errors
    /// Any [`ConfigError`] but [`ConfigError::UnknownProfile`].
    pub fn load(sources: &Sources) -> Result<Self, ConfigError> {
        let Some((path, text)) = sources.read()? else {
            return assemble(File { name: "", text: "" }, &sources.env, &sources.overrides);
        };
        Self::parse(&text, &path.to_string_lossy(), &sources.env, &sources.overrides)
            .map(|config| Self { file: Some(path), ..config })
    }

    /// The same from text in memory. `file_name` is what messages call it.
    ///
    /// # Errors
    /// As [`Config::load`], without those about reading.
    pub fn parse(
        text: &str,
        file_name: &str,
        env: &BTreeMap<String, String>,
        overrides: &[(String, String)],
    ) -> Result<Self, ConfigError> {
        let config = assemble(File { name: file_name, text }, env, overrides)?;
        Ok(Self { file: Some(PathBuf::from(file_name)), ..config })
    }

    /// The defaults: commands run on this machine.
    #[must_use]
    pub fn builtin() -> Self {
        let profile = Profile::new(DEFAULT_PROFILE, BackendKind::Local, Options::default());
        Self {
            settings: settings(&profile.options),
            profiles: BTreeMap::from([(DEFAULT_PROFILE.to_owned(), profile)]),
            notices: Vec::new(),
            file: None,
        }
    }

    /// A profile by name; without one, the default profile.
    ///
    /// # Errors
    /// [`ConfigError::UnknownProfile`] with the names that exist.
    pub fn profile(&self, name: Option<&str>) -> Result<&Profile, ConfigError> {
        let name = name.unwrap_or(DEFAULT_PROFILE);
        self.profiles.get(name).ok_or_else(|| ConfigError::UnknownProfile {
            name: name.to_owned(),
            known: self.profiles.keys().cloned().collect(),
        })
    }
}

#[cfg(test)]
#[path = "load_tests.rs"]
mod tests;

#[cfg(test)]
#[path = "load_error_tests.rs"]
mod error_tests;
