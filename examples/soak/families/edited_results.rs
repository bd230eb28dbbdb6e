//! Results edited or replaced between a run and its `--resume`: refused with
//! status 2, the results as they were.

use super::job::{Job, SIGNALS};
use crate::conditions::input::{Input, Part};
use crate::conditions::output::Output;
use crate::random::Random;
use crate::results::Format;
use crate::results::compare::Promise;
use crate::round::Round;
use crate::run::Run;
use crate::truth::record::{Mix, status, text};
use anyhow::{Context, Result, ensure};

pub(crate) fn run(round: &mut Round<'_>) -> Result<()> {
    let count = round.random.between(3, 200);
    let mix = Mix { trays: round.random.one_in(2), ..Mix::SMALL };
    let records = round.records(count, mix);
    let others = round.records(count, mix);
    round.workspace.write("puzzles.txt", text(&records))?;
    let status = status(&records);
    let input = Input::file(Part { name: "puzzles.txt".into(), records });
    let format = round.random.pick(&[Format::JsonLines, Format::Csv, Format::Text, Format::States]);
    let output = Output::new(round, 0, format)?;
    let base = Run::new(["solve", "--quiet"]).cap(64);
    let job = Job {
        base,
        input: &input,
        output: &output,
        format,
        promise: Promise::DEFAULT,
        expected: input.expected(),
    };
    // A run that came to its end has a journal of all that it wrote; one that
    // was killed may have written more than its journal says.
    let killed = round.random.one_in(3);
    let mut first = job.run();
    if killed {
        first = first.signal(round.random.pick(&SIGNALS), round.random.moment(100_000));
    }
    round.run(&first)?;
    if !output.exists(round) {
        return Ok(());
    }
    let before = round.workspace.read(&output.name)?;
    let edited = if round.random.one_in(3) {
        // Another run wrote its own results over them.
        round.workspace.write("others.txt", text(&others))?;
        let other =
            Run::new(["solve", "--quiet", "others.txt", "--format", format.word(), "-o", "others.out"]);
        round.run(&other.cap(64))?.expect(&[0])?;
        round.workspace.read("others.out")?
    } else {
        edit(&mut round.random, &before, format)
    };
    if edited == before || edited.is_empty() {
        return Ok(());
    }
    round.workspace.write(&output.name, &edited)?;
    round.workspace.note("# the results were edited here");
    let outcome = round.run(&job.run())?;
    let after = round.workspace.read(&output.name)?;
    if outcome.status() == 2 && after == edited {
        return Ok(());
    }
    ensure!(killed, "edited results were not refused: {:?}\ncommand: {}", outcome.end, outcome.command);
    outcome.expect(&[status])?;
    job.compare(round).with_context(|| format!("edited results were kept\ncommand: {}", outcome.command))
}

/// Changes what some result says.
fn edit(random: &mut Random, results: &[u8], format: Format) -> Vec<u8> {
    let mut lines: Vec<Vec<u8>> =
        results.split_inclusive(|&byte| byte == b'\n').map(<[u8]>::to_vec).collect();
    // The last line of JSON is the summary, and may be another.
    let count = lines.len().saturating_sub(usize::from(format == Format::JsonLines));
    if count < 2 {
        return results.to_vec();
    }
    let place = random.below(count - 1);
    match random.below(4) {
        0 => lines.swap(place, place + 1),
        1 => drop(lines.remove(place)),
        2 => lines.insert(place, lines[place].clone()),
        _ => {
            // A letter of a move, or a digit of a length, is another.
            let line = &mut lines[place];
            let from = line.iter().position(|byte| b"URDL123456789".contains(byte));
            if let Some(at) = from {
                line[at] = match line[at] {
                    b'U' => b'L',
                    b'D' => b'R',
                    b'L' => b'D',
                    b'R' => b'U',
                    b'9' => b'1',
                    digit => digit + 1,
                };
            }
        }
    }
    lines.concat()
}
