//! The library's searches on a puzzle that is not its own: the documented
//! example, whose states have many more successors than tiles have.

#[path = "../examples/pancakes.rs"]
#[allow(dead_code, unreachable_pub)]
mod pancakes;

use batch_solve::heuristic::{Heuristic, NoBatch};
use batch_solve::memory::{Line, Region};
use batch_solve::puzzle::Puzzle;
use batch_solve::search::astar::{self, WhenFull};
use batch_solve::search::{Ending, Limits, Order, Outcome, Problem, SpawnThreads, Stop, ida};
use bytemuck::Zeroable;
use pancakes::{Gaps, Pancakes};
use std::collections::HashMap;

/// Every stack with its distance, by plain breadth-first search.
fn space(puzzle: Pancakes) -> Vec<(u64, u32)> {
    let goal = puzzle.state(&(0..u64::from(puzzle.count)).collect::<Vec<_>>());
    assert!(puzzle.is_goal(&goal));
    let mut seen = HashMap::from([(goal, 0)]);
    let mut stacks = vec![(goal, 0)];
    let mut done = 0;
    while let Some(&(stack, distance)) = stacks.get(done) {
        done += 1;
        for step in puzzle.moves(&stack, None) {
            let next = puzzle.apply(&stack, step);
            assert_eq!(puzzle.undo(&next, step), stack);
            if seen.insert(next, 0).is_none() {
                stacks.push((next, distance + 1));
            }
        }
    }
    stacks
}

/// Replays a solution; its length and bound.
fn replay(puzzle: Pancakes, stack: u64, outcome: &Outcome) -> (u32, u32) {
    let Ending::Solved { path, bound } = &outcome.ending else { panic!("{stack:x}: {outcome:?}") };
    let end = path.iter().fold(stack, |stack, &step| puzzle.apply(&stack, step));
    assert!(puzzle.is_goal(&end), "{stack:x}: {outcome:?}");
    (path.len() as u32, *bound)
}

#[test]
fn gaps_never_exceed_the_distance_and_follow_the_moves() {
    let puzzle = Pancakes { count: 7 };
    let stacks = space(puzzle);
    assert_eq!((stacks.len(), stacks.last().unwrap().1), (5040, 8));
    for (stack, distance) in stacks {
        let memo = Gaps.evaluate(&puzzle, &stack);
        assert!(memo <= distance);
        for step in puzzle.moves(&stack, None) {
            let next = puzzle.apply(&stack, step);
            assert_eq!(Gaps.update(&puzzle, &memo, &stack, step), Gaps.evaluate(&puzzle, &next));
        }
    }
}

#[test]
fn all_stacks_are_sorted_in_the_fewest_turns_in_any_memory() {
    let puzzle = Pancakes { count: 7 };
    let stacks = space(puzzle);
    for (bytes, threads, stride) in
        [(1 << 20, 1, 1), (24 << 10, 1, 1), (26 << 10, 1, 1), (32 << 10, 1, 1), (32 << 10, 4, 17)]
    {
        let mut memory = vec![Line::zeroed(); bytes / size_of::<Line>()];
        let mut region = Region::zeroed(&mut memory);
        for &(start, shortest) in stacks.iter().step_by(stride) {
            let problem = Problem { puzzle: &puzzle, heuristic: &Gaps, start };
            let limits = Limits::default();
            assert_eq!(replay(puzzle, start, &ida::solve(problem, &limits)), (shortest, shortest));
            let outcome = astar::solve(
                problem,
                Order::ASTAR,
                &limits,
                &mut region,
                &SpawnThreads(threads),
                WhenFull::FallBackToDfs,
            );
            assert_eq!(replay(puzzle, start, &outcome), (shortest, shortest), "{bytes} bytes");
        }
    }
}

/// A heuristic that is inconsistent and weak: the gaps of some stacks only.
struct Patchy;

impl Heuristic<Pancakes> for Patchy {
    type Memo = u32;
    type Payload = ();
    type SuccessorBatch = NoBatch;

    fn name(&self) -> &'static str {
        "patchy"
    }

    fn evaluate(&self, puzzle: &Pancakes, state: &u64) -> u32 {
        let gaps = Gaps.evaluate(puzzle, state);
        if state % 7 < 3 { gaps } else { gaps.min(1) }
    }

    fn update(&self, puzzle: &Pancakes, _: &u32, before: &u64, step: batch_solve::puzzle::Move) -> u32 {
        self.evaluate(puzzle, &puzzle.apply(before, step))
    }

    fn estimate(&self, &memo: &u32) -> u32 {
        memo
    }

    fn payload(&self, _: &u32) {}

    fn restore(&self, _: &Pancakes, _: &u64, estimate: u32, (): ()) -> u32 {
        estimate
    }
}

#[test]
fn an_inconsistent_heuristic_still_gives_shortest_solutions() {
    let puzzle = Pancakes { count: 7 };
    let mut fell_back = 0;
    for bytes in [24 << 10, 28 << 10, 40 << 10, 64 << 10, 1 << 20] {
        let mut memory = vec![Line::zeroed(); bytes / size_of::<Line>()];
        let mut region = Region::zeroed(&mut memory);
        for &(start, shortest) in space(puzzle).iter().step_by(3) {
            let problem = Problem { puzzle: &puzzle, heuristic: &Patchy, start };
            let limits = Limits::default();
            let outcome = astar::solve(
                problem,
                Order::ASTAR,
                &limits,
                &mut region,
                &SpawnThreads(1),
                WhenFull::FallBackToDfs,
            );
            assert_eq!(replay(puzzle, start, &outcome), (shortest, shortest), "{bytes} bytes");
            fell_back += u32::from(outcome.statistics.fell_back);
            let order = Order::weighted(2.0);
            let outcome =
                astar::solve(problem, order, &limits, &mut region, &SpawnThreads(1), WhenFull::FallBackToDfs);
            if let Ending::Stopped { stop, bound } = outcome.ending {
                assert!(stop == Stop::Memory && bound <= shortest, "{outcome:?}");
                continue;
            }
            let (length, bound) = replay(puzzle, start, &outcome);
            assert!(bound <= shortest && length <= 2 * shortest, "{bound} {shortest} {length}");
        }
    }
    assert!(fell_back > 100, "{fell_back}");
}

#[test]
fn a_search_alone_stores_no_more_than_it_may() {
    let puzzle = Pancakes { count: 8 };
    let mut memory = vec![Line::zeroed(); 1 << 15];
    let mut region = Region::zeroed(&mut memory);
    for (i, &(start, shortest)) in space(puzzle).iter().enumerate().step_by(97) {
        let most = i as u64 * 31 % 900 + 1;
        let problem = Problem { puzzle: &puzzle, heuristic: &Patchy, start };
        let limits = Limits::nodes(most);
        let outcome = astar::solve(
            problem,
            Order::ASTAR,
            &limits,
            &mut region,
            &SpawnThreads(1),
            WhenFull::FallBackToDfs,
        );
        assert!(outcome.statistics.stored <= most, "{outcome:?} of {most}");
        if let Ending::Stopped { bound, .. } = outcome.ending {
            assert!(bound <= shortest);
        }
    }
}
