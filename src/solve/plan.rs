//! The plan for a board: which search, with which heuristic.
//!
//! A puzzle is tried in up to three *tiers*: at once with a small limit on nodes, because most
//! puzzles of a large batch are easy; then by one worker in its slice of memory; then in the large
//! region with all idle workers.

use crate::options::{Algorithm, HeuristicChoice, Options, Quality};
use crate::puzzle::tiles::{Metric, Size};
use crate::search::Order;
use crate::search::beam::Width;

/// How much an attempt may spend before the puzzle is deferred to the next tier.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Tier {
    /// A few thousand nodes, at once.
    Quick,
    /// The memory of a worker's slice.
    Slice,
    /// The large region; when it is full, searches that need no memory.
    Large,
}

/// The limit on nodes in [`Tier::Quick`].
pub const QUICK_NODES: u64 = 4000;

/// The limit on nodes in [`Tier::Quick`] with pattern databases: most boards are solved within it.
pub const QUICK_NODES_BY_DATABASES: u64 = 500_000;

/// The limit on nodes in [`Tier::Quick`] for boards of more than 16 cells with databases: these
/// take as long as an easy board.
pub const QUICK_NODES_OF_WIDE_BOARDS: u64 = 50_000;

/// The bytes of the frontier that A* builds for small boards before it continues as IDA*.
const SMALL_BOARD_FRONTIER: usize = 2 << 20;

/// The plan for boards of one size.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Plan {
    /// The search method.
    pub method: Method,
    /// The metric of moves.
    pub metric: Metric,
    /// The heuristic.
    pub heuristic: HeuristicChoice,
    /// Whether a solution that is not proved shortest is accepted if the method finds none within
    /// its limits.
    pub allow_fallback: bool,
}

/// A search, or several in sequence.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Method {
    /// IDA* for easy puzzles, A* for the others; when its memory is full, IDA* from its frontier.
    /// With `frontier`, A* uses at most this part of a worker's slice; otherwise it also gets the
    /// large region.
    Shortest {
        /// The largest useful frontier in bytes.
        frontier: Option<usize>,
    },
    /// IDA*.
    Ida,
    /// Best-first search in one order.
    BestFirst(Order),
    /// Depth-first search with an explicit stack.
    Dfs,
    /// Beam search.
    Beam(Width),
    /// Any solution: weighted A* with increasing weights.
    AnySolution,
    /// A method for boards that are too large for shortest solutions.
    Large(LargeMethod),
}

/// The methods for boards that are too large for shortest solutions.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum LargeMethod {
    /// The staged solver: line by line, tile by tile.
    Staged,
    /// Beam search, line by line, of the given width, or as wide as the memory allows.
    Beam(Option<usize>),
    /// Shorter and shorter solutions until the deadline.
    Improve {
        /// The largest number of threads for one board.
        threads: usize,
    },
}

impl LargeMethod {
    fn explain(self) -> &'static str {
        match self {
            Self::Staged => {
                "any solution: line by line from the outside in, the last 3×3 cells by a shortest path"
            }
            Self::Beam(Some(_)) => "beam search of the requested width, line by line",
            Self::Beam(None) => "beam search, line by line, as wide as a worker's slice of memory allows",
            Self::Improve { .. } => {
                "shorter solutions until the deadline: line by line, then beams, then windows of the path"
            }
        }
    }
}

impl Method {
    /// Returns whether this is a single search that was requested by name. Its nodes are counted as
    /// if it were the only one.
    pub fn is_explicit(self) -> bool {
        !matches!(self, Self::Shortest { .. } | Self::AnySolution | Self::Large(_))
    }
}

/// Returns the width of a beam: the requested one, or one that depends on the memory. It does not
/// depend on the number of threads, so neither do the counts.
pub(crate) fn beam_width(options: &Options) -> Width {
    const LEAST: u64 = 1 << 20;
    const MOST: u64 = 64 << 20;
    const DETERMINISTIC: usize = 8 << 20;
    match options.beam_width {
        Some(width) => Width::States(width),
        None if options.deterministic => Width::Bytes(DETERMINISTIC),
        None => Width::Bytes((options.memory / 16).clamp(LEAST, MOST) as usize),
    }
}

