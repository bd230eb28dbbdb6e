//! Pattern databases with the real binary: made once, kept, checked, and never
//! trusted when damaged.

use assert_cmd::cargo::cargo_bin_cmd;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

/// A partition that is made in a moment.
const SMALL: [&str; 4] = ["--heuristic", "pdb:5-6", "--memory", "64MiB"];

fn run(arguments: &[&str], stdin: &str) -> Output {
    let mut command = cargo_bin_cmd!("batch-solve");
    command.args(arguments).write_stdin(stdin).timeout(Duration::from_secs(120)).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// Boards of 3x4, and their lengths.
fn boards() -> (String, Vec<String>) {
    let boards = text(&run(&["generate", "--size", "3x4", "--count", "12", "--seed", "3"], "").stdout);
    let known = run(&["-", "--heuristic", "walking-distance", "--quiet"], &boards);
    (boards, lengths(&known))
}

fn lengths(output: &Output) -> Vec<String> {
    let length = |line: &str| line.split('\t').nth(2).unwrap().to_owned();
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    text(&output.stdout).lines().map(length).collect()
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

/// A file of boards in a folder, with the folder for databases beside it.
struct Place {
    dir: tempfile::TempDir,
    known: Vec<String>,
}

impl Place {
    fn new() -> Self {
        let (boards, known) = boards();
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("boards.txt"), &boards).unwrap();
        Self { dir, known }
    }

    fn folder(&self) -> PathBuf {
        self.dir.path().join("databases")
    }

    fn solve(&self, more: &[&str]) -> Output {
        let boards = self.dir.path().join("boards.txt");
        let folder = self.folder();
        let arguments =
            [&[boards.to_str().unwrap(), "--pdb-dir", folder.to_str().unwrap()], &SMALL[..], more];
        run(&arguments.concat(), "")
    }
}

#[test]
fn databases_are_made_once_and_kept() {
    let place = Place::new();
    assert_eq!(lengths(&place.solve(&[])), place.known);
    let made = files(&place.folder());
    assert_eq!(made.len(), 2, "{made:?}");
    let times = |files: &[PathBuf]| -> Vec<_> {
        files.iter().map(|file| fs::metadata(file).unwrap().modified().unwrap()).collect()
    };
    let before = times(&made);
    let again = place.solve(&["--explain"]);
    assert_eq!(lengths(&again), place.known);
    assert!(text(&again.stderr).contains("pdb:5-6"), "{}", text(&again.stderr));
    assert_eq!((files(&place.folder()), times(&made)), (made.clone(), before));

    let folder = place.folder();
    let pdb = |command: &str| run(&["pdb", command, "--pdb-dir", folder.to_str().unwrap()], "");
    let listed = text(&pdb("list").stdout);
    assert_eq!(listed.lines().count(), 2);
    assert!(listed.contains("5 tiles") && listed.contains("6 tiles"), "{listed}");
    let verified = pdb("verify");
    assert_eq!(verified.status.code(), Some(0));
    assert!(text(&verified.stdout).lines().all(|line| line.ends_with("sound")));
    assert_eq!(text(&pdb("path").stdout).trim_end(), folder.to_str().unwrap());
}

#[test]
fn damage_is_told_and_mended() {
    let place = Place::new();
    assert_eq!(lengths(&place.solve(&[])), place.known);
    let made = files(&place.folder());
    let sound: Vec<Vec<u8>> = made.iter().map(|file| fs::read(file).unwrap()).collect();
    let middle = sound[1].len() / 2;
    let flipped: Vec<u8> =
        sound[1].iter().enumerate().map(|(at, &byte)| byte ^ u8::from(at == middle)).collect();
    for (bytes, reason) in [
        (&flipped[..], "is damaged: its checksum is wrong"),
        (&sound[1][..middle], "has the wrong size: expected"),
        (b"something else", "is not a pattern database"),
        (b"", "is not a pattern database"),
        (&sound[0][..], "is not a pattern database"),
    ] {
        fs::write(&made[1], bytes).unwrap();
        let verified = run(&["pdb", "verify", "--pdb-dir", place.folder().to_str().unwrap()], "");
        assert_eq!(verified.status.code(), Some(1), "{reason}");
        let output = place.solve(&[]);
        let said = text(&output.stderr);
        assert!(said.contains(reason) && said.contains("it is rebuilt"), "{said}");
        assert_eq!(lengths(&output), place.known);
        assert_eq!(fs::read(&made[1]).unwrap(), sound[1]);
    }
}

#[test]
fn a_build_that_is_killed_leaves_nothing_that_is_trusted() {
    let place = Place::new();
    let folder = place.folder();
    for wait in [0, 5, 20, 60, 150] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_batch-solve"))
            .args(["pdb", "build", "7-7", "--size", "3x5", "--pdb-dir", folder.to_str().unwrap()])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(wait));
        child.kill().unwrap();
        child.wait().unwrap();
        let verified = run(&["pdb", "verify", "--pdb-dir", folder.to_str().unwrap()], "");
        assert_eq!(verified.status.code(), Some(0), "{}", text(&verified.stdout));
    }
    assert_eq!(lengths(&place.solve(&[])), place.known);
}

