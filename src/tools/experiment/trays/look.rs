//! What the runs on trays show.

use super::{QUEUES, Queue, SETS, Seen, TrayRow};
use crate::tools::experiment::presets::Findings;
use crate::tools::experiment::statistics::{percent, quartiles};
use crate::tools::experiment::{Design, Table};
use crate::tools::plot::{Axis, Figure, Panel, Point, Scale, Series};

/// Tables and figures of both parts.
pub fn look(design: &Design, rows: &[TrayRow]) -> Findings {
    let trays = rows.iter().map(|row| row.tray + 1).max().unwrap_or(0);
    Findings {
        tables: vec![queues_table(design, rows, trays), sets_table(rows)],
        figures: vec![(String::new(), figure(design, rows, trays))],
    }
}

/// The runs of a queue with a limit.
fn runs(rows: &[TrayRow], queue: Queue, limit: u64) -> Vec<&TrayRow> {
    rows.iter().filter(|row| row.queue == queue && row.limit == Some(limit)).collect()
}

/// Those of some runs whose tray every queue solved within the limit: only there
/// can lengths be compared.
fn in_common<'r>(rows: &[TrayRow], runs: &[&'r TrayRow], limit: u64) -> Vec<&'r TrayRow> {
    let mut unsolved: Vec<usize> = rows
        .iter()
        .filter(|row| row.limit == Some(limit) && row.outcome.length.is_none())
        .map(|row| row.tray)
        .collect();
    unsolved.sort_unstable();
    runs.iter().filter(|row| unsolved.binary_search(&row.tray).is_err()).copied().collect()
}

fn solved(runs: &[&TrayRow]) -> f64 {
    percent(runs.iter().filter(|row| row.outcome.length.is_some()).count(), runs.len())
}

fn queues_table(design: &Design, rows: &[TrayRow], trays: usize) -> Table {
    let most = design.limits.last().copied().unwrap_or(0);
    let limits = design.limits.iter().map(|limit| format!("solved % in {limit}"));
    let last =
        ["slides, trays that all solved", "slides, all it solved (biased)", "µs", "KiB"].map(str::to_owned);
    let header = ["queue".to_owned()].into_iter().chain(limits).chain(last);
    let mut table = Table::new(format!("{trays} random trays, by the queue"), header);
    for queue in QUEUES {
        let mut cells = vec![queue.name().to_owned()];
        cells.extend(design.limits.iter().map(|&limit| format!("{:.0}", solved(&runs(rows, queue, limit)))));
        let longest = runs(rows, queue, most);
        let median = |runs: &[&TrayRow], value: &dyn Fn(&TrayRow) -> Option<f64>| {
            let values = quartiles(runs.iter().filter_map(|row| value(row)).collect());
            values.map_or("–".to_owned(), |quartiles| format!("{:.0}", quartiles.1))
        };
        let length = |row: &TrayRow| row.outcome.length.map(f64::from);
        cells.push(median(&in_common(rows, &longest, most), &length));
        cells.push(median(&longest, &length));
        cells.push(median(&longest, &|row| Some(row.outcome.time_us)));
        cells.push(median(&longest, &|row| Some(row.outcome.bytes as f64 / 1024.0)));
        table.rows.push(cells);
    }
    table.notes.push(format!("Slides, µs and KiB are medians with the limit of {most} states."));
    table
}

fn sets_table(rows: &[TrayRow]) -> Table {
    let header = [
        "visited set",
        "trays with lost states",
        "states lost",
        "of all %",
        "'no solution' (wrong)",
        "longer answers",
    ];
    let of = |seen: Seen, whole: bool| {
        rows.iter().filter(move |row| row.limit.is_none() && row.seen == seen && row.outcome.whole == whole)
    };
    let trays = of(Seen::Exact, true).count();
    let title = format!("{trays} small random trays, each with a solution, by the visited set");
    let mut table = Table::new(title, header);
    for seen in SETS {
        let spaces = of(Seen::Exact, true).zip(of(seen, true)).map(|(exact, row)| {
            (exact.outcome.visited, exact.outcome.visited.saturating_sub(row.outcome.visited))
        });
        let (mut all, mut lost, mut losing) = (0, 0, 0);
        for (states, missing) in spaces {
            (all, lost, losing) = (all + states, lost + missing, losing + usize::from(missing > 0));
        }
        let answers =
            || of(Seen::Exact, false).zip(of(seen, false)).map(|(exact, row)| (&exact.outcome, &row.outcome));
        let none = answers().filter(|(exact, row)| exact.length.is_some() && row.length.is_none()).count();
        let longer =
            answers().filter(|(exact, row)| row.length > exact.length && exact.length.is_some()).count();
        table.rows.push(vec![
            seen.name(),
            losing.to_string(),
            lost.to_string(),
            format!("{:.4}", 100.0 * lost as f64 / (all as f64).max(1.0)),
            none.to_string(),
            longer.to_string(),
        ]);
    }
    table.notes.push(
        "Breadth-first search through the whole space counts lost states; breadth-first search for the goal \
         gives the answers."
            .into(),
    );
    table
}

fn figure(design: &Design, rows: &[TrayRow], trays: usize) -> Figure {
    let x = || Axis {
        label: "limit: states visited".into(),
        scale: Scale::Log,
        marks: design.limits.iter().map(|&limit| limit as f64).collect(),
    };
    let panel = |title: &str, y: Axis, value: &dyn Fn(&[&TrayRow], u64) -> Option<f64>| {
        let series = QUEUES.into_iter().map(|queue| {
            let points = design.limits.iter().filter_map(|&limit| {
                let runs = runs(rows, queue, limit);
                let y = value(&runs, limit)?;
                let limited = runs.iter().any(|row| row.outcome.length.is_none());
                Some(Point { x: limit as f64, y, band: None, limited })
            });
            Series { name: queue.name().into(), points: points.collect() }
        });
        Panel { title: title.into(), x: x(), y, series: series.collect(), limit: None }
    };
    let percents = Axis {
        label: "trays solved (%)".into(),
        scale: Scale::Linear,
        marks: (0..=5).map(|i| f64::from(i) * 20.0).collect(),
    };
    let log = |label: &str| Axis { label: label.into(), scale: Scale::Log, marks: Vec::new() };
    let median = |runs: &[&TrayRow], value: &dyn Fn(&TrayRow) -> Option<f64>| {
        quartiles(runs.iter().filter_map(|row| value(row)).collect()).map(|(_, median, _)| median)
    };
    Figure {
        title: "Trays: stack, FIFO queue and priority queues".into(),
        panels: vec![
            panel("Solved", percents, &|runs, _| Some(solved(runs))),
            panel("Solution length, trays that all solved", log("straight slides"), &|runs, limit| {
                median(&in_common(rows, runs, limit), &|row| row.outcome.length.map(f64::from))
            }),
            panel("Run time", log("microseconds"), &|runs, _| median(runs, &|row| Some(row.outcome.time_us))),
            panel("Memory", log("KiB"), &|runs, _| {
                median(runs, &|row| Some(row.outcome.bytes as f64 / 1024.0))
            }),
        ],
        columns: 2,
        notes: vec![format!(
            "{trays} random trays (seed {}), exact keys; medians; hollow: some runs hit the limit",
            design.seed
        )],
    }
}
