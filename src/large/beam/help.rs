//! Where the staged solver helps a beam: it finishes the line from a board of
//! the beam, or the whole board when the time is over.

use super::CORE;
use super::NO_MOVE;
use super::layer::Entry;
use crate::large::beam::disorder::Label;
use crate::large::beam::driver::{Beam, cell_inside};
use crate::large::beam::score::Stage;
use crate::large::endgame;
use crate::puzzle::tiles::Direction;
use crate::search::Limits;

impl<L: Label> Beam<'_, '_, L> {
    /// A solution from the best board of the last level, the rest of it by the
    /// staged solver, if it is shorter than `best`.
    pub(super) fn break_off(&mut self, best: usize) -> Option<Vec<Direction>> {
        if self.stopped_at as usize >= best {
            return None;
        }
        let place = self.best(false)?;
        let job = self.shared.job.read();
        let stage = &job.as_ref()?.stage;
        let entry = self.lay_out(stage, place);
        self.staged.solve(&mut self.field, &Limits::default()).ok()?;
        let mut moves = self.history.moves(entry.node);
        moves.extend_from_slice(self.field.moves());
        (moves.len() < best).then_some(moves)
    }

    /// Lays out a board of the level on the field.
    fn lay_out(&mut self, stage: &Stage, (part, index): (usize, usize)) -> Entry {
        let front = self.shared.parts[part].front.read();
        let (board, entry) = front.layer.get(index);
        let cols = self.size.cols();
        self.field.arrange(|cell| match cell_inside(stage.rest, cell, cols) {
            true => stage.cell(board[stage.view.number(cell, cols)].index()),
            false => cell,
        });
        *entry
    }

    /// Lets the staged solver finish the line from one of the best boards, now
    /// and then; the level that is reached.
    pub(super) fn finish_one(&mut self, level: u32) -> Option<u32> {
        const BETWEEN: u64 = 5000;
        if self.since < BETWEEN {
            return None;
        }
        let place = self.best(!level.is_multiple_of(2))?;
        self.since = 0;
        let job = self.shared.job.read();
        let stage = &job.as_ref()?.stage;
        let entry = self.lay_out(stage, place);
        let cols = self.size.cols();
        match stage.task.side() {
            Some(side) => self.staged.line(&mut self.field, stage.rest, side),
            None if stage.cells <= CORE * CORE => endgame::solve(&mut self.field, stage.rest),
            // Without a limit nothing can stop it.
            None => drop(self.staged.solve(&mut self.field, &Limits::default())),
        }
        let moves = self.field.moves();
        let reached = level + moves.len() as u32;
        let earliest = self.backs().filter_map(|back| back.finished.earliest()).min();
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
        self.shared.parts[0].back.lock().finished.add(reached, &made, next, None);
        Some(reached)
    }
}
