//! `heuristics`: nodes and solution lengths, one heuristic against the other and
//! against beams.
//!
//! Lengths are compared on boards that every method solved. The average over
//! what each happened to solve is shown beside: a method that solves only easy
//! boards looks good there.

use super::{Findings, boards_in_words, number, of_method};
use crate::tools::experiment::statistics::{mean, percent, quartiles};
use crate::tools::experiment::{Design, Method, Row, Table};
use crate::tools::plot::{Axis, Figure, Panel, Point, Scale, Series};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// A point of a figure stands for at least so many boards.
const FEWEST: usize = 3;

pub(super) fn look(design: &Design, rows: &[Row]) -> Findings {
    let limit = design.limits.last().copied();
    let rows: Vec<Row> = rows.iter().filter(|row| row.limit == limit).cloned().collect();
    let limits = limit.map_or("no limit".into(), |limit| format!("maxNodes {limit}"));
    let boards = boards_in_words(design, &rows);
    let common = solved_by_all(design, &rows);
    Findings {
        tables: vec![table(design, &rows, &common, &format!("{boards}, {limits}"))],
        figures: vec![(String::new(), figure(design, &rows, &common, &format!("{boards}, {limits}")))],
    }
}

/// The boards that every method solved.
pub(super) fn solved_by_all(design: &Design, rows: &[Row]) -> BTreeSet<usize> {
    let mut solvers: HashMap<usize, usize> = HashMap::new();
    rows.iter().filter(|row| row.is_solved()).for_each(|row| *solvers.entry(row.board).or_default() += 1);
    solvers.into_iter().filter(|&(_, count)| count == design.methods.len()).map(|(board, _)| board).collect()
}

fn table(design: &Design, rows: &[Row], common: &BTreeSet<usize>, what: &str) -> Table {
    let header = [
        "method".to_owned(),
        "solved %".into(),
        format!("length, {} boards all solved", common.len()),
        "length, all it solved (biased)".into(),
        "shortest of those".into(),
        "generated, boards all solved".into(),
        "median generated".into(),
    ];
    let mut table = Table::new(format!("Lengths and nodes on {what}"), header);
    for method in &design.methods {
        let runs = || of_method(rows, method);
        let solved = || runs().filter(|row| row.is_solved());
        let shared = || solved().filter(|row| common.contains(&row.board));
        let length = |row: &Row| row.length.map(f64::from);
        table.rows.push(vec![
            method.label(),
            number(Some(percent(solved().count(), runs().count())), 1),
            number(mean(shared().filter_map(length)), 2),
            number(mean(solved().filter_map(length)), 2),
            number(mean(solved().filter_map(|row| row.shortest.map(f64::from))), 2),
            number(mean(shared().map(|row| row.generated as f64)), 0),
            number(quartiles(runs().map(|row| row.generated as f64).collect()).map(|q| q.1), 0),
        ]);
    }
    table.notes.push(
        "Compare lengths in the column of boards that all methods solved. The average over what each \
         happened to solve is biased: whoever fails on hard boards has short solutions left."
            .into(),
    );
    table
}

fn figure(design: &Design, rows: &[Row], common: &BTreeSet<usize>, what: &str) -> Figure {
    let x = || Axis { label: "shortest solution (moves)".into(), ..Axis::default() };
    let nodes = Panel {
        title: "Nodes generated".into(),
        x: x(),
        y: Axis { label: "nodes generated".into(), scale: Scale::Log, marks: Vec::new() },
        series: design.methods.iter().map(|method| nodes(rows, method)).collect(),
        limit: None,
    };
    let lengths = Panel {
        title: "Solution length, boards that all solved".into(),
        x: x(),
        y: Axis { label: "moves over the shortest (mean)".into(), ..Axis::default() },
        series: design.methods.iter().map(|method| excess(rows, method, common)).collect(),
        limit: None,
    };
    let notes = vec![
        format!("{what}"),
        "Left: median, band from quartile to quartile; hollow: some runs hit the limit.".into(),
    ];
    let title = "Nodes and solution lengths".into();
    Figure { title, panels: vec![nodes, lengths], columns: 2, notes }
}

/// Rows by the length of the shortest solution, without lengths that are rare.
fn by_shortest<'a>(rows: impl Iterator<Item = &'a Row>) -> BTreeMap<u32, Vec<&'a Row>> {
    let mut groups: BTreeMap<u32, Vec<&Row>> = BTreeMap::new();
    for row in rows {
        if let Some(shortest) = row.shortest {
            groups.entry(shortest).or_default().push(row);
        }
    }
    groups.retain(|_, rows| rows.len() >= FEWEST);
    groups
}

fn nodes(rows: &[Row], method: &Method) -> Series {
    let groups = by_shortest(of_method(rows, method));
    let points = groups.into_iter().filter_map(|(shortest, rows)| {
        let (low, y, high) = quartiles(rows.iter().map(|row| row.generated as f64).collect())?;
        let limited = rows.iter().any(|row| !row.is_solved());
        Some(Point { x: shortest.into(), y, band: Some((low, high)), limited })
    });
    Series { name: method.label(), points: points.collect() }
}

fn excess(rows: &[Row], method: &Method, common: &BTreeSet<usize>) -> Series {
    let groups = by_shortest(of_method(rows, method).filter(|row| common.contains(&row.board)));
    let points = groups.into_iter().filter_map(|(shortest, rows)| {
        let excess = rows.iter().filter_map(|row| Some(f64::from(row.length?) - f64::from(shortest)));
        Some(Point { x: shortest.into(), y: mean(excess)?, band: None, limited: false })
    });
    Series { name: method.label(), points: points.collect() }
}
