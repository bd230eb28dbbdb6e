//! Walking distance (Ken'ichiro Takahashi, 2001).
//!
//! Relax the puzzle so that tiles of one row can be exchanged freely. A board then reduces to a
//! *count*: how many tiles of each row belong to which row, and the row of the blank. There are
//! few counts (24,964 for the 15-puzzle), so the number of vertical moves that each needs is
//! tabulated. The same is done for horizontal moves between columns. The sum of both is
//! admissible.
//!
//! Every move changes the estimate by one, up or down. The direction is a bit in a mask that
//! belongs to the count, so moves that exceed the bound are pruned without reading the large
//! table.

pub(super) mod table;

use super::{Heuristic, NoBatch, PrunedMoves, axis};
use crate::puzzle::Move;
use crate::puzzle::tiles::{Cells, Direction, TileMoves, TileState, Tiles};
use std::sync::Arc;
use table::{STEPS, Shape, Table};

/// The walking distance for one size and one cell of the goal's blank.
#[derive(Debug)]
pub struct WalkingDistance {
    /// Tables for rows and for columns.
    tables: [Arc<Table>; 2],
    /// For each move and label, the bit of that step in the masks of a [`Walk`].
    bits: Box<[[u8; 256]; 4]>,
    /// Goal row and goal column of each label, in the tables' orientation.
    homes: Vec<[u8; 2]>,
    /// Whether rows, and whether columns, are numbered from the far end.
    mirrored: [bool; 2],
    /// Bits of the row number in a payload; `None` if both numbers do not fit.
    row_bits: Option<u32>,
    bytes: usize,
}

/// The memo of a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Walk {
    /// The numbers of the row count and of the column count.
    numbers: [u32; 2],
    /// Mask of the steps that lead nearer to the goal: between rows in the low half, between
    /// columns in the high half.
    nearer: u32,
    estimate: u32,
}

impl WalkingDistance {
    /// Builds the tables for a puzzle. Returns `None` if they need more than `max_bytes`.
    pub fn new<C: Cells>(puzzle: &Tiles<C>, max_bytes: usize) -> Option<Self> {
        Self::with(puzzle, &mut WalkTables::default(), max_bytes)
    }

    /// Creates the heuristic with tables that are shared among goals. Builds only missing
    /// tables; returns `None` if these need more than `max_bytes`.
    pub fn with<C: Cells>(puzzle: &Tiles<C>, shared: &mut WalkTables, max_bytes: usize) -> Option<Self> {
        let bytes = shared.bytes_missing(puzzle, max_bytes)?;
        let (shapes, mirrored) = canonical(puzzle);
        let [by_rows, by_cols] = shapes.map(|shape| shared.table(shape, max_bytes));
        let (by_rows, by_cols) = (by_rows?, by_cols?);
        let (lines, width) = ([puzzle.size().rows(), puzzle.size().cols()], puzzle.size().cols());
        let mut homes = vec![[0; 2]; puzzle.size().cells()];
        let mut bits = Box::new([[0; 256]; 4]);
        for label in 1..puzzle.size().cells() {
            let home = [puzzle.home(label) / width, puzzle.home(label) % width];
            let home: [usize; 2] =
                std::array::from_fn(|axis| mirror(home[axis], lines[axis], mirrored[axis]));
            homes[label] = home.map(|line| line as u8);
            for direction in Direction::ALL {
                let axis = axis(Move(direction as u32));
                let down = matches!(direction, Direction::Down | Direction::Right) != mirrored[axis];
                bits[direction as usize][label] = (axis * STEPS + Shape::step(home[axis], down)) as u8;
            }
        }
        let [row_bits, col_bits] =
            [&by_rows, &by_cols].map(|table| (table.len() as u32).next_power_of_two().ilog2());
        let row_bits = (row_bits + col_bits <= 32).then_some(row_bits);
        Some(Self { tables: [by_rows, by_cols], bits, homes, mirrored, row_bits, bytes })
    }

