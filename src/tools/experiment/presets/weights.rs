//! `weights`: what a multiplier of the heuristic does to length and nodes, on
//! boards of several sizes.

use super::heuristics::solved_by_all;
use super::{Findings, number};
use crate::puzzle::tiles::Size;
use crate::tools::experiment::statistics::{mean, percent, quartiles};
use crate::tools::experiment::{Design, Row, Table};
use crate::tools::plot::{Axis, Figure, Panel, Point, Scale, Series};
use std::collections::BTreeSet;

pub(super) fn look(design: &Design, rows: &[Row]) -> Findings {
    let limit = design.limits.first().copied();
    let rows: Vec<Row> = rows.iter().filter(|row| row.limit == limit).cloned().collect();
    let mut sizes: Vec<Size> = Vec::new();
    rows.iter().for_each(|row| {
        if !sizes.contains(&row.size) {
            sizes.push(row.size);
        }
    });
    let common = solved_by_all(design, &rows);
    let points: Vec<Cell> = sizes
        .iter()
        .flat_map(|&size| design.methods.iter().map(move |method| (size, method)))
        .map(|(size, method)| {
            let runs: Vec<&Row> =
                rows.iter().filter(|row| row.size == size && row.method == *method).collect();
            Cell::new(size, method.weight.unwrap_or(1.0), &runs, &common)
        })
        .collect();
    let limits = limit.map_or("no limit".into(), |limit| format!("at most {limit} states each"));
    Findings {
        tables: vec![table(&points, &limits)],
        figures: vec![(String::new(), figure(design, &sizes, &points, &limits))],
    }
}

/// What a weight came to on boards of a size.
struct Cell {
    size: Size,
    weight: f64,
    solved: f64,
    /// How many boards all weights solved.
    common: usize,
    /// The average of length over shortest length, on those.
    ratio: Option<f64>,
    /// The same on whatever this weight solved.
    biased: Option<f64>,
    visited: Option<(f64, f64, f64)>,
}

impl Cell {
    fn new(size: Size, weight: f64, runs: &[&Row], common: &BTreeSet<usize>) -> Self {
        let solved = runs.iter().filter(|row| row.is_solved()).count();
        let shared = || runs.iter().filter(|row| common.contains(&row.board));
        let ratio = |row: &&Row| Some(f64::from(row.length?) / f64::from(row.shortest?.max(1)));
        Self {
            size,
            weight,
            solved: percent(solved, runs.len()),
            common: shared().count(),
            ratio: mean(shared().copied().filter_map(|row| ratio(&row))),
            biased: mean(runs.iter().filter_map(ratio)),
            visited: quartiles(runs.iter().map(|row| row.visited as f64).collect()),
        }
    }
}

fn table(cells: &[Cell], limits: &str) -> Table {
    let header = [
        "size, weight",
        "solved %",
        "boards all solved",
        "length / shortest, those",
        "length / shortest, all it solved",
        "median visited",
    ];
    let mut table = Table::new(format!("Weighted A*: g + W·h, {limits}"), header);
    for cell in cells {
        table.rows.push(vec![
            format!("{}, W = {}", cell.size, cell.weight),
            number(Some(cell.solved), 0),
            cell.common.to_string(),
            number(cell.ratio, 3),
            number(cell.biased, 3),
            number(cell.visited.map(|quartiles| quartiles.1), 0),
        ]);
    }
    table
}

fn figure(design: &Design, sizes: &[Size], cells: &[Cell], limits: &str) -> Figure {
    let marks: Vec<f64> = design.methods.iter().map(|method| method.weight.unwrap_or(1.0)).collect();
    let panel = |title: &str, label: &str, scale, point: &dyn Fn(&Cell) -> Option<Point>| Panel {
        title: title.into(),
        x: Axis { label: "W, the weight of the heuristic".into(), scale: Scale::Log, marks: marks.clone() },
        y: Axis { label: label.into(), scale, marks: Vec::new() },
        series: sizes
            .iter()
            .map(|size| {
                let points = cells.iter().filter(|cell| cell.size == *size).filter_map(point);
                Series { name: format!("{size} boards"), points: points.collect() }
            })
            .collect(),
        limit: None,
    };
    let lengths =
        panel("Solution length, boards that all W solved", "length / shortest", Scale::Linear, &|cell| {
            Some(Point { x: cell.weight, y: cell.ratio?, band: None, limited: false })
        });
    let nodes = panel("States visited", "states", Scale::Log, &|cell| {
        let (low, y, high) = cell.visited?;
        Some(Point { x: cell.weight, y, band: Some((low, high)), limited: cell.solved < 100.0 })
    });
    let moves =
        design.moves.first().map_or(String::new(), |moves| format!("{moves} random moves from the goal, "));
    Figure {
        title: "Weighted A*: length and nodes against the weight".into(),
        panels: vec![lengths, nodes],
        columns: 2,
        notes: vec![
            format!("{} boards of each size, {moves}seed {}, {limits}", design.count, design.seed),
            "Right: median, band from quartile to quartile; hollow: some runs hit the limit.".into(),
        ],
    }
}
