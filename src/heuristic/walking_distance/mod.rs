//! Walking distance (Ken'ichiro Takahashi, 2001).
//!
//! The vertical moves that a board needs, if tiles of one row could change
//! places freely, are known for every board: a board is then no more than how
//! many tiles of each row belong to which, and there are few of those (24,964
//! for the 15-puzzle). The same for horizontal moves between columns; the sum
//! of both never exceeds the moves that are needed.
//!
//! Every move changes the estimate by one, up or down, and whether it is up or
//! down is a bit in a mask that belongs to the count of tiles: states that lead
//! too far are left out without a look into the large table.

pub(super) mod table;

use super::{Heuristic, OneByOne, Screened, axis};
use crate::puzzle::Move;
use crate::puzzle::tiles::{Cells, Direction, TileMoves, TileState, Tiles};
use std::sync::Arc;
use table::{STEPS, Shape, Table};

/// The walking distance of one size and goal's blank.
#[derive(Debug)]
pub struct WalkingDistance {
    /// Walks between rows, and between columns.
    tables: [Arc<Table>; 2],
    /// For each move and label, the bit of that step in a [`Walk`]'s masks.
    bits: Box<[[u8; 256]; 4]>,
    /// Where each label belongs: its row and its column.
    homes: Vec<[u8; 2]>,
    /// Bits for the rows' number in a carry; none if both numbers do not fit.
    row_bits: Option<u32>,
    bytes: usize,
}

/// A board as the walking distance sees it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Walk {
    /// The numbers of the rows' count and of the columns' count.
    numbers: [u32; 2],
    /// The steps that lead nearer: between rows in the low half, between columns
    /// in the high half.
    nearer: u32,
    estimate: u32,
}

impl WalkingDistance {
    /// The tables for a puzzle, if they need no more than `max_bytes`.
    pub fn new<C: Cells>(puzzle: &Tiles<C>, max_bytes: usize) -> Option<Self> {
        let bytes = Self::bytes_needed(puzzle, max_bytes)?;
        let [rows, cols] = shapes(puzzle);
        let by_rows = Arc::new(Table::build(rows, max_bytes)?);
        let by_cols = if rows == cols { by_rows.clone() } else { Arc::new(Table::build(cols, max_bytes)?) };
        let width = puzzle.size().cols();
        let mut homes = vec![[0; 2]; puzzle.size().cells()];
        let mut bits = Box::new([[0; 256]; 4]);
        for label in 1..puzzle.size().cells() {
            let home = [puzzle.home(label) / width, puzzle.home(label) % width];
            homes[label] = home.map(|line| line as u8);
            for direction in Direction::ALL {
                let axis = axis(Move(direction as u32));
                let down = matches!(direction, Direction::Down | Direction::Right);
                bits[direction as usize][label] = (axis * STEPS + Shape::step(home[axis], down)) as u8;
            }
        }
        let [row_bits, col_bits] =
            [&by_rows, &by_cols].map(|table| (table.len() as u32).next_power_of_two().ilog2());
        let row_bits = (row_bits + col_bits <= 32).then_some(row_bits);
        Some(Self { tables: [by_rows, by_cols], bits, homes, row_bits, bytes })
    }

    /// The bytes of the tables for a puzzle; none if that is more than
    /// `max_bytes`. Nothing is built.
    pub fn bytes_needed<C: Cells>(puzzle: &Tiles<C>, max_bytes: usize) -> Option<usize> {
        let [rows, cols] = shapes(puzzle);
        let (_, bytes) = rows.size(max_bytes)?;
        if rows == cols {
            return Some(bytes);
        }
        let (_, more) = cols.size(max_bytes - bytes)?;
        Some(bytes + more)
    }

    /// The bytes of the tables.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// The walk with these numbers.
    #[inline(always)]
    fn walk(&self, numbers: [u32; 2], estimate: u32) -> Walk {
        let [rows, cols] = &self.tables;
        let nearer = u32::from(rows.nearer[numbers[0] as usize])
            | u32::from(cols.nearer[numbers[1] as usize]) << STEPS;
        Walk { numbers, nearer, estimate }
    }

    /// The numbers of a board's counts.
    fn numbers<C: Cells>(&self, puzzle: &Tiles<C>, state: &TileState<C>) -> [u32; 2] {
        let (cells, cols) = (puzzle.size().cells(), puzzle.size().cols());
        let place = |cell: usize, axis| if axis == 0 { cell / cols } else { cell % cols };
        [0, 1].map(|axis| {
            let tiles = (0..cells).filter(|&cell| cell != state.blank as usize);
            let homes =
                tiles.map(|cell| (place(cell, axis), self.homes[state.cells.label(cell)][axis].into()));
            let table = &self.tables[axis];
            table.find(table.shape().count(homes, place(state.blank.into(), axis))) as u32
        })
    }

    /// The bit of a step in the masks of a walk.
    #[inline(always)]
    fn bit<C: Cells>(&self, puzzle: &Tiles<C>, state: &TileState<C>, step: Move) -> usize {
        let label = state.cells.label(puzzle.beside(state.blank, step).into());
        self.bits[step.0 as usize & 3][label & 255].into()
    }
}

