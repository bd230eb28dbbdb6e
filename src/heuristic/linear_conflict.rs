//! Manhattan distance with linear conflicts (Hansson, Mayer and Yung, Information Sciences 63,
//! 1992).
//!
//! Tiles that are in their goal row but in the wrong order cannot all move straight to their
//! goals: all but those of a longest increasing subsequence must leave the row and return,
//! which takes two moves each that the Manhattan distance does not count. The same holds for
//! columns.
//!
//! A vertical move changes no order within a column, and among the rows it affects only the
//! goal row of the moving tile, if the tile enters or leaves it. So a move changes the term of
//! at most one line, and the estimate by exactly one, up or down.
//!
//! On boards of up to 16 cells with sides of up to 5, the memo contains a code for each line:
//! three bits for each cell, the goal position of its tile in the line, or 0 for a tile that
//! belongs elsewhere. A line's code is the index of its term in a small table, and a move is an
//! exclusive or. Other boards recompute the affected line.

use super::{Heuristic, Manhattan, NoBatch, axis};
use crate::puzzle::tiles::{Cells, TileState, Tiles};
use crate::puzzle::{Move, Puzzle};

/// Bits per cell in a line's code.
const BITS: usize = 3;
/// Longest line that has a code.
const MAX_LINE: usize = 5;
/// Number of codes.
const CODES: usize = 1 << (BITS * MAX_LINE);
/// Largest board whose codes fit a word.
const MAX_CELLS: usize = 16;

/// The Manhattan distance, plus two moves for each tile that must leave its line.
#[derive(Debug)]
pub struct LinearConflict {
    manhattan: Manhattan,
    /// Goal row and goal column of each label.
    homes: Box<[[u8; 2]; 256]>,
    line_codes: Option<LineCodes>,
}

/// Tables for boards whose lines have codes.
#[derive(Debug)]
struct LineCodes {
    /// The term of a line, by its code.
    terms: Box<[u8; CODES]>,
    /// Indexed by the blank's cell, its move, and the label that moves.
    changes: Box<[Change; MAX_CELLS * 4 * MAX_CELLS]>,
}

/// The effect of a move on a memo.
#[derive(Clone, Copy, Debug, Default)]
struct Change {
    /// Flipped bits in the codes of the rows and of the columns.
    lines: [u64; 2],
    /// Offset and mask of the code whose term may change.
    shift: u8,
    mask: u16,
    /// Change of the Manhattan distance.
    distance: i8,
}

/// The memo: the estimate, and the codes of all rows and columns where they are in use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Conflicts {
    estimate: u32,
    lines: [u64; 2],
}

impl LinearConflict {
    /// Builds the tables for a puzzle.
    pub fn new<C: Cells>(puzzle: &Tiles<C>) -> Self {
        let (size, cols) = (puzzle.size(), puzzle.size().cols());
        let mut homes = Box::new([[0; 2]; 256]);
        for label in 1..size.cells() {
            homes[label] = [(puzzle.home(label) / cols) as u8, (puzzle.home(label) % cols) as u8];
        }
        let mut new = Self { manhattan: Manhattan::new(puzzle), homes, line_codes: None };
        if size.cells() <= MAX_CELLS && size.rows().max(cols) <= MAX_LINE {
            new.line_codes = Some(new.line_codes(puzzle));
        }
        new
    }

    fn line_codes<C: Cells>(&self, puzzle: &Tiles<C>) -> LineCodes {
        let mut terms = Box::new([0; CODES]);
        for (code, term) in terms.iter_mut().enumerate() {
            let positions = (0..MAX_LINE).map(|i| (code >> (BITS * i)) & ((1 << BITS) - 1));
            *term = 2 * removals(positions.filter(|&position| position != 0).map(|position| position as u8))
                as u8;
        }
        let size = puzzle.size();
        let mut changes = Box::new([Change::default(); MAX_CELLS * 4 * MAX_CELLS]);
        for blank in 0..size.cells() {
            let state = TileState { cells: C::from_labels(&[]), blank: blank as u8 };
            for step in puzzle.moves(&state, None) {
                let from = puzzle.beside(blank as u8, step) as usize;
                for label in 1..size.cells() {
                    let (here, there) = (self.codes(puzzle, label, from), self.codes(puzzle, label, blank));
                    let axis = axis(step);
                    let length = if axis == 0 { size.cols() } else { size.rows() };
                    let line = self.homes[label][axis] as usize;
                    changes[index(blank as u8, step, label)] = Change {
                        lines: [here[0] ^ there[0], here[1] ^ there[1]],
                        shift: (line * length * BITS) as u8,
                        mask: ((1 << (length * BITS)) - 1) as u16,
                        distance: (self.manhattan.distance(label, blank) as i8)
                            - self.manhattan.distance(label, from) as i8,
                    };
                }
            }
        }
        LineCodes { terms, changes }
    }

