//! `shell`: random sessions, followed by a model of the board.

use crate::round::Round;
use crate::run::{Run, Stdin};
use crate::truth::board::{Board, GoalName};
use anyhow::{Context, Result, ensure};
use std::str::Lines;

/// The commands of a session.
enum Step {
    Set(Board),
    Print,
    Move(char),
    Solve(&'static str),
    Randomize(usize),
    Mistake,
}

const MISTAKES: [&str; 6] =
    ["fly", "setState 123", "move sideways", "solve A-star h9", "solve beam 0", "maxNodes many"];

pub(crate) fn run(round: &mut Round<'_>) -> Result<()> {
    let mut steps = vec![Step::Set(random_board(round))];
    let mut script = String::from("# a session\n");
    for _ in 0..round.random.between(1, 25) {
        steps.push(match round.random.below(9) {
            0 => Step::Set(random_board(round)),
            1 | 2 => Step::Print,
            3..=5 => Step::Move(round.random.pick(&['U', 'R', 'D', 'L'])),
            6 => Step::Solve(round.random.pick(&["A-star h1", "A-star h2", "beam 200", "beam 5000"])),
            7 => Step::Randomize(round.random.below(40)),
            _ => Step::Mistake,
        });
    }
    for step in &steps {
        let line = match step {
            Step::Set(board) => format!("setState {}", show(board)),
            Step::Print => "printState".into(),
            Step::Move(letter) => format!("move {}", spell(*letter, &mut round.random)),
            Step::Solve(method) => format!("solve {method}"),
            Step::Randomize(moves) => format!("randomizeState {moves}\nprintState"),
            Step::Mistake => round.random.pick(&MISTAKES).to_owned(),
        };
        script.push_str(&line);
        script.push_str(round.random.pick(&["\n", "\n", "\r\n", " # a comment\n", "\n\n"]));
    }
    let run = if round.random.one_in(2) {
        round.workspace.write("session.txt", &script)?;
        Run::new(["shell", "session.txt"])
    } else {
        Run::new(["shell"]).stdin(Stdin::Pipe(script.clone().into_bytes(), round.random.one_in(4)))
    };
    let outcome = round.run(&run)?;
    let context = || format!("script:\n{script}\nfound:\n{}", String::from_utf8_lossy(&outcome.stdout));
    let (mistakes, failures) = follow(round, &steps, outcome.text()?).with_context(context)?;
    let status = if mistakes { 2 } else { i32::from(failures) };
    outcome.expect(&[status]).with_context(context)
}

fn random_board(round: &mut Round<'_>) -> Board {
    let mut board = Board::random(&mut round.random, 3, 3);
    if !board.is_solvable(&GoalName::BlankFirst.board(3, 3)) {
        board.exchange_tiles();
    }
    board
}

/// Returns `b12 345 678`.
fn show(board: &Board) -> String {
    let digit = |&tile: &u16| if tile == 0 { 'b' } else { (b'0' + tile as u8) as char };
    let rows: Vec<String> = board.tiles.chunks(3).map(|row| row.iter().map(digit).collect()).collect();
    rows.join(" ")
}

fn spell(letter: char, random: &mut crate::random::Random) -> String {
    let word = ["up", "right", "down", "left"]["URDL".find(letter).expect("a letter")];
    match random.below(3) {
        0 => word.to_uppercase(),
        _ => word.to_owned(),
    }
}

/// Goes through the output; returns whether there were mistakes, and searches
/// without a solution.
fn follow(round: &mut Round<'_>, steps: &[Step], output: &str) -> Result<(bool, bool)> {
    let goal = GoalName::BlankFirst.board(3, 3);
    let mut lines = output.lines();
    let mut board = goal.clone();
    let (mut mistakes, mut failures) = (false, false);
    for step in steps {
        match step {
            Step::Set(other) => board = other.clone(),
            Step::Print => expect(&mut lines, &show(&board))?,
            Step::Move(letter) => {
                let moved = board.slide(*letter);
                expect(&mut lines, if moved { "Valid move" } else { "Invalid move" })?;
            }
            Step::Solve(method) => {
                let distance =
                    round.truth.distance(&board, GoalName::BlankFirst, false).context("a solvable board")?;
                let first = next(&mut lines)?;
                if first.starts_with("Error") {
                    ensure!(method.starts_with("beam"), "A* found nothing: {first}");
                    failures = true;
                    continue;
                }
                ensure!(first == "Found the goal state", "{first}");
                let count = next(&mut lines)?;
                let count: u32 =
                    count.rsplit(' ').next().unwrap_or("").parse().with_context(|| count.to_owned())?;
                let moves: Vec<&str> = next(&mut lines)?.split_whitespace().collect();
                let letters: String =
                    moves.iter().filter_map(|word| word.chars().next()).collect::<String>().to_uppercase();
                ensure!(letters.len() == count as usize, "{count} moves, but {letters}");
                ensure!(
                    board.replay(&letters, &goal, false).is_some(),
                    "{letters} does not solve {}",
                    show(&board)
                );
                ensure!(
                    count >= distance && (count == distance || method.starts_with("beam")),
                    "{count}, not {distance}"
                );
                ensure!(next(&mut lines)?.starts_with("Number of expanded nodes: "), "no expanded nodes");
                board = goal.clone();
            }
            Step::Randomize(moves) => {
                let line = next(&mut lines)?;
                let digits: Vec<u16> = line
                    .chars()
                    .filter(|letter| *letter != ' ')
                    .map(|letter| letter.to_digit(10).unwrap_or(0) as u16)
                    .collect();
                ensure!(digits.len() == 9, "{line}");
                board = Board { rows: 3, cols: 3, tiles: digits };
                let distance = round.truth.distance(&board, GoalName::BlankFirst, false);
                let near = distance.is_some_and(|distance| distance as usize <= *moves);
                ensure!(near, "{line} is not {moves} moves from the goal");
            }
            Step::Mistake => {
                mistakes = true;
                ensure!(next(&mut lines)?.starts_with("Error in line "), "a mistake is not told");
            }
        }
    }
    ensure!(lines.next().is_none(), "more lines than commands");
    Ok((mistakes, failures))
}

fn next<'l>(lines: &mut Lines<'l>) -> Result<&'l str> {
    lines.next().context("a line is missing")
}

fn expect(lines: &mut Lines<'_>, line: &str) -> Result<()> {
    let found = next(lines)?;
    ensure!(found == line, "{found:?}, not {line:?}");
    Ok(())
}
