//! `generate`: as many puzzles as asked for, with the promised parity, the
//! same for the same seed.

use crate::round::Round;
use crate::run::Run;
use crate::truth::board::{Board, GoalName};
use crate::truth::exact;
use anyhow::{Context, Result, ensure};

pub(crate) fn run(round: &mut Round<'_>) -> Result<()> {
    match round.random.below(12) {
        0 => farthest(round),
        1..=3 => trays(round),
        _ => boards(round),
    }
}

fn boards(round: &mut Round<'_>) -> Result<()> {
    let (rows, cols) = (round.random.between(2, 8), round.random.between(2, 8));
    let count = round.random.between(0, 60);
    let goal = round.random.pick(&GoalName::ALL);
    let mut run = Run::new(["generate", "--size", &format!("{rows}x{cols}"), "--count", &count.to_string()]);
    run =
        run.args(["--seed".to_owned(), round.random.bits().to_string(), "--goal".into(), goal.word().into()]);
    let moves = round.random.one_in(2).then(|| round.random.below(30));
    let unsolvable = moves.is_none() && round.random.one_in(3);
    if let Some(moves) = moves {
        run = run.args(["--moves".to_owned(), moves.to_string()]);
    }
    if unsolvable {
        run = run.args(["--unsolvable"]);
    }
    let outcome = round.run(&run)?;
    outcome.expect(&[0])?;
    let end = goal.board(rows, cols);
    let lines: Vec<&str> = outcome.text()?.lines().filter(|line| !line.starts_with(['@', '#'])).collect();
    ensure!(lines.len() == count, "{} boards of {count}\ncommand: {}", lines.len(), outcome.command);
    for line in lines {
        let board =
            parse(line, rows, cols).with_context(|| format!("{line}\ncommand: {}", outcome.command))?;
        ensure!(
            board.is_solvable(&end) != unsolvable,
            "the wrong parity: {line}\ncommand: {}",
            outcome.command
        );
        if let Some(moves) = moves.filter(|&moves| moves <= 20) {
            let shortest = exact::shortest(&board, &end, moves as u32);
            let parity = shortest.is_some_and(|shortest| (moves as u32 - shortest).is_multiple_of(2));
            ensure!(parity, "not {moves} moves from the goal: {line}\ncommand: {}", outcome.command);
        }
    }
    let again = round.run(&run.args(["-o", "again.txt"]))?;
    again.expect(&[0])?;
    ensure!(
        round.workspace.read("again.txt")? == outcome.stdout,
        "another text for the same seed: {}",
        again.command
    );
    Ok(())
}

/// Reads a line of tiles with or without a size, with or without slashes.
pub(crate) fn parse(line: &str, rows: usize, cols: usize) -> Result<Board> {
    let tiles = line.rsplit(": ").next().unwrap_or(line).replace('/', " ");
    let tiles: Result<Vec<u16>, _> = tiles.split_whitespace().map(str::parse).collect();
    let board = Board { rows, cols, tiles: tiles? };
    let mut sorted = board.tiles.clone();
    sorted.sort_unstable();
    ensure!(
        sorted == (0..(rows * cols) as u16).collect::<Vec<_>>(),
        "not the tiles of a {rows}x{cols} board"
    );
    Ok(board)
}

fn trays(round: &mut Round<'_>) -> Result<()> {
    let (rows, cols) = (round.random.between(2, 5), round.random.between(2, 5));
    let count = round.random.between(1, 8);
    let goal: &[&str] = round.random.pick(&[
        &[][..],
        &["--anywhere"],
        &["--corner"],
        &["--moves", "50"],
        &["--farthest", "300"],
    ]);
    let run =
        Run::new(["generate", "trays", "--size", &format!("{rows}x{cols}"), "--count", &count.to_string()]);
    let run = run.args(["--seed".to_owned(), round.random.bits().to_string()]).args(goal);
    let outcome = round.run(&run)?;
    outcome.expect(&[0, 2])?;
    if outcome.status() == 2 {
        return Ok(());
    }
    let again = round.run(&run)?;
    ensure!(again.stdout == outcome.stdout, "another text for the same seed: {}", again.command);
    let heads = outcome.text()?.lines().filter(|line| line.starts_with("tray")).count();
    ensure!(heads <= count, "{heads} trays of {count}: {}", outcome.command);
    round.workspace.write("trays.txt", &outcome.stdout)?;
    let solved = round.run(&Run::new(["solve", "trays.txt"]).cap(100))?;
    solved.expect(&[0])?;
    let promised = !goal.contains(&"--anywhere") && !goal.contains(&"--corner");
    for line in solved.text()?.lines() {
        let status = line.split('\t').nth(1);
        ensure!(
            status == Some("solved") || !promised && status == Some("unsolvable"),
            "{line}: {}",
            outcome.command
        );
    }
    Ok(())
}

/// A search through millions of arrangements stays within its cap, where the
/// command has one.
fn farthest(round: &mut Round<'_>) -> Result<()> {
    let help = round.run(&Run::new(["generate", "trays", "--help"]))?;
    if !help.text()?.contains("--memory") {
        return Ok(());
    }
    let run = Run::new(["generate", "trays", "--size", "6x6", "--farthest", "10000000"]);
    let after = std::time::Duration::from_secs(round.random.between(1, 5) as u64);
    let cap = round.random.pick(&[32, 64, 100]);
    round.run(&run.cap(cap).signal(libc::SIGTERM, after))?;
    Ok(())
}
