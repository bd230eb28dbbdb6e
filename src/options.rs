//! Options of a run, as plain values: the contract between the command line and the library.
//!
//! The comments of the enum variants are the help texts of the command line.

use crate::pdb::{Partition, Store};
use crate::puzzle::{tiles, trays};
use clap::ValueEnum;
use std::path::PathBuf;
use std::time::Duration;

/// Options of `solve`, validated and complete.
#[derive(Clone, PartialEq, Debug)]
pub struct Options {
    /// Puzzle files, in their order; `-` is standard input.
    pub files: Vec<String>,
    /// Number of workers, at least 1.
    pub threads: usize,
    /// Cap on the peak resident memory of the process, in bytes.
    pub memory: u64,
    /// Required quality of solutions.
    pub quality: Quality,
    /// Search algorithm.
    pub algorithm: Algorithm,
    /// Lower bound that guides the search.
    pub heuristic: HeuristicChoice,
    /// Partition of the tiles for pattern databases; `None`: chosen by the plan.
    pub partition: Option<Partition>,
    /// Store of pattern databases on disk, if any.
    pub store: Option<Store>,
    /// File from which a killed search is resumed, if any.
    pub checkpoint: Option<PathBuf>,
    /// Weight of weighted A*, at least 1.
    pub weight: f64,
    /// Width of a beam; `None`: as the memory allows.
    pub beam_width: Option<usize>,
    /// Unit of length for tile boards.
    pub tile_metric: tiles::Metric,
    /// Unit of length for trays.
    pub tray_metric: trays::Metric,
    /// Name or board of the goal, as given.
    pub goal: String,
    /// Maximum number of new states generated and stored for each puzzle.
    pub max_nodes: Option<u64>,
    /// Maximum time for each puzzle.
    pub timeout: Option<Duration>,
    /// Maximum time for the whole run.
    pub deadline: Option<Duration>,
    /// Form of all records; `None`: detected.
    pub input_format: Option<String>,
    /// `(I, N)`: solve only records whose number is I modulo N, with I at most N.
    pub shard: (u64, u64),
    /// Whether moves and node counts must be identical in every repetition of the run.
    pub deterministic: bool,
    /// Whether to explain the choice of algorithm, heuristic and memory.
    pub explain: bool,
}

/// No files, one worker, 64 MiB, no other limits.
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
    /// Returns whether record number `n` belongs to this run's shard.
    pub fn is_in_shard(&self, n: u64) -> bool {
        let (index, shards) = self.shard;
        n % shards == index % shards
    }
}

/// Required quality of a solution.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, ValueEnum)]
pub enum Quality {
    /// Optimal for trays and up to 16 cells, fast above; the best solution found if there is no proof
    #[default]
    Auto,
    /// Provably shortest, or nothing
    Optimal,
    /// Above 16 cells: shorten the solution until --timeout (default 1s)
    Improve,
    /// The first solution
    Fast,
}

/// Search algorithm.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, ValueEnum)]
pub enum Algorithm {
    /// Chosen for the puzzle and the memory
    #[default]
    Auto,
    /// A*; continues as IDA* from the frontier when memory is full
    Astar,
    /// Weighted A*: at most --weight times the shortest
    Wastar,
    /// Greedy best-first: a solution soon, but not a short one
    Greedy,
    /// Breadth-first: a FIFO queue
    Bfs,
    /// Depth-first: a stack; very long solutions
    Dfs,
    /// Beam search: keeps the --beam-width best states of each level
    Beam,
    /// IDA*: needs hardly any memory
    Ida,
    /// Line by line, tile by tile: immediate, on boards of any size; not for trays
    Staged,
}

/// Lower bound that guides the search.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, ValueEnum)]
pub enum HeuristicChoice {
    /// The best that fits the memory
    #[default]
    Auto,
    /// Number of misplaced tiles
    Misplaced,
    /// Sum of the rows and columns between each tile and its goal
    Manhattan,
    /// Manhattan, plus 2 for each tile that must leave its line
    LinearConflict,
    /// Minimum moves by rows and by columns, from a table
    WalkingDistance,
    /// Trays: the distance of each block of a shape in the goal to the nearest such
    /// goal (greedy, beam, fast); as a lower bound, of each goal to the nearest block
    Nearest,
    /// Trays: minimum-cost matching of goals and blocks
    Matching,
    /// Trays: the distance of each block from its initial position, and nearest: a
    /// priority for greedy and beam search, not a lower bound
    Total,
    /// Pattern databases; pdb:7-8 sets the partition of the tiles
    Pdb,
}

impl Algorithm {
    /// Returns whether the solutions it finds are shortest.
    pub fn proves_shortest(self) -> bool {
        matches!(self, Self::Auto | Self::Astar | Self::Bfs | Self::Ida)
    }
}
