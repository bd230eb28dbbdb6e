//! Tile puzzle for searches, on packed boards.

use super::{Board, Cells, Direction, Size};
use crate::puzzle::{Move, Puzzle};

/// Tile puzzle of one size and goal, on boards packed into `C`.
///
/// Internally a goal is only a relabelling: a tile's label is the number of its goal cell, counted
/// from 1 along the goal's rows without its blank. Tables built for a size and a blank cell of the
/// goal therefore serve every goal.
#[derive(Clone, Debug)]
pub struct Tiles<C> {
    size: Size,
    /// Number of cells.
    cells: usize,
    /// Blank cell of the goal.
    goal_blank: usize,
    /// Label of each tile.
    labels: Vec<u8>,
    /// Goal cell of each label.
    homes: Vec<u8>,
    goal: C,
    /// Open directions, for each cell of the blank.
    open: [u8; 256],
    /// Neighbour cell in each direction, for each cell of the blank.
    beside: [[u8; 4]; 256],
    /// Offset to the neighbour cell in each direction, modulo 256.
    offsets: [u8; 4],
}

/// A packed board and the cell of its blank.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct TileState<C> {
    /// The board.
    pub cells: C,
    /// Cell of label 0.
    pub blank: u8,
}

impl<C: Cells> Tiles<C> {
    /// Creates the puzzle with goal `goal`; `None` if `C` has too few cells.
    pub fn new(goal: &Board) -> Option<Self> {
        let size = goal.size();
        let cells = size.cells();
        if cells > C::CAPACITY {
            return None;
        }
        let mut labels = vec![0; cells];
        let mut homes = vec![goal.blank() as u8; cells];
        let tiles = goal.tiles().iter().enumerate().filter(|&(_, &tile)| tile != 0);
        for (label, (cell, &tile)) in (1..).zip(tiles) {
            labels[tile as usize] = label as u8;
            homes[label] = cell as u8;
        }
        let mut open = [0; 256];
        let mut beside = [[0; 4]; 256];
        for cell in 0..cells {
            let (row, col) = (cell / size.cols(), cell % size.cols());
            let mut add = |direction: Direction, there: bool, to: usize| {
                if there {
                    open[cell] |= 1 << direction as u8;
                    beside[cell][direction as usize] = to as u8;
                }
            };
            add(Direction::Up, row > 0, cell.wrapping_sub(size.cols()));
            add(Direction::Down, row + 1 < size.rows(), cell + size.cols());
            add(Direction::Left, col > 0, cell.wrapping_sub(1));
            add(Direction::Right, col + 1 < size.cols(), cell + 1);
        }
        let goal_labels: Vec<u8> = goal.tiles().iter().map(|&tile| labels[tile as usize]).collect();
        let packed = C::from_labels(&goal_labels);
        let down = size.cols() as u8;
        let mut offsets = [0; 4];
        offsets[Direction::Up as usize] = down.wrapping_neg();
        offsets[Direction::Down as usize] = down;
        offsets[Direction::Left as usize] = 1u8.wrapping_neg();
        offsets[Direction::Right as usize] = 1;
        Some(Self {
            size,
            cells,
            goal_blank: goal.blank(),
            labels,
            homes,
            goal: packed,
            open,
            beside,
            offsets,
        })
    }

    /// Returns the state of a board of this puzzle's size.
    pub fn state(&self, board: &Board) -> TileState<C> {
        debug_assert_eq!(board.size(), self.size);
        let mut labels = [0; 256];
        for (label, &tile) in labels.iter_mut().zip(board.tiles()) {
            *label = self.labels[tile as usize];
        }
        let cells = C::from_labels(&labels[..board.tiles().len()]);
        TileState { cells, blank: board.blank() as u8 }
    }

    /// Returns the board's size.
    pub fn size(&self) -> Size {
        self.size
    }

    /// Returns the blank cell of the goal.
    pub fn goal_blank(&self) -> usize {
        self.goal_blank
    }

    /// Returns the label of each tile.
    pub fn labels(&self) -> &[u8] {
        &self.labels
    }

    /// Returns the goal cell of a label.
    pub fn home(&self, label: usize) -> usize {
        self.homes[label].into()
    }

    /// Returns the moves of the blank from a cell.
    pub fn moves_from(&self, blank: usize) -> TileMoves {
        TileMoves(self.open[blank])
    }

    /// Returns the cell beside a cell in a move's direction, which must be open.
    #[inline(always)]
    pub fn beside(&self, cell: u8, step: Move) -> u8 {
        self.beside[cell as usize][step.0 as usize & 3]
    }

    /// Returns the offset to the cell in a move's direction, modulo 256.
    #[inline(always)]
    pub fn offset(&self, step: Move) -> u8 {
        self.offsets[step.0 as usize & 3]
    }
}

/// Open directions, lowest number first.
#[derive(Clone, Copy, Debug)]
pub struct TileMoves(u8);

