//! The report on one puzzle, independent of the output format.

use crate::puzzle::tiles::{self, Board, Direction, Goal};
use crate::puzzle::trays::{self, Shift, Tray};
use std::{sync::Arc, time::Duration};

/// The result of one record.
#[derive(Clone, Debug)]
pub struct Report {
    /// Name of the input file, as given.
    pub file: Arc<str>,
    /// Number of the record in its file, from 1.
    pub n: u64,
    /// The id in the record. If there is none, `n` is used.
    pub id: Option<Box<str>>,
    /// Number of the record's first line, from 1.
    pub line: u64,
    /// The puzzle; `None` exactly if the verdict is [`Verdict::Invalid`].
    pub instance: Option<Instance>,
    /// Outcome.
    pub verdict: Verdict,
    /// Cost of the search.
    pub effort: Effort,
}

/// A valid puzzle.
#[derive(Clone, Debug, PartialEq)]
pub enum Instance {
    /// A tile board and its goal.
    Tiles {
        /// Start position.
        board: Board,
        /// Goal, which fits the board's size.
        goal: Goal,
        /// What counts as one move.
        metric: tiles::Metric,
    },
    /// A tray with its goal.
    Tray {
        /// The tray.
        tray: Arc<Tray>,
        /// What counts as one move.
        metric: trays::Metric,
    },
}

/// The outcome for a puzzle.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// A solution, replayed.
    Solved(Solution),
    /// Proved to have no solution.
    Unsolvable {
        /// Goals for which the puzzle is solvable.
        hint: Option<Box<str>>,
    },
    /// Not decided within the limits.
    GaveUp {
        /// The limit that ended the search.
        reason: GiveUp,
        /// Lower bound on the length of a solution.
        bound: u32,
    },
    /// Not a valid puzzle.
    Invalid {
        /// The error and its position, such as `tile 7 appears twice (line 90, column 12)`.
        reason: Box<str>,
    },
}

/// A solution of a puzzle.
#[derive(Clone, Debug, PartialEq)]
pub struct Solution {
    /// The moves.
    pub moves: Moves,
    /// Length in the metric of the instance.
    pub length: u32,
    /// Whether it is proved to be shortest.
    pub optimal: bool,
    /// Lower bound on the length of any solution; equal to `length` if optimal.
    pub bound: u32,
}

/// The moves of a solution.
#[derive(Clone, Debug, PartialEq)]
pub enum Moves {
    /// Directions of the blank, one for each cell that it moves.
    Tiles(Vec<Direction>),
    /// Moves of blocks, one entry for each move of the metric.
    Tray(Vec<Shift>),
}

impl Moves {
    /// Returns the number of entries.
    pub fn len(&self) -> usize {
        match self {
            Self::Tiles(moves) => moves.len(),
            Self::Tray(moves) => moves.len(),
        }
    }

    /// Returns whether there are no entries.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl From<Vec<Direction>> for Moves {
    fn from(moves: Vec<Direction>) -> Self {
        Self::Tiles(moves)
    }
}

impl From<Vec<Shift>> for Moves {
    fn from(moves: Vec<Shift>) -> Self {
        Self::Tray(moves)
    }
}

/// Reason why a search ended without a decision.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum GiveUp {
    /// The memory cap.
    Memory,
    /// `--timeout` or `--deadline`.
    Time,
    /// `--max-nodes`.
    Nodes,
    /// A signal.
    Interrupted,
    /// The beam became empty (`--beam-width`).
    Beam,
    /// The options are not supported for this kind of puzzle.
    Unsupported,
}

impl GiveUp {
    /// All reasons, in the order of their discriminants.
    pub const ALL: [Self; 6] =
        [Self::Memory, Self::Time, Self::Nodes, Self::Interrupted, Self::Beam, Self::Unsupported];

    /// Returns the word used in results.
    pub fn word(self) -> &'static str {
        match self {
            Self::Memory => "memory",
            Self::Time => "time",
            Self::Nodes => "nodes",
            Self::Interrupted => "interrupted",
            Self::Beam => "beam",
            Self::Unsupported => "unsupported",
        }
    }
}

/// Work done by a search, and its time.
#[derive(Clone, Debug, Default)]
pub struct Effort {
    /// Name of the algorithm; empty if no search was needed.
    pub algorithm: &'static str,
    /// Name of the heuristic; empty if no search was needed.
    pub heuristic: &'static str,
    /// States whose successors were generated.
    pub expanded: u64,
    /// Successors generated.
    pub generated: u64,
    /// States stored by the search that decided the puzzle, including the start; 0 for searches that
    /// store no states.
    pub visited: u64,
    /// Time spent on the puzzle, without the time in queues.
    pub time: Duration,
    /// Whether memory was full and depth-first searches continued from the frontier.
    pub fell_back: bool,
}

