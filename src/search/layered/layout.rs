//! How a search divides its region.
//!
//! ```text
//!  ┌────────────────────────────┬──────────────────────────────────────┐
//!  │ workers' tables and stages │ chunks for layers and candidates     │
//!  └────────────────────────────┴──────────────────────────────────────┘
//! ```

use crate::memory::{Line, Packed};

/// A region's division.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout {
    /// Slots of a worker's table.
    pub(super) slots: usize,
    /// The largest number of buckets, as a power of two.
    pub(super) bucket_bits: u32,
    /// Workers for whom there is room.
    pub(super) workers: usize,
    /// Words in a chunk.
    pub(super) chunk: usize,
}

/// Slots of the largest table: it has to stay in a core's own cache.
const MAX_SLOTS: usize = 1 << 14;

/// The most buckets: their stages have to stay in a core's own cache.
const MAX_BUCKET_BITS: u32 = 12;

/// The most workers that a search can use.
const MAX_WORKERS: usize = 32;

/// The least number of chunks that a search is tried with.
const MIN_CHUNKS: usize = 32;

impl Layout {
    /// The division of `bytes`; none if that is too little.
    pub(super) fn new<E: Packed>(bytes: usize) -> Option<Self> {
        let state = size_of::<E>();
        let slots = 1 << (bytes / 32 / state).max(64).ilog2().min(MAX_SLOTS.ilog2());
        // A layer, the next one and its duplicates have to fit.
        let bucket_bits =
            (bytes / (3 * state) / states_per_bucket(slots)).max(1).ilog2().min(MAX_BUCKET_BITS);
        // A bucket's last chunk is half empty; it should be one of many.
        let chunk = (slots / 32).max(size_of::<Line>() / 8);
        let mut layout = Self { slots, bucket_bits, workers: 1, chunk };
        layout.workers = (bytes / 16 / layout.worker_bytes::<E>()).clamp(1, MAX_WORKERS);
        let chunks = bytes.checked_sub(layout.workers * layout.worker_bytes::<E>())?;
        (chunks / 8 >= (MIN_CHUNKS + 1) * chunk).then_some(layout)
    }

    /// The buckets for the successors of so many states, as a power of two.
    pub(super) fn buckets_for(&self, states: u64) -> u32 {
        let buckets = states.div_ceil(states_per_bucket(self.slots) as u64).max(1);
        buckets.next_power_of_two().ilog2().min(self.bucket_bits)
    }

    /// States in a bucket's stage: a cache line.
    pub(super) const fn states_per_line<E>() -> usize {
        size_of::<Line>() / size_of::<E>()
    }

    /// What a worker needs: its table, a line for each bucket, and a byte that
    /// says how full the line is.
    pub(super) fn worker_bytes<E>(&self) -> usize {
        let buckets = 1usize << self.bucket_bits;
        self.slots * size_of::<E>()
            + buckets * size_of::<Line>()
            + buckets.next_multiple_of(size_of::<Line>())
    }
}

/// States of a layer that share a bucket: their successors, duplicates
/// included, should fit a table.
const fn states_per_bucket(slots: usize) -> usize {
    slots / 8
}
