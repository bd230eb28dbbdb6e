//! How fast a beam is, and how wide it can be for the time that is left.

use super::stage::Task;
use std::time::Instant;

/// Seconds for a board, until they are measured.
const FIRST_GUESS: f64 = 150e-9;

/// Boards that are expanded before the speed is looked at again.
const BETWEEN_LOOKS: u64 = 4000;

pub(super) struct Pace {
    since: Instant,
    expanded: u64,
    /// Seconds for each board that is expanded.
    seconds: f64,
}

impl Pace {
    pub(super) fn new() -> Self {
        Self { since: Instant::now(), expanded: 0, seconds: FIRST_GUESS }
    }

    /// Whether it is time for a look, after so many boards in all.
    pub(super) fn is_due(&self, expanded: u64) -> bool {
        expanded - self.expanded >= BETWEEN_LOOKS
    }

    /// The width with which so many levels take the time that is left.
    pub(super) fn width(&mut self, expanded: u64, ends: Instant, levels: f64) -> f64 {
        let now = Instant::now();
        let boards = expanded - self.expanded;
        if boards >= BETWEEN_LOOKS {
            // Whoever else uses the processor may stop it for a while: that time is
            // lost, but tells nothing about the speed.
            let measured = (now - self.since).as_secs_f64() / boards as f64;
            self.seconds = (self.seconds + measured.min(2.0 * self.seconds)) / 2.0;
        }
        (self.since, self.expanded) = (now, expanded);
        ends.saturating_duration_since(now).as_secs_f64() / (levels * self.seconds)
    }
}

/// The levels that are still to come, about, when the tiles of so many cells are
/// so far from home in all. While tiles come from far, two moves in three bring
/// one nearer; lines take more than two moves for each step that is left.
pub(super) fn levels(task: Task, distance: usize, cells: usize) -> f64 {
    let near = distance.min(2 * cells) as f64;
    let far = distance as f64 - near;
    let each = if task == Task::All { 1.4 } else { 2.3 };
    far / 0.65 + each * near + 8.0
}
