//! Shortest solutions of boards of 17 to 25 cells with the real binary:
//! databases chosen by the program, other heuristics, checkpoints.

use assert_cmd::cargo::{cargo_bin, cargo_bin_cmd};
use batch_solve::run::checkpoint::Checkpoint;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

fn run(arguments: &[&str], stdin: &str) -> Output {
    let mut command = cargo_bin_cmd!("batch-solve");
    command.args(arguments).write_stdin(stdin).timeout(Duration::from_secs(240)).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn lengths(output: &Output) -> Vec<u32> {
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    text(&output.stdout).lines().map(|line| line.split('\t').nth(2).unwrap().parse().unwrap()).collect()
}

/// Databases of one folder are made by one test alone.
fn solve(boards: &str, folder: &Path, more: &[&str]) -> Output {
    // Databases are made for what files are seen to hold, not for a stream.
    let file = folder.join("boards.txt");
    fs::write(&file, boards).unwrap();
    let (file, folder) = (file.to_str().unwrap(), folder.to_str().unwrap());
    let memory: &[&str] = if more.contains(&"--memory") { &[] } else { &["--memory", "256MiB"] };
    run(&[&[file, "--quiet", "--pdb-dir", folder], memory, more].concat(), "")
}

#[test]
fn rectangles_have_the_lengths_that_other_heuristics_find() {
    let folder = tempfile::tempdir().unwrap();
    for (size, partition) in
        [("3x6", "pdb:5-4-4-4x2"), ("2x9", "pdb:6-6-5"), ("4x5", "pdb:5-5-5-4x2"), ("3x7", "pdb:5-5-5-5")]
    {
        let boards = text(
            &run(&["generate", "--size", size, "--count", "6", "--seed", "5", "--moves", "40"], "").stdout,
        );
        let known = lengths(&run(
            &["-", "--quiet", "--quality", "optimal", "--heuristic", "linear-conflict"],
            &boards,
        ));
        assert!(known.iter().all(|&length| length <= 40), "{known:?}");
        for search in [&["--quality", "optimal"][..], &["-a", "ida", "-t", "1"], &["-a", "astar", "-t", "3"]]
        {
            let found = solve(&boards, folder.path(), &[search, &["--heuristic", partition]].concat());
            assert_eq!(lengths(&found), known, "{size} {search:?}");
        }
        // A frontier that is soon full, and the rest depth-first.
        let small = ["--quality", "optimal", "-t", "2", "--heuristic", partition, "--memory", "160MiB"];
        assert_eq!(lengths(&solve(&boards, folder.path(), &small)), known, "{size}");
    }
}

#[test]
fn partitions_that_do_not_fit_are_refused() {
    let board = "5x5: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 0 24";
    let folder = tempfile::tempdir().unwrap();
    for partition in ["pdb:6-6-6-6x0", "pdb:6-6-6-6x99", "pdb:6-6-6-6x", "pdb:6-6-6-6-6", "pdb:9-9-6"] {
        let refused = solve(board, folder.path(), &["--heuristic", partition]);
        assert_eq!(refused.status.code(), Some(2), "{partition}");
        assert!(text(&refused.stderr).contains("is not a partition"), "{}", text(&refused.stderr));
    }
}

/// A board that keeps a search busy for a while at the cap used here.
fn busy() -> String {
    text(&run(&["generate", "--size", "4x5", "--count", "1", "--seed", "11"], "").stdout)
}

#[test]
fn a_killed_search_goes_on_from_its_checkpoint() {
    let dir = tempfile::tempdir().unwrap();
    let puzzle = dir.path().join("board.txt");
    fs::write(&puzzle, busy()).unwrap();
    let file = dir.path().join("rest");
    let (puzzle, rest) = (puzzle.to_str().unwrap(), file.to_str().unwrap());
    let databases = dir.path().join("databases");
    let arguments = [
        puzzle,
        "--quality",
        "optimal",
        "-t",
        "2",
        "--quiet",
        "--memory",
        "128MiB",
        "--heuristic",
        "pdb:5-5-5-4x2",
        "--pdb-dir",
        databases.to_str().unwrap(),
    ];
    let kept = [&arguments[..], &["--checkpoint", rest]].concat();
    let mut child = Command::new(cargo_bin("batch-solve")).args(&kept).stdout(Stdio::null()).spawn().unwrap();
    let begun = Instant::now();
    let mut solved = false;
    while !file.exists() && begun.elapsed() < Duration::from_secs(120) {
        solved = child.try_wait().unwrap().is_some();
        if solved {
            break;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(!solved, "solved before there was a checkpoint");
    assert!(file.exists());
    child.kill().unwrap();
    child.wait().unwrap();

    // What is not a checkpoint, or not a whole one, or of another puzzle, is
    // refused and left alone.
    let whole = fs::read(&file).unwrap();
    let mut flipped = whole.clone();
    flipped[whole.len() / 2] ^= 4;
    for (bytes, why) in
        [(&whole[..whole.len() / 2], "damaged"), (&flipped[..], "damaged"), (b"1 2 3", "not a checkpoint")]
    {
        fs::write(&file, bytes).unwrap();
        let refused = run(&kept, "");
        assert_eq!(refused.status.code(), Some(2));
        assert!(text(&refused.stderr).contains(why), "{}", text(&refused.stderr));
        assert_eq!(fs::read(&file).unwrap(), bytes);
    }
    fs::write(&file, &whole).unwrap();
    let other = dir.path().join("other.txt");
    fs::write(&other, text(&run(&["generate", "--size", "4x5", "--count", "1", "--seed", "12"], "").stdout))
        .unwrap();
    let foreign = run(&[&[other.to_str().unwrap()], &kept[1..]].concat(), "");
    assert_eq!(foreign.status.code(), Some(2), "{}", text(&foreign.stdout));
    assert!(text(&foreign.stderr).contains("does not belong"), "{}", text(&foreign.stderr));
    assert_eq!(fs::read(&file).unwrap(), whole);

    // In less memory the frontier would be another one.
    let less: Vec<&str> = kept.iter().map(|&word| if word == "128MiB" { "96MiB" } else { word }).collect();
    let refused = run(&less, "");
    assert_eq!(refused.status.code(), Some(2), "{}", text(&refused.stdout));
    assert!(text(&refused.stderr).contains("but this --memory leaves"), "{}", text(&refused.stderr));
    assert_eq!(fs::read(&file).unwrap(), whole);

    let known = lengths(&run(&arguments, ""));
    assert_eq!(lengths(&run(&kept, "")), known);
    assert!(!file.exists());
}

/// Starts a run that keeps checkpoints at `rest` in `dir`, and ends it when the file has been written
/// `times` times. Whether it was still running.
fn kill_after_checkpoints(dir: &Path, arguments: &[&str], times: usize) -> bool {
    let file = dir.join("rest");
    let identity = || fs::metadata(&file).ok().map(|file| file.ino());
    let mut command = Command::new(cargo_bin("batch-solve"));
    let mut child = command.args(arguments).current_dir(dir).stdout(Stdio::null()).spawn().unwrap();
    let began = Instant::now();
    let (mut last, mut written) = (identity(), 0);
    while written < times && child.try_wait().unwrap().is_none() {
        assert!(began.elapsed() < Duration::from_secs(120), "no checkpoint is written");
        std::thread::sleep(Duration::from_millis(2));
        let now = identity();
        written += usize::from(now.is_some() && now != last);
        last = now;
    }
    let is_running = child.try_wait().unwrap().is_none();
    let _ = child.kill();
    child.wait().unwrap();
    is_running
}

fn generated(size: &str, seed: &str) -> String {
    text(&run(&["generate", "--size", size, "--count", "1", "--seed", seed], "").stdout)
}

const KEPT: [&str; 12] = [
    "boards.txt",
    "--quality",
    "optimal",
    "--quiet",
    "--memory",
    "128MiB",
    "--heuristic",
    "pdb:5-5-5-4x2",
    "--pdb-dir",
    "databases",
    "--checkpoint",
    "rest",
];

#[test]
fn every_board_of_a_file_has_its_own_checkpoint() {
    let dir = tempfile::tempdir().unwrap();
    // The first is solved in a moment, but not at once.
    fs::write(dir.path().join("boards.txt"), generated("4x5", "13") + &busy()).unwrap();
    let board_of = |name: &str| {
        let bytes = fs::read(dir.path().join(name)).unwrap();
        Checkpoint::parse(&bytes).unwrap().puzzle
    };
    let busy = busy().lines().last().unwrap().to_owned();
    loop {
        assert!(kill_after_checkpoints(dir.path(), &KEPT, 1), "solved before it was killed");
        if board_of("rest").contains(&busy) {
            break;
        }
    }
    let mut command = cargo_bin_cmd!("batch-solve");
    let output =
        command.args(KEPT).current_dir(dir.path()).timeout(Duration::from_secs(240)).output().unwrap();
    assert_eq!(lengths(&output).len(), 2);
    assert!(!dir.path().join("rest").exists());
    let left: Vec<_> = fs::read_dir(dir.path()).unwrap().map(|file| file.unwrap().file_name()).collect();
    assert_eq!(left.len(), 2, "{left:?}");
}

#[test]
fn a_search_that_is_killed_again_and_again_makes_progress() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("boards.txt"), generated("4x5", "12")).unwrap();
    let arguments = [&KEPT[..], &["-o", "r.txt", "--resume"]].concat();
    let mut before = 0;
    for life in 0..4 {
        assert!(kill_after_checkpoints(dir.path(), &arguments, 2), "solved before it was killed");
        let found = Checkpoint::parse(&fs::read(dir.path().join("rest")).unwrap()).unwrap();
        assert!(found.snapshot.expanded > before, "life {life}: {} after {before}", found.snapshot.expanded);
        before = found.snapshot.expanded;
    }
}
