use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::{Sources, default_discovery};
use crate::config::{BackendKind, Config, ConfigError};

fn env(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
    pairs.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect()
}

fn named(path: &Path) -> Result<Config, ConfigError> {
    Config::load(&Sources { file: Some(path.to_owned()), ..Sources::default() })
}

#[test]
fn looks_in_the_usual_places() {
    let found = |pairs: &[_]| default_discovery(&env(pairs));
    let here = PathBuf::from("hexad.yaml");
    assert_eq!(found(&[]), vec![here.clone()]);
    assert_eq!(found(&[("HOME", "/h")]), [here.clone(), "/h/.config/hexad/hexad.yaml".into()]);
    let both = [("HOME", "/h"), ("XDG_CONFIG_HOME", "/x")];
    assert_eq!(found(&both), [here.clone(), "/x/hexad/hexad.yaml".into()]);
    for bad in ["", "relative"] {
        let both = [("HOME", "/h"), ("XDG_CONFIG_HOME", bad)];
        assert_eq!(found(&both), [here.clone(), "/h/.config/hexad/hexad.yaml".into()]);
    }
}

#[test]
fn uses_the_first_file_that_exists() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name);
    fs::write(path("b"), "terminal: {backend: docker}").unwrap();
    fs::write(path("c"), "terminal: {backend: ssh}").unwrap();
    let sources = Sources {
        discover: vec![path("a"), path("b/under-a-file"), path("b"), path("c")],
        ..Sources::default()
    };
    let config = Config::load(&sources).unwrap();
    assert_eq!(config.file, Some(path("b")));
    assert_eq!(config.profile(None).unwrap().backend, BackendKind::Docker);

    let config = Config::load(&Sources { file: Some(path("c")), ..sources }).unwrap();
    assert_eq!(config.file, Some(path("c")));
    assert_eq!(config.profile(None).unwrap().backend, BackendKind::Ssh);
}

#[test]
fn without_a_file_there_are_environment_and_defaults() {
    let sources = Sources {
        env: env(&[("TERMINAL_ENV", "docker")]),
        discover: vec!["/no/such".into()],
        ..Sources::default()
    };
    let config = Config::load(&sources).unwrap();
    assert_eq!(config.file, None);
    assert_eq!(config.profile(None).unwrap().backend, BackendKind::Docker);
}

#[test]
fn a_file_that_cannot_be_read_is_an_error() {
    let dir = tempfile::tempdir().unwrap();
    let missing = dir.path().join("missing.yaml");
    let shown = missing.display();
    assert_eq!(
        named(&missing).unwrap_err().to_string(),
        format!("cannot read {shown}: there is no such file")
    );

    let shown = dir.path().display();
    let expected = format!("cannot read {shown}: it is a directory");
    assert_eq!(named(dir.path()).unwrap_err().to_string(), expected);
    let sources = Sources { discover: vec![dir.path().to_owned()], ..Sources::default() };
    assert_eq!(Config::load(&sources).unwrap_err().to_string(), expected);

    let binary = dir.path().join("binary.yaml");
    fs::write(&binary, b"a: 1\nb: \xff\n").unwrap();
    let shown = binary.display();
    assert_eq!(
        named(&binary).unwrap_err().to_string(),
        format!("cannot read {shown}: line 2 is not UTF-8 text")
    );
}

#[test]
fn an_endless_file_is_an_error() {
    let error = named(Path::new("/dev/zero")).unwrap_err().to_string();
    assert_eq!(error, "cannot read /dev/zero: it has more than 4 MiB, so it is no configuration");
}

#[test]
fn a_file_without_permission_is_an_error() {
    use std::os::unix::fs::PermissionsExt as _;
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("hexad.yaml");
    fs::write(&path, "").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o0)).unwrap();
    if fs::read(&path).is_ok() {
        return; // The superuser may read everything.
    }
    let shown = path.display();
    let expected = format!("cannot read {shown}: permission denied");
    assert_eq!(named(&path).unwrap_err().to_string(), expected);
}

#[test]
fn messages_name_the_file_as_it_was_given() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("mine.yaml");
    fs::write(&path, "terminal:\n  timeout: soon\n").unwrap();
    let error = named(&path).unwrap_err().to_string();
    assert!(error.starts_with(&format!("{}:2: terminal.timeout is ", path.display())), "{error}");
}

#[test]
fn debug_output_has_no_values() {
    let sources = Sources {
        env: env(&[("TOKEN", "hunter2")]),
        overrides: vec![("docker_env".to_owned(), "{\"A\":\"hunter2\"}".to_owned())],
        ..Sources::default()
    };
    let shown = format!("{sources:?}");
    assert!(shown.contains("TOKEN") && shown.contains("docker_env"), "{shown}");
    assert!(!shown.contains("hunter2"), "{shown}");
}
