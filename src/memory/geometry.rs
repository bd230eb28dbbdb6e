//! The shape of a visited table: lines, stripes, and the fields of a slot.
//!
//! A table has `groups << low` lines. The low bits of a mixed key choose the
//! line inside a group, its top bits the group, so the number of lines is not
//! bound to powers of two. Only the low bits are left out of the slot.
//!
//! A stripe is a run of `1 << stripe_shift` lines with one lock. Probing walks
//! from the home line in growing steps and wraps around inside the stripe.

use super::key::Key;
use std::mem::size_of;

/// The fields beside the key in a slot, in bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fields {
    /// Bits of the key that are in use.
    pub key: u32,
    /// Bits for the cost of the cheapest known way to the state.
    pub cost: u32,
    /// Bits for the last move of that way.
    pub step: u32,
}

impl Fields {
    fn meta(&self) -> u32 {
        self.cost + self.step
    }

    /// Cost and move as one number.
    #[inline(always)]
    pub fn join(&self, cost: u32, step: u32) -> u64 {
        (u64::from(cost) << self.step) | u64::from(step)
    }

    /// The cost in such a number.
    #[inline(always)]
    pub fn cost_of(&self, meta: u64) -> u32 {
        (meta >> self.step) as u32
    }

    /// The move in such a number.
    #[inline(always)]
    pub fn step_of(&self, meta: u64) -> u32 {
        meta as u32 & ((1u64 << self.step) - 1) as u32
    }
}

/// Where keys lie in a table and what their slots look like.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Geometry {
    /// Number of lines in all.
    pub lines: usize,
    /// Slots in a line, a power of two.
    pub width: usize,
    /// The line inside a group is chosen by so many low bits.
    pub low: u32,
    /// `(1 << low) - 1`.
    pub low_mask: usize,
    /// Groups of lines.
    pub groups: usize,
    /// So many top bits of a key choose its group.
    pub top_bits: u32,
    /// Where those bits start.
    pub top_shift: u32,
    /// Lines in a stripe, as a power of two.
    pub stripe_shift: u32,
    /// Bits of the distance field; what it can hold bounds the probing.
    pub distance_bits: u32,
    /// `(1 << distance_bits) - 1`.
    pub distance_mask: usize,
    /// Bits of cost and move together.
    pub meta_bits: u32,
    /// `(1 << meta_bits) - 1`.
    pub meta_mask: u64,
    /// The fields that this geometry was made for.
    pub fields: Fields,
}

impl Geometry {
    /// Groups that a table has at most: the size is met within 1/64.
    const MAX_GROUPS: usize = 128;

    /// The largest geometry for `K` that needs at most `bytes`; none if the
    /// slots of so small a table cannot hold the fields.
    pub fn fitting<K: Key>(bytes: usize, fields: Fields) -> Option<Self> {
        let slot = size_of::<K::Slot>();
        let width = 1 << (64 / slot).max(1).ilog2();
        // Slots are numbered by u32 in the open list, where the last few numbers
        // mean something else.
        let most = (u32::MAX as usize - 0x100) / width;
        let fit = (bytes / (slot * width)).min(most);
        if fit == 0 || fields.meta() > 62 || fields.key > K::BITS {
            return None;
        }
        if !K::QUOTIENT {
            // One slot a line and no field for the distance: probes go through
            // a whole stripe, and lines are a multiple of the stripe's.
            let stripe_shift = fit.ilog2().min(SHORTEST_STRIPE);
            let lines = (fit >> stripe_shift) << stripe_shift;
            return Some(Self::of(lines, 0, width, stripe_shift, 10, fields));
        }
        let most_low = fields.key - top_bits(fields.key);
        let mut best = None;
        for low in (0..=fit.ilog2().min(most_low)).rev() {
            let groups = (fit >> low).min(Self::MAX_GROUPS);
            let stored = fields.key - low + fields.meta();
            let Some(distance) = K::BITS.checked_sub(stored).map(|spare| spare.min(6)) else { break };
            if distance < if best.is_none() { 2 } else { 4 } {
                break;
            }
            let lines = groups << low;
            let stripe_shift = lines.ilog2().saturating_sub(12).max(SHORTEST_STRIPE).min(low);
            if best.is_none_or(|b: Self| b.lines < lines) {
                best = Some(Self::of(groups, low, width, stripe_shift, distance, fields));
            }
        }
        best
    }