    /// Returns the bytes of the tables for a puzzle, or `None` if they need more than
    /// `max_bytes`. Builds nothing.
    pub fn bytes_needed<C: Cells>(puzzle: &Tiles<C>, max_bytes: usize) -> Option<usize> {
        WalkTables::default().bytes_missing(puzzle, max_bytes)
    }

    /// Returns the bytes of the tables that were built for it.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Returns the memo for these numbers.
    #[inline(always)]
    fn walk(&self, numbers: [u32; 2], estimate: u32) -> Walk {
        let [rows, cols] = &self.tables;
        let nearer = u32::from(rows.nearer[numbers[0] as usize])
            | u32::from(cols.nearer[numbers[1] as usize]) << STEPS;
        Walk { numbers, nearer, estimate }
    }

    /// Computes the numbers of a board's counts.
    fn numbers<C: Cells>(&self, puzzle: &Tiles<C>, state: &TileState<C>) -> [u32; 2] {
        let (cells, cols) = (puzzle.size().cells(), puzzle.size().cols());
        let line_of = |cell: usize, axis: usize| {
            let (line, lines) = if axis == 0 { (cell / cols, cells / cols) } else { (cell % cols, cols) };
            mirror(line, lines, self.mirrored[axis])
        };
        [0, 1].map(|axis| {
            let tiles = (0..cells).filter(|&cell| cell != state.blank as usize);
            let homes =
                tiles.map(|cell| (line_of(cell, axis), self.homes[state.cells.label(cell)][axis].into()));
            let table = &self.tables[axis];
            table.find(table.shape().count(homes, line_of(state.blank.into(), axis))) as u32
        })
    }

    /// Returns the bit of a step in the masks of a memo.
    #[inline(always)]
    fn bit<C: Cells>(&self, puzzle: &Tiles<C>, state: &TileState<C>, step: Move) -> usize {
        let label = state.cells.label(puzzle.beside(state.blank, step).into());
        self.bits[step.0 as usize & 3][label & 255].into()
    }
}

/// Tables that goals share: a table depends on the number and length of the lines and on the
/// line of the goal's blank, not on which tile belongs where.
#[derive(Debug, Default)]
pub struct WalkTables {
    tables: Vec<Arc<Table>>,
}

impl WalkTables {
    /// Returns the bytes of the tables that a puzzle needs and that are missing, or `None` if
    /// they need more than `max_bytes`. Builds nothing.
    pub fn bytes_missing<C: Cells>(&self, puzzle: &Tiles<C>, max_bytes: usize) -> Option<usize> {
        let ([rows, cols], _) = canonical(puzzle);
        let mut bytes = 0;
        for shape in [Some(rows), Some(cols).filter(|&cols| cols != rows)].into_iter().flatten() {
            if self.find(shape).is_none() {
                bytes += shape.size(max_bytes - bytes)?.1;
            }
        }
        Some(bytes)
    }

    fn find(&self, shape: Shape) -> Option<&Arc<Table>> {
        self.tables.iter().find(|table| table.shape() == shape)
    }

    /// Returns the table of a shape; builds it if it is missing.
    fn table(&mut self, shape: Shape, max_bytes: usize) -> Option<Arc<Table>> {
        if let Some(table) = self.find(shape) {
            return Some(table.clone());
        }
        let table = Arc::new(Table::build(shape, max_bytes)?);
        self.tables.push(table.clone());
        Some(table)
    }
}

/// Returns a line number, counted from the far end if `is_mirrored`.
fn mirror(line: usize, lines: usize, is_mirrored: bool) -> usize {
    if is_mirrored { lines - 1 - line } else { line }
}

