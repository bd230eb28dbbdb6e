//! The courses' search for trays: one loop, any queue, any visited set.

use crate::heuristic::{TrayPriorities, TrayPriority};
use crate::puzzle::Puzzle;
use crate::puzzle::trays::{Mask, Packed, PackedState, Tray};
use ahash::AHashSet;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::time::Instant;

/// Which state comes next.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Queue {
    /// The last one found.
    Stack,
    /// The first one found.
    Fifo,
    /// The one whose blocks are nearest to the goal rectangles of their shapes.
    Nearest,
    /// The same, with the distances of the blocks from their initial positions added.
    Total,
    /// The one with the fewest moves made.
    Made,
}

impl Queue {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Stack => "stack",
            Self::Fifo => "FIFO queue",
            Self::Nearest => "priority: nearest",
            Self::Total => "priority: total",
            Self::Made => "priority: moves made",
        }
    }
}

/// How a state is recognised when it comes again.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Seen {
    /// By its key.
    Exact,
    /// By 32 bits: the cells of its blocks as digits of a number in this base.
    Hash(u32),
}

impl Seen {
    /// Its name.
    pub fn name(self) -> String {
        match self {
            Self::Exact => "exact keys".into(),
            Self::Hash(multiplier) => format!("32 bits × {multiplier}"),
        }
    }
}

/// What came of a search.
#[derive(Clone, PartialEq, Debug)]
pub struct Outcome {
    /// `solved`, `none` if the queue ran empty, or `nodes`.
    pub ending: &'static str,
    /// Slides to the goal.
    pub length: Option<u32>,
    /// States visited.
    pub visited: u64,
    /// Bytes for visited states, their parents and the queue, at the end.
    pub bytes: u64,
    /// Time, in microseconds.
    pub time_us: f64,
    /// Whether the search went on behind the goal.
    pub whole: bool,
}

/// A visited set.
enum Set {
    Exact(AHashSet<u128>),
    Hash(AHashSet<u32>, u32),
}

impl Set {
    fn insert(&mut self, key: u128, state: &PackedState<u64>) -> bool {
        match self {
            Self::Exact(keys) => keys.insert(key),
            Self::Hash(hashes, multiplier) => hashes.insert(hash(state, *multiplier)),
        }
    }

    /// Bytes of an entry.
    fn entry(&self) -> u64 {
        match self {
            Self::Exact(_) => 16,
            Self::Hash(..) => 4,
        }
    }
}

/// The cells of all blocks, class by class, as digits.
fn hash(state: &PackedState<u64>, multiplier: u32) -> u32 {
    let mut hash = 0u32;
    for &anchors in &state.anchors {
        let mut cells = anchors;
        while !cells.is_none() {
            hash = hash.wrapping_mul(multiplier).wrapping_add(cells.lowest());
            cells = cells.without_lowest();
        }
    }
    hash
}

/// The open states, by number.
enum Open {
    Stack(Vec<u32>),
    Fifo(VecDeque<u32>),
    /// With a priority; of equal ones the first found comes first.
    Priority(BinaryHeap<Reverse<(u32, u32)>>),
}

impl Open {
    fn new(queue: Queue) -> Self {
        match queue {
            Queue::Stack => Self::Stack(Vec::new()),
            Queue::Fifo => Self::Fifo(VecDeque::new()),
            _ => Self::Priority(BinaryHeap::new()),
        }
    }

    fn push(&mut self, number: u32, priority: u32) {
        match self {
            Self::Stack(stack) => stack.push(number),
            Self::Fifo(queue) => queue.push_back(number),
            Self::Priority(heap) => heap.push(Reverse((priority, number))),
        }
    }

    fn pop(&mut self) -> Option<u32> {
        match self {
            Self::Stack(stack) => stack.pop(),
            Self::Fifo(queue) => queue.pop_front(),
            Self::Priority(heap) => heap.pop().map(|Reverse((_, number))| number),
        }
    }

    fn bytes(&self) -> u64 {
        match self {
            Self::Stack(stack) => 4 * stack.len() as u64,
            Self::Fifo(queue) => 4 * queue.len() as u64,
            Self::Priority(heap) => 8 * heap.len() as u64,
        }
    }
}

/// The priorities of the courses' programs.
pub(super) struct Priorities {
    nearest: TrayPriorities,
    total: TrayPriorities,
}

/// The bytes that the tables of a small tray may take.
const TABLES: usize = 1 << 20;

impl Priorities {
    pub(super) fn new(tray: &Tray) -> Option<Self> {
        let tables = |priority| TrayPriorities::new(tray, priority, TABLES);
        Some(Self { nearest: tables(TrayPriority::Nearest)?, total: tables(TrayPriority::Total)? })
    }
}

/// How a search is done.
pub(super) struct Run<'a> {
    pub(super) queue: Queue,
    pub(super) seen: Seen,
    /// States that may be visited.
    pub(super) limit: u64,
    /// Whether the search goes on behind the goal, through the whole space.
    pub(super) whole: bool,
    /// Asked now and then whether to end.
    pub(super) stop: &'a dyn Fn() -> bool,
}

/// Expansions between two looks at `stop`.
const STOP_EVERY: u64 = 1024;

