use proptest::prelude::*;

use super::*;

fn collect(pieces: &[&[u8]], limit: usize) -> Captured {
    let mut collector = Collector::new(limit);
    for piece in pieces {
        collector.push(piece);
    }
    collector.finish()
}

#[test]
fn short_output_is_kept_whole() {
    let captured = collect(&[b"ab", b"", b"cd"], 100);
    assert_eq!(captured.bytes(), b"abcd");
    assert_eq!(captured.omitted_bytes(), 0);
}

#[test]
fn output_of_exactly_the_limit_is_kept_whole() {
    let captured = collect(&[&[b'x'; 10]], 10);
    assert_eq!(captured.bytes(), [b'x'; 10]);
}

#[test]
fn long_output_keeps_two_fifths_from_its_head() {
    let text: Vec<u8> = (0..1000u32).flat_map(|n| format!("{n:03} ").into_bytes()).collect();
    let captured = collect(&[&text], 100);
    assert_eq!(captured.head, &text[..40]);
    assert_eq!(captured.tail, &text[text.len() - 60..]);
    assert_eq!(captured.omitted_bytes(), 3900);
    assert!(captured.text().contains("3900 of 4000 bytes left out"));
}

#[test]
fn cuts_fall_between_characters() {
    let text = "你".repeat(1000);
    let captured = collect(&[text.as_bytes()], 100);
    assert!(std::str::from_utf8(&captured.head).is_ok());
    assert!(std::str::from_utf8(&captured.tail).is_ok());
}

#[test]
fn the_last_line_is_the_last_one_with_text() {
    let mut collector = Collector::new(100);
    collector.push(b"one\ntwo words \n\n");
    assert_eq!(collector.last_line(50), "two words");
    assert_eq!(collector.last_line(3), "two");
}

proptest! {
    #[test]
    fn never_more_than_the_limit_and_never_a_wrong_count(
        pieces in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..50), 0..30),
        limit in 0usize..200,
    ) {
        let whole: Vec<u8> = pieces.concat();
        let captured = collect(&pieces.iter().map(Vec::as_slice).collect::<Vec<_>>(), limit);
        prop_assert!(captured.head.len() + captured.tail.len() <= limit.max(whole.len().min(limit)));
        prop_assert_eq!(captured.total_bytes, whole.len() as u64);
        prop_assert!(whole.starts_with(&captured.head));
        prop_assert!(whole.ends_with(&captured.tail));
        if whole.len() <= limit {
            prop_assert_eq!(captured.bytes(), whole);
        }
    }

    #[test]
    fn valid_text_stays_valid(text in "\\PC{0,300}", limit in 1usize..100) {
        let captured = collect(&[text.as_bytes()], limit);
        prop_assert!(std::str::from_utf8(&captured.head).is_ok());
        prop_assert!(std::str::from_utf8(&captured.tail).is_ok());
    }
}
