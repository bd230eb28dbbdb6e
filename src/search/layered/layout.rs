//! Division of a region.
//!
//! ```text
//!  ┌────────────────────────────┬──────────────────────────────────────┐
//!  │ workers' tables and lines  │ chunks for layers and candidates     │
//!  └────────────────────────────┴──────────────────────────────────────┘
//! ```

use crate::memory::{Line, Packed};

/// The division of a region.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout {
    /// Slots of a worker's table.
    pub(super) slots: usize,
    /// Largest number of buckets, as a power of two.
    pub(super) bucket_bits: u32,
    /// Workers that fit.
    pub(super) workers: usize,
    /// Words per chunk.
    pub(super) chunk: usize,
}

/// Slots of the largest table. It must fit a core's private cache.
const MAX_SLOTS: usize = 1 << 14;

/// Largest number of buckets, as a power of two. Their lines must fit a core's private cache.
const MAX_BUCKET_BITS: u32 = 12;

/// Largest number of workers.
const MAX_WORKERS: usize = 32;

/// Least number of chunks with which a search is tried.
const MIN_CHUNKS: usize = 32;

impl Layout {
    /// Divides `bytes`. Returns `None` if they are too few.
    pub(super) fn new<E: Packed>(bytes: usize) -> Option<Self> {
        let state = size_of::<E>();
        let slots = 1 << (bytes / 32 / state).max(64).ilog2().min(MAX_SLOTS.ilog2());
        // A layer, the next one and its duplicates have to fit.
        let bucket_bits =
            (bytes / (3 * state) / states_per_bucket(slots)).max(1).ilog2().min(MAX_BUCKET_BITS);
        // A bucket's last chunk is half empty on average; it should be one of many.
        let chunk = (slots / 32).max(size_of::<Line>() / 8);
        let mut layout = Self { slots, bucket_bits, workers: 1, chunk };
        layout.workers = (bytes / 16 / layout.worker_bytes::<E>()).clamp(1, MAX_WORKERS);
        let chunks = bytes.checked_sub(layout.workers * layout.worker_bytes::<E>())?;
        (chunks / 8 >= (MIN_CHUNKS + 1) * chunk).then_some(layout)
    }

    /// Returns the number of buckets for the successors of `states` states, as a power of two.
    pub(super) fn buckets_for(&self, states: u64) -> u32 {
        let buckets = states.div_ceil(states_per_bucket(self.slots) as u64).max(1);
        buckets.next_power_of_two().ilog2().min(self.bucket_bits)
    }

    /// Returns the number of states in a cache line.
    pub(super) const fn states_per_line<E>() -> usize {
        size_of::<Line>() / size_of::<E>()
    }

    /// Returns the bytes of a worker: its table, and for each bucket a line and a byte with the
    /// number of states in it.
    pub(super) fn worker_bytes<E>(&self) -> usize {
        let buckets = 1usize << self.bucket_bits;
        self.slots * size_of::<E>()
            + buckets * size_of::<Line>()
            + buckets.next_multiple_of(size_of::<Line>())
    }
}

/// Returns the states of a layer per bucket: their successors, including duplicates, should fit
/// a table.
const fn states_per_bucket(slots: usize) -> usize {
    slots / 8
}
