//! The checksum of a file of results: the same on every machine (XXH64), against mistakes and
//! not against malice.

use std::hash::Hasher;
use twox_hash::XxHash64;

/// The checksum of all bytes so far.
#[derive(Clone, Debug)]
pub struct Checksum(XxHash64);

/// Of no bytes.
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

    /// The checksum of the bytes so far.
    pub fn value(&self) -> u64 {
        self.0.finish()
    }
}
