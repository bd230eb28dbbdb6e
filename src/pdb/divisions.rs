//! Several divisions of a large board into patterns.
//!
//! A *division* assigns each tile to a pattern. It misses interactions between tiles of
//! different patterns. Another division with other borders captures some of them, and the
//! maximum of the sums counts. Each further division therefore joins adjacent tiles that
//! earlier ones separated.
//!
//! Divisions are found by hill climbing: exchange two tiles of different patterns while that
//! increases the value of the division. The pseudo-random starts are fixed, so the result is
//! reproducible.

use crate::pdb::geometry::canonical::{CellSet, Frame, Symmetry, cells_of};

/// Numbers of divisions to consider. With more than these, the time per node grows faster than
/// the number of nodes shrinks (docs/benchmarks.md).
pub(in crate::pdb) const DIVISIONS: [usize; 3] = [1, 2, 4];

/// Maximum number of divisions that pays off in a search of seconds.
pub(in crate::pdb) const FEW_DIVISIONS: usize = 2;

/// Maximum number of divisions that a user can request.
pub(in crate::pdb) const MAX_DIVISIONS: usize = 12;

/// Number of starts of the hill climbing for each division.
const STARTS: u64 = 24;

/// Value of two tiles in one pattern, by the distance of their goal cells, if no earlier
/// division joins them.
const PAIR_VALUES: [f32; 5] = [0.0, 10.0, 4.0, 1.0, 0.2];

/// Factor of that value for each earlier division that joins them.
const REPEAT_FACTOR: f32 = 0.35;

/// Divisions of the 24-puzzle with the blank in the last corner. The first is that of Korf and
/// Felner (2002). The others were selected greedily from 421 candidates made of 90 compact
/// patterns: each one, with its mirror image, minimises the number of nodes given the earlier
/// ones, estimated on 4,000 boards from searches with the first division alone.
const WELL_KNOWN: [&[u8; 25]; 8] = [
    b"aaabbaaabbccdbbccdddccdd.",
    b"aaabbaaabbccddbccddbccdd.",
    b"aaaaabbaccbbbccdbdccdddd.",
    b"aaabbaaccbaccbbdccdbdddd.",
    b"aaaabaccabcccbbcddbbdddd.",
    b"aaaabaaccbddcbbddcbbddcc.",
    b"aaaabccaabccbbbcdddbcddd.",
    b"aaabbaacbbaccbbddcccdddd.",
];

/// Returns the cells of each pattern of a division that is written with letters.
pub(in crate::pdb) fn sets_of(board: &[u8]) -> Vec<CellSet> {
    let last = board.iter().copied().max().unwrap_or(0);
    let set =
        |name: u8| board.iter().zip(0..).fold(0, |set, (&cell, at)| set | CellSet::from(cell == name) << at);
    (b'a'..=last).map(set).collect()
}

/// Returns `divisions` divisions of all cells except `blank` into patterns of `sizes`. Pairs
/// joined by a mirror image of an earlier division count as joined.
pub(in crate::pdb) fn divide(
    frame: Frame,
    blank: usize,
    sizes: &[usize],
    divisions: usize,
    mirrors: &[Symmetry],
) -> Vec<Vec<CellSet>> {
    if (frame.rows, frame.cols, blank, sizes) == (5, 5, 24, &[6; 4]) && divisions <= WELL_KNOWN.len() {
        return WELL_KNOWN[..divisions].iter().map(|board| sets_of(&board[..])).collect();
    }
    let cells: Vec<usize> = (0..frame.cells()).filter(|&cell| cell != blank).collect();
    let distance = |a: usize, b: usize| {
        (a / frame.cols).abs_diff(b / frame.cols) + (a % frame.cols).abs_diff(b % frame.cols)
    };
    let mut values: Vec<Vec<f32>> = (0..frame.cells())
        .map(|a| {
            let pairs = (0..frame.cells()).map(|b| PAIR_VALUES.get(distance(a, b)).copied().unwrap_or(0.0));
            pairs.collect()
        })
        .collect();
    let mut random = 0x2545_f491_4f6c_dd1du64;
    let mut all = Vec::with_capacity(divisions);
    while all.len() < divisions {
        let found = (0..STARTS).map(|_| hill_climb(&cells, sizes, &values, &mut random));
        let best = found.max_by(|(a, _), (b, _)| a.total_cmp(b));
        let Some((_, sets)) = best else { break };
        for &set in &sets {
            let images = mirrors.iter().map(|mirror| mirror.image(set)).filter(|&image| image != set);
            for joined in [set].into_iter().chain(images) {
                for (a, b) in pairs(joined) {
                    values[a][b] *= REPEAT_FACTOR;
                    values[b][a] = values[a][b];
                }
            }
        }
        all.push(sets);
    }
    all
}

/// Returns all pairs of cells of `set`.
fn pairs(set: CellSet) -> impl Iterator<Item = (usize, usize)> {
    cells_of(set).flat_map(move |a| cells_of(set & !((2 << a) - 1)).map(move |b| (a, b)))
}

/// Returns a division that no exchange of two tiles improves, and its value.
fn hill_climb(
    cells: &[usize],
    sizes: &[usize],
    values: &[Vec<f32>],
    random: &mut u64,
) -> (f32, Vec<CellSet>) {
    let mut order = cells.to_vec();
    for at in (1..order.len()).rev() {
        *random ^= *random << 13;
        *random ^= *random >> 7;
        *random ^= *random << 17;
        order.swap(at, *random as usize % (at + 1));
    }
    let mut rest = order.into_iter();
    let mut sets: Vec<CellSet> =
        sizes.iter().map(|&size| rest.by_ref().take(size).fold(0, |set, cell| set | 1 << cell)).collect();
    let affinity =
        |cell: usize, set: CellSet| -> f32 { cells_of(set).map(|other| values[cell][other]).sum() };
    loop {
        let mut best = (1e-3, None);
        for one in 0..sets.len() {
            for other in one + 1..sets.len() {
                for a in cells_of(sets[one]) {
                    for b in cells_of(sets[other]) {
                        let (without_a, without_b) = (sets[one] & !(1 << a), sets[other] & !(1 << b));
                        let gain = affinity(b, without_a) + affinity(a, without_b)
                            - affinity(a, without_a)
                            - affinity(b, without_b);
                        if gain > best.0 {
                            best = (gain, Some((one, other, 1 << a | 1 << b)));
                        }
                    }
                }
            }
        }
        let Some((one, other, change)) = best.1 else { break };
        sets[one] ^= change;
        sets[other] ^= change;
    }
    let all = sets.iter().flat_map(|&set| pairs(set)).map(|(a, b)| values[a][b]).sum();
    (all, sets)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tile_is_in_one_pattern_of_each_division() {
        for (rows, cols, blank, sizes) in
            [(5, 5, 24, &[6usize, 6, 6, 6][..]), (6, 4, 0, &[6, 6, 6, 5]), (5, 4, 7, &[7, 6, 6])]
        {
            let frame = Frame { rows, cols };
            let divisions = divide(frame, blank, sizes, 8, &[]);
            assert_eq!(divisions, divide(frame, blank, sizes, 8, &[]));
            for (at, sets) in divisions.iter().enumerate() {
                assert_eq!(sets.iter().map(|set| set.count_ones() as usize).collect::<Vec<_>>(), sizes);
                assert_eq!(sets.iter().fold(1 << blank, |all, set| all | set), frame.all());
                assert!(!divisions[..at].contains(sets));
            }
        }
    }
}
