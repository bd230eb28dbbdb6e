//! `batch-solve generate`, the real binary: the same boards everywhere, the
//! right ones, and files that are not lost.

mod support;

use assert_cmd::{Command, assert::Assert, cargo::cargo_bin_cmd};
use batch_solve::input::{Block, Defaults, Reader};
use batch_solve::model::report::Instance;
use batch_solve::puzzle::tiles::is_solvable;
use std::{
    fs,
    io::{Cursor, Read},
    process::{Command as Process, Stdio},
};
use support::with_default_signals;

fn generate(arguments: &str) -> Command {
    let mut command = cargo_bin_cmd!("batch-solve");
    command.arg("generate").args(arguments.split_whitespace());
    command
}

fn text(assert: Assert) -> String {
    let output = assert.success().get_output().clone();
    assert!(output.stderr.is_empty());
    String::from_utf8(output.stdout).unwrap()
}

/// Every board of a generated file, and whether its goal can be reached.
fn solvable(file: &str) -> Vec<bool> {
    let stream = Cursor::new(file.to_owned().into_bytes());
    let mut reader = Reader::from_stream("generated", stream, Defaults::default());
    let (mut block, mut all) = (Block::default(), Vec::new());
    while reader.next_block(&mut block, 100).unwrap() {
        for index in 0..block.len() {
            let Instance::Tiles { board, goal, .. } = block.parse(index).unwrap() else { panic!("a tray") };
            all.push(is_solvable(&board, &goal.board(board.size()).unwrap()));
        }
    }
    all
}

#[test]
fn a_seed_means_the_same_boards_everywhere() {
    let golden = "1 3 4 8 13 6 15 9 14 7 12 11 5 10 2 0\n13 3 12 8 6 0 5 11 10 4 7 9 15 14 2 1\n\
        9 11 14 0 3 13 8 15 5 2 6 4 10 7 1 12\n";
    assert_eq!(text(generate("--size 4x4 --count 3 --seed 7").assert()), golden);
    assert_eq!(text(generate("-n 3 --seed 7").assert()), golden);
    let other = text(generate("-n 3 --seed 8").assert());
    assert_ne!(other, golden);
    let many = text(generate("-n 5000 --seed 7").assert());
    assert!(many.starts_with(golden) && many == text(generate("-n 5000 --seed 7").assert()));
}

#[test]
fn boards_are_of_the_kind_asked_for() {
    for (arguments, expected) in [
        ("-n 300 --size 3x4", true),
        ("-n 300 --size 4x4 --goal snail", true),
        ("-n 300 --size 2x5 --unsolvable", false),
        ("-n 300 --size 3x3 --goal 1238b4765 --unsolvable", false),
        ("-n 300 --size 3x3 --moves 40 --goal blank-first", true),
    ] {
        let all = solvable(&text(generate(arguments).assert()));
        assert!(all.len() == 300 && all.iter().all(|&solvable| solvable == expected), "{arguments}");
    }
}

#[test]
fn walks_start_at_the_goal() {
    assert_eq!(text(generate("--size 2x3 --moves 0").assert()), "@size 2x3\n1 2 3 4 5 0\n");
    let one = text(generate("--size 3x3 --moves 1 -n 50").assert());
    let mut ends: Vec<&str> = one.lines().collect();
    ends.sort_unstable();
    ends.dedup();
    assert_eq!(ends, ["1 2 3 4 5 0 7 8 6", "1 2 3 4 5 6 7 0 8"]);
    // After an even number of moves the blank stands on a cell of its own colour.
    let far = text(generate("--size 9x9 --moves 1000000 --seed 3").assert());
    let blank = far.split_whitespace().position(|tile| tile == "0").unwrap();
    assert_eq!((blank / 9 + blank % 9) % 2, 0);
}

#[test]
fn a_file_is_kept_unless_forced() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("boards.txt");
    let write = |more: &[&str]| generate("-n 2").arg("-o").arg(&path).args(more).assert();
    assert_eq!(text(write(&[])), "");
    let first = fs::read_to_string(&path).unwrap();
    assert_eq!(first.lines().count(), 2);
    let refused = write(&["--seed", "5"]).code(2).get_output().clone();
    let message = String::from_utf8(refused.stderr).unwrap();
    assert!(message.contains("boards.txt: exists already (--force overwrites it)"), "{message}");
    assert_eq!(fs::read_to_string(&path).unwrap(), first);
    text(write(&["--seed", "5", "--force"]));
    assert_ne!(fs::read_to_string(&path).unwrap(), first);
}

#[test]
fn goals_that_do_not_fit_are_refused_before_anything_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("boards.txt");
    for (goal, reason) in [
        ("middle", "--goal: a goal is blank-last, blank-first, snail or a board"),
        ("1 2 3/8 0 4/7 6 5", "the boards are 4x4, but the goal is not"),
    ] {
        let output = generate("").args(["--goal", goal, "-o"]).arg(&path).assert().code(2);
        let message = String::from_utf8(output.get_output().stderr.clone()).unwrap();
        assert!(message.contains(reason), "{message}");
        assert!(!path.exists());
    }
    // With one size given, a line of tiles needs no other.
    let rectangle = text(generate("--size 2x3 --moves 0").args(["--goal", "0 1 2 3 4 5"]).assert());
    assert_eq!(rectangle, "@size 2x3\n@goal 0 1 2/3 4 5\n0 1 2 3 4 5\n");
}

#[test]
fn a_reader_that_leaves_ends_it_quietly() {
    let mut child = Process::new(env!("CARGO_BIN_EXE_batch-solve"))
        .args(["generate", "--count", "1000000000"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut some = [0; 1000];
    child.stdout.take().unwrap().read_exact(&mut some).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), b"".as_slice()));
}

#[test]
fn ctrl_c_leaves_whole_lines() {
    for arguments in ["generate --count 1000000000", "generate --size 9x9 --moves 1000000000000"] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("boards.txt");
        let mut command = Process::new(env!("CARGO_BIN_EXE_batch-solve"));
        command.args(arguments.split(' ')).arg("-o").arg(&path);
        let mut child = with_default_signals(&mut command).spawn().unwrap();
        while !path.exists() {
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        let kill = Process::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
        assert!(kill.success());
        assert_eq!(child.wait().unwrap().code(), Some(130), "{arguments}");
        let lines = fs::read_to_string(&path).unwrap();
        assert!(lines.is_empty() || lines.ends_with('\n'));
        assert!(solvable(&lines).iter().all(|&solvable| solvable));
    }
}
