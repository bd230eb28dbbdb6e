//! Algorithms by name on trays, and greedy search on trays and boards: what was asked
//! for runs, says so, and counts each state once.

mod support;

use batch_solve::puzzle::Puzzle;
use batch_solve::puzzle::trays::{Metric, Packed, Piece, Rect, Tray, oracle};
use serde_json::Value;
use std::collections::HashSet;
use support::work::{Work, told};

/// A 5×5 tray without a solution.
const UNSOLVABLE: &str = "tray 5 5\n0 3 1 4\n2 3 3 4\n0 1 0 2\n1 1 1 2\n2 0 2 1\n3 1 3 2\n4 1 4 2\n0 0 0 0\n\
                          1 0 1 0\n4 0 4 0\n4 4 4 4\ngoal\n1 3 1 4\n4 2 4 3\n";

/// Klotski with the bar above the large block: there is no such arrangement.
const KLOTSKI: &str = "tray 5 4\n0 0 1 0\n0 1 1 2\n0 3 1 3\n2 0 3 0\n2 1 2 2\n2 3 3 3\n3 1 3 1\n3 2 3 2\n4 0 4 0\n\
                       4 3 4 3\ngoal\n3 1 4 2\n0 1 0 2\n";

/// A small room in a tray that is too wide for packed states.
const ROOM: &str =
    "tray 12 12\nwall 4 0 4 11\nwall 0 7 3 7\n0 0 1 1\n0 3 0 3\n0 5 2 5\ngoal\n1 0 2 1\n0 4 0 4\n";

/// Two blocks in a corridor, in which they cannot pass each other: 66 arrangements.
const CORRIDOR: &str =
    "tray 12 12\nwall 1 0 1 11\n0 0 0 0 a\n0 1 0 1 b\ngoal labelled\n0 1 0 1 a\n0 0 0 0 b\n";

/// The results of the records in `text`.
fn results(text: &str, options: &[&str]) -> Vec<Value> {
    let work = Work::new();
    work.write("puzzles.txt", text.as_bytes());
    let arguments = [&["puzzles.txt", "--format", "jsonl", "--quiet", "--timeout", "60s"], options].concat();
    let output = work.command(&arguments).env("XDG_CACHE_HOME", work.path("cache")).output().unwrap();
    let lines = String::from_utf8(output.stdout.clone()).unwrap();
    let values = lines.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let results: Vec<Value> = values.filter(|value| value["type"] == "result").collect();
    assert!(!results.is_empty(), "{options:?}: {}", told(&output));
    results
}

fn count(result: &Value, field: &str) -> u64 {
    result[field].as_u64().unwrap_or_else(|| panic!("no {field} in {result}"))
}

/// The tray of a record in corners.
fn tray(text: &str) -> Tray {
    let (mut blocks, mut goal, mut walls, mut size) = (Vec::new(), Vec::new(), Vec::new(), (0, 0));
    let mut is_goal = false;
    for line in text.lines() {
        let numbers: Vec<i64> = line.split(' ').filter_map(|word| word.parse().ok()).collect();
        let rect = |n: &[i64]| Rect::from_corners(n[0], n[1], n[2], n[3]).unwrap();
        match line.split(' ').next().unwrap() {
            "tray" => size = (numbers[0], numbers[1]),
            "goal" => is_goal = true,
            "wall" => walls.push(rect(&numbers)),
            _ if is_goal => goal.push(Piece::plain(rect(&numbers))),
            _ => blocks.push(Piece::plain(rect(&numbers))),
        }
    }
    Tray::new(size.0, size.1, &walls, &blocks, &goal).unwrap()
}

/// How many arrangements can be reached, by a plain search.
fn arrangements(tray: &Tray) -> u64 {
    let puzzle = Packed::<u64, u128>::new(tray, Metric::Step).unwrap();
    let start = puzzle.start();
    let mut seen = HashSet::from([puzzle.pack(&start)]);
    let mut open = vec![start];
    while let Some(state) = open.pop() {
        for step in puzzle.moves(&state, None) {
            let child = puzzle.apply(&state, step);
            if seen.insert(puzzle.pack(&child)) {
                open.push(child);
            }
        }
    }
    seen.len() as u64
}

#[test]
fn greedy_expands_each_arrangement_of_a_tray_once() {
    let states = arrangements(&tray(UNSOLVABLE));
    assert_eq!(states, 28_632);
    for heuristic in ["matching", "nearest", "total"] {
        for metric in ["piece", "slide", "step"] {
            for threads in ["1", "3"] {
                let options = ["-a", "greedy", "--heuristic", heuristic, "--metric", metric, "-t", threads];
                let result = &results(UNSOLVABLE, &options)[0];
                assert_eq!(result["status"], "unsolvable", "{options:?}: {result}");
                assert_eq!(count(result, "expanded"), states, "{options:?}");
                assert_eq!(count(result, "visited"), states, "{options:?}");
            }
        }
    }
}

#[test]
fn greedy_expands_each_board_once() {
    let work = Work::new();
    let generate = ["generate", "--size", "3x3", "--count", "200", "--seed", "3"];
    let boards = String::from_utf8(work.run(&generate).stdout).unwrap();
    for heuristic in ["misplaced", "manhattan", "linear-conflict", "walking-distance"] {
        for result in results(&boards, &["-a", "greedy", "--heuristic", heuristic]) {
            assert_eq!(result["status"], "solved", "{heuristic}: {result}");
            // The goal is stored, but not expanded.
            assert!(count(&result, "expanded") < count(&result, "visited"), "{heuristic}: {result}");
            assert!(count(&result, "visited") <= 181_440, "{heuristic}: {result}");
        }
    }
}

