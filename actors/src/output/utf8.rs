//! Cutting a byte stream into pieces that do not split characters.

use super::collector::cut_character;

/// A piece of output: text where the bytes are UTF-8.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TextOrBytes {
    /// Valid UTF-8.
    Text(String),
    /// Anything else.
    Bytes(Vec<u8>),
}

impl TextOrBytes {
    /// Text if `bytes` are UTF-8.
    #[must_use]
    pub fn from_bytes(bytes: Vec<u8>) -> Self {
        String::from_utf8(bytes).map_or_else(|e| Self::Bytes(e.into_bytes()), Self::Text)
    }

    /// The bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        match self {
            Self::Text(text) => text.as_bytes(),
            Self::Bytes(bytes) => bytes,
        }
    }
}

/// Holds back the at most three bytes of a character that is not complete yet.
#[derive(Debug, Default)]
pub struct Utf8Chunker {
    held: Vec<u8>,
}

impl Utf8Chunker {
    /// Takes bytes, gives what can be passed on now; empty when everything is held back.
    pub fn push(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut out = std::mem::take(&mut self.held);
        out.extend_from_slice(bytes);
        let keep = cut_character(&out);
        self.held = out.split_off(out.len() - keep);
        out
    }

    /// The end of the stream: what is still held.
    pub fn finish(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.held)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn text_comes_out_as_text_wherever_it_is_cut(
            text in "\\PC{0,100}",
            size in 1usize..6,
        ) {
            let mut chunker = Utf8Chunker::default();
            let mut whole = String::new();
            for piece in text.as_bytes().chunks(size) {
                let out = chunker.push(piece);
                whole.push_str(std::str::from_utf8(&out).expect("a piece is valid"));
            }
            prop_assert!(chunker.finish().is_empty());
            prop_assert_eq!(whole, text);
        }

        #[test]
        fn bytes_are_never_lost(bytes in prop::collection::vec(any::<u8>(), 0..200), size in 1usize..9) {
            let mut chunker = Utf8Chunker::default();
            let mut whole = Vec::new();
            for piece in bytes.chunks(size) {
                whole.extend(chunker.push(piece));
            }
            whole.extend(chunker.finish());
            prop_assert_eq!(whole, bytes);
        }
    }
}