    fn of(groups: usize, low: u32, width: usize, stripe_shift: u32, distance: u32, fields: Fields) -> Self {
        Self {
            lines: groups << low,
            width,
            low,
            low_mask: (1 << low) - 1,
            groups,
            top_bits: top_bits(fields.key),
            top_shift: fields.key - top_bits(fields.key),
            stripe_shift,
            distance_bits: distance,
            distance_mask: (1 << distance) - 1,
            meta_bits: fields.meta(),
            meta_mask: (1 << fields.meta()) - 1,
            fields,
        }
    }

    /// Bytes of all slots.
    pub fn bytes<K: Key>(&self) -> usize {
        self.slots() * size_of::<K::Slot>()
    }

    /// Number of slots.
    pub fn slots(&self) -> usize {
        self.lines * self.width
    }

    /// Number of stripes.
    pub fn stripes(&self) -> usize {
        self.lines.div_ceil(1 << self.stripe_shift)
    }

    /// The stripe of a slot.
    #[inline(always)]
    pub fn stripe(&self, slot: usize) -> usize {
        (slot / self.width) >> self.stripe_shift
    }

    /// Lines that a probe looks at, at most.
    pub fn reach(&self) -> u32 {
        (self.distance_mask as u32).min(1 << self.stripe_shift)
    }

    /// The line at a distance from `home`, inside its stripe.
    #[inline(always)]
    pub fn after(&self, home: usize, distance: usize) -> usize {
        let mask = (1usize << self.stripe_shift) - 1;
        let pair = (home + 2 * way(distance / 2)) & mask & !1;
        (home & !mask) | pair | ((home ^ distance) & mask & 1)
    }

    /// The line whose distance to `line` is this.
    #[inline(always)]
    pub fn behind(&self, line: usize, distance: usize) -> usize {
        let mask = (1usize << self.stripe_shift) - 1;
        let pair = line.wrapping_sub(2 * way(distance / 2)) & mask & !1;
        (line & !mask) | pair | ((line ^ distance) & mask & 1)
    }
}

/// How far a probe has gone after so many steps, each one pair of lines longer
/// than the one before: 0, 1, 3, 6, … Processors fetch lines in pairs, so the
/// first look beside the home line costs nothing, and later ones leave crowded
/// places. The steps meet every pair of a stripe once.
#[inline(always)]
fn way(steps: usize) -> usize {
    steps * (steps + 1) / 2
}

/// Lines in a stripe, as a power of two, unless the table is smaller. A stripe
/// is full on its own: in a short one chance alone would see to that long before
/// the table is.
const SHORTEST_STRIPE: u32 = 10;

/// How many top bits of a key choose its group: enough that groups are equally
/// likely, and no more than half of the key.
fn top_bits(key_bits: u32) -> u32 {
    (key_bits / 2).min(16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_met_closely_and_never_exceeded() {
        let fields = Fields { key: 60, cost: 8, step: 2 };
        for bytes in [1 << 16, 100_000, 1 << 20, 3_333_333, 1 << 24, 700_000_000, 5 << 30] {
            let g = Geometry::fitting::<u64>(bytes, fields).unwrap();
            assert!(g.bytes::<u64>() <= bytes && g.bytes::<u64>() * 2 >= bytes, "{bytes}: {g:?}");
            assert!(bytes < 1 << 21 || g.bytes::<u64>() * 15 >= bytes * 14, "{bytes}: {g:?}");
            assert_eq!(g.lines % (1 << g.stripe_shift), 0);
        }
        assert!(Geometry::fitting::<u64>(10_000, fields).is_none(), "no room for the key's bits");
        assert!(Geometry::fitting::<u64>(0, fields).is_none());
    }

    #[test]
    fn probing_stays_inside_the_stripe() {
        let fields = Fields { key: 32, cost: 8, step: 2 };
        let g = Geometry::fitting::<u64>(1 << 16, fields).unwrap();
        for home in 0..g.lines {
            for distance in 0..g.reach() as usize {
                let line = g.after(home, distance);
                assert_eq!(line >> g.stripe_shift, home >> g.stripe_shift);
                assert_eq!(g.behind(line, distance), home);
            }
        }
    }
}
