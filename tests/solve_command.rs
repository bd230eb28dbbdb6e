//! `batch-solve solve` with the real binary: order, statuses, limits, signals.

mod support;

use assert_cmd::cargo::cargo_bin_cmd;
use serde_json::Value;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};
use support::with_default_signals;

/// Boards of the fixture that take moments.
const QUICK: [&str; 5] = ["12", "42", "55", "79", "94"];

fn fixture(name: &str) -> String {
    format!("{}/fixtures/{name}", env!("CARGO_MANIFEST_DIR"))
}

fn solve(arguments: &[&str], stdin: &str) -> Output {
    let mut command = cargo_bin_cmd!("batch-solve");
    command.args(arguments).write_stdin(stdin).timeout(Duration::from_secs(60)).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// The results and the summary of a run in JSON Lines.
fn json(output: &Output) -> (Vec<Value>, Value) {
    let mut lines: Vec<Value> =
        text(&output.stdout).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let summary = lines.pop().unwrap();
    assert_eq!(summary["type"], "summary");
    assert!(lines.iter().all(|line| line["type"] == "result"));
    (lines, summary)
}

fn boards(size: &str, count: &str) -> String {
    text(&solve(&["generate", "--size", size, "--count", count, "--seed", "5"], "").stdout)
}

fn quick_boards() -> String {
    let all = std::fs::read_to_string(fixture("korf100.txt")).unwrap();
    let quick = all.lines().filter(|line| QUICK.contains(&line.split(' ').next().unwrap()));
    quick.fold("@goal blank-first\n".into(), |text, line| text + line + "\n")
}

fn scratch(name: &str, contents: &str) -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join(name);
    std::fs::write(&path, contents).unwrap();
    (dir, path)
}

