//! Which search for which puzzle.
//!
//! A puzzle is tried in up to three *tiers*: at once, with a small limit on
//! nodes, because most puzzles of a large batch are easy; then by one worker in
//! its own slice of memory; then in the large part, with all who are idle.

use crate::options::{Algorithm, HeuristicChoice, Options, Quality};
use crate::puzzle::tiles::{Metric, Size};
use crate::search::Order;
use crate::search::beam::Width;

/// How much is spent on a puzzle before it is put off.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Tier {
    /// A few thousand nodes, at once.
    Quick,
    /// All that fits a worker's slice.
    Slice,
    /// All that fits the large part, and whatever can be done without memory.
    Large,
}

/// Nodes in the tier [`Tier::Quick`].
pub const QUICK_NODES: u64 = 4000;

/// The same with pattern databases: most boards are solved within it.
pub const QUICK_NODES_BY_DATABASES: u64 = 500_000;

/// The same for boards of over 16 cells: these take as long as an easy one.
pub const QUICK_NODES_OF_WIDE_BOARDS: u64 = 50_000;

/// The frontier that A* builds for small boards before it goes on as IDA*.
const SMALL_BOARD_FRONTIER: usize = 2 << 20;

/// The searches for puzzles of one size.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Plan {
    /// What is searched with.
    pub method: Method,
    /// What counts as one move.
    pub metric: Metric,
    /// The lower bound.
    pub heuristic: HeuristicChoice,
    /// Whether a solution that is not proved to be shortest may stand in where
    /// the method finds none within its limits.
    pub allow_fallback: bool,
}

/// A search, or several one after the other.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Method {
    /// IDA* for easy puzzles, A* for the others; when its memory is full, IDA*
    /// from its frontier. With `frontier`, a worker's slice is all that A* gets,
    /// and no more of it than this; otherwise it gets the large part, too.
    Shortest {
        /// The bytes of the frontier that is worth building.
        frontier: Option<usize>,
    },
    /// IDA*.
    Ida,
    /// Best-first in one order.
    BestFirst(Order),
    /// Depth-first with a stack.
    Dfs,
    /// Level by level, the best of each.
    Beam(Width),
    /// Weighted A* with weights that care less and less for the length.
    AnySolution,
    /// A method for boards that are too large for shortest solutions.
    Large(LargeMethod),
}

/// How boards are solved that are too large for shortest solutions.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum LargeMethod {
    /// Line by line, tile by tile.
    Staged,
    /// Line by line, the best boards of each level: so many, or as many as the
    /// memory allows.
    Beam(Option<usize>),
    /// Shorter and shorter solutions until the time is over.
    Improve {
        /// How many can work on one board.
        threads: usize,
    },
}

impl LargeMethod {
    fn explain(self) -> &'static str {
        match self {
            Self::Staged => "any solution: line by line from outside in, the core by a shortest path",
            Self::Beam(Some(_)) => "beam search of the width asked for, line by line",
            Self::Beam(None) => "beam search, line by line, as wide as a worker's slice of memory allows",
            Self::Improve { .. } => {
                "shorter solutions until the time is over: line by line, then by beams, then windows of the path"
            }
        }
    }
}

impl Method {
    /// Whether this is one search that was asked for by its name, and whose
    /// nodes are to be counted as if it had been the only one.
    pub fn is_explicit(self) -> bool {
        !matches!(self, Self::Shortest { .. } | Self::AnySolution | Self::Large(_))
    }
}

/// The width of a beam: what was asked for, or by the memory. It does not depend on the
/// number of threads, so that neither do the counts.
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
    /// The plan for boards of a size.
    pub fn new(options: &Options, size: Size) -> Self {
        let small = size.cells() <= 16;
        let method = match options.algorithm {
            Algorithm::Auto => match options.quality {
                // Where a node costs little, a frontier that stays in the cache
                // is worth more than a large one (docs/benchmarks.md).
                Quality::Auto | Quality::Optimal | Quality::Improve if small => {
                    Method::Shortest { frontier: Some(SMALL_BOARD_FRONTIER) }
                }
                Quality::Optimal => Method::Shortest { frontier: None },
                Quality::Fast if small => Method::AnySolution,
                Quality::Improve => Method::Large(LargeMethod::Improve { threads: options.threads }),
                Quality::Auto | Quality::Fast => Method::Large(LargeMethod::Staged),
            },
            // A search that was asked for by its name takes its states in the order of
            // the textbook, one by one, so that its counts are those of the textbook.
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

    /// The same plan with pattern databases as lower bound: a node costs more
    /// than its place, so that A* gets all the memory that there is.
    pub fn with_databases(mut self) -> Self {
        if let Method::Shortest { frontier } = &mut self.method {
            *frontier = None;
        }
        self
    }

    /// Why, in a sentence.
    pub fn explain(&self, size: Size) -> String {
        let method = match self.method {
            Method::Shortest { frontier: Some(_) } => {
                "shortest solutions: IDA* for easy boards, A* in a worker's slice for the others, \
                 IDA* from its frontier when that is full"
            }
            Method::Shortest { frontier: None } => {
                "shortest solutions: IDA* for easy boards, A* for the others, in the large part if \
                 they outgrow a slice, IDA* from its frontier when that is full"
            }
            Method::Ida => "IDA*, as asked for",
            Method::BestFirst(_) => "best-first search in the order asked for",
            Method::Dfs => "depth-first search, as asked for",
            Method::Beam(Width::States(_)) => "beam search of the width asked for",
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
            HeuristicChoice::Misplaced => "misplaced tiles as lower bound, as asked for",
            HeuristicChoice::Manhattan => "Manhattan distance as lower bound, as asked for",
            HeuristicChoice::LinearConflict => "linear conflicts as lower bound, as asked for",
            HeuristicChoice::WalkingDistance => "walking distance as lower bound, as asked for",
            HeuristicChoice::Pdb => "pattern databases as lower bound, as asked for",
        };
        format!("{size}: {method}; {bound}")
    }
}
