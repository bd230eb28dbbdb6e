//! Digest of the text read so far, to detect later whether a file still begins with it.
//!
//! The texts of several files are concatenated. The value is written to disk, so the hash is equal
//! on every machine (XXH64). It detects mistakes, not malice.

use super::{InputError, source::Source};
use std::hash::Hasher;
use twox_hash::XxHash64;

/// Hash of the bytes added so far.
#[derive(Clone, Debug)]
pub struct Digest(XxHash64);

/// The digest of an empty text.
impl Default for Digest {
    fn default() -> Self {
        Self(XxHash64::with_seed(0))
    }
}

impl Digest {
    /// Adds text.
    pub(super) fn add(&mut self, bytes: &[u8]) {
        self.0.write(bytes);
    }

    /// Adds up to `max_bytes` bytes of a file's text and returns their number. `window` is the maximum
    /// window of a compressed file.
    pub fn add_file(&mut self, name: &str, window: Option<u64>, max_bytes: u64) -> Result<u64, InputError> {
        let mut source = Source::open(name, window)?;
        let mut buffer = Vec::new();
        let mut added = 0;
        while added < max_bytes {
            buffer.clear();
            if source.read_into(&mut buffer)? == 0 {
                break;
            }
            let part = &buffer[..buffer.len().min(usize::try_from(max_bytes - added).unwrap_or(usize::MAX))];
            self.add(part);
            added += part.len() as u64;
        }
        Ok(added)
    }

    /// Returns the hash of the text so far.
    pub fn value(&self) -> u64 {
        self.0.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::{Block, Defaults, Reader};

    #[test]
    fn the_digest_does_not_depend_on_the_pieces() {
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
    fn the_digests_of_a_reader_and_of_its_file_agree() {
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
