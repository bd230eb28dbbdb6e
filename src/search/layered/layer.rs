//! A layer: all states at one distance from the start, partitioned into buckets.

use crate::memory::Packed;
use crate::memory::chunks::{Chain, Full, Pool};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// All states at one distance. A state's highest `bits` bits are its bucket number.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layer {
    /// Number of buckets, as a power of two.
    pub(super) bits: u32,
    /// Number of states.
    pub(super) states: u64,
    /// The buckets' chains, two words each.
    directory: Chain,
}

impl Layer {
    /// Creates a layer of `buckets`, which are in ascending order.
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

    /// Returns the chain of a bucket.
    pub(super) fn bucket(&self, pool: &Pool<'_>, number: usize) -> Chain {
        let words = pool.from_word(&self.directory, 2 * number);
        Chain::from_words([words[0].load(Relaxed), words[1].load(Relaxed)])
    }

    /// Returns the buckets that overlap with bucket `number` of a layer with `bits` bucket
    /// bits.
    pub(super) fn overlapping(&self, number: usize, bits: u32) -> std::ops::Range<usize> {
        if self.bits <= bits {
            let bucket = number >> (bits - self.bits);
            bucket..bucket + 1
        } else {
            let finer = self.bits - bits;
            number << finer..(number + 1) << finer
        }
    }

    /// Returns whether the layer contains a state.
    pub(super) fn contains<E: Packed>(&self, pool: &Pool<'_>, state: E, used_move_bits: u32) -> bool {
        let bucket = self.bucket(pool, state.slice(0, self.bits));
        states::<E>(pool, &bucket).any(|other| other.same(state, used_move_bits))
    }

    /// Returns the layer's memory to the pool.
    pub(super) fn release(self, pool: &Pool<'_>) {
        for number in 0..1 << self.bits {
            pool.release(self.bucket(pool, number));
        }
        pool.release(self.directory);
    }
}

/// Iterates over the states of a bucket.
pub(super) fn states<'p, E: Packed>(pool: &'p Pool<'_>, bucket: &'p Chain) -> impl Iterator<Item = E> + 'p {
    pool.chunks(bucket).flat_map(in_chunk)
}

/// Iterates over the states of a chunk.
pub(super) fn in_chunk<E: Packed>(chunk: &[AtomicU64]) -> impl Iterator<Item = E> + '_ {
    chunk.chunks_exact(E::WORDS).map(E::read)
}