/// The walks between rows and those between columns.
pub(super) fn shapes<C: Cells>(puzzle: &Tiles<C>) -> [Shape; 2] {
    let (rows, cols) = (puzzle.size().rows(), puzzle.size().cols());
    [
        Shape { lines: rows, length: cols, goal: puzzle.goal_blank() / cols },
        Shape { lines: cols, length: rows, goal: puzzle.goal_blank() % cols },
    ]
}

impl<C: Cells> Heuristic<Tiles<C>> for WalkingDistance {
    type Memo = Walk;
    type Carry = u32;
    type Brood = OneByOne;
    const SCREENS: bool = true;

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
    fn screen(
        &self,
        puzzle: &Tiles<C>,
        memo: &Walk,
        state: &TileState<C>,
        moves: TileMoves,
        most: u32,
    ) -> Screened<TileMoves> {
        if most > memo.estimate {
            return Screened { moves, cut: 0, least: u32::MAX };
        }
        let good = Direction::ALL.into_iter().fold(0, |good, direction| {
            let step = Move(direction as u32);
            good | (memo.nearer >> (self.bit(puzzle, state, step) & 31) & 1) << step.0
        });
        let kept = moves.only(good as u8);
        let cut = moves.count_left() - kept.count_left();
        Screened { moves: kept, cut, least: if cut > 0 { memo.estimate + 1 } else { u32::MAX } }
    }

    #[inline(always)]
    fn estimate(&self, memo: &Walk) -> u32 {
        memo.estimate
    }

    #[inline(always)]
    fn carry(&self, memo: &Walk) -> u32 {
        // Without room for both, `resume` counts anew.
        self.row_bits.map_or(0, |bits| memo.numbers[0] | memo.numbers[1].checked_shl(bits).unwrap_or(0))
    }

    #[inline(always)]
    fn resume(&self, puzzle: &Tiles<C>, state: &TileState<C>, estimate: u32, carry: u32) -> Walk {
        let numbers = match self.row_bits {
            Some(bits) => [carry & ((1 << bits) - 1), carry >> bits],
            None => self.numbers(puzzle, state),
        };
        self.walk(numbers, estimate)
    }
}

#[cfg(test)]
mod tests {
    use super::super::trial::{Steps, walks, whole_space};
    use super::super::{Manhattan, trial::goals};
    use super::*;

    fn make<C: Cells>(puzzle: &Tiles<C>) -> WalkingDistance {
        WalkingDistance::new(puzzle, 128 << 20).unwrap()
    }

    #[test]
    fn never_too_many_and_more_than_manhattan_on_the_whole() {
        for size in [(2, 2), (2, 4), (2, 5), (3, 2)] {
            whole_space(size, Steps::One, make);
        }
        let walked = whole_space((3, 3), Steps::One, make);
        let straight = whole_space((3, 3), Steps::One, Manhattan::new);
        assert!(walked.iter().zip(&straight).all(|(walked, straight)| walked > straight));
        walks::<u64, _>((4, 4), Steps::One, make);
        walks::<u64, _>((3, 5), Steps::One, make);
    }

    #[test]
    fn tables_have_the_known_sizes_and_keep_to_their_bytes() {
        for goal in goals(4, 4) {
            let puzzle = Tiles::<u64>::new(&goal).unwrap();
            let heuristic = make(&puzzle);
            let [rows, cols] = &heuristic.tables;
            assert_eq!((rows.len(), cols.len()), (24_964, 24_964));
            let corner = goal.blank() % 4 == goal.blank() / 4;
            assert_eq!(Arc::ptr_eq(rows, cols), corner);
            let bytes = heuristic.bytes();
            assert_eq!(WalkingDistance::bytes_needed(&puzzle, bytes), Some(bytes));
            assert_eq!(WalkingDistance::bytes_needed(&puzzle, bytes - 1), None);
            assert!(WalkingDistance::new(&puzzle, bytes - 1).is_none());
        }
    }

    #[test]
    fn boards_with_too_many_counts_are_refused() {
        for (rows, cols) in [(5, 5), (4, 6), (6, 6), (2, 9), (16, 16), (2, 128), (128, 2)] {
            for goal in goals(rows, cols) {
                let puzzle = Tiles::<[u64; 32]>::new(&goal).unwrap();
                assert!(WalkingDistance::new(&puzzle, 16 << 20).is_none());
            }
        }
    }

    #[test]
    fn a_board_whose_numbers_do_not_fit_a_carry_is_counted_anew() {
        let puzzle = Tiles::<u64>::new(&goals(3, 3)[0]).unwrap();
        let mut heuristic = make(&puzzle);
        assert!(heuristic.row_bits.is_some());
        heuristic.row_bits = None;
        let state = puzzle.state(&goals(3, 3)[0]);
        let memo = heuristic.evaluate(&puzzle, &state);
        assert_eq!(Heuristic::<Tiles<u64>>::carry(&heuristic, &memo), 0);
        assert_eq!(heuristic.resume(&puzzle, &state, 0, 0), memo);
    }
}
