//! The first stage of a large board: all tiles near their homes.
//!
//! While tiles are far from home, most moves can bring one nearer, whatever else
//! they do; lines can wait. When the tiles have come near, or nothing gets better
//! any more, the boards go on to the first line.

use super::Beam;
use super::layer::Entry;
use super::lines::Label;
use super::stage::Stage;
use crate::search::{Limits, Stop};

impl<L: Label> Beam<'_, L> {
    /// Goes through levels until the tiles are near their homes; `false` if that
    /// takes `best` moves or more.
    pub(super) fn gather(&mut self, stage: &Stage, best: usize, limits: &Limits<'_>) -> Result<bool, Stop> {
        self.layer.clear(stage.cells);
        self.selection.clear();
        let (board, entry) = self.finished.waiting(0);
        self.layer.add(stage, board, Entry { facts: stage.facts(board), ..entry });
        let near = (self.course.weights.gathered * stage.cells as f64) as usize;
        // The blank may have to cross the board before anything gets better.
        let patience = 20 + 2 * (self.size.rows() + self.size.cols()) as u32;
        let (mut least, mut since) = (i32::MAX, 0);
        let mut level = 0;
        while !self.layer.is_empty() {
            let (board, entry) = self.layer.get(0);
            if entry.facts.others < least {
                (least, since) = (entry.facts.others, level);
            }
            if level > since + patience || stage.distance(board) <= near {
                break;
            }
            if level as usize >= best {
                return Ok(false);
            }
            if let Some(stop) = limits.reached(self.work.generated) {
                self.stopped_at = level;
                return Err(stop);
            }
            self.keep_pace(stage, level == 0);
            self.make_room()?;
            self.advance(stage, level, 0);
            level += 1;
        }
        let Self { layer, finished, .. } = self;
        if layer.is_empty() {
            layer.turn_back();
            level -= 1;
        }
        layer.iter().for_each(|(board, &entry)| finished.add(level, &board[..stage.cells], entry, None));
        Ok(true)
    }
}
