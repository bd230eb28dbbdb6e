//! Input files whose names are not UTF-8, and files that are not what they seem.

#[allow(dead_code)]
mod support;

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::process::{Command, Output};
use support::work::{Work, told};

const PUZZLES: &[u8] = b"1 2 3 4 5 6 7 0 8\n1 2 3 4 5 6 0 7 8\n";

/// A folder with the puzzles in a file whose name is not UTF-8.
fn work() -> (Work, OsString) {
    let work = Work::new();
    let name = OsStr::from_bytes(b"bad\xff.txt").to_owned();
    std::fs::write(work.path("").join(&name), PUZZLES).unwrap();
    (work, name)
}

fn run(work: &Work, arguments: &[&OsStr]) -> Output {
    let mut command: Command = work.command(&[]);
    command.args(arguments).env("XDG_CACHE_HOME", work.path("cache")).output().unwrap()
}

fn text(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(0), "{}", told(output));
    String::from_utf8(output.stdout.clone()).unwrap()
}

#[test]
fn every_command_takes_names_that_are_not_text() {
    let (work, name) = work();
    let arguments = |words: &[&'static str]| -> Vec<OsString> {
        words.iter().map(|word| if *word == "FILE" { name.clone() } else { word.into() }).collect()
    };
    let run = |words: &[&'static str]| {
        let arguments = arguments(words);
        run(&work, &arguments.iter().map(OsString::as_os_str).collect::<Vec<_>>())
    };
    let results = text(&run(&["FILE", "--format", "jsonl", "--summary", "none"]));
    let first: serde_json::Value = serde_json::from_str(results.lines().next().unwrap()).unwrap();
    assert_eq!((first["file"].as_str(), first["status"].as_str()), (Some("bad\\xff.txt"), Some("solved")));
    // With a journal, and from it.
    text(&run(&["FILE", "-o", "r.jsonl", "--quiet"]));
    text(&run(&["FILE", "-o", "r.jsonl", "--quiet", "--resume"]));
    assert_eq!(work.read("r.jsonl").lines().count(), 3);
    assert!(text(&run(&["check", "FILE", "r.jsonl"])).contains("2 solved"));
    assert_eq!(text(&run(&["convert", "FILE", "--to", "compact"])), "123 456 7b8\n123 456 b78\n");
    let runs = text(&run(&["convert", "FILE", "--results", "r.jsonl", "--to", "runs"]));
    assert_eq!(runs.lines().count(), 2);
    let missing = run(&["\u{fffd}.txt"]);
    assert_eq!(missing.status.code(), Some(2));
    // A board that nothing can be improved of.
    std::fs::write(work.path("").join(&name), "1 2 3 4 5 6 8 7 0\n").unwrap();
    work.write("r.txt", b"1\tunsolvable\t-\tparity\n");
    assert!(text(&run(&["improve", "FILE", "r.txt", "--quiet"])).starts_with("1\tunsolvable\t"));
    // An input is never overwritten, whatever its name.
    let output = run(&["FILE", "-o", "FILE", "--force"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(told(&output).contains("input"), "{}", told(&output));
}

#[test]
fn results_and_the_courses_files_may_have_such_names() {
    let (work, name) = work();
    let results = OsStr::from_bytes(b"results\xfe");
    std::fs::write(work.path("").join(results), "1\tsolved\t1\tR\n2\tsolved\t2\tRR\n").unwrap();
    assert_eq!(run(&work, &[OsStr::new("check"), &name, results]).status.code(), Some(0));
    let (init, goal) = (OsStr::from_bytes(b"tray\xfe"), OsStr::from_bytes(b"tray\xfe.goal"));
    std::fs::write(work.path("").join(init), "1 2\n0 0 0 0\n").unwrap();
    std::fs::write(work.path("").join(goal), "0 1 0 1\n").unwrap();
    assert_eq!(text(&run(&work, &[OsStr::new("tray"), init, goal])), "0 0 0 1\n");
    let tray = text(&run(&work, &[OsStr::new("convert"), init, OsStr::new("--to"), OsStr::new("tray")]));
    assert!(tray.starts_with("@id tray\\xfe\ntray 1 2\n"), "{tray}");
}

/// Files of sysfs say that they have 4,096 bytes and have a few.
#[test]
fn a_file_that_is_shorter_than_it_says_is_read() {
    let name = "/sys/kernel/mm/transparent_hugepage/enabled";
    if !std::fs::metadata(name).is_ok_and(|metadata| metadata.len() >= 4096) {
        return;
    }
    let work = Work::new();
    let output = work.run(&[name, "--quiet"]);
    let stdout = String::from_utf8(output.stdout.clone()).unwrap();
    assert!(stdout.starts_with("1\tinvalid\t-\t"), "{stdout}{}", told(&output));
    assert_eq!(told(&output), "");
}
