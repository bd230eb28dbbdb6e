//! Lower bounds in the line metric, where pushing a run of tiles is one move.
//!
//! **One axis.** A move along a column changes the rows of some tiles and the column of none.
//! So the vertical moves of a solution alone bring every tile to its row. Their least number is
//! known for each *count* of the walking distance (how many tiles of each row belong to which
//! row, and the row of the blank): a step between counts is one unit, a move is any number of
//! steps in one direction, and breadth-first search over moves from the goal's count gives the
//! least number for each. Counts do not distinguish tiles within a row, so this is a relaxation
//! of the puzzle, and the bound is admissible.
//!
//! **Cuts**, where there are too many counts for a table: in one move the blank crosses the
//! line between two rows at most once, and takes one tile across. So a cut needs at least as
//! many moves as it has tiles on the wrong side, and the cut with the most such tiles gives the
//! bound.
//!
//! **Both axes.** Two consecutive moves along one axis would be one move, or none: in a
//! shortest solution the axes alternate. Suppose at least v vertical and h horizontal moves are
//! left, and the next one is horizontal because the last one was vertical. Of L moves, ⌈L/2⌉
//! are horizontal and ⌊L/2⌋ vertical, so L is at least max(2v, 2h − 1). This is never below v +
//! h. If the last move is unknown, the axis that needs more may go first: 2·max(v, h) − 1, or
//! 2v if both need equally many.
//!
//! **Why this keeps a shortest solution.** The estimate of a state depends on its last move, so
//! it may be too large if no shortest solution continues after that move. Nothing is lost: let
//! s be on a shortest solution and be reached at its least cost by a vertical move from p. If a
//! shortest path from s began with a vertical move, p could reach its end in one move instead
//! of two, and s would be on no shortest solution. So all of them continue horizontally, which
//! is what the estimate assumes, whichever of its cheapest predecessors s was reached from.

use super::walking_distance::shapes;
use super::walking_distance::table::{Shape, Table};
use super::{Heuristic, NoBatch, axis};
use crate::puzzle::Move;
use crate::puzzle::tiles::{Board, Cells, Lines, Size, TileState};
use std::sync::Arc;

/// The bound for one size and goal.
#[derive(Clone, Debug)]
pub struct LineWalk {
    /// Rows and columns.
    axes: [Axis; 2],
    /// Goal row and goal column of each label.
    homes: [[u8; 2]; 16],
    /// Bits of the row number in a payload; `None` if payloads are not used.
    row_bits: Option<u32>,
}

/// The bound on the moves along an axis.
#[derive(Clone, Debug)]
enum Axis {
    /// By a table: the least number of moves for each count.
    Walks { counts: Arc<Table>, moves: Arc<Vec<u8>> },
    /// By the tiles on the wrong side of each cut.
    Cuts,
}

/// The memo of a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LineWalkMemo {
    /// For each axis the number of its count, or one byte per cut.
    codes: [u64; 2],
    /// The least number of moves along each axis.
    min_moves: [u8; 2],
    estimate: u32,
}

impl LineWalk {
    /// Creates the bound for a puzzle. An axis whose table needs more than its half of
    /// `max_bytes` is bounded by cuts.
    pub fn new(puzzle: &Lines, max_bytes: usize) -> Self {
        let tiles = puzzle.tiles();
        let cols = tiles.size().cols();
        let mut homes = [[0; 2]; 16];
        for (label, home) in homes.iter_mut().enumerate().take(tiles.size().cells()).skip(1) {
            *home = [(tiles.home(label) / cols) as u8, (tiles.home(label) % cols) as u8];
        }
        let [rows, cols] = shapes(tiles);
        let make = |shape| {
            let counts = Arc::new(Table::build(shape, max_bytes / 2)?);
            Some(Axis::Walks { moves: Arc::new(counts.line_distances()), counts })
        };
        let by_rows = make(rows).unwrap_or(Axis::Cuts);
        let by_cols = if rows == cols { by_rows.clone() } else { make(cols).unwrap_or(Axis::Cuts) };
        let bits = |axis: &Axis| match axis {
            Axis::Walks { moves, .. } => Some((moves.len() as u32).next_power_of_two().ilog2()),
            Axis::Cuts => None,
        };
        let both = bits(&by_rows).zip(bits(&by_cols));
        let row_bits = both.filter(|(rows, cols)| rows + cols <= 32).map(|(rows, _)| rows);
        Self { axes: [by_rows, by_cols], homes, row_bits }
    }

