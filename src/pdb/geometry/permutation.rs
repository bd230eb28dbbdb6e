//! Which tile is which: the order in which a pattern's tiles are met when the
//! frame is read row by row, as a number.
//!
//! The number counts inversions: a pair of tiles in the wrong order adds the
//! factorial of the greater one. A tile that moves sideways meets nobody; one
//! that moves to another row passes those in between, and each of them changes
//! the number by a term that depends on the two alone.

/// The most tiles in a pattern.
pub const MOST_TILES: usize = 8;

/// Tiles in the order in which they are met.
pub(in crate::pdb) type Order = [u8; MOST_TILES];

/// The factorials: how many orders so many tiles have.
pub(in crate::pdb) const FACTORIALS: [u32; MOST_TILES + 1] = [1, 1, 2, 6, 24, 120, 720, 5040, 40320];

/// What is added to an order's number when a tile that comes before another one
/// changes places with it, modulo 2^16.
pub(in crate::pdb) fn passing(tile: usize, other: usize) -> u16 {
    match tile.cmp(&other) {
        std::cmp::Ordering::Less => FACTORIALS[other] as u16,
        std::cmp::Ordering::Equal => 0,
        std::cmp::Ordering::Greater => (FACTORIALS[tile] as u16).wrapping_neg(),
    }
}

/// The number of an order of the first `tiles` tiles.
pub(in crate::pdb) fn number(order: &[u8]) -> u16 {
    let mut number = 0;
    for (at, &tile) in order.iter().enumerate() {
        let smaller = order[at + 1..].iter().filter(|&&later| later < tile).count() as u32;
        number += smaller * FACTORIALS[tile as usize];
    }
    number as u16
}

/// The order with a number.
pub(in crate::pdb) fn order(number: u16, tiles: usize) -> Order {
    let mut order = [0; MOST_TILES];
    let mut rest = u32::from(number);
    // Put the greatest tile first in its place among the smaller ones.
    for tile in (0..tiles).rev() {
        let smaller_after = (rest / FACTORIALS[tile]) as usize;
        rest %= FACTORIALS[tile];
        order[tile] = smaller_after as u8;
    }
    let digits = order;
    for (tile, &smaller_after) in digits.iter().enumerate().take(tiles) {
        // So many of the tiles before it, all of them smaller, come after it.
        let at = tile - smaller_after as usize;
        order.copy_within(at..tile, at + 1);
        order[at] = tile as u8;
    }
    order
}

/// A tile's way past others: where it is in the order, how many it passes, and
/// whether they come after it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::pdb) struct Passage {
    pub(in crate::pdb) at: usize,
    pub(in crate::pdb) others: usize,
    pub(in crate::pdb) forward: bool,
}

impl Passage {
    /// The same way back.
    pub(in crate::pdb) fn back(self) -> Self {
        let at = if self.forward { self.at + self.others } else { self.at - self.others };
        Self { at, others: self.others, forward: !self.forward }
    }

    /// The order afterwards.
    pub(in crate::pdb) fn apply(self, order: &mut Order) {
        if self.forward {
            order[self.at..=self.at + self.others].rotate_left(1);
        } else {
            order[self.at - self.others..=self.at].rotate_right(1);
        }
    }

    /// What is added to the number of an order, modulo 2^16.
    pub(in crate::pdb) fn change(self, order: &Order) -> u16 {
        let tile = order[self.at] as usize;
        if self.forward {
            let passed = &order[self.at + 1..=self.at + self.others];
            passed.iter().fold(0, |sum: u16, &other| sum.wrapping_add(passing(tile, other.into())))
        } else {
            let passed = &order[self.at - self.others..self.at];
            passed.iter().fold(0, |sum: u16, &other| sum.wrapping_sub(passing(tile, other.into())))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_orders_tell_each_other() {
        for (tiles, &orders) in FACTORIALS.iter().enumerate() {
            for n in 0..orders {
                assert_eq!(number(&order(n as u16, tiles)[..tiles]), n as u16);
            }
        }
    }

    #[test]
    fn passing_others_changes_the_number_as_told() {
        let tiles = 7;
        for n in (0..FACTORIALS[tiles]).step_by(37) {
            for at in 0..tiles {
                for others in 0..4 {
                    for forward in [false, true] {
                        let fits = if forward { at + others < tiles } else { others <= at };
                        if !fits {
                            continue;
                        }
                        let passage = Passage { at, others, forward };
                        let before = order(n as u16, tiles);
                        let mut after = before;
                        passage.apply(&mut after);
                        assert_eq!(number(&after[..tiles]), (n as u16).wrapping_add(passage.change(&before)));
                        passage.back().apply(&mut after);
                        assert_eq!(after, before);
                    }
                }
            }
        }
    }
}
