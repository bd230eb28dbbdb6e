//! Every state of the 8-puzzle, searched in every way and compared with a plain
//! breadth-first search over boards, which shares nothing with the searches.
//! Every path is replayed on a board.

use batch_solve::heuristic::{Blind, Heuristic, LinearConflict, Manhattan, Misplaced, WalkingDistance};
use batch_solve::memory::{Line, Region};
use batch_solve::puzzle::Move;
use batch_solve::puzzle::tiles::{Board, Direction, Goal, Size, Tiles};
use batch_solve::search::astar::{self, WhenFull};
use batch_solve::search::beam::Width;
use batch_solve::search::{Ending, Limits, Order, Outcome, Problem, SpawnThreads, Stop, beam, dfs, ida};
use bytemuck::Zeroable;
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A goal, and every board from which it can be reached, with its distance.
struct Space {
    goal: Board,
    puzzle: Tiles<u64>,
    boards: Vec<(Board, u32)>,
}

impl Space {
    fn new(rows: usize, cols: usize, goal: Goal) -> Self {
        let goal = goal.board(Size::new(rows, cols).unwrap()).unwrap().into_owned();
        let mut seen = HashMap::from([(goal.clone(), ())]);
        let mut boards = vec![(goal.clone(), 0)];
        let mut done = 0;
        while let Some((board, distance)) = boards.get(done).cloned() {
            done += 1;
            for direction in Direction::ALL {
                let mut next = board.clone();
                if next.slide(direction) && seen.insert(next.clone(), ()).is_none() {
                    boards.push((next, distance + 1));
                }
            }
        }
        let puzzle = Tiles::new(&goal).unwrap();
        Self { goal, puzzle, boards }
    }

    fn eight(goal: Goal) -> Self {
        let space = Self::new(3, 3, goal);
        assert_eq!(space.boards.len(), 181_440);
        space
    }

    fn problem<'a, H>(&'a self, heuristic: &'a H, board: &Board) -> Problem<'a, Tiles<u64>, H> {
        Problem { puzzle: &self.puzzle, heuristic, start: self.puzzle.state(board) }
    }

    /// Replays a solution; its length and the bound that came with it.
    fn replay(&self, board: &Board, shortest: u32, outcome: &Outcome) -> (u32, u32) {
        let Ending::Solved { path, bound } = &outcome.ending else {
            panic!("{board} was not solved: {outcome:?}");
        };
        let mut end = board.clone();
        for &Move(step) in path {
            assert!(end.slide(Direction::from_index(step as usize)), "{board}: {path:?}");
        }
        assert_eq!(end, self.goal, "{board}: {path:?}");
        let length = path.len() as u32;
        assert!(*bound <= shortest && shortest <= length, "{board}: {bound} {shortest} {length}");
        (length, *bound)
    }

    /// Replays a solution that must be a shortest one, and known to be.
    fn replay_shortest(&self, board: &Board, shortest: u32, outcome: &Outcome) {
        assert_eq!(self.replay(board, shortest, outcome), (shortest, shortest), "{board}: {outcome:?}");
    }
}

fn memory(bytes: usize) -> Vec<Line> {
    vec![Line::zeroed(); bytes / size_of::<Line>()]
}

fn best_first<H: Heuristic<Tiles<u64>>>(
    problem: Problem<'_, Tiles<u64>, H>,
    order: Order,
    region: &mut Region<'_>,
    threads: usize,
) -> Outcome {
    astar::solve(problem, order, &Limits::default(), region, &SpawnThreads(threads), WhenFull::FallBackToDfs)
}

/// Solves every `stride`th board by A*; how often memory ran full.
fn astar(space: &Space, bytes: usize, threads: usize, first: usize, stride: usize) -> usize {
    let heuristic = Manhattan::new(&space.puzzle);
    let mut memory = memory(bytes);
    let mut region = Region::zeroed(&mut memory);
    let mut fell_back = 0;
    for (board, shortest) in space.boards.iter().skip(first).step_by(stride) {
        let outcome = best_first(space.problem(&heuristic, board), Order::ASTAR, &mut region, threads);
        space.replay_shortest(board, *shortest, &outcome);
        fell_back += usize::from(outcome.statistics.fell_back);
    }
    fell_back
}

