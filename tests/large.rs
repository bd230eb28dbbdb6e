//! Large boards: every size, shape and goal is solved, solutions are what they
//! say, and improving never lengthens.

use assert_cmd::cargo::cargo_bin_cmd;
use batch_solve::generate::{Kind, Request};
use batch_solve::large::beam::{self, BeamParams, Weights, Work};
use batch_solve::large::bound::lower_bound;
use batch_solve::large::improve::{Resources, improve};
use batch_solve::large::mutable_board::{MutableBoard, backward};
use batch_solve::large::staged::Staged;
use batch_solve::large::windows::Windows;
use batch_solve::puzzle::tiles::{Board, Direction, Goal, Size};
use batch_solve::search::{HelperPool, Limits, NoHelpers, SpawnThreads};
use serde_json::Value;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

fn size(rows: usize, cols: usize) -> Size {
    Size::new(rows, cols).unwrap()
}

fn boards(size: Size, count: u64, goal: &Goal) -> impl Iterator<Item = Board> {
    let request = Request { size, count, seed: 9, kind: Kind::Random, goal: goal.clone() };
    request.boards().unwrap()
}

/// A goal with the blank somewhere in the middle, and tiles in no order.
fn scattered(size: Size) -> Goal {
    let cells = size.cells() as u32;
    let tiles: Vec<u32> = (0..cells).map(|cell| (cell * 7 + cells / 2) % cells).collect();
    let tiles = if cells.is_multiple_of(7) {
        (0..cells).map(|cell| (cell + cells / 2) % cells).collect()
    } else {
        tiles
    };
    Goal::Given(Arc::new(Board::new(size, &tiles).unwrap()))
}

/// Replays moves on a board of its own.
fn leads(board: &Board, moves: &[Direction], goal: &Board) -> bool {
    let mut board = board.clone();
    moves.iter().all(|&step| board.slide(step)) && board == *goal
}

fn staged(board: &Board, goal: &Board) -> Vec<Direction> {
    let mut field = MutableBoard::new(board, goal);
    Staged::new(board.size()).solve(&mut field, &Limits::default()).unwrap();
    field.into_moves()
}

#[test]
fn boards_of_every_size_are_solved_in_stages() {
    for rows in 2..=12 {
        for cols in 2..=12 {
            let size = size(rows, cols);
            for (goal, count) in [(Goal::BlankLast, 20), (Goal::Snail, 5), (scattered(size), 5)] {
                let end = goal.board(size).unwrap();
                for board in boards(size, count, &goal) {
                    assert!(leads(&board, &staged(&board, &end), &end), "{size} {board}");
                }
            }
        }
    }
}

#[test]
fn very_large_and_very_thin_boards_are_solved_in_stages() {
    for (rows, cols) in [(30, 30), (64, 64), (128, 128), (2, 100), (100, 2), (3, 77), (50, 13)] {
        let size = size(rows, cols);
        let end = Goal::BlankLast.board(size).unwrap().into_owned();
        let board = boards(size, 1, &Goal::BlankLast).next().unwrap();
        let moves = staged(&board, &end);
        assert!(leads(&board, &moves, &end), "{size}");
        let side = rows.max(cols) as f64;
        assert!((moves.len() as f64) < 8.0 / 3.0 * side * side * side, "{size}: {}", moves.len());
    }
}

/// Every board of 3×3 that can be solved, and its distance from the goal.
fn all_of_3x3(goal: &Board) -> HashMap<Board, u32> {
    let mut seen = HashMap::from([(goal.clone(), 0)]);
    let mut layer = vec![goal.clone()];
    for far in 1.. {
        let mut next = Vec::new();
        for board in &layer {
            for direction in Direction::ALL {
                let mut other = board.clone();
                if other.slide(direction) && !seen.contains_key(&other) {
                    seen.insert(other.clone(), far);
                    next.push(other);
                }
            }
        }
        if next.is_empty() {
            break;
        }
        layer = next;
    }
    seen
}

#[test]
fn every_board_of_3x3_gets_a_shortest_solution_and_a_true_bound() {
    let goal = Goal::BlankLast.board(size(3, 3)).unwrap().into_owned();
    let all = all_of_3x3(&goal);
    assert_eq!(all.len(), 181_440);
    for (board, &distance) in &all {
        assert!(lower_bound(&MutableBoard::new(board, &goal)) <= distance);
        let moves = staged(board, &goal);
        assert!(leads(board, &moves, &goal));
        assert_eq!(moves.len() as u32, distance, "{board}");
    }
}

