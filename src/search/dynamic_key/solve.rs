//! Best-first search with an open list of linked buckets.

use super::nodes::{Insertion, NONE, Node, Nodes};
use super::{Flow, Space};
use crate::memory::Region;
use crate::search::{Ending, Limits, Order, Outcome, Statistics, Stop};

/// Expansions between two polls of the limits.
const POLL_INTERVAL: u64 = 1 << 10;

/// Priorities from here on share one bucket.
pub(super) const MAX_LEVEL: usize = 1 << 20;

/// The open list: one doubly linked list through the nodes per priority.
pub(super) struct Open {
    /// First and last node of each level.
    ends: Vec<(u32, u32)>,
    lowest: usize,
    /// Whether a level is a stack (newest first) or a queue.
    newest_first: bool,
}

impl Open {
    /// Returns an empty list. Each level is a stack if `newest_first`, otherwise a queue.
    pub(super) fn new(newest_first: bool) -> Self {
        Self { ends: Vec::new(), lowest: 0, newest_first }
    }

    /// Removes all nodes from the list.
    pub(super) fn clear(&mut self) {
        self.ends.clear();
        self.lowest = 0;
    }

    pub(super) fn push(&mut self, nodes: &mut Nodes<'_>, level: usize, node: u32) {
        if level >= self.ends.len() {
            self.ends.resize(level + 1, (NONE, NONE));
        }
        self.lowest = self.lowest.min(level);
        let (first, last) = &mut self.ends[level];
        let links = nodes.get(node);
        if *first == NONE {
            (*first, *last) = (node, node);
            nodes.set(node, Node { next: NONE, previous: NONE, ..links });
        } else if self.newest_first {
            nodes.set(node, Node { next: *first, previous: NONE, ..links });
            nodes.set(*first, Node { previous: node, ..nodes.get(*first) });
            *first = node;
        } else {
            nodes.set(node, Node { next: NONE, previous: *last, ..links });
            nodes.set(*last, Node { next: node, ..nodes.get(*last) });
            *last = node;
        }
    }

    fn remove(&mut self, nodes: &mut Nodes<'_>, level: usize, node: u32) {
        let links = nodes.get(node);
        let Node { next, previous, .. } = links;
        match previous {
            NONE => self.ends[level].0 = next,
            before => nodes.set(before, Node { next, ..nodes.get(before) }),
        }
        match next {
            NONE => self.ends[level].1 = previous,
            after => nodes.set(after, Node { previous, ..nodes.get(after) }),
        }
        nodes.set(node, Node { next: node, ..links });
    }

    pub(super) fn pop(&mut self, nodes: &mut Nodes<'_>) -> Option<(usize, u32)> {
        while let Some(&(first, _)) = self.ends.get(self.lowest) {
            if first != NONE {
                self.remove(nodes, self.lowest, first);
                return Some((self.lowest, first));
            }
            self.lowest += 1;
        }
        None
    }
}

/// Searches from the start of `space` in the given order. The solution is a shortest one if the
/// order is optimal.
pub fn solve<S: Space>(space: &mut S, order: Order, limits: &Limits<'_>, region: &mut Region<'_>) -> Outcome {
    let mut statistics = Statistics::default();
    let mut key = vec![0; space.width()];
    let (start_estimate, is_goal) = space.start(&mut key);
    if is_goal {
        return Outcome { ending: Ending::Solved { path: Vec::new(), bound: 0 }, statistics };
    }
    let mut nodes = Nodes::new(region, space.width());
    let mut open = Open::new(order.is_optimal());
    let level = |cost: u32, estimate: u32| (order.priority(cost, estimate) as usize).min(MAX_LEVEL);
    let optimal = order.is_optimal();
    let Insertion::New(start) = nodes.insert(&key) else {
        let ending = Ending::Stopped { stop: Stop::Memory, bound: start_estimate };
        return Outcome { ending, statistics };
    };
    nodes.set(start, Node { estimate: start_estimate, ..nodes.get(start) });
    open.push(&mut nodes, level(0, start_estimate), start);
    statistics.stored = 1;
    let max_nodes = limits.max_nodes.unwrap_or(u64::MAX);
    let mut goal: Option<u32> = None;
    let mut stop = None;
    let mut bound = start_estimate;
    while let Some((lowest, node)) = open.pop(&mut nodes) {
        if optimal {
            bound = bound.max(order.bound(lowest as u32)).max(start_estimate);
        }
        if goal == Some(node) {
            break;
        }
        statistics.expanded += 1;
        if statistics.expanded % POLL_INTERVAL == 1 || statistics.stored >= max_nodes {
            stop = limits.reached(statistics.stored);
            if stop.is_some() {
                open.push(&mut nodes, lowest, node);
                break;
            }
        }
        key.copy_from_slice(nodes.key(node));
        let Node { cost, step, estimate, .. } = nodes.get(node);
        let last = (cost > 0).then_some(step);
        let mut found = false;
        space.expand(&key, estimate, last, |successor| {
            statistics.generated += 1;
            let child_level = level(cost + 1, successor.estimate);
            let child = match nodes.insert(successor.key) {
                Insertion::New(child) => {
                    statistics.stored += 1;
                    child
                }
                Insertion::Existing(child) => {
                    let stored = nodes.get(child);
                    if stored.cost <= cost + 1 {
                        return Flow::Continue;
                    }
                    let is_closed = stored.next == child;
                    if is_closed && !optimal {
                        // A closed node is not re-opened; only its path becomes shorter.
                        nodes.set(
                            child,
                            Node { cost: cost + 1, parent: node, step: successor.step, ..stored },
                        );
                        return Flow::Continue;
                    }
                    if !is_closed {
                        open.remove(&mut nodes, level(stored.cost, stored.estimate), child);
                    }
                    child
                }
                Insertion::Full => {
                    stop = Some(Stop::Memory);
                    return Flow::Break;
                }
            };
            let Node { next, previous, .. } = nodes.get(child);
            let (cost, estimate) = (cost + 1, successor.estimate);
            nodes.set(child, Node { cost, parent: node, step: successor.step, next, previous, estimate });
            open.push(&mut nodes, child_level, child);
            if successor.is_goal && goal.is_none_or(|goal| nodes.get(goal).cost >= cost) {
                goal = Some(child);
                if !optimal || child_level <= lowest {
                    found = true;
                    return Flow::Break;
                }
            }
            if statistics.stored >= max_nodes {
                stop = Some(Stop::Nodes);
                return Flow::Break;
            }
            Flow::Continue
        });
        if found || stop.is_some() {
            break;
        }
    }
    let ending = match (goal, stop) {
        (Some(goal), stop) => {
            let path = nodes.path(goal);
            let length = path.len() as u32;
            Ending::Solved { path, bound: if optimal && stop.is_none() { length } else { bound.min(length) } }
        }
        (None, Some(stop)) => Ending::Stopped { stop, bound },
        (None, None) => Ending::Exhausted,
    };
    Outcome { ending, statistics }
}
