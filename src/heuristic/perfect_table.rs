//! The complete table of a small board: from every state the way to the goal.
//!
//! A 3×3 board has 181,440 states that can be reached, a 2×5 board 1,814,400: so
//! few that a search is not worth its while. Breadth-first search from the goal
//! visits all of them once; afterwards a board is looked up and walked home.
//!
//! **The place of a state.** The tiles row by row, without the blank, are a
//! permutation; its rank is a sum of digits, each of which tells how many of the
//! later tiles have a smaller label. With the blank's cell given only every
//! second permutation can be reached: the order of the last two tiles follows
//! from the others, so their digits are left out. The place is the blank's cell,
//! then the rank: every state has one, and every place a state.
//!
//! **An entry is a leap**, one word:
//!
//! ```text
//!  bit 63   59..55  53..32             31..0
//!  ┌─────┬──────┬──────────────────┬──────────────────────────────┐
//!  │ set │ moves│ place after them │ up to 16 moves, 2 bits each  │
//!  └─────┴──────┴──────────────────┴──────────────────────────────┘
//! ```
//!
//! It leads to the next state whose distance is a multiple of 16, so two leaps
//! solve every 3×3 board. A state's leap is its parent's with one move before
//! it; breadth-first order makes every one of them shortest.

use crate::puzzle::tiles::{Cells, Direction, TileState, Tiles};
use crate::puzzle::{Move, Puzzle};

/// Boards of more cells have no table: 12 cells would need 2 GB.
const MAX_CELLS: usize = 10;

/// The most moves in one leap.
const SEGMENT_MOVES: u64 = 16;

/// A set entry.
const SET: u64 = 1 << 63;

/// Bytes for each state while a table is made: its entry, and its share of the
/// widest two layers of the search.
const BYTES_PER_STATE: f64 = 10.5;

/// The ways to the goal from every state of one size, for goals with their blank
/// in one cell.
#[derive(Debug)]
pub struct PerfectTable {
    segments: Vec<u64>,
    ranks: Ranks,
    goal: usize,
}

/// How states are numbered.
#[derive(Clone, Copy, Debug)]
struct Ranks {
    cells: usize,
    /// What each digit of a permutation counts.
    weights: [usize; MAX_CELLS],
    /// States with the blank in one cell.
    per_blank: usize,
}

impl Ranks {
    fn new(cells: usize) -> Self {
        let tiles = cells - 1;
        let mut weights = [0; MAX_CELLS];
        // Half the factorial of the number of tiles behind; the last two digits
        // count nothing.
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

    /// The place of a state, given the label in each cell.
    #[inline(always)]
    fn index(&self, label: impl Fn(usize) -> usize, blank: usize) -> usize {
        let mut remaining = u32::MAX;
        let mut rank = 0;
        let mut digit = |cell: usize, weight: usize| {
            let bit = 1 << (label(cell) & 31);
            remaining ^= bit;
            // Label 0 is the blank's and always among the later ones.
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
    /// The number of states of a board of so many cells; none if it has too many
    /// for a table.
    pub fn states(cells: usize) -> Option<usize> {
        (4..=MAX_CELLS).contains(&cells).then(|| Ranks::new(cells).states())
    }

    /// The bytes that making the table of so many states takes.
    pub fn bytes(states: usize) -> usize {
        (states as f64 * BYTES_PER_STATE) as usize
    }

    /// The table of a puzzle; none if it has too many cells.
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

    /// The leaps that lead a state home, given the label in each cell. The state
    /// must be one that can be reached.
    #[inline]
    pub fn path(&self, label: impl Fn(usize) -> usize, blank: usize) -> PathIter<'_> {
        PathIter { table: self, index: self.ranks.index(label, blank) }
    }
}

/// Some moves, and where they lead.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PathSegment(u64);

impl PathSegment {
    /// How many moves there are.
    #[inline(always)]
    pub fn len(self) -> usize {
        (self.0 >> 55) as usize & 31
    }

    /// Whether there is none: only at the goal.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// The blank's moves.
    #[inline(always)]
    pub fn moves(self) -> impl ExactSizeIterator<Item = Direction> {
        (0..self.len()).map(move |at| Direction::from_index((self.0 as u32 >> (2 * at)) as usize))
    }

    /// The place after them.
    #[inline(always)]
    fn index(self) -> usize {
        (self.0 >> 32) as usize & ((1 << 22) - 1)
    }

    /// The leap of a state from which `step` leads to the state at `place`, whose
    /// leap this is.
    #[inline(always)]
    fn after(self, step: Move, index: usize) -> Self {
        let (len, index, moves) = match self.len() as u64 {
            // Leaps end here.
            0 | SEGMENT_MOVES => (0, index as u64, 0),
            len => (len, self.index() as u64, self.0 & 0x3fff_ffff),
        };
        Self(SET | (len + 1) << 55 | index << 32 | moves << 2 | u64::from(step.0 & 3))
    }
}

/// The leaps from a state to the goal.
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
        // Sizes, and how many of the goals are tried.
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
