//! Improves a solution by a search in its neighbourhood (plan neighbourhood graph search:
//! Nakhost and Müller, ICAPS 2010).
//!
//! 1. Store the states on the solution and the states near them, up to a limit.
//! 2. Find a shortest path among the stored states by breadth-first search.
//! 3. Repeat around the new solution while it helps.

use super::nodes::{Insertion, NONE, Node, Nodes};
use super::{Flow, Space};
use crate::memory::Region;
use crate::puzzle::Move;
use crate::search::{Limits, Statistics};

/// Generated successors per stored state, at most. Bounds the time in spaces where a state has
/// thousands of successors.
const GENERATED_PER_STATE: u64 = 20;

/// g of a node that is not reached yet.
const UNREACHED: u32 = u32::MAX;

/// Returns a solution that is as short as repeated searches among `max_states` states around it
/// can make it. `path` leads from the space's start to a goal.
pub fn shorten<S: Space>(
    space: &mut S,
    path: Vec<Move>,
    max_states: usize,
    limits: &Limits<'_>,
    region: &mut Region<'_>,
) -> (Vec<Move>, Statistics) {
    let mut statistics = Statistics::default();
    let mut path = path;
    let mut nodes = Nodes::new(region, space.width());
    loop {
        nodes.clear();
        let Some(goal) = store_neighbourhood(space, &mut nodes, &path, max_states, limits, &mut statistics)
        else {
            break;
        };
        let Some(goal) = shortest_path_end(space, &mut nodes, goal, limits, &mut statistics) else { break };
        let shorter = nodes.path(goal);
        let gain = path.len() - shorter.len().min(path.len());
        if gain > 0 {
            path = shorter;
        }
        // A gain of less than a fiftieth does not promise more.
        if gain * 50 <= path.len() {
            break;
        }
    }
    (path, statistics)
}

/// Stores the states of a path, then their neighbours, then theirs, and so on. Returns the node
/// at the end of the path.
fn store_neighbourhood<S: Space>(
    space: &mut S,
    nodes: &mut Nodes<'_>,
    path: &[Move],
    max_states: usize,
    limits: &Limits<'_>,
    statistics: &mut Statistics,
) -> Option<u32> {
    let mut key = vec![0; space.width()];
    let mut after = key.clone();
    let (estimate, is_goal) = space.start(&mut key);
    let mut goal = insert(nodes, &key, estimate)?;
    for &step in path {
        let estimate = space.apply(&key, step, &mut after);
        std::mem::swap(&mut key, &mut after);
        goal = insert(nodes, &key, estimate)?;
    }
    let (mut next, mut full) = (0, is_goal);
    let max_generated = statistics.generated + GENERATED_PER_STATE * max_states as u64;
    while (next as usize) < nodes.len() && nodes.len() < max_states && !full {
        if next % 1024 == 1023 && limits.reached(0).is_some() {
            return None;
        }
        key.copy_from_slice(nodes.key(next));
        statistics.expanded += 1;
        space.expand(&key, nodes.get(next).estimate, None, |successor| {
            statistics.generated += 1;
            full = insert(nodes, successor.key, successor.estimate).is_none()
                || statistics.generated > max_generated;
            if full { Flow::Break } else { Flow::Continue }
        });
        next += 1;
    }
    Some(goal)
}

/// Stores an unreached state.
fn insert(nodes: &mut Nodes<'_>, key: &[u32], estimate: u32) -> Option<u32> {
    match nodes.insert(key) {
        Insertion::New(node) => {
            nodes.set(node, Node { cost: UNREACHED, estimate, ..nodes.get(node) });
            Some(node)
        }
        Insertion::Existing(node) => Some(node),
        Insertion::Full => None,
    }
}

/// Returns the nearest goal, by breadth-first search from node 0 among stored states. The
/// nodes' parents then lead to it.
fn shortest_path_end<S: Space>(
    space: &mut S,
    nodes: &mut Nodes<'_>,
    goal: u32,
    limits: &Limits<'_>,
    statistics: &mut Statistics,
) -> Option<u32> {
    let mut key = vec![0; space.width()];
    nodes.set(0, Node { cost: 0, parent: NONE, next: NONE, ..nodes.get(0) });
    if goal == 0 {
        return Some(0);
    }
    let (mut first, mut last) = (0, 0);
    let mut reached = None;
    let mut polls = 0u32;
    let max_generated = statistics.generated + GENERATED_PER_STATE * nodes.len() as u64;
    while first != NONE && reached.is_none() && statistics.generated <= max_generated {
        polls += 1;
        if polls.is_multiple_of(1024) && limits.reached(0).is_some() {
            return None;
        }
        let Node { cost, step, next, estimate, .. } = nodes.get(first);
        key.copy_from_slice(nodes.key(first));
        statistics.expanded += 1;
        let node = first;
        let was_last = next == NONE;
        space.expand(&key, estimate, (cost > 0).then_some(step), |successor| {
            statistics.generated += 1;
            let Some(child) = nodes.find(successor.key) else { return Flow::Continue };
            let stored = nodes.get(child);
            if stored.cost != UNREACHED {
                return Flow::Continue;
            }
            nodes.set(
                child,
                Node { cost: cost + 1, parent: node, step: successor.step, next: NONE, ..stored },
            );
            nodes.set(last, Node { next: child, ..nodes.get(last) });
            last = child;
            if successor.is_goal || child == goal {
                reached = Some(child);
                return Flow::Break;
            }
            Flow::Continue
        });
        first = if was_last { nodes.get(node).next } else { next };
    }
    reached
}
