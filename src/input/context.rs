//! What holds for the records of a file until a directive changes it.

use super::{Form, error::Fault};
use crate::puzzle::tiles::{self, Board, Goal, Size};
use crate::puzzle::trays;

/// What a file's records start with: the command line's choices, which
/// directives in the file override.
#[derive(Clone, Debug, Default)]
pub struct Defaults {
    /// Where the tiles should end.
    pub goal: Goal,
    /// The size of line records; squares if not given.
    pub size: Option<Size>,
    /// The form of every record; recognised one by one if not given.
    pub form: Option<Form>,
    /// What counts as one move of tiles.
    pub tile_metric: tiles::Metric,
    /// What counts as one move in a tray.
    pub tray_metric: trays::Metric,
    /// The largest window of a compressed file, in bytes; 8 MiB if not given.
    pub window: Option<u64>,
}

/// The defaults as the directives so far have left them.
///
/// A directive that was not understood leaves the line it stands on: a board
/// that depends on it is invalid, as solving it for another goal or as another
/// shape would give a wrong answer without a word.
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
        let Defaults { goal, size, form, tile_metric, tray_metric, window: _ } = defaults;
        Self { goal: Ok(goal), size: Ok(size), form, tile_metric, tray_metric }
    }
}

impl Context {
    /// The size that line records have, if one is set.
    pub(super) fn size(&self) -> Result<Option<Size>, Fault> {
        self.size.map_err(|line| Fault::whole(format!("its size is unknown: see the @size on line {line}")))
    }

    /// The goal of a board.
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
