//! Permutations of a pattern's tiles, and their ranks.
//!
//! The permutation lists the tiles on the occupied cells in row-major order. Its rank is a
//! weighted inversion count: each inverted pair adds the factorial of the larger tile.
//!
//! A horizontal move keeps the permutation. A vertical move makes the tile *jump* over the
//! tiles between its two cells in row-major order. Each of them changes the rank by an
//! *inversion delta* that depends on the two tiles only, so ranks are updated incrementally.

/// Maximum number of tiles in a pattern.
pub const MAX_TILES: usize = 8;

/// Tiles in the row-major order of their cells.
pub(in crate::pdb) type Permutation = [u8; MAX_TILES];

/// Factorials: the number of permutations of `n` tiles.
pub(in crate::pdb) const FACTORIALS: [u32; MAX_TILES + 1] = [1, 1, 2, 6, 24, 120, 720, 5040, 40320];

/// Returns the change of the rank, modulo 2^16, when `tile` jumps over `other`, which comes
/// next in the permutation.
pub(in crate::pdb) fn inversion_delta(tile: usize, other: usize) -> u16 {
    match tile.cmp(&other) {
        std::cmp::Ordering::Less => FACTORIALS[other] as u16,
        std::cmp::Ordering::Equal => 0,
        std::cmp::Ordering::Greater => (FACTORIALS[tile] as u16).wrapping_neg(),
    }
}

/// Returns the rank of a permutation of the tiles `0..permutation.len()`.
pub(in crate::pdb) fn rank(permutation: &[u8]) -> u16 {
    let mut rank = 0;
    for (at, &tile) in permutation.iter().enumerate() {
        let smaller = permutation[at + 1..].iter().filter(|&&later| later < tile).count() as u32;
        rank += smaller * FACTORIALS[tile as usize];
    }
    rank as u16
}

/// Returns the permutation of `tiles` tiles with rank `rank`.
pub(in crate::pdb) fn unrank(rank: u16, tiles: usize) -> Permutation {
    let mut permutation = [0; MAX_TILES];
    let mut rest = u32::from(rank);
    // Decompose the rank: for each tile, the number of smaller tiles after it.
    for tile in (0..tiles).rev() {
        let smaller_after = (rest / FACTORIALS[tile]) as usize;
        rest %= FACTORIALS[tile];
        permutation[tile] = smaller_after as u8;
    }
    let digits = permutation;
    for (tile, &smaller_after) in digits.iter().enumerate().take(tiles) {
        // Insert the tile in front of `smaller_after` of the smaller tiles.
        let at = tile - smaller_after as usize;
        permutation.copy_within(at..tile, at + 1);
        permutation[at] = tile as u8;
    }
    permutation
}

/// Jump of a tile over others in row-major order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::pdb) struct Jump {
    /// Position of the tile in the permutation before the jump.
    pub(in crate::pdb) at: usize,
    /// Number of tiles that it jumps over.
    pub(in crate::pdb) others: usize,
    /// Whether those tiles come after it.
    pub(in crate::pdb) forward: bool,
}

impl Jump {
    /// Returns the inverse jump.
    pub(in crate::pdb) fn reversed(self) -> Self {
        let at = if self.forward { self.at + self.others } else { self.at - self.others };
        Self { at, others: self.others, forward: !self.forward }
    }

    /// Applies the jump to `permutation`.
    pub(in crate::pdb) fn apply(self, permutation: &mut Permutation) {
        if self.forward {
            permutation[self.at..=self.at + self.others].rotate_left(1);
        } else {
            permutation[self.at - self.others..=self.at].rotate_right(1);
        }
    }

    /// Returns the change of the rank of `permutation`, modulo 2^16.
    pub(in crate::pdb) fn rank_delta(self, permutation: &Permutation) -> u16 {
        let tile = permutation[self.at] as usize;
        if self.forward {
            let passed = &permutation[self.at + 1..=self.at + self.others];
            passed.iter().fold(0, |sum: u16, &other| sum.wrapping_add(inversion_delta(tile, other.into())))
        } else {
            let passed = &permutation[self.at - self.others..self.at];
            passed.iter().fold(0, |sum: u16, &other| sum.wrapping_sub(inversion_delta(tile, other.into())))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rank_inverts_unrank() {
        for (tiles, &permutations) in FACTORIALS.iter().enumerate() {
            for n in 0..permutations {
                assert_eq!(rank(&unrank(n as u16, tiles)[..tiles]), n as u16);
            }
        }
    }

    #[test]
    fn rank_delta_matches_the_rank_after_the_jump() {
        let tiles = 7;
        for n in (0..FACTORIALS[tiles]).step_by(37) {
            for at in 0..tiles {
                for others in 0..4 {
                    for forward in [false, true] {
                        let fits = if forward { at + others < tiles } else { others <= at };
                        if !fits {
                            continue;
                        }
                        let jump = Jump { at, others, forward };
                        let before = unrank(n as u16, tiles);
                        let mut after = before;
                        jump.apply(&mut after);
                        assert_eq!(rank(&after[..tiles]), (n as u16).wrapping_add(jump.rank_delta(&before)));
                        jump.reversed().apply(&mut after);
                        assert_eq!(after, before);
                    }
                }
            }
        }
    }
}
