//! The first stage of a large board: moves all tiles close to their homes.
//!
//! While tiles are far from home, almost every move can bring one closer, so lines are not
//! considered yet. The stage ends when the tiles are close on average or the score stagnates.

use crate::large::beam::disorder::Label;
use crate::large::beam::driver::Beam;
use crate::search::{Limits, Stop};

impl<L: Label> Beam<'_, '_, L> {
    /// Runs levels until the tiles are close to their homes. Returns `false` if that takes `best`
    /// moves or more.
    pub(super) fn run_gather(&mut self, best: usize, limits: &Limits<'_>) -> Result<bool, Stop> {
        self.join(0)?;
        let cells = self.cells();
        let target = (self.params.weights.gather_distance * cells as f64) as usize;
        // The blank may have to cross the board before the score improves.
        let max_stagnation = 20 + 2 * (self.size.rows() + self.size.cols()) as u32;
        let (mut best_score, mut improved_at) = (i32::MAX, 0);
        let mut level = 0;
        while let Some((shard, index)) = self.best_board(false) {
            let (score, distance) = {
                let (job, current) = (self.shared.job.read(), self.shared.shards[shard].current.read());
                let (board, entry) = current.layer.get(index);
                (entry.score.others, job.as_ref().map_or(0, |job| job.stage.distance(&board[..cells])))
            };
            if score < best_score {
                (best_score, improved_at) = (score, level);
            }
            if level > improved_at + max_stagnation || distance <= target {
                break;
            }
            if level as usize >= best {
                return Ok(false);
            }
            if let Some(stop) = limits.reached(self.work.generated) {
                self.stopped_at = level;
                return Err(stop);
            }
            self.adjust_width(level == 0);
            self.reserve_history()?;
            self.advance(level, 0)?;
            level += 1;
        }
        if self.is_empty() {
            self.swap_levels();
            level -= 1;
        }
        for shard in &self.shared.shards {
            let (current, finished) = (shard.current.read(), &mut shard.next.lock().finished);
            let boards = current.layer.iter();
            boards.for_each(|(board, &entry)| finished.add(level, &board[..cells], entry, None));
        }
        Ok(true)
    }
}