/// The smallest region in which a search can begin.
fn smallest(space: &Space, from: usize) -> usize {
    let heuristic = Manhattan::new(&space.puzzle);
    let begins = |bytes: &usize| {
        let mut memory = memory(*bytes);
        let mut region = Region::zeroed(&mut memory);
        let outcome = best_first(space.problem(&heuristic, &space.boards[1].0), Order::ASTAR, &mut region, 1);
        matches!(outcome.ending, Ending::Solved { .. })
    };
    (from..).step_by(64).find(begins).unwrap()
}

#[test]
fn astar_solves_all_states_alone() {
    let space = Space::eight(Goal::BlankLast);
    assert_eq!(astar(&space, 4 << 20, 1, 0, 1), 0);
}

#[test]
fn astar_solves_states_of_every_goal_among_many_threads() {
    for goal in [Goal::BlankFirst, Goal::Snail] {
        let space = Space::eight(goal);
        for threads in [2, 8] {
            assert_eq!(astar(&space, 8 << 20, threads, threads, 199), 0);
        }
    }
}

#[test]
fn astar_goes_on_when_memory_is_full() {
    for goal in [Goal::BlankLast, Goal::Snail] {
        let space = Space::eight(goal);
        let smallest = smallest(&space, 8 << 10);
        for (more, stride) in [(0, 97), (64, 101), (1 << 10, 61), (4 << 10, 53), (16 << 10, 41)] {
            for threads in [1, 2, 8] {
                let stride = stride * if threads == 1 { 1 } else { 7 };
                let fell_back = astar(&space, smallest + more, threads, threads, stride);
                let all = space.boards.len().div_ceil(stride);
                assert!(
                    fell_back > all / 8,
                    "{fell_back} of {all} at {smallest} + {more}, {threads} threads"
                );
            }
        }
    }
}

#[test]
fn ida_solves_all_states() {
    let space = Space::eight(Goal::BlankLast);
    let heuristic = Manhattan::new(&space.puzzle);
    for (board, shortest) in &space.boards {
        let outcome = ida::solve(space.problem(&heuristic, board), &Limits::default());
        space.replay_shortest(board, *shortest, &outcome);
    }
}

#[test]
fn every_heuristic_finds_shortest_solutions() {
    fn both<H: Heuristic<Tiles<u64>>>(space: &Space, heuristic: &H, region: &mut Region<'_>) {
        for (board, shortest) in space.boards.iter().step_by(1201) {
            let problem = space.problem(heuristic, board);
            space.replay_shortest(board, *shortest, &best_first(problem, Order::ASTAR, region, 1));
            space.replay_shortest(board, *shortest, &ida::solve(problem, &Limits::default()));
        }
    }
    for goal in [Goal::BlankLast, Goal::BlankFirst, Goal::Snail] {
        let space = Space::eight(goal);
        for bytes in [smallest(&space, 8 << 10) + (24 << 10), 8 << 20] {
            let mut memory = memory(bytes);
            let mut region = Region::zeroed(&mut memory);
            both(&space, &Misplaced::new(&space.puzzle), &mut region);
            both(&space, &LinearConflict::new(&space.puzzle), &mut region);
            both(&space, &WalkingDistance::new(&space.puzzle, 1 << 20).unwrap(), &mut region);
        }
    }
}

#[test]
fn weighted_astar_keeps_its_promise() {
    let space = Space::eight(Goal::BlankLast);
    let heuristic = Manhattan::new(&space.puzzle);
    let mut memory = memory(8 << 20);
    let mut region = Region::zeroed(&mut memory);
    let mut longer = 0;
    for weight in [1.0, 1.25, 1.5, 3.0, 100.0] {
        for (i, (board, shortest)) in space.boards.iter().enumerate().step_by(61) {
            let threads = if i % 13 == 0 { 4 } else { 1 };
            let problem = space.problem(&heuristic, board);
            let outcome = best_first(problem, Order::weighted(weight), &mut region, threads);
            let (length, bound) = space.replay(board, *shortest, &outcome);
            assert!(f64::from(length) <= weight * f64::from(*shortest), "{board}: {length}, not {shortest}");
            assert!(weight > 1.0 || bound == length);
            longer += usize::from(length > *shortest);
        }
    }
    assert!(longer > 0);
}

#[test]
fn bounds_hold_where_hardly_anything_is_left_open() {
    for (rows, cols) in [(2, 2), (2, 3), (3, 2), (2, 4)] {
        let space = Space::new(rows, cols, Goal::BlankLast);
        let heuristic = Manhattan::new(&space.puzzle);
        let mut memory = memory(8 << 20);
        let mut region = Region::zeroed(&mut memory);
        for weight in [1.1, 1.5, 2.0, 3.0, 5.0, 17.0, 1024.0] {
            for (board, shortest) in &space.boards {
                let problem = space.problem(&heuristic, board);
                let outcome = best_first(problem, Order::weighted(weight), &mut region, 1);
                let (length, _) = space.replay(board, *shortest, &outcome);
                assert!(f64::from(length) <= weight * f64::from(*shortest));
            }
        }
    }
}

