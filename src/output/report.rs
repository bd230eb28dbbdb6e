//! Everything that a result says about one puzzle, whatever the format.

use crate::puzzle::tiles::{Board, Direction, Goal};
use std::{sync::Arc, time::Duration};

/// One record's result.
#[derive(Clone, Debug)]
pub struct Report {
    /// The input's name as given.
    pub file: Arc<str>,
    /// The record's number in its file, from 1.
    pub n: u64,
    /// The record's own id, if it has one; otherwise `n` serves.
    pub id: Option<Box<str>>,
    /// The line where the record starts, from 1.
    pub line: u64,
    /// The puzzle itself; absent exactly when the verdict is [`Verdict::Invalid`].
    pub instance: Option<Instance>,
    /// What was found.
    pub verdict: Verdict,
    /// What it cost.
    pub effort: Effort,
}

/// A valid puzzle, as read.
#[derive(Clone, Debug, PartialEq)]
pub enum Instance {
    /// A tile board and where its tiles should end.
    Tiles {
        /// The start.
        board: Board,
        /// The goal, known to fit the board's size.
        goal: Goal,
    },
}

/// What was found out about a puzzle.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// A solution, replayed.
    Solved(Solution),
    /// Proved to have no solution.
    Unsolvable {
        /// What the user may have meant instead.
        hint: Option<Box<str>>,
    },
    /// Not decided within the limits.
    GaveUp {
        /// The limit that ended the search.
        reason: GiveUp,
        /// No solution is shorter than this.
        bound: u32,
    },
    /// Not a puzzle: what is wrong with it and where.
    Invalid {
        /// Such as `tile 7 appears twice (line 90, column 12)`.
        reason: Box<str>,
    },
}

/// A way to the goal.
#[derive(Clone, Debug, PartialEq)]
pub struct Solution {
    /// The blank's moves.
    pub moves: Vec<Direction>,
    /// The length in the metric asked for.
    pub length: u32,
    /// Whether it is proved to be a shortest one.
    pub optimal: bool,
    /// No solution is shorter than this (equal to `length` if optimal).
    pub bound: u32,
}

/// The limit that ended a search without a decision.
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
}

impl GiveUp {
    /// The word in results.
    pub fn word(self) -> &'static str {
        match self {
            Self::Memory => "memory",
            Self::Time => "time",
            Self::Nodes => "nodes",
            Self::Interrupted => "interrupted",
        }
    }
}

/// What a search did and how long it took.
#[derive(Clone, Debug, Default)]
pub struct Effort {
    /// The algorithm's name; empty where no search was needed.
    pub algorithm: &'static str,
    /// The heuristic's name; empty where no search was needed.
    pub heuristic: &'static str,
    /// States whose successors were generated.
    pub expanded: u64,
    /// Successors generated.
    pub generated: u64,
    /// Time from taking the puzzle up to its verdict.
    pub time: Duration,
    /// Whether memory ran full and depth-first search went on from the frontier.
    pub fell_back: bool,
}
