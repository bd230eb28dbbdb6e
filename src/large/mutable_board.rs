//! A board of any size while it is being solved, with the moves made so far.
//!
//! A tile is called by the cell where it belongs, and so is the blank: the board
//! is solved when every cell holds its own number.

use crate::puzzle::tiles::{Board, Direction, Size};

/// A board, where each tile is on it, and how it came to be so.
#[derive(Clone, Debug)]
pub struct MutableBoard {
    size: Size,
    /// The home of what lies in each cell.
    at: Vec<u16>,
    /// Where the tile of each home is.
    cell_of: Vec<u16>,
    blank: usize,
    moves: Vec<Direction>,
}

impl MutableBoard {
    /// A board that is to become `goal`.
    ///
    /// # Panics
    /// If the two are not of one size.
    pub fn new(board: &Board, goal: &Board) -> Self {
        assert_eq!(board.size(), goal.size(), "a goal has the size of its board");
        let mut home = vec![0; board.tiles().len()];
        for (cell, &tile) in goal.tiles().iter().enumerate() {
            home[usize::from(tile)] = cell as u16;
        }
        Self::to_homes(board, |tile| home[tile].into())
    }

    /// A board whose tiles, and the blank as number 0, are to go home.
    pub fn to_homes(board: &Board, home: impl Fn(usize) -> usize) -> Self {
        let at: Vec<u16> = board.tiles().iter().map(|&tile| home(tile.into()) as u16).collect();
        let mut cell_of = vec![0; at.len()];
        for (cell, &label) in at.iter().enumerate() {
            cell_of[usize::from(label)] = cell as u16;
        }
        Self { size: board.size(), at, cell_of, blank: board.blank(), moves: Vec::new() }
    }

    /// The same puzzle from its end: the goal is to become this board. Its
    /// solutions are those of this field, [`backward`].
    pub fn reversed(&self) -> Self {
        let blank = usize::from(self.at[self.blank]);
        let (at, cell_of) = (self.cell_of.clone(), self.at.clone());
        Self { size: self.size, at, cell_of, blank, moves: Vec::new() }
    }

    /// The board's size.
    pub fn size(&self) -> Size {
        self.size
    }

    /// The homes of what lies in the cells, row by row.
    pub fn cells(&self) -> &[u16] {
        &self.at
    }

    /// The cell in which the tile of a home is.
    pub fn cell_of(&self, home: usize) -> usize {
        self.cell_of[home].into()
    }

    /// The blank's cell.
    pub fn blank(&self) -> usize {
        self.blank
    }

    /// Lays out other tiles on the same board, and forgets all moves.
    pub fn arrange(&mut self, home_of: impl Fn(usize) -> usize) {
        let blank = self.at[self.blank];
        for cell in 0..self.at.len() {
            let home = home_of(cell) as u16;
            self.at[cell] = home;
            self.cell_of[usize::from(home)] = cell as u16;
            if home == blank {
                self.blank = cell;
            }
        }
        self.moves.clear();
    }

    /// Whether a cell holds what belongs there.
    pub fn is_home(&self, cell: usize) -> bool {
        usize::from(self.at[cell]) == cell
    }

    /// Whether all cells do.
    pub fn is_solved(&self) -> bool {
        (0..self.at.len()).all(|cell| self.is_home(cell))
    }

    /// The moves made so far.
    pub fn moves(&self) -> &[Direction] {
        &self.moves
    }

    /// The moves made, when no more are to come.
    pub fn into_moves(self) -> Vec<Direction> {
        self.moves
    }

    /// Moves the blank, where there is a cell for it. A move that undoes the one
    /// before takes it back.
    pub fn slide(&mut self, direction: Direction) {
        self.shift(direction);
        if self.moves.last() == Some(&direction.opposite()) {
            self.moves.pop();
        } else {
            self.moves.push(direction);
        }
    }

    /// Moves the blank without a note of it.
    pub fn shift(&mut self, direction: Direction) {
        let (to, from) = (self.blank, beside(self.blank, direction, self.size.cols()));
        self.at.swap(to, from);
        self.cell_of.swap(self.at[to].into(), self.at[from].into());
        self.blank = from;
    }
}

/// A path walked from its end to its start.
pub fn backward(path: &[Direction]) -> Vec<Direction> {
    path.iter().rev().map(|step| step.opposite()).collect()
}

/// The cell beside a cell on a board of so many columns, which must be there.
#[inline(always)]
pub fn beside(cell: usize, direction: Direction, cols: usize) -> usize {
    match direction {
        Direction::Up => cell - cols,
        Direction::Right => cell + 1,
        Direction::Down => cell + cols,
        Direction::Left => cell - 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::{Kind, Request};
    use crate::large::staged::Staged;
    use crate::puzzle::tiles::Goal;
    use crate::search::Limits;

    #[test]
    fn a_solution_from_the_end_is_one_from_the_start() {
        for (rows, cols) in [(3, 3), (4, 6), (7, 5), (8, 8)] {
            let size = Size::new(rows, cols).unwrap();
            let request = Request { size, count: 20, seed: 3, kind: Kind::Random, goal: Goal::Snail };
            let goal = Goal::Snail.board(size).unwrap();
            for mut board in request.boards().unwrap() {
                let field = MutableBoard::new(&board, &goal);
                let mut other = field.reversed();
                Staged::new(size).solve(&mut other, &Limits::default()).unwrap();
                assert!(other.is_solved());
                assert!(backward(other.moves()).iter().all(|&step| board.slide(step)));
                assert_eq!(board, *goal);
            }
        }
    }
}
