//! `queues`: a FIFO queue against a priority queue, on boards N random moves
//! from the goal.

use super::{Findings, number, of_method};
use crate::tools::experiment::statistics::{percent, quartiles};
use crate::tools::experiment::{Design, Method, Row, Table};
use crate::tools::plot::{Axis, Figure, Panel, Point, Scale, Series};

/// Numbers of moves that the table shows: every so many.
const TABLE_STEP: usize = 5;

pub(super) fn look(design: &Design, rows: &[Row]) -> Findings {
    let limit = design.limits.first().copied();
    let rows: Vec<Row> = rows.iter().filter(|row| row.limit == limit).cloned().collect();
    Findings {
        tables: vec![table(design, &rows, limit)],
        figures: vec![(String::new(), figure(design, &rows, limit))],
    }
}

/// The runs of a method on boards of so many moves.
fn runs<'a>(rows: &'a [Row], method: &Method, moves: u64) -> Vec<&'a Row> {
    of_method(rows, method).filter(|row| row.moves == Some(moves)).collect()
}

fn table(design: &Design, rows: &[Row], limit: Option<u64>) -> Table {
    let limits = limit.map_or("no limit".into(), |limit| format!("at most {limit} states each"));
    let header = ["N, queue", "length", "visited", "µs", "limit hit %"];
    let title = format!("Medians over {} boards N random moves from the goal, {limits}", design.count);
    let mut table = Table::new(title, header);
    let last = design.moves.last().copied();
    let shown = design
        .moves
        .iter()
        .enumerate()
        .filter(|(at, moves)| at % TABLE_STEP == TABLE_STEP - 1 || *at == 0 || Some(**moves) == last);
    for (_, &moves) in shown {
        for method in &design.methods {
            let runs = runs(rows, method, moves);
            let median = |value: &dyn Fn(&Row) -> Option<f64>| {
                quartiles(runs.iter().filter_map(|row| value(row)).collect()).map(|q| q.1)
            };
            let hit = runs.iter().filter(|row| !row.is_solved()).count();
            table.rows.push(vec![
                format!("{moves}, {}", method.label()),
                number(median(&|row| row.length.map(f64::from)), 0),
                number(median(&|row| Some(row.visited as f64)), 0),
                number(median(&|row| Some(row.time_us)), 0),
                number(Some(percent(hit, runs.len())), 0),
            ]);
        }
    }
    table.notes.push("Lengths are of solved boards; visits and times are of all runs.".into());
    table
}

/// The median and the quartiles of a value for each number of moves.
fn series(design: &Design, rows: &[Row], method: &Method, value: impl Fn(&Row) -> Option<f64>) -> Series {
    let points = design.moves.iter().filter_map(|&moves| {
        let runs = runs(rows, method, moves);
        let limited = runs.iter().any(|row| !row.is_solved());
        let (low, y, high) = quartiles(runs.iter().filter_map(|row| value(row)).collect())?;
        Some(Point { x: moves as f64, y, band: Some((low, high)), limited })
    });
    Series { name: method.label(), points: points.collect() }
}

fn figure(design: &Design, rows: &[Row], limit: Option<u64>) -> Figure {
    let panel = |title: &str, label: &str, scale, value: fn(&Row) -> Option<f64>| Panel {
        title: title.into(),
        x: Axis { label: "N, random moves from the goal".into(), ..Axis::default() },
        y: Axis { label: label.into(), scale, marks: Vec::new() },
        series: design.methods.iter().map(|method| series(design, rows, method, value)).collect(),
        limit: None,
    };
    let length = |row: &Row| row.length.map(f64::from);
    let mut visited = panel("States visited", "states", Scale::Log, |row| Some(row.visited as f64));
    visited.limit = limit.map(|limit| (limit as f64, format!("limit: {limit}")));
    let share = design.methods.iter().map(|method| {
        let points = design.moves.iter().map(|&moves| {
            let runs = runs(rows, method, moves);
            let hit = runs.iter().filter(|row| !row.is_solved()).count();
            Point { x: moves as f64, y: percent(hit, runs.len()), band: None, limited: hit > 0 }
        });
        Series { name: method.label(), points: points.collect() }
    });
    let limited = Panel {
        title: "Runs that hit the limit".into(),
        x: Axis { label: "N, random moves from the goal".into(), ..Axis::default() },
        y: Axis {
            label: "runs (%)".into(),
            scale: Scale::Linear,
            marks: (0..=5).map(|i| f64::from(i) * 20.0).collect(),
        },
        series: share.collect(),
        limit: None,
    };
    let sizes: Vec<String> = design.sizes.iter().map(ToString::to_string).collect();
    Figure {
        title: format!("FIFO queue against priority queue, {} boards", sizes.join(", ")),
        panels: vec![
            panel("Solution length (solved boards)", "moves", Scale::Log, length),
            visited,
            panel("Run time", "microseconds", Scale::Log, |row| Some(row.time_us)),
            limited,
        ],
        columns: 2,
        notes: vec![format!(
            "{} boards for each N (seed {}); medians, band from quartile to quartile; hollow: some runs hit the limit",
            design.count, design.seed
        )],
    }
}
