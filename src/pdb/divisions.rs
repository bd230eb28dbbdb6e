//! Divisions of large boards into patterns, several at once.
//!
//! One division misses what happens between tiles of different patterns; another
//! one, with other borders, sees some of that, and the greater sum counts. So
//! each division brings tiles together that are neighbours and were not together
//! in those before it. They are found by exchanging tiles between patterns as
//! long as that is a gain, from a few starts: the same ones whenever it is done.

use crate::pdb::geometry::canonical::{CellSet, Frame, Symmetry, cells_of};

/// The numbers of divisions that are worth a thought: with more there are fewer
/// nodes, but each takes longer by more than that (docs/benchmarks.md).
pub(in crate::pdb) const DIVISIONS: [usize; 3] = [1, 2, 4];

/// The most that pay in a search of seconds.
pub(in crate::pdb) const FEW: usize = 2;

/// The most divisions that can be asked for.
pub(in crate::pdb) const MAX_DIVISIONS: usize = 12;

/// Starts for each division.
const STARTS: u64 = 24;

/// What it is worth to have two tiles in one pattern, by the distance of their
/// homes, when no division has done so yet.
const WORTH: [f32; 5] = [0.0, 10.0, 4.0, 1.0, 0.2];

/// How much less it is worth once a division has.
const AGAIN: f32 = 0.35;

/// Divisions of the 24-puzzle with its blank in the last corner. The first is that
/// of Korf and Felner (2002). Of 421 others, put together from 90 compact
/// patterns, each is the one that, with its mirror image, leaves the fewest nodes
/// after those before it, as estimated on 4,000 boards at which a search with the
/// first one alone had arrived.
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

/// The cells of each pattern of a division, by letters.
pub(in crate::pdb) fn sets_of(board: &[u8]) -> Vec<CellSet> {
    let last = board.iter().copied().max().unwrap_or(0);
    let set =
        |name: u8| board.iter().zip(0..).fold(0, |set, (&cell, at)| set | CellSet::from(cell == name) << at);
    (b'a'..=last).map(set).collect()
}

/// Divides the cells of a frame but that of the blank into patterns of these
/// sizes, in so many ways. What a mirror image of an earlier division has done
/// counts as done.
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
    let mut worth: Vec<Vec<f32>> = (0..frame.cells())
        .map(|a| {
            let pairs = (0..frame.cells()).map(|b| WORTH.get(distance(a, b)).copied().unwrap_or(0.0));
            pairs.collect()
        })
        .collect();
    let mut random = 0x2545_f491_4f6c_dd1du64;
    let mut all = Vec::with_capacity(divisions);
    while all.len() < divisions {
        let found = (0..STARTS).map(|_| exchange(&cells, sizes, &worth, &mut random));
        let best = found.max_by(|(a, _), (b, _)| a.total_cmp(b));
        let Some((_, sets)) = best else { break };
        for &set in &sets {
            let images = mirrors.iter().map(|mirror| mirror.image(set)).filter(|&image| image != set);
            for done in [set].into_iter().chain(images) {
                for (a, b) in pairs(done) {
                    worth[a][b] *= AGAIN;
                    worth[b][a] = worth[a][b];
                }
            }
        }
        all.push(sets);
    }
    all
}

/// The pairs of cells of a set.
fn pairs(set: CellSet) -> impl Iterator<Item = (usize, usize)> {
    cells_of(set).flat_map(move |a| cells_of(set & !((2 << a) - 1)).map(move |b| (a, b)))
}

/// A division that no exchange of two tiles makes better, and what it is worth.
fn exchange(cells: &[usize], sizes: &[usize], worth: &[Vec<f32>], random: &mut u64) -> (f32, Vec<CellSet>) {
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
    let drawn = |cell: usize, set: CellSet| -> f32 { cells_of(set).map(|other| worth[cell][other]).sum() };
    loop {
        let mut best = (1e-3, None);
        for one in 0..sets.len() {
            for other in one + 1..sets.len() {
                for a in cells_of(sets[one]) {
                    for b in cells_of(sets[other]) {
                        let (left, joined) = (sets[one] & !(1 << a), sets[other] & !(1 << b));
                        let gain = drawn(b, left) + drawn(a, joined) - drawn(a, left) - drawn(b, joined);
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
    let all = sets.iter().flat_map(|&set| pairs(set)).map(|(a, b)| worth[a][b]).sum();
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