    /// Returns the bytes of the tables.
    pub fn bytes(&self) -> usize {
        let bytes = |axis: &Axis| match axis {
            Axis::Walks { counts, moves } => counts.bytes() + moves.len(),
            Axis::Cuts => 0,
        };
        // Both axes of a square may share a table.
        match &self.axes {
            [Axis::Walks { moves: rows, .. }, Axis::Walks { moves: cols, .. }] if Arc::ptr_eq(rows, cols) => {
                bytes(&self.axes[0])
            }
            axes => axes.iter().map(bytes).sum(),
        }
    }

    /// Computes the code and the least moves of an axis from scratch.
    fn measure(&self, puzzle: &Lines, state: &TileState<u64>, axis: usize) -> (u64, u8) {
        let size = puzzle.size();
        let line = |cell: usize| if axis == 0 { cell / size.cols() } else { cell % size.cols() };
        let tiles = (0..size.cells()).filter(|&cell| cell != state.blank as usize);
        let mut lines = tiles.map(|cell| (line(cell), self.homes[state.cells.label(cell)][axis] as usize));
        match &self.axes[axis] {
            Axis::Walks { counts, moves } => {
                let number = counts.find(counts.shape().count(lines, line(state.blank.into())));
                (number as u64, moves[number])
            }
            Axis::Cuts => {
                let code = lines.by_ref().fold(0, |code, (line, home)| code + cuts_between(line, home));
                (code, max_byte(code))
            }
        }
    }

    /// Returns the memo of a state whose last move is unknown.
    fn start(&self, codes: [u64; 2], min_moves: [u8; 2]) -> LineWalkMemo {
        let [rows, cols] = min_moves.map(u32::from);
        let estimate = if rows == cols { 2 * rows } else { 2 * rows.max(cols) - 1 };
        LineWalkMemo { codes, min_moves, estimate }
    }
}

/// Returns a one in the byte of each cut between two lines.
fn cuts_between(line: usize, home: usize) -> u64 {
    (line.min(home)..line.max(home)).fold(0, |cuts, cut| cuts | 1 << (8 * cut))
}

/// Returns the largest byte.
#[inline(always)]
fn max_byte(bytes: u64) -> u8 {
    bytes.to_le_bytes().into_iter().fold(0, u8::max)
}

/// Returns a lower bound in the line metric for boards of any size, by cuts alone.
pub fn line_cuts(board: &Board, goal: &Board) -> u32 {
    let size: Size = board.size();
    let mut homes = vec![0; size.cells()];
    for (cell, &tile) in goal.tiles().iter().enumerate() {
        homes[tile as usize] = cell;
    }
    let min_moves = [0, 1].map(|axis| {
        let line = |cell: usize| if axis == 0 { cell / size.cols() } else { cell % size.cols() };
        // Prefix sums over the lines give the tiles that must cross each cut.
        let mut changes = vec![0i64; size.rows().max(size.cols()) + 1];
        for (cell, &tile) in board.tiles().iter().enumerate().filter(|&(_, &tile)| tile != 0) {
            let (from, to) = (line(cell), line(homes[tile as usize]));
            changes[from.min(to)] += 1;
            changes[from.max(to)] -= 1;
        }
        let mut wrong = 0;
        changes
            .iter()
            .map(|change| {
                wrong += change;
                wrong
            })
            .max()
            .unwrap_or(0) as u32
    });
    if min_moves[0] == min_moves[1] { 2 * min_moves[0] } else { 2 * min_moves[0].max(min_moves[1]) - 1 }
}