/// Returns the shapes of a puzzle's tables, and whether their lines are numbered from the far
/// end. Goals whose blanks are mirror images share tables.
fn canonical<C: Cells>(puzzle: &Tiles<C>) -> ([Shape; 2], [bool; 2]) {
    let shapes = shapes(puzzle);
    let mirrored = shapes.map(|shape| shape.goal < shape.lines - 1 - shape.goal);
    let shape = |axis: usize| {
        let Shape { lines, goal, .. } = shapes[axis];
        Shape { goal: mirror(goal, lines, mirrored[axis]), ..shapes[axis] }
    };
    ([shape(0), shape(1)], mirrored)
}

/// Returns the shapes for walks between rows and between columns.
pub(super) fn shapes<C: Cells>(puzzle: &Tiles<C>) -> [Shape; 2] {
    let (rows, cols) = (puzzle.size().rows(), puzzle.size().cols());
    [
        Shape { lines: rows, length: cols, goal: puzzle.goal_blank() / cols },
        Shape { lines: cols, length: rows, goal: puzzle.goal_blank() % cols },
    ]
}

impl<C: Cells> Heuristic<Tiles<C>> for WalkingDistance {
    type Memo = Walk;
    type Payload = u32;
    type SuccessorBatch = NoBatch;
    const PRUNES: bool = true;

