//! Reconstruction of the path without parent pointers.
//!
//! 1. Moves are reversible, so a state's predecessors are among its neighbours: those in the
//!    previous layer. The path is traced back from the goal through the layers still in memory.
//! 2. Where layers were dropped, two states and the distance between them are left. Two
//!    searches, one from each, meet in the middle.
//! 3. Repeat for the two halves.
//!
//! A search to half the distance visits a small part of the states, so this takes far less time
//! and memory than the search that found the goal.

use super::engine::{End, Engine, SearchResult};
use super::layer::{Layer, states};
use crate::memory::Packed;
use crate::puzzle::batched::Batched;
use crate::search::{HelperPool, Statistics, Stop};
use std::collections::{HashSet, VecDeque};

/// Reconstructs paths with an engine.
pub(super) struct PathFinder<'e, 'a, 'm, P: Batched> {
    pub(super) engine: &'e Engine<'a, 'm, P>,
    pub(super) helpers: &'e dyn HelperPool,
    pub(super) statistics: Statistics,
}

impl<P: Batched> PathFinder<'_, '_, '_, P> {
    /// Returns the states of a shortest path after the start, up to `goal`, which was reached
    /// one move beyond the last of `layers`.
    pub(super) fn path(
        &mut self,
        start: P::State,
        goal: P::State,
        depth: u32,
        layers: VecDeque<Layer>,
    ) -> Result<Vec<P::State>, Stop> {
        let mut back = self.trace_back(goal, layers);
        back.insert(0, goal);
        let nearest = back.pop().unwrap_or(goal);
        let mut path = self.connect(start, nearest, depth + 1 - back.len() as u32)?;
        path.extend(back.into_iter().rev());
        Ok(path)
    }

    /// Returns the states of a shortest path between two states at `distance`, without the
    /// first.
    fn connect(&mut self, from: P::State, to: P::State, distance: u32) -> Result<Vec<P::State>, Stop> {
        if distance <= 1 {
            return Ok(if distance == 1 { vec![to] } else { Vec::new() });
        }
        let middle = distance / 2;
        let there = self.layers(from, middle)?;
        let there = self.keep_last(there);
        let mut back = self.layers(to, distance - middle)?;
        let here = back.pop_back();
        let meeting = here.zip(there).and_then(|(here, there)| self.common(here, there));
        for layer in here.into_iter().chain(there) {
            layer.release(&self.engine.pool);
        }
        let meeting = meeting.expect("searches from both ends of a shortest path meet in its middle");
        let onward = self.trace_back(meeting, back);
        let mut path = self.connect(from, meeting, middle)?;
        let rest = distance - middle - onward.len() as u32;
        let last = onward.last().copied().unwrap_or(meeting);
        path.extend(onward);
        path.extend(self.connect(last, to, rest)?);
        Ok(path)
    }

    /// Returns the layers around a state up to the depth `stop_depth`, or the last ones if not
    /// all fit.
    fn layers(&mut self, from: P::State, stop_depth: u32) -> Result<VecDeque<Layer>, Stop> {
        let from = from.without_used_moves(self.engine.puzzle.used_move_bits());
        let SearchResult { end, layers, statistics, .. } =
            self.engine.search(from, Some(stop_depth), self.helpers);
        self.statistics += statistics;
        match end {
            End::DepthReached => Ok(layers),
            End::Stopped(stop) => Err(stop),
            End::Goal(_) | End::Exhausted => unreachable!("there are states at this distance"),
        }
    }

    fn keep_last(&self, mut layers: VecDeque<Layer>) -> Option<Layer> {
        let last = layers.pop_back();
        layers.into_iter().for_each(|layer| layer.release(&self.engine.pool));
        last
    }

    /// Returns a state that is in both layers.
    fn common(&self, a: Layer, b: Layer) -> Option<P::State> {
        let (pool, used_move_bits) = (&self.engine.pool, self.engine.puzzle.used_move_bits());
        let (coarse, fine) = if a.bits <= b.bits { (a, b) } else { (b, a) };
        (0..1 << coarse.bits).find_map(|number| {
            let bucket = coarse.bucket(pool, number);
            let common: HashSet<P::State, ahash::RandomState> = states::<P::State>(pool, &bucket)
                .map(|state| state.without_used_moves(used_move_bits))
                .collect();
            fine.overlapping(number, coarse.bits).find_map(|number| {
                let bucket = fine.bucket(pool, number);
                states::<P::State>(pool, &bucket)
                    .find(|state| common.contains(&state.without_used_moves(used_move_bits)))
            })
        })
    }

    /// Returns the states of a path from `state` back through the layers, the last layer first.
    /// Releases the layers.
    fn trace_back(&self, state: P::State, mut layers: VecDeque<Layer>) -> Vec<P::State> {
        let Engine { puzzle, pool, .. } = self.engine;
        let used_move_bits = puzzle.used_move_bits();
        let (mut neighbours, mut workspace) = (Vec::new(), P::Workspace::default());
        let mut at = state;
        let mut path = Vec::new();
        while let Some(layer) = layers.pop_back() {
            neighbours.clear();
            puzzle.expand(&[at.without_used_moves(used_move_bits)], &mut workspace, &mut neighbours);
            let before = neighbours.iter().find(|&&state| layer.contains(pool, state, used_move_bits));
            at = *before.expect("a state has a neighbour in the layer before");
            path.push(at);
            layer.release(pool);
        }
        path
    }
}
