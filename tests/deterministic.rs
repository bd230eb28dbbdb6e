//! What must be the same at every number of threads: order, status and length of
//! optimal results always, moves and node counts with `--deterministic`.

use serde_json::Value;
use std::fs;
use std::process::{Command, Output, Stdio};

fn run(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_batch-solve"));
    // Whatever an earlier run has left there must not matter.
    command.env("XDG_CACHE_HOME", concat!(env!("CARGO_TARGET_TMPDIR"), "/deterministic"));
    command.args(arguments).stdin(Stdio::null()).output().unwrap()
}

fn results(arguments: &[&str]) -> Vec<Value> {
    let output = run(&[arguments, &["--format", "jsonl", "--quiet"]].concat());
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(!text.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    let lines = text.lines().map(|line| serde_json::from_str(line).unwrap());
    lines.filter(|value: &Value| value["type"] == "result").collect()
}

/// Boards and trays of all kinds, some of which outgrow a slice or are given up.
fn puzzles() -> tempfile::NamedTempFile {
    let generated = |arguments: &[&str]| run(&[&["generate"], arguments].concat()).stdout;
    let mut text = generated(&["--size", "3x3", "--count", "150", "--seed", "1"]);
    text.extend(generated(&["--size", "4x4", "--moves", "60", "--count", "60", "--seed", "2"]));
    text.extend(generated(&["--size", "9x9", "--count", "3", "--seed", "3"]));
    text.extend(b"not a puzzle\n@goal snail\n");
    text.extend(generated(&["--size", "3x4", "--moves", "40", "--count", "30", "--seed", "4"]));
    text.extend(generated(&["trays", "--size", "4x4", "--holes", "3", "--count", "40", "--seed", "5"]));
    let classics = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/trays/classics.txt");
    text.extend(fs::read(classics).unwrap());
    let file = tempfile::NamedTempFile::new().unwrap();
    fs::write(file.path(), text).unwrap();
    file
}

fn only(results: &[Value], fields: &[&str]) -> Vec<Vec<Value>> {
    results.iter().map(|result| fields.iter().map(|&field| result[field].clone()).collect()).collect()
}

#[test]
fn optimal_lengths_do_not_depend_on_threads() {
    let file = puzzles();
    let path = file.path().to_str().unwrap();
    let fields = ["n", "id", "line", "status", "reason", "optimal"];
    let one = results(&[path, "--threads", "1", "--memory", "96MiB"]);
    for threads in ["2", "7", "32"] {
        let many = results(&[path, "--threads", threads, "--memory", "96MiB"]);
        assert_eq!(only(&one, &fields), only(&many, &fields), "{threads} threads");
        for (one, many) in one.iter().zip(&many) {
            assert!(one["optimal"] != true || one["length"] == many["length"], "{one} {many}");
        }
    }
}

#[test]
fn deterministic_runs_repeat_moves_and_nodes() {
    let file = puzzles();
    let path = file.path().to_str().unwrap();
    let choices: [&[&str]; 4] = [
        &[],
        &["--quality", "fast"],
        &["--algorithm", "astar", "--max-nodes", "20000"],
        &["--algorithm", "beam"],
    ];
    for choice in choices {
        let run = |limits: &[&str]| {
            let mut all = results(&[&[path, "--deterministic"], choice, limits].concat());
            all.iter_mut().for_each(|result| drop(result.as_object_mut().unwrap().remove("time_us")));
            all
        };
        let one = run(&["--threads", "1", "--memory", "160MiB"]);
        assert!(one.iter().any(|result| result["generated"].as_u64() > Some(10_000)));
        for limits in [["--threads", "2", "--memory", "160MiB"], ["--threads", "9", "--memory", "2GiB"]] {
            for (one, other) in one.iter().zip(run(&limits)) {
                assert_eq!(*one, other, "{choice:?} {limits:?}");
            }
        }
    }
}

#[test]
fn deterministic_runs_use_the_same_databases_whatever_is_on_disk() {
    let fixture = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/korf100.txt");
    let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let run = |folder: &tempfile::TempDir, limits: &[&str]| {
        let folder = folder.path().to_str().unwrap();
        let arguments = [fixture, "--deterministic", "--shard", "1/4", "--pdb-dir", folder];
        let mut all = results(&[&arguments, limits].concat());
        all.iter_mut().for_each(|result| drop(result.as_object_mut().unwrap().remove("time_us")));
        all
    };
    // Made by this run; read by the next; other databases are there; none can be kept.
    let first = run(&folders[0], &["--threads", "2", "--memory", "176MiB"]);
    assert!(first.iter().all(|result| result["optimal"] == true));
    let by_databases =
        first.iter().filter(|result| result["heuristic"].as_str().unwrap().starts_with("pdb:"));
    assert!(by_databases.count() > 20);
    assert_eq!(first, run(&folders[0], &["--threads", "1", "--memory", "160MiB"]));
    let folder = folders[1].path().to_str().unwrap();
    assert!(self::run(&["pdb", "build", "6-6-3", "--pdb-dir", folder]).status.success());
    assert_eq!(first, run(&folders[1], &["--threads", "9", "--memory", "1GiB"]));
    // A cap that does not hold them is refused, not served with others.
    let arguments = [fixture, "--deterministic", "--memory", "128MiB", "--shard", "1/4"];
    let refused = self::run(&arguments);
    let told = String::from_utf8(refused.stderr).unwrap();
    assert!(refused.status.code() == Some(2) && told.contains("are not enough: at least"), "{told}");
}

#[test]
fn what_depends_on_the_clock_or_the_machine_is_refused() {
    let cases: [(&[&str], &str); 4] = [
        (&["--timeout", "1s"], "cannot be used with"),
        (&["--deadline", "1s"], "cannot be used with"),
        (&["--quality", "improve"], "depends on time"),
        (&["--memory", "64MiB"], "64 MiB of memory are not enough: at least"),
    ];
    for (arguments, why) in cases {
        let output = run(&[&["-", "--deterministic"], arguments].concat());
        let told = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(2) && told.contains(why), "{arguments:?}: {told}");
    }
}