/// Searches until the goal is found, or through the whole space, or until so
/// many states were visited. None if it was stopped.
pub(super) fn search(puzzle: &Packed<u64, u128>, priorities: &Priorities, run: Run<'_>) -> Option<Outcome> {
    let Run { queue, seen, limit, whole, stop } = run;
    let mut expanded = 0u64;
    let started = Instant::now();
    let mut set = match seen {
        Seen::Exact => Set::Exact(AHashSet::default()),
        Seen::Hash(multiplier) => Set::Hash(AHashSet::default(), multiplier),
    };
    let mut open = Open::new(queue);
    let start = puzzle.start();
    // Each state with how many moves it took.
    let mut states = vec![(puzzle.pack(&start), 0u32)];
    set.insert(states[0].0, &start);
    open.push(0, 0);
    let mut length = puzzle.is_goal(&start).then_some(0);
    let mut ending = "none";
    'search: while let Some(number) = open.pop() {
        if length.is_some() && !whole {
            break;
        }
        expanded += 1;
        if expanded.is_multiple_of(STOP_EVERY) && stop() {
            return None;
        }
        let (key, made) = states[number as usize];
        let state = puzzle.unpack(key);
        for step in puzzle.moves(&state, None) {
            let child = puzzle.apply(&state, step);
            let key = puzzle.pack(&child);
            if !set.insert(key, &child) {
                continue;
            }
            states.push((key, made + 1));
            if length.is_none() && puzzle.is_goal(&child) {
                length = Some(made + 1);
                if !whole {
                    break 'search;
                }
            }
            if states.len() as u64 >= limit {
                ending = "nodes";
                break 'search;
            }
            let priority = match queue {
                Queue::Stack | Queue::Fifo => 0,
                Queue::Nearest => priorities.nearest.of_packed(&child),
                Queue::Total => priorities.total.of_packed(&child),
                Queue::Made => made + 1,
            };
            open.push(states.len() as u32 - 1, priority);
        }
    }
    let visited = states.len() as u64;
    Some(Outcome {
        ending: if length.is_some() && !whole { "solved" } else { ending },
        length,
        visited,
        bytes: visited * (size_of::<(u128, u32)>() as u64 + set.entry()) + open.bytes(),
        time_us: started.elapsed().as_nanos() as f64 / 1000.0,
        whole,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::trays::{BlockShape, TrayGoal, TrayRequest};
    use crate::puzzle::trays::{Metric, Place};

    /// The course's priority of a state, block by block.
    fn by_hand(tray: &Tray, state: &PackedState<u64>, from_start: bool) -> u32 {
        let mut sum = 0;
        for (class, &anchors) in tray.classes().iter().zip(&state.anchors) {
            let (goals, starts) = (&tray.goal()[class.goals.clone()], &tray.blocks()[class.blocks.clone()]);
            for cell in (0..tray.cells()).filter(|cell| anchors >> cell & 1 == 1) {
                let at = Place::of_cell(cell, tray.cols());
                let far = |to: Place| u32::from(at.row.abs_diff(to.row) + at.col.abs_diff(to.col));
                sum += goals.iter().map(|goal| far(goal.at)).min().unwrap_or(0);
                sum += starts.iter().map(|start| far(start.at)).min().filter(|_| from_start).unwrap_or(0);
            }
        }
        sum
    }

    /// States visited until the goal is found, always expanding the open state of the
    /// lowest priority, of equal ones the oldest.
    fn visited(tray: &Tray, puzzle: &Packed<u64, u128>, from_start: bool, limit: u64) -> u64 {
        let mut states = vec![puzzle.start()];
        let mut open = vec![(0, 0)];
        while let Some(&next) = open.iter().min() {
            open.retain(|&entry| entry != next);
            let state = states[next.1];
            for step in puzzle.moves(&state, None) {
                let child = puzzle.apply(&state, step);
                if states.iter().any(|known| puzzle.pack(known) == puzzle.pack(&child)) {
                    continue;
                }
                states.push(child);
                if puzzle.is_goal(&child) || states.len() as u64 >= limit {
                    return states.len() as u64;
                }
                open.push((by_hand(tray, &child, from_start), states.len() - 1));
            }
        }
        states.len() as u64
    }

    #[test]
    fn queues_go_by_the_priorities_of_the_course() {
        let request = TrayRequest {
            rows: 4,
            cols: 4,
            count: 20,
            seed: 3,
            holes: 4,
            shapes: [(1, 1), (1, 2), (2, 1), (2, 2)].map(BlockShape::from).into(),
            goals: 1,
            goal: TrayGoal::Farthest { max_states: 1000, memory: 1 << 20 },
        };
        for tray in request.trays().unwrap().filter(|tray| !tray.is_solved()) {
            let puzzle = Packed::new(&tray, Metric::Slide).unwrap();
            let priorities = Priorities::new(&tray).unwrap();
            let run = |queue| Run { queue, seen: Seen::Exact, limit: 500, whole: false, stop: &|| false };
            for (queue, from_start) in [(Queue::Nearest, false), (Queue::Total, true)] {
                let outcome = search(&puzzle, &priorities, run(queue)).unwrap();
                assert_eq!(outcome.visited, visited(&tray, &puzzle, from_start, 500), "{queue:?}\n{tray}");
            }
        }
    }
}
