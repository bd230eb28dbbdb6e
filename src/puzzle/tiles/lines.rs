//! Tile puzzle in the line metric: a run of tiles, pushed at once, is one move.
//!
//! The blank moves any number of cells in one direction. A [`Move`] holds the direction in its low
//! two bits and, from the third bit, the number of cells beyond the first. A move of a single cell
//! has the same number as in [`Tiles`].
//!
//! After a move along a column, another move along that column is never useful: both together are
//! one move, or none. Moves along the axis of the last move are therefore omitted, and rows and
//! columns alternate in every solution.

use super::{Board, Direction, Size, TileState, Tiles};
use crate::puzzle::{Move, Puzzle};

/// Maximum number of cells of a board.
const MOST: usize = 16;

/// Mask of moves along columns: those with an even direction.
const VERTICAL: u32 = 0x5555_5555;

/// Tile puzzle of one size and goal, in the line metric.
#[derive(Clone, Debug)]
pub struct Lines {
    tiles: Tiles<u64>,
    /// One bit per move, for each cell of the blank.
    open: [u32; MOST],
    move_bits: u32,
}

impl Lines {
    /// Creates the puzzle with goal `goal`; `None` if it has more than 16 cells.
    pub fn new(goal: &Board) -> Option<Self> {
        let tiles = Tiles::<u64>::new(goal)?;
        let (rows, cols) = (goal.size().rows(), goal.size().cols());
        let mut open = [0; MOST];
        for (cell, open) in open.iter_mut().enumerate().take(goal.size().cells()) {
            let (row, col) = (cell / cols, cell % cols);
            for (direction, room) in
                Direction::ALL.into_iter().zip([row, cols - 1 - col, rows - 1 - row, col])
            {
                for cells in 1..=room {
                    *open |= 1 << Self::run(direction, cells).0;
                }
            }
        }
        let longest = rows.max(cols) - 1;
        let move_bits = (Self::run(Direction::Left, longest).0 + 1).next_power_of_two().ilog2();
        Some(Self { tiles, open, move_bits })
    }

    /// Returns the move of the blank by `cells` cells in a direction.
    pub fn run(direction: Direction, cells: usize) -> Move {
        Move(direction as u32 | (cells as u32 - 1) << 2)
    }

    /// Returns the number of cells that the blank moves.
    #[inline(always)]
    pub fn cells(step: Move) -> u32 {
        (step.0 >> 2) + 1
    }

    /// Returns the puzzle in single steps.
    pub fn tiles(&self) -> &Tiles<u64> {
        &self.tiles
    }

    /// Returns the board's size.
    pub fn size(&self) -> Size {
        self.tiles.size()
    }

    /// Returns the state of a board of this puzzle's size.
    pub fn state(&self, board: &Board) -> TileState<u64> {
        self.tiles.state(board)
    }
}

/// Moves of a state, lowest number first.
#[derive(Clone, Copy, Debug)]
pub struct LineMoves(u32);

impl Iterator for LineMoves {
    type Item = Move;

    #[inline(always)]
    fn next(&mut self) -> Option<Move> {
        if self.0 == 0 {
            return None;
        }
        let step = self.0.trailing_zeros();
        self.0 &= self.0 - 1;
        Some(Move(step))
    }

    #[inline(always)]
    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.0.count_ones() as usize, Some(self.0.count_ones() as usize))
    }
}

impl Puzzle for Lines {
    type State = TileState<u64>;
    type Key = u64;
    type Moves = LineMoves;

    fn key_bits(&self) -> u32 {
        self.tiles.key_bits()
    }

    fn move_bits(&self) -> u32 {
        self.move_bits
    }

    #[inline(always)]
    fn pack(&self, state: &TileState<u64>) -> u64 {
        self.tiles.pack(state)
    }

    #[inline(always)]
    fn unpack(&self, key: u64) -> TileState<u64> {
        self.tiles.unpack(key)
    }

    #[inline(always)]
    fn is_goal(&self, state: &TileState<u64>) -> bool {
        self.tiles.is_goal(state)
    }

    #[inline(always)]
    fn moves(&self, state: &TileState<u64>, last: Option<Move>) -> LineMoves {
        let open = self.open[state.blank as usize % MOST];
        LineMoves(match last {
            Some(step) => open & (VERTICAL << (1 - (step.0 & 1))),
            None => open,
        })
    }

    #[inline(always)]
    fn apply(&self, state: &TileState<u64>, step: Move) -> TileState<u64> {
        (0..Self::cells(step)).fold(*state, |state, _| self.tiles.apply(&state, Move(step.0 & 3)))
    }

    #[inline(always)]
    fn undo(&self, state: &TileState<u64>, step: Move) -> TileState<u64> {
        self.apply(state, Move(step.0 ^ 2))
    }

    fn longest(&self) -> Option<u32> {
        // Every single step is also a move.
        self.tiles.longest()
    }
}

#[cfg(test)]
mod tests {
    use super::super::Goal;
    use super::*;

    fn puzzle(rows: usize, cols: usize) -> Lines {
        Lines::new(&Goal::BlankLast.board(Size::new(rows, cols).unwrap()).unwrap()).unwrap()
    }

    #[test]
    fn a_run_is_its_single_steps() {
        for (rows, cols, bits) in [(2, 2, 2), (3, 3, 3), (4, 4, 4), (2, 8, 5), (8, 2, 5), (3, 5, 4)] {
            let puzzle = puzzle(rows, cols);
            assert_eq!(puzzle.move_bits(), bits);
            let goal = Goal::BlankFirst.board(puzzle.size()).unwrap().into_owned();
            let state = puzzle.state(&goal);
            let moves: Vec<Move> = puzzle.moves(&state, None).collect();
            assert_eq!(moves.len(), rows + cols - 2);
            for step in moves {
                let after = puzzle.apply(&state, step);
                assert_eq!(puzzle.undo(&after, step), state);
                let mut board = goal.clone();
                for _ in 0..Lines::cells(step) {
                    assert!(board.slide(Direction::from_index(step.0 as usize)));
                }
                assert_eq!(puzzle.state(&board), after);
                let next: Vec<Move> = puzzle.moves(&after, Some(step)).collect();
                assert!(next.iter().all(|next| (next.0 ^ step.0) & 1 == 1));
                assert_eq!(next.len(), if step.0 & 1 == 0 { cols - 1 } else { rows - 1 });
            }
        }
        assert!(Lines::new(&Goal::BlankLast.board(Size::new(3, 6).unwrap()).unwrap()).is_none());
    }
}
