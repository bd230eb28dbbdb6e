//! `grid`: any methods and limits, in a table that says what each came to.

use super::{Findings, boards_in_words, max_nodes, number, of_method};
use crate::tools::experiment::statistics::{mean, percent, quartiles};
use crate::tools::experiment::{Design, Row, Table};

pub(super) fn look(design: &Design, rows: &[Row]) -> Findings {
    let boards = boards_in_words(design, rows);
    let header =
        ["method", "maxNodes", "solved %", "mean length", "median visited", "median expanded", "median µs"];
    let mut table = Table::new(format!("What each method came to on {boards}"), header);
    table.notes.push("Mean lengths are over what each method solved, so they cannot be compared.".into());
    let limits: Vec<Option<u64>> =
        if design.limits.is_empty() { vec![None] } else { design.limits.iter().copied().map(Some).collect() };
    for method in &design.methods {
        for &limit in &limits {
            let runs = of_method(rows, method).filter(|row| row.limit == limit);
            let median = |value: fn(&Row) -> f64| quartiles(runs.clone().map(value).collect()).map(|q| q.1);
            let solved = runs.clone().filter(|row| row.is_solved()).count();
            table.rows.push(vec![
                method.label(),
                limit.map_or("–".into(), |limit| limit.to_string()),
                number(Some(percent(solved, runs.clone().count())), 1),
                number(mean(runs.clone().filter_map(|row| row.length).map(f64::from)), 1),
                number(median(|row| row.visited as f64), 0),
                number(median(|row| row.expanded as f64), 0),
                number(median(|row| row.time_us), 0),
            ]);
        }
    }
    let title = "Solved against the limit on nodes";
    let has_curve = design.limits.len() > 1;
    let figure = has_curve.then(|| (String::new(), max_nodes::figure(design, rows, title, &boards)));
    Findings { tables: vec![table], figures: figure.into_iter().collect() }
}
