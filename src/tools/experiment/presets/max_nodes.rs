//! `max-nodes`: how many boards are solved, against how many states a search may
//! store.

use super::{Findings, boards_in_words, of_method};
use crate::tools::experiment::statistics::{confidence, percent};
use crate::tools::experiment::{Design, Row, Table};
use crate::tools::plot::{Axis, Figure, Panel, Point, Scale, Series};

pub(super) fn look(design: &Design, rows: &[Row]) -> Findings {
    let boards = boards_in_words(design, rows);
    let title = "Solved against the limit on nodes";
    Findings {
        tables: vec![table(design, rows, format!("Solved, in percent of {boards}, by maxNodes"))],
        figures: vec![(String::new(), figure(design, rows, title, &boards))],
    }
}

/// Solved and all runs of a method with a limit.
fn solved(rows: &[Row], method: &crate::tools::experiment::Method, limit: u64) -> (usize, usize) {
    let runs = of_method(rows, method).filter(|row| row.limit == Some(limit));
    (runs.clone().filter(|row| row.is_solved()).count(), runs.count())
}

pub(super) fn table(design: &Design, rows: &[Row], title: String) -> Table {
    let limits = design.limits.iter().map(u64::to_string);
    let mut table = Table::new(title, ["method".to_owned()].into_iter().chain(limits));
    for method in &design.methods {
        let cells = design.limits.iter().map(|&limit| {
            let (part, whole) = solved(rows, method, limit);
            super::number(Some(percent(part, whole)), 1)
        });
        table.rows.push([method.label()].into_iter().chain(cells).collect());
    }
    table
}

pub(super) fn figure(design: &Design, rows: &[Row], title: &str, boards: &str) -> Figure {
    let series = design.methods.iter().map(|method| {
        let points = design.limits.iter().map(|&limit| {
            let (part, whole) = solved(rows, method, limit);
            let (x, y) = (limit as f64, percent(part, whole));
            Point { x, y, band: Some(confidence(part, whole)), limited: false }
        });
        Series { name: method.label(), points: points.collect() }
    });
    let panel = Panel {
        x: Axis {
            label: "maxNodes: states generated and stored".into(),
            scale: Scale::Log,
            marks: design.limits.iter().map(|&limit| limit as f64).collect(),
        },
        y: Axis {
            label: "boards solved (%)".into(),
            scale: Scale::Linear,
            marks: (0..=5).map(|i| f64::from(i) * 20.0).collect(),
        },
        series: series.collect(),
        ..Panel::default()
    };
    let notes = vec![format!("{boards}; band: 95 % confidence")];
    Figure { title: title.into(), panels: vec![panel], columns: 1, notes }
}
