//! Layout of a visited table: lines, stripes, and the bit fields of a slot.
//!
//! A table has `groups << low` lines. The low bits of a mixed key select the line inside a
//! group, its top bits the group, so the number of lines need not be a power of two. Only
//! the low bits are omitted from the slot (quotienting).
//!
//! A stripe is a run of `1 << stripe_shift` lines with one lock. The probe sequence starts
//! at the home line, advances in growing steps, and wraps around inside the stripe.

use super::key::Key;
use std::mem::size_of;

/// Widths of the fields of a slot, in bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fields {
    /// Used bits of the key.
    pub key: u32,
    /// Bits of the cost of the cheapest known path to the state.
    pub cost: u32,
    /// Bits of the last move of that path.
    pub step: u32,
}

impl Fields {
    /// Returns the bits of cost and move together.
    fn meta(&self) -> u32 {
        self.cost + self.step
    }

    /// Packs cost and move into the meta bits of a slot.
    #[inline(always)]
    pub fn join(&self, cost: u32, step: u32) -> u64 {
        (u64::from(cost) << self.step) | u64::from(step)
    }

    /// Returns the cost in `meta`.
    #[inline(always)]
    pub fn cost_of(&self, meta: u64) -> u32 {
        (meta >> self.step) as u32
    }

    /// Returns the move in `meta`.
    #[inline(always)]
    pub fn step_of(&self, meta: u64) -> u32 {
        meta as u32 & ((1u64 << self.step) - 1) as u32
    }
}

/// Layout of a table: where keys are stored, and how their slots are encoded.
///
/// The table indexes slots without bounds checks and relies on these values, so they are
/// private to this module and its users in `memory`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Geometry {
    /// Number of lines.
    pub(super) lines: usize,
    /// Slots in a line, a power of two.
    pub(super) width: usize,
    /// Number of low key bits that select the line inside a group.
    pub(super) low: u32,
    /// `(1 << low) - 1`.
    pub(super) low_mask: usize,
    /// Number of groups of lines.
    pub(super) groups: usize,
    /// Number of top key bits that select the group.
    pub(super) top_bits: u32,
    /// Position of those bits.
    pub(super) top_shift: u32,
    /// Binary logarithm of the lines in a stripe.
    pub(super) stripe_shift: u32,
    /// Bits of the distance field. Its range limits the length of the probe sequence.
    pub(super) distance_bits: u32,
    /// `(1 << distance_bits) - 1`.
    pub(super) distance_mask: usize,
    /// Bits of cost and move together.
    pub(super) meta_bits: u32,
    /// `(1 << meta_bits) - 1`.
    pub(super) meta_mask: u64,
    /// The field widths that this geometry was made for.
    pub(super) fields: Fields,
}

impl Geometry {
    /// Maximum number of groups. The size of a table is then within 1/64 of the request.
    const MAX_GROUPS: usize = 128;

    /// Returns the largest geometry for `K` that needs at most `bytes`; `None` if the slots
    /// of a table that small cannot hold the fields.
    pub fn fitting<K: Key>(bytes: usize, fields: Fields) -> Option<Self> {
        let slot = size_of::<K::Slot>();
        let width = 1 << (64 / slot).max(1).ilog2();
        // The open list stores slot numbers as `u32` and reserves the last few values.
        let max_lines = (u32::MAX as usize - 0x100) / width;
        let fit = (bytes / (slot * width)).min(max_lines);
        if fit == 0 || fields.meta() > 62 || fields.key > K::BITS {
            return None;
        }
        if !K::QUOTIENT {
            // Each line has one slot, without a distance field: the probe sequence covers a
            // whole stripe, and the number of lines is a multiple of the stripe length.
            let stripe_shift = fit.ilog2().min(MIN_STRIPE_SHIFT);
            let lines = (fit >> stripe_shift) << stripe_shift;
            return Some(Self::from_parts(lines, 0, width, stripe_shift, 10, fields));
        }
        let max_low = fields.key - top_bits(fields.key);
        let mut best = None;
        for low in (0..=fit.ilog2().min(max_low)).rev() {
            let groups = (fit >> low).min(Self::MAX_GROUPS);
            let stored = fields.key - low + fields.meta();
            let Some(distance) = K::BITS.checked_sub(stored).map(|spare| spare.min(6)) else { break };
            if distance < if best.is_none() { 2 } else { 4 } {
                break;
            }
            let lines = groups << low;
            let stripe_shift = lines.ilog2().saturating_sub(12).max(MIN_STRIPE_SHIFT).min(low);
            if best.is_none_or(|b: Self| b.lines < lines) {
                best = Some(Self::from_parts(groups, low, width, stripe_shift, distance, fields));
            }
        }
        best
    }

