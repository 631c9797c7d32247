//! Records that are not as the scripts write them: cut, changed, mixed with something else. What
//! is taken is always a state that some shell really had.

use proptest::prelude::*;

use super::super::real_shell::{Ran, command, run};
use super::*;
use crate::shell::{CommandInput, FrameReader, Nonce};

const BUSY: &str = "cd /usr; export A='x y' B=$'\\n\\xff;'; l=(1 '2 3'); declare -A m=([k]=v); \
    f() { echo \"$1\"; }; export -f f; alias a='b c'; umask 027; set -o pipefail; exit 3";
const PLAIN: &str = "cd /usr; export A='x y'; B=\"it's\"; alias a='b c'; umask 027; exit 3";

fn real(dialect: Dialect, separate: bool) -> Ran {
    let text = if dialect == Dialect::Bash { BUSY } else { PLAIN };
    run(&ShellState::empty(dialect, "/"), &CommandInput { separate, ..command(text) }, b"")
}

fn frame(payload: &[u8]) -> Frame {
    Frame { kind: FINAL, payload: payload.to_vec(), oversize: false }
}

const KINDS: [(Dialect, bool); 4] = [
    (Dialect::Bash, false),
    (Dialect::Bash, true),
    (Dialect::Posix, false),
    (Dialect::Posix, true),
];

#[test]
fn a_record_cut_anywhere_is_refused() {
    for (dialect, doubled) in KINDS {
        let whole = real(dialect, doubled).frame(FINAL).payload.clone();
        let state = parse_record(&frame(&whole), dialect, doubled).unwrap();
        for cut in 0..whole.len() {
            if let Ok(other) = parse_record(&frame(&whole[..cut]), dialect, doubled) {
                assert_eq!(other, state, "{dialect:?} cut at {cut}");
                panic!("a record without its end was taken: {dialect:?}, cut at {cut}");
            }
        }
    }
}

#[test]
fn a_record_without_its_beginning_is_refused() {
    for (dialect, doubled) in KINDS {
        let whole = real(dialect, doubled).frame(FINAL).payload.clone();
        let first_section = whole.iter().position(|b| *b == 0).unwrap();
        for start in first_section..whole.len() {
            let taken = parse_record(&frame(&whole[start..]), dialect, doubled);
            assert!(taken.is_err(), "{dialect:?} from {start}");
        }
    }
}

#[test]
fn a_stream_cut_anywhere_gives_no_frame_or_the_whole_one() {
    let payload = real(Dialect::Bash, false).frame(FINAL).payload.clone();
    let nonce = Nonce::fixed("abc");
    let mut stream = b"\0abc:F".to_vec();
    stream.extend_from_slice(&payload);
    stream.extend_from_slice(b"\0abc;");
    for cut in (0..=stream.len()).rev().take(400) {
        let mut reader = FrameReader::new(&nonce);
        let (mut frames, mut outside) = (Vec::new(), Vec::new());
        reader.feed(&stream[..cut], &mut frames, &mut outside);
        assert_eq!(frames.len(), usize::from(cut == stream.len()));
        assert!(frames.iter().all(|f| f.payload == payload));
    }
}

#[test]
fn wrong_values_are_refused() {
    let good = |status: &str, cwd: &str, umask: &str, variables: &str, functions: &str| {
        format!(
            "{status}\0braceexpand\0extglob\0{cwd}\n\0{umask}\n\0{variables}\0\0{functions}\0\0"
        )
    };
    let parse = |text: String| parse_record(&frame(text.as_bytes()), Dialect::Bash, false);
    assert!(parse(good("0", "/x", "0022", "declare -- A=\"1\"\n", "declare -fx f\n")).is_ok());
    for bad in [
        good("x", "/x", "0022", "", ""),
        good("1 2", "/x", "0022", "", ""),
        good("", "/x", "0022", "", ""),
        good("0", "relative", "0022", "", ""),
        good("0", "", "0022", "", ""),
        good("0", "/x", "1000", "", ""),
        good("0", "/x", "9", "", ""),
        good("0", "/x", "0022", "declare -- A=\"1", ""),
        good("0", "/x", "0022", "noise\ndeclare -- A=\"1\"\n", ""),
        good("0", "/x", "0022", "declare -- A=$(id)\n", ""),
        good("0", "/x", "0022", "", "declare -fx f; id\n"),
        good("0", "/x", "0022", "", "id\n"),
        good("0", "/x", "0022", "", "") + "more\0",
        String::new(),
    ] {
        assert!(parse(bad.clone()).is_err(), "{bad:?}");
    }
    let over = Frame { oversize: true, ..frame(b"") };
    assert_eq!(parse_record(&over, Dialect::Bash, false), Err(RecordError::Oversize));
}

#[test]
fn hello_is_three_parts_and_a_number() {
    let parse = |text: &[u8]| parse_hello(&Frame { kind: HELLO, ..frame(text) });
    assert_eq!(parse(b"12\x005.2\0/x\0").unwrap().pid, 12);
    for bad in [&b"12\x005.2\0/x"[..], b"12\x005.2\0", b"x\x005.2\0/x\0", b"1\0a\0b\0c\0", b""] {
        assert!(parse(bad).is_err());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn random_bytes_are_read_or_refused(
        bytes in prop::collection::vec(prop_oneof![any::<u8>(), Just(0)], 0..200),
        doubled: bool,
    ) {
        for dialect in [Dialect::Bash, Dialect::Posix] {
            let _ = parse_record(&frame(&bytes), dialect, doubled);
        }
        let _ = parse_hello(&frame(&bytes));
    }
}

proptest! {
    // Each case starts a shell.
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn what_was_written_into_a_doubled_record_is_noticed(
        at in any::<prop::sample::Index>(),
        noise in prop::collection::vec(any::<u8>(), 1..12),
        bash: bool,
    ) {
        let dialect = if bash { Dialect::Bash } else { Dialect::Posix };
        let whole = real(dialect, true).frame(FINAL).payload.clone();
        for step in 0..40 {
            let at = (at.index(whole.len() + 1) + step * 37) % (whole.len() + 1);
            let mut mixed = whole.clone();
            mixed.splice(at..at, noise.iter().copied());
            prop_assert!(parse_record(&frame(&mixed), dialect, true).is_err(), "at {at}");
        }
    }

    #[test]
    fn a_changed_byte_in_a_doubled_record_is_noticed(
        at in any::<prop::sample::Index>(),
        byte: u8,
    ) {
        let whole = real(Dialect::Bash, true).frame(FINAL).payload.clone();
        let mut changed = whole.clone();
        let at = at.index(whole.len());
        changed[at] = byte;
        let taken = parse_record(&frame(&changed), Dialect::Bash, true);
        prop_assert_eq!(taken.is_ok(), changed == whole);
    }

    #[test]
    fn a_spoiled_record_never_panics(
        edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..20),
    ) {
        let mut payload = real(Dialect::Bash, false).frame(FINAL).payload.clone();
        for (at, byte) in edits {
            let at = at.index(payload.len());
            payload[at] = byte;
            let _ = parse_record(&frame(&payload), Dialect::Bash, false);
            let _ = parse_record(&frame(&payload), Dialect::Posix, false);
        }
    }
}
