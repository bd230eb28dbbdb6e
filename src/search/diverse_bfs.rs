//! Diversity-limited breadth-first search: finds some solution quickly, and not a long one.
//!
//! Some puzzles have hundreds of millions of states, and their heuristics are weak. Neither
//! greedy nor exhaustive search then finds a solution soon. But most states of a layer differ
//! only in irrelevant details. The caller therefore defines an abstract *class* of each state,
//! and of each class only the first few states of a layer are stored.
//!
//! Invariants: a stored state is never generated as new again; a pruned one may be. If the
//! layers become empty, the next search stores more states of each class. A search that pruned
//! nothing has visited the whole state space.
//!
//! Solutions are short because every layer is one move further: it is a beam search whose width
//! is limited by class instead of by estimate.

use super::{Ending, Limits, Outcome, Statistics, Stop};
use crate::memory::{Packed, Region, prefetch};
use crate::puzzle::Move;
use crate::puzzle::batched::{BATCH, Batched, Neighbours};

/// States of a class per layer in the first search, and the factor to each following search.
const FIRST_PER_CLASS: u32 = 1;
const PER_CLASS_FACTOR: u32 = 3;

/// After a solution, another search with more states per class follows if all searches together
/// are expected to store at most this many: a moment's work.
const MAX_RETRY_STATES: u64 = 150_000;

/// Memory of the first search in bytes. Most searches need no more, and unused memory need not
/// be cleared.
const FIRST_BYTES: usize = 8 << 20;

/// Bits of the hash that distinguish classes.
const CLASS_BITS: u32 = 16;

/// Least capacity in states with which a search is tried.
const MIN_STATES: usize = 1 << 10;

/// Searches for any solution in a region of memory. All searches together store at most
/// `max_states` states. `class` returns a hash of a state's abstract class.
pub fn solve<P: Batched>(
    puzzle: &P,
    start: P::State,
    class: impl Fn(P::State) -> u64,
    max_states: u64,
    limits: &Limits<'_>,
    region: &mut Region<'_>,
) -> Outcome {
    let mut statistics = Statistics { stored: 1, ..Statistics::default() };
    if puzzle.is_goal(start) {
        return Outcome { ending: Ending::Solved { path: Vec::new(), bound: 0 }, statistics };
    }
    // States stored by all searches together. The statistics have those of the search that
    // gives the answer.
    let mut total = 1;
    let (mut stop, mut best) = (Stop::Memory, None);
    let (mut per_class, mut bytes) = (FIRST_PER_CLASS, FIRST_BYTES);
    let max_states = limits.max_nodes.map_or(max_states, |limit| limit.min(max_states));
    while total < max_states {
        let left = (max_states - total) as usize;
        let is_whole = bytes >= region.bytes();
        let mut part = region.first(bytes);
        let Some(mut search) = Search::new(puzzle, &mut part, left, per_class) else { break };
        let ended = search.run(start, &class, limits);
        let stored = search.len as u64;
        total += stored;
        if best.is_none() {
            statistics.stored = stored;
        }
        statistics.expanded += search.expanded;
        statistics.generated += search.generated;
        match ended {
            End::Goal(goal) => {
                let path = search.path(goal);
                // A solution found before anything was pruned is a shortest one.
                let bound = if search.has_pruned { 1 } else { path.len() as u32 };
                let likely = total + (PER_CLASS_FACTOR as u64 + 1) * search.len as u64;
                if best.as_ref().is_none_or(|(other, _): &(Vec<Move>, u32)| path.len() < other.len()) {
                    best = Some((path, bound));
                    statistics.stored = stored;
                }
                if !search.has_pruned || likely > MAX_RETRY_STATES {
                    break;
                }
                per_class *= PER_CLASS_FACTOR;
            }
            End::Empty if !search.has_pruned => {
                statistics.stored = stored;
                return Outcome { ending: Ending::Exhausted, statistics };
            }
            End::Empty => per_class *= PER_CLASS_FACTOR,
            End::Stopped(Stop::Memory) if !is_whole => bytes = usize::MAX,
            End::Stopped(reason) => {
                stop = reason;
                break;
            }
        }
    }
    if let Some((path, bound)) = best {
        return Outcome { ending: Ending::Solved { path, bound }, statistics };
    }
    let stop = if total >= max_states { Stop::Nodes } else { stop };
    Outcome { ending: Ending::Stopped { stop, bound: 1 }, statistics }
}

enum End<E> {
    Goal(E),
    Empty,
    Stopped(Stop),
}

struct Search<'a, 'm, P: Batched> {
    puzzle: &'a P,
    /// All stored states, layer by layer.
    states: &'m mut [P::State],
    len: usize,
    /// The start of each layer in `states`.
    layers: Vec<usize>,
    /// Open-addressing table of state indices plus one; 0 marks an empty slot.
    table: &'m mut [u32],
    /// For each class the last layer in which it occurred, and how often.
    classes: &'m mut [[u32; 2]],
    per_class: u32,
    has_pruned: bool,
    expanded: u64,
    generated: u64,
}