#[test]
fn beams_solve_every_shape_and_goal() {
    let mut memory = vec![0; 4 << 17];
    for (rows, cols) in [(4, 4), (2, 9), (9, 2), (5, 5), (3, 8), (7, 6), (9, 9), (6, 17), (17, 17)] {
        let size = size(rows, cols);
        for goal in [Goal::BlankLast, Goal::BlankFirst, Goal::Snail, scattered(size)] {
            let end = goal.board(size).unwrap();
            let board = boards(size, 1, &goal).next().unwrap();
            let field = MutableBoard::new(&board, &end);
            for (width, side_order) in [(8, 0), (60, BeamParams::SIDE_ORDERS[0])] {
                let params = BeamParams { width, deadline: None, side_order, weights: Weights::default() };
                let mut work = Work::default();
                let limits = Limits::default();
                let found = beam::solve(&field, &params, usize::MAX, &limits, &mut memory, &mut work);
                let moves = found.unwrap().expect("a beam that is helped ends");
                assert!(leads(&board, &moves, &end), "{size} {board}");
                assert!(work.generated >= moves.len() as u64);
            }
        }
    }
}

#[test]
fn a_beam_gives_the_same_moves_again_and_shorter_ones_than_stages() {
    let mut memory = vec![0; 16 << 17];
    for n in [8, 11, 14] {
        let size = size(n, n);
        let end = Goal::BlankLast.board(size).unwrap();
        let (mut by_beams, mut by_stages) = (0, 0);
        for board in boards(size, 3, &Goal::BlankLast) {
            let weights = Weights::for_size(size);
            let params =
                BeamParams { width: 200, deadline: None, side_order: BeamParams::SIDE_ORDERS[0], weights };
            let field = MutableBoard::new(&board, &end);
            let mut solve = |field: &MutableBoard| {
                let (limits, mut work) = (Limits::default(), Work::default());
                beam::solve(field, &params, usize::MAX, &limits, &mut memory, &mut work).unwrap().unwrap()
            };
            let moves = solve(&field);
            assert!(leads(&board, &moves, &end) && moves == solve(&field));
            // The other way round it is as good a puzzle.
            let back = backward(&solve(&field.reversed()));
            assert!(leads(&board, &back, &end));
            by_beams += moves.len().max(back.len());
            by_stages += staged(&board, &end).len();
        }
        assert!(by_beams < by_stages * 4 / 5, "{n}: {by_beams} moves by beams, {by_stages} in stages");
    }
}

#[test]
fn a_beam_in_parts_finds_the_same_whoever_helps() {
    let mut memory = vec![0; 16 << 17];
    for (rows, cols) in [(9, 9), (4, 12), (17, 17)] {
        let size = size(rows, cols);
        let end = Goal::BlankLast.board(size).unwrap();
        let board = boards(size, 1, &Goal::BlankLast).next().unwrap();
        let field = MutableBoard::new(&board, &end);
        let width = if size.cells() > 256 { 300 } else { 700 };
        let params = BeamParams {
            width,
            deadline: None,
            side_order: BeamParams::SIDE_ORDERS[0],
            weights: Weights::for_size(size),
        };
        for parts in [2, 5] {
            let mut solve = |helpers: &dyn HelperPool| {
                let (limits, mut work) = (Limits::default(), Work::default());
                let help = (helpers, parts);
                let found =
                    beam::solve_parallel(&field, &params, usize::MAX, &limits, help, &mut memory, &mut work);
                (found.unwrap().unwrap(), work.expanded, work.generated)
            };
            let alone = solve(&NoHelpers);
            assert!(leads(&board, &alone.0, &end), "{size}");
            assert_eq!(alone, solve(&SpawnThreads(2)), "{size}");
            assert_eq!(alone, solve(&SpawnThreads(6)), "{size}");
        }
    }
}

#[test]
fn a_beam_in_parts_keeps_to_its_memory_and_ends_when_it_must() {
    let size = size(10, 10);
    let end = Goal::BlankLast.board(size).unwrap();
    let board = boards(size, 1, &Goal::BlankLast).next().unwrap();
    let field = MutableBoard::new(&board, &end);
    for kib in [200, 800, 3000] {
        let width = beam::max_width(size, kib << 10);
        let params = BeamParams { width, deadline: None, side_order: 0, weights: Weights::for_size(size) };
        let mut memory = vec![0; kib << 7];
        let (limits, mut work) = (Limits::nodes(200_000), Work::default());
        let help: (&dyn HelperPool, usize) = (&SpawnThreads(3), 3);
        let found = beam::solve_parallel(&field, &params, usize::MAX, &limits, help, &mut memory, &mut work);
        assert!(leads(&board, &found.unwrap().unwrap(), &end));
        let found =
            beam::solve_parallel(&field, &params, 5, &limits, help, &mut memory, &mut Work::default());
        assert_eq!(found, Ok(None));
        let halted = || true;
        let limits = Limits { halt: Some(&halted), ..Limits::default() };
        let found = beam::solve_parallel(&field, &params, usize::MAX, &limits, help, &mut memory, &mut work);
        assert!(leads(&board, &found.unwrap().unwrap(), &end), "in stages from the start");
    }
}

