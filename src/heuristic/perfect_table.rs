//! Perfect lookup table of a small board: a shortest path to the goal from every state.
//!
//! A 3×3 board has 181,440 reachable states, a 2×5 board 1,814,400. One breadth-first search
//! from the goal visits all of them; afterwards a board is solved by lookups.
//!
//! **Index of a state.** The tiles in row-major order, without the blank, are a permutation.
//! Its rank is a sum of weighted digits; each digit is the number of later tiles with a smaller
//! label. Given the blank's cell, only every second permutation is reachable: the order of the
//! last two tiles follows from the others, so their digits are left out. The index is the
//! blank's cell, then the rank. It is a bijection between reachable states and indices.
//!
//! **An entry is a path segment**, one word:
//!
//! ```text
//!  bit 63   59..55  53..32             31..0
//!  ┌─────┬──────┬──────────────────┬──────────────────────────────┐
//!  │ set │ moves│ index after them │ up to 16 moves, 2 bits each  │
//!  └─────┴──────┴──────────────────┴──────────────────────────────┘
//! ```
//!
//! A segment leads to the next state whose distance is a multiple of 16, so two segments solve
//! every 3×3 board. A state's segment is its parent's with one move in front; breadth-first
//! order makes every path a shortest one.

use crate::puzzle::tiles::{Cells, Direction, TileState, Tiles};
use crate::puzzle::{Move, Puzzle};

/// Largest board with a table. 12 cells would need 2 GB.
const MAX_CELLS: usize = 10;

/// Maximum number of moves in a segment.
const SEGMENT_MOVES: u64 = 16;

/// Marks a set entry.
const SET: u64 = 1 << 63;

/// Bytes per state while a table is built: its entry, and its share of the two widest layers of
/// the search.
const BYTES_PER_STATE: f64 = 10.5;

/// Shortest paths to the goal from every state of one size, for goals with the blank in one
/// cell.
#[derive(Debug)]
pub struct PerfectTable {
    segments: Vec<u64>,
    ranks: Ranks,
    goal: usize,
}

/// The numbering of states.
#[derive(Clone, Copy, Debug)]
struct Ranks {
    cells: usize,
    /// Weight of each digit of a permutation.
    weights: [usize; MAX_CELLS],
    /// States with the blank in one cell.
    per_blank: usize,
}

impl Ranks {
    fn new(cells: usize) -> Self {
        let tiles = cells - 1;
        let mut weights = [0; MAX_CELLS];
        // Half the factorial of the number of later tiles; the last two digits have weight 0.
        let mut half_factorial = 1;
        for (behind, index) in (2..tiles).zip((0..tiles - 2).rev()) {
            weights[index] = half_factorial;
            half_factorial *= behind + 1;
        }
        Self { cells, weights, per_blank: half_factorial }
    }

    fn states(&self) -> usize {
        self.cells * self.per_blank
    }

    /// Returns the index of a state, given the label in each cell.
    #[inline(always)]
    fn index(&self, label: impl Fn(usize) -> usize, blank: usize) -> usize {
        let mut remaining = u32::MAX;
        let mut rank = 0;
        let mut digit = |cell: usize, weight: usize| {
            let bit = 1 << (label(cell) & 31);
            remaining ^= bit;
            // Label 0 is the blank's and always among the remaining ones.
            rank += ((remaining & (bit - 1)).count_ones() as usize - 1) * weight;
        };
        for cell in 0..blank {
            digit(cell, self.weights[cell % MAX_CELLS]);
        }
        for cell in blank + 1..self.cells {
            digit(cell, self.weights[(cell - 1) % MAX_CELLS]);
        }
        blank * self.per_blank + rank
    }

    fn index_of(&self, state: &TileState<u64>) -> usize {
        self.index(|cell| state.cells.label(cell), state.blank.into())
    }
}

impl PerfectTable {
    /// Returns the number of states of a board with `cells` cells, or `None` if it is too large
    /// for a table.
    pub fn states(cells: usize) -> Option<usize> {
        (4..=MAX_CELLS).contains(&cells).then(|| Ranks::new(cells).states())
    }

    /// Returns the bytes needed to build a table of `states` states.
    pub fn bytes(states: usize) -> usize {
        (states as f64 * BYTES_PER_STATE) as usize
    }

