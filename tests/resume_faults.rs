//! Faults around `--resume`, `--checkpoint` and the files beside the results, made on purpose with
//! the real binary: journals that are not journals, results and input changed by others, files and
//! names of strangers, FIFOs.

mod support;

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Child, Command, Output};
use std::time::{Duration, Instant};
use support::work::{Work, told};

const ONE: &[u8] = b"1 2 3 4 5 6 7 0 8\n";

/// A board that keeps IDA* with this heuristic busy for hours.
const HARD: &str = "0 12 9 13 15 11 10 14 3 7 2 5 4 8 6 1\n";
const SLOW: [&str; 4] = ["-a", "ida", "--heuristic", "misplaced"];

/// The program with a cache folder of its own.
fn command(work: &Work, arguments: &[&str]) -> Command {
    let mut command = work.command(arguments);
    command.env("XDG_CACHE_HOME", work.path("cache"));
    command
}

/// Runs the program; a hanging one is killed and told of.
fn run(work: &Work, arguments: &[&str]) -> Output {
    let mut command = command(work, arguments);
    let mut child =
        command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped()).spawn().unwrap();
    let began = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if began.elapsed() > Duration::from_secs(120) {
            child.kill().unwrap();
            panic!("it does not end: {arguments:?}");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    child.wait_with_output().unwrap()
}

/// A run that does not outlive its test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Runs the program, which must succeed.
fn solve(work: &Work, arguments: &[&str]) -> Output {
    let output = run(work, arguments);
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", told(&output));
    output
}

/// Runs the program, which must refuse and say why.
fn refused(work: &Work, arguments: &[&str], why: &str) {
    let output = run(work, arguments);
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", told(&output));
    assert!(told(&output).contains(why), "{why}: {}", told(&output));
}

/// The peak memory in MiB that the summary tells.
fn peak(output: &Output) -> f64 {
    let told = told(output);
    let peak = told.split("memory ").nth(1).and_then(|rest| rest.trim().split(' ').next());
    peak.and_then(|peak| peak.parse().ok()).unwrap_or_else(|| panic!("{told}"))
}