    fn name(&self) -> &'static str {
        "walking-distance"
    }

    fn evaluate(&self, puzzle: &Tiles<C>, state: &TileState<C>) -> Walk {
        let numbers = self.numbers(puzzle, state);
        let [rows, cols] = [0, 1].map(|axis| self.tables[axis].distance(numbers[axis] as usize));
        self.walk(numbers, rows + cols)
    }

    #[inline(always)]
    fn update(&self, puzzle: &Tiles<C>, memo: &Walk, before: &TileState<C>, step: Move) -> Walk {
        let bit = self.bit(puzzle, before, step);
        let nearer = memo.nearer >> (bit & 31) & 1;
        let axis = axis(step);
        let (number, half) = if axis == 0 { (memo.numbers[0], 0) } else { (memo.numbers[1], STEPS) };
        let table = &*self.tables[axis];
        let next = table.after(number as usize, bit % STEPS) as u32;
        let mask = u32::from(table.nearer[next as usize]) << half;
        Walk {
            numbers: if axis == 0 { [next, memo.numbers[1]] } else { [memo.numbers[0], next] },
            nearer: memo.nearer & !(0xffff << half) | mask,
            estimate: memo.estimate + 1 - 2 * nearer,
        }
    }

    #[inline(always)]
    fn prune_moves(
        &self,
        puzzle: &Tiles<C>,
        memo: &Walk,
        state: &TileState<C>,
        moves: TileMoves,
        max_estimate: u32,
    ) -> PrunedMoves<TileMoves> {
        if max_estimate > memo.estimate {
            return PrunedMoves { moves, pruned: 0, min_estimate: u32::MAX };
        }
        let good = Direction::ALL.into_iter().fold(0, |good, direction| {
            let step = Move(direction as u32);
            good | (memo.nearer >> (self.bit(puzzle, state, step) & 31) & 1) << step.0
        });
        let remaining = moves.only(good as u8);
        let pruned = moves.count_left() - remaining.count_left();
        PrunedMoves {
            moves: remaining,
            pruned,
            min_estimate: if pruned > 0 { memo.estimate + 1 } else { u32::MAX },
        }
    }

    #[inline(always)]
    fn estimate(&self, memo: &Walk) -> u32 {
        memo.estimate
    }

    #[inline(always)]
    fn payload(&self, memo: &Walk) -> u32 {
        // If both numbers do not fit, `restore` computes them anew.
        self.row_bits.map_or(0, |bits| memo.numbers[0] | memo.numbers[1].checked_shl(bits).unwrap_or(0))
    }

    #[inline(always)]
    fn restore(&self, puzzle: &Tiles<C>, state: &TileState<C>, estimate: u32, payload: u32) -> Walk {
        let numbers = match self.row_bits {
            Some(bits) => [payload & ((1 << bits) - 1), payload >> bits],
            None => self.numbers(puzzle, state),
        };
        self.walk(numbers, estimate)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Manhattan;
    use super::*;
    use crate::heuristic::test_support::goals;
    use crate::heuristic::test_support::{ChangePerMove, check_all_states, check_random_walks};
    use crate::puzzle::tiles::{Board, Size};

    fn make<C: Cells>(puzzle: &Tiles<C>) -> WalkingDistance {
        WalkingDistance::new(puzzle, 128 << 20).unwrap()
    }

    #[test]
    fn is_admissible_and_above_manhattan_in_total() {
        for size in [(2, 2), (2, 4), (2, 5), (3, 2)] {
            check_all_states(size, ChangePerMove::One, make);
        }
        let walked = check_all_states((3, 3), ChangePerMove::One, make);
        let straight = check_all_states((3, 3), ChangePerMove::One, Manhattan::new);
        assert!(walked.iter().zip(&straight).all(|(walked, straight)| walked > straight));
        check_random_walks::<u64, _>((4, 4), ChangePerMove::One, make);
        check_random_walks::<u64, _>((3, 5), ChangePerMove::One, make);
    }

    #[test]
    fn table_sizes_and_bytes_are_exact() {
        for goal in goals(4, 4) {
            let puzzle = Tiles::<u64>::new(&goal).unwrap();
            let heuristic = make(&puzzle);
            let [rows, cols] = &heuristic.tables;
            assert_eq!((rows.len(), cols.len()), (24_964, 24_964));
            let from_end = |line: usize| line.min(3 - line);
            let same = from_end(goal.blank() % 4) == from_end(goal.blank() / 4);
            assert_eq!(Arc::ptr_eq(rows, cols), same);
            let bytes = heuristic.bytes();
            assert_eq!(WalkingDistance::bytes_needed(&puzzle, bytes), Some(bytes));
            assert_eq!(WalkingDistance::bytes_needed(&puzzle, bytes - 1), None);
            assert!(WalkingDistance::new(&puzzle, bytes - 1).is_none());
        }
    }

    #[test]
    fn goals_share_tables() {
        let mut shared = WalkTables::default();
        for tile in 0..16u32 {
            let mut tiles: Vec<u32> = (1..16).rev().collect();
            tiles.insert(tile as usize, 0);
            let goal = Board::new(Size::FIFTEEN, &tiles).unwrap();
            let puzzle = Tiles::<u64>::new(&goal).unwrap();
            let unshared = make(&puzzle);
            let heuristic = WalkingDistance::with(&puzzle, &mut shared, 128 << 20).unwrap();
            let board = Board::new(Size::FIFTEEN, &(0..16).collect::<Vec<_>>()).unwrap();
            let state = puzzle.state(&board);
            assert_eq!(heuristic.evaluate(&puzzle, &state), unshared.evaluate(&puzzle, &state));
        }
        // The goal's blank is in an outer or an inner line.
        assert_eq!(shared.tables.len(), 2);
    }

    #[test]
    fn boards_with_too_many_counts_have_no_table() {
        for (rows, cols) in [(5, 5), (4, 6), (6, 6), (2, 9), (16, 16), (2, 128), (128, 2)] {
            for goal in goals(rows, cols) {
                let puzzle = Tiles::<[u64; 32]>::new(&goal).unwrap();
                assert!(WalkingDistance::new(&puzzle, 16 << 20).is_none());
            }
        }
    }

    #[test]
    fn numbers_that_do_not_fit_a_payload_are_recomputed() {
        let puzzle = Tiles::<u64>::new(&goals(3, 3)[0]).unwrap();
        let mut heuristic = make(&puzzle);
        assert!(heuristic.row_bits.is_some());
        heuristic.row_bits = None;
        let state = puzzle.state(&goals(3, 3)[0]);
        let memo = heuristic.evaluate(&puzzle, &state);
        assert_eq!(Heuristic::<Tiles<u64>>::payload(&heuristic, &memo), 0);
        assert_eq!(heuristic.restore(&puzzle, &state, 0, 0), memo);
    }
}