impl<'a, 'm, P: Batched> Search<'a, 'm, P> {
    /// Creates a search that stores at most `max_states` states, or as many as fit. Returns
    /// `None` if fewer than [`MIN_STATES`] fit.
    fn new(puzzle: &'a P, region: &'m mut Region<'_>, max_states: usize, per_class: u32) -> Option<Self> {
        let width = size_of::<P::State>();
        let classes = 8 << CLASS_BITS;
        // Two to four table slots per state.
        let capacity = region.bytes().checked_sub(classes + 64)? / (width + 16);
        if capacity < MIN_STATES {
            return None;
        }
        let max_states = max_states.min(capacity).min(1 << 28);
        let (classes_end, table_end) = (classes, classes + 4 * (2 * max_states).next_power_of_two().max(16));
        let ([classes, table, states], watermark) = region.split(classes_end, table_end);
        watermark.raise(table_end + width * max_states);
        let clear = |words: &mut [u64]| words.fill(0);
        clear(classes.words);
        clear(table.words);
        let states = bytemuck::cast_slice_mut(&mut states.words[..max_states * width / 8]);
        Some(Self {
            puzzle,
            states,
            len: 0,
            layers: vec![0],
            table: bytemuck::cast_slice_mut(table.words),
            classes: bytemuck::cast_slice_mut(classes.words),
            per_class,
            has_pruned: false,
            expanded: 0,
            generated: 0,
        })
    }

    fn run(
        &mut self,
        start: P::State,
        class: &impl Fn(P::State) -> u64,
        limits: &Limits<'_>,
    ) -> End<P::State> {
        let used_move_bits = self.puzzle.used_move_bits();
        let mut workspace = P::Workspace::default();
        let mut successors = Successors { states: Vec::with_capacity(16 * BATCH), goal: None };
        self.store(start.without_used_moves(used_move_bits));
        let mut at = 0;
        loop {
            let layer_end = self.len;
            self.layers.push(layer_end);
            if at == layer_end {
                return End::Empty;
            }
            let level = self.layers.len() as u32;
            while at < layer_end {
                if let Some(stop) = limits.reached(self.len as u64) {
                    return End::Stopped(stop);
                }
                let batch = at..layer_end.min(at + BATCH);
                at = batch.end;
                self.expanded += batch.len() as u64;
                self.puzzle.expand(&self.states[batch], &mut workspace, &mut successors);
                if let Some(goal) = successors.goal {
                    return End::Goal(goal);
                }
                self.generated += successors.states.len() as u64;
                for &state in &successors.states {
                    prefetch(&raw const self.table[self.home(state)]);
                }
                for state in successors.states.drain(..) {
                    if self.find(state).is_ok() {
                        continue;
                    }
                    let [last, count] = &mut self.classes[(class(state) >> (64 - CLASS_BITS)) as usize];
                    if *last != level {
                        (*last, *count) = (level, 0);
                    }
                    *count += 1;
                    if *count > self.per_class {
                        self.has_pruned = true;
                    } else if !self.store(state) {
                        return End::Stopped(Stop::Memory);
                    }
                }
            }
        }
    }

    #[inline(always)]
    fn home(&self, state: P::State) -> usize {
        state.slice(0, self.table.len().trailing_zeros())
    }

    /// Returns the index of a state, or the empty slot for it.
    #[inline(always)]
    fn find(&self, state: P::State) -> Result<usize, usize> {
        let used_move_bits = self.puzzle.used_move_bits();
        let mut slot = self.home(state);
        loop {
            match self.table[slot] {
                0 => return Err(slot),
                number if self.states[number as usize - 1].same(state, used_move_bits) => {
                    return Ok(number as usize - 1);
                }
                _ => slot = (slot + 1) & (self.table.len() - 1),
            }
        }
    }

    /// Stores a new state. Returns false if memory is full.
    fn store(&mut self, state: P::State) -> bool {
        let (Err(slot), true) = (self.find(state), self.len < self.states.len()) else { return false };
        self.states[self.len] = state;
        self.len += 1;
        self.table[slot] = self.len as u32;
        true
    }

    /// Returns the moves to a goal that was generated from the last layer: traces back from
    /// layer to layer, each time to a stored neighbour.
    fn path(&self, goal: P::State) -> Vec<Move> {
        let used_move_bits = self.puzzle.used_move_bits();
        let mut workspace = P::Workspace::default();
        let mut neighbours = Vec::new();
        let mut path = Vec::new();
        let mut state = goal;
        // The goal's layer may have begun; its predecessor is in the last complete layer.
        for layer in self.layers.windows(2).rev().map(|ends| ends[0]..ends[1]) {
            neighbours.clear();
            self.puzzle.expand(&[state.without_used_moves(used_move_bits)], &mut workspace, &mut neighbours);
            let is_stored =
                |&&other: &&P::State| self.find(other).is_ok_and(|number| layer.contains(&number));
            let Some(&before) = neighbours.iter().find(is_stored) else { continue };
            path.push(self.puzzle.step(before, state));
            state = before;
        }
        path.reverse();
        path
    }
}

/// Generated states, and the goal among them.
struct Successors<E> {
    states: Vec<E>,
    goal: Option<E>,
}

impl<E: Copy> Neighbours<E> for Successors<E> {
    fn push(&mut self, state: E) {
        self.states.push(state);
    }

    fn goal(&mut self, state: E) {
        self.goal.get_or_insert(state);
    }
}