#[test]
fn a_folder_that_cannot_be_written_is_survived() {
    let place = Place::new();
    // A file stands where the folder should be: not even root can write there.
    fs::write(place.folder(), "in the way").unwrap();
    let output = place.solve(&[]);
    let said = text(&output.stderr);
    assert!(said.contains("could not be saved for later runs"), "{said}");
    assert_eq!(lengths(&output), place.known);
    let built =
        run(&["pdb", "build", "5-6", "--size", "3x4", "--pdb-dir", place.folder().to_str().unwrap()], "");
    assert_eq!(built.status.code(), Some(2));
    assert!(text(&built.stderr).contains("could not be written"), "{}", text(&built.stderr));
}

#[test]
fn runs_at_the_same_time_do_not_collide() {
    let place = Place::new();
    std::thread::scope(|scope| {
        let runs: Vec<_> = (0..4).map(|_| scope.spawn(|| lengths(&place.solve(&[])))).collect();
        for run in runs {
            assert_eq!(run.join().unwrap(), place.known);
        }
    });
    assert_eq!(files(&place.folder()).len(), 2);
}

#[test]
fn too_little_memory_is_refused_with_the_figure() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().to_str().unwrap();
    let built = run(&["pdb", "build", "7-8", "--memory", "100MiB", "--pdb-dir", folder], "");
    assert_eq!(built.status.code(), Some(2));
    let said = text(&built.stderr);
    assert!(said.contains("at least 37") && said.contains("MiB are needed"), "{said}");
    let solved = run(&["-", "--heuristic", "pdb:7-8", "-m", "100MiB", "--pdb-dir", folder], "");
    assert_eq!(solved.status.code(), Some(2));
    assert!(text(&solved.stderr).contains("at least 37"), "{}", text(&solved.stderr));
    for (arguments, reason) in [
        (&["pdb", "build", "7-7"][..], "7-7 does not divide the 15 tiles of a 4x4 board"),
        (&["pdb", "build", "9-6"], "is not a partition"),
        (&["pdb", "build", "--size", "6x6"], "have no pattern databases"),
        (&["-", "--heuristic", "pdb:x"], "is not a partition"),
        (&["-", "--heuristic", "best"], "possible values"),
    ] {
        let output = run(arguments, "");
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(text(&output.stderr).contains(reason), "{arguments:?}: {}", text(&output.stderr));
    }
}

#[test]
fn boards_of_every_kind_have_the_lengths_that_other_bounds_find() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().to_str().unwrap();
    for (size, goal) in [("3x4", "snail"), ("2x5", "blank-first"), ("5x2", "blank-last"), ("3x3", "snail")] {
        let generated =
            run(&["generate", "--size", size, "--goal", goal, "--count", "20", "--seed", "9"], "");
        let boards = text(&generated.stdout);
        let common = ["-", "--goal", goal, "--quiet", "--pdb-dir", folder];
        let by = |heuristic| lengths(&run(&[&common[..], &["--heuristic", heuristic]].concat(), &boards));
        assert_eq!(by("pdb"), by("linear-conflict"), "{size} {goal}");
    }
}

#[test]
fn a_database_with_states_out_of_reach_is_sound() {
    let folder = tempfile::tempdir().unwrap();
    let cache = folder.path().to_str().unwrap();
    // Two tiles of a 2x2 board cannot be put into every order.
    let arguments = ["-", "--heuristic", "pdb", "--algorithm", "ida", "--pdb-dir", cache, "--quiet"];
    assert_eq!(lengths(&run(&arguments, "2x2: 0 3 2 1\n")), ["6"]);
    let verified = run(&["pdb", "verify", "--pdb-dir", cache], "");
    assert_eq!(verified.status.code(), Some(0), "{}", text(&verified.stdout));
    // Damage is still noticed.
    let [first, ..] = &files(folder.path())[..] else { panic!("no file") };
    let mut bytes = fs::read(first).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    fs::write(first, bytes).unwrap();
    assert_eq!(run(&["pdb", "verify", "--pdb-dir", cache], "").status.code(), Some(1));
}
