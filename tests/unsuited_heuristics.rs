//! Heuristics that do not suit every puzzle of a run: another one with a note, or the
//! true reason.

mod support;

use serde_json::Value;
use std::process::Output;
use support::work::{Work, told};

fn run(work: &Work, arguments: &[&str]) -> (Vec<Value>, Output) {
    let common = ["--format", "jsonl", "--progress", "never", "--pdb-dir", "databases"];
    let output = work.run(&[arguments, &common].concat());
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    (lines.filter(|line| line["type"] == "result").collect(), output)
}

#[test]
fn boards_that_a_partition_does_not_fit_are_solved_with_a_note() {
    let work = Work::new();
    work.write("mixed.txt", b"8 6 7 2 5 4 3 0 1\n1 2 3 4 5 6 7 8 9 10 11 12 13 0 14 15\n2 3 1 4 0 6 7 5 8\n");
    let (results, output) = run(&work, &["mixed.txt", "--heuristic", "pdb:5-5-5"]);
    assert_eq!(output.status.code(), Some(0), "{}", told(&output));
    assert!(results.iter().all(|result| result["optimal"] == true), "{results:?}");
    assert_eq!(results[1]["heuristic"], "pdb:5-5-5");
    let note = "pdb:5-5-5 divides 15 tiles, and 3x3 boards have 8";
    assert_eq!(told(&output).matches(note).count(), 1, "{}", told(&output));
    // Four patterns are for larger boards.
    let (results, output) = run(&work, &["mixed.txt", "--heuristic", "pdb:2-2-2-2"]);
    assert!(results.iter().all(|result| result["optimal"] == true), "{results:?}");
    assert!(told(&output).contains("pdb:2-2-2-2 has 4 patterns"), "{}", told(&output));
}

#[test]
fn heuristics_of_the_other_family_are_replaced_with_a_note() {
    let work = Work::new();
    work.write("both.txt", b"1 2 3 4 5 6 7 0 8\n\nletters\nAAB\nAA.\ngoal\n...\n..B\n\n1 2 3 4 5 6 0 7 8\n");
    let cases =
        [("nearest", "--heuristic nearest is for trays"), ("manhattan", "--heuristic manhattan is for tile")];
    for (heuristic, note) in cases {
        let (results, output) = run(&work, &["both.txt", "--heuristic", heuristic]);
        assert!(results.len() == 3 && output.status.code() == Some(0), "{results:?}");
        assert_eq!(told(&output).matches(note).count(), 1, "{}", told(&output));
    }
    let (_, output) = run(&work, &["both.txt"]);
    assert!(!told(&output).contains("--heuristic"), "{}", told(&output));
}

#[test]
fn one_pattern_of_all_tiles_is_used() {
    let work = Work::new();
    for (name, board, partition) in
        [("3x3", "8 6 7 2 5 4 3 0 1", "pdb:8"), ("2x4", "@size 2x4\n6 7 5 4 3 2 0 1", "pdb:7")]
    {
        work.write(name, format!("{board}\n").as_bytes());
        let (exact, _) = run(&work, &[name, "--heuristic", partition, "--algorithm", "astar"]);
        let (other, _) = run(&work, &[name, "--heuristic", "manhattan"]);
        assert_eq!(
            (&exact[0]["heuristic"], &exact[0]["optimal"]),
            (&partition.into(), &true.into()),
            "{exact:?}"
        );
        assert_eq!(exact[0]["length"], other[0]["length"]);
        // The distance is exact, so that no state off the shortest ways is expanded.
        assert_eq!(exact[0]["expanded"], exact[0]["length"], "{exact:?}");
    }
}

#[test]
fn walking_distance_serves_any_number_of_goals() {
    let work = Work::new();
    let mut text = String::new();
    for turn in 0..64 {
        // The tiles turned by some places, the blank in any cell, one move from home.
        let mut goal: Vec<u32> = (0..16).map(|cell| (cell + turn) % 16).collect();
        goal.rotate_left(turn as usize / 16);
        let row = |board: &[u32]| board.iter().map(u32::to_string).collect::<Vec<_>>().join(" ");
        let mut start = goal.clone();
        let blank = goal.iter().position(|&tile| tile == 0).unwrap();
        let beside = if blank % 4 == 3 { blank - 1 } else { blank + 1 };
        start.swap(blank, beside);
        text += &format!("@goal {}\n{}\n", row(&goal), row(&start));
    }
    work.write("goals.txt", text.as_bytes());
    for memory in ["48MiB", "64MiB", "1GiB"] {
        let arguments = ["goals.txt", "--heuristic", "walking-distance", "--memory", memory];
        let (results, output) = run(&work, &arguments);
        assert!(results.len() == 64 && output.status.code() == Some(0), "{memory}: {}", told(&output));
        assert!(results.iter().all(|result| result["optimal"] == true && result["length"] == 1));
    }
}

#[test]
fn what_no_memory_would_help_is_unsupported() {
    let work = Work::new();
    work.write("wide.txt", b"@size 2x10\n1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 0 19\n");
    let (results, output) = run(&work, &["wide.txt", "--metric", "line", "--quality", "optimal"]);
    assert_eq!((&results[0]["status"], &results[0]["reason"]), (&"gave_up".into(), &"unsupported".into()));
    assert!(told(&output).contains("boards of more than 16 cells"), "{}", told(&output));
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn an_unsolvable_board_says_why_and_for_which_goals_it_is_solvable() {
    let work = Work::new();
    // Solvable for the snail alone; for the snail and a corner; for both corners.
    work.write("odd.txt", b"2 1 3 4 5 6 7 8 0\n");
    let (results, _) = run(&work, &["odd.txt"]);
    assert_eq!(results[0]["reason"], "parity");
    assert_eq!(results[0]["hint"], "solvable for the goal snail");
    work.write("snail.txt", b"1 2 3 4 5 6 7 8 0\n");
    let (results, _) = run(&work, &["snail.txt", "--goal", "snail"]);
    assert_eq!((&results[0]["status"], &results[0]["reason"]), (&"unsolvable".into(), &"parity".into()));
    assert_eq!(results[0]["hint"], "solvable for the goals blank-last and blank-first");
    let csv = work.run(&["odd.txt", "--format", "csv", "--progress", "never"]);
    let csv = String::from_utf8(csv.stdout).unwrap();
    assert!(csv.contains(",unsolvable,parity,solvable for the goal snail,"), "{csv}");
}