#[test]
fn greedy_search_finds_some_way() {
    let space = Space::eight(Goal::BlankLast);
    let heuristic = Manhattan::new(&space.puzzle);
    let mut memory = memory(8 << 20);
    let mut region = Region::zeroed(&mut memory);
    for (board, shortest) in space.boards.iter().step_by(11) {
        let outcome = best_first(space.problem(&heuristic, board), Order::GREEDY, &mut region, 1);
        space.replay(board, *shortest, &outcome);
    }
}

#[test]
fn breadth_first_search_finds_shortest_solutions() {
    let space = Space::eight(Goal::BlankLast);
    let mut memory = memory(8 << 20);
    let mut region = Region::zeroed(&mut memory);
    for (i, (board, shortest)) in space.boards.iter().enumerate().step_by(997) {
        let threads = if i % 5 == 0 { 3 } else { 1 };
        let outcome = best_first(space.problem(&Blind, board), Order::BREADTH, &mut region, threads);
        space.replay_shortest(board, *shortest, &outcome);
    }
    // The order looks at no estimate, but any heuristic may come with it.
    let heuristic = Manhattan::new(&space.puzzle);
    for (board, shortest) in space.boards.iter().step_by(2999) {
        let outcome = best_first(space.problem(&heuristic, board), Order::BREADTH, &mut region, 1);
        space.replay_shortest(board, *shortest, &outcome);
    }
    // In little memory, depth-first searches without a heuristic still reach the
    // goals that are near.
    let mut memory = self::memory(48 << 10);
    let mut region = Region::zeroed(&mut memory);
    for (board, shortest) in space.boards.iter().take_while(|(_, d)| *d <= 16).step_by(29) {
        let outcome = best_first(space.problem(&Blind, board), Order::BREADTH, &mut region, 1);
        space.replay_shortest(board, *shortest, &outcome);
    }
}

#[test]
fn depth_first_search_finds_some_way() {
    let space = Space::eight(Goal::BlankLast);
    let heuristic = Manhattan::new(&space.puzzle);
    let mut memory = memory(8 << 20);
    let mut region = Region::zeroed(&mut memory);
    let mut longest = 0;
    for (board, shortest) in space.boards.iter().step_by(2003) {
        let outcome = dfs::solve(space.problem(&heuristic, board), &Limits::default(), &mut region);
        longest = longest.max(space.replay(board, *shortest, &outcome).0);
        assert!(outcome.statistics.stored <= 181_440);
    }
    assert!(longest > 10_000, "{longest}");
}

#[test]
fn a_beam_is_never_shorter_than_the_shortest_and_a_wide_one_no_longer() {
    let space = Space::eight(Goal::BlankFirst);
    let heuristic = Manhattan::new(&space.puzzle);
    let mut memory = memory(16 << 20);
    let mut region = Region::zeroed(&mut memory);
    let mut sums = [0; 3];
    for (i, (board, shortest)) in space.boards.iter().enumerate().step_by(397) {
        for (sum, width) in sums.iter_mut().zip([10, 100, 1000]) {
            let problem = space.problem(&heuristic, board);
            let outcome = beam::solve(problem, Width::States(width), &Limits::default(), &mut region);
            // A narrow beam may run dry.
            if !matches!(outcome.ending, Ending::Stopped { stop: Stop::Beam, .. }) {
                *sum += space.replay(board, *shortest, &outcome).0 - *shortest;
            }
        }
        if i % 11 == 0 {
            let problem = space.problem(&heuristic, board);
            let outcome = beam::solve(problem, Width::States(100_000), &Limits::default(), &mut region);
            space.replay_shortest(board, *shortest, &outcome);
        }
    }
    assert!(sums[0] > sums[1] && sums[1] > sums[2], "{sums:?}");
}

