use super::*;

fn filled(vars: &[(&str, &str)], asked: &[&str]) -> BTreeMap<OsString, OsString> {
    let mut map = vars.iter().map(|(name, value)| (name.into(), value.into())).collect();
    fill(&mut map, |name| asked.contains(&name));
    map
}

fn get<'a>(vars: &'a BTreeMap<OsString, OsString>, name: &str) -> Option<&'a str> {
    vars.get(OsStr::new(name)).and_then(|value| value.to_str())
}

#[test]
fn nothing_set_means_every_default() {
    let vars = filled(&[], &[]);
    for (name, value) in NON_INTERACTIVE {
        assert_eq!(get(&vars, name), Some(*value));
    }
    assert_eq!(get(&vars, "TERM"), Some("dumb"));
    assert_eq!(get(&vars, "LANG"), Some("C.UTF-8"));
    assert_eq!(get(&vars, "SSH_ASKPASS_REQUIRE"), Some("never"));
    assert_eq!(get(&vars, "NO_COLOR"), None);
    assert_eq!(get(&vars, "EDITOR"), None);
}

#[test]
fn a_value_that_is_there_wins() {
    let vars = filled(&[("PAGER", "less"), ("GIT_PAGER", ""), ("LC_ALL", "de_DE.UTF-8")], &[]);
    assert_eq!(get(&vars, "PAGER"), Some("less"));
    assert_eq!(get(&vars, "GIT_PAGER"), Some(""));
    assert_eq!(get(&vars, "LANG"), None);
}

#[test]
fn an_empty_locale_counts_as_none() {
    assert_eq!(get(&filled(&[("LANG", "")], &[]), "LANG"), Some("C.UTF-8"));
}

#[test]
fn the_hosts_terminal_is_not_the_childs() {
    assert_eq!(get(&filled(&[("TERM", "xterm")], &[]), "TERM"), Some("dumb"));
    assert_eq!(get(&filled(&[("TERM", "xterm")], &["TERM"]), "TERM"), Some("xterm"));
    assert_eq!(get(&filled(&[], &["TERM"]), "TERM"), Some("dumb"));
}

#[test]
fn password_windows_are_off_unless_the_host_decided() {
    let off = filled(&[("SSH_ASKPASS", "/bin/ask")], &[]);
    assert_eq!(get(&off, "SSH_ASKPASS"), None);
    let scripted = filled(&[("SSH_ASKPASS", "/bin/ask"), ("SSH_ASKPASS_REQUIRE", "force")], &[]);
    assert_eq!(get(&scripted, "SSH_ASKPASS"), Some("/bin/ask"));
    assert_eq!(get(&scripted, "SSH_ASKPASS_REQUIRE"), Some("force"));
    let asked = filled(&[("SSH_ASKPASS", "/bin/ask")], &["SSH_ASKPASS"]);
    assert_eq!(get(&asked, "SSH_ASKPASS"), Some("/bin/ask"));
    assert_eq!(get(&asked, "SSH_ASKPASS_REQUIRE"), None);
    let absent = filled(&[], &["SSH_ASKPASS"]);
    assert_eq!(get(&absent, "SSH_ASKPASS_REQUIRE"), Some("never"));
}
