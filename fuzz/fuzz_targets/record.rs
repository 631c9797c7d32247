//! A control stream with anything in it: frames are found the same however the stream is cut, and
//! what is in them is read or refused, for both kinds of shell, doubled or not.

#![no_main]

use hexad_actors::shell::record::{parse_hello, parse_record};
use hexad_actors::shell::{Dialect, Frame, FrameReader, Nonce};
use libfuzzer_sys::fuzz_target;

fn read(stream: &[u8], piece: usize) -> (Vec<Frame>, Vec<u8>, bool) {
    let mut reader = FrameReader::with_limit(&Nonce::fixed("n"), 4096);
    let (mut frames, mut outside) = (Vec::new(), Vec::new());
    for piece in stream.chunks(piece) {
        reader.feed(piece, &mut frames, &mut outside);
    }
    let cut = reader.finish(&mut outside);
    (frames, outside, cut)
}

fuzz_target!(|input: (usize, &[u8])| {
    let (piece, stream) = input;
    let whole = read(stream, usize::MAX);
    assert_eq!(read(stream, piece % 16 + 1), whole);
    let bare = Frame { kind: b'F', payload: stream.to_vec(), oversize: false };
    for frame in whole.0.iter().chain([&bare]) {
        let _ = parse_hello(frame);
        for dialect in [Dialect::Bash, Dialect::Posix] {
            let single = parse_record(frame, dialect, false);
            let doubled = Frame { payload: frame.payload.repeat(2), ..frame.clone() };
            // A record says the same once and twice.
            assert_eq!(parse_record(&doubled, dialect, true), single);
            let _ = parse_record(frame, dialect, true);
        }
    }
});