#[test]
fn a_beam_keeps_to_its_memory_and_its_limits() {
    let size = size(8, 8);
    let end = Goal::BlankLast.board(size).unwrap();
    let board = boards(size, 1, &Goal::BlankLast).next().unwrap();
    let field = MutableBoard::new(&board, &end);
    for kib in [64, 256, 1024] {
        let width = beam::max_width(size, kib << 10);
        let params = BeamParams { width, deadline: None, side_order: 0, weights: Weights::default() };
        let mut memory = vec![0; kib << 7];
        let limits = Limits::nodes(20_000);
        let found = beam::solve(&field, &params, usize::MAX, &limits, &mut memory, &mut Work::default());
        // Broken off, the rest of the way is that of the staged solver.
        assert!(leads(&board, &found.unwrap().unwrap(), &end));
    }
    let params = BeamParams { width: 100, deadline: None, side_order: 0, weights: Weights::default() };
    let found =
        beam::solve(&field, &params, 3, &Limits::default(), &mut vec![0; 1 << 18], &mut Work::default());
    assert_eq!(found, Ok(None));
}

#[test]
fn windows_shorten_and_never_lengthen() {
    for (rows, cols) in [(4, 4), (3, 7), (6, 6), (9, 9)] {
        let size = size(rows, cols);
        let end = Goal::BlankLast.board(size).unwrap();
        let (mut before, mut after) = (0, 0);
        for board in boards(size, 3, &Goal::BlankLast) {
            let field = MutableBoard::new(&board, &end);
            let mut path = staged(&board, &end);
            before += path.len();
            for slack in [4, 6] {
                let length = path.len();
                Windows::new(size).shorten(&field, &mut path, slack, || false);
                assert!(path.len() <= length);
                assert!(leads(&board, &path, &end));
            }
            after += path.len();
        }
        assert!(after < before, "{size}: {before} moves, {after} after");
    }
}

#[test]
fn improving_never_lengthens_and_ends_in_time() {
    let mut memory = vec![0; 8 << 17];
    for (rows, cols) in [(3, 3), (5, 5), (4, 9), (8, 8), (70, 3)] {
        let size = size(rows, cols);
        let end = Goal::BlankFirst.board(size).unwrap();
        let board = boards(size, 1, &Goal::BlankFirst).next().unwrap();
        let field = MutableBoard::new(&board, &end);
        let known = staged(&board, &end);
        let bound = lower_bound(&field) as usize;
        for threads in [1, 2] {
            let limits =
                Limits { deadline: Some(Instant::now() + Duration::from_millis(100)), ..Limits::default() };
            let two = SpawnThreads(threads);
            let resources =
                Resources { limits, helpers: &two, threads, memory: &mut memory, bound, width: None };
            let better = improve(&field, Some(known.clone()), resources, &mut Work::default()).unwrap();
            assert!(leads(&board, &better, &end));
            assert!((bound..=known.len()).contains(&better.len()));
        }
        let halted = || true;
        let limits = Limits { halt: Some(&halted), ..Limits::default() };
        let resources =
            Resources { limits, helpers: &NoHelpers, threads: 1, memory: &mut memory, bound, width: None };
        let same = improve(&field, Some(known.clone()), resources, &mut Work::default()).unwrap();
        assert!(leads(&board, &same, &end) && same.len() <= known.len());
    }
}

fn run(arguments: &[&str], stdin: &str) -> (Vec<Value>, Value, Option<i32>) {
    let mut command = cargo_bin_cmd!("batch-solve");
    let output =
        command.args(arguments).write_stdin(stdin).timeout(Duration::from_secs(120)).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let mut lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let summary = lines.pop().unwrap_or_default();
    (lines, summary, output.status.code())
}

fn generated(size: &str, count: &str) -> String {
    let mut command = cargo_bin_cmd!("batch-solve");
    let output = command.args(["generate", "--size", size, "--count", count]).output().unwrap();
    String::from_utf8(output.stdout).unwrap()
}

fn length(result: &Value) -> u64 {
    result["length"].as_u64().unwrap()
}