fn name(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn order_and_lengths_do_not_depend_on_threads() {
    let puzzles = boards("3x3", "500");
    let run = |threads| {
        let output = solve(&["-", "--threads", threads], &puzzles);
        assert_eq!(output.status.code(), Some(0));
        let lines = text(&output.stdout);
        lines.lines().map(|line| line.rsplit_once('\t').unwrap().0.to_owned()).collect::<Vec<_>>()
    };
    let one = run("1");
    assert_eq!(one.len(), 500);
    assert!(one.iter().enumerate().all(|(at, line)| line.starts_with(&format!("{}\tsolved\t", at + 1))));
    assert_eq!(one, run("2"));
    assert_eq!(one, run("8"));
}

#[test]
fn small_boards_are_looked_up_and_as_short_as_searched_ones() {
    let goals = ["blank-last", "1 2 3/8 0 4/7 6 5", "1 0 2/3 4 5/6 7 8"];
    let mut puzzles: String =
        goals.map(|goal| format!("@goal {goal}\n{}", boards("3x3", "60"))).into_iter().collect();
    puzzles += "@goal blank-first\n@size 2x3\n";
    puzzles += &boards("2x3", "20");
    let run = |more: &[&str]| {
        let output = solve(&[&["-", "--format", "jsonl"], more].concat(), &puzzles);
        json(&output).0
    };
    let searched = run(&["--heuristic", "manhattan"]);
    for memory in ["48MiB", "1GiB"] {
        let one = run(&["--threads", "1", "--memory", memory]);
        let four = run(&["--threads", "4", "--memory", memory]);
        let looked_up = one.iter().filter(|result| result["algorithm"] == "table").count();
        assert!(looked_up > if memory == "1GiB" { 50 } else { 10 }, "{looked_up}");
        for ((one, four), searched) in one.iter().zip(&four).zip(&searched) {
            assert_eq!((&one["length"], &one["status"]), (&searched["length"], &searched["status"]));
            assert_eq!((&four["length"], &one["optimal"]), (&one["length"], &searched["optimal"]));
            // Under a small cap it depends on who comes first which table fits.
            let same = one["moves"] == four["moves"] && one["algorithm"] == four["algorithm"];
            assert!(same || memory == "48MiB");
            assert!(one["algorithm"] != "table" || one["heuristic"] == "complete");
            assert_ne!(searched["algorithm"], "table");
        }
    }
}

#[test]
fn statuses_tell_decided_undecided_and_errors_apart() {
    let hard = fixture("korf100.txt");
    let nodes = [hard.as_str(), "--max-nodes", "100", "--quality", "optimal"];
    let cases: [(&[&str], i32); 8] = [
        (&[&fixture("forms/line.txt")], 0),
        (&[&fixture("unsolvable.txt")], 0),
        (&["-"], 0),
        (&nodes, 1),
        (&[&fixture("malformed.txt")], 2),
        (&[&fixture("forms/line.txt"), "no-such-file.txt"], 2),
        (&[&fixture("forms")], 2),
        (&[&fixture("forms/line.txt"), "--goal", "nowhere"], 2),
    ];
    for (arguments, status) in cases {
        let output = solve(arguments, "");
        assert_eq!(output.status.code(), Some(status), "{arguments:?}: {}", text(&output.stderr));
    }
    let output = solve(&[nodes.as_slice(), &["no-such-file.txt"]].concat(), "");
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(text(&output.stdout).matches("\tgave_up\t-\tnodes\n").count(), 100);
}

#[test]
fn invalid_records_stand_beside_solved_ones() {
    let output =
        solve(&["-", "--format", "jsonl"], "1 2 3 4 5 6 7 0 8\n1 2 2 4 5 6 7 0 8\n\0\u{1}\n1 2 3 0\n");
    let (results, summary) = json(&output);
    let statuses: Vec<_> = results.iter().map(|result| result["status"].as_str().unwrap()).collect();
    assert_eq!(statuses, ["solved", "invalid", "invalid", "solved"]);
    assert_eq!(
        (&summary["counts"]["solved"], &summary["counts"]["invalid"]),
        (&Value::from(2), &Value::from(2))
    );
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn every_algorithm_by_name_counts_what_it_does() {
    let puzzles = boards("3x3", "40");
    let run = |arguments: &[&str]| {
        let all = [&["-", "--format", "jsonl", "--threads", "1"], arguments].concat();
        json(&solve(&all, &puzzles)).0
    };
    let shortest: Vec<u64> = run(&[]).iter().map(|result| result["length"].as_u64().unwrap()).collect();
    for name in ["bfs", "dfs", "greedy", "astar", "beam", "ida", "wastar"] {
        let arguments = ["--algorithm", name, "--heuristic", "manhattan"];
        let without_times = |mut results: Vec<Value>| {
            results.iter_mut().for_each(|result| drop(result.as_object_mut().unwrap().remove("time_us")));
            results
        };
        let results = without_times(run(&arguments));
        assert_eq!(results, without_times(run(&arguments)), "{name} is not deterministic");
        for (result, &shortest) in results.iter().zip(&shortest) {
            let count = |field: &str| result[field].as_u64().unwrap();
            assert_eq!((&result["status"], &result["algorithm"]), (&"solved".into(), &name.into()));
            assert!(count("length") >= shortest && count("generated") >= count("expanded"), "{result}");
            assert_eq!(count("visited") == 0, name == "ida", "{result}");
            // Each state is counted once, whatever was tried before.
            assert!(count("visited") <= 181_440 && count("visited") <= count("generated") + 1, "{result}");
            let is_shortest = ["bfs", "astar", "ida"].contains(&name);
            assert!(!is_shortest || (count("length") == shortest && result["optimal"] == true), "{result}");
        }
        let few = run(&[&arguments[..], &["--max-nodes", "40"]].concat());
        let gave_up = few.iter().filter(|result| result["status"] == "gave_up").count();
        assert!(gave_up > 30 && few.iter().all(|result| result["visited"].as_u64().unwrap() <= 40), "{name}");
        assert!(few.iter().all(|result| result["status"] == "solved" || result["reason"] == "nodes"));
    }
}

#[test]
fn a_beam_that_runs_dry_is_no_proof() {
    let output = solve(&["-", "-a", "beam", "--beam-width", "1", "--format", "jsonl"], &boards("3x3", "40"));
    let (results, summary) = json(&output);
    let dry = results.iter().filter(|result| result["reason"] == "beam").count();
    assert!(dry > 0 && results.iter().all(|result| result["status"] != "unsolvable"));
    assert_eq!((summary["counts"]["gave_up"].as_u64(), output.status.code()), (Some(dry as u64), Some(1)));
    let refused = solve(&["-", "--beam-width", "9"], "");
    assert_eq!(refused.status.code(), Some(2));
}

#[test]
fn shards_are_a_partition() {
    let puzzles = boards("2x3", "200");
    let mut numbers = Vec::new();
    for shard in ["1/3", "2/3", "3/3"] {
        let (results, _) = json(&solve(&["-", "--format", "jsonl", "--shard", shard], &puzzles));
        numbers.extend(results.iter().map(|result| result["n"].as_u64().unwrap()));
    }
    numbers.sort_unstable();
    assert_eq!(numbers, (1..=200).collect::<Vec<_>>());
}

#[test]
fn too_small_a_cap_says_how_much_is_needed() {
    let output = solve(&["-", "--memory", "8MiB", "--threads", "2"], "1 2 3 0\n");
    let error = text(&output.stderr);
    assert_eq!((output.status.code(), output.stdout.is_empty()), (Some(2), true));
    assert_eq!(error.matches("8 MiB of memory are not enough").count(), 1, "{error}");
    let needed = error.split("at least ").nth(1).unwrap().split(" are").next().unwrap().replace(' ', "");
    let output = solve(&["-", "--memory", &needed, "--threads", "2"], "1 2 3 0\n");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
}

#[test]
fn the_peak_stays_below_the_cap() {
    let puzzles = quick_boards();
    for threads in ["1", "16"] {
        let arguments = ["-", "--format", "jsonl", "--memory", "48MiB", "--threads", threads];
        let output = solve(&arguments, &puzzles);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        let (results, summary) = json(&output);
        assert!(results.iter().all(|result| result["optimal"] == true));
        assert_eq!(results.len(), QUICK.len());
        assert_eq!(summary["memory_cap_bytes"], 48 << 20);
        assert!(summary["peak_memory_bytes"].as_u64() <= summary["memory_cap_bytes"].as_u64());
    }
}

#[test]
fn without_time_there_is_a_second_best_or_nothing() {
    let puzzles = quick_boards();
    let (results, _) = json(&solve(&["-", "--format", "jsonl", "--timeout", "0s"], &puzzles));
    for result in &results {
        assert_eq!(result["status"], "solved");
        assert!(result["bound"].as_u64() < result["length"].as_u64() && result["optimal"] == false);
    }
    let optimal = ["-", "--format", "jsonl", "--timeout", "0s", "--quality", "optimal"];
    let output = solve(&optimal, &puzzles);
    let (results, _) = json(&output);
    assert!(results.iter().all(|result| result["status"] == "gave_up" && result["reason"] == "time"));
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn every_format_passes_the_check() {
    let (_dir, path) = scratch("puzzles.txt", &boards("3x3", "50"));
    for format in ["text", "jsonl", "csv", "states"] {
        for notation in ["blank", "tile"] {
            let output = solve(&[name(&path), "--format", format, "--notation", notation], "");
            let tell = ["check", name(&path), "-", "--notation", notation];
            let told = if matches!(format, "text") { &tell[..] } else { &tell[..3] };
            let check = solve(told, &text(&output.stdout));
            assert_eq!(check.status.code(), Some(0), "{format} {notation}: {}", text(&check.stderr));
        }
    }
}

#[test]
fn files_are_neither_overwritten_nor_lost() {
    let (dir, path) = scratch("puzzles.txt", "1 2 3 0\n");
    let results = dir.path().join("results.jsonl");
    let run = |more: &[&str]| solve(&[&[name(&path), "-o"], more].concat(), "").status.code();
    assert_eq!(run(&[name(&results)]), Some(0));
    assert_eq!(run(&[name(&results)]), Some(2));
    assert_eq!(run(&[name(&results), "--force"]), Some(0));
    assert_eq!(run(&[name(&path), "--force"]), Some(2));
    assert_eq!(run(&[name(&dir.path().join("no/such.txt"))]), Some(2));
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "1 2 3 0\n");
}

#[test]
fn a_closed_pipe_ends_quietly() {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut command = Command::new(env!("CARGO_BIN_EXE_batch-solve"));
    let output = command.arg(fixture("forms/line.txt")).stdout(writer).output().unwrap();
    assert_eq!((output.status.code(), text(&output.stderr).as_str()), (Some(0), ""));
}

fn start(arguments: &[&str]) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_batch-solve"));
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    with_default_signals(&mut command).spawn().unwrap()
}

/// Sends a signal and returns the status and both streams.
fn end(mut child: Child, signal: i32) -> (Option<i32>, String, String) {
    #[allow(unsafe_code)]
    // SAFETY: a child of this process that was not waited for yet.
    let sent = unsafe { libc::kill(child.id() as libc::pid_t, signal) };
    assert_eq!(sent, 0);
    let sent = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if sent.elapsed() > Duration::from_secs(20) {
            child.kill().unwrap();
            panic!("signal {signal} does not end the run");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    let (mut results, mut told) = (String::new(), String::new());
    child.stdout.take().unwrap().read_to_string(&mut results).unwrap();
    child.stderr.take().unwrap().read_to_string(&mut told).unwrap();
    (child.wait().unwrap().code(), results, told)
}

#[test]
fn the_summary_goes_where_it_is_told_to() {
    let file = fixture("forms/line.txt");
    let run = |options: &[&str]| {
        let output = solve(&[&[&*file], options].concat(), "");
        let stdout = String::from_utf8(output.stdout).unwrap();
        let (records, on_stderr) =
            (stdout.matches("\"type\":\"summary\"").count(), !output.stderr.is_empty());
        (records, on_stderr, output.status.code())
    };
    assert_eq!(run(&["--format", "jsonl"]), (1, true, Some(0)));
    assert_eq!(run(&["--format", "jsonl", "--summary", "record"]), (1, false, Some(0)));
    assert_eq!(run(&["--format", "jsonl", "--summary", "stderr"]), (0, true, Some(0)));
    assert_eq!(run(&["--format", "jsonl", "--summary", "none"]), (0, false, Some(0)));
    assert_eq!(run(&["--summary", "none"]), (0, false, Some(0)));
    assert_eq!(run(&["--summary", "stderr"]), (0, true, Some(0)));
    assert_eq!(run(&["--summary", "record"]), (0, true, Some(2)), "text has no record for it");
}

/// A data frame of all lines has one type in each column.
#[test]
fn the_summary_shares_no_column_with_results() {
    let (results, summary) = json(&solve(&[&fixture("forms/line.txt"), "--format", "jsonl"], ""));
    for name in summary.as_object().unwrap().keys().filter(|name| !["type", "v"].contains(&name.as_str())) {
        assert!(results.iter().all(|result| result.get(name).is_none()), "{name}");
    }
    assert_eq!(summary["counts"]["puzzles"], results.len());
}

#[test]
fn signals_leave_whole_lines_and_a_summary() {
    for (signal, status) in [(libc::SIGINT, 130), (libc::SIGTERM, 143), (libc::SIGHUP, 129)] {
        let hard = fixture("korf100.txt");
        let child = start(&[&hard, "--format", "jsonl", "-a", "ida", "--heuristic", "misplaced"]);
        std::thread::sleep(Duration::from_millis(400));
        let (code, results, told) = end(child, signal);
        assert_eq!(code, Some(status), "{told}");
        assert!(results.ends_with('\n') && told.contains("interrupted"), "{told}");
        let lines: Vec<Value> = results.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(lines.last().unwrap()["type"], "summary");
    }
}

#[test]
fn a_closed_pipe_ends_the_wait_for_standard_input() {
    for threads in ["1", "2", "8"] {
        let mut child = start(&["-", "--threads", threads]);
        drop(child.stdout.take());
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(b"1 2 3 4 5 6 7 8 0\n").unwrap();
        let began = Instant::now();
        while child.try_wait().unwrap().is_none() {
            assert!(began.elapsed() < Duration::from_secs(20), "it waits for more input");
            std::thread::sleep(Duration::from_millis(5));
        }
        assert_eq!(child.wait().unwrap().code(), Some(0));
        drop(stdin);
    }
}

#[test]
fn a_signal_ends_the_wait_for_standard_input() {
    for threads in ["1", "2", "8"] {
        let mut child = start(&["-", "--threads", threads]);
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(b"1 2 3 4 5 6 7 8 0\n").unwrap();
        std::thread::sleep(Duration::from_millis(300));
        let (code, results, told) = end(child, libc::SIGINT);
        assert_eq!(code, Some(130), "{told}");
        assert_eq!(results, "1\tsolved\t0\t\n");
        drop(stdin);
    }
}

#[test]
fn a_deadline_ends_the_wait_for_standard_input() {
    let mut child = start(&["-", "--deadline", "200ms"]);
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(b"1 2 3 4 5 6 7 8 0\n").unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(text(&output.stdout), "1\tsolved\t0\t\n");
    let told = text(&output.stderr);
    assert!(told.contains("deadline the rest of the input not begun"), "{told}");
    drop(stdin);
}