impl Heuristic<Lines> for LineWalk {
    type Memo = LineWalkMemo;
    type Payload = u32;
    type SuccessorBatch = NoBatch;

    fn name(&self) -> &'static str {
        match &self.axes {
            [Axis::Walks { .. }, Axis::Walks { .. }] => "walking-distance",
            [Axis::Cuts, Axis::Cuts] => "cuts",
            _ => "walking-distance+cuts",
        }
    }

    fn evaluate(&self, puzzle: &Lines, state: &TileState<u64>) -> LineWalkMemo {
        let [rows, cols] = [0, 1].map(|axis| self.measure(puzzle, state, axis));
        self.start([rows.0, cols.0], [rows.1, cols.1])
    }

    #[inline(always)]
    fn update(
        &self,
        puzzle: &Lines,
        memo: &LineWalkMemo,
        before: &TileState<u64>,
        step: Move,
    ) -> LineWalkMemo {
        let (tiles, axis) = (puzzle.tiles(), axis(step));
        let unit = Move(step.0 & 3);
        // Whether the blank moves down or right; the tiles move the other way.
        let forward = (step.0 ^ step.0 >> 1) & 1 == 1;
        let mut cell = before.blank;
        let mut code = memo.codes[axis];
        let labels = (0..Lines::cells(step)).map(|_| {
            cell = tiles.beside(cell, unit);
            before.cells.label(cell.into())
        });
        let min_moves = match &self.axes[axis] {
            Axis::Walks { counts, moves } => {
                let mut number = code as usize;
                for label in labels {
                    number = counts.after(number, Shape::step(self.homes[label & 15][axis].into(), forward));
                }
                code = number as u64;
                moves[number]
            }
            Axis::Cuts => {
                let cols = puzzle.size().cols();
                let start = before.blank as usize;
                let mut line = if axis == 0 { start / cols } else { start % cols };
                for label in labels {
                    let home = self.homes[label & 15][axis] as usize;
                    // The tile crosses the cut towards the line where it now is.
                    let (cut, nearer) = if forward { (line, home <= line) } else { (line - 1, home >= line) };
                    let one = 1 << (8 * cut);
                    code = if nearer { code - one } else { code + one };
                    line = if forward { line + 1 } else { line - 1 };
                }
                max_byte(code)
            }
        };
        let mut after = *memo;
        after.codes[axis] = code;
        after.min_moves[axis] = min_moves;
        // The next move is along the other axis.
        let (this, other) = (u32::from(min_moves), u32::from(after.min_moves[1 - axis]));
        after.estimate = (2 * this).max((2 * other).saturating_sub(1));
        after
    }

    #[inline(always)]
    fn estimate(&self, memo: &LineWalkMemo) -> u32 {
        memo.estimate
    }

    #[inline(always)]
    fn payload(&self, memo: &LineWalkMemo) -> u32 {
        // If both numbers do not fit, `restore` computes them anew.
        self.row_bits
            .map_or(0, |bits| memo.codes[0] as u32 | (memo.codes[1] as u32).checked_shl(bits).unwrap_or(0))
    }

    #[inline(always)]
    fn restore(&self, puzzle: &Lines, state: &TileState<u64>, estimate: u32, payload: u32) -> LineWalkMemo {
        let [Axis::Walks { moves: rows, .. }, Axis::Walks { moves: cols, .. }] = &self.axes else {
            return LineWalkMemo { estimate, ..self.evaluate(puzzle, state) };
        };
        let Some(bits) = self.row_bits else {
            return LineWalkMemo { estimate, ..self.evaluate(puzzle, state) };
        };
        let codes = [payload & ((1 << bits) - 1), payload >> bits];
        let min_moves = [rows[codes[0] as usize], cols[codes[1] as usize]];
        LineWalkMemo { codes: codes.map(u64::from), min_moves, estimate }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::heuristic::test_support::{distances, goals};
    use crate::puzzle::Puzzle;
    use ahash::HashMap;

    /// Checks every state and move of a state space. Returns the sum of the estimates.
    fn check_all_states(rows: usize, cols: usize, goal: &Board, max_bytes: usize) -> u64 {
        let puzzle = Lines::new(goal).unwrap();
        let bound = LineWalk::new(&puzzle, max_bytes);
        let states = distances(&puzzle, puzzle.state(goal));
        assert_eq!(states.len(), (3..=rows * cols).product::<usize>());
        let distances: HashMap<u64, u32> =
            states.iter().map(|(state, distance)| (puzzle.pack(state), *distance)).collect();
        let mut sum = 0;
        for (state, distance) in &states {
            let memo = bound.evaluate(&puzzle, state);
            let estimate = bound.estimate(&memo);
            assert!(estimate <= *distance, "{state:?}: {estimate} for {distance}");
            assert_eq!(estimate == 0, *distance == 0);
            sum += u64::from(estimate);
            for step in puzzle.moves(state, None) {
                let next = puzzle.apply(state, step);
                let after = bound.update(&puzzle, &memo, state, step);
                let evaluated = bound.evaluate(&puzzle, &next);
                assert_eq!(
                    (after.codes, after.min_moves),
                    (evaluated.codes, evaluated.min_moves),
                    "{state:?} {step:?}"
                );
                assert!(after.estimate >= evaluated.estimate);
                let restored = bound.restore(&puzzle, &next, after.estimate, bound.payload(&after));
                assert_eq!(restored, after);
                // On a shortest solution the estimate must be admissible.
                let left = distances[&puzzle.pack(&next)];
                assert!(left + 1 != *distance || after.estimate <= left, "{state:?} {step:?}");
            }
        }
        sum
    }

    #[test]
    fn admissible_on_shortest_solutions() {
        for (rows, cols, goals_tried) in [(2, 2, 4), (2, 3, 4), (3, 2, 4), (2, 4, 2), (4, 2, 2), (3, 3, 4)] {
            for goal in &goals(rows, cols)[..goals_tried] {
                let walks = check_all_states(rows, cols, goal, 1 << 20);
                let cuts = check_all_states(rows, cols, goal, 0);
                assert!(walks >= cuts);
            }
        }
    }

    #[test]
    fn line_cuts_equals_the_incremental_bound() {
        for (rows, cols) in [(3, 3), (4, 4), (2, 7)] {
            for start in goals(rows, cols) {
                for goal in goals(rows, cols) {
                    let puzzle = Lines::new(&goal).unwrap();
                    let bound = LineWalk::new(&puzzle, 0);
                    let estimate = bound.evaluate(&puzzle, &puzzle.state(&start)).estimate;
                    assert_eq!(line_cuts(&start, &goal), estimate, "{start} {goal}");
                }
            }
        }
        let [from, _, to, _] = &goals(30, 40)[..] else { panic!("four goals") };
        assert_eq!(line_cuts(from, from), 0);
        assert!(line_cuts(from, to) > 50);
    }

    #[test]
    fn tables_report_their_bytes() {
        for (rows, cols, name) in
            [(4, 4, "walking-distance"), (3, 3, "walking-distance"), (2, 8, "walking-distance+cuts")]
        {
            let puzzle = Lines::new(&goals(rows, cols)[0]).unwrap();
            let bound = LineWalk::new(&puzzle, 4 << 20);
            assert_eq!(bound.name(), name);
            assert!(bound.bytes() > 0 && bound.bytes() <= 4 << 20);
            assert_eq!(LineWalk::new(&puzzle, 0).name(), "cuts");
        }
    }
}
