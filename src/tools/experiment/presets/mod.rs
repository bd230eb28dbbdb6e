//! The experiments that have a name: what each is made of unless told
//! otherwise, and how its rows are looked at. One file each.

mod grid;
mod heuristics;
mod max_nodes;
mod queues;
mod sample_size;
mod weights;

use super::{Design, Method, Preset, Row, Table};
use crate::tools::plot::Figure;

/// What an experiment shows.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    /// Tables.
    pub tables: Vec<Table>,
    /// Figures, each with the end of its file's name.
    pub figures: Vec<(String, Figure)>,
}

/// The design of a preset.
pub fn design(preset: Preset) -> Design {
    let base = Design {
        preset,
        boards: None,
        sizes: sizes(&["3x3"]),
        moves: Vec::new(),
        count: 200,
        seed: 1,
        methods: methods(&["astar:h1", "astar:h2", "beam:100", "beam:1000"]),
        limits: vec![500, 1000, 2000, 5000, 10_000, 20_000],
    };
    match preset {
        Preset::MaxNodes => base,
        Preset::Heuristics => Design {
            count: 500,
            methods: methods(&["astar:h1", "astar:h2", "beam:10", "beam:100", "beam:1000"]),
            limits: vec![20_000],
            ..base
        },
        Preset::SampleSize => Design { count: 500, limits: vec![2000], ..base },
        Preset::Queues => Design {
            sizes: sizes(&["4x4"]),
            moves: (1..=40).collect(),
            count: 25,
            methods: methods(&["bfs", "greedy:h2"]),
            limits: vec![200_000],
            ..base
        },
        Preset::Weights => Design {
            sizes: sizes(&["3x3", "3x4", "4x4"]),
            moves: vec![80],
            count: 40,
            methods: [1.0, 1.25, 1.5, 2.0, 3.0, 5.0, 10.0]
                .into_iter()
                .flat_map(|weight| methods(&[&format!("wastar:h2:{weight}")]))
                .collect(),
            limits: vec![1_000_000],
            ..base
        },
        Preset::Trays => Design {
            sizes: sizes(&["5x4", "5x5"]),
            count: 50,
            methods: Vec::new(),
            limits: vec![300, 1000, 3000, 10_000, 30_000],
            ..base
        },
        Preset::Grid => Design {
            methods: methods(&["bfs", "dfs", "greedy:h2", "astar:h1", "astar:h2", "beam:100"]),
            ..base
        },
    }
}

/// What the rows of a design on tile boards show.
pub fn look(design: &Design, rows: &[Row]) -> Findings {
    match design.preset {
        Preset::MaxNodes => max_nodes::look(design, rows),
        Preset::Heuristics => heuristics::look(design, rows),
        Preset::SampleSize => sample_size::look(design, rows),
        Preset::Queues => queues::look(design, rows),
        Preset::Weights => weights::look(design, rows),
        Preset::Grid | Preset::Trays => grid::look(design, rows),
    }
}

fn sizes(names: &[&str]) -> Vec<crate::puzzle::tiles::Size> {
    names.iter().map(|name| name.parse().expect("a size")).collect()
}

fn methods(names: &[&str]) -> Vec<Method> {
    names.iter().map(|name| name.parse().expect("a method")).collect()
}

/// `200 random 3x3 boards`, for notes.
fn boards_in_words(design: &Design, rows: &[Row]) -> String {
    let mut boards: Vec<usize> = rows.iter().map(|row| row.board).collect();
    boards.dedup();
    let count = boards.len();
    match &design.boards {
        Some(file) => format!("{count} boards of {file}"),
        None => {
            let sizes: Vec<String> = design.sizes.iter().map(ToString::to_string).collect();
            format!("{count} random {} boards (seed {})", sizes.join(", "), design.seed)
        }
    }
}

/// The rows of a method.
fn of_method<'a>(rows: &'a [Row], method: &Method) -> impl Iterator<Item = &'a Row> + Clone {
    let method = *method;
    rows.iter().filter(move |row| row.method == method)
}

/// A number for a table; a dash where there is none.
fn number(value: Option<f64>, decimals: usize) -> String {
    value.filter(|value| value.is_finite()).map_or("–".into(), |value| format!("{value:.decimals$}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_preset_has_a_design_that_can_be_read_back() {
        use clap::ValueEnum;
        for &preset in Preset::value_variants() {
            let design = design(preset);
            assert!(
                design.command().starts_with(&format!("batch-solve experiment {} --size", preset.name()))
            );
            assert!(preset == Preset::Trays || !design.methods.is_empty());
            assert!(!look(&design, &[]).tables.is_empty());
        }
        let command = super::design(Preset::Queues).command();
        assert!(
            command.contains("--moves 1..40 --count 25 --seed 1 --methods bfs,greedy:manhattan"),
            "{command}"
        );
    }
}