    /// Returns the contribution of a label in a cell to the codes of the rows and the columns.
    fn codes<C: Cells>(&self, puzzle: &Tiles<C>, label: usize, cell: usize) -> [u64; 2] {
        let (rows, cols) = (puzzle.size().rows(), puzzle.size().cols());
        let [home_row, home_col] = self.homes[label].map(u64::from);
        let (row, col) = (cell / cols, cell % cols);
        let mut codes = [0; 2];
        if label != 0 && home_row == row as u64 {
            codes[0] = (home_col + 1) << ((row * cols + col) * BITS);
        }
        if label != 0 && home_col == col as u64 {
            codes[1] = (home_row + 1) << ((col * rows + row) * BITS);
        }
        codes
    }

    /// Returns the codes of a board.
    fn lines<C: Cells>(&self, puzzle: &Tiles<C>, state: &TileState<C>) -> [u64; 2] {
        if self.line_codes.is_none() {
            return [0; 2];
        }
        (0..puzzle.size().cells().min(MAX_CELLS)).fold([0; 2], |lines, cell| {
            let codes = self.codes(puzzle, state.cells.label(cell), cell);
            [lines[0] | codes[0], lines[1] | codes[1]]
        })
    }

    /// Returns the term of one row (axis 0) or column (axis 1): the moves that its conflicts
    /// cost.
    fn term<C: Cells>(&self, puzzle: &Tiles<C>, state: &TileState<C>, axis: usize, line: usize) -> u32 {
        let (rows, cols) = (puzzle.size().rows(), puzzle.size().cols());
        let (first, stride, length) = if axis == 0 { (line * cols, 1, cols) } else { (line, cols, rows) };
        let labels = (0..length).map(|i| state.cells.label(first + i * stride));
        let at_home = labels.filter(|&label| label != 0 && self.homes[label][axis] as usize == line);
        2 * removals(at_home.map(|label| self.homes[label][1 - axis]))
    }

    /// Updates a memo on boards whose lines have no codes.
    fn recount<C: Cells>(
        &self,
        puzzle: &Tiles<C>,
        memo: &Conflicts,
        before: &TileState<C>,
        step: Move,
    ) -> Conflicts {
        let (cols, axis) = (puzzle.size().cols() as u8, axis(step));
        let (from, to) = (puzzle.beside(before.blank, step), before.blank);
        let line = self.homes[before.cells.label(from.into())][axis];
        let [old, new] = [from, to].map(|cell| if axis == 0 { cell / cols } else { cell % cols });
        let mut estimate = memo.estimate.wrapping_add_signed(self.manhattan.change(puzzle, before, step));
        if line == old || line == new {
            let after = puzzle.apply(before, step);
            estimate += self.term(puzzle, &after, axis, line.into());
            estimate -= self.term(puzzle, before, axis, line.into());
        }
        Conflicts { estimate, ..*memo }
    }
}

/// Returns the index of a change in its table.
#[inline(always)]
fn index(blank: u8, step: Move, label: usize) -> usize {
    ((blank as usize % MAX_CELLS) * 4 + step.0 as usize % 4) * MAX_CELLS + label % MAX_CELLS
}

/// Returns how many of these distinct numbers must be removed so that the others increase: all
/// but a longest increasing subsequence.
fn removals(positions: impl Iterator<Item = u8>) -> u32 {
    // `ends[i]` is the lowest end of an increasing subsequence of length i + 1.
    let mut ends = [0; 256];
    let (mut all, mut longest) = (0, 0);
    for position in positions {
        let at = ends[..longest].partition_point(|&end| end < position);
        ends[at] = position;
        longest = longest.max(at + 1);
        all += 1;
    }
    (all - longest) as u32
}

impl<C: Cells> Heuristic<Tiles<C>> for LinearConflict {
    type Memo = Conflicts;
    type Payload = ();
    type SuccessorBatch = NoBatch;

