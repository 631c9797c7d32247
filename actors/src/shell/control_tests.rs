use proptest::prelude::*;

use super::*;

fn read(pieces: &[&[u8]], limit: usize) -> (Vec<Frame>, Vec<u8>, bool) {
    let mut reader = FrameReader::with_limit(&Nonce::fixed("abc"), limit);
    let (mut frames, mut outside) = (Vec::new(), Vec::new());
    for piece in pieces {
        reader.feed(piece, &mut frames, &mut outside);
    }
    let cut = reader.finish(&mut outside);
    (frames, outside, cut)
}

fn frame(kind: u8, payload: &[u8]) -> Frame {
    Frame { kind, payload: payload.to_vec(), oversize: false }
}

#[test]
fn frames_and_what_lies_between_are_kept_apart() {
    let (frames, outside, cut) = read(&[b"err1\0abc:Hone\0two\0abc;err2\0abc:B\0abc;\0"], 100);
    assert_eq!(frames, [frame(b'H', b"one\0two"), frame(b'B', b"")]);
    assert_eq!(outside, b"err1err2\0");
    assert!(!cut);
}

#[test]
fn marks_of_another_shell_are_plain_bytes() {
    let (frames, outside, _) = read(&[b"\0abd:Hx\0abd;"], 100);
    assert!(frames.is_empty());
    assert_eq!(outside, b"\0abd:Hx\0abd;");
}

#[test]
fn a_frame_without_an_end_is_reported() {
    let (frames, outside, cut) = read(&[b"\0abc:Bhalf"], 100);
    assert!(frames.is_empty() && outside.is_empty() && cut);
}

#[test]
fn a_frame_over_the_limit_is_cut_and_marked_and_the_next_one_is_read() {
    let (frames, _, _) = read(&[b"\0abc:B123456\0abc;\0abc:Cx\0abc;"], 4);
    assert_eq!(frames[0], Frame { kind: b'B', payload: b"1234".to_vec(), oversize: true });
    assert_eq!(frames[1], frame(b'C', b"x"));
}

#[test]
fn user_bytes_are_not_held_back_without_reason() {
    let mut reader = FrameReader::new(&Nonce::fixed("abc"));
    let (mut frames, mut outside) = (Vec::new(), Vec::new());
    reader.feed(b"warning", &mut frames, &mut outside);
    assert_eq!(outside, b"warning");
}

proptest! {
    #[test]
    fn the_cut_of_the_stream_does_not_matter(
        parts in prop::collection::vec(
            (prop::collection::vec(any::<u8>(), 0..20), any::<bool>()), 0..8),
        cuts in prop::collection::vec(1usize..7, 0..200),
    ) {
        let mut stream = Vec::new();
        for (bytes, framed) in &parts {
            if *framed {
                stream.extend_from_slice(b"\0abc:K");
                stream.extend(bytes.iter().filter(|b| **b != 0));
                stream.extend_from_slice(b"\0abc;");
            } else {
                stream.extend_from_slice(bytes);
            }
        }
        let whole = read(&[&stream], 1000);
        let mut pieces: Vec<&[u8]> = Vec::new();
        let mut rest = &stream[..];
        for cut in cuts {
            let (piece, tail) = rest.split_at(cut.min(rest.len()));
            pieces.push(piece);
            rest = tail;
        }
        pieces.push(rest);
        prop_assert_eq!(read(&pieces, 1000), whole);
    }
}
