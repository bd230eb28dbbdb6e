//! A mutable board of any size with the moves made so far.
//!
//! A tile is named by its home, the cell where the goal has it, and so is the blank. The board is
//! solved when every cell contains its own number.

use crate::puzzle::tiles::{Board, Direction, Size};

/// A board, the inverse mapping from tile to cell, and the history of moves.
#[derive(Clone, Debug)]
pub struct MutableBoard {
    size: Size,
    /// The home of the tile in each cell.
    at: Vec<u16>,
    /// The cell of each tile, by home.
    cell_of: Vec<u16>,
    blank: usize,
    moves: Vec<Direction>,
}

impl MutableBoard {
    /// Creates a board that is to be transformed into `goal`.
    ///
    /// # Panics
    /// If the sizes differ.
    pub fn new(board: &Board, goal: &Board) -> Self {
        assert_eq!(board.size(), goal.size(), "a goal has the size of its board");
        let mut home = vec![0; board.tiles().len()];
        for (cell, &tile) in goal.tiles().iter().enumerate() {
            home[usize::from(tile)] = cell as u16;
        }
        Self::from_homes(board, |tile| home[tile].into())
    }

    /// Creates a board from the home of each tile; tile 0 is the blank.
    pub fn from_homes(board: &Board, home: impl Fn(usize) -> usize) -> Self {
        let at: Vec<u16> = board.tiles().iter().map(|&tile| home(tile.into()) as u16).collect();
        let mut cell_of = vec![0; at.len()];
        for (cell, &label) in at.iter().enumerate() {
            cell_of[usize::from(label)] = cell as u16;
        }
        Self { size: board.size(), at, cell_of, blank: board.blank(), moves: Vec::new() }
    }

    /// Returns the inverse puzzle: from the goal to this board. [`backward`] turns its solutions
    /// into solutions of this board.
    pub fn reversed(&self) -> Self {
        let blank = usize::from(self.at[self.blank]);
        let (at, cell_of) = (self.cell_of.clone(), self.at.clone());
        Self { size: self.size, at, cell_of, blank, moves: Vec::new() }
    }

    /// Returns the size of the board.
    pub fn size(&self) -> Size {
        self.size
    }

    /// Returns the home of the tile in each cell, row by row.
    pub fn cells(&self) -> &[u16] {
        &self.at
    }

    /// Returns the cell of the tile with this `home`.
    pub fn cell_of(&self, home: usize) -> usize {
        self.cell_of[home].into()
    }

    /// Returns the cell of the blank.
    pub fn blank(&self) -> usize {
        self.blank
    }

    /// Replaces the tiles and clears the history.
    pub fn reset(&mut self, home_of: impl Fn(usize) -> usize) {
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

    /// Returns whether `cell` contains its own tile.
    pub fn is_home(&self, cell: usize) -> bool {
        usize::from(self.at[cell]) == cell
    }

    /// Returns whether every cell contains its own tile.
    pub fn is_solved(&self) -> bool {
        (0..self.at.len()).all(|cell| self.is_home(cell))
    }

    /// Returns the moves made so far.
    pub fn moves(&self) -> &[Direction] {
        &self.moves
    }

    /// Returns the moves made and drops the board.
    pub fn into_moves(self) -> Vec<Direction> {
        self.moves
    }

    /// Moves the blank in `direction`, which must not leave the board, and records the move. A move
    /// that undoes the previous one removes it from the history.
    pub fn slide(&mut self, direction: Direction) {
        self.shift(direction);
        if self.moves.last() == Some(&direction.opposite()) {
            self.moves.pop();
        } else {
            self.moves.push(direction);
        }
    }

    /// Moves the blank in `direction` without recording the move.
    pub fn shift(&mut self, direction: Direction) {
        let (to, from) = (self.blank, neighbour(self.blank, direction, self.size.cols()));
        self.at.swap(to, from);
        self.cell_of.swap(self.at[to].into(), self.at[from].into());
        self.blank = from;
    }
}

/// Returns the inverse of a path.
pub fn backward(path: &[Direction]) -> Vec<Direction> {
    path.iter().rev().map(|step| step.opposite()).collect()
}

/// Returns the neighbour of `cell` in `direction`, which must be on the board.
#[inline(always)]
pub fn neighbour(cell: usize, direction: Direction, cols: usize) -> usize {
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
