//! `batch-solve check`, the real binary: what it says, where, and its status.

use assert_cmd::{Command, cargo::cargo_bin_cmd};
use std::{fs, path::Path};
use tempfile::TempDir;

/// A board one move away, one of two moves with an id, one that is unsolvable,
/// and a mistake.
const PUZZLES: &str = "1 2 3 4 5 6 7 0 8 | 1\nk: 1 2 3 4 0 6 7 5 8\n1 2 3 4 5 6 8 7 0\n1 2 3 4 5 6 7 7 0\n";

const RIGHT: [&str; 4] =
    ["1\tsolved\t1\tR\n", "k\tsolved\t2\tDR\n", "3\tunsolvable\t-\tparity\n", "4\tinvalid\t-\ttile 7\n"];

/// A folder with the puzzles and some results.
fn folder(results: &[u8]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("p.txt"), PUZZLES).unwrap();
    fs::write(folder.path().join("r.txt"), results).unwrap();
    folder
}

fn check(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = cargo_bin_cmd!("batch-solve");
    command.current_dir(folder).arg("check").args(arguments);
    command
}

/// Status, stdout and stderr of checking results against the puzzles.
fn outcome(results: &str, more: &[&str]) -> (i32, String, String) {
    let folder = folder(results.as_bytes());
    run(check(folder.path(), &["p.txt", "r.txt"]).args(more))
}

