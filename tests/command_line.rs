//! The real binary, as a shell sees it: statuses, streams, help.

use assert_cmd::{Command, cargo::cargo_bin_cmd};

fn batch_solve(arguments: &[&str]) -> Command {
    let mut command = cargo_bin_cmd!("batch-solve");
    command.args(arguments);
    command
}

fn stdout(arguments: &[&str]) -> String {
    let output = batch_solve(arguments).assert().success().get_output().clone();
    assert!(output.stderr.is_empty(), "{arguments:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn usage_errors_end_with_status_2_and_leave_stdout_alone() {
    let cases: &[&[&str]] = &[
        &["--no-such-option", "a.txt"],
        &["a.txt", "--threads", "0"],
        &["a.txt", "--memory", "lots"],
        &["a.txt", "--timeout", "soon"],
        &["a.txt", "--quality", "optimal", "-a", "greedy"],
        &["check", "a.txt"],
        &["check", "-", "-"],
        &["generate", "--size", "0x0"],
        &["man", "no-such-command"],
    ];
    for arguments in cases {
        let output = batch_solve(arguments).assert().code(2).get_output().clone();
        assert!(output.stdout.is_empty() && !output.stderr.is_empty(), "{arguments:?}");
    }
}

#[test]
fn help_and_version_are_results() {
    let (short, long) = (stdout(&["-h"]), stdout(&["--help"]));
    for help in [&short, &long] {
        for word in ["Examples:", "--threads", "--memory", "Limits:", "Output:", "check", "generate"] {
            assert!(help.contains(word), "{word} is missing in {help}");
        }
    }
    assert!(long.len() > short.len());
    assert!(stdout(&["--version"]).starts_with("batch-solve "));
    assert!(stdout(&["check", "--help"]).contains("RESULTS"));
}

#[test]
fn completions_and_manual_pages() {
    for shell in ["bash", "zsh", "fish"] {
        assert!(stdout(&["completions", shell]).contains("batch-solve"), "{shell}");
    }
    assert!(stdout(&["man"]).contains(".TH batch-solve 1"));
    assert!(stdout(&["man", "generate"]).contains(".TH batch-solve-generate 1"));
}

#[test]
fn a_closed_pipe_ends_quietly() {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let status = std::process::Command::new(env!("CARGO_BIN_EXE_batch-solve"))
        .args(["completions", "bash"])
        .stdout(writer)
        .stderr(std::process::Stdio::piped())
        .output()
        .unwrap();
    assert_eq!((status.status.code(), status.stderr.as_slice()), (Some(0), b"".as_slice()));
}
