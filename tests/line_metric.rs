//! The line metric, where a run of tiles pushed at once is one move: every state
//! of the 8-puzzle against a plain breadth-first search over boards, and the
//! real binary.

use assert_cmd::cargo::cargo_bin_cmd;
use batch_solve::heuristic::{Blind, LineWalk, Perimeter};
use batch_solve::memory::{Line, Region};
use batch_solve::puzzle::Move;
use batch_solve::puzzle::tiles::{Board, Direction, Goal, Lines, Size, TileState};
use batch_solve::search::astar::{self, WhenFull};
use batch_solve::search::{Ending, Limits, Order, Outcome, Problem, SpawnThreads, ida};
use bytemuck::Zeroable;
use serde_json::Value;
use std::collections::HashSet;
use std::process::Output;
use std::time::Duration;

/// Every board with its distance from the goal.
fn distances(goal: &Board) -> Vec<(Board, u32)> {
    let mut seen = HashSet::from([goal.clone()]);
    let mut boards = vec![(goal.clone(), 0)];
    let mut done = 0;
    while let Some((board, distance)) = boards.get(done).cloned() {
        done += 1;
        for direction in Direction::ALL {
            let mut next = board.clone();
            while next.slide(direction) {
                if seen.insert(next.clone()) {
                    boards.push((next.clone(), distance + 1));
                }
            }
        }
    }
    boards
}

/// Replays a solution that must be a shortest one, and known to be.
fn replay(board: &Board, goal: &Board, shortest: u32, outcome: &Outcome) {
    let Ending::Solved { path, bound } = &outcome.ending else { panic!("{board}: {outcome:?}") };
    assert_eq!((path.len(), *bound), (shortest as usize, shortest), "{board}: {path:?}");
    let mut end = board.clone();
    for &Move(step) in path {
        for _ in 0..Lines::cells(Move(step)) {
            assert!(end.slide(Direction::from_index(step as usize)), "{board}: {path:?}");
        }
    }
    assert_eq!(end, *goal);
}

#[test]
fn every_state_of_the_eight_puzzle_is_solved_by_a_shortest_way() {
    let size = Size::new(3, 3).unwrap();
    for (kind, stride) in [(Goal::BlankLast, 1), (Goal::Snail, 19)] {
        let goal = kind.board(size).unwrap().into_owned();
        let boards = distances(&goal);
        assert_eq!(boards.len(), 181_440);
        // As many as are known to be needed with the blank in a corner.
        assert!(kind != Goal::BlankLast || boards.last().unwrap().1 == 24);
        let puzzle = Lines::new(&goal).unwrap();
        let walk = LineWalk::new(&puzzle, 1 << 20);
        let bound = Perimeter::new(&puzzle, walk.clone(), &puzzle.state(&goal), 300_000).unwrap();
        let solve_all = |stride: usize, solve: &dyn Fn(TileState<u64>) -> Outcome| {
            for (board, shortest) in boards.iter().step_by(stride) {
                replay(board, &goal, *shortest, &solve(puzzle.state(board)));
            }
        };
        let limits = Limits::default();
        solve_all(stride, &|start| {
            ida::solve(Problem { puzzle: &puzzle, heuristic: &bound, start }, &limits)
        });
        solve_all(97, &|start| ida::solve(Problem { puzzle: &puzzle, heuristic: &walk, start }, &limits));
        let cuts = LineWalk::new(&puzzle, 0);
        solve_all(997, &|start| ida::solve(Problem { puzzle: &puzzle, heuristic: &cuts, start }, &limits));
    }
}