#[test]
fn each_way_says_what_it_did_and_how_far_it_may_be_from_the_shortest() {
    let puzzles = generated("7x7", "3");
    let ways: [(&[&str], &str); 4] = [
        (&["--quality", "fast"], "staged"),
        (&["-a", "staged"], "staged"),
        (&["-a", "beam", "--beam-width", "50"], "beam"),
        (&["--quality", "improve", "--timeout", "300ms"], "improve"),
    ];
    for (way, algorithm) in ways {
        for memory in ["48MiB", "1GiB"] {
            let arguments = [&["-", "--format", "jsonl", "-m", memory], way].concat();
            let (results, summary, status) = run(&arguments, &puzzles);
            assert_eq!((results.len(), status), (3, Some(0)), "{way:?}");
            for result in &results {
                assert_eq!((&result["status"], &result["algorithm"]), (&"solved".into(), &algorithm.into()));
                assert_eq!(result["optimal"], false);
                assert!(
                    result["bound"].as_u64().unwrap() > 0
                        && result["bound"].as_u64().unwrap() < length(result)
                );
            }
            let peak = summary["peak_memory_bytes"].as_u64().unwrap();
            assert!(peak < summary["memory_cap_bytes"].as_u64().unwrap());
        }
    }
}

#[test]
fn wide_boards_are_read_solved_and_written() {
    let (results, _, status) = run(&["-", "--format", "jsonl", "-m", "64MiB"], &generated("100x100", "2"));
    assert_eq!((results.len(), status), (2, Some(0)));
    let moves = results.iter().map(|result| result["moves"].as_str().unwrap().len() as u64);
    assert!(moves.eq(results.iter().map(length)));
}

#[test]
fn weighted_search_keeps_its_promise_on_5x5() {
    // An easy part of the published boards, each with its shortest length.
    let text =
        std::fs::read_to_string(format!("{}/fixtures/korf24.txt", env!("CARGO_MANIFEST_DIR"))).unwrap();
    let chosen = ["25 ", "38 ", "40 "];
    let lines: Vec<&str> = text.lines().filter(|line| chosen.iter().any(|id| line.starts_with(id))).collect();
    let puzzles = format!("@goal blank-first\n{}\n", lines.join("\n"));
    let known: Vec<u64> =
        lines.iter().map(|line| line.rsplit('|').next().unwrap().trim().parse().unwrap()).collect();
    let arguments = ["-", "-a", "wastar", "--weight", "2", "--format", "jsonl", "-m", "256MiB"];
    let (results, _, _) = run(&arguments, &puzzles);
    for (result, &shortest) in results.iter().zip(&known) {
        assert!(length(result) <= 2 * shortest);
        let bound = result["bound"].as_u64().unwrap();
        assert!(bound <= shortest && 2 * bound >= length(result), "the promise is in the bound: {result}");
    }
}

#[test]
fn weighted_search_keeps_its_promise_on_6x6() {
    let puzzles = generated("6x6", "4");
    for weight in ["1.6", "2.5"] {
        let arguments = ["-", "-a", "wastar", "--weight", weight, "--format", "jsonl", "-m", "96MiB"];
        let (results, summary, _) = run(&arguments, &puzzles);
        assert_eq!(results.len(), 4);
        for result in &results {
            let bound = result["bound"].as_u64().unwrap() as f64;
            assert!(length(result) as f64 <= weight.parse::<f64>().unwrap() * bound, "{result}");
        }
        let peak = summary["peak_memory_bytes"].as_u64().unwrap();
        assert!(peak < summary["memory_cap_bytes"].as_u64().unwrap());
    }
}

#[test]
fn solutions_that_exist_are_shortened_in_every_format() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    let (puzzles, before, after) = (path("p.txt"), path("before.csv"), path("after.jsonl"));
    let given = format!("{}1 2 3 4 5 6 8 7 0\n", generated("6x6", "2"));
    std::fs::write(&puzzles, given).unwrap();
    cargo_bin_cmd!("batch-solve").args([&puzzles, "-o", &before]).assert().code(0);
    let arguments = ["improve", &puzzles, &before, "-o", &after, "--timeout", "200ms", "-m", "64MiB"];
    let output = cargo_bin_cmd!("batch-solve").args(arguments).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(said.contains("% shorter"), "{said}");
    cargo_bin_cmd!("batch-solve").args(["check", &puzzles, &after]).assert().code(0);
    let lengths = |text: &str, field: &str| -> u64 {
        text.match_indices(field).map(|(at, _)| &text[at + field.len()..]).map(leading_number).sum()
    };
    let after = std::fs::read_to_string(after).unwrap();
    let fast = std::fs::read_to_string(before).unwrap();
    let moves =
        |text: &str| text.split(',').filter(|field| field.len() > 60).map(str::len).sum::<usize>() as u64;
    assert!(lengths(&after, "\"length\":") < moves(&fast));
    // Results that are wrong or missing are named and left out.
    let wrong = path("wrong.txt");
    std::fs::write(&wrong, "1\tsolved\t2\tUU\n").unwrap();
    let output = cargo_bin_cmd!("batch-solve").args(["improve", &puzzles, &wrong]).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("record 1") && said.contains("no result"), "{said}");
}

fn leading_number(text: &str) -> u64 {
    text.split(|c: char| !c.is_ascii_digit()).next().unwrap().parse().unwrap()
}
