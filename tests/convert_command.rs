//! `batch-solve convert`, the real binary: converted puzzles are the same
//! puzzles, converted results the same solutions.

use assert_cmd::cargo::cargo_bin_cmd;
use batch_solve::input::{Block, Defaults, Reader};
use std::fs;
use std::io::Cursor;
use std::path::Path;
use std::process::Output;

fn fixture(name: &str) -> String {
    format!("{}/fixtures/{name}", env!("CARGO_MANIFEST_DIR"))
}

fn batch_solve(arguments: &[&str], stdin: &str) -> Output {
    cargo_bin_cmd!("batch-solve").args(arguments).write_stdin(stdin).output().unwrap()
}

fn text(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// Id, known length, board and goal board of every record.
fn records(file: &str) -> Vec<(Option<String>, Option<u32>, String, String)> {
    let mut reader = Reader::from_stream("x", Cursor::new(file.to_owned().into_bytes()), Defaults::default());
    let (mut block, mut all) = (Block::default(), Vec::new());
    while reader.next_block(&mut block, 9).unwrap() {
        for index in 0..block.len() {
            let header = block.header(index);
            let id = header.id.map(str::to_owned);
            let instance = block.parse(index).unwrap_or_else(|error| panic!("{error}\n{file}"));
            let (board, goal) = match instance {
                batch_solve::model::report::Instance::Tiles { board, goal, .. } => (board, goal),
                batch_solve::model::report::Instance::Tray { .. } => panic!("{file}"),
            };
            let end = goal.board(board.size()).unwrap().to_string();
            all.push((id, header.length, board.to_string(), end));
        }
    }
    all
}

#[test]
fn every_form_becomes_every_other_and_stays_the_same() {
    let sources = [
        "line",
        "id",
        "rectangle",
        "slashes",
        "compact",
        "grid",
        "grid-spread",
        "hexadecimal",
        "rows",
        "lists",
        "positions",
        "goals",
        "crlf",
    ];
    for source in sources {
        let path = fixture(&format!("forms/{source}.txt"));
        let original = records(&std::fs::read_to_string(&path).unwrap());
        for form in ["line", "slashes", "grid", "positions"] {
            let converted = text(&batch_solve(&["convert", &path, "--to", form], ""));
            assert_eq!(records(&converted), original, "{source} to {form}:\n{converted}");
            // And back through a pipe.
            let back = text(&batch_solve(&["convert", "-", "--to", "line"], &converted));
            assert_eq!(records(&back), original, "{source} to {form} to line:\n{back}");
        }
    }
    let compact = text(&batch_solve(&["convert", &fixture("forms/compact.txt"), "--to", "compact"], ""));
    assert_eq!(records(&compact), records(&std::fs::read_to_string(fixture("forms/compact.txt")).unwrap()));
    let hexadecimal =
        text(&batch_solve(&["convert", "-", "--to", "compact"], "1 2 3 4/5 6 7 8/9 10 11 12/13 14 0 15\n"));
    assert_eq!(hexadecimal, "123456789ABCDE0F\n");
}

#[test]
fn ids_that_look_like_something_else_come_back() {
    let file = "@id 2x3\n1 2 3 0\n@id a: b | c\n1 2 0 3\nname: 1 2/3 0 | 0\n17: 1 2/0 3\n";
    for form in ["line", "slashes", "grid", "positions"] {
        let converted = text(&batch_solve(&["convert", "-", "--to", form], file));
        assert_eq!(records(&converted), records(file), "{converted}");
    }
}

#[test]
fn what_has_no_such_form_is_named_and_left_out() {
    let output =
        batch_solve(&["convert", "-", "--to", "compact"], "1 2 3 0\n1 2 3 4 5 6 7 8 0\n1 2 2 4 5 6 7 8 0\n");
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "123 456 78b\n");
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(
        errors.contains("record 1: the compact form is for 3x3 and 4x4 boards, not 2x2 (line 1)"),
        "{errors}"
    );
    assert!(errors.contains("record 3: tile 2 appears twice (line 3, column 5)"), "{errors}");
}