    fn name(&self) -> &'static str {
        "linear-conflict"
    }

    fn evaluate(&self, puzzle: &Tiles<C>, state: &TileState<C>) -> Conflicts {
        let terms =
            |axis, lines| (0..lines).map(move |line| self.term(puzzle, state, axis, line)).sum::<u32>();
        let conflicts = terms(0, puzzle.size().rows()) + terms(1, puzzle.size().cols());
        let estimate = self.manhattan.sum(puzzle, state) + conflicts;
        Conflicts { estimate, lines: self.lines(puzzle, state) }
    }

    #[inline(always)]
    fn update(&self, puzzle: &Tiles<C>, memo: &Conflicts, before: &TileState<C>, step: Move) -> Conflicts {
        let Some(LineCodes { terms, changes }) = &self.line_codes else {
            return self.recount(puzzle, memo, before, step);
        };
        let label = before.cells.label(puzzle.beside(before.blank, step).into());
        let change = &changes[index(before.blank, step, label)];
        let lines = [memo.lines[0] ^ change.lines[0], memo.lines[1] ^ change.lines[1]];
        let (old, new) = if axis(step) == 0 { (memo.lines[0], lines[0]) } else { (memo.lines[1], lines[1]) };
        let term = |codes: u64| {
            let code = (codes >> change.shift) as usize & change.mask as usize;
            i32::from(terms[code % CODES])
        };
        let delta = i32::from(change.distance) + term(new) - term(old);
        Conflicts { estimate: memo.estimate.wrapping_add_signed(delta), lines }
    }

    #[inline(always)]
    fn estimate(&self, memo: &Conflicts) -> u32 {
        memo.estimate
    }

    #[inline(always)]
    fn payload(&self, _: &Conflicts) {}

    #[inline(always)]
    fn restore(&self, puzzle: &Tiles<C>, state: &TileState<C>, estimate: u32, (): ()) -> Conflicts {
        Conflicts { estimate, lines: self.lines(puzzle, state) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::heuristic::test_support::{ChangePerMove, check_all_states, check_random_walks};
    use crate::puzzle::tiles::{Board, Goal, Size};

    #[test]
    fn is_admissible_and_at_least_manhattan() {
        for size in [(2, 2), (2, 4), (2, 5), (3, 2)] {
            check_all_states(size, ChangePerMove::One, LinearConflict::new);
        }
        let with = check_all_states((3, 3), ChangePerMove::One, LinearConflict::new);
        let without = check_all_states((3, 3), ChangePerMove::One, Manhattan::new);
        assert!(with.iter().zip(&without).all(|(with, without)| with > without));
        // With codes; without them because of the side length or the number of cells; in bytes.
        for size in [(4, 4), (3, 5), (2, 7), (8, 2)] {
            check_random_walks::<u64, _>(size, ChangePerMove::One, LinearConflict::new);
        }
        check_random_walks::<u128, _>((5, 5), ChangePerMove::One, LinearConflict::new);
        check_random_walks::<[u64; 5], _>((6, 6), ChangePerMove::One, LinearConflict::new);
        check_random_walks::<[u64; 32], _>((2, 128), ChangePerMove::One, LinearConflict::new);
    }

    #[test]
    fn removals_spare_a_longest_increasing_subsequence() {
        let counted = |positions: &[u8]| removals(positions.iter().copied());
        assert_eq!(counted(&[]), 0);
        assert_eq!(counted(&[1, 2, 3, 4]), 0);
        assert_eq!(counted(&[4, 3, 2, 1]), 3);
        assert_eq!(counted(&[3, 4, 1, 2]), 2);
        assert_eq!(counted(&[2, 3, 4, 1]), 1);
    }

    #[test]
    fn conflicts_of_one_board_by_hand() {
        let size = Size::new(4, 4).unwrap();
        let puzzle = Tiles::<u64>::new(&Goal::BlankLast.board(size).unwrap()).unwrap();
        let heuristic = LinearConflict::new(&puzzle);
        let board = |tiles: &[u32]| puzzle.state(&Board::new(size, tiles).unwrap());
        let estimate = |state: TileState<u64>| heuristic.evaluate(&puzzle, &state).estimate;
        // The first row reversed: 3 + 1 + 1 + 3 moves, and three tiles that must leave.
        let first = board(&[4, 3, 2, 1, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0]);
        assert_eq!(estimate(first), 8 + 6);
        // 5 and 9 exchanged in the first column.
        let second = board(&[1, 2, 3, 4, 9, 6, 7, 8, 5, 10, 11, 12, 13, 14, 15, 0]);
        assert_eq!(estimate(second), 2 + 2);
    }
}