#[test]
fn a_beam_of_one_runs_dry_and_says_so() {
    let space = Space::eight(Goal::BlankLast);
    let heuristic = Manhattan::new(&space.puzzle);
    let mut memory = memory(1 << 20);
    let mut region = Region::zeroed(&mut memory);
    let mut dry = 0;
    for (board, shortest) in space.boards.iter().rev().step_by(997) {
        let problem = space.problem(&heuristic, board);
        match beam::solve(problem, Width::States(1), &Limits::default(), &mut region).ending {
            Ending::Stopped { stop: Stop::Beam, bound } => {
                assert!(bound <= *shortest);
                dry += 1;
            }
            Ending::Solved { path, .. } => assert!(path.len() as u32 >= *shortest),
            other => panic!("{board}: {other:?}"),
        }
    }
    assert!(dry > 0);
}

/// The board with its first two tiles exchanged, which makes it unsolvable.
fn exchanged(board: &Board) -> Board {
    let mut tiles: Vec<u32> = board.tiles().iter().map(|&tile| tile.into()).collect();
    let places: Vec<usize> = (0..tiles.len()).filter(|&cell| tiles[cell] != 0).take(2).collect();
    tiles.swap(places[0], places[1]);
    Board::new(board.size(), &tiles).unwrap()
}

#[test]
fn what_cannot_be_solved_is_exhausted() {
    for (rows, cols, states) in [(2, 3, 360), (3, 3, 181_440)] {
        for goal in [Goal::BlankLast, Goal::Snail] {
            let space = Space::new(rows, cols, goal);
            let heuristic = Manhattan::new(&space.puzzle);
            let mut memory = memory(16 << 20);
            let mut region = Region::zeroed(&mut memory);
            let board = exchanged(&space.goal);
            for order in [Order::ASTAR, Order::weighted(2.0), Order::GREEDY] {
                for threads in [1, 3] {
                    let problem = space.problem(&heuristic, &board);
                    let outcome = best_first(problem, order, &mut region, threads);
                    assert_eq!(outcome.ending, Ending::Exhausted);
                    assert!(outcome.statistics.stored <= states, "{outcome:?}");
                }
            }
            let outcome = best_first(space.problem(&Blind, &board), Order::BREADTH, &mut region, 1);
            assert_eq!((outcome.ending, outcome.statistics.stored), (Ending::Exhausted, states));
            let problem = space.problem(&heuristic, &board);
            for outcome in [
                dfs::solve(problem, &Limits::default(), &mut region),
                beam::solve(problem, Width::States(100_000), &Limits::default(), &mut region),
            ] {
                assert_eq!((outcome.ending, outcome.statistics.stored), (Ending::Exhausted, states));
            }
        }
    }
}

#[test]
fn what_cannot_be_solved_is_exhausted_without_memory() {
    let space = Space::new(2, 3, Goal::BlankLast);
    let heuristic = Manhattan::new(&space.puzzle);
    let smallest = smallest(&space, 8 << 10);
    let mut memory = memory(smallest);
    let mut region = Region::zeroed(&mut memory);
    let board = exchanged(&space.goal);
    let outcome = best_first(space.problem(&heuristic, &board), Order::ASTAR, &mut region, 1);
    assert_eq!(outcome.ending, Ending::Exhausted);
}

#[test]
fn a_search_alone_stores_no_more_than_it_may() {
    let space = Space::eight(Goal::BlankLast);
    let heuristic = Manhattan::new(&space.puzzle);
    let mut memory = memory(8 << 20);
    let mut region = Region::zeroed(&mut memory);
    let mut stopped = 0;
    for (i, (board, shortest)) in space.boards.iter().enumerate().step_by(499) {
        let most = (i as u64 * 7919) % 700 + 1;
        let limits = Limits::nodes(most);
        let problem = space.problem(&heuristic, board);
        let mut outcomes: Vec<Outcome> = [Order::ASTAR, Order::weighted(2.0), Order::GREEDY]
            .into_iter()
            .map(|order| {
                astar::solve(problem, order, &limits, &mut region, &SpawnThreads(1), WhenFull::FallBackToDfs)
            })
            .collect();
        outcomes.push(dfs::solve(problem, &limits, &mut region));
        outcomes.push(beam::solve(problem, Width::States(20), &limits, &mut region));
        for outcome in outcomes {
            assert!(outcome.statistics.stored <= most, "{board}: {outcome:?} of {most}");
            match outcome.ending {
                Ending::Solved { .. } => drop(space.replay(board, *shortest, &outcome)),
                Ending::Stopped { stop: Stop::Beam, .. } => {}
                Ending::Stopped { stop, bound } => {
                    assert_eq!((stop, outcome.statistics.stored), (Stop::Nodes, most));
                    assert!(bound <= *shortest);
                    stopped += 1;
                }
                Ending::Exhausted => panic!("{board} has a solution"),
            }
        }
    }
    assert!(stopped > 100);
}