#[test]
fn best_first_searches_agree_also_when_memory_is_full() {
    let goal = Goal::BlankFirst.board(Size::new(3, 3).unwrap()).unwrap().into_owned();
    let boards = distances(&goal);
    let puzzle = Lines::new(&goal).unwrap();
    let bound = LineWalk::new(&puzzle, 1 << 20);
    let mut fell_back = 0;
    let every =
        |stride: usize, bytes: usize, solve: &mut dyn FnMut(TileState<u64>, &mut Region<'_>) -> Outcome| {
            let mut memory = vec![Line::zeroed(); bytes / size_of::<Line>()];
            let mut region = Region::zeroed(&mut memory);
            for (board, shortest) in boards.iter().step_by(stride) {
                replay(board, &goal, *shortest, &solve(puzzle.state(board), &mut region));
            }
        };
    let limits = Limits::default();
    for (bytes, threads, stride) in
        [(4 << 20, 1, 211), (4 << 20, 2, 1999), (96 << 10, 1, 211), (64 << 10, 2, 1999)]
    {
        every(stride, bytes, &mut |start, region| {
            let problem = Problem { puzzle: &puzzle, heuristic: &bound, start };
            let helpers = SpawnThreads(threads);
            let outcome =
                astar::solve(problem, Order::ASTAR, &limits, region, &helpers, WhenFull::FallBackToDfs);
            fell_back += usize::from(outcome.statistics.fell_back);
            outcome
        });
    }
    every(9973, 4 << 20, &mut |start, region| {
        let problem = Problem { puzzle: &puzzle, heuristic: &Blind, start };
        astar::solve(problem, Order::BREADTH, &limits, region, &SpawnThreads(1), WhenFull::FallBackToDfs)
    });
    assert!(fell_back > 0);
}

fn run(arguments: &[&str], stdin: &str) -> Output {
    let mut command = cargo_bin_cmd!("batch-solve");
    command.args(arguments).write_stdin(stdin).timeout(Duration::from_secs(60)).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[test]
fn results_count_runs_and_pass_the_check_in_every_format() {
    let puzzles = text(&run(&["generate", "--size", "3x3", "--count", "150", "--seed", "4"], "").stdout)
        + "@size 2x4\n1 0 2 3 4 5 6 7\n@size 3x4\n"
        + &text(&run(&["generate", "--size", "3x4", "--moves", "30", "--count", "10"], "").stdout);
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("puzzles.txt");
    std::fs::write(&path, &puzzles).unwrap();
    let path = path.to_str().unwrap();
    for format in ["text", "jsonl", "csv", "states"] {
        let output = run(&[path, "--metric", "line", "--format", format], "");
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        let check = run(&["check", path, "-", "--metric", "line"], &text(&output.stdout));
        assert_eq!(check.status.code(), Some(0), "{format}: {}", text(&check.stdout));
        if matches!(format, "jsonl" | "csv") {
            // They say it themselves.
            assert_eq!(run(&["check", path, "-"], &text(&output.stdout)).status.code(), Some(0));
        }
    }
    let json = |metric| {
        let output = run(&[path, "--metric", metric, "--format", "jsonl"], "");
        let lines = text(&output.stdout);
        let results: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        results[..results.len() - 1].to_vec()
    };
    for (line, tile) in json("line").iter().zip(json("tile")) {
        assert_eq!((&line["metric"], &line["optimal"]), (&"line".into(), &tile["optimal"]), "{line}");
        assert_ne!(line["algorithm"], "table");
        let length = |result: &Value| result["length"].as_u64();
        assert!(
            length(line) <= length(&tile)
                && line["moves"].as_str().map(str::len) >= tile["moves"].as_str().map(str::len)
        );
    }
}

#[test]
fn larger_boards_get_any_solution_and_say_so() {
    let puzzles =
        text(&run(&["generate", "--size", "5x5", "--moves", "40", "--count", "5", "--seed", "1"], "").stdout);
    let output = run(&["-", "--metric", "line", "--format", "jsonl"], &puzzles);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    for line in text(&output.stdout).lines().take(5) {
        let result: Value = serde_json::from_str(line).unwrap();
        assert_eq!((&result["status"], &result["metric"]), (&"solved".into(), &"line".into()));
        let (length, bound) = (result["length"].as_u64().unwrap(), result["bound"].as_u64());
        assert!(bound.map_or(result["optimal"] == true, |bound| bound < length), "{line}");
    }
    let refused = run(&["-", "--metric", "line", "--quality", "optimal"], &puzzles);
    assert_eq!(refused.status.code(), Some(1));
    assert!(text(&refused.stderr).contains("in the line metric, boards of more than 16 cells"));
    let wrong = run(&["-", "--metric", "line", "--heuristic", "manhattan"], &puzzles);
    assert_eq!(wrong.status.code(), Some(2));
}
