//! `sample-size`: how much the percentage solved depends on how many puzzles
//! were tried.

use super::{Findings, of_method};
use crate::tools::experiment::statistics::{confidence, percent};
use crate::tools::experiment::{Design, Method, Row, Table};
use crate::tools::plot::{Axis, Figure, Panel, Point, Scale, Series};

/// The samples that the courses ask for.
const SAMPLES: [usize; 4] = [50, 100, 200, 500];

pub(super) fn look(design: &Design, rows: &[Row]) -> Findings {
    let boards = rows.iter().map(|row| row.board + 1).max().unwrap_or(0);
    let samples: Vec<usize> = SAMPLES.into_iter().filter(|&sample| sample <= boards).collect();
    let limit = design.limits.first().copied();
    let limits = limit.map_or("no limit".into(), |limit| format!("maxNodes {limit}"));
    let solved = |method: &Method, sample: usize| {
        let runs = of_method(rows, method).filter(|row| row.board < sample && row.limit == limit);
        runs.filter(|row| row.is_solved()).count()
    };
    let columns = samples.iter().map(|sample| format!("{sample} puzzles"));
    let mut table = Table::new(
        format!("Solved, in percent with 95 % confidence, by the size of the sample ({limits})"),
        ["method".to_owned()].into_iter().chain(columns),
    );
    let mut series = Vec::new();
    for method in &design.methods {
        let mut cells = vec![method.label()];
        let mut points = Vec::new();
        for &sample in &samples {
            let part = solved(method, sample);
            let (y, (low, high)) = (percent(part, sample), confidence(part, sample));
            cells.push(format!("{y:.1} ({low:.0}–{high:.0})"));
            points.push(Point { x: sample as f64, y, band: Some((low, high)), limited: false });
        }
        table.rows.push(cells);
        series.push(Series { name: method.label(), points });
    }
    let panel = Panel {
        x: Axis {
            label: "puzzles tried".into(),
            scale: Scale::Log,
            marks: samples.iter().map(|&sample| sample as f64).collect(),
        },
        y: Axis {
            label: "solved (%)".into(),
            scale: Scale::Linear,
            marks: (0..=5).map(|i| f64::from(i) * 20.0).collect(),
        },
        series,
        ..Panel::default()
    };
    let notes = vec![format!("{limits}, seed {}; band: 95 % confidence", design.seed)];
    let title = "Solved by the size of the sample".into();
    let figure = Figure { title, panels: vec![panel], columns: 1, notes };
    Findings { tables: vec![table], figures: vec![(String::new(), figure)] }
}
