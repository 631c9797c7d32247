//! Which directory a child takes for its home.
//!
//! Pure: whether the profile's home exists is the caller's business, who creates it.

use std::path::{Path, PathBuf};

pub use crate::config::HomeMode;

impl HomeMode {
    /// The home to use, and a notice when the one that was asked for does not exist.
    pub(super) fn choose<'a>(
        self,
        profile: Option<&'a PathBuf>,
        real: &'a Path,
        in_container: bool,
    ) -> (&'a Path, Option<String>) {
        match (self, profile) {
            (Self::Auto, Some(profile)) if in_container => (profile, None),
            (Self::Profile, Some(profile)) => (profile, None),
            (Self::Profile, None) => (
                real,
                Some(
                    "home_mode is profile but no profile home is set; HOME is the real home".into(),
                ),
            ),
            (Self::Auto | Self::Real, _) => (real, None),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn auto_takes_the_profile_home_only_in_a_container() {
        let profile = PathBuf::from("/p/home");
        let choose =
            |mode: HomeMode, inside| mode.choose(Some(&profile), Path::new("/r"), inside).0;
        assert_eq!(choose(HomeMode::Auto, false), Path::new("/r"));
        assert_eq!(choose(HomeMode::Auto, true), Path::new("/p/home"));
        assert_eq!(choose(HomeMode::Real, true), Path::new("/r"));
        assert_eq!(choose(HomeMode::Profile, false), Path::new("/p/home"));
    }

    #[test]
    fn a_missing_profile_home_is_said() {
        let (home, notice) = HomeMode::Profile.choose(None, Path::new("/r"), true);
        assert_eq!(home, Path::new("/r"));
        assert!(notice.is_some_and(|text| text.contains("home_mode")));
        assert_eq!(HomeMode::Auto.choose(None, Path::new("/r"), true), (Path::new("/r"), None));
    }
}
