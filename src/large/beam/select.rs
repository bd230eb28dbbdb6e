//! The best of the boards that one more move can make.
//!
//! Candidates are put in order by a counting sort on their keys; boards seen in
//! this level or a recent one are left out, and of those with one arrangement of
//! the line's tiles only some are let in. Boards are told apart by a code of 64
//! bits. Two that share one by chance cost the beam a board, which it may drop
//! anyway, and nothing else.

use super::room::Room;
use crate::large::beam::score::Change;
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

/// Room for candidates beyond that.
const SPARE: usize = 64;

/// Candidates between asking for what one needs and using it.
const AHEAD: usize = 6;

/// Buckets of the counting sort, and how far apart the keys of one may be.
const BUCKETS: usize = 512;
const COARSENESS: u32 = 2;

/// The most parts of a beam.
pub(super) const MOST_PARTS: usize = 32;

/// The bits of a place among the candidates of a part; the others tell the part.
const PLACE_BITS: u32 = 27;

/// The candidates that the boards of one part of a beam make, sorted by the part
/// to which they belong.
pub(super) struct Offers<'m> {
    candidates: &'m mut [Candidate],
    /// For each part how many there are; all in the first place while they stay
    /// with the part that made them.
    counts: [u32; MOST_PARTS],
    parts: usize,
    each: usize,
    stay: bool,
}

impl<'m> Offers<'m> {
    pub(super) fn new(room: &mut Room<'m>, width: usize, parts: usize) -> Option<Self> {
        let each = EACH * width / parts + SPARE;
        let candidates = room.take(each * parts)?;
        Some(Self { candidates, counts: [0; MOST_PARTS], parts, each, stay: false })
    }

    /// Forgets all candidates. Those to come stay with this part, or go where they
    /// belong among the first `parts`.
    pub(super) fn clear(&mut self, parts: Option<usize>) {
        self.counts = [0; MOST_PARTS];
        self.stay = parts.is_none();
        self.parts = parts.unwrap_or(1);
    }

    /// How many there are in all.
    pub(super) fn len(&self) -> usize {
        self.counts.iter().sum::<u32>() as usize
    }

    #[inline(always)]
    pub(super) fn add(&mut self, candidate: Candidate) {
        let part = if self.stay { 0 } else { owner(candidate.code, self.parts) };
        let count = self.counts[part] as usize;
        if count < if self.stay { self.candidates.len() } else { self.each } {
            self.candidates[part * self.each + count] = candidate;
            self.counts[part] += 1;
        }
    }

    /// All, if they stay.
    pub(super) fn all(&self) -> &[Candidate] {
        &self.candidates[..self.counts[0] as usize]
    }

    /// Those that belong to a part.
    pub(super) fn of_part(&self, part: usize) -> &[Candidate] {
        &self.candidates[part * self.each..][..self.counts[part] as usize]
    }
}

/// The part to which a board belongs. The highest bits of its code choose its
/// place in the part's table, so others are taken.
#[inline(always)]
fn owner(code: u64, parts: usize) -> usize {
    (((code & u64::from(u32::MAX)) * parts as u64) >> 32) as usize
}

/// How one part of a beam chooses.
pub(super) struct Selection<'m> {
    order: &'m mut [u32],
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
    /// For parts of so many boards, in a beam of so many parts.
    pub(super) fn new(room: &mut Room<'m>, width: usize, parts: usize) -> Option<Self> {
        let slots = (width * 2).next_power_of_two().max(64);
        Some(Self {
            order: room.take((EACH * width / parts + SPARE) * parts)?,
            seen: Seen { codes: room.take(slots)?, alike: room.take(slots)?, level: 0 },
            ends: vec![0; BUCKETS],
        })
    }

    /// Bytes for each board of the width, offers included.
    pub(super) const BYTES: usize = EACH * (size_of::<Candidate>() + 4) + 4 * (16 + size_of::<Alike>());

    /// Bytes for each part, in a beam of so many, whatever the width is.
    pub(super) const fn fixed_bytes(parts: usize) -> usize {
        SPARE * parts * (size_of::<Candidate>() + 4) + 64 * (16 + size_of::<Alike>())
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        self.seen.codes.fill([0; 2]);
        self.seen.alike.fill(Alike::zeroed());
        self.seen.level = 0;
    }

    /// Calls `take` with each of the candidates, which come from several parts,
    /// that was not seen before, the best first, until it has enough; and some
    /// time before that `near`, which may ask for memory. Both are told the part.
    pub(super) fn select(
        &mut self,
        candidates: &[&[Candidate]],
        near: impl Fn(usize, &Candidate),
        mut take: impl FnMut(usize, &Candidate, &mut Seen<'m>) -> bool,
    ) {
        self.seen.level += 1;
        let count = candidates.iter().map(|part| part.len()).sum();
        let order = &mut self.order[..count];
        let at = |place: u32| {
            let part = (place >> PLACE_BITS) as usize;
            (part, &candidates[part][(place & ((1 << PLACE_BITS) - 1)) as usize])
        };
        if count < BUCKETS / 8 {
            order.iter_mut().zip(places(candidates)).for_each(|(place, (number, _))| *place = number);
            order.sort_unstable_by_key(|&place| at(place).1.key);
        } else {
            sort(candidates, order, &mut self.ends);
        }
        for (number, &place) in order.iter().enumerate() {
            // What is far away in memory is asked for some candidates ahead.
            if let Some(&ahead) = order.get(number + 2 * AHEAD) {
                prefetch(&raw const *at(ahead).1);
            }
            if let Some(&ahead) = order.get(number + AHEAD) {
                let (part, candidate) = at(ahead);
                prefetch(&raw const self.seen.codes[Seen::slot(candidate.code, self.seen.codes.len())]);
                near(part, candidate);
            }
            let (part, candidate) = at(place);
            if !self.seen.knows(candidate.code) && !take(part, candidate, &mut self.seen) {
                break;
            }
        }
    }
}

/// All candidates, and how they are called.
fn places<'c>(candidates: &'c [&'c [Candidate]]) -> impl Iterator<Item = (u32, &'c Candidate)> {
    (0u32..).zip(candidates).flat_map(|(part, own)| (part << PLACE_BITS..).zip(*own))
}

/// Puts candidates in the order of their keys, about.
fn sort(candidates: &[&[Candidate]], order: &mut [u32], ends: &mut [u32]) {
    let all = || candidates.iter().copied().flatten();
    let least = all().map(|candidate| candidate.key).min().unwrap_or(0);
    let bucket = |candidate: &Candidate| (((candidate.key - least) >> COARSENESS) as usize).min(BUCKETS - 1);
    ends.fill(0);
    for candidate in all() {
        ends[bucket(candidate)] += 1;
    }
    let mut sum = 0;
    for end in ends.iter_mut() {
        sum += std::mem::replace(end, sum);
    }
    for (place, candidate) in places(candidates) {
        let end = &mut ends[bucket(candidate)];
        order[*end as usize] = place;
        *end += 1;
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