impl TileMoves {
    /// Returns the moves whose bit is set in `directions`.
    #[inline(always)]
    pub fn only(self, directions: u8) -> Self {
        Self(self.0 & directions)
    }

    /// Returns the number of moves left.
    #[inline(always)]
    pub fn count_left(self) -> u32 {
        self.0.count_ones()
    }
}

impl Iterator for TileMoves {
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

impl<C: Cells> Puzzle for Tiles<C> {
    type State = TileState<C>;
    type Key = C::Key;
    type Moves = TileMoves;

    #[inline(always)]
    fn key_bits(&self) -> u32 {
        C::key_bits(self.cells)
    }

    fn move_bits(&self) -> u32 {
        2
    }

    #[inline(always)]
    fn pack(&self, state: &TileState<C>) -> C::Key {
        state.cells.pack(self.cells)
    }

    #[inline(always)]
    fn unpack(&self, key: C::Key) -> TileState<C> {
        let cells = C::unpack(key, self.cells);
        TileState { cells, blank: cells.blank(self.cells) as u8 }
    }

    #[inline(always)]
    fn is_goal(&self, state: &TileState<C>) -> bool {
        state.cells == self.goal
    }

    #[inline(always)]
    fn moves(&self, state: &TileState<C>, last: Option<Move>) -> TileMoves {
        let open = self.open[state.blank as usize];
        TileMoves(match last {
            Some(step) => open & !(1 << (step.0 ^ 2)),
            None => open,
        })
    }

    #[inline(always)]
    fn apply(&self, state: &TileState<C>, step: Move) -> TileState<C> {
        let from = self.beside(state.blank, step);
        TileState { cells: state.cells.slide(from.into(), state.blank.into()), blank: from }
    }

    #[inline(always)]
    fn undo(&self, state: &TileState<C>, step: Move) -> TileState<C> {
        self.apply(state, Move(step.0 ^ 2))
    }

    fn longest(&self) -> Option<u32> {
        // Known by complete enumeration (OEIS A151944); for the 24-puzzle a proved bound (Karlemo
        // and Östergård, 2000).
        let (rows, cols) = (self.size.rows(), self.size.cols());
        // If the goal's blank is elsewhere, move it to the nearest corner; the result is a goal
        // like any other.
        let (row, col) = (self.goal_blank / cols, self.goal_blank % cols);
        let way = row.min(rows - 1 - row) + col.min(cols - 1 - col);
        let from_corner = match (rows.min(cols), rows.max(cols)) {
            (2, 2) => 6,
            (2, 3) => 21,
            (2, 4) => 36,
            (2, 5) => 55,
            (2, 6) => 80,
            (2, 7) => 108,
            (2, 8) => 140,
            (3, 3) => 31,
            (3, 4) => 53,
            (3, 5) => 84,
            (4, 4) => 80,
            (5, 5) => 208,
            _ => return None,
        };
        Some(from_corner + way as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Goal;
    use super::*;

    fn satisfies_its_contract<C: Cells>(rows: usize, cols: usize) {
        let size = Size::new(rows, cols).unwrap();
        for goal in [Goal::BlankLast, Goal::BlankFirst, Goal::Snail] {
            let goal = goal.board(size).unwrap().into_owned();
            let puzzle = Tiles::<C>::new(&goal).unwrap();
            let mut board = goal.clone();
            assert!(puzzle.is_goal(&puzzle.state(&board)));
            for turn in 0..500usize {
                let state = puzzle.state(&board);
                let moves: Vec<Move> = puzzle.moves(&state, None).collect();
                let open: Vec<Move> = Direction::ALL
                    .into_iter()
                    .filter(|&d| board.neighbour(d).is_some())
                    .map(|d| Move(d as u32))
                    .collect();
                assert_eq!(moves, open);
                let step = moves[turn * turn % moves.len()];
                let next = puzzle.apply(&state, step);
                assert!(board.slide(Direction::from_index(step.0 as usize)));
                assert_eq!(next, puzzle.state(&board));
                assert_eq!(puzzle.undo(&next, step), state);
                assert_eq!(state.blank.wrapping_add(puzzle.offset(step)), next.blank);
                assert_eq!(puzzle.unpack(puzzle.pack(&next)), next);
                let undoing = Move(step.0 ^ 2);
                assert!(puzzle.moves(&next, Some(step)).all(|m| m != undoing));
            }
        }
    }

    #[test]
    fn packed_boards_move_as_boards_do() {
        satisfies_its_contract::<u64>(4, 4);
        satisfies_its_contract::<u64>(2, 5);
        satisfies_its_contract::<u64>(3, 3);
        satisfies_its_contract::<u128>(5, 5);
        satisfies_its_contract::<u128>(3, 6);
        satisfies_its_contract::<[u64; 5]>(6, 6);
        satisfies_its_contract::<[u64; 16]>(9, 11);
        assert!(Tiles::<u64>::new(&Goal::BlankLast.board(Size::new(5, 5).unwrap()).unwrap()).is_none());
    }
}
