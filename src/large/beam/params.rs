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
    pub patience: f64,
    /// How much weight it then gains with each level.
    pub pressure: f64,
    /// The part of the beam that may share one arrangement of the line's tiles is
    /// one in this many.
    pub variety: usize,
    /// How many times its even share of the beam may have the blank in one cell.
    pub crowd: f64,
    /// How far from home tiles are on average, at most, when all have come near.
    pub gathered: f64,
    /// Levels for each cell of the line that a beam may go on by itself after it
    /// was helped.
    pub wait: f64,
}

impl Default for Weights {
    fn default() -> Self {
        Self {
            exponent: 1.7,
            urgency: 2.0,
            decay: 0.8,
            disorder: 11.0,
            closed_in: 6.0,
            patience: 3.5,
            pressure: 0.012,
            variety: 5,
            crowd: 2.5,
            gathered: 2.0,
            wait: 30.0,
        }
    }
}

impl Weights {
    /// The best weights for boards of a size.
    pub fn of(size: Size) -> Self {
        let side = (size.cells() as f64).sqrt();
        let usual = Self { gathered: 0.5 + 0.15 * side, ..Self::default() };
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
    pub(super) fn far(&self, distance: usize, lines: usize) -> i32 {
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
    pub(super) fn limits(&self, task: Task, width: usize, cells: usize) -> (u32, u32) {
        let alike = (width / self.variety).max(1) as u32;
        let crowd = (width as f64 * self.crowd / cells as f64).max(1.0) as u32;
        match task {
            Task::Gather => (u32::MAX, crowd),
            Task::Line(_) => (alike, crowd),
            Task::All => (u32::MAX, u32::MAX),
        }
    }

    /// Levels for which boards are still gathered after the first that has
    /// solved the line: a wide beam has much to gain from those that come late
    /// but lie better, a narrow one little.
    pub(super) fn carry(&self, width: usize) -> u32 {
        (width / 64).clamp(8, 40) as u32
    }

    /// The weight of the line's own tiles, in 256ths, so many levels after the
    /// start of a stage with a line so wide.
    pub(super) fn pressure(&self, level: u32, width: usize) -> i32 {
        let late = f64::from(level) - self.patience * width as f64;
        256 + (late.max(0.0) * self.pressure * 256.0).min(1e6) as i32
    }
}
