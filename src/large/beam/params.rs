//! The numbers of a beam search's score, found by trying.

use crate::large::beam::score::Task;
use crate::puzzle::tiles::Size;

/// The numbers, in moves.
#[derive(Clone, Copy, Debug)]
pub struct Weights {
    /// How much faster than its distance a tile's score grows.
    pub exponent: f64,
    /// How much more the current line counts than one far ahead.
    pub urgency: f64,
    /// How fast that falls from line to line.
    pub decay: f64,
    /// The fine for a pair in the wrong order.
    pub disorder: f64,
    /// The fine for a place that is closed in.
    pub closed_in: f64,
    /// Levels for each cell of the line before its score gains weight.
    pub line_weight_delay: f64,
    /// How much weight it then gains with each level.
    pub line_weight_growth: f64,
    /// The shard of the beam that may share one arrangement of the line's tiles is
    /// one in this many.
    pub line_state_divisor: usize,
    /// How many times its even share of the beam may have the blank in one cell.
    pub blank_share: f64,
    /// How far from home tiles are on average, at most, when all have come near.
    pub gather_distance: f64,
    /// Levels for each cell of the line that a beam may go on by itself after it
    /// was helped.
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
    /// The best weights for boards of a size.
    pub fn of(size: Size) -> Self {
        let side = (size.cells() as f64).sqrt();
        let usual = Self { gather_distance: 0.5 + 0.15 * side, ..Self::default() };
        match size.cells() {
            0..=25 => Self { exponent: 1.4, disorder: 6.0, urgency: 1.0, ..usual },
            37..=64 => Self { urgency: 2.6, ..usual },
            _ => usual,
        }
    }
}

/// A move, in the units of scores.
const UNIT: f64 = 16.0;

impl Weights {
    /// The score of a tile so far from home, so many lines ahead of the current.
    pub(super) fn tile_score(&self, distance: usize, lines: usize) -> i32 {
        let weight = 1.0 + self.urgency * self.decay.powi(lines as i32);
        (weight * (distance as f64).powf(self.exponent) * UNIT).round() as i32
    }

    /// The fine for a pair in the wrong order.
    pub(super) fn disorder(&self, _lines: usize) -> i32 {
        (self.disorder * UNIT) as i32
    }

    /// The fine for a place that is closed in.
    pub(super) fn closed_in(&self) -> i32 {
        (self.closed_in * UNIT) as i32
    }

    /// How many boards of a beam may share one arrangement of the line's tiles,
    /// and how many may have the blank in one cell.
    pub(super) fn diversity_limits(&self, task: Task, width: usize, cells: usize) -> (u32, u32) {
        let max_per_line_state = (width / self.line_state_divisor).max(1) as u32;
        let max_per_blank = (width as f64 * self.blank_share / cells as f64).max(1.0) as u32;
        match task {
            Task::Gather => (u32::MAX, max_per_blank),
            Task::Line(_) => (max_per_line_state, max_per_blank),
            Task::All => (u32::MAX, u32::MAX),
        }
    }

    /// Levels for which boards are still gather_distance after the first that has
    /// solved the line: a wide beam has much to gain from those that come late
    /// but lie better, a narrow one little.
    pub(super) fn collect_levels(&self, width: usize) -> u32 {
        (width / 64).clamp(8, 40) as u32
    }

    /// The weight of the line's own tiles, in 256ths, so many levels after the
    /// start of a stage with a line so wide.
    pub(super) fn line_weight(&self, level: u32, width: usize) -> i32 {
        let late = f64::from(level) - self.line_weight_delay * width as f64;
        256 + (late.max(0.0) * self.line_weight_growth * 256.0).min(1e6) as i32
    }
}
