//! The order in which a textbook search visits states, to the letter.
//!
//! Two queues: FIFO, which makes it breadth-first search, and a priority queue
//! on Manhattan distance, which makes it greedy search. The blank's moves are
//! tried in the order up, right, down, left; a state is visited when it enters
//! the queue and keeps the parent that brought it there first; the search ends
//! as soon as the goal enters. Ties in the priority queue are broken as
//! `java.util.PriorityQueue` breaks them ([`heap`]).
//!
//! This is a search of its own, beside those in [`search`](crate::search):
//! they may visit states in any order that finds an answer soon, this one may
//! not. States are numbered in the order of their visits (`visits`: packed in
//! `log`, of any size in `wide`), and are listed as they come (`listing`).

pub mod heap;
mod index;
mod listing;
mod log;
mod visits;
mod wide;

use crate::memory::budget::{Budget, OutOfBudget};
use crate::output::{Sink, SinkError};
use crate::puzzle::tiles::{Board, Cells, Direction, is_solvable};
use crate::search::{Limits, Stop};
use bytemuck::Pod;
use heap::Heap;
use listing::Listing;
use log::Log;
use visits::Visits;
use wide::WideLog;

/// Which queue the states wait in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Queue {
    /// First in, first out.
    Fifo,
    /// The lowest Manhattan distance first.
    Priority,
}

/// What is listed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum List {
    /// Every state, in the order of the visits.
    Visited,
    /// The states from the start to the goal, with the moves between them.
    Solution,
}

/// What to trace, and how to list it.
#[derive(Clone, Debug)]
pub struct Request<'a> {
    /// The start.
    pub board: &'a Board,
    /// The end, of the same size.
    pub goal: &'a Board,
    /// The queue.
    pub queue: Queue,
    /// What is listed.
    pub list: List,
    /// Whether each line is followed by the board.
    pub grids: bool,
    /// The cap on the memory of the process.
    pub memory: u64,
}

/// How a trace ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ending {
    /// At the goal.
    Solved {
        /// States visited, the start and the goal included.
        visited: u64,
        /// Moves from the start.
        length: u64,
    },
    /// Before it began: parity says that there is no solution.
    Unsolvable,
    /// By a limit.
    Stopped {
        /// The limit.
        stop: Stop,
        /// States visited.
        visited: u64,
    },
}

/// Why there is no trace.
#[derive(Debug, thiserror::Error)]
pub enum TraceError {
    /// The cap is too small.
    #[error("--memory: {0}")]
    Memory(#[from] OutOfBudget),
    /// The lines could not be written.
    #[error(transparent)]
    Output(#[from] SinkError),
}

/// The program itself, with its buffers.
const PROGRAM: u64 = 12 << 20;

/// Bytes of the queue for each state.
const QUEUED: u64 = 8;

/// Expansions between two looks at the limits.
const BETWEEN_LOOKS: u64 = 1 << 10;

/// Searches, and lists what was asked for.
pub fn run(request: &Request<'_>, limits: &Limits<'_>, sink: &mut Sink) -> Result<Ending, TraceError> {
    let Request { board, goal, .. } = *request;
    if !is_solvable(board, goal) {
        return Ok(Ending::Unsolvable);
    }
    match board.size().cells() {
        0..=16 => packed::<u64>(request, limits, sink),
        17..=25 => packed::<u128>(request, limits, sink),
        26..=40 => packed::<[u64; 5]>(request, limits, sink),
        41..=104 => packed::<[u64; 13]>(request, limits, sink),
        105..=256 => packed::<[u64; 32]>(request, limits, sink),
        cells => search(WideLog::new(board, goal), WideLog::bytes(cells), request, limits, sink),
    }
}

fn packed<C: Cells + Pod>(
    request: &Request<'_>,
    limits: &Limits<'_>,
    sink: &mut Sink,
) -> Result<Ending, TraceError> {
    let log = Log::<C>::new(request.board, request.goal).expect("the words were chosen for the board");
    search(log, Log::<C>::BYTES, request, limits, sink)
}

/// Searches from the one state that was visited, with so many bytes for each.
fn search<V: Visits>(
    mut visits: V,
    bytes: u64,
    request: &Request<'_>,
    limits: &Limits<'_>,
    sink: &mut Sink,
) -> Result<Ending, TraceError> {
    let budget = Budget::new(request.memory);
    budget.reserve(PROGRAM)?;
    // States are numbered by 32 bits.
    let room = (budget.left() / (bytes + QUEUED)).min(u32::MAX.into());
    budget.reserve(budget.left())?;
    let most = limits.max_nodes.unwrap_or(u64::MAX);

    let mut listing = Listing::new(request, sink);
    let start = visits.state(0);
    let mut queue = Waiting::new(request.queue, visits.estimate(&start));
    listing.visited(0, &visits, &start)?;
    let mut goal = visits.is_goal(&start).then_some(0);
    let mut expanded = 0u64;
    while goal.is_none()
        && let Some((parent, estimate)) = queue.next(visits.len())
    {
        if expanded.is_multiple_of(BETWEEN_LOOKS)
            && let Some(stop) = limits.reached(0)
        {
            return stopped(stop, listing, visits.len());
        }
        expanded += 1;
        let state = visits.state(parent);
        for direction in Direction::ALL {
            let Some(child) = visits.successor(&state, direction) else { continue };
            let Some(number) = visits.visit(&child, parent) else { continue };
            listing.visited(number, &visits, &child)?;
            if visits.is_goal(&child) {
                goal = Some(number);
                break;
            }
            if u64::from(visits.len()) >= most.min(room) {
                let stop = if most <= room { Stop::Nodes } else { Stop::Memory };
                return stopped(stop, listing, visits.len());
            }
            queue.add(number, || visits.estimate_after(&state, estimate, direction));
        }
    }
    let goal = goal.expect("what parity allows is found");
    let path = visits.path(goal);
    listing.solution(&visits, &path)?;
    listing.finish()?;
    Ok(Ending::Solved { visited: visits.len().into(), length: path.len() as u64 - 1 })
}

/// The end at a limit, with what was listed before it.
fn stopped(stop: Stop, listing: Listing<'_>, visited: u32) -> Result<Ending, TraceError> {
    listing.finish()?;
    Ok(Ending::Stopped { stop, visited: visited.into() })
}

/// The states that wait. In a FIFO queue these are simply the next ones of the
/// log.
enum Waiting {
    Fifo { next: u32 },
    Priority(Heap),
}

impl Waiting {
    /// The queue with the start in it.
    fn new(queue: Queue, estimate: u32) -> Self {
        match queue {
            Queue::Fifo => Self::Fifo { next: 0 },
            Queue::Priority => {
                let mut heap = Heap::default();
                heap.offer(estimate, 0);
                Self::Priority(heap)
            }
        }
    }

    #[inline(always)]
    fn add(&mut self, number: u32, estimate: impl FnOnce() -> u32) {
        if let Self::Priority(heap) = self {
            heap.offer(estimate(), number);
        }
    }

    /// The next state and its estimate, of as many as there are; a FIFO queue
    /// knows of no estimates.
    #[inline(always)]
    fn next(&mut self, visited: u32) -> Option<(u32, u32)> {
        match self {
            Self::Fifo { next } => {
                *next += 1;
                (*next <= visited).then(|| (*next - 1, 0))
            }
            Self::Priority(heap) => heap.poll().map(|(estimate, number)| (number, estimate)),
        }
    }
}
