//! Measures the speed of a beam and computes the width that fits the remaining time.

use crate::large::beam::score::Task;
use std::time::Instant;

/// The assumed time per board until it is measured, in seconds.
const INITIAL_SECONDS_PER_BOARD: f64 = 150e-9;

/// The number of boards expanded between two updates of the speed.
const BOARDS_BETWEEN_UPDATES: u64 = 4000;

/// The weight of older measurements at each update. Other processes interrupt the search
/// irregularly, so the speed is averaged over a longer time.
const DECAY: f64 = 0.98;

pub(super) struct Pace {
    last_update: Instant,
    expanded: u64,
    /// Weighted sums of the boards expanded and the seconds spent.
    boards: f64,
    seconds: f64,
}

impl Pace {
    /// Starts the measurement when `expanded` boards have been expanded.
    pub(super) fn new(expanded: u64) -> Self {
        let boards = BOARDS_BETWEEN_UPDATES as f64;
        Self { last_update: Instant::now(), expanded, boards, seconds: boards * INITIAL_SECONDS_PER_BOARD }
    }

    /// Returns whether an update is due after `expanded` boards in total.
    pub(super) fn is_due(&self, expanded: u64) -> bool {
        expanded - self.expanded >= BOARDS_BETWEEN_UPDATES
    }

    /// Updates the speed and returns the width with which `levels` levels end at `deadline`.
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

/// Estimates the number of levels to come, given the sum of the tiles' distances. While tiles are
/// far from home, two moves in three bring one closer; later a line takes more than two moves per
/// step of distance.
pub(super) fn remaining_levels(task: Task, distance: usize, cells: usize) -> f64 {
    let near = distance.min(2 * cells) as f64;
    let far = distance as f64 - near;
    let each = if task == Task::All { 1.4 } else { 2.3 };
    far / 0.65 + each * near + 8.0
}
