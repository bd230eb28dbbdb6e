//! Help by the staged solver: it finishes the line from a board of the beam, or the whole board
//! when a limit is reached.

use super::ENDGAME_SIDE;
use super::NO_MOVE;
use super::layer::Entry;
use crate::large::beam::disorder::Label;
use crate::large::beam::driver::{Beam, cell_inside};
use crate::large::beam::score::Stage;
use crate::large::endgame;
use crate::puzzle::tiles::Direction;
use crate::search::Limits;

impl<L: Label> Beam<'_, '_, L> {
    /// Returns a solution that continues the best board of the last level with the staged solver,
    /// if it is shorter than `best`.
    pub(super) fn finish_best(&mut self, best: usize) -> Option<Vec<Direction>> {
        if self.stopped_at as usize >= best {
            return None;
        }
        let place = self.best_board(false)?;
        let job = self.shared.job.read();
        let stage = &job.as_ref()?.stage;
        let entry = self.load_board(stage, place);
        self.staged.solve(&mut self.field, &Limits::default()).ok()?;
        let mut moves = self.history.moves(entry.node);
        moves.extend_from_slice(self.field.moves());
        (moves.len() < best).then_some(moves)
    }

    /// Copies a board of the level to the scratch board.
    fn load_board(&mut self, stage: &Stage, (shard, index): (usize, usize)) -> Entry {
        let current = self.shared.shards[shard].current.read();
        let (board, entry) = current.layer.get(index);
        let cols = self.size.cols();
        self.field.reset(|cell| match cell_inside(stage.unsolved, cell, cols) {
            true => stage.cell(board[stage.view.number(cell, cols)].index()),
            false => cell,
        });
        *entry
    }

    /// Lets the staged solver finish the line from one of the best boards, if enough moves were
    /// generated since the last time. Returns the level of the result.
    pub(super) fn finish_one(&mut self, level: u32) -> Option<u32> {
        const GENERATED_BETWEEN_HELP: u64 = 5000;
        if self.generated_since_help < GENERATED_BETWEEN_HELP {
            return None;
        }
        let place = self.best_board(!level.is_multiple_of(2))?;
        self.generated_since_help = 0;
        let job = self.shared.job.read();
        let stage = &job.as_ref()?.stage;
        let entry = self.load_board(stage, place);
        let cols = self.size.cols();
        match stage.task.side() {
            Some(side) => self.staged.line(&mut self.field, stage.unsolved, side),
            None if stage.cells <= ENDGAME_SIDE * ENDGAME_SIDE => {
                endgame::solve(&mut self.field, stage.unsolved)
            }
            // Cannot fail without limits.
            None => drop(self.staged.solve(&mut self.field, &Limits::default())),
        }
        let moves = self.field.moves();
        let reached = level + moves.len() as u32;
        let earliest = self.next_levels().filter_map(|next| next.finished.first_solved_level()).min();
        if earliest.is_some_and(|first| reached > first) || self.history.left() < moves.len() {
            return None;
        }
        let mut node = entry.node;
        for &step in moves {
            node = self.history.push(node, step);
        }
        let made: Vec<L> = (0..stage.cells)
            .map(|number| self.field.cells()[stage.cell(number)])
            .map(|home| L::new(stage.view.number(home.into(), cols)))
            .collect();
        let blank = stage.view.number(self.field.blank(), cols) as u16;
        let next = Entry { node, blank, last: NO_MOVE, ..entry };
        self.shared.shards[0].next.lock().finished.add(reached, &made, next, None);
        Some(reached)
    }
}
