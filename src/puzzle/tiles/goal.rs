//! Where the tiles should end.

use super::{Board, Size};
use std::{borrow::Cow, sync::Arc};

/// The arrangement that solves a board.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub enum Goal {
    /// `1 2 3 …`, the blank in the last cell.
    #[default]
    BlankLast,
    /// The blank in the first cell, then `1 2 3 …`.
    BlankFirst,
    /// `1 2 3 …` along a spiral from the first cell clockwise, the blank at its
    /// end.
    Snail,
    /// A given board, for boards of its own size.
    Given(Arc<Board>),
}

impl Goal {
    /// The goal as a board of a size; a given goal of another size is none.
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

    /// The name in results: that of the kind, or the board itself.
    pub fn name(&self) -> Cow<'static, str> {
        match self {
            Self::BlankLast => "blank-last".into(),
            Self::BlankFirst => "blank-first".into(),
            Self::Snail => "snail".into(),
            Self::Given(board) => board.to_string().into(),
        }
    }

    /// The goal of one of the three kinds that have a name.
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::BlankLast, Self::BlankFirst, Self::Snail].into_iter().find(|goal| goal.name() == name)
    }
}

/// Tiles `1 2 3 …` along a clockwise spiral, the blank at its end.
fn snail(size: Size) -> Vec<u32> {
    let (rows, cols) = (size.rows() as isize, size.cols() as isize);
    let mut tiles = vec![0; size.cells()];
    let (mut row, mut col, mut down, mut right) = (0, 0, 0, 1);
    for tile in 1..size.cells() as u32 {
        tiles[(row * cols + col) as usize] = tile;
        let (r, c) = (row + down, col + right);
        let free = (0..rows).contains(&r) && (0..cols).contains(&c) && tiles[(r * cols + c) as usize] == 0;
        if !free {
            (down, right) = (right, -down);
        }
        (row, col) = (row + down, col + right);
    }
    tiles
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
}
