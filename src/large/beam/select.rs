//! The best of the boards that one more move can make.
//!
//! Candidates are put in order by a counting sort on their keys; boards recent in
//! this level or a recent one are left out, and of those with one arrangement of
//! the line's tiles only some are let in. Boards are told apart by a hash of 64
//! bits. Two that share one by chance cost the beam a board, which it may drop
//! anyway, and nothing else.

use super::bump::BumpAllocator;
use crate::large::beam::score::ScoreChange;
use crate::memory::prefetch;
use bytemuck::{Pod, Zeroable};

/// A board that could be made.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Candidate {
    pub(super) hash: u64,
    pub(super) key: i32,
    pub(super) line: i32,
    pub(super) others: i32,
    /// The parent's index and the move.
    pub(super) parent: u32,
}

impl Candidate {
    #[inline(always)]
    pub(super) fn change(&self) -> ScoreChange {
        ScoreChange { hash: self.hash, line: self.line, others: self.others }
    }
}

/// How many boards share an arrangement.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct LineStateCount {
    hash: u64,
    level: u32,
    count: u32,
}

/// Candidates for capacity board of a level: three moves capacity, and room for those
/// that join.
const CANDIDATES_PER_BOARD: usize = 5;

/// BumpAllocator for candidates beyond that.
const SPARE_CANDIDATES: usize = 64;

/// Candidates between asking for what one needs and using it.
const PREFETCH_DISTANCE: usize = 6;

/// Buckets of the counting sort, and how far apart the keys of one may be.
const BUCKETS: usize = 512;
const KEY_SHIFT: u32 = 2;

/// The most shards of a beam.
pub(super) const MAX_SHARDS: usize = 32;

/// The bits of a packed among the candidates of a shard; the others tell the shard.
const INDEX_BITS: u32 = 27;

/// The candidates that the boards of one shard of a beam make, sorted by the shard
/// to which they belong.
pub(super) struct Offers<'m> {
    candidates: &'m mut [Candidate],
    /// For capacity shard how many there are; all in the first packed while they local
    /// with the shard that made them.
    counts: [u32; MAX_SHARDS],
    shards: usize,
    capacity: usize,
    local: bool,
}

impl<'m> Offers<'m> {
    pub(super) fn new(allocator: &mut BumpAllocator<'m>, width: usize, shards: usize) -> Option<Self> {
        let capacity = CANDIDATES_PER_BOARD * width / shards + SPARE_CANDIDATES;
        let candidates = allocator.alloc(capacity * shards)?;
        Some(Self { candidates, counts: [0; MAX_SHARDS], shards, capacity, local: false })
    }

    /// Forgets all candidates. Those to come local with this shard, or go where they
    /// belong among the first `shards`.
    pub(super) fn clear(&mut self, shards: Option<usize>) {
        self.counts = [0; MAX_SHARDS];
        self.local = shards.is_none();
        self.shards = shards.unwrap_or(1);
    }

    /// How many there are in all.
    pub(super) fn len(&self) -> usize {
        self.counts.iter().sum::<u32>() as usize
    }

    #[inline(always)]
    pub(super) fn add(&mut self, candidate: Candidate) {
        let shard = if self.local { 0 } else { shard_of(candidate.hash, self.shards) };
        let count = self.counts[shard] as usize;
        if count < if self.local { self.candidates.len() } else { self.capacity } {
            self.candidates[shard * self.capacity + count] = candidate;
            self.counts[shard] += 1;
        }
    }

    /// All, if they local.
    pub(super) fn all(&self) -> &[Candidate] {
        &self.candidates[..self.counts[0] as usize]
    }

    /// Those that belong to a shard.
    pub(super) fn of_shard(&self, shard: usize) -> &[Candidate] {
        &self.candidates[shard * self.capacity..][..self.counts[shard] as usize]
    }
}

/// The shard to which a board belongs. The highest bits of its hash choose its
/// packed in the shard's table, so others are taken.
#[inline(always)]
fn shard_of(hash: u64, shards: usize) -> usize {
    (((hash & u64::from(u32::MAX)) * shards as u64) >> 32) as usize
}

/// How one shard of a beam chooses.
pub(super) struct Selection<'m> {
    order: &'m mut [u32],
    recent: RecentBoards<'m>,
    ends: Vec<u32>,
}

/// What was let in already.
pub(super) struct RecentBoards<'m> {
    hashes: &'m mut [[u64; 2]],
    line_states: &'m mut [LineStateCount],
    level: u32,
}

impl<'m> Selection<'m> {
    /// For shards of so many boards, in a beam of so many shards.
    pub(super) fn new(allocator: &mut BumpAllocator<'m>, width: usize, shards: usize) -> Option<Self> {
        let slots = (width * 2).next_power_of_two().max(64);
        Some(Self {
            order: allocator.alloc((CANDIDATES_PER_BOARD * width / shards + SPARE_CANDIDATES) * shards)?,
            recent: RecentBoards {
                hashes: allocator.alloc(slots)?,
                line_states: allocator.alloc(slots)?,
                level: 0,
            },
            ends: vec![0; BUCKETS],
        })
    }

