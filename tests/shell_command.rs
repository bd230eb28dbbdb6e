//! `batch-solve shell`, the real binary: each script in `tests/shell/` must give
//! the answers beside it, from a file as from a pipe.
//!
//! `UPDATE_GOLDEN=1 cargo test --test shell_command` writes the answers anew.

use assert_cmd::cargo::cargo_bin_cmd;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/shell")
}

/// The script's answers and the status, from the file and from a pipe.
fn session(script: &Path, arguments: &[&str], status: i32) -> String {
    let run = |from_file: bool| {
        let mut command = cargo_bin_cmd!("batch-solve");
        command.arg("shell").args(arguments);
        if from_file {
            command.arg(script);
        } else {
            command.write_stdin(fs::read(script).unwrap());
        }
        let output = command.output().unwrap();
        assert_eq!(output.status.code(), Some(status), "{}", script.display());
        assert!(output.stderr.is_empty());
        String::from_utf8(output.stdout).unwrap()
    };
    let answers = run(true);
    assert_eq!(answers, run(false));
    answers
}

fn golden(name: &str, arguments: &[&str], status: i32) {
    let answers = session(&folder().join(format!("{name}.txt")), arguments, status);
    let path = folder().join(format!("{name}.out"));
    if env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(&path, &answers).unwrap();
    }
    assert_eq!(answers, fs::read_to_string(&path).unwrap(), "{name}");
}

#[test]
fn every_command() {
    golden("tour", &[], 0);
}

#[test]
fn mistakes_name_their_line_and_end_nothing() {
    golden("mistakes", &[], 2);
}

#[test]
fn random_states_are_the_same_everywhere() {
    golden("random", &["--seed", "5"], 0);
}

#[test]
fn the_fifteen_puzzle() {
    golden("fifteen", &["--size", "4x4", "--seed", "9"], 2);
}

#[test]
fn lines_of_any_kind_do_not_end_the_session() {
    let mut command = cargo_bin_cmd!("batch-solve");
    let output =
        command.arg("shell").write_stdin(&b"\xff\xfe\x00\r\nprintState\r\n\n  move up"[..]).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.starts_with("Error in line 1: "), "{text}");
    assert!(text.ends_with("b12 345 678\nInvalid move\n"), "{text}");
}

#[test]
fn a_script_that_is_not_there() {
    let output = cargo_bin_cmd!("batch-solve").args(["shell", "no-such-file"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8(output.stderr).unwrap().contains("no-such-file"));
}

/// The answer to one `solve` from a state that is one move from the goal, whose three
/// successors are all new.
fn solve_with(max_nodes: &str) -> String {
    let script = format!("setState 1b2 345 678\n{max_nodes}\nsolve A-star h2\n");
    let output = cargo_bin_cmd!("batch-solve").arg("shell").write_stdin(script).output().unwrap();
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn nodes_are_counted_as_in_the_course() {
    // New states that are queued count, the start does not.
    assert!(solve_with("").ends_with("Number of expanded nodes: 3\n"), "{}", solve_with(""));
    assert_eq!(solve_with("maxNodes 3"), solve_with(""));
    for few in [1, 2] {
        let answer = solve_with(&format!("maxNodes {few}"));
        assert!(answer.contains(&format!("maxNodes of {few} was exceeded")), "{answer}");
    }
}