impl Plan {
    /// Creates the plan for boards of one size.
    pub fn new(options: &Options, size: Size) -> Self {
        let small = size.cells() <= 16;
        let method = match options.algorithm {
            Algorithm::Auto => match options.quality {
                // Where a node is cheap, a frontier that stays in the cache is better than a large
                // one (docs/benchmarks.md).
                Quality::Auto | Quality::Optimal | Quality::Improve if small => {
                    Method::Shortest { frontier: Some(SMALL_BOARD_FRONTIER) }
                }
                Quality::Optimal => Method::Shortest { frontier: None },
                Quality::Fast if small => Method::AnySolution,
                Quality::Improve => Method::Large(LargeMethod::Improve { threads: options.threads }),
                Quality::Auto | Quality::Fast => Method::Large(LargeMethod::Staged),
            },
            // A search requested by name expands states one by one in the order of the textbook, so
            // that its counts are those of the textbook.
            Algorithm::Astar => Method::BestFirst(Order::ASTAR.strict()),
            Algorithm::Wastar => Method::BestFirst(Order::weighted(options.weight).strict()),
            Algorithm::Greedy => Method::BestFirst(Order::GREEDY.strict()),
            Algorithm::Bfs => Method::BestFirst(Order::BREADTH.strict()),
            Algorithm::Ida => Method::Ida,
            Algorithm::Dfs => Method::Dfs,
            Algorithm::Beam if small => Method::Beam(beam_width(options)),
            Algorithm::Beam => Method::Large(LargeMethod::Beam(options.beam_width)),
            Algorithm::Staged => Method::Large(LargeMethod::Staged),
        };
        let allow_fallback = options.algorithm == Algorithm::Auto
            && matches!(options.quality, Quality::Auto | Quality::Improve);
        let heuristic = match options.heuristic {
            HeuristicChoice::Nearest | HeuristicChoice::Matching | HeuristicChoice::Total => {
                HeuristicChoice::Auto
            }
            chosen => chosen,
        };
        Self { method, metric: options.tile_metric, heuristic, allow_fallback }
    }

    /// Returns this plan with pattern databases as heuristic. A node then costs more than its
    /// memory, so A* gets all of it.
    pub fn with_databases(mut self) -> Self {
        if let Method::Shortest { frontier } = &mut self.method {
            *frontier = None;
        }
        self
    }

    /// Explains the plan in a sentence.
    pub fn explain(&self, size: Size) -> String {
        let method = match self.method {
            Method::Shortest { frontier: Some(_) } => {
                "shortest solutions: IDA* for easy boards, A* in a worker's slice for the others, \
                 IDA* from its frontier when that is full"
            }
            Method::Shortest { frontier: None } => {
                "shortest solutions: IDA* for easy boards, A* for the others, in the large region if \
                 they outgrow a slice, IDA* from its frontier when that is full"
            }
            Method::Ida => "IDA*, as requested",
            Method::BestFirst(_) => "best-first search in the requested order",
            Method::Dfs => "depth-first search, as requested",
            Method::Beam(Width::States(_)) => "beam search of the requested width",
            Method::Beam(Width::Bytes(_)) => "beam search, as wide as a sixteenth of the memory allows",
            Method::AnySolution => "any solution: weighted A*, with larger weights when memory is full",
            Method::Large(method) => return format!("{size}: {}", method.explain()),
        };
        if self.metric == Metric::Line {
            return format!("{size}: {method}; moves of whole lines, bounded for each axis by itself");
        }
        let bound = match self.heuristic {
            HeuristicChoice::Auto
            | HeuristicChoice::Nearest
            | HeuristicChoice::Matching
            | HeuristicChoice::Total => {
                "pattern databases as lower bound where they pay, walking distance where its tables are \
                 small, linear conflicts elsewhere"
            }
            HeuristicChoice::Misplaced => "misplaced tiles as lower bound, as requested",
            HeuristicChoice::Manhattan => "Manhattan distance as lower bound, as requested",
            HeuristicChoice::LinearConflict => "linear conflicts as lower bound, as requested",
            HeuristicChoice::WalkingDistance => "walking distance as lower bound, as requested",
            HeuristicChoice::Pdb => "pattern databases as lower bound, as requested",
        };
        format!("{size}: {method}; {bound}")
    }
}