/// One report of each kind, for tests of the output formats.
#[cfg(test)]
pub(crate) mod samples {
    use super::*;
    use crate::puzzle::tiles::Size;

    fn tiles(tiles: [u32; 9], goal: Goal) -> Option<Instance> {
        let board = Board::new(Size::new(3, 3).unwrap(), &tiles).unwrap();
        Some(Instance::Tiles { board, goal, metric: tiles::Metric::Tile })
    }

    fn effort(algorithm: &'static str, expanded: u64, generated: u64, micros: u64) -> Effort {
        let time = Duration::from_micros(micros);
        Effort {
            algorithm,
            heuristic: "manhattan",
            expanded,
            generated,
            visited: generated / 2,
            time,
            fell_back: false,
        }
    }

    /// Two moves from the goal, solved optimally.
    pub(crate) fn solved() -> Report {
        use Direction::{Down, Right};
        Report {
            file: "hard.txt".into(),
            n: 17,
            id: None,
            line: 17,
            instance: tiles([1, 2, 3, 4, 0, 6, 7, 5, 8], Goal::BlankLast),
            verdict: Verdict::Solved(Solution {
                moves: vec![Down, Right].into(),
                length: 2,
                optimal: true,
                bound: 2,
            }),
            effort: effort("ida", 18233, 37110, 912),
        }
    }

    /// The board of [`solved`] with a longer solution and the goal given as a board.
    pub(crate) fn suboptimal() -> Report {
        use Direction::{Down, Left, Right};
        let goal = Goal::BlankLast.board(Size::new(3, 3).unwrap()).unwrap().into_owned();
        let moves = vec![Down, Right, Left, Right];
        Report {
            n: 18,
            instance: tiles([1, 2, 3, 4, 0, 6, 7, 5, 8], Goal::Given(goal.into())),
            verdict: Verdict::Solved(Solution { moves: moves.into(), length: 4, optimal: false, bound: 2 }),
            ..solved()
        }
    }

    /// A tray, solved by one move of a block around a corner.
    pub(crate) fn tray() -> Report {
        use crate::puzzle::trays::{Piece, Place, Rect};
        let cell = |row, col| Piece::plain(Rect::new(row, col, 1, 1).unwrap());
        let tall = Piece::plain(Rect::new(0, 1, 2, 1).unwrap());
        let tray = Tray::new(2, 3, &[], &[cell(0, 0), tall], &[cell(1, 0)]).unwrap();
        let moves = vec![Shift { from: Place::new(0, 0), to: Place::new(1, 0) }].into();
        Report {
            instance: Some(Instance::Tray { tray: Arc::new(tray), metric: trays::Metric::Piece }),
            verdict: Verdict::Solved(Solution { moves, length: 1, optimal: true, bound: 1 }),
            effort: Effort { heuristic: "", ..effort("bfs", 1, 3, 5) },
            ..solved()
        }
    }

    /// Unsolvable, with a hint.
    pub(crate) fn unsolvable() -> Report {
        Report {
            file: "t.txt".into(),
            n: 4,
            id: None,
            line: 40,
            instance: tiles([2, 1, 3, 4, 5, 6, 7, 8, 0], Goal::BlankLast),
            verdict: Verdict::Unsolvable { hint: Some("solvable for blank-first".into()) },
            effort: Effort::default(),
        }
    }

    /// Given up at the node limit.
    pub(crate) fn gave_up() -> Report {
        Report {
            file: "t.txt".into(),
            n: 3,
            id: Some("k3".into()),
            line: 31,
            instance: tiles([8, 7, 6, 5, 4, 3, 2, 1, 0], Goal::BlankFirst),
            verdict: Verdict::GaveUp { reason: GiveUp::Nodes, bound: 20 },
            effort: effort("astar", 5, 11, 3),
        }
    }

    /// Not a valid puzzle.
    pub(crate) fn invalid() -> Report {
        Report {
            file: "t.txt".into(),
            n: 9,
            id: None,
            line: 90,
            instance: None,
            verdict: Verdict::Invalid { reason: "tile 7 appears twice (line 90, column 12)".into() },
            effort: Effort::default(),
        }
    }
}
