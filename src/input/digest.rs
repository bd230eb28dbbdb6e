//! A fingerprint of the text that was read so far, to tell later whether a file
//! still begins in the same way.
//!
//! The text of several files is one text. The value is written to disk, so it is
//! a hash that is the same everywhere (XXH64); it guards against mistakes, not
//! against malice.

use super::{InputError, source::Source};
use std::hash::Hasher;
use twox_hash::XxHash64;

/// The hash of all bytes so far.
#[derive(Clone, Debug)]
pub struct Digest(XxHash64);

/// Of no text at all.
impl Default for Digest {
    fn default() -> Self {
        Self(XxHash64::with_seed(0))
    }
}

impl Digest {
    /// Takes more text.
    pub(super) fn add(&mut self, bytes: &[u8]) {
        self.0.write(bytes);
    }

    /// Takes a file's text, up to so many bytes; says how many there were. A
    /// compressed file may ask for a window of so many bytes.
    pub fn add_file(&mut self, name: &str, window: Option<u64>, most: u64) -> Result<u64, InputError> {
        let mut source = Source::open(name, window)?;
        let mut buffer = Vec::new();
        let mut taken = 0;
        while taken < most {
            buffer.clear();
            if source.read_into(&mut buffer)? == 0 {
                break;
            }
            let part = &buffer[..buffer.len().min(usize::try_from(most - taken).unwrap_or(usize::MAX))];
            self.add(part);
            taken += part.len() as u64;
        }
        Ok(taken)
    }

    /// The hash of what was taken so far.
    pub fn value(&self) -> u64 {
        self.0.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::{Block, Defaults, Reader};

    #[test]
    fn it_does_not_matter_how_the_text_comes_in_pieces() {
        let text: Vec<u8> = (0..100_000u32).map(|i| (i.wrapping_mul(i) >> 3) as u8).collect();
        let mut whole = Digest::default();
        whole.add(&text);
        for size in [1, 7, 31, 32, 33, 4096] {
            let mut parts = Digest::default();
            text.chunks(size).for_each(|part| parts.add(part));
            assert_eq!(parts.value(), whole.value());
        }
        assert_ne!(Digest::default().value(), whole.value());
    }

    #[test]
    fn a_reader_and_a_second_look_at_its_file_agree() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("puzzles.txt");
        let text: String = (0..40_000).map(|n| format!("# {n}\n{n}: 1 2 3 4 5 6 7 0 8\n\n")).collect();
        std::fs::write(&path, text).unwrap();
        let name = path.to_str().unwrap();
        let mut reader = Reader::open(name, Defaults::default()).unwrap();
        reader.attach_digest(Digest::default());
        let mut block = Block::default();
        while reader.next_block(&mut block, 64).unwrap() {
            if block.number(0) % 9 == 0 || block.len() < 64 {
                let mut again = Digest::default();
                let (at, _) = reader.progress();
                assert_eq!(again.add_file(name, None, at).unwrap(), at);
                assert_eq!(reader.digest().unwrap().value(), again.value());
            }
        }
        assert_eq!(Digest::default().add_file(name, None, u64::MAX).unwrap(), path.metadata().unwrap().len());
    }
}