    /// Bytes for capacity board of the width, offers included.
    pub(super) const BYTES: usize =
        CANDIDATES_PER_BOARD * (size_of::<Candidate>() + 4) + 4 * (16 + size_of::<LineStateCount>());

    /// Bytes for capacity shard, in a beam of so many, whatever the width is.
    pub(super) const fn fixed_bytes(shards: usize) -> usize {
        SPARE_CANDIDATES * shards * (size_of::<Candidate>() + 4) + 64 * (16 + size_of::<LineStateCount>())
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        self.recent.hashes.fill([0; 2]);
        self.recent.line_states.fill(LineStateCount::zeroed());
        self.recent.level = 0;
    }

    /// Calls `take` with capacity of the candidates, which come from several shards,
    /// that was not recent before, the best first, until it has enough; and some
    /// time before that `prefetch_ahead`, which may ask for memory. Both are told the shard.
    pub(super) fn select(
        &mut self,
        candidates: &[&[Candidate]],
        prefetch_ahead: impl Fn(usize, &Candidate),
        mut take: impl FnMut(usize, &Candidate, &mut RecentBoards<'m>) -> bool,
    ) {
        self.recent.level += 1;
        let count = candidates.iter().map(|shard| shard.len()).sum();
        let order = &mut self.order[..count];
        let at = |packed: u32| {
            let shard = (packed >> INDEX_BITS) as usize;
            (shard, &candidates[shard][(packed & ((1 << INDEX_BITS) - 1)) as usize])
        };
        if count < BUCKETS / 8 {
            order
                .iter_mut()
                .zip(packed_indices(candidates))
                .for_each(|(packed, (number, _))| *packed = number);
            order.sort_unstable_by_key(|&packed| at(packed).1.key);
        } else {
            sort(candidates, order, &mut self.ends);
        }
        for (number, &packed) in order.iter().enumerate() {
            // What is far away in memory is asked for some candidates ahead.
            if let Some(&ahead) = order.get(number + 2 * PREFETCH_DISTANCE) {
                prefetch(&raw const *at(ahead).1);
            }
            if let Some(&ahead) = order.get(number + PREFETCH_DISTANCE) {
                let (shard, candidate) = at(ahead);
                prefetch(
                    &raw const self.recent.hashes
                        [RecentBoards::slot(candidate.hash, self.recent.hashes.len())],
                );
                prefetch_ahead(shard, candidate);
            }
            let (shard, candidate) = at(packed);
            if !self.recent.contains(candidate.hash) && !take(shard, candidate, &mut self.recent) {
                break;
            }
        }
    }
}

/// All candidates, and how they are called.
fn packed_indices<'c>(candidates: &'c [&'c [Candidate]]) -> impl Iterator<Item = (u32, &'c Candidate)> {
    (0u32..).zip(candidates).flat_map(|(shard, line)| (shard << INDEX_BITS..).zip(*line))
}

/// Puts candidates in the order of their keys, about.
fn sort(candidates: &[&[Candidate]], order: &mut [u32], ends: &mut [u32]) {
    let all = || candidates.iter().copied().flatten();
    let least = all().map(|candidate| candidate.key).min().unwrap_or(0);
    let bucket = |candidate: &Candidate| (((candidate.key - least) >> KEY_SHIFT) as usize).min(BUCKETS - 1);
    ends.fill(0);
    for candidate in all() {
        ends[bucket(candidate)] += 1;
    }
    let mut sum = 0;
    for end in ends.iter_mut() {
        sum += std::mem::replace(end, sum);
    }
    for (packed, candidate) in packed_indices(candidates) {
        let end = &mut ends[bucket(candidate)];
        order[*end as usize] = packed;
        *end += 1;
    }
}

impl RecentBoards<'_> {
    /// The slot of a hash among a power of two.
    #[inline(always)]
    fn slot(hash: u64, slots: usize) -> usize {
        (hash >> (64 - slots.trailing_zeros())) as usize
    }

    #[inline(always)]
    fn contains(&self, hash: u64) -> bool {
        self.hashes[Self::slot(hash, self.hashes.len())].contains(&hash)
    }

    /// Lets a board in.
    #[inline(always)]
    pub(super) fn insert(&mut self, hash: u64) {
        let slot = &mut self.hashes[Self::slot(hash, self.hashes.len())];
        *slot = [hash, slot[0]];
    }

    /// Whether fewer than `most` boards of this level share an arrangement; if
    /// so, counts one more.
    #[inline(always)]
    pub(super) fn admit(&mut self, arrangement: u64, most: u32) -> bool {
        let entry = &mut self.line_states[Self::slot(arrangement, self.line_states.len())];
        if entry.level != self.level || entry.hash != arrangement {
            *entry = LineStateCount { hash: arrangement, level: self.level, count: 0 };
        }
        entry.count += 1;
        entry.count <= most
    }
}
