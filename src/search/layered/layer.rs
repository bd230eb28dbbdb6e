//! A layer: all states at one distance from the start, by bucket.

use crate::memory::Packed;
use crate::memory::chunks::{Chain, Full, Pool};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// All states at one distance. A state's highest `bits` bits tell its bucket.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layer {
    /// The buckets, as a power of two.
    pub(super) bits: u32,
    /// The states.
    pub(super) states: u64,
    /// The buckets' chains, two words each.
    directory: Chain,
}

impl Layer {
    /// A layer of these buckets, in their order.
    pub(super) fn new<E: Packed>(
        pool: &Pool<'_>,
        bits: u32,
        buckets: impl Iterator<Item = Chain>,
    ) -> Result<Self, Full> {
        let mut layer = Self { bits, states: 0, directory: Chain::EMPTY };
        for bucket in buckets {
            layer.states += (bucket.len() / E::WORDS) as u64;
            if let Err(full) = pool.append(&mut layer.directory, &bucket.to_words()) {
                pool.release(layer.directory);
                return Err(full);
            }
        }
        Ok(layer)
    }

    /// One of its buckets.
    pub(super) fn bucket(&self, pool: &Pool<'_>, number: usize) -> Chain {
        let words = pool.from_word(&self.directory, 2 * number);
        Chain::from_words([words[0].load(Relaxed), words[1].load(Relaxed)])
    }

    /// The buckets that hold what falls into one bucket of another layer.
    pub(super) fn overlapping(&self, number: usize, bits: u32) -> std::ops::Range<usize> {
        if self.bits <= bits {
            let bucket = number >> (bits - self.bits);
            bucket..bucket + 1
        } else {
            let finer = self.bits - bits;
            number << finer..(number + 1) << finer
        }
    }

    /// Whether a state is in it.
    pub(super) fn contains<E: Packed>(&self, pool: &Pool<'_>, state: E, note_bits: u32) -> bool {
        let bucket = self.bucket(pool, state.slice(0, self.bits));
        states::<E>(pool, &bucket).any(|other| other.same(state, note_bits))
    }

    /// Gives its memory back.
    pub(super) fn release(self, pool: &Pool<'_>) {
        for number in 0..1 << self.bits {
            pool.release(self.bucket(pool, number));
        }
        pool.release(self.directory);
    }
}

/// The states in a bucket.
pub(super) fn states<'p, E: Packed>(pool: &'p Pool<'_>, bucket: &'p Chain) -> impl Iterator<Item = E> + 'p {
    pool.chunks(bucket).flat_map(in_chunk)
}

/// The states in a chunk.
pub(super) fn in_chunk<E: Packed>(chunk: &[AtomicU64]) -> impl Iterator<Item = E> + '_ {
    chunk.chunks_exact(E::WORDS).map(E::read)
}