    fn from_parts(
        groups: usize,
        low: u32,
        width: usize,
        stripe_shift: u32,
        distance: u32,
        fields: Fields,
    ) -> Self {
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

    /// Returns this geometry with stripes of at most `1 << shift` lines.
    pub fn with_stripe_shift(self, shift: u32) -> Self {
        Self { stripe_shift: shift.min(self.stripe_shift), ..self }
    }

    /// Returns the number of lines.
    pub fn lines(&self) -> usize {
        self.lines
    }

    /// Returns the field widths of a slot.
    pub fn fields(&self) -> &Fields {
        &self.fields
    }

    /// Returns the size of all slots in bytes.
    pub fn bytes<K: Key>(&self) -> usize {
        self.slots() * size_of::<K::Slot>()
    }

    /// Returns the number of slots.
    pub fn slots(&self) -> usize {
        self.lines * self.width
    }

    /// Returns the number of stripes.
    pub fn stripes(&self) -> usize {
        self.lines.div_ceil(1 << self.stripe_shift)
    }

    /// Returns the stripe of `slot`.
    #[inline(always)]
    pub fn stripe(&self, slot: usize) -> usize {
        (slot / self.width) >> self.stripe_shift
    }

    /// Returns the number of lines in a probe sequence.
    pub fn max_probes(&self) -> u32 {
        (self.distance_mask as u32).min(1 << self.stripe_shift)
    }

    /// Returns the line at position `distance` of the probe sequence of `home`.
    #[inline(always)]
    pub fn probed_line(&self, home: usize, distance: usize) -> usize {
        let mask = (1usize << self.stripe_shift) - 1;
        let pair = (home + 2 * triangular(distance / 2)) & mask & !1;
        (home & !mask) | pair | ((home ^ distance) & mask & 1)
    }

    /// Returns the home line whose probe sequence has `line` at position `distance`.
    #[inline(always)]
    pub fn home_of(&self, line: usize, distance: usize) -> usize {
        let mask = (1usize << self.stripe_shift) - 1;
        let pair = line.wrapping_sub(2 * triangular(distance / 2)) & mask & !1;
        (line & !mask) | pair | ((line ^ distance) & mask & 1)
    }
}

/// Returns the triangular number 0, 1, 3, 6, … with index `steps`: the offset of a probe,
/// in pairs of lines.
///
/// Processors fetch cache lines in pairs, so the other line of the home pair costs nothing.
/// Later probes advance by one more pair each time and so leave clusters; they visit every
/// pair of a stripe once.
#[inline(always)]
fn triangular(steps: usize) -> usize {
    steps * (steps + 1) / 2
}

/// Binary logarithm of the minimum number of lines in a stripe, unless the table is smaller.
/// An insertion fails when its stripe is full; a short stripe fills up by chance long before
/// the table does.
const MIN_STRIPE_SHIFT: u32 = 10;

/// Returns the number of top key bits that select the group: enough to make all groups
/// equally likely, and at most half of the key.
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
            for distance in 0..g.max_probes() as usize {
                let line = g.probed_line(home, distance);
                assert_eq!(line >> g.stripe_shift, home >> g.stripe_shift);
                assert_eq!(g.home_of(line, distance), home);
            }
        }
    }
}
