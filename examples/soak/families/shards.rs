//! A file solved in shards: together they answer every record once.

use super::batch::{random_metric, random_options};
use super::job::Job;
use crate::conditions::input::Input;
use crate::conditions::output::Output;
use crate::results::Format;
use crate::results::compare::Expected;
use crate::round::Round;
use crate::run::Run;
use crate::truth::record::{Mix, text};
use anyhow::Result;

pub(crate) fn run(round: &mut Round<'_>) -> Result<()> {
    let metric = random_metric(round);
    let mix = Mix { metric, large: true, trays: true, malformed: true, odd_ids: false, goals: true };
    let count = round.random.between(1, 300);
    let records = round.records(count, mix);
    let input = Input::new(round, records)?;
    let (base, promise) = random_options(round, metric);
    let format = round.random.pick(&Format::ALL);
    let shards = round.random.between(2, 5) as u64;
    let mut merged: Vec<(usize, Vec<u8>)> = Vec::new();
    for shard in 1..=shards {
        let output = Output::new(round, shard as usize, format)?;
        let all = input.expected().into_iter().enumerate();
        let own: Vec<(usize, Expected<'_>)> =
            all.filter(|(_, place)| place.n % shards == shard % shards).collect();
        let places: Vec<usize> = own.iter().map(|(place, _)| *place).collect();
        let base = base.clone().args(["--shard".to_owned(), format!("{shard}/{shards}")]);
        let expected = own.into_iter().map(|(_, place)| place).collect();
        let job = Job { base, input: &input, output: &output, format, promise, expected };
        job.disturb(round)?;
        job.finish(round)?;
        let bytes = round.workspace.read(&output.name)?;
        merged
            .extend(places.into_iter().zip(bytes.split_inclusive(|&byte| byte == b'\n').map(<[u8]>::to_vec)));
    }
    // Lines of text and JSON are put together in the order of the input.
    if input.parts.len() == 1 && matches!(format, Format::Text | Format::JsonLines) {
        merged.sort();
        let lines: Vec<Vec<u8>> = merged.into_iter().map(|(_, line)| line).collect();
        round.workspace.write("merged", lines.concat())?;
        round.workspace.write("puzzles", text(&input.parts[0].records))?;
        let mut check = Run::new(["check", "puzzles", "merged", "--format", format.word()]);
        if metric.is_line() {
            check = check.args(["--metric", "line"]);
        }
        if promise.tile_notation {
            check = check.args(["--notation", "tile"]);
        }
        let outcome = round.run(&check)?;
        outcome
            .expect(&[0])
            .map_err(|error| error.context(String::from_utf8_lossy(&outcome.stdout).into_owned()))?;
    }
    Ok(())
}
