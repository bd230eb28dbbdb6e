//! Layered breadth-first search with partitioned duplicate detection.
//!
//! Breadth-first search goes from layer to layer, and in a graph whose moves can
//! be undone, the neighbours of a layer lie in that layer, the one before and
//! the one behind. So there is no table of all states ever seen; there are
//! layers, and each step from one to the next has two phases:
//!
//! 1. *Expand*: the states of the layer are taken by the batch, and all
//!    neighbours are sorted into buckets by the highest bits of their mixed
//!    keys, through one cache line for each bucket, so that what is written to
//!    memory is whole lines.
//! 2. *Merge*: each bucket by itself goes through a small table that stays in
//!    the cache. It joins duplicates, drops what lies in the layer itself (or,
//!    where states may lead back, in the one before), and what is left is the
//!    bucket of the next layer, written over its candidates.
//!
//! No access misses the cache but those that stream. Buckets are the work items
//! of both phases, for any number of threads. (Korf 2008, *Linear-time
//! disk-based implicit graph search*, and Zhou and Hansen 2004, *Structured
//! duplicate detection*, have the idea for disks; here the slow medium is the
//! main memory.)
//!
//! **Notes.** A state's note says which of its moves can only lead to states
//! that are no farther from the start; it is joined over all ways to the state.
//! How much that saves is the puzzle's business ([`Batched`]); if it takes away
//! all moves that lead to the layer before, that layer need not be looked at.
//!
//! **Memory.** Layers and candidates are chains of chunks in one region. A layer
//! that was passed is kept for the path while there is room. When there is none,
//! the oldest layers go first, then candidates are merged before their time, and
//! if that frees little, the search stops with the bound that it has proved: all
//! goals are behind the layer that was being expanded. How the path is found
//! without the layers that are gone: `path.rs`.
//!
//! The length of a solution does not depend on the number of threads; which of
//! several shortest ones is found may.

mod engine;
mod layer;
mod layout;
mod path;
mod table;
mod worker;

use super::{Ending, HelperPool, Limits, Outcome, Statistics, Stop};
use crate::memory::Region;
use crate::puzzle::batched::Batched;
use engine::{End, Engine, SearchResult};
use path::PathFinder;

/// What to do when the region is full.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WhenFull {
    /// Give up old layers, and search again for the path.
    DropLayers,
    /// Stop for want of memory.
    Stop,
}

/// Finds a shortest solution in a region of memory.
///
/// If the region is too small for anything, the search stops at once for want
/// of memory.
pub fn solve<P: Batched>(
    puzzle: &P,
    start: P::State,
    limits: &Limits<'_>,
    region: &mut Region<'_>,
    helpers: &dyn HelperPool,
    when_full: WhenFull,
) -> Outcome {
    if puzzle.is_goal(start) {
        let statistics = Statistics { stored: 1, ..Statistics::default() };
        return Outcome { ending: Ending::Solved { path: Vec::new(), bound: 0 }, statistics };
    }
    let Some(engine) = Engine::new(puzzle, limits, region, when_full) else {
        let ending = Ending::Stopped { stop: Stop::Memory, bound: 1 };
        return Outcome { ending, statistics: Statistics::default() };
    };
    let SearchResult { end, layers, depth, bound, statistics } = engine.search(start, None, helpers);
    let mut finder = PathFinder { engine: &engine, helpers, statistics };
    let ending = match end {
        End::Exhausted => Ending::Exhausted,
        End::Stopped(stop) => Ending::Stopped { stop, bound },
        End::DepthReached => unreachable!("no distance was asked for"),
        End::Goal(goal) => match finder.path(start, goal, depth, layers) {
            Err(stop) => Ending::Stopped { stop, bound },
            Ok(states) => {
                let before = std::iter::once(start).chain(states.iter().copied());
                let path = before.zip(&states).map(|(from, &to)| puzzle.step(from, to)).collect();
                Ending::Solved { path, bound }
            }
        },
    };
    Outcome { ending, statistics: finder.statistics }
}
