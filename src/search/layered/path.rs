//! How the path is found, though no state knows where it came from.
//!
//! As every move can be undone, a state's predecessors are among its
//! neighbours: those that lie in the layer before. So the path is walked back
//! from the goal through the layers that are still there. Where layers were
//! given up for want of memory, two ends and the distance between them are left:
//! two searches, one from each end, meet in the middle; and so on with the two
//! halves. A search to half the distance sees a small part of the states, so
//! this takes far less time and memory than the search that found the goal.

use super::engine::{End, Engine, SearchResult};
use super::layer::{Layer, states};
use crate::memory::Packed;
use crate::puzzle::batched::Batched;
use crate::search::{HelperPool, Statistics, Stop};
use std::collections::{HashSet, VecDeque};

/// Finds paths with the help of an engine.
pub(super) struct PathFinder<'e, 'a, 'm, P: Batched> {
    pub(super) engine: &'e Engine<'a, 'm, P>,
    pub(super) helpers: &'e dyn HelperPool,
    pub(super) statistics: Statistics,
}

impl<P: Batched> PathFinder<'_, '_, '_, P> {
    /// The states of a shortest path, behind the start up to the goal that was
    /// reached behind the last of these layers.
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

    /// The states of a shortest path between two at a distance, without the
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

    /// The layers around a state up to a distance, as far as there is room for
    /// all of them.
    fn layers(&mut self, from: P::State, stop_depth: u32) -> Result<VecDeque<Layer>, Stop> {
        let from = from.without_used_moves(self.engine.puzzle.note_bits());
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

    /// A state that is in both layers.
    fn common(&self, a: Layer, b: Layer) -> Option<P::State> {
        let (pool, note_bits) = (&self.engine.pool, self.engine.puzzle.note_bits());
        let (coarse, fine) = if a.bits <= b.bits { (a, b) } else { (b, a) };
        (0..1 << coarse.bits).find_map(|number| {
            let bucket = coarse.bucket(pool, number);
            let common: HashSet<P::State, ahash::RandomState> =
                states::<P::State>(pool, &bucket).map(|state| state.without_used_moves(note_bits)).collect();
            fine.overlapping(number, coarse.bits).find_map(|number| {
                let bucket = fine.bucket(pool, number);
                states::<P::State>(pool, &bucket)
                    .find(|state| common.contains(&state.without_used_moves(note_bits)))
            })
        })
    }

    /// The states that lead from `state` through layers, the last one first, to
    /// where they come from. The layers are given back.
    fn trace_back(&self, state: P::State, mut layers: VecDeque<Layer>) -> Vec<P::State> {
        let Engine { puzzle, pool, .. } = self.engine;
        let note_bits = puzzle.note_bits();
        let (mut neighbours, mut workspace) = (Vec::new(), P::Workspace::default());
        let mut at = state;
        let mut path = Vec::new();
        while let Some(layer) = layers.pop_back() {
            neighbours.clear();
            puzzle.expand(&[at.without_used_moves(note_bits)], &mut workspace, &mut neighbours);
            let before = neighbours.iter().find(|&&state| layer.contains(pool, state, note_bits));
            at = *before.expect("a state has a neighbour in the layer before");
            path.push(at);
            layer.release(pool);
        }
        path
    }
}
