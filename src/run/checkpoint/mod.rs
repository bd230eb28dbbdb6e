//! Checkpoint files, from which a killed search of many hours is resumed.
//!
//! A checkpoint names its puzzle and says how far each root of the frontier is searched
//! ([`Snapshot`]), with a version and a checksum. Every board has a file of its own (`files`), which
//! is replaced as a whole at growing intervals (`one_search`).
//!
//! Layout, in little-endian words of 8 bytes: `MAGIC`, version, lengths of puzzle, heuristic and
//! root list, region, nodes expanded, nodes generated; then both texts, 6 bytes for each root (slot
//! and f), and the checksum.

pub(crate) mod files;
pub(crate) mod one_search;

pub(crate) use files::{Checkpoints, may_be_in_input};
pub(crate) use one_search::OneSearch;

use crate::pdb::checksum;
use crate::search::checkpoint::{Root, Snapshot};
use std::io;

/// First bytes of every checkpoint.
const MAGIC: &[u8; 8] = b"bs-rest\n";

/// Version of the layout.
const VERSION: u64 = 1;

/// Bytes before the first text.
const FIXED: usize = 8 * 8;

/// Reason why a checkpoint cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum BadCheckpoint {
    /// The file cannot be read or written.
    #[error("{0}")]
    File(#[from] io::Error),
    /// The file is not a checkpoint.
    #[error("this is not a checkpoint of batch-solve")]
    Foreign,
    /// The checkpoint has another version.
    #[error("the checkpoint has version {0}; this program reads version {VERSION}")]
    Version(u64),
    /// The checkpoint is truncated or its checksum is wrong.
    #[error("the checkpoint is damaged")]
    Damaged,
    /// The checkpoint belongs to another puzzle or search.
    #[error("the checkpoint does not belong to this search: {0}")]
    Other(String),
}

/// Content of a checkpoint.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Checkpoint {
    /// Board and goal of the puzzle, as text.
    pub puzzle: String,
    /// Progress of its search.
    pub snapshot: Snapshot,
}

impl Checkpoint {
    /// Parses the bytes of a checkpoint.
    pub fn parse(bytes: &[u8]) -> Result<Self, BadCheckpoint> {
        let rest = bytes.strip_prefix(MAGIC).ok_or(BadCheckpoint::Foreign)?;
        let word = |at: usize| -> Option<u64> {
            Some(u64::from_le_bytes(rest.get(8 * at..8 * at + 8)?.try_into().ok()?))
        };
        let version = word(0).ok_or(BadCheckpoint::Damaged)?;
        if version != VERSION {
            return Err(BadCheckpoint::Version(version));
        }
        Self::parse_body(rest, word).ok_or(BadCheckpoint::Damaged)
    }

    fn parse_body(bytes: &[u8], word: impl Fn(usize) -> Option<u64>) -> Option<Self> {
        let (body, sum) = bytes.split_at_checked(bytes.len().checked_sub(8)?)?;
        if checksum_of(body) != u64::from_le_bytes(sum.try_into().ok()?) {
            return None;
        }
        let length = |at: usize| usize::try_from(word(at)?).ok();
        let (puzzle, heuristic, roots) = (length(1)?, length(2)?, length(3)?);
        let (region, expanded, generated) = (word(4)?, word(5)?, word(6)?);
        let texts = body.get(FIXED - 8..)?;
        let (puzzle, texts) = texts.split_at_checked(puzzle)?;
        let (heuristic, list) = texts.split_at_checked(heuristic)?;
        if list.len() != roots.checked_mul(6)? {
            return None;
        }
        let root = |bytes: &[u8]| -> Option<Root> {
            let (slot, level) = bytes.split_at_checked(4)?;
            Some((u32::from_le_bytes(slot.try_into().ok()?), u16::from_le_bytes(level.try_into().ok()?)))
        };
        let roots: Vec<Root> = list.chunks_exact(6).map(root).collect::<Option<_>>()?;
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).ok();
        let is_sorted = roots.windows(2).all(|pair| pair[0].0 < pair[1].0);
        is_sorted.then_some(Self {
            puzzle: text(puzzle)?,
            snapshot: Snapshot { heuristic: text(heuristic)?, region, expanded, generated, roots },
        })
    }

    /// Returns the bytes of a checkpoint.
    pub fn to_bytes(puzzle: &str, snapshot: &Snapshot) -> Vec<u8> {
        let Snapshot { heuristic, region, expanded, generated, roots } = snapshot;
        let texts = puzzle.len() + heuristic.len();
        let mut bytes = Vec::with_capacity(FIXED + texts + 6 * roots.len());
        let lengths = [puzzle.len(), heuristic.len(), roots.len()].map(|length| length as u64);
        let words = [VERSION].into_iter().chain(lengths).chain([*region, *expanded, *generated]);
        words.for_each(|word| bytes.extend(word.to_le_bytes()));
        bytes.extend(puzzle.as_bytes());
        bytes.extend(heuristic.as_bytes());
        for (slot, level) in roots {
            bytes.extend(slot.to_le_bytes());
            bytes.extend(level.to_le_bytes());
        }
        Self::seal(&bytes)
    }

    /// Returns `body` between the magic bytes and the checksum.
    pub fn seal(body: &[u8]) -> Vec<u8> {
        [MAGIC, body, &checksum_of(body).to_le_bytes()].concat()
    }
}

/// Returns the checksum of `bytes`, padded with zeros to whole words.
fn checksum_of(bytes: &[u8]) -> u64 {
    const CHUNK: usize = 512;
    let mut words = [0u64; CHUNK];
    bytes.chunks(8 * CHUNK).fold(bytes.len() as u64, |sum, chunk| {
        words = [0; CHUNK];
        for (word, bytes) in words.iter_mut().zip(chunk.chunks(8)) {
            let mut whole = [0; 8];
            whole[..bytes.len()].copy_from_slice(bytes);
            *word = u64::from_le_bytes(whole);
        }
        checksum(sum, &words)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn snapshot() -> Snapshot {
        let roots = (0..100).map(|at| (3 * at, 80 + at as u16 % 3)).collect();
        Snapshot { heuristic: "pdb:6-6-6-6x2".into(), region: 1 << 27, expanded: 5, generated: 11, roots }
    }

    #[test]
    fn a_written_checkpoint_is_parsed() {
        let bytes = Checkpoint::to_bytes("5x5: some", &snapshot());
        let read = Checkpoint::parse(&bytes).unwrap();
        assert_eq!(read, Checkpoint { puzzle: "5x5: some".into(), snapshot: snapshot() });
        let empty = Snapshot { roots: Vec::new(), ..snapshot() };
        assert_eq!(Checkpoint::parse(&Checkpoint::to_bytes("", &empty)).unwrap().snapshot, empty);
    }

    #[test]
    fn every_flipped_bit_and_every_truncation_is_detected() {
        let bytes = Checkpoint::to_bytes("5x5: some", &snapshot());
        for at in 0..bytes.len() {
            for bit in 0..8 {
                let mut other = bytes.clone();
                other[at] ^= 1 << bit;
                assert!(Checkpoint::parse(&other).is_err(), "{at}");
            }
            assert!(Checkpoint::parse(&bytes[..at]).is_err());
        }
        assert!(Checkpoint::parse(&[&bytes[..], b"x"].concat()).is_err());
        assert!(matches!(Checkpoint::parse(b"1 2 3"), Err(BadCheckpoint::Foreign)));
    }
}
