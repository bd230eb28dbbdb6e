//! Arguments of `generate`.

use super::{Destination, GenerateTraysArgs};
use crate::{
    generate::{Kind, Request},
    input::parse_goal,
    puzzle::tiles::Size,
};
use anyhow::Context;
use clap::{Args, Subcommand};

/// Examples at the end of the help.
const EXAMPLES: &str = "\
Examples:
  batch-solve generate --size 4x4 --count 1000 --seed 7
  batch-solve generate --size 9x9 --moves 10000000 | batch-solve - --quality fast
  batch-solve generate --unsolvable --count 10 -o impossible.txt
  batch-solve generate trays --size 5x4 --count 100";

/// Puzzle families other than boards.
#[derive(Clone, Debug, Subcommand)]
pub enum Family {
    /// Write trays of sliding blocks
    Trays(GenerateTraysArgs),
}

/// Arguments of `generate`.
#[derive(Clone, Debug, Args)]
#[command(after_help = EXAMPLES, args_conflicts_with_subcommands = true)]
pub struct GenerateArgs {
    /// Another family of puzzles
    #[command(subcommand)]
    pub family: Option<Family>,

    /// Rows and columns, from 2x2 to 256x256
    #[arg(short, long, value_name = "RxC", default_value = "4x4", help_heading = "Boards")]
    pub size: Size,

    /// Number of boards
    #[arg(short = 'n', long, value_name = "N", default_value_t = 1, help_heading = "Boards")]
    pub count: u64,

    /// Seed; equal seeds give equal boards on every machine
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = "Boards")]
    pub seed: u64,

    /// Random moves from the goal, none of which undoes its predecessor
    /// [default: any solvable board, all equally likely]
    #[arg(long, value_name = "N", help_heading = "Boards")]
    pub moves: Option<u64>,

    /// Generate boards that cannot reach the goal
    #[arg(long, conflicts_with = "moves", help_heading = "Boards")]
    pub unsolvable: bool,

    /// Goal: blank-last, blank-first, snail, or a board
    #[arg(long, value_name = "GOAL", default_value = "blank-last", help_heading = "Boards")]
    pub goal: String,

    #[command(flatten)]
    #[allow(missing_docs)]
    pub destination: Destination,
}

impl GenerateArgs {
    /// Returns the requested boards, or an error if the goal is not valid.
    pub fn request(&self) -> anyhow::Result<Request> {
        let goal = parse_goal(&self.goal, Some(self.size)).context("--goal")?;
        let kind = match self.moves {
            _ if self.unsolvable => Kind::Unsolvable,
            Some(moves) => Kind::Moves(moves),
            None => Kind::Random,
        };
        Ok(Request { size: self.size, count: self.count, seed: self.seed, kind, goal })
    }
}