#[test]
fn node_limits_also_hold_when_memory_is_full() {
    let space = Space::eight(Goal::BlankLast);
    let heuristic = Manhattan::new(&space.puzzle);
    let mut memory = memory(smallest(&space, 8 << 10));
    let mut region = Region::zeroed(&mut memory);
    let limits = Limits::nodes(3000);
    let mut stopped = 0;
    for (board, shortest) in space.boards.iter().rev().step_by(997) {
        let problem = space.problem(&heuristic, board);
        let outcome = astar::solve(
            problem,
            Order::ASTAR,
            &limits,
            &mut region,
            &SpawnThreads(1),
            WhenFull::FallBackToDfs,
        );
        if let Ending::Stopped { stop, bound } = outcome.ending {
            assert_eq!(stop, Stop::Nodes);
            assert!(bound <= *shortest && outcome.statistics.generated < 8000, "{outcome:?}");
            stopped += 1;
        }
    }
    assert!(stopped > 10, "{stopped}");
}

#[test]
fn fifteen_puzzles_near_the_goal_agree_with_ida() {
    let size = Size::new(4, 4).unwrap();
    let mut memory = memory(32 << 20);
    let mut region = Region::zeroed(&mut memory);
    for goal in [Goal::BlankLast, Goal::BlankFirst, Goal::Snail] {
        let goal = goal.board(size).unwrap().into_owned();
        let puzzle = Tiles::<u64>::new(&goal).unwrap();
        let space = Space { goal: goal.clone(), puzzle, boards: Vec::new() };
        let (manhattan, walking) =
            (Manhattan::new(&space.puzzle), WalkingDistance::new(&space.puzzle, 1 << 22).unwrap());
        for seed in 1u32..60 {
            let mut board = goal.clone();
            let mut random = seed.wrapping_mul(0x9e37_79b9);
            for _ in 0..seed % 31 {
                random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                board.slide(Direction::from_index((random >> 24) as usize));
            }
            let problem = space.problem(&manhattan, &board);
            let outcome = ida::solve(problem, &Limits::default());
            let Ending::Solved { bound: shortest, .. } = outcome.ending else { panic!("{board}") };
            space.replay_shortest(&board, shortest, &outcome);
            assert!(shortest <= seed % 31);
            for threads in [1, 2] {
                let outcome = best_first(problem, Order::ASTAR, &mut region, threads);
                space.replay_shortest(&board, shortest, &outcome);
                let problem = space.problem(&walking, &board);
                let outcome = best_first(problem, Order::ASTAR, &mut region, threads);
                space.replay_shortest(&board, shortest, &outcome);
                let outcome = best_first(problem, Order::weighted(1.5), &mut region, threads);
                let (length, _) = space.replay(&board, shortest, &outcome);
                assert!(2 * length <= 3 * shortest);
            }
            if shortest <= 12 {
                let outcome = best_first(space.problem(&Blind, &board), Order::BREADTH, &mut region, 1);
                space.replay_shortest(&board, shortest, &outcome);
            }
        }
    }
}

/// Whoever asks to end is heard at any moment, also while the table grows.
#[test]
fn a_search_can_be_stopped_at_any_moment() {
    let space = Space::eight(Goal::BlankLast);
    let (board, shortest) = space.boards.last().unwrap();
    let mut memory = memory(8 << 20);
    let mut region = Region::zeroed(&mut memory);
    for threads in [1, 3] {
        let mut stopped_at = Vec::new();
        for most in (0..).map(|turn: usize| turn + turn * turn / 8) {
            let asked = AtomicUsize::new(0);
            let halt = || asked.fetch_add(1, Ordering::Relaxed) >= most;
            let limits = Limits { halt: Some(&halt), ..Limits::default() };
            let problem = space.problem(&Blind, board);
            let outcome = astar::solve(
                problem,
                Order::BREADTH,
                &limits,
                &mut region,
                &SpawnThreads(threads),
                WhenFull::Stop,
            );
            if let Ending::Stopped { stop: Stop::Interrupted, bound } = outcome.ending {
                assert!(bound <= *shortest);
            } else {
                // One thread may have found a solution before another one, that was
                // far behind, was stopped: then it is not proved.
                let (length, bound) = space.replay(board, *shortest, &outcome);
                if bound == length {
                    break;
                }
            }
            stopped_at.push(outcome.statistics.stored);
        }
        assert!(stopped_at.len() > 10, "{stopped_at:?}");
    }
}
