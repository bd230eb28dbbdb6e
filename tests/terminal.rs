//! The real binary at a terminal: what a person sees while puzzles are solved.

mod support;

use std::io::{Write, pipe};
use std::process::Stdio;
use support::terminal::Terminal;
use support::work::{Work, told};

/// 15-puzzles, solved with up to a hundred moves where the shortest way is not asked for.
const BOARDS: [&str; 6] = [
    "5 1 2 4 9 6 3 8 13 10 7 11 14 0 15 12",
    "0 12 9 13 15 11 10 14 7 8 5 6 4 3 2 1",
    "1 2 3 4 5 6 7 8 9 10 11 12 13 14 0 15",
    "1 2 3 4 5 6 7 8 9 10 11 12 13 15 14 0",
    "2 5 13 12 1 0 3 15 9 7 14 6 10 11 8 4",
    "4 3 10 7 6 0 1 2 12 15 14 5 8 9 13 11",
];

/// Lines as [`Terminal::text`] gives them.
fn lines(text: &str) -> Vec<String> {
    text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
}

/// Solves boards one by one, each only when the progress line stands on the screen; before
/// each, the terminal may change its width. All results stand there at the end.
fn boards_one_by_one(columns: usize, widths: &[usize]) {
    let work = Work::new();
    work.write("boards.txt", (BOARDS.join("\n") + "\n").as_bytes());
    let options = ["--heuristic", "linear-conflict", "--timeout", "2s", "--quality", "fast"];
    let expected = work.run(&[&["boards.txt", "--quiet"][..], &options].concat());
    let expected = lines(&String::from_utf8(expected.stdout).unwrap());
    assert_eq!(expected.len(), BOARDS.len());

    let (reader, mut writer) = pipe().unwrap();
    let command = work.command(&[&["-"][..], &options].concat());
    let mut terminal = Terminal::start(command, columns, Some(Stdio::from(reader)));
    let mut seen = 0;
    for (index, board) in BOARDS.iter().enumerate() {
        let drawn = format!("{index} puzzles, ");
        seen = terminal.wait_for(seen, |text| text.contains(&drawn));
        if let Some(&columns) = widths.get(index) {
            terminal.resize(columns);
        }
        writeln!(writer, "{board}").unwrap();
    }
    drop(writer);
    assert!(terminal.finish().success());
    let text = terminal.text();
    let shown = lines(&text);
    assert_eq!(shown[..expected.len()], expected, "{columns} columns, {widths:?}:\n{text}");
    assert!(shown[expected.len()].starts_with("6 puzzles: "), "{text}");
    assert!(!text.contains("puzzles, "), "the progress line stays on the screen:\n{text}");
}

#[test]
fn every_result_stands_on_the_screen_whole() {
    for columns in [40, 80, 200] {
        boards_one_by_one(columns, &[]);
    }
}

#[test]
fn every_result_stands_on_the_screen_after_a_resize() {
    boards_one_by_one(80, &[80, 40, 40, 80, 200, 60]);
    boards_one_by_one(200, &[100, 50, 40, 30, 40, 200]);
}

/// A result's id, status and length, if it has as many moves.
fn length_of_moves(line: &str) -> Option<String> {
    let [id, "solved", length, moves] = line.split(' ').collect::<Vec<_>>()[..] else { return None };
    (length.parse() == Ok(moves.len())).then(|| format!("{id} solved {length}"))
}

#[test]
fn results_of_a_file_and_messages_stand_on_the_screen_whole() {
    let work = Work::new();
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/korf100.txt");
    let run = [file, "--memory", "48MiB", "--shard", "1/5", "--pdb-dir", "databases", "--explain"];
    let expected = work.run(&[&run[..], &["--quiet"]].concat());
    let expected = lines(&String::from_utf8(expected.stdout).unwrap());
    assert_eq!(expected.len(), 20);
    for columns in [40, 80] {
        let mut terminal = Terminal::start(work.command(&run), columns, None);
        assert!(terminal.finish().success());
        let text = terminal.text();
        // Another run may find other moves, but as many.
        let shown: Vec<String> = lines(&text).iter().filter_map(|line| length_of_moves(line)).collect();
        let expected: Vec<String> = expected.iter().filter_map(|line| length_of_moves(line)).collect();
        assert_eq!(shown, expected, "{text}");
        assert!(!text.contains("puzzles, ") && !text.contains(" moves: "), "{text}");
    }
}