#[test]
fn visited_counts_the_states_of_one_search() {
    assert_eq!(arrangements(&tray(KLOTSKI)), 25_955);
    for options in [
        &[][..],
        &["--quality", "fast"],
        &["-a", "bfs"],
        &["-a", "astar"],
        &["-a", "wastar"],
        &["-a", "greedy"],
        &["-a", "dfs"],
        &["-a", "beam", "--beam-width", "1000000"],
        &["-a", "greedy", "--heuristic", "nearest"],
        &["-a", "greedy", "--heuristic", "total"],
        &["-a", "beam", "--beam-width", "1000000", "--heuristic", "total"],
    ] {
        for metric in ["piece", "slide", "step"] {
            let result = &results(KLOTSKI, &[options, &["--metric", metric]].concat())[0];
            assert_eq!(result["status"], "unsolvable", "{options:?}, {metric}: {result}");
            assert_eq!(count(result, "visited"), 25_955, "{options:?}, {metric}: {result}");
        }
    }
}

#[test]
fn the_algorithm_that_was_asked_for_runs_on_every_tray() {
    let small = "tray 4 4\n0 0 1 1\n0 2 0 3\n1 2 1 2\n2 0 3 0\ngoal\n2 2 3 3\n";
    for text in [small, ROOM] {
        let known = oracle::solve(&tray(text), Metric::Slide, 2_000_000).length().unwrap() as u64;
        for name in ["astar", "wastar", "greedy", "bfs", "dfs", "beam", "ida"] {
            let result = &results(text, &["-a", name, "--metric", "slide"])[0];
            assert_eq!(
                (&result["status"], &result["algorithm"]),
                (&"solved".into(), &name.into()),
                "{result}"
            );
            assert!(count(result, "length") >= known, "{name}: {result}");
            if ["astar", "bfs", "ida"].contains(&name) {
                assert_eq!(count(result, "length"), known, "{name}: {result}");
                assert_eq!(result["optimal"], true, "{name}: {result}");
            }
            assert_eq!(count(result, "visited") == 0, name == "ida", "{name}: {result}");
        }
    }
    // A stack runs straight on, a queue does not.
    let [deep, short] = ["dfs", "bfs"].map(|name| count(&results(small, &["-a", name])[0], "length"));
    assert!(deep > 2 * short, "{deep} {short}");
    // A narrow beam leaves states out, and may then find nothing.
    let narrow = &results(KLOTSKI, &["-a", "beam", "--beam-width", "2"])[0];
    assert_eq!((&narrow["status"], &narrow["reason"]), (&"gave_up".into(), &"beam".into()), "{narrow}");
}

#[test]
fn wide_trays_are_exhausted_by_every_search_that_remembers() {
    for name in ["astar", "greedy", "bfs", "dfs", "beam"] {
        let result = &results(CORRIDOR, &["-a", name])[0];
        assert_eq!(result["status"], "unsolvable", "{name}: {result}");
        assert_eq!((count(result, "visited"), count(result, "expanded")), (66, 66), "{name}: {result}");
    }
    for name in ["dfs", "beam", "ida"] {
        let result = &results(ROOM, &["-a", name, "--max-nodes", "20"])[0];
        assert_eq!((&result["status"], &result["reason"]), (&"gave_up".into(), &"nodes".into()), "{result}");
        assert!(count(result, "visited") <= 20, "{result}");
    }
}

#[test]
fn staged_is_refused_on_trays_by_name() {
    let mixed = format!("1 2 3 4 5 6 7 0 8\n{KLOTSKI}\n{KLOTSKI}");
    let results = results(&mixed, &["-a", "staged"]);
    assert_eq!((&results[0]["status"], &results[0]["algorithm"]), (&"solved".into(), &"staged".into()));
    for refused in &results[1..] {
        assert_eq!(refused["status"], "gave_up", "{refused}");
        assert_eq!(refused["reason"], "unsupported", "{refused}");
        assert!(refused["algorithm"].is_null(), "nothing ran: {refused}");
    }
    let work = Work::new();
    work.write("trays.txt", mixed.as_bytes());
    let output = work.run(&["trays.txt", "-a", "staged", "-o", "results.jsonl"]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(
        told(&output).matches("algorithm staged is for tile boards only").count(),
        1,
        "{}",
        told(&output)
    );
    // `check` finds nothing wrong with such results.
    let check = work.run(&["check", "trays.txt", "results.jsonl"]);
    assert_eq!(check.status.code(), Some(0), "{}", told(&check));
}

#[test]
fn course_priorities_are_no_lower_bounds() {
    let text = "tray 4 4\n0 0 0 1\n0 2 0 3\n3 0 3 1\n2 2 2 2\ngoal\n0 1 0 2\n";
    let known = oracle::solve(&tray(text), Metric::Slide, 100_000).length().unwrap() as u64;
    for heuristic in ["nearest", "total"] {
        for algorithm in [&["-a", "greedy"][..], &["-a", "beam"], &["--quality", "fast"]] {
            let options = [algorithm, &["--heuristic", heuristic, "--metric", "slide"]].concat();
            let result = &results(text, &options)[0];
            assert_eq!(result["heuristic"], heuristic, "{result}");
            assert!(count(result, "length") >= known, "{result}");
            let bound = result["bound"].as_u64().unwrap_or(known);
            assert!(bound <= known, "{result}");
        }
    }
    // As a lower bound, `nearest` still gives shortest solutions.
    let result = &results(text, &["-a", "astar", "--heuristic", "nearest", "--metric", "slide"])[0];
    assert_eq!((count(result, "length"), &result["optimal"]), (known, &true.into()), "{result}");
    let refused = Work::new().run(&["x.txt", "-a", "astar", "--heuristic", "total"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(told(&refused).contains("not a lower bound"), "{}", told(&refused));
}
