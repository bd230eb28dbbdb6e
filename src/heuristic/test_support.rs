//! Checks that every heuristic of the tile puzzle must pass, on whole state spaces and on
//! random walks.

use super::Heuristic;
use crate::puzzle::tiles::{Board, Cells, Direction, Goal, Size, TileState, Tiles};
use crate::puzzle::{Move, Puzzle};
use std::collections::HashSet;

/// Returns the goals to test: the named ones, and one with the blank off every corner and off
/// the middle.
pub(crate) fn goals(rows: usize, cols: usize) -> Vec<Board> {
    let size = Size::new(rows, cols).unwrap();
    let mut odd = Goal::BlankFirst.board(size).unwrap().into_owned();
    assert!(odd.slide(Direction::Right));
    let named = [Goal::BlankLast, Goal::BlankFirst, Goal::Snail].map(|g| g.board(size).unwrap().into_owned());
    named.into_iter().chain([odd]).collect()
}

/// Returns every state with its distance from the goal, by plain breadth-first search.
pub(crate) fn distances<P: Puzzle<Key = u64>>(puzzle: &P, goal: P::State) -> Vec<(P::State, u32)> {
    let mut visited: HashSet<u64, ahash::RandomState> = HashSet::default();
    visited.insert(puzzle.pack(&goal));
    let mut states = vec![(goal, 0)];
    let mut done = 0;
    while let Some(&(state, distance)) = states.get(done) {
        done += 1;
        for step in puzzle.moves(&state, None) {
            let next = puzzle.apply(&state, step);
            if visited.insert(puzzle.pack(&next)) {
                states.push((next, distance + 1));
            }
        }
    }
    states
}

/// Checks a state and all its moves: the estimate may change only as `change_per_move` says.
fn check_state<C: Cells, H: Heuristic<Tiles<C>>>(
    puzzle: &Tiles<C>,
    heuristic: &H,
    state: &TileState<C>,
    change_per_move: ChangePerMove,
) where
    H::Memo: PartialEq + std::fmt::Debug,
{
    let memo = heuristic.evaluate(puzzle, state);
    let estimate = heuristic.estimate(&memo);
    assert_eq!(heuristic.restore(puzzle, state, estimate, heuristic.payload(&memo)), memo);
    let moves = puzzle.moves(state, None);
    for step in moves {
        let next = puzzle.apply(state, step);
        let updated = heuristic.update(puzzle, &memo, state, step);
        assert_eq!(updated, heuristic.evaluate(puzzle, &next), "{state:?} {step:?}");
        let change = heuristic.estimate(&updated).abs_diff(estimate);
        assert!(
            change == 1 || change == 0 && change_per_move == ChangePerMove::OneOrNone,
            "{state:?} {step:?}"
        );
    }
    // `prune_moves` must agree with evaluating each move.
    for max_estimate in estimate.saturating_sub(2)..estimate + 2 {
        let result = heuristic.prune_moves(puzzle, &memo, state, moves, max_estimate);
        let after = |step: Move| heuristic.estimate(&heuristic.update(puzzle, &memo, state, step));
        let remaining: Vec<Move> = result.moves.collect();
        let (mut pruned, mut min_estimate) = (0, u32::MAX);
        for step in moves.filter(|step| !remaining.contains(step)) {
            assert!(after(step) > max_estimate);
            pruned += 1;
            min_estimate = min_estimate.min(after(step));
        }
        assert_eq!(result.pruned, pruned);
        assert!(result.min_estimate <= min_estimate);
        assert!(
            max_estimate + 1 < estimate
                || !H::PRUNES
                || remaining.iter().all(|&step| after(step) <= max_estimate)
        );
    }
}

/// The permitted change of an estimate by a move.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ChangePerMove {
    /// By one, up or down.
    One,
    /// By one, or not at all.
    OneOrNone,
}

/// Checks a heuristic on all states of a size, for all goals (or for one, where there are
/// millions of states). Returns the sum of its estimates for each goal.
pub(crate) fn check_all_states<H: Heuristic<Tiles<u64>>>(
    (rows, cols): (usize, usize),
    change_per_move: ChangePerMove,
    make: impl Fn(&Tiles<u64>) -> H,
) -> Vec<u64>
where
    H::Memo: PartialEq + std::fmt::Debug,
{
    let check_goal = |goal: Board| {
        let puzzle = Tiles::<u64>::new(&goal).unwrap();
        let heuristic = make(&puzzle);
        let states = distances(&puzzle, puzzle.state(&goal));
        assert_eq!(states.len(), (3..=rows * cols).product::<usize>());
        let check_one = |(state, distance): &(TileState<u64>, u32)| {
            check_state(&puzzle, &heuristic, state, change_per_move);
            let estimate = heuristic.estimate(&heuristic.evaluate(&puzzle, state));
            assert!(estimate <= *distance, "{state:?}: {estimate} for {distance}");
            assert!(estimate > 0 || *distance == 0, "{state:?}");
            u64::from(estimate)
        };
        states.iter().map(check_one).sum()
    };
    let goals_tried = if rows * cols < 10 { usize::MAX } else { 1 };
    goals(rows, cols).into_iter().take(goals_tried).map(check_goal).collect()
}

/// Checks a heuristic along random walks from the goals. No estimate may exceed the length of
/// the walk.
pub(crate) fn check_random_walks<C: Cells, H: Heuristic<Tiles<C>>>(
    (rows, cols): (usize, usize),
    change_per_move: ChangePerMove,
    make: impl Fn(&Tiles<C>) -> H,
) where
    H::Memo: PartialEq + std::fmt::Debug,
{
    for goal in goals(rows, cols) {
        let puzzle = Tiles::<C>::new(&goal).unwrap();
        let heuristic = make(&puzzle);
        let mut random = 88_172_645_463_325_252u64;
        for _ in 0..20 {
            let mut state = puzzle.state(&goal);
            let mut last = None;
            for walked in 0..200 {
                assert!(heuristic.estimate(&heuristic.evaluate(&puzzle, &state)) <= walked);
                check_state(&puzzle, &heuristic, &state, change_per_move);
                let moves: Vec<Move> = puzzle.moves(&state, last).collect();
                random ^= random << 13;
                random ^= random >> 7;
                random ^= random << 17;
                let step = moves[random as usize % moves.len()];
                state = puzzle.apply(&state, step);
                last = Some(step);
            }
        }
    }
}