    /// Builds the table of a puzzle. Returns `None` if the board is too large.
    pub fn new(puzzle: &Tiles<u64>) -> Option<Self> {
        let cells = puzzle.size().cells();
        let mut segments = vec![0; Self::states(cells)?];
        let ranks = Ranks::new(cells);
        let mut labels = [0; MAX_CELLS];
        let tile_cells = (0..cells).filter(|&cell| cell != puzzle.goal_blank());
        tile_cells.zip(1..).for_each(|(cell, label)| labels[cell] = label);
        let goal = TileState { cells: u64::from_labels(&labels[..cells]), blank: puzzle.goal_blank() as u8 };
        debug_assert!(puzzle.is_goal(&goal));
        let goal_index = ranks.index_of(&goal);
        segments[goal_index] = SET;

        let (mut layer, mut next_layer) = (vec![goal.cells], Vec::new());
        while !layer.is_empty() {
            for &board in &layer {
                let state = TileState { cells: board, blank: board.blank(cells) as u8 };
                let index = ranks.index_of(&state);
                let segment = PathSegment(segments[index]);
                for step in puzzle.moves(&state, None) {
                    let neighbour = puzzle.apply(&state, step);
                    let entry = &mut segments[ranks.index_of(&neighbour)];
                    if *entry == 0 {
                        *entry = segment.after(Move(step.0 ^ 2), index).0;
                        next_layer.push(neighbour.cells);
                    }
                }
            }
            std::mem::swap(&mut layer, &mut next_layer);
            next_layer.clear();
        }
        Some(Self { segments, ranks, goal: goal_index })
    }

    /// Returns the path segments from a state to the goal, given the label in each cell. The
    /// state must be reachable.
    #[inline]
    pub fn path(&self, label: impl Fn(usize) -> usize, blank: usize) -> PathIter<'_> {
        PathIter { table: self, index: self.ranks.index(label, blank) }
    }
}

/// Up to 16 moves, and the index of the state after them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PathSegment(u64);

impl PathSegment {
    /// Returns the number of moves.
    #[inline(always)]
    pub fn len(self) -> usize {
        (self.0 >> 55) as usize & 31
    }

    /// Returns whether there are no moves: only at the goal.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// Iterates over the blank's moves.
    #[inline(always)]
    pub fn moves(self) -> impl ExactSizeIterator<Item = Direction> {
        (0..self.len()).map(move |at| Direction::from_index((self.0 as u32 >> (2 * at)) as usize))
    }

    /// Returns the index of the state after the moves.
    #[inline(always)]
    fn index(self) -> usize {
        (self.0 >> 32) as usize & ((1 << 22) - 1)
    }

    /// Returns the segment of a state from which `step` leads to the state at `index`, whose
    /// segment is `self`.
    #[inline(always)]
    fn after(self, step: Move, index: usize) -> Self {
        let (len, index, moves) = match self.len() as u64 {
            // A new segment begins.
            0 | SEGMENT_MOVES => (0, index as u64, 0),
            len => (len, self.index() as u64, self.0 & 0x3fff_ffff),
        };
        Self(SET | (len + 1) << 55 | index << 32 | moves << 2 | u64::from(step.0 & 3))
    }
}

/// The path segments from a state to the goal.
#[derive(Clone, Debug)]
pub struct PathIter<'t> {
    table: &'t PerfectTable,
    index: usize,
}

impl Iterator for PathIter<'_> {
    type Item = PathSegment;

    #[inline]
    fn next(&mut self) -> Option<PathSegment> {
        if self.index == self.table.goal {
            return None;
        }
        let segment = PathSegment(self.table.segments[self.index]);
        self.index = segment.index();
        Some(segment)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::heuristic::test_support::{distances, goals};

    fn moves(table: &PerfectTable, state: &TileState<u64>) -> Vec<Direction> {
        table.path(|cell| state.cells.label(cell), state.blank.into()).flat_map(PathSegment::moves).collect()
    }

    #[test]
    fn every_path_is_a_shortest_one() {
        // Rows, columns, and the number of goals tried.
        let sizes = [(2, 2, 4), (2, 3, 4), (3, 2, 4), (2, 4, 4), (4, 2, 4), (3, 3, 4), (5, 2, 1)];
        for (rows, cols, goals_tried) in sizes {
            for goal in &goals(rows, cols)[..goals_tried] {
                let puzzle = Tiles::<u64>::new(goal).unwrap();
                let table = PerfectTable::new(&puzzle).unwrap();
                let states = distances(&puzzle, puzzle.state(goal));
                assert_eq!(PerfectTable::states(rows * cols), Some(states.len()));
                assert!(table.segments.iter().all(|&entry| entry & SET != 0), "every index has a state");
                for (state, distance) in states {
                    let moves = moves(&table, &state);
                    assert_eq!(moves.len(), distance as usize);
                    let step = |state, direction: &Direction| puzzle.apply(&state, Move(*direction as u32));
                    assert!(puzzle.is_goal(&moves.iter().fold(state, step)));
                }
            }
        }
    }

    #[test]
    fn larger_boards_have_no_table() {
        assert_eq!(PerfectTable::states(12), None);
        assert!(PerfectTable::new(&Tiles::<u64>::new(&goals(3, 4)[0]).unwrap()).is_none());
    }
}
