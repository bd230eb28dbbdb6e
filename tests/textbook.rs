//! Algorithms asked for by name count what the textbook counts, at any number of
//! threads.

mod support;

use serde_json::Value;
use std::collections::{HashSet, VecDeque};
use support::work::Work;

/// As hard as 3x3 boards get.
const HARDEST: &str = "8 6 7 2 5 4 3 0 1\n";

/// 15-puzzles of 45 and 42 moves, which take one thread long enough for others to join.
const FIFTEEN: &str = "@goal blank-first
14 1 9 6 4 8 12 5 7 2 3 0 10 11 13 15
0 1 9 7 11 13 5 3 14 12 4 2 8 6 10 15
";

fn results(work: &Work, arguments: &[&str]) -> Vec<Value> {
    let quiet = ["--format", "jsonl", "--progress", "never", "--pdb-dir", "databases"];
    let output = work.run(&[arguments, &quiet].concat());
    let text = String::from_utf8(output.stdout).unwrap();
    let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let mut results: Vec<Value> = lines.filter(|line| line["type"] == "result").collect();
    assert!(!results.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    results.iter_mut().for_each(|result| drop(result.as_object_mut().unwrap().remove("time_us")));
    results
}

/// Breadth-first search as written on a blackboard: states expanded, successors
/// generated (the way back to the parent left out), states stored.
fn naive(start: [u8; 9]) -> (u64, u64, u64) {
    let goal = [1, 2, 3, 4, 5, 6, 7, 8, 0];
    let (mut queue, mut stored) = (VecDeque::from([(start, None)]), HashSet::from([start]));
    let (mut expanded, mut generated) = (0, 0);
    while let Some((board, last)) = queue.pop_front() {
        expanded += 1;
        let blank = board.iter().position(|&tile| tile == 0).unwrap() as i32;
        for (step, (rows, cols)) in [(-1, 0), (0, 1), (1, 0), (0, -1)].into_iter().enumerate() {
            let (row, col) = (blank / 3 + rows, blank % 3 + cols);
            if !(0..3).contains(&row) || !(0..3).contains(&col) || last == Some((step + 2) % 4) {
                continue;
            }
            generated += 1;
            let mut next = board;
            next.swap(blank as usize, (3 * row + col) as usize);
            if stored.insert(next) {
                if next == goal {
                    return (expanded, generated, stored.len() as u64);
                }
                queue.push_back((next, Some(step)));
            }
        }
    }
    unreachable!("the board is solvable")
}

#[test]
fn breadth_first_search_counts_as_on_a_blackboard() {
    let work = Work::new();
    let boards = [HARDEST, "1 2 3 4 5 6 7 0 8\n", "6 4 7 8 5 0 3 2 1\n", "4 1 3 2 0 6 7 5 8\n"];
    work.write("boards.txt", boards.concat().as_bytes());
    for threads in ["1", "2", "8"] {
        let results = results(&work, &["boards.txt", "--algorithm", "bfs", "--threads", threads]);
        for (board, result) in boards.iter().zip(results) {
            let tiles: Vec<u8> = board.split_whitespace().map(|tile| tile.parse().unwrap()).collect();
            let counted = ["expanded", "generated", "visited"].map(|field| result[field].as_u64().unwrap());
            assert_eq!(<(u64, u64, u64)>::from(counted), naive(tiles.try_into().unwrap()), "{board}");
            assert!(result["optimal"] == true && counted[0] < 181_440, "{result}");
        }
    }
}

#[test]
fn counts_repeat_whatever_the_threads() {
    let work = Work::new();
    work.write("eight.txt", HARDEST.as_bytes());
    work.write("fifteen.txt", FIFTEEN.as_bytes());
    let cases: [&[&str]; 8] = [
        &["eight.txt", "--algorithm", "astar", "--heuristic", "misplaced"],
        &["eight.txt", "--algorithm", "dfs"],
        &["eight.txt", "--algorithm", "bfs", "--metric", "line"],
        &["fifteen.txt", "--algorithm", "astar", "--heuristic", "manhattan"],
        &["fifteen.txt", "--algorithm", "astar"],
        &["fifteen.txt", "--algorithm", "ida", "--heuristic", "linear-conflict"],
        &["fifteen.txt", "--algorithm", "wastar", "--heuristic", "manhattan", "--weight", "1.1"],
        &["fifteen.txt", "--algorithm", "beam"],
    ];
    for case in cases {
        let run = |threads| results(&work, &[case, &["--threads", threads, "--memory", "256MiB"]].concat());
        let one = run("1");
        for threads in ["2", "5"] {
            assert_eq!(one, run(threads), "{case:?}, {threads} threads");
        }
    }
}

#[test]
fn a_search_by_name_expands_no_state_twice() {
    // With a consistent heuristic A* opens no state again.
    let work = Work::new();
    work.write("eight.txt", HARDEST.as_bytes());
    for heuristic in ["misplaced", "manhattan", "linear-conflict", "walking-distance", "pdb:4-4"] {
        let arguments = ["eight.txt", "--algorithm", "astar", "--heuristic", heuristic, "--threads", "8"];
        for result in results(&work, &arguments) {
            assert!(result["expanded"].as_u64() < result["visited"].as_u64(), "{result}");
            assert!(result["visited"].as_u64() <= Some(181_440), "{result}");
        }
    }
}
