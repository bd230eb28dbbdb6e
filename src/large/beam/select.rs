//! The best of the boards that one more move can make.
//!
//! Candidates are put in order by a counting sort on their keys; boards seen in
//! this level or a recent one are left out, and of those with one arrangement of
//! the line's tiles only some are let in. Boards are told apart by a code of 64
//! bits. Two that share one by chance cost the beam a board, which it may drop
//! anyway, and nothing else.

use super::room::Room;
use super::stage::Change;
use crate::memory::prefetch;
use bytemuck::{Pod, Zeroable};

/// A board that could be made.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Candidate {
    pub(super) code: u64,
    pub(super) key: i32,
    pub(super) own: i32,
    pub(super) others: i32,
    /// The parent's index and the move.
    pub(super) parent: u32,
}

impl Candidate {
    #[inline(always)]
    pub(super) fn change(&self) -> Change {
        Change { code: self.code, own: self.own, others: self.others }
    }
}

/// How many boards share an arrangement.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Alike {
    code: u64,
    level: u32,
    count: u32,
}

/// Candidates for each board of a level: three moves each, and room for those
/// that join.
const EACH: usize = 5;

/// Candidates between asking for what one needs and using it.
const AHEAD: usize = 6;

/// Buckets of the counting sort, and how far apart the keys of one may be.
const BUCKETS: usize = 512;
const COARSENESS: u32 = 2;

pub(super) struct Selection<'m> {
    candidates: &'m mut [Candidate],
    order: &'m mut [u32],
    offered: usize,
    seen: Seen<'m>,
    ends: Vec<u32>,
}

/// What was let in already.
pub(super) struct Seen<'m> {
    codes: &'m mut [[u64; 2]],
    alike: &'m mut [Alike],
    level: u32,
}

impl<'m> Selection<'m> {
    pub(super) fn new(room: &mut Room<'m>, width: usize) -> Option<Self> {
        let slots = (width * 2).next_power_of_two().max(64);
        Some(Self {
            candidates: room.take(EACH * width + 64)?,
            order: room.take(EACH * width + 64)?,
            offered: 0,
            seen: Seen { codes: room.take(slots)?, alike: room.take(slots)?, level: 0 },
            ends: vec![0; BUCKETS],
        })
    }

    /// Bytes for each board of the width.
    pub(super) const BYTES: usize = EACH * (size_of::<Candidate>() + 4) + 4 * (16 + size_of::<Alike>());

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        self.seen.codes.fill([0; 2]);
        self.seen.alike.fill(Alike::zeroed());
        self.seen.level = 0;
    }

    /// Begins a level.
    pub(super) fn begin(&mut self) {
        self.offered = 0;
        self.seen.level += 1;
    }

    pub(super) fn offered(&self) -> usize {
        self.offered
    }

    #[inline(always)]
    pub(super) fn offer(&mut self, candidate: Candidate) {
        if let Some(place) = self.candidates.get_mut(self.offered) {
            *place = candidate;
            self.offered += 1;
        }
    }

    /// Calls `take` with each candidate not seen before, the best first, until it
    /// has enough; and some time before that `near`, which may ask for memory.
    /// Both are given the state that they work on.
    pub(super) fn select<S>(
        &mut self,
        state: &mut S,
        near: impl Fn(&S, &Candidate),
        mut take: impl FnMut(&mut S, &Candidate, &mut Seen<'m>) -> bool,
    ) {
        let candidates = &self.candidates[..self.offered];
        let order = &mut self.order[..self.offered];
        if candidates.len() < BUCKETS / 8 {
            order.iter_mut().zip(0..).for_each(|(place, index)| *place = index);
            order.sort_unstable_by_key(|&index| candidates[index as usize].key);
        } else {
            sort(candidates, order, &mut self.ends);
        }
        for (at, &index) in order.iter().enumerate() {
            // What is far away in memory is asked for some candidates ahead.
            if let Some(&ahead) = order.get(at + 2 * AHEAD) {
                prefetch(&raw const candidates[ahead as usize]);
            }
            if let Some(&ahead) = order.get(at + AHEAD) {
                let candidate = &candidates[ahead as usize];
                prefetch(&raw const self.seen.codes[Seen::slot(candidate.code, self.seen.codes.len())]);
                near(state, candidate);
            }
            let candidate = &candidates[index as usize];
            if !self.seen.knows(candidate.code) && !take(state, candidate, &mut self.seen) {
                break;
            }
        }
    }
}

/// Puts candidates in the order of their keys, about.
fn sort(candidates: &[Candidate], order: &mut [u32], ends: &mut [u32]) {
    let least = candidates.iter().map(|candidate| candidate.key).min().unwrap_or(0);
    let bucket = |candidate: &Candidate| (((candidate.key - least) >> COARSENESS) as usize).min(BUCKETS - 1);
    ends.fill(0);
    for candidate in candidates {
        ends[bucket(candidate)] += 1;
    }
    let mut sum = 0;
    for end in ends.iter_mut() {
        sum += *end;
        *end = sum;
    }
    for (index, candidate) in candidates.iter().enumerate().rev() {
        let end = &mut ends[bucket(candidate)];
        *end -= 1;
        order[*end as usize] = index as u32;
    }
}

impl Seen<'_> {
    /// The slot of a code among a power of two.
    #[inline(always)]
    fn slot(code: u64, slots: usize) -> usize {
        (code >> (64 - slots.trailing_zeros())) as usize
    }

    #[inline(always)]
    fn knows(&self, code: u64) -> bool {
        self.codes[Self::slot(code, self.codes.len())].contains(&code)
    }

    /// Lets a board in.
    #[inline(always)]
    pub(super) fn note(&mut self, code: u64) {
        let slot = &mut self.codes[Self::slot(code, self.codes.len())];
        *slot = [code, slot[0]];
    }

    /// Whether fewer than `most` boards of this level share an arrangement; if
    /// so, counts one more.
    #[inline(always)]
    pub(super) fn allows(&mut self, arrangement: u64, most: u32) -> bool {
        let alike = &mut self.alike[Self::slot(arrangement, self.alike.len())];
        if alike.level != self.level || alike.code != arrangement {
            *alike = Alike { code: arrangement, level: self.level, count: 0 };
        }
        alike.count += 1;
        alike.count <= most
    }
}
