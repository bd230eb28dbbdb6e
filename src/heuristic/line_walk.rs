//! Lower bounds in the line metric, where a run of tiles pushed at once is one
//! move.
//!
//! **Each axis by itself.** A move along a column changes the rows of some tiles
//! and the column of none; so the vertical moves of a solution, taken alone,
//! bring every tile into its row. How many are needed at least is known for the
//! same counts as in the walking distance (how many tiles of each row belong to
//! which, and the row of the blank): a step from count to count is one unit, a
//! move is any number of steps in one direction, and breadth-first search over
//! moves from the goal's count gives the least number for each. Tiles within a
//! row are told apart nowhere in this, so it allows more than the puzzle does,
//! and never says too much.
//!
//! **Cuts**, where there are too many counts for a table: the line between two
//! rows is crossed by the blank at most once in a move, and takes one tile
//! across. So the tiles on the wrong side of a cut need as many moves, and the
//! cut with the most of them counts.
//!
//! **Both axes together.** Two moves of one axis in a row would be one, or none:
//! in a shortest solution the axes take turns. If at least v vertical and h
//! horizontal moves are left, and the next one is horizontal because the last
//! one was not, then of L moves ⌈L/2⌉ are horizontal and ⌊L/2⌋ vertical, and L
//! is at least max(2v, 2h − 1). That is never below v + h. Where the last move is
//! not known, the axis that needs more may go first: 2·max(v, h) − 1, or 2v if
//! both need the same.
//!
//! So a state may get a larger estimate than it deserves if a last move is taken
//! into account after which no shortest solution goes on. That loses nothing: let
//! s be on a shortest solution and be reached at its least cost by a vertical
//! move from p. If a shortest way from s began with a vertical move, p could go
//! where that leads in one move instead of two, and s would be on no shortest
//! solution. So all of them go on horizontally, which is what the estimate is
//! for, whichever of its cheapest predecessors s was reached from.

use super::walking_distance::shapes;
use super::walking_distance::table::{Shape, Table};
use super::{Heuristic, NoBatch, axis};
use crate::puzzle::Move;
use crate::puzzle::tiles::{Board, Cells, Lines, Size, TileState};
use std::sync::Arc;

/// The bound of one size and goal.
#[derive(Clone, Debug)]
pub struct LineWalk {
    /// For rows and for columns.
    axes: [Axis; 2],
    /// Where each label belongs: its row and its column.
    homes: [[u8; 2]; 16],
    /// Bits for the rows' number in a carry; none if it is counted anew.
    row_bits: Option<u32>,
}

/// How the moves along an axis are bounded.
#[derive(Clone, Debug)]
enum Axis {
    /// By the least number of moves for each count.
    Walks { counts: Arc<Table>, moves: Arc<Vec<u8>> },
    /// By the tiles on the wrong side of each cut.
    Cuts,
}

/// A board as the bound sees it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LineWalkMemo {
    /// For each axis the number of its count, or a byte for each cut.
    codes: [u64; 2],
    /// The moves that each axis needs at least.
    min_moves: [u8; 2],
    estimate: u32,
}

impl LineWalk {
    /// The bound for a puzzle; an axis whose table needs more than `max_bytes`
    /// is bounded by cuts.
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

    /// The bytes of the tables.
    pub fn bytes(&self) -> usize {
        let bytes = |axis: &Axis| match axis {
            Axis::Walks { counts, moves } => counts.bytes() + moves.len(),
            Axis::Cuts => 0,
        };
        // Both axes of a square may have the same table.
        match &self.axes {
            [Axis::Walks { moves: rows, .. }, Axis::Walks { moves: cols, .. }] if Arc::ptr_eq(rows, cols) => {
                bytes(&self.axes[0])
            }
            axes => axes.iter().map(bytes).sum(),
        }
    }

    /// The place and the moves of an axis, from nothing.
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

    /// The bound where nothing is known of the last move.
    fn start(&self, codes: [u64; 2], min_moves: [u8; 2]) -> LineWalkMemo {
        let [rows, cols] = min_moves.map(u32::from);
        let estimate = if rows == cols { 2 * rows } else { 2 * rows.max(cols) - 1 };
        LineWalkMemo { codes, min_moves, estimate }
    }
}

/// A one in the byte of each cut between two lines.
fn cuts_between(line: usize, home: usize) -> u64 {
    (line.min(home)..line.max(home)).fold(0, |cuts, cut| cuts | 1 << (8 * cut))
}

/// The largest byte.
#[inline(always)]
fn max_byte(bytes: u64) -> u8 {
    bytes.to_le_bytes().into_iter().fold(0, u8::max)
}

/// A lower bound in the line metric for boards of any size, by cuts alone.
pub fn line_cuts(board: &Board, goal: &Board) -> u32 {
    let size: Size = board.size();
    let mut homes = vec![0; size.cells()];
    for (cell, &tile) in goal.tiles().iter().enumerate() {
        homes[tile as usize] = cell;
    }
    let min_moves = [0, 1].map(|axis| {
        let line = |cell: usize| if axis == 0 { cell / size.cols() } else { cell % size.cols() };
        // What begins and ends at each cut is summed up along the lines.
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
        // Down and to the right the blank goes, and the tiles the other way.
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
        // The other axis is next.
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
        // Without room for both, `resume` measures anew.
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

    /// What must hold for every state and move, on a whole state space.
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
                // On a shortest solution no estimate may be too large.
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