#[test]
fn results_in_the_forms_of_others() {
    let folder = tempfile::tempdir().unwrap();
    let puzzles = folder.path().join("puzzles.txt");
    let puzzles = puzzles.to_str().unwrap();
    std::fs::write(puzzles, "1 2 3/4 5 6/0 7 8\n1 2 3/4 0 5/7 8 6\n1 2 3/4 5 6/8 7 0\n").unwrap();
    for format in ["text", "jsonl", "csv"] {
        for notation in ["blank", "tile"] {
            let results =
                text(&batch_solve(&[puzzles, "--quiet", "--format", format, "--notation", notation], ""));
            let convert = |to: &str| {
                let arguments = ["convert", puzzles, "--results", "-", "--to", to, "--notation", notation];
                text(&batch_solve(&arguments, &results))
            };
            assert_eq!(
                convert("runs"),
                "1 2 3/4 5 6/0 7 8\tL2\n1 2 3/4 0 5/7 8 6\tLU\n1 2 3/4 5 6/8 7 0\tunsolvable\n"
            );
            let answer = convert("answer");
            // Text does not say whether a solution is shortest.
            let least = if format == "text" { "Number" } else { "Minimum number" };
            let start = format!("{least} of moves = 2\n3\n1 2 3\n4 5 6\n0 7 8\n\n3\n1 2 3\n4 5 6\n7 0 8\n\n");
            assert!(answer.starts_with(&start), "{answer}");
            assert!(answer.ends_with("No solution possible\n\n"), "{answer}");
        }
    }
}

#[test]
fn trays_become_records_and_the_two_files_of_the_courses() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let classics = fixture("trays/classics.txt");
    let copy = text(&batch_solve(&["convert", &classics, "--to", "tray"], ""));
    let again = text(&batch_solve(&["convert", "-", "--to", "tray"], &copy));
    assert_eq!(copy, again);
    // The first of them, alone, as two files, through the courses' command.
    let first: String = copy.split("\n\n").next().unwrap().to_owned() + "\n";
    for part in ["init", "goal"] {
        std::fs::write(path(part), text(&batch_solve(&["convert", "-", "--to", part], &first))).unwrap();
    }
    let answer = text(&batch_solve(&["tray", &path("init"), &path("goal")], ""));
    assert!(answer.lines().count() > 10, "{answer}");
    assert_eq!(batch_solve(&["convert", &classics, "--to", "line"], "").status.code(), Some(2));
    assert_eq!(batch_solve(&["convert", "-", "--to", "tray"], "1 2 3 0\n").status.code(), Some(2));
}

#[test]
fn wrong_results_are_not_converted() {
    let folder = tempfile::tempdir().unwrap();
    let puzzles = folder.path().join("puzzles.txt");
    let puzzles = puzzles.to_str().unwrap();
    std::fs::write(puzzles, "1 2 3/4 5 6/0 7 8\n").unwrap();
    let output = batch_solve(&["convert", puzzles, "--results", "-", "--to", "runs"], "1\tsolved\t2\tRL\n");
    assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(2), b"".as_slice()));
    for arguments in [
        &["convert", puzzles, "--to", "runs"][..],
        &["convert", puzzles, "--results", "-", "--to", "line"],
        &["convert", "-", "--results", "-", "--to", "runs"],
        &["convert", puzzles],
    ] {
        assert_eq!(batch_solve(arguments, "").status.code(), Some(2), "{arguments:?}");
    }
}

