//! Large boards: moves and time of each way of solving them, and a picture of
//! both.
//!
//! `cargo bench --bench large` prints a table for sides from 5 to 100; with
//! `-- --svg FILE` it also draws the plot of docs/benchmarks.md, and beside it the
//! same as PNG. Beams have a fixed width, so that lengths do not depend on what else
//! the machine does; every solution is replayed.

use batch_solve::generate::{Kind, Request};
use batch_solve::large::beam::{self, BeamParams, Weights, Work};
use batch_solve::large::mutable_board::MutableBoard;
use batch_solve::large::staged::Staged;
use batch_solve::puzzle::tiles::{Direction, Goal, Size};
use batch_solve::search::Limits;
use batch_solve::tools::plot::{Axis, Figure, Panel, Point, Scale, Series};
use std::path::Path;
use std::time::Instant;

mod support;

/// Moves over n³ and seconds for each side.
struct Curve {
    name: &'static str,
    points: Vec<(usize, f64, f64)>,
}

/// The best single solves by people that are on record.
const PEOPLE: [(usize, f64); 6] =
    [(7, 425.0), (8, 707.0), (10, 1569.0), (12, 2883.0), (16, 7132.0), (20, 14203.0)];

/// Sides of the boards.
const SIDES: [usize; 13] = [5, 6, 7, 8, 9, 10, 12, 16, 20, 25, 30, 50, 100];

fn main() {
    let largest = support::scale(100, 6);
    let mut curves = vec![Curve { name: "fast", points: Vec::new() }];
    println!("fast");
    for n in SIDES.into_iter().filter(|&n| n <= largest) {
        let count = (20_000 / (n * n * n)).clamp(1, 50) as u64;
        curves[0].points.push(measure(n, count, |field| {
            let mut field = field.clone();
            Staged::new(field.size()).solve(&mut field, &Limits::default()).expect("no limit");
            field.into_moves()
        }));
    }
    for (name, width, most) in
        [("beam of 100", 100, 25), ("beam of 1,000", 1000, 20), ("beam of 10,000", 10_000, 9)]
    {
        println!("{name}");
        let mut points = Vec::new();
        let mut memory = vec![0; 256 << 17];
        for n in SIDES.into_iter().filter(|&n| n <= most.min(largest)) {
            let count = (8_000_000 / (n * n * n * width)).clamp(1, 20) as u64;
            points.push(measure(n, count, |field| {
                let weights = Weights::for_size(field.size());
                let params =
                    BeamParams { width, deadline: None, side_order: BeamParams::SIDE_ORDERS[0], weights };
                let limits = Limits::default();
                let found =
                    beam::solve(field, &params, usize::MAX, &limits, &mut memory, &mut Work::default());
                found.expect("no limit").expect("a beam that is helped ends")
            }));
        }
        curves.push(Curve { name, points });
    }
    let arguments: Vec<String> = std::env::args().collect();
    if let Some(at) = arguments.iter().position(|argument| argument == "--svg") {
        let file = Path::new(arguments.get(at + 1).expect("--svg FILE"));
        let figure = figure(&curves);
        std::fs::write(file, figure.svg()).expect("the file can be written");
        let png = figure.png().expect("the figure is small enough");
        std::fs::write(file.with_extension("png"), png).expect("the file can be written");
    }
}

/// Solves some boards; the resources of moves over n³ and of seconds.
fn measure(
    n: usize,
    count: u64,
    mut solve: impl FnMut(&MutableBoard) -> Vec<Direction>,
) -> (usize, f64, f64) {
    let size = Size::new(n, n).expect("a side from 2 to 256");
    let request = Request { size, count, seed: 2026, kind: Kind::Random, goal: Goal::BlankLast };
    let goal = Goal::BlankLast.board(size).expect("every size has this goal");
    let (mut moves, mut seconds) = (0, 0.0);
    for mut board in request.boards().expect("the goal fits") {
        let field = MutableBoard::new(&board, &goal);
        let started = Instant::now();
        let path = solve(&field);
        seconds += started.elapsed().as_secs_f64();
        assert!(path.iter().all(|&step| board.slide(step)) && board == *goal, "a wrong solution");
        moves += path.len();
    }
    let each = 1.0 / count as f64;
    let point = (n, moves as f64 * each / (n * n * n) as f64, seconds * each);
    println!("{n:>4}  {count:>3} boards  {:.3} n^3  {:>10.3} ms", point.1, point.2 * 1e3);
    point
}

/// Moves over n³, and time, against n.
fn figure(curves: &[Curve]) -> Figure {
    let x = Axis {
        label: "n, side of the board".into(),
        scale: Scale::Log,
        marks: vec![5.0, 7.0, 10.0, 14.0, 20.0, 30.0, 50.0, 100.0],
    };
    let panel = |title: &str, label: &str, scale, value: fn(&(usize, f64, f64)) -> f64| Panel {
        title: title.into(),
        x: x.clone(),
        y: Axis { label: label.into(), scale, marks: Vec::new() },
        series: curves
            .iter()
            .map(|curve| Series {
                name: curve.name.into(),
                points: curve.points.iter().map(|point| at(point.0, value(point))).collect(),
            })
            .collect(),
        limit: None,
    };
    let mut moves = panel("Moves", "moves / n³", Scale::Linear, |point| point.1);
    moves.limit = Some((8.0 / 3.0, "textbook: 8/3 n³".into()));
    let people = PEOPLE.iter().map(|&(n, length)| at(n, length / (n * n * n) as f64)).collect();
    moves.series.push(Series { name: "best by people".into(), points: people });
    let time = panel("Time of one thread", "ms a board", Scale::Log, |point| point.2 * 1e3);
    Figure {
        title: "Random n×n boards".into(),
        panels: vec![moves, time],
        columns: 2,
        notes: vec!["Means over 1 to 50 boards for each side; cargo bench --bench large".into()],
    }
}

fn at(n: usize, y: f64) -> Point {
    Point { x: n as f64, y, ..Point::default() }
}
