//! The first stage of a large board: all tiles near their homes.
//!
//! While tiles are far from home, most moves can bring one nearer, whatever else
//! they do; lines can wait. When the tiles have come near, or nothing gets better
//! any more, the boards go on to the first line.

use crate::large::beam::disorder::Label;
use crate::large::beam::driver::Beam;
use crate::search::{Limits, Stop};

impl<L: Label> Beam<'_, '_, L> {
    /// Goes through levels until the tiles are near their homes; `false` if that
    /// takes `best` moves or more.
    pub(super) fn gather(&mut self, best: usize, limits: &Limits<'_>) -> Result<bool, Stop> {
        self.join(0)?;
        let cells = self.cells();
        let near = (self.course.weights.gathered * cells as f64) as usize;
        // The blank may have to cross the board before anything gets better.
        let patience = 20 + 2 * (self.size.rows() + self.size.cols()) as u32;
        let (mut least, mut since) = (i32::MAX, 0);
        let mut level = 0;
        while let Some((part, index)) = self.best(false) {
            let (score, distance) = {
                let (job, front) = (self.shared.job.read(), self.shared.parts[part].front.read());
                let (board, entry) = front.layer.get(index);
                (entry.facts.others, job.as_ref().map_or(0, |job| job.stage.distance(&board[..cells])))
            };
            if score < least {
                (least, since) = (score, level);
            }
            if level > since + patience || distance <= near {
                break;
            }
            if level as usize >= best {
                return Ok(false);
            }
            if let Some(stop) = limits.reached(self.work.generated) {
                self.stopped_at = level;
                return Err(stop);
            }
            self.keep_pace(level == 0);
            self.make_room()?;
            self.advance(level, 0)?;
            level += 1;
        }
        if self.is_empty() {
            self.turn();
            level -= 1;
        }
        for part in &self.shared.parts {
            let (front, finished) = (part.front.read(), &mut part.back.lock().finished);
            let boards = front.layer.iter();
            boards.for_each(|(board, &entry)| finished.add(level, &board[..cells], entry, None));
        }
        Ok(true)
    }
}