#[test]
fn trays_in_two_files_become_records() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write("b-easy", "3 3\n0 0 0 1\n1 0 1 0\n");
    write("b-easy.goal", "2 1 2 2\n");
    write("a-solved", "2 2\n0 0 0 0\n");
    write("a-solved.goal", "0 0 0 0\n");
    write("no-goal", "2 2\n0 0 0 0\n");
    let run = |path: &Path| {
        cargo_bin_cmd!("batch-solve").arg("convert").arg(path).args(["--to", "tray"]).output().unwrap()
    };
    let all = run(folder.path());
    assert_eq!(all.status.code(), Some(0));
    let records = String::from_utf8(all.stdout).unwrap();
    let solved = cargo_bin_cmd!("batch-solve")
        .args(["-", "--quiet", "--metric", "slide"])
        .write_stdin(records)
        .output()
        .unwrap();
    assert_eq!(
        String::from_utf8(solved.stdout).unwrap(),
        "a-solved\tsolved\t0\t\nb-easy\tsolved\t2\t0 0 0 1; 0 1 2 1\n"
    );
    let one = run(&folder.path().join("b-easy"));
    assert!(String::from_utf8(one.stdout).unwrap().contains("b-easy"));
    write("c-bad", "2 2\n0 0 5 5\n");
    write("c-bad.goal", "0 0 0 0\n");
    let bad = run(folder.path());
    assert_eq!(bad.status.code(), Some(2));
    assert!(String::from_utf8(bad.stderr).unwrap().contains("c-bad: "));
    assert_eq!(run(tempfile::tempdir().unwrap().path()).status.code(), Some(2));
}

#[test]
fn trays_become_pictures_and_stay_the_same() {
    let classics = fixture("trays/classics.txt");
    let pictures = text(&batch_solve(&["convert", &classics, "--to", "letters"], ""));
    assert!(pictures.contains("letters\n") && pictures.contains("goal\n"), "{pictures}");
    let lengths = |output: &Output| -> Vec<String> {
        text(output).lines().map(|line| line.split('\t').take(3).collect::<Vec<_>>().join(" ")).collect()
    };
    let known = batch_solve(&[&classics, "--quiet"], "");
    assert_eq!(lengths(&batch_solve(&["-", "--quiet"], &pictures)), lengths(&known));
}

/// More files than a process may have open.
#[test]
fn files_are_opened_one_at_a_time() {
    let folder = tempfile::tempdir().unwrap();
    let names: Vec<String> = (0..300).map(|number| format!("{number}.txt")).collect();
    for name in &names {
        fs::write(folder.path().join(name), "1 2 3 4 5 6 7 0 8\n").unwrap();
    }
    let run = |arguments: &[&str], files: &[String]| {
        let mut command = std::process::Command::new("sh");
        command.args(["-c", "ulimit -n 32 && exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_batch-solve")]);
        command.args(arguments).args(files).current_dir(folder.path()).output().unwrap()
    };
    let converted = text(&run(&["convert", "--to", "compact"], &names));
    assert_eq!(converted, "123 456 7b8\n".repeat(300));
    let results = run(&["solve", "--format", "jsonl", "--quiet", "-o", "r.jsonl"], &names);
    assert_eq!(results.status.code(), Some(0), "{}", String::from_utf8_lossy(&results.stderr));
    let runs = text(&run(&["convert", "--to", "runs", "--results", "r.jsonl"], &names));
    assert_eq!(runs.lines().count(), 300);
    let missing = run(&["convert", "--to", "compact", "none.txt"], &names);
    assert_eq!((missing.status.code(), missing.stdout.len()), (Some(2), 0));
}

#[test]
fn overlapping_goals_are_refused_as_pictures() {
    let tray = "tray 3 3\n0 0 0 1\n1 0 2 0\ngoal\n1 1 1 2\n1 1 2 1\n";
    let output = batch_solve(&["convert", "-", "--to", "letters"], tray);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_ne!(output.status.code(), Some(0));
    assert!(errors.contains("overlap") && output.stdout.is_empty(), "{errors}");
    // The form with numbers shows them.
    assert_eq!(text(&batch_solve(&["convert", "-", "--to", "tray"], tray)).trim(), tray.trim());
}
