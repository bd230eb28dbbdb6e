//! Beam search over keys of run-time width.
//!
//! Breadth-first search that expands only the best states of each level, chosen by their
//! estimates; of equal estimates, the state found first. Every state that was reached is
//! stored, so none is reached twice. As long as nothing was pruned, the first solution is a
//! shortest one.

use super::nodes::{Insertion, NONE, Node, Nodes};
use super::solve::{MAX_LEVEL, Open};
use super::{Flow, Space};
use crate::memory::Region;
use crate::search::beam::Width;
use crate::search::{Ending, Limits, Outcome, Statistics, Stop};

/// Expansions between two polls of the limits.
const POLL_INTERVAL: u64 = 1 << 6;

/// For a width that is derived from the memory: states stored per state of the beam, that is
/// 128 levels with a few new successors each.
const STORED_PER_WIDTH: usize = 128 * 4;

/// Searches from the start of `space` with a beam of `width`, on the calling thread. A region
/// that is too small stops the search with [`Stop::Memory`].
pub fn beam<S: Space>(space: &mut S, width: Width, limits: &Limits<'_>, region: &mut Region<'_>) -> Outcome {
    let width = match width {
        Width::States(states) => states,
        Width::Bytes(bytes) => bytes / Nodes::bytes_per_state(space.width()) / STORED_PER_WIDTH,
    };
    let width = width.max(1);
    let mut statistics = Statistics::default();
    let mut key = vec![0; space.width()];
    let (mut bound, is_goal) = space.start(&mut key);
    if is_goal {
        return Outcome { ending: Ending::Solved { path: Vec::new(), bound: 0 }, statistics };
    }
    let mut nodes = Nodes::new(region, space.width());
    let Insertion::New(start) = nodes.insert(&key) else {
        return Outcome { ending: Ending::Stopped { stop: Stop::Memory, bound }, statistics };
    };
    nodes.set(start, Node { next: NONE, estimate: bound, ..nodes.get(start) });
    statistics.stored = 1;
    let max_nodes = limits.max_nodes.unwrap_or(u64::MAX);
    let mut open = Open::new(false);
    let (mut first, mut depth, mut has_pruned) = (start, 0, false);
    let (mut goal, mut stop) = (None, None);
    'levels: while first != NONE {
        let mut node = first;
        while node != NONE {
            if statistics.expanded.is_multiple_of(POLL_INTERVAL) {
                stop = limits.reached(statistics.stored);
                if stop.is_some() {
                    break 'levels;
                }
            }
            let Node { cost, step, next, estimate, .. } = nodes.get(node);
            key.copy_from_slice(nodes.key(node));
            statistics.expanded += 1;
            space.expand(&key, estimate, (cost > 0).then_some(step), |successor| {
                statistics.generated += 1;
                let child = match nodes.insert(successor.key) {
                    Insertion::Existing(_) => return Flow::Continue,
                    Insertion::New(child) => child,
                    Insertion::Full => {
                        stop = Some(Stop::Memory);
                        return Flow::Break;
                    }
                };
                statistics.stored += 1;
                let (step, estimate) = (successor.step, successor.estimate);
                nodes.set(child, Node { cost: cost + 1, parent: node, step, estimate, ..nodes.get(child) });
                open.push(&mut nodes, (estimate as usize).min(MAX_LEVEL), child);
                if successor.is_goal {
                    goal = Some(child);
                } else if statistics.stored >= max_nodes {
                    stop = Some(Stop::Nodes);
                }
                if goal.is_some() || stop.is_some() { Flow::Break } else { Flow::Continue }
            });
            if goal.is_some() || stop.is_some() {
                break 'levels;
            }
            node = next;
        }
        if !has_pruned {
            // All states of this depth were expanded, and none of the next is a goal.
            depth += 1;
            bound = bound.max(depth + 1);
        }
        first = take_best(&mut open, &mut nodes, width);
        has_pruned |= open.pop(&mut nodes).is_some();
        open.clear();
    }
    let ending = match (goal, stop) {
        (Some(goal), _) => {
            let path = nodes.path(goal);
            let length = path.len() as u32;
            Ending::Solved { path, bound: if has_pruned { bound.min(length) } else { length } }
        }
        (None, Some(stop)) => Ending::Stopped { stop, bound },
        (None, None) if has_pruned => Ending::Stopped { stop: Stop::Beam, bound },
        (None, None) => Ending::Exhausted,
    };
    Outcome { ending, statistics }
}

/// Pops the best `width` nodes from the open list, links them, and returns the first.
fn take_best(open: &mut Open, nodes: &mut Nodes<'_>, width: usize) -> u32 {
    let (mut first, mut last) = (NONE, NONE);
    for _ in 0..width {
        let Some((_, node)) = open.pop(nodes) else { break };
        nodes.set(node, Node { next: NONE, ..nodes.get(node) });
        match last {
            NONE => first = node,
            last => nodes.set(last, Node { next: node, ..nodes.get(last) }),
        }
        last = node;
    }
    first
}