fn run(command: &mut Command) -> (i32, String, String) {
    let output = command.output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

#[test]
fn right_results_end_with_0_and_a_summary() {
    let summary = "4 puzzles: 2 solved (0 optimal, 1 as short as known), 1 unsolvable, 0 gave up, 1 invalid; \
        all right\n";
    let unchecked = "not checked: times, node counts, algorithms and heuristics\n";
    assert_eq!(outcome(&RIGHT.concat(), &[]), (0, format!("{unchecked}{summary}"), String::new()));
    assert_eq!(outcome(&RIGHT.concat(), &["--quiet"]), (0, String::new(), String::new()));
}

#[test]
fn every_problem_is_a_line_on_stdout() {
    let wrong = [RIGHT[0], "k\tsolved\t2\tDL\n", RIGHT[2], RIGHT[3]].concat();
    let (status, stdout, stderr) = outcome(&wrong, &[]);
    assert_eq!((status, stderr.as_str()), (1, ""));
    let lines: Vec<&str> = stdout.lines().collect();
    assert_eq!(lines[0], "p.txt, line 2, record 2 (k): the moves do not end at the goal blank-last");
    assert!(lines.len() == 3 && lines[2].ends_with("; 1 wrong, 0 missing"), "{stdout}");

    let (status, stdout, _) = outcome(&[RIGHT[0], RIGHT[2], RIGHT[3]].concat(), &["--quiet"]);
    assert_eq!((status, stdout.as_str()), (1, "p.txt, line 2, record 2 (k): no result\n"));

    let (status, stdout, _) = outcome(&(RIGHT.concat() + RIGHT[1]), &["--quiet"]);
    assert_eq!((status, stdout.as_str()), (1, "results line 5: no record 'k' without a result\n"));
}

#[test]
fn repeated_results_are_named_by_their_record() {
    let line = |n: u32, moves: &str, length: usize| {
        format!(
            "{{\"type\":\"result\",\"file\":\"p.txt\",\"n\":{n},\"status\":\"solved\",\"length\":{length},\
             \"moves\":\"{moves}\"}}\n"
        )
    };
    let results = line(1, "R", 1) + &line(2, "DR", 2) + &line(1, "R", 1) + &line(9, "R", 1);
    let (status, stdout, _) = outcome(&results, &[]);
    assert_eq!(status, 1);
    assert!(stdout.contains("results line 3: a second result for record 1 of p.txt\n"), "{stdout}");
    assert!(stdout.contains("results line 4: there is no record 9 of p.txt\n"), "{stdout}");
    assert!(stdout.ends_with("; 2 wrong, 2 missing\n"), "{stdout}");
}

#[test]
fn after_twenty_problems_the_rest_are_counted() {
    let folder = folder(b"");
    fs::write(folder.path().join("p.txt"), "1 2 3 4 5 6 7 0 8\n".repeat(50)).unwrap();
    let (status, stdout, _) = run(&mut check(folder.path(), &["p.txt", "r.txt"]));
    let lines: Vec<&str> = stdout.lines().collect();
    assert_eq!((status, lines.len(), lines[20]), (1, 23, "and 30 more"));
    assert!(lines[22].ends_with("0 wrong, 50 missing"), "{stdout}");
}

#[test]
fn either_file_may_be_standard_input() {
    let folder = folder(RIGHT.concat().as_bytes());
    let results = run(check(folder.path(), &["p.txt", "-"]).write_stdin(RIGHT.concat()));
    let puzzles = run(check(folder.path(), &["-", "r.txt"]).write_stdin(PUZZLES));
    assert_eq!((results.0, puzzles.0), (0, 0));
    assert_eq!(results.1, puzzles.1);
    let (status, stdout, stderr) = run(&mut check(folder.path(), &["-", "-"]));
    assert!(status == 2 && stdout.is_empty() && stderr.contains("only one of PUZZLES and RESULTS"));
}

/// What a run says of the puzzles in a format, changed and checked.
fn changed(format: &str, from: &str, to: &str) -> (i32, String) {
    let folder = folder(b"");
    let mut solve = cargo_bin_cmd!("batch-solve");
    solve.current_dir(folder.path()).env("XDG_CACHE_HOME", folder.path());
    let output = solve.args(["p.txt", "--quiet", "--format", format]).output().unwrap();
    let results = String::from_utf8(output.stdout).unwrap();
    assert!(results.contains(from), "{results}");
    let results = results.replacen(from, to, 1);
    let (status, stdout, _) = run(check(folder.path(), &["p.txt", "-", "--quiet"]).write_stdin(results));
    (status, stdout)
}

#[test]
fn what_a_result_says_of_its_record_is_compared() {
    for format in ["jsonl", "csv"] {
        assert_eq!(changed(format, "", ""), (0, String::new()));
    }
    let problem = |from: &str, to: &str| changed("jsonl", from, to).1;
    assert_eq!(
        problem("\"id\":\"k\"", "\"id\":\"q\""),
        "p.txt, line 2, record 2 (k): the id is 'q' in the result, but 'k' in the record\n"
    );
    assert_eq!(
        problem("\"kind\":\"tiles\"", "\"kind\":\"tray\""),
        "p.txt, line 1, record 1: the kind is 'tray' in the result, but 'tiles' in the record\n"
    );
    assert_eq!(
        problem("\"size\":\"3x3\"", "\"size\":\"4x4\""),
        "p.txt, line 1, record 1: the size is '4x4' in the result, but '3x3' in the record\n"
    );
    assert_eq!(changed("csv", ",tiles,3x3,", ",tiles,3x4,").0, 1);
}

#[test]
fn the_summary_record_must_agree_with_the_results() {
    for (name, count) in [("puzzles", 4), ("solved", 2), ("optimal", 2), ("unsolvable", 1), ("invalid", 1)] {
        let (status, stdout) =
            changed("jsonl", &format!("\"{name}\":{count}"), &format!("\"{name}\":{}", count + 3));
        let expected =
            format!("results line 5: the summary has {name} {}, but the results have {count}\n", count + 3);
        assert_eq!((status, stdout), (1, expected));
    }
    let summary = "{\"type\":\"summary\",\"v\":1,";
    let again = format!("{summary}\"counts\":{{}}}}\n{summary}");
    assert_eq!(changed("jsonl", summary, &again).1, "results line 6: a second summary\n");
    let (status, stdout) = changed(
        "jsonl",
        "{\"type\":\"result\"",
        &format!("{summary}\"counts\":{{}}}}\n{{\"type\":\"result\""),
    );
    assert!(status == 1 && stdout.contains("line 2: a result after the summary"), "{stdout}");
}

#[test]
fn ids_in_states_may_look_like_a_status() {
    let folder = folder(b"");
    let ids =
        ["a: solved, b", "c: solved, 2 moves, optimal", "d: unsolvable, e", "f: invalid, g: gave_up, time"];
    let boards = ["1 2 3/4 5 6/7 0 8", "1 2 3/4 5 6/7 8 0", "1 2 3/4 5 6/8 7 0", "1 2 3/4 5 6/8 7 7"];
    let puzzles: String = ids.iter().zip(boards).map(|(id, board)| format!("@id {id}\n{board}\n")).collect();
    fs::write(folder.path().join("p.txt"), puzzles).unwrap();
    let mut solve = cargo_bin_cmd!("batch-solve");
    solve.current_dir(folder.path()).env("XDG_CACHE_HOME", folder.path());
    let states = solve.args(["p.txt", "--quiet", "--format", "states"]).output().unwrap().stdout;
    let (status, stdout, _) = run(check(folder.path(), &["p.txt", "-"]).write_stdin(states));
    assert_eq!(status, 0, "{stdout}");
    assert!(
        stdout.contains("4 puzzles: 2 solved (2 optimal), 1 unsolvable, 0 gave up, 1 invalid"),
        "{stdout}"
    );
}

#[test]
fn what_is_not_checked_is_named() {
    let folder = folder(b"");
    let mut solve = cargo_bin_cmd!("batch-solve");
    solve.current_dir(folder.path()).env("XDG_CACHE_HOME", folder.path());
    let output = solve.args(["p.txt", "--quiet", "--format", "jsonl"]).output().unwrap();
    let (_, stdout, _) = run(check(folder.path(), &["p.txt", "-"]).write_stdin(output.stdout));
    assert_eq!(
        stdout.lines().next().unwrap(),
        "not checked: 1 claim of a shortest solution (no length is known); times, node counts, algorithms and \
         heuristics; of the summary record all but its counts"
    );
}

#[test]
fn options_say_how_to_read() {
    let tiles = [RIGHT[0].replace('R', "L"), RIGHT[1].replace("DR", "UL")].concat() + RIGHT[2] + RIGHT[3];
    assert_eq!(outcome(&tiles, &["--notation", "tile"]).0, 0);
    assert_eq!(outcome(&tiles, &[]).0, 1);
    assert_eq!(outcome(&RIGHT.concat(), &["--format", "text"]).0, 0);
    assert_eq!(outcome(&RIGHT.concat(), &["--format", "jsonl"]).0, 1);
    assert_eq!(outcome(&RIGHT.concat(), &["--goal", "blank-first"]).0, 1);
    assert_eq!(outcome(&RIGHT.concat(), &["--goal", "1 2 3/4 5 6/7 8 0"]).0, 0);
    // Read as slashes the four lines are no boards at all.
    let (status, stdout, _) = outcome(&RIGHT.concat(), &["--input-format", "slashes"]);
    assert!(status == 1 && stdout.contains("record 1: the record is invalid: "), "{stdout}");
}

#[test]
fn what_cannot_be_read_ends_with_2() {
    let folder = folder(b"1 2 3 4 5 6 7 8 0\n");
    fs::write(folder.path().join("junk"), [0xff, 0xfe, 0, 7, b'\n', 200]).unwrap();
    for (arguments, reason) in [
        (&["no.txt", "r.txt"][..], "cannot open no.txt: "),
        (&["p.txt", "no.txt"], "cannot open no.txt: "),
        (&[".", "r.txt"], ". is a directory, not a puzzle file"),
        (&["p.txt", "."], ". is a directory, not a file of results"),
        (&["p.txt", "r.txt"], "r.txt: the results are not text, jsonl, csv or states"),
        (&["p.txt", "junk"], "junk: the results are not text, jsonl, csv or states"),
        (&["p.txt", "r.txt", "--goal", "middle"], "a goal is blank-last, blank-first, snail or a board"),
        (
            &["p.txt", "r.txt", "--input-format", "trays"],
            "[possible values: line, slashes, compact, grid, positions, tray, letters",
        ),
    ] {
        let (status, stdout, stderr) = run(&mut check(folder.path(), arguments));
        assert_eq!((status, stdout.as_str()), (2, ""), "{arguments:?}");
        assert!(stderr.contains(reason), "{arguments:?}: {stderr}");
    }
}
