//! Slow, obvious solver: breadth-first search over sorted lists of blocks in an ordinary map. Fast
//! solvers are tested and measured against it. It shares only [`Tray`] with them.

use super::{Block, Metric, Place, Shift, Tray};
use std::collections::{BTreeMap, BTreeSet};

/// Answer of the oracle.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// A shortest solution.
    Solved(Vec<Shift>),
    /// No reachable state meets the goal; the number of reachable states.
    Unsolvable(usize),
    /// More reachable states than the limit.
    TooMany,
}

impl Answer {
    /// Returns the length of a shortest solution, if there is one.
    pub fn length(&self) -> Option<usize> {
        match self {
            Self::Solved(shifts) => Some(shifts.len()),
            _ => None,
        }
    }
}

/// Returns a shortest solution in a metric, searching at most `max_states` states.
pub fn solve(tray: &Tray, metric: Metric, max_states: usize) -> Answer {
    let start = tray.blocks().to_vec();
    // Every visited state, with its predecessor and the move from there.
    let mut visited: BTreeMap<Vec<Block>, Option<(Vec<Block>, Shift)>> =
        BTreeMap::from([(start.clone(), None)]);
    let mut layer = vec![start];
    while !layer.is_empty() {
        if let Some(goal) = layer.iter().find(|blocks| tray.is_met_by(blocks)) {
            let mut path = Vec::new();
            let mut at = goal;
            while let Some((before, shift)) = &visited[at] {
                path.push(*shift);
                at = before;
            }
            path.reverse();
            return Answer::Solved(path);
        }
        let mut next = Vec::new();
        for blocks in &layer {
            for (shift, after) in neighbours(tray, blocks, metric) {
                if !visited.contains_key(&after) {
                    visited.insert(after.clone(), Some((blocks.clone(), shift)));
                    next.push(after);
                }
            }
            if visited.len() > max_states {
                return Answer::TooMany;
            }
        }
        layer = next;
    }
    Answer::Unsolvable(visited.len())
}

/// Returns every move of a state, and the state after it.
pub fn neighbours(tray: &Tray, blocks: &[Block], metric: Metric) -> Vec<(Shift, Vec<Block>)> {
    let grid = tray.grid(blocks);
    let mut found = Vec::new();
    for (number, &block) in blocks.iter().enumerate() {
        for to in targets(tray, &grid, number as u32, block, metric) {
            let mut after = blocks.to_vec();
            after[number].at = to;
            after.sort_unstable();
            found.push((Shift { from: block.at, to }, after));
        }
    }
    found
}

/// Returns the cells that a block can reach in one move.
fn targets(tray: &Tray, grid: &[u32], number: u32, block: Block, metric: Metric) -> BTreeSet<Place> {
    let beside = |at: Place, way: (i32, i32)| {
        let (row, col) = (i32::from(at.row) + way.0, i32::from(at.col) + way.1);
        let at = Place::new(u16::try_from(row).ok()?, u16::try_from(col).ok()?);
        let rect = tray.rect(Block { at, ..block });
        let free = |cell: usize| grid[cell] == Tray::EMPTY || grid[cell] == number;
        (rect.fits(tray.rows(), tray.cols()) && rect.cells(tray.cols()).all(free)).then_some(at)
    };
    let ways = [(-1, 0), (0, 1), (1, 0), (0, -1)];
    let mut reached = BTreeSet::new();
    match metric {
        Metric::Step => reached.extend(ways.iter().filter_map(|&way| beside(block.at, way))),
        Metric::Slide => {
            for way in ways {
                reached.extend(std::iter::successors(beside(block.at, way), |&at| beside(at, way)));
            }
        }
        Metric::Piece => {
            let mut open = vec![block.at];
            while let Some(at) = open.pop() {
                for to in ways.iter().filter_map(|&way| beside(at, way)) {
                    if reached.insert(to) {
                        open.push(to);
                    }
                }
            }
            reached.remove(&block.at);
        }
    }
    reached
}

#[cfg(test)]
mod tests {
    use super::super::{Piece, Rect};
    use super::*;

    fn piece(row: i64, col: i64, last_row: i64, last_col: i64) -> Piece {
        Piece::plain(Rect::from_corners(row, col, last_row, last_col).unwrap())
    }

    #[test]
    fn the_three_metrics_count_differently() {
        // Around a corner: three cells, two slides, one piece.
        let tray = Tray::new(3, 2, &[], &[piece(0, 0, 0, 0)], &[piece(2, 1, 2, 1)]).unwrap();
        let length = |metric| solve(&tray, metric, 1000).length();
        assert_eq!(Metric::ALL.map(length), [Some(3), Some(2), Some(1)]);
    }

    #[test]
    fn klotski() {
        let blocks = [
            piece(0, 0, 1, 0),
            piece(0, 1, 1, 2),
            piece(0, 3, 1, 3),
            piece(2, 0, 3, 0),
            piece(2, 1, 2, 2),
            piece(2, 3, 3, 3),
            piece(3, 1, 3, 1),
            piece(3, 2, 3, 2),
            piece(4, 0, 4, 0),
            piece(4, 3, 4, 3),
        ];
        let tray = Tray::new(5, 4, &[], &blocks, &[piece(3, 1, 4, 2)]).unwrap();
        assert_eq!(solve(&tray, Metric::Piece, 30_000).length(), Some(81));
    }

    #[test]
    fn small_spaces_are_exhausted_and_large_ones_abandoned() {
        let tray =
            Tray::new(1, 3, &[], &[piece(0, 0, 0, 1), piece(0, 2, 0, 2)], &[piece(0, 0, 0, 0)]).unwrap();
        assert_eq!(solve(&tray, Metric::Step, 10), Answer::Unsolvable(1));
        let tray = Tray::new(9, 9, &[], &[piece(0, 0, 0, 0)], &[piece(8, 8, 8, 8)]).unwrap();
        assert_eq!(solve(&tray, Metric::Step, 10), Answer::TooMany);
    }
}
