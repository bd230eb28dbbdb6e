//! Settings that hold for the records of a file until a directive changes them.

use super::{Form, error::Fault};
use crate::puzzle::tiles::{self, Board, Goal, Size};
use crate::puzzle::trays;

/// Initial settings for the records of a file, from the command line. Directives in the file
/// override them.
#[derive(Clone, Debug, Default)]
pub struct Defaults {
    /// Goal of tile boards.
    pub goal: Goal,
    /// Size of line records; square if `None`.
    pub size: Option<Size>,
    /// Form of every record; detected for each record if `None`.
    pub form: Option<Form>,
    /// Metric of tile boards.
    pub tile_metric: tiles::Metric,
    /// Metric of trays.
    pub tray_metric: trays::Metric,
    /// Maximum window of a Zstandard file, in bytes; 8 MiB if `None`.
    pub zstd_window: Option<u64>,
}

/// Settings after the directives so far.
///
/// A directive with an error leaves its line number: a board that depends on it is invalid, because
/// solving it for another goal or size would give a wrong answer silently.
#[derive(Clone, Debug)]
pub(super) struct Context {
    pub(super) goal: Result<Goal, u64>,
    pub(super) size: Result<Option<Size>, u64>,
    pub(super) form: Option<Form>,
    pub(super) tile_metric: tiles::Metric,
    pub(super) tray_metric: trays::Metric,
}

impl From<Defaults> for Context {
    fn from(defaults: Defaults) -> Self {
        let Defaults { goal, size, form, tile_metric, tray_metric, zstd_window: _ } = defaults;
        Self { goal: Ok(goal), size: Ok(size), form, tile_metric, tray_metric }
    }
}

impl Context {
    /// Returns the size of line records, if one is set.
    pub(super) fn size(&self) -> Result<Option<Size>, Fault> {
        self.size.map_err(|line| Fault::whole(format!("its size is unknown: see the @size on line {line}")))
    }

    /// Returns the goal of a board.
    pub(super) fn goal_of(&self, board: &Board) -> Result<Goal, Fault> {
        match &self.goal {
            Err(line) => Err(Fault::whole(format!("its goal is unknown: see the @goal on line {line}"))),
            Ok(Goal::Given(goal)) if goal.size() != board.size() => {
                let (goal, board) = (goal.size(), board.size());
                Err(Fault::whole(format!("the board is {board}, but its goal is {goal}")))
            }
            Ok(goal) => Ok(goal.clone()),
        }
    }
}
