//! The real binary: what it says so that the next command is the right one.

mod support;

use std::process::{Command, Stdio};
use support::terminal::Terminal;
use support::work::{Work, told};

const ONE: &[u8] = b"1 2 3 4 5 6 7 0 8\n";

/// Two easy boards, and a 24-puzzle whose shortest solution takes hours.
const HARD: &[u8] = b"1 2 3 4 5 6 7 0 8\n1 2 3 4 5 6 0 7 8\n@goal blank-first\n\
    14 5 9 2 18 8 23 19 12 17 15 0 10 20 4 6 11 21 1 7 24 3 16 22 13\n";

/// Options for it, without pattern databases.
const OPTIMAL: [&str; 4] = ["--quality", "optimal", "--heuristic", "linear-conflict"];

#[test]
fn an_interrupted_run_and_its_repetition_name_resume() {
    let work = Work::new();
    work.write("hard.txt", HARD);
    let run = [&["hard.txt", "-o", "r.jsonl"][..], &OPTIMAL].concat();
    let mut terminal = Terminal::start(work.command(&run), 100, None);
    // The bar does not stay at 0 % while a single record is left.
    terminal.wait_for(0, |text| {
        let percents = text.split(" %  ").filter_map(|before| before.rsplit(['█', '░', ' ']).next());
        percents.filter_map(|percent| percent.parse().ok()).any(|percent: u64| (30..100).contains(&percent))
    });
    terminal.send("\x03");
    assert_eq!(terminal.finish().code(), Some(130));
    let text = terminal.text();
    assert!(text.contains("r.jsonl: not all is solved; repeat the command with --resume"), "{text}");
    assert_eq!(work.read("r.jsonl").matches("\"status\":\"solved\"").count(), 2);

    let again = work.run(&run);
    assert_eq!(again.status.code(), Some(2));
    let told = told(&again);
    let (resume, force) = (told.find("--resume"), told.find("--force"));
    assert!(resume.is_some() && resume < force, "{told}");
}

#[test]
fn a_file_without_a_journal_is_not_resumed() {
    let work = Work::new();
    work.write("one.txt", ONE);
    work.write("r.txt", b"");
    let told = told(&work.run(&["one.txt", "-o", "r.txt"]));
    assert!(told.contains("r.txt: exists already (--force overwrites it)"), "{told}");
    // All is done, so there is nothing to continue.
    assert!(!support::work::told(&work.run(&["one.txt", "-o", "new.txt"])).contains("--resume"));
}

#[test]
fn the_summary_has_the_time_of_set_up() {
    let work = Work::new();
    work.write("one.txt", ONE);
    let output = String::from_utf8(work.run(&["one.txt", "--format", "jsonl"]).stdout).unwrap();
    let summary = output.lines().last().unwrap();
    assert!(summary.contains("\"setup_s\":"), "{summary}");
}

#[test]
fn a_pipe_is_read_without_being_named() {
    let work = Work::new();
    work.write("one.txt", ONE);
    for arguments in [&[][..], &["-q"], &["solve", "-j", "1", "-q"]] {
        let mut shell = Command::new("sh");
        let program = env!("CARGO_BIN_EXE_batch-solve");
        shell.args(["-c", &format!("cat one.txt | {program} {}", arguments.join(" "))]);
        let output = shell.current_dir(work.path(".")).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{arguments:?}");
        assert_eq!(output.stdout, b"1\tsolved\t1\tR\n");
        assert_eq!(output.stderr.is_empty(), arguments.contains(&"-q"));
    }
    let output = work.command(&[]).stdin(work.open("one.txt")).output().unwrap();
    assert_eq!(output.stdout, b"1\tsolved\t1\tR\n");
}

#[test]
fn nothing_to_read_is_a_mistake() {
    let work = Work::new();
    for arguments in [&[][..], &["-q"], &["solve"]] {
        let output = work.command(arguments).stdin(Stdio::null()).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(told(&output).contains("<FILE>..."), "{}", told(&output));
        let mut terminal = Terminal::start(work.command(arguments), 80, None);
        assert_eq!(terminal.finish().code(), Some(2));
        assert!(terminal.text().contains("<FILE>..."));
    }
}

#[test]
fn a_mistyped_command_is_not_a_missing_file() {
    let work = Work::new();
    work.write("one.txt", ONE);
    let output = work.run(&["chek", "one.txt", "results.txt"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(told(&output).contains("did you mean the command 'check'?"), "{}", told(&output));
    // A file of that name is a file.
    work.write("chek", ONE);
    assert_eq!(work.run(&["chek"]).status.code(), Some(0));
}

#[test]
fn input_forms_are_listed() {
    let work = Work::new();
    for command in [&["solve", "a.txt"][..], &["check", "a", "b"], &["convert", "a", "--to", "line"]] {
        let help = work.run(&[&command[..1], &["--help"]].concat());
        let help = String::from_utf8(help.stdout).unwrap();
        let wrong = told(&work.run(&[command, &["--input-format", "rows"]].concat()));
        for text in [help, wrong] {
            assert!(text.contains("[possible values: line, slashes, compact, grid, "), "{text}");
        }
    }
}

#[test]
fn convert_names_the_first_errors_and_counts_the_others() {
    let work = Work::new();
    work.write("wrong.txt", "1 2 2 4 5 6 7 8 0\n".repeat(50).as_bytes());
    let output = work.run(&["convert", "wrong.txt", "--to", "slashes"]);
    assert_eq!(output.status.code(), Some(2));
    let told = told(&output);
    assert_eq!(told.lines().count(), 21, "{told}");
    assert!(told.ends_with("and 30 more\n"), "{told}");
}

#[test]
fn invalid_records_are_named_where_results_go_to_a_file() {
    let work = Work::new();
    work.write("few.txt", b"1 2 3 4 5 6 7 0 8\n1 2 2 4 5 6 7 8 0\n1 2 3\n");
    work.write("many.txt", "1 2 2 4 5 6 7 8 0\n".repeat(300).as_bytes());
    let few = work.run(&["few.txt", "-q", "-o", "few.jsonl"]);
    assert_eq!(few.status.code(), Some(2));
    let text = told(&few);
    assert_eq!(text.lines().count(), 2, "{text}");
    assert!(text.contains("few.txt, record 2: ") && text.contains("few.txt, record 3: "), "{text}");
    let text = told(&work.run(&["many.txt", "-q", "-o", "many.jsonl"]));
    assert_eq!(text.lines().count(), 6, "{text}");
    for (n, line) in (1..=5).zip(text.lines()) {
        assert!(line.contains(&format!("many.txt, record {n}: ")), "{text}");
    }
    assert!(text.ends_with("more records are invalid: see many.jsonl\n"), "{text}");
    // On stdout they are seen as they are.
    assert_eq!(told(&work.run(&["few.txt", "-q"])), "");
}
