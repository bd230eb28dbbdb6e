//! Checksum of a file of results: XXH64, equal on every machine. It detects mistakes, not malice.

use std::hash::Hasher;
use twox_hash::XxHash64;

/// Checksum of the bytes added so far.
#[derive(Clone, Debug)]
pub struct Checksum(XxHash64);

/// The checksum of an empty file.
impl Default for Checksum {
    fn default() -> Self {
        Self(XxHash64::with_seed(0))
    }
}

impl Checksum {
    /// Adds bytes.
    pub(super) fn add(&mut self, bytes: &[u8]) {
        self.0.write(bytes);
    }

    /// Returns the checksum of the bytes so far.
    pub fn value(&self) -> u64 {
        self.0.finish()
    }
}
