//! Arguments of `trace`.

use super::Destination;
use crate::input::{parse_board, parse_goal};
use crate::memory::limits;
use crate::puzzle::tiles::{Board, Size};
use crate::quantity::parse_size;
use crate::tools::trace::{List, Queue};
use anyhow::Context;
use clap::{Args, ValueEnum};

/// Examples at the end of the help.
const EXAMPLES: &str = "\
Examples:
  batch-solve trace S P Q 1 2 3 4 5 6 7 8 9 10 0 12 13 14 11 15
  batch-solve trace V F V 1 2 3/4 0 5/7 8 6
  batch-solve trace S F Q --size 2x3 4 1 3 2 5 0

A state is visited when it enters the queue, and keeps the parent that brought it
there first. The hole is moved up, right, down and left, in this order. The run
ends as soon as the goal enters the queue. The priority is the Manhattan
distance; ties are broken as java.util.PriorityQueue breaks them.

Lines: 'n (row, col)' of the hole for each visited state, counted from 0;
'n (row, col) Direction tile' for each state of the solution, with the direction
of the hole and the tile it swaps with; both are omitted for the goal.

Exit status: 0 solved, 1 unsolvable (decided by parity, before any output),
2 anything else.";

/// Arguments of `trace`.
#[derive(Clone, Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct TraceArgs {
    /// List to print
    #[arg(value_enum, value_name = "V|S", ignore_case = true)]
    pub list: ListChoice,

    /// Queue discipline
    #[arg(value_enum, value_name = "F|P", ignore_case = true)]
    pub queue: QueueChoice,

    /// Detail per state
    #[arg(value_enum, value_name = "V|Q", ignore_case = true)]
    pub verbosity: Verbosity,

    /// Tiles row by row, 0 for the hole, as separate words or as one word; slashes
    /// between rows are allowed
    #[arg(value_name = "TILE", required = true)]
    pub tiles: Vec<String>,

    /// Rows and columns [default: a square, or what slashes show]
    #[arg(short, long, value_name = "RxC", help_heading = "Search")]
    pub size: Option<Size>,

    /// Goal: blank-last, blank-first, snail, or a board
    #[arg(long, value_name = "GOAL", default_value = "blank-last", help_heading = "Search")]
    pub goal: String,

    /// Maximum number of visited states
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), help_heading = "Search")]
    pub max_nodes: Option<u64>,

    /// Hard cap on the memory of the process, such as 64MiB or 2G
    /// [default: 3/4 of what this process may use]
    #[arg(short, long, value_name = "SIZE", value_parser = parse_size, help_heading = "Search")]
    pub memory: Option<u64>,

    #[command(flatten)]
    #[allow(missing_docs)]
    pub destination: Destination,
}

/// List to print
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum ListChoice {
    /// Visited states, in order
    #[value(name = "V")]
    Visited,
    /// Solution
    #[value(name = "S")]
    Solution,
}

/// Queue discipline
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum QueueChoice {
    /// First in, first out
    #[value(name = "F")]
    Fifo,
    /// Lowest Manhattan distance first
    #[value(name = "P")]
    Priority,
}

/// Detail per state
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Verbosity {
    /// Board below each line
    #[value(name = "V")]
    Verbose,
    /// Lines only
    #[value(name = "Q")]
    Quiet,
}

impl TraceArgs {
    /// Returns the start and the goal, or an error if one is not valid.
    pub fn boards(&self) -> anyhow::Result<(Board, Board)> {
        let board = parse_board(&self.tiles.join(" "), self.size)?;
        let size = board.size();
        let goal = parse_goal(&self.goal, Some(size)).context("--goal")?;
        let goal =
            goal.board(size).with_context(|| format!("--goal: the board is {size}, but the goal is not"))?;
        Ok((board, goal.into_owned()))
    }

    /// Returns the requested queue.
    pub fn queue(&self) -> Queue {
        match self.queue {
            QueueChoice::Fifo => Queue::Fifo,
            QueueChoice::Priority => Queue::Priority,
        }
    }

    /// Returns the requested listing.
    pub fn list(&self) -> List {
        match self.list {
            ListChoice::Visited => List::Visited,
            ListChoice::Solution => List::Solution,
        }
    }

    /// Returns the cap on memory.
    pub fn memory(&self) -> u64 {
        limits::cap(self.memory, 0)
    }
}
