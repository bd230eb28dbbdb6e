//! The weights of the score and the diversity limits of a beam search, tuned by experiment.

use crate::large::beam::score::Task;
use crate::puzzle::tiles::Size;

/// The weights, in units of moves.
#[derive(Clone, Copy, Debug)]
pub struct Weights {
    /// The exponent of a tile's distance in its score.
    pub exponent: f64,
    /// The additional weight of the current line, relative to the last one.
    pub urgency: f64,
    /// The factor by which the additional weight falls from line to line.
    pub decay: f64,
    /// The penalty for a pair in the wrong order.
    pub disorder: f64,
    /// The penalty for an unsolved place of the line between solved tiles.
    pub closed_in: f64,
    /// Levels per cell of the line before the weight of the line grows.
    pub line_weight_delay: f64,
    /// The growth of the line's weight per level.
    pub line_weight_growth: f64,
    /// One in this many boards may share one arrangement of the line's tiles.
    pub line_state_divisor: usize,
    /// The largest number of boards with the blank in one cell, relative to an even distribution.
    pub blank_share: f64,
    /// The mean distance of tiles from home at which the gather stage ends.
    pub gather_distance: f64,
    /// Levels per cell of the line that a beam may continue by itself after help.
    pub levels_after_help: f64,
}

impl Default for Weights {
    fn default() -> Self {
        Self {
            exponent: 1.7,
            urgency: 2.0,
            decay: 0.8,
            disorder: 11.0,
            closed_in: 6.0,
            line_weight_delay: 3.5,
            line_weight_growth: 0.012,
            line_state_divisor: 5,
            blank_share: 2.5,
            gather_distance: 2.0,
            levels_after_help: 30.0,
        }
    }
}

impl Weights {
    /// Returns the best known weights for boards of this size.
    pub fn for_size(size: Size) -> Self {
        let side = (size.cells() as f64).sqrt();
        let usual = Self { gather_distance: 0.5 + 0.15 * side, ..Self::default() };
        match size.cells() {
            0..=25 => Self { exponent: 1.4, disorder: 6.0, urgency: 1.0, ..usual },
            37..=64 => Self { urgency: 2.6, ..usual },
            _ => usual,
        }
    }
}

/// The score of one move.
const UNIT: f64 = 16.0;

impl Weights {
    /// Returns the score of a tile at `distance` from home whose line is `lines` after the current
    /// one.
    pub(super) fn tile_score(&self, distance: usize, lines: usize) -> i32 {
        let weight = 1.0 + self.urgency * self.decay.powi(lines as i32);
        (weight * (distance as f64).powf(self.exponent) * UNIT).round() as i32
    }

    /// Returns the penalty for a pair in the wrong order.
    pub(super) fn disorder(&self, _lines: usize) -> i32 {
        (self.disorder * UNIT) as i32
    }

    /// Returns the penalty for a closed place.
    pub(super) fn closed_in(&self) -> i32 {
        (self.closed_in * UNIT) as i32
    }

    /// Returns the largest number of boards that may share one arrangement of the line's tiles, and
    /// the largest number with the blank in one cell.
    pub(super) fn diversity_limits(&self, task: Task, width: usize, cells: usize) -> (u32, u32) {
        let max_per_line_state = (width / self.line_state_divisor).max(1) as u32;
        let max_per_blank = (width as f64 * self.blank_share / cells as f64).max(1.0) as u32;
        match task {
            Task::Gather => (u32::MAX, max_per_blank),
            Task::Line(_) => (max_per_line_state, max_per_blank),
            Task::All => (u32::MAX, u32::MAX),
        }
    }

    /// Returns the number of levels in which solved boards are collected after the first one. A
    /// wide beam gains much from later boards in better shape, a narrow one little.
    pub(super) fn collect_levels(&self, width: usize) -> u32 {
        (width / 64).clamp(8, 40) as u32
    }

    /// Returns the weight of the line's tiles in 256ths, `level` levels after the start of a stage
    /// whose line has `width` cells.
    pub(super) fn line_weight(&self, level: u32, width: usize) -> i32 {
        let late = f64::from(level) - self.line_weight_delay * width as f64;
        256 + (late.max(0.0) * self.line_weight_growth * 256.0).min(1e6) as i32
    }
}
