//! What a run is asked to do: the contract between the command line and the
//! batch.

use crate::pdb::{Partition, Store};
use crate::puzzle::{tiles, trays};
use clap::ValueEnum;
use std::path::PathBuf;
use std::time::Duration;

/// Everything that `solve` was asked for, checked and complete.
#[derive(Clone, PartialEq, Debug)]
pub struct Options {
    /// The puzzle files in their order; `-` is standard input.
    pub files: Vec<String>,
    /// Workers, at least one.
    pub threads: usize,
    /// The cap on the peak resident memory of the process, in bytes.
    pub memory: u64,
    /// How good solutions have to be.
    pub quality: Quality,
    /// The search.
    pub algorithm: Algorithm,
    /// The lower bound that guides it.
    pub heuristic: HeuristicChoice,
    /// How pattern databases divide the tiles, if that was said.
    pub partition: Option<Partition>,
    /// Where pattern databases are kept, if anywhere.
    pub store: Option<Store>,
    /// The file from which a search that was killed goes on, if any.
    pub checkpoint: Option<PathBuf>,
    /// The weight of weighted A*, at least 1.
    pub weight: f64,
    /// The width of a beam; by the memory if there is none.
    pub beam_width: Option<usize>,
    /// What counts as one move of tiles.
    pub tile_metric: tiles::Metric,
    /// What counts as one move in a tray.
    pub tray_metric: trays::Metric,
    /// The goal's name or board, as given.
    pub goal: String,
    /// New states generated and stored for each puzzle, at most.
    pub max_nodes: Option<u64>,
    /// Time for each puzzle, at most.
    pub timeout: Option<Duration>,
    /// Time for the whole run, at most.
    pub deadline: Option<Duration>,
    /// The form of all records, if it is not to be detected.
    pub input_format: Option<String>,
    /// `(I, N)`: only records whose number is I modulo N. I is at most N.
    pub shard: (u64, u64),
    /// Whether moves and node counts must be the same whenever a run is repeated.
    pub deterministic: bool,
    /// Whether to say why the plan chose what it chose.
    pub explain: bool,
}

/// No files, one worker, no limits, and little memory.
impl Default for Options {
    fn default() -> Self {
        Self {
            files: Vec::new(),
            threads: 1,
            memory: 64 << 20,
            quality: Quality::default(),
            algorithm: Algorithm::default(),
            heuristic: HeuristicChoice::default(),
            tile_metric: tiles::Metric::default(),
            tray_metric: trays::Metric::default(),
            partition: None,
            store: None,
            checkpoint: None,
            weight: 1.5,
            beam_width: None,
            goal: "blank-last".into(),
            max_nodes: None,
            timeout: None,
            deadline: None,
            input_format: None,
            shard: (1, 1),
            deterministic: false,
            explain: false,
        }
    }
}

impl Options {
    /// Whether a record's number falls into this run's shard.
    pub fn is_in_shard(&self, n: u64) -> bool {
        let (index, shards) = self.shard;
        n % shards == index % shards
    }
}

/// How good a solution has to be.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, ValueEnum)]
pub enum Quality {
    /// Optimal for trays and up to 16 cells, fast above; without a proof, the best it has
    #[default]
    Auto,
    /// Provably shortest, or nothing
    Optimal,
    /// Above 16 cells: shorter and shorter until --timeout (1s, if there is none)
    Improve,
    /// The first solution
    Fast,
}

/// The search to use.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, ValueEnum)]
pub enum Algorithm {
    /// Whatever suits the puzzle and the memory
    #[default]
    Auto,
    /// A*; goes on as IDA* from the frontier when memory is full
    Astar,
    /// Weighted A*: at most --weight times the shortest
    Wastar,
    /// Greedy best-first: soon a solution, not a short one
    Greedy,
    /// Breadth-first: a FIFO queue
    Bfs,
    /// Depth-first: a stack; very long solutions
    Dfs,
    /// Beam search: of each level the --beam-width best by the heuristic
    Beam,
    /// IDA*: hardly any memory
    Ida,
    /// Line by line, tile by tile: at once, on boards of any size; not for trays
    Staged,
}

/// The lower bound that guides the search.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, ValueEnum)]
pub enum HeuristicChoice {
    /// The best that fits the memory
    #[default]
    Auto,
    /// Tiles that are not in their place
    Misplaced,
    /// Rows and columns that each tile is away from its place
    Manhattan,
    /// Manhattan, and two for each tile that must leave its line
    LinearConflict,
    /// Moves by rows and by columns, from a table
    WalkingDistance,
    /// Trays: the distance of each block of a shape in the goal to the nearest such
    /// goal (greedy, beam, fast); as a lower bound, of each goal to the nearest block
    Nearest,
    /// Trays: each goal takes a block of its own
    Matching,
    /// Trays: the distance of each block from its initial position, and nearest: a
    /// priority for greedy and beam search, not a lower bound
    Total,
    /// Pattern databases; pdb:7-8 says how to divide the tiles
    Pdb,
}

impl Algorithm {
    /// Whether a solution that it finds is a shortest one.
    pub fn proves_shortest(self) -> bool {
        matches!(self, Self::Auto | Self::Astar | Self::Bfs | Self::Ida)
    }
}