#[test]
fn nothing_is_drawn_where_a_pipe_may_lead_to_the_same_terminal() {
    let work = Work::new();
    work.write("boards.txt", (BOARDS.join("\n") + "\n").as_bytes());
    let mut shell = std::process::Command::new("sh");
    let program = env!("CARGO_BIN_EXE_batch-solve");
    let run = format!("{program} - --quality fast | cat");
    shell.args(["-c", &run]).current_dir(work.path("."));
    let (reader, mut writer) = pipe().unwrap();
    let mut terminal = Terminal::start(shell, 80, Some(Stdio::from(reader)));
    writeln!(writer, "{}", BOARDS[0]).unwrap();
    let seen = terminal.wait_for(0, |text| text.contains("solved"));
    // Progress is drawn ten times a second.
    std::thread::sleep(std::time::Duration::from_millis(500));
    drop(writer);
    assert!(terminal.finish().success());
    assert!(seen > 0 && !String::from_utf8_lossy(&terminal.written).contains("puzzles, "));
}

#[test]
fn making_databases_counts_them_and_never_goes_back() {
    let work = Work::new();
    work.write("boards.txt", format!("{}\n{}\n", BOARDS[0], BOARDS[2]).as_bytes());
    // Large enough to take several draws of the status line on any machine.
    let run = ["boards.txt", "--heuristic", "pdb:7-7-1", "--pdb-dir", "databases", "--memory", "512MiB"];
    let mut terminal = Terminal::start(work.command(&run), 200, None);
    assert!(terminal.finish().success());
    let written = String::from_utf8_lossy(&terminal.written).into_owned();
    let making: Vec<(u64, u64)> = written
        .split('\r')
        .filter_map(|line| {
            let (before, after) = line.split_once(" %  making pattern databases: ")?;
            let number = after.split_once(" of ")?.0.parse().ok()?;
            Some((number, before.rsplit(['█', '░', ' ']).next()?.parse().ok()?))
        })
        .collect();
    assert!(!making.is_empty(), "{written}");
    assert!(making.is_sorted(), "{making:?}");
    let text = terminal.text();
    assert!(text.contains(" written to databases for later runs"), "{text}");
    assert!(text.contains(" set-up, "), "{text}");
    // Later runs have nothing to write.
    assert!(!told(&work.run(&run)).contains("written to"));
}

/// Commands for the shell, and what each of them must lead to.
const COMMANDS: [(&str, &str); 4] = [
    ("setState 142 3b5 678", ""),
    ("printState", "142 3b5 678"),
    ("move up", "Valid move"),
    ("solve A-star h2", "Found the goal state"),
];

/// Whether all answers are there. What is typed is shown as well, on lines of its own.
fn check_answers(terminal: &Terminal, times: usize) {
    let text = terminal.text();
    for (command, answer) in COMMANDS.iter().filter(|(_, answer)| !answer.is_empty()) {
        let found = text.lines().filter(|line| line.ends_with(answer) && !line.contains("setState")).count();
        assert!(found >= times, "{command}: {found} answers of {times}:\n{text}");
    }
    assert!(!text.contains("Error"), "{text}");
}

fn script(end: &str) -> String {
    COMMANDS.iter().map(|(command, _)| format!("{command}{end}")).collect()
}

#[test]
fn lines_that_are_pasted_into_the_shell_are_all_run() {
    let work = Work::new();
    for end in ["\n", "\r"] {
        let mut terminal = Terminal::start(work.command(&["shell"]), 80, None);
        terminal.wait_for(0, |text| text.contains("8-puzzle> "));
        terminal.send(&script(end));
        terminal.wait_for(0, |text| text.contains("Found the goal state"));
        terminal.send("quit\r");
        assert!(terminal.finish().success());
        check_answers(&terminal, 1);
    }
}

#[test]
fn a_bracketed_paste_into_the_shell_is_run_line_by_line() {
    let work = Work::new();
    for end in ["\n", "\r", "\r\n"] {
        let mut terminal = Terminal::start(work.command(&["shell"]), 80, None);
        terminal.wait_for(0, |text| text.contains("8-puzzle> "));
        terminal.send(&format!("\x1b[200~{}\x1b[201~\r", script(end)));
        terminal.wait_for(0, |text| text.contains("Found the goal state"));
        terminal.send("quit\r");
        assert!(terminal.finish().success());
        check_answers(&terminal, 1);
    }
}

#[test]
fn what_is_typed_ahead_is_run() {
    let work = Work::new();
    let mut terminal = Terminal::start(work.command(&["shell"]), 80, None);
    // Before there is a prompt, and while a command runs.
    terminal.send(&script("\r"));
    terminal.wait_for(0, |text| text.contains("8-puzzle> "));
    terminal.send("randomizeState 20000000\r");
    terminal.send(&script("\r"));
    terminal.send("quit\r");
    assert!(terminal.finish().success());
    check_answers(&terminal, 2);
}
