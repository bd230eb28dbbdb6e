//! Every algorithm with every heuristic by name: right answers, the algorithm
//! that was asked for, and no more states than there are.

use crate::results::compare::{Promise, check_row, compare, expected};
use crate::results::rows::Row;
use crate::results::{Format, rows};
use crate::round::Round;
use crate::run::{Run, shorten};
use crate::truth::record::{Answer, Mix, Puzzle, Record, text};
use anyhow::{Context, Result, ensure};

/// Algorithms, and whether their solutions are shortest.
const ALGORITHMS: [(&str, bool); 9] = [
    ("auto", true),
    ("astar", true),
    ("ida", true),
    ("bfs", true),
    ("wastar", false),
    ("greedy", false),
    ("dfs", false),
    ("beam", false),
    ("staged", false),
];

const BOARD_HEURISTICS: [&str; 8] =
    ["auto", "misplaced", "manhattan", "linear-conflict", "walking-distance", "pdb", "pdb:4-4", "pdb:8"];

const TRAY_HEURISTICS: [&str; 4] = ["auto", "matching", "nearest", "total"];

pub(crate) fn run(round: &mut Round<'_>) -> Result<()> {
    let (algorithm, optimal) = round.random.pick(&ALGORITHMS);
    let trays = round.random.one_in(3);
    let metric = super::batch::random_metric(round);
    let goals = round.random.one_in(2);
    let mix = Mix { metric, trays, goals, ..Mix::SMALL };
    let count = round.random.between(1, 40);
    let mut records = round.records(count, mix);
    let pure_trays = trays && round.random.one_in(2);
    if pure_trays {
        records.retain(|record| matches!(record.puzzle, Puzzle::Tray));
    }
    let heuristic =
        if pure_trays { round.random.pick(&TRAY_HEURISTICS) } else { round.random.pick(&BOARD_HEURISTICS) };
    round.workspace.write("puzzles.txt", text(&records))?;
    let cap = round.random.pick(&[64, 100, 256]);
    let threads = round.threads();
    let run = Run::new(["solve", "puzzles.txt", "--format", "jsonl"]).cap(cap).args(threads);
    let run = run.args(["--algorithm", algorithm, "--heuristic", heuristic]).args(metric.arguments());
    let outcome = round.run(&run.args(["--timeout", "20s"]))?;
    if outcome.status() == 2 && outcome.stdout.is_empty() {
        // A combination that the command line refuses by name.
        let named = [algorithm, heuristic, "metric"].iter().any(|word| outcome.stderr.contains(word));
        ensure!(
            named,
            "refused without a reason: {}\ncommand: {}",
            shorten(&outcome.stderr),
            outcome.command
        );
        return Ok(());
    }
    outcome.expect(&[0, 1])?;
    let results = rows::read(Format::JsonLines, &outcome.stdout, &[])?;
    round.figures.results += results.len() as u64;
    let promise = Promise { optimal, decided: false, metric, tile_notation: false };
    let places = expected(Some("puzzles.txt"), &records);
    compare(&results, &places, promise).with_context(|| format!("command: {}", outcome.command))?;
    for (row, record) in results.iter().zip(&records) {
        check_one(row, record, algorithm, promise)
            .with_context(|| format!("{:?}\ncommand: {}", record.text, outcome.command))?;
    }
    let undecided = results.iter().any(|row| row.status == "gave_up");
    ensure!(outcome.status() == i32::from(undecided), "status {}: {}", outcome.status(), outcome.command);
    Ok(())
}

fn check_one(row: &Row, record: &Record, algorithm: &str, promise: Promise) -> Result<()> {
    // These searches hold at most all states of a small puzzle, so that nothing
    // but the algorithm itself can end them.
    let reason = row.reason.as_deref().unwrap_or("");
    let limits = ["memory", "time", "nodes"].contains(&reason);
    // IDA* proves nothing about a tray without a solution: its paths go around for ever.
    let endless = algorithm == "ida" && record.answer == Answer::Unsolvable;
    let may_give_up = matches!(algorithm, "beam" | "dfs" | "staged") || endless;
    if limits && !may_give_up && record.answer != Answer::Decided {
        check_row(row, record, Promise { decided: true, ..promise })?;
    }
    if let (Some(ran), "solved", false) = (&row.algorithm, row.status.as_str(), algorithm == "auto") {
        ensure!(ran == algorithm, "{ran} ran instead of {algorithm}: {row:?}");
    }
    if let Some(states) = record.states {
        let visited = row.visited.unwrap_or(0);
        ensure!(visited <= states, "visited {visited} of {states} states: {row:?}");
        let once = matches!(algorithm, "bfs" | "greedy");
        let expanded = row.expanded.unwrap_or(0);
        ensure!(!once || expanded <= states, "{algorithm} expanded {expanded} of {states} states: {row:?}");
    }
    Ok(())
}
