//! Puzzles whose answers are known without the program's searches.

pub(crate) mod board;
pub(crate) mod distances;
pub(crate) mod exact;
pub(crate) mod forms;
pub(crate) mod malformed;
pub(crate) mod record;
pub(crate) mod tray;

use board::{Board, GoalName};
use distances::Distances;
use std::collections::HashMap;

/// Tables of distances, made when first needed.
#[derive(Default)]
pub(crate) struct Truth {
    tables: HashMap<(usize, usize, GoalName, bool), Distances>,
}

impl Truth {
    /// Returns the length of a shortest solution of a board of at most nine
    /// cells, in runs of tiles if `line`; nothing if it is unsolvable.
    pub(crate) fn distance(&mut self, board: &Board, goal: GoalName, line: bool) -> Option<u32> {
        let key = (board.rows, board.cols, goal, line);
        let table = self
            .tables
            .entry(key)
            .or_insert_with(|| Distances::new(&goal.board(board.rows, board.cols), line));
        table.get(board)
    }
}
