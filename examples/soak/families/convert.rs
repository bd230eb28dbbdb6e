//! `convert`: from any form to any other the puzzles stay the same.

use crate::results::compare::{Promise, compare, expected};
use crate::results::{Format, rows};
use crate::round::Round;
use crate::run::Run;
use crate::truth::forms::Form;
use crate::truth::record::{Mix, Puzzle, Record, text};
use anyhow::{Context, Result, ensure};

pub(crate) fn run(round: &mut Round<'_>) -> Result<()> {
    match round.random.below(4) {
        0 => trays(round),
        1 => results(round),
        _ => boards(round),
    }
}

fn boards(round: &mut Round<'_>) -> Result<()> {
    let mix = Mix { large: true, goals: true, odd_ids: !round.skips("odd-ids"), ..Mix::SMALL };
    let count = round.random.between(1, 40);
    let form = round.random.pick(&Form::ALL);
    let mut records = round.records(count, mix);
    records.retain(|record| matches!(&record.puzzle, Puzzle::Board { start, .. } if form.suits(start)));
    round.workspace.write("0.txt", text(&records))?;
    // Through a random chain of forms.
    let mut last = 0;
    for step in 1..=round.random.between(1, 3) {
        let form = if step == 1 {
            form
        } else {
            round.random.pick(&[Form::Line, Form::Slashes, Form::Grid, Form::Positions])
        };
        let (from, to) = (format!("{last}.txt"), format!("{step}.txt"));
        round.run(&Run::new(["convert", &from, "--to", form.word(), "-o", &to]))?.expect(&[0])?;
        last = step;
    }
    same_answers(round, &format!("{last}.txt"), &records)
}

fn trays(round: &mut Round<'_>) -> Result<()> {
    let mut records = Vec::new();
    for _ in 0..4 {
        records.extend(round.records(10, Mix { trays: true, ..Mix::SMALL }));
    }
    records.retain(|record| matches!(record.puzzle, Puzzle::Tray));
    round.workspace.write("0.txt", text(&records))?;
    let (first, second) = (round.random.pick(&["tray", "letters"]), round.random.pick(&["tray", "letters"]));
    // A picture cannot show goal rectangles that overlap, and says so.
    for (from, to, form) in [("0.txt", "1.txt", first), ("1.txt", "2.txt", second)] {
        let converted = round.run(&Run::new(["convert", from, "--to", form, "-o", to]))?;
        if form == "letters" && converted.stderr.contains("that overlap cannot be written") {
            return converted.expect(&[2]);
        }
        converted.expect(&[0])?;
    }
    same_answers(round, "2.txt", &records)
}

/// Solves a converted file and compares it with the truth, ids included.
fn same_answers(round: &mut Round<'_>, name: &str, records: &[Record]) -> Result<()> {
    let solved = round.run(&Run::new(["solve", name, "--format", "jsonl"]).cap(100))?;
    solved.expect(&[0])?;
    let rows = rows::read(Format::JsonLines, &solved.stdout, &[])?;
    round.figures.results += rows.len() as u64;
    compare(&rows, &expected(None, records), Promise::DEFAULT).with_context(|| format!("converted to {name}"))
}

/// Results in the forms of others: runs with counts.
fn results(round: &mut Round<'_>) -> Result<()> {
    let count = round.random.between(1, 60);
    let records = round.records(count, Mix { goals: true, ..Mix::SMALL });
    round.workspace.write("puzzles.txt", text(&records))?;
    let format = round.random.pick(&Format::ALL);
    let solved = Run::new(["solve", "puzzles.txt", "--format", format.word(), "-o", "r"]);
    round.run(&solved.cap(100))?.expect(&[0])?;
    let runs = round.run(&Run::new(["convert", "puzzles.txt", "--results", "r", "--to", "runs"]))?;
    runs.expect(&[0])?;
    let lines: Vec<&str> = runs.text()?.lines().collect();
    ensure!(
        lines.len() == records.len(),
        "{} lines of {} records: {}",
        lines.len(),
        records.len(),
        runs.command
    );
    for (line, record) in lines.iter().zip(&records) {
        let Puzzle::Board { start, goal } = &record.puzzle else { continue };
        let (_, moves) = line.split_once('\t').context("no tab")?;
        if moves == "unsolvable" {
            continue;
        }
        let letters = spell_out(moves);
        let of_blank: String = letters.chars().map(crate::truth::board::opposite).collect();
        let replayed = start.replay(&of_blank, &goal.board(start.rows, start.cols), false);
        ensure!(replayed.is_some(), "the runs {moves} do not solve {}: {}", record.text, runs.command);
    }
    let answers = Run::new(["convert", "puzzles.txt", "--results", "r", "--to", "answer"]);
    round.run(&answers)?.expect(&[0])
}

/// Returns `R2UL` as `RRUL`.
fn spell_out(moves: &str) -> String {
    let mut letters = String::new();
    let mut count = String::new();
    for letter in moves.chars().rev() {
        if letter.is_ascii_digit() {
            count.insert(0, letter);
        } else {
            let times = count.parse().unwrap_or(1);
            count.clear();
            letters.extend(std::iter::repeat_n(letter, times));
        }
    }
    letters.chars().rev().collect()
}
