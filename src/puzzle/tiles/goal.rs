//! Goals of tile boards.

use super::{Board, Size};
use std::{borrow::Cow, sync::Arc};

/// The board that solves a puzzle.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub enum Goal {
    /// `1 2 3 …`, the blank in the last cell.
    #[default]
    BlankLast,
    /// The blank in the first cell, then `1 2 3 …`.
    BlankFirst,
    /// `1 2 3 …` along a clockwise spiral from the first cell, the blank at its end.
    Snail,
    /// An explicit board, for boards of its size.
    Given(Arc<Board>),
}

impl Goal {
    /// Returns the goal as a board of `size`; `None` for an explicit goal of another size.
    pub fn board(&self, size: Size) -> Option<Cow<'_, Board>> {
        let cells = size.cells() as u32;
        let tiles: Vec<u32> = match self {
            Self::Given(board) => {
                return (board.size() == size).then_some(Cow::Borrowed(board.as_ref()));
            }
            Self::BlankLast => (1..cells).chain([0]).collect(),
            Self::BlankFirst => (0..cells).collect(),
            Self::Snail => snail(size),
        };
        Board::new(size, &tiles).ok().map(Cow::Owned)
    }

    /// Returns whether `tiles`, row by row, equal this goal. Does not allocate.
    pub fn is_met_by(&self, size: Size, tiles: &[u16]) -> bool {
        let counts_from =
            |first, run: &[u16]| run.iter().zip(first..).all(|(&tile, n)| usize::from(tile) == n);
        match (self, tiles) {
            (Self::BlankLast, [run @ .., 0]) => counts_from(1, run),
            (Self::BlankLast, _) => false,
            (Self::BlankFirst, _) => counts_from(0, tiles),
            (Self::Snail, _) => {
                let last = size.cells() - 1;
                spiral(size).take(last).zip(1..).all(|(cell, n)| usize::from(tiles[cell]) == n)
            }
            (Self::Given(board), _) => board.size() == size && board.tiles() == tiles,
        }
    }

    /// Returns the name in results: that of the kind, or the board itself.
    pub fn name(&self) -> Cow<'static, str> {
        match self {
            Self::BlankLast => "blank-last".into(),
            Self::BlankFirst => "blank-first".into(),
            Self::Snail => "snail".into(),
            Self::Given(board) => board.to_string().into(),
        }
    }

    /// Goals with a name.
    pub const NAMED: [Self; 3] = [Self::BlankLast, Self::BlankFirst, Self::Snail];

    /// Returns the goal with a name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::NAMED.into_iter().find(|goal| goal.name() == name)
    }
}

/// Returns the tiles `1 2 3 …` along a clockwise spiral, the blank at its end.
fn snail(size: Size) -> Vec<u32> {
    let mut tiles = vec![0; size.cells()];
    for (cell, tile) in spiral(size).take(size.cells() - 1).zip(1..) {
        tiles[cell] = tile;
    }
    tiles
}

/// Returns every cell once, along a clockwise spiral inwards from the first one.
fn spiral(size: Size) -> impl Iterator<Item = usize> {
    let cols = size.cols();
    // First and last row and column not yet visited; `heading` counts turns.
    let (mut top, mut bottom, mut left, mut right) = (0, size.rows() - 1, 0, cols - 1);
    let (mut row, mut col, mut heading) = (0, 0, 0);
    (0..size.cells()).map(move |_| {
        let here = row * cols + col;
        match heading % 4 {
            0 if col == right => (heading, top) = (heading + 1, top + 1),
            1 if row == bottom => (heading, right) = (heading + 1, right.wrapping_sub(1)),
            2 if col == left => (heading, bottom) = (heading + 1, bottom.wrapping_sub(1)),
            3 if row == top => (heading, left) = (heading + 1, left + 1),
            _ => {}
        }
        match heading % 4 {
            0 => col += 1,
            1 => row += 1,
            2 => col = col.wrapping_sub(1),
            _ => row = row.wrapping_sub(1),
        }
        here
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(goal: Goal, rows: usize, cols: usize) -> String {
        goal.board(Size::new(rows, cols).unwrap()).unwrap().to_string()
    }

    #[test]
    fn the_three_named_goals() {
        assert_eq!(text(Goal::BlankLast, 2, 3), "1 2 3/4 5 0");
        assert_eq!(text(Goal::BlankFirst, 2, 3), "0 1 2/3 4 5");
        assert_eq!(text(Goal::Snail, 3, 3), "1 2 3/8 0 4/7 6 5");
        assert_eq!(text(Goal::Snail, 4, 3), "1 2 3/10 11 4/9 0 5/8 7 6");
        assert_eq!(text(Goal::Snail, 2, 2), "1 2/0 3");
    }

    #[test]
    fn a_given_goal_fits_its_own_size_only() {
        let size = |r, c| Size::new(r, c).unwrap();
        let goal = Goal::Given(Arc::new(Board::new(size(2, 2), &[0, 3, 1, 2]).unwrap()));
        assert_eq!(goal.name(), "0 3/1 2");
        assert!(goal.board(size(2, 2)).is_some() && goal.board(size(2, 3)).is_none());
        assert_eq!(Goal::from_name("snail"), Some(Goal::Snail));
        assert_eq!(Goal::from_name("0 3/1 2"), None);
    }

    #[test]
    fn a_goal_is_met_only_by_its_board() {
        let given = Goal::Given(Arc::new(
            Board::new(Size::new(3, 4).unwrap(), &[5, 1, 2, 3, 4, 0, 6, 7, 8, 9, 11, 10]).unwrap(),
        ));
        for (rows, cols) in [(2, 2), (2, 5), (5, 2), (3, 3), (3, 4), (7, 6), (256, 256)] {
            let size = Size::new(rows, cols).unwrap();
            let goals = [Goal::BlankLast, Goal::BlankFirst, Goal::Snail, given.clone()];
            let boards: Vec<_> = goals.iter().map(|goal| goal.board(size)).collect();
            for (i, goal) in goals.iter().enumerate() {
                for (j, board) in boards.iter().enumerate() {
                    let Some(board) = board else { continue };
                    assert_eq!(goal.is_met_by(size, board.tiles()), i == j, "{goal:?} {board}");
                }
            }
        }
    }
}