/// Waits until a file is what it should be.
fn wait_for(what: impl Fn() -> bool) {
    let began = Instant::now();
    while !what() {
        assert!(began.elapsed() < Duration::from_secs(60), "it never comes");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn mkfifo(path: &Path) {
    let name = std::ffi::CString::new(path.to_str().unwrap()).unwrap();
    #[allow(unsafe_code)]
    // SAFETY: a name that ends with zero.
    let made = unsafe { libc::mkfifo(name.as_ptr(), 0o600) };
    assert_eq!(made, 0);
}

#[test]
fn a_huge_file_in_place_of_the_journal_is_not_read() {
    let work = Work::new();
    work.write("one.txt", ONE);
    let nested =
        [&b"{\"batch-solve\":\"resume\",\"v\":1,\"of\":["[..], &b"[],".repeat(5 << 20), b"0]}"].concat();
    work.write("r.jsonl.resume", &nested);
    let output = solve(&work, &["one.txt", "-o", "r.jsonl", "--memory", "48MiB"]);
    assert!(told(&output).contains("is not the journal of a run"), "{}", told(&output));
    assert!(peak(&output) <= 48.0, "{}", told(&output));
    assert_eq!(fs::metadata(work.path("r.jsonl.resume")).unwrap().len(), nested.len() as u64);
}

#[test]
fn a_journal_is_small_and_many_files_keep_to_the_cap() {
    let work = Work::new();
    work.write("1", ONE);
    let names = vec!["1"; 30_000];
    let more = ["-o", "r.txt", "--resume", "--memory", "48MiB"];
    let output = solve(&work, &[&names[..], &more].concat());
    assert!(peak(&output) <= 48.0, "{}", told(&output));
    assert!(fs::metadata(work.path("r.txt.resume")).unwrap().len() < 16 << 10);
    let whole = work.read("r.txt");
    // Resumed, also with the last of the names missing.
    let output = solve(&work, &[&names[..], &more].concat());
    assert!(told(&output).contains("30000 results are kept"), "{}", told(&output));
    refused(
        &work,
        &[&names[1..], &more].concat(),
        "its puzzle files were 1, 1, 1, 1, 1, 1, 1, 1 and 29992 more",
    );
    assert_eq!(work.read("r.txt"), whole);
}

#[test]
fn a_row_of_millions_of_commas_keeps_to_the_cap() {
    let work = Work::new();
    work.write("one.txt", ONE);
    let resume = ["one.txt", "-o", "r.csv", "--resume", "--memory", "48MiB"];
    solve(&work, &resume);
    for has_journal in [true, false] {
        let mut rows = fs::read(work.path("r.csv")).unwrap();
        rows.extend_from_slice(&b",".repeat(4 << 20));
        rows.push(b'\n');
        work.write("r.csv", &rows);
        if !has_journal {
            fs::remove_file(work.path("r.csv.resume")).unwrap();
        }
        let output = solve(&work, &resume);
        assert!(peak(&output) <= 48.0, "{}", told(&output));
        assert!(work.read("r.csv").len() < 1000, "the row is gone");
    }
}

#[test]
fn results_that_were_changed_are_refused() {
    let work = Work::new();
    work.write("boards.txt", b"1 2 3 4 5 6 7 0 8\n1 2 3 4 5 6 0 7 8\n1 2 3 4 5 0 7 8 6\n");
    for format in ["txt", "jsonl", "csv", "states"] {
        let name = format!("r.{format}");
        let resume = ["boards.txt", "-o", &name, "--resume"];
        solve(&work, &resume);
        let whole = work.read(&name);
        // Still a result, and one of the same length, but not the one that was written.
        let changed = whole.replacen('R', "L", 1);
        assert_ne!(changed, whole, "{name}");
        work.write(&name, changed.as_bytes());
        refused(&work, &resume, "was changed");
        assert_eq!(work.read(&name), changed, "{name}");
        work.write(&name, whole.as_bytes());
        solve(&work, &resume);
    }
}

#[test]
fn results_overwritten_by_another_run_through_a_link_are_refused() {
    let work = Work::new();
    work.write("few.txt", ONE);
    work.write("boards.txt", b"1 2 3 4 5 6 0 7 8\n");
    symlink("real.txt", work.path("link.txt")).unwrap();
    solve(&work, &["few.txt", "-o", "link.txt", "--resume"]);
    solve(&work, &["boards.txt", "-o", "real.txt", "--force"]);
    let other = work.read("real.txt");
    refused(&work, &["few.txt", "-o", "link.txt", "--resume"], "was changed");
    assert_eq!(work.read("real.txt"), other);
}

/// What the deadline cut short is solved again, whatever happens to other files meanwhile.
#[test]
fn the_place_of_a_cut_cannot_get_lost() {
    let work = Work::new();
    work.write("boards.txt", format!("1 2 3 4 5 6 7 8 9 10 11 12 13 14 0 15\n{HARD}").as_bytes());
    let limits = ["--timeout", "1h", "--deadline", "2s", "--quality", "optimal", "--quiet"];
    let arguments = [&["boards.txt", "-o", "r.txt"], &SLOW[..], &limits].concat();
    let child = command(&work, &arguments).spawn().unwrap();
    wait_for(|| work.path("r.txt.resume").exists());
    // Where the name of a draft could be guessed, it could not be written any more.
    fs::create_dir(work.path("r.txt.resume.new")).unwrap();
    assert_eq!(child.wait_with_output().unwrap().status.code(), Some(1));
    assert!(work.read("r.txt.resume").contains("final 1 "), "{}", work.read("r.txt.resume"));
    let again = [&["boards.txt", "-o", "r.txt", "--resume"], &SLOW[..], &limits].concat();
    let again: Vec<&str> = again.into_iter().filter(|&word| word != "--quiet").collect();
    assert!(told(&run(&work, &again)).contains("1 results are kept"));
}

#[test]
fn input_replaced_before_the_second_block_is_noticed() {
    let work = Work::new();
    let easy = "1 2 3/4 5 6/7 0 8\n";
    let input = format!("{}{HARD}", easy.repeat(64));
    work.write("boards.txt", input.as_bytes());
    let time = fs::metadata(work.path("boards.txt")).unwrap().modified().unwrap();
    let arguments = [&["boards.txt", "-o", "r.txt", "--resume"], &SLOW[..]].concat();
    let child = Running(command(&work, &arguments).spawn().unwrap());
    wait_for(|| fs::read_to_string(work.path("r.txt")).is_ok_and(|text| text.lines().count() == 64));
    // The mark follows the results at once; without it they would be solved again.
    std::thread::sleep(Duration::from_millis(300));
    drop(child);
    let before = work.read("r.txt");
    // The same size and the same time.
    let replaced = input.replace("7 0 8", "0 7 8");
    work.write("boards.txt", replaced.as_bytes());
    fs::File::options().write(true).open(work.path("boards.txt")).unwrap().set_modified(time).unwrap();
    let limited = [&arguments[..], &["--deadline", "1s"]].concat();
    refused(&work, &limited, "what was answered, up to byte");
    assert_eq!(work.read("r.txt"), before);
}

#[test]
fn options_are_named_as_they_are_typed() {
    let work = Work::new();
    work.write("one.txt", ONE);
    let resume = ["one.txt", "-o", "r.txt", "--resume", "--heuristic"];
    solve(&work, &[&resume[..], &["linear-conflict"]].concat());
    let why = "--heuristic was linear-conflict and is manhattan";
    refused(&work, &[&resume[..], &["manhattan"]].concat(), why);
}

/// Nothing is written through a symbolic link that lies where a draft could be, and nothing is
/// removed.
#[test]
fn files_of_others_are_neither_written_nor_removed() {
    let work = Work::new();
    work.write("one.txt", ONE);
    work.write("wide.txt", b"4x5: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 0 19\n");
    work.write("precious", b"do not touch\n");
    for link in ["r.txt.resume.new", "rest.draft", "s.txt.resume", "other"] {
        symlink("precious", work.path(link)).unwrap();
    }
    solve(&work, &["one.txt", "-o", "r.txt", "--resume"]);
    solve(&work, &["one.txt", "-o", "r.txt", "--resume"]);
    // A journal's own name may be taken, too, even by a link to nothing.
    solve(&work, &["one.txt", "-o", "s.txt"]);
    symlink("nothing", work.path("t.txt.resume")).unwrap();
    solve(&work, &["one.txt", "-o", "t.txt"]);
    let wide = ["wide.txt", "--quality", "optimal", "--memory", "256MiB", "--checkpoint"];
    solve(&work, &[&wide[..], &["rest"]].concat());
    refused(&work, &[&wide[..], &["other"]].concat(), "not a checkpoint");
    assert_eq!(work.read("precious"), "do not touch\n");
    for link in ["r.txt.resume.new", "rest.draft", "s.txt.resume", "other", "t.txt.resume"] {
        assert!(fs::symlink_metadata(work.path(link)).unwrap().is_symlink(), "{link}");
    }
    assert!(!work.path("nothing").exists());
}

#[test]
fn fifos_are_refused_and_do_not_hang() {
    let work = Work::new();
    work.write("one.txt", ONE);
    work.write("wide.txt", b"4x5: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 0 19\n");
    for fifo in ["rest", "free.draft", "r.txt.resume.new", "s.txt.resume"] {
        mkfifo(&work.path(fifo));
    }
    solve(&work, &["one.txt", "-o", "r.txt"]);
    solve(&work, &["one.txt", "-o", "s.txt"]);
    refused(&work, &["one.txt", "-o", "s.txt", "--resume"], "is not the journal of a run");
    let wide = ["wide.txt", "--quality", "optimal", "--memory", "256MiB", "--checkpoint"];
    refused(&work, &[&wide[..], &["rest"]].concat(), "this is not a regular file");
    solve(&work, &[&wide[..], &["free"]].concat());

    // In place of databases: they are made, and the FIFOs stay.
    work.write("small.txt", b"3x4: 1 2 3 4 5 6 7 8 9 0 10 11\n");
    let small = ["small.txt", "--heuristic", "pdb:5-6", "--memory", "64MiB", "--pdb-dir", "databases"];
    solve(&work, &small);
    let files: Vec<_> =
        fs::read_dir(work.path("databases")).unwrap().map(|file| file.unwrap().path()).collect();
    assert!(!files.is_empty());
    for file in &files {
        fs::remove_file(file).unwrap();
        mkfifo(file);
    }
    let output = solve(&work, &small);
    assert!(told(&output).contains("this is not a regular file"), "{}", told(&output));
    assert!(files.iter().all(|file| !file.is_file()), "a FIFO was replaced");
    for command in ["list", "verify"] {
        let listed = run(&work, &["pdb", command, "--pdb-dir", "databases"]);
        let listed = String::from_utf8(listed.stdout).unwrap();
        assert!(listed.contains("this is not a regular file"), "{listed}");
    }
}
