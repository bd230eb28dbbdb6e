//! Depth-first search with a stack, over keys of run-time width.
//!
//! A state is stored when it is pushed, and never pushed twice. The state pushed last is
//! expanded next. The stack is a linked list through the nodes.

use super::nodes::{Insertion, NONE, Node, Nodes};
use super::{Flow, Space};
use crate::memory::Region;
use crate::search::{Ending, Limits, Outcome, Statistics, Stop};

/// Expansions between two polls of the limits.
const POLL_INTERVAL: u64 = 1 << 10;

/// Searches depth-first from the start of `space`, on the calling thread. The start's estimate
/// is the lower bound of the outcome.
pub fn depth_first<S: Space>(space: &mut S, limits: &Limits<'_>, region: &mut Region<'_>) -> Outcome {
    let mut statistics = Statistics::default();
    let mut key = vec![0; space.width()];
    let (bound, is_goal) = space.start(&mut key);
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
    let (mut top, mut goal, mut stop) = (start, None, None);
    while top != NONE && goal.is_none() && stop.is_none() {
        if statistics.expanded.is_multiple_of(POLL_INTERVAL) {
            stop = limits.reached(statistics.stored);
            if stop.is_some() {
                break;
            }
        }
        let node = top;
        let Node { cost, step, next, estimate, .. } = nodes.get(node);
        top = next;
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
            nodes.set(
                child,
                Node {
                    cost: cost + 1,
                    parent: node,
                    step: successor.step,
                    next: top,
                    previous: NONE,
                    estimate: successor.estimate,
                },
            );
            top = child;
            if successor.is_goal {
                goal = Some(child);
            } else if statistics.stored >= max_nodes {
                stop = Some(Stop::Nodes);
            }
            if goal.is_some() || stop.is_some() { Flow::Break } else { Flow::Continue }
        });
    }
    let ending = match (goal, stop) {
        (Some(goal), _) => {
            let path = nodes.path(goal);
            let bound = bound.min(path.len() as u32);
            Ending::Solved { path, bound }
        }
        (None, Some(stop)) => Ending::Stopped { stop, bound },
        (None, None) => Ending::Exhausted,
    };
    Outcome { ending, statistics }
}
