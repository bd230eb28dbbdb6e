//! Layered breadth-first search with partitioned duplicate detection.
//!
//! In a graph with reversible moves, the neighbours of a layer are in that layer, the previous
//! one and the next one. No table of all visited states is needed, only layers. Each step from
//! one layer to the next has two phases:
//!
//! 1. *Expand*: expand the states of the layer in batches, and write all neighbours to buckets
//!    chosen by the highest bits of their mixed keys. Each bucket has one cache line as a write
//!    buffer, so memory is written in whole lines.
//! 2. *Merge*: pass each bucket through a small table that stays in the cache. It merges
//!    duplicates and removes states of the current layer (and of the previous one, where moves
//!    may lead back). The remaining states are the bucket of the next layer; they overwrite the
//!    candidates.
//!
//! All accesses that miss the cache are sequential. Buckets are the work items of both phases,
//! for any number of threads. (Korf 2008, *Linear-time disk-based implicit graph search*, and
//! Zhou and Hansen 2004, *Structured duplicate detection*, do this with disks; here the slow
//! medium is main memory.)
//!
//! **Used-operator bits** (Korf 2004) say which moves of a state can only lead to states that
//! are no farther from the start. The bits of duplicates are merged. The puzzle decides how
//! much they save ([`Batched`]). If they exclude all moves to the previous layer, that layer
//! need not be read.
//!
//! **Memory.** Layers and candidates are chains of chunks in one region. Past layers are kept
//! for the path while memory lasts. When it is full, the oldest layers are dropped first; then
//! candidates are merged early; if that frees little, the search stops with the bound that it
//! has proved: all goals are beyond the layer that was being expanded. `path.rs` finds the path
//! without the dropped layers.
//!
//! The length of a solution does not depend on the number of threads. Which of several shortest
//! solutions is found may depend on it.

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

/// The reaction to a full region.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WhenFull {
    /// Drop old layers, and search again for the path.
    DropLayers,
    /// Stop with [`Stop::Memory`].
    Stop,
}

/// Finds a shortest solution in a region of memory.
///
/// If the region is too small, the result is [`Stop::Memory`].
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
        End::DepthReached => unreachable!("searched without a stop depth"),
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
