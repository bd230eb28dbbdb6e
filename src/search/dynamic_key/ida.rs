//! Iterative-deepening A* (Korf 1985) over keys of run-time width.
//!
//! Depth-first searches with a growing bound on f; the first solution is a shortest one. The
//! region holds only the states of the path, each with its successors that are not yet
//! searched:
//!
//! ```text
//!  ┌─────┬──────────────────┬─────┬──────────────────┬─ ─ ─ ─
//!  │ key │ step, estimate … │ key │ step, estimate … │ free
//!  └─────┴──────────────────┴─────┴──────────────────┴─ ─ ─ ─
//! ```

use super::{Flow, Space};
use crate::memory::Region;
use crate::memory::region::Watermark;
use crate::puzzle::Move;
use crate::search::{Ending, Limits, Outcome, Statistics, Stop};

/// Expansions between two polls of the limits.
const POLL_INTERVAL: u64 = 1 << 10;

/// A state of the path: word indices of its key, of the successor to search next, and of the
/// end of its successors.
#[derive(Clone, Copy)]
struct Frame {
    key: usize,
    next: usize,
    end: usize,
}

/// The result of expanding a state.
enum Expansion {
    /// Successors within the bound are stored.
    Stored,
    /// A successor is a goal.
    Goal,
    /// A limit was reached.
    Stopped(Stop),
}

/// Searches from the start of `space` for a shortest solution, on the calling thread. The node
/// limit applies to generated states, since none are stored.
pub fn ida<S: Space>(space: &mut S, limits: &Limits<'_>, region: &mut Region<'_>) -> Outcome {
    let width = space.width();
    let mut key = vec![0; width];
    let (estimate, is_goal) = space.start(&mut key);
    if is_goal {
        let ending = Ending::Solved { path: Vec::new(), bound: 0 };
        return Outcome { ending, statistics: Statistics::default() };
    }
    let ([_, _, all], watermark) = region.split(0, 0);
    let words: &mut [u32] = bytemuck::cast_slice_mut(all.words);
    let mut search = Search {
        space,
        limits,
        words,
        used: 0,
        watermark,
        path: Vec::new(),
        bound: estimate,
        next_bound: u32::MAX,
        statistics: Statistics::default(),
    };
    let ending = loop {
        match search.search_within_bound(&key, estimate) {
            Expansion::Goal => break Ending::Solved { path: search.path, bound: search.bound },
            Expansion::Stopped(stop) => break Ending::Stopped { stop, bound: search.bound },
            Expansion::Stored if search.next_bound == u32::MAX => break Ending::Exhausted,
            Expansion::Stored => {
                search.bound = search.next_bound;
                search.next_bound = u32::MAX;
            }
        }
    };
    Outcome { ending, statistics: search.statistics }
}

struct Search<'s, S> {
    space: &'s mut S,
    limits: &'s Limits<'s>,
    words: &'s mut [u32],
    /// Words that were ever written.
    used: usize,
    watermark: &'s Watermark,
    path: Vec<Move>,
    /// The bound on f, and the least f above it.
    bound: u32,
    next_bound: u32,
    statistics: Statistics,
}

impl<S: Space> Search<'_, S> {
    /// Searches all states within the bound.
    fn search_within_bound(&mut self, start: &[u32], estimate: u32) -> Expansion {
        let width = start.len();
        self.path.clear();
        if width > self.words.len() {
            return Expansion::Stopped(Stop::Memory);
        }
        self.words[..width].copy_from_slice(start);
        let mut after = vec![0; width];
        let mut frames = Vec::new();
        let mut frame = Frame { key: 0, next: width, end: width };
        match self.expand(&mut frame, estimate) {
            Expansion::Stored => frames.push(frame),
            ended => return ended,
        }
        while let Some(frame) = frames.last_mut() {
            if frame.next == frame.end {
                frames.pop();
                self.path.pop();
                continue;
            }
            let (step, estimate) = (Move(self.words[frame.next]), self.words[frame.next + 1]);
            frame.next += 2;
            self.space.apply(&self.words[frame.key..frame.key + width], step, &mut after);
            let end = frame.end;
            let mut child = Frame { key: end, next: end + width, end: end + width };
            if child.end > self.words.len() {
                return Expansion::Stopped(Stop::Memory);
            }
            self.words[end..end + width].copy_from_slice(&after);
            self.path.push(step);
            match self.expand(&mut child, estimate) {
                Expansion::Stored => frames.push(child),
                ended => return ended,
            }
        }
        Expansion::Stored
    }

    /// Appends the successors within the bound to the state's key.
    fn expand(&mut self, frame: &mut Frame, estimate: u32) -> Expansion {
        let Self { space, limits, words, used, watermark, path, bound, next_bound, statistics } = self;
        if statistics.expanded.is_multiple_of(POLL_INTERVAL)
            && let Some(stop) = limits.reached(statistics.generated)
        {
            return Expansion::Stopped(stop);
        }
        statistics.expanded += 1;
        let max_nodes = limits.max_nodes.unwrap_or(u64::MAX);
        let cost = path.len() as u32 + 1;
        let (before, behind) = words.split_at_mut(frame.next);
        let (mut len, mut goal, mut stop) = (0, None, None);
        space.expand(&before[frame.key..], estimate, path.last().copied(), |successor| {
            if statistics.generated >= max_nodes {
                stop = Some(Stop::Nodes);
                return Flow::Break;
            }
            statistics.generated += 1;
            let f = cost + successor.estimate;
            if f > *bound {
                *next_bound = f.min(*next_bound);
                return Flow::Continue;
            }
            if successor.is_goal {
                goal = Some(successor.step);
                return Flow::Break;
            }
            let Some(entry) = behind.get_mut(len..len + 2) else {
                stop = Some(Stop::Memory);
                return Flow::Break;
            };
            entry.copy_from_slice(&[successor.step.0, successor.estimate]);
            len += 2;
            Flow::Continue
        });
        frame.end = frame.next + len;
        if frame.end > *used {
            *used = frame.end;
            watermark.raise(4 * frame.end);
        }
        if let Some(step) = goal {
            path.push(step);
            return Expansion::Goal;
        }
        stop.map_or(Expansion::Stored, Expansion::Stopped)
    }
}
