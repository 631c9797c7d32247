use std::os::unix::fs::PermissionsExt as _;

use super::*;

const A: &str = "AAAAC3NzaC1lZDI1NTE5AAAAIJdD7y3aLq454yWBdwLWbieU1ebz9/cu7/QEXn9OIeZJ";
const B: &str = "AAAAC3NzaC1lZDI1NTE5AAAAIA6rWI3G1sz07DnfFlrouTcysQlj2P+jpNSOEWD9OJ3X";
/// example.com, hashed.
const HASHED: &str = "|1|O33ESRMWPVkMYIwJ1Uw+n877jTo=|nuuC5vEqXlEZ/8BXQR7m619W6Ak=";

fn key(text: &str) -> PublicKey {
    parse_public_key_base64(text).unwrap()
}

fn file(text: &str) -> (tempfile::TempDir, Vec<PathBuf>) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("known_hosts");
    std::fs::write(&path, text).unwrap();
    (folder, vec![path])
}

#[test]
fn names_are_found_plain_hashed_with_ports_and_by_pattern() {
    let (_folder, files) = file(&format!(
        "# a comment\n{HASHED} ssh-ed25519 {A}\n[box]:2222\tssh-ed25519 {A} comment\n\
         *.lan,!bad.lan ssh-ed25519 {B}\n@cert-authority * ssh-ed25519 {B}\n"
    ));
    let lines = |name: &str| -> Vec<usize> {
        lookup(&files, name).unwrap().iter().map(|known| known.line).collect()
    };
    assert_eq!(lines("example.com"), [2]);
    assert_eq!(lines("[box]:2222"), [3]);
    assert_eq!(lines("BOX"), [0; 0]);
    assert_eq!(lines("A.lan"), [4]);
    assert_eq!(lines("bad.lan"), [0; 0]);
}

#[test]
fn a_key_is_known_new_changed_or_revoked() {
    let (_folder, files) = file(&format!("h ssh-ed25519 {A}\n@revoked * ssh-ed25519 {B}\n"));
    let known = lookup(&files, "h").unwrap();
    assert!(matches!(judge(&known, &key(A)), Verdict::Known));
    assert!(matches!(judge(&known, &key(B)), Verdict::Revoked(k) if k.line == 2));
    assert!(matches!(judge(&known[1..], &key(A)), Verdict::New));
    assert!(matches!(judge(&known[..1], &key(B)), Verdict::Changed(k) if k.line == 1));
}

#[test]
fn what_is_learnt_is_found_again_and_the_file_is_private() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ssh/known_hosts");
    learn(&path, "[h]:22022", &key(A)).unwrap();
    std::fs::write(&path, std::fs::read_to_string(&path).unwrap().trim_end()).unwrap();
    learn(&path, "other", &key(B)).unwrap();
    let files = [path.clone()];
    assert!(matches!(judge(&lookup(&files, "[h]:22022").unwrap(), &key(A)), Verdict::Known));
    assert!(matches!(judge(&lookup(&files, "other").unwrap(), &key(B)), Verdict::Known));
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn a_file_that_cannot_be_read_is_not_an_empty_one() {
    let folder = tempfile::tempdir().unwrap();
    assert!(lookup(&[folder.path().to_owned()], "h").is_err());
    assert!(lookup(&[folder.path().join("none")], "h").unwrap().is_empty());
}
