//! How fast a beam is, and how wide it can be for the time that is left.

use crate::large::beam::score::Task;
use std::time::Instant;

/// Seconds for a board, until they are measured.
const INITIAL_SECONDS_PER_BOARD: f64 = 150e-9;

/// Boards that are expanded before the speed is looked at again.
const BOARDS_BETWEEN_UPDATES: u64 = 4000;

/// How much of what was seen still counts at the next look. Whoever else uses the
/// processor stops the search for a while, and then not for a while: speeds must be
/// looked at over more than that.
const DECAY: f64 = 0.98;

pub(super) struct Pace {
    last_update: Instant,
    expanded: u64,
    /// Boards and seconds that still count.
    boards: f64,
    seconds: f64,
}

impl Pace {
    /// The pace of a search that begins when so many boards have been expanded.
    pub(super) fn new(expanded: u64) -> Self {
        let boards = BOARDS_BETWEEN_UPDATES as f64;
        Self { last_update: Instant::now(), expanded, boards, seconds: boards * INITIAL_SECONDS_PER_BOARD }
    }

    /// Whether it is time for a look, after so many boards in all.
    pub(super) fn is_due(&self, expanded: u64) -> bool {
        expanded - self.expanded >= BOARDS_BETWEEN_UPDATES
    }

    /// The width with which so many levels take the time that is left.
    pub(super) fn width(&mut self, expanded: u64, deadline: Instant, levels: f64) -> f64 {
        let now = Instant::now();
        let boards = expanded - self.expanded;
        if boards > 0 {
            self.boards = DECAY * self.boards + boards as f64;
            self.seconds = DECAY * self.seconds + (now - self.last_update).as_secs_f64();
        }
        (self.last_update, self.expanded) = (now, expanded);
        deadline.saturating_duration_since(now).as_secs_f64() * self.boards / (levels * self.seconds)
    }
}

/// The levels that are still to come, about, when the tiles of so many cells are
/// so far from home in all. While tiles come from far, two moves in three bring
/// one nearer; lines take more than two moves for each step that is left.
pub(super) fn remaining_levels(task: Task, distance: usize, cells: usize) -> f64 {
    let near = distance.min(2 * cells) as f64;
    let far = distance as f64 - near;
    let each = if task == Task::All { 1.4 } else { 2.3 };
    far / 0.65 + each * near + 8.0
}
