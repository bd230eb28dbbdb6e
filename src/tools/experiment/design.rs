//! Everything that an experiment is made of.

use super::method::{Method, name};
use crate::puzzle::tiles::Size;
use clap::ValueEnum;

/// The experiments that have a name.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Preset {
    /// Percentage solved against the limit on nodes: A* h1, A* h2, beams
    MaxNodes,
    /// Nodes and solution lengths: h1 against h2 against beams
    Heuristics,
    /// Percentage solved over 50, 100, 200 and 500 puzzles
    SampleSize,
    /// FIFO queue against priority queue over N random moves
    Queues,
    /// Length and nodes against the weight of the heuristic, on several sizes
    Weights,
    /// Trays: stack, FIFO and priority queues; hashes in place of states
    Trays,
    /// Any methods, limits and boards: a table, and percentage solved
    Grid,
}

impl Preset {
    /// Its name on the command line and in files.
    pub fn name(self) -> String {
        name(&self)
    }
}

/// A design: boards, methods, limits.
#[derive(Clone, PartialEq, Debug)]
pub struct Design {
    /// How the rows are looked at.
    pub preset: Preset,
    /// A puzzle file, in place of generated boards.
    pub boards: Option<String>,
    /// The sizes of generated boards.
    pub sizes: Vec<Size>,
    /// Random moves from the goal, each number of them with boards of its own;
    /// none: every solvable board is equally likely.
    pub moves: Vec<u64>,
    /// Boards of each size and number of moves.
    pub count: u64,
    /// What the random stream starts from.
    pub seed: u64,
    /// The searches; none for trays, which have their own.
    pub methods: Vec<Method>,
    /// Limits on the states that a search may store; none: no limit.
    pub limits: Vec<u64>,
}

impl Design {
    /// The command that does this experiment, with everything spelled out that
    /// has a say in its rows.
    pub fn command(&self) -> String {
        let mut command = format!("batch-solve experiment {}", self.preset.name());
        let mut add = |option: &str, value: String| command += &format!(" --{option} {value}");
        match &self.boards {
            Some(file) => add("boards", format!("'{}'", file.replace('\'', "'\\''"))),
            None => {
                add("size", list(&self.sizes));
                if !self.moves.is_empty() {
                    add("moves", ranges(&self.moves));
                }
                add("count", self.count.to_string());
                add("seed", self.seed.to_string());
            }
        }
        if !self.methods.is_empty() {
            add("methods", list(&self.methods));
        }
        if !self.limits.is_empty() {
            add("max-nodes", list(&self.limits));
        }
        command
    }
}

fn list(items: &[impl ToString]) -> String {
    items.iter().map(ToString::to_string).collect::<Vec<_>>().join(",")
}

/// `1..40`, or a list where the numbers do not follow each other.
fn ranges(numbers: &[u64]) -> String {
    match numbers {
        [first, .., last] if numbers.windows(2).all(|pair| pair[0] + 1 == pair[1]) => {
            format!("{first}..{last}")
        }
        _ => list(numbers),
    }
}
