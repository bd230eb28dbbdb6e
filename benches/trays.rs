//! Trays: states a second of the searches over packed trays, against the plain
//! oracle in the same run, and bytes for each state.

mod support;

use batch_solve::{
    heuristic::{Blind, TrayBound, TrayDistances},
    memory::{Line, Region},
    puzzle::trays::{Metric, Packed, Piece, Rect, Tray, oracle},
    search::{
        Alone, Ending, Limits, Order, Problem,
        any_width::{self, PuzzleSpace},
        best_first::{self, WhenFull},
    },
};
use criterion::Throughput;

/// Klotski with a goal that cannot be met, so that all its arrangements are seen.
fn exhaustive() -> Tray {
    let lines = [
        [0, 0, 1, 0],
        [0, 1, 1, 2],
        [0, 3, 1, 3],
        [2, 0, 3, 0],
        [2, 1, 2, 2],
        [2, 3, 3, 3],
        [3, 1, 3, 1],
        [3, 2, 3, 2],
        [4, 0, 4, 0],
        [4, 3, 4, 3],
    ];
    let piece = |[a, b, c, d]: [i64; 4]| Piece::plain(Rect::from_corners(a, b, c, d).expect("a rectangle"));
    let goal = [piece([0, 0, 1, 1]), piece([3, 2, 4, 3])];
    Tray::new(5, 4, &[], &lines.map(piece), &goal).expect("a tray")
}

fn main() {
    let mut criterion = support::criterion(2);
    let tray = exhaustive();
    let mut memory = support::Memory::new(64 << 20);
    for metric in Metric::ALL {
        let puzzle = Packed::<u64, u64>::new(&tray, metric).expect("a small tray");
        let bound = TrayDistances::new(&tray, metric, TrayBound::Nearest, 1 << 20).expect("small tables");
        let states = STATES as u64;
        let mut group = criterion.benchmark_group(format!("trays, {}", metric.name()));
        group.throughput(Throughput::Elements(states));
        group.bench_function("one thread, any width", |bencher| {
            bencher.iter(|| {
                let problem = Problem { puzzle: &puzzle, heuristic: &bound, start: puzzle.start() };
                let mut region = Region::used(memory.slice::<Line>());
                let outcome = any_width::solve(
                    &mut PuzzleSpace(problem),
                    Order::ASTAR,
                    &Limits::default(),
                    &mut region.first(4 << 20),
                );
                assert_eq!((outcome.ending, outcome.statistics.stored), (Ending::Exhausted, states));
            });
        });
        group.bench_function("best-first engine", |bencher| {
            bencher.iter(|| {
                let problem = Problem { puzzle: &puzzle, heuristic: &Blind, start: puzzle.start() };
                let mut region = Region::used(memory.slice::<Line>());
                let region = &mut region.first(4 << 20);
                let (order, limits) = (Order::BREADTH, Limits::default());
                let outcome = best_first::solve(problem, order, &limits, region, &Alone, WhenFull::Stop);
                assert_eq!((outcome.ending, outcome.statistics.stored), (Ending::Exhausted, states));
            });
        });
        group.bench_function("the plain oracle", |bencher| {
            bencher.iter(|| {
                assert_eq!(oracle::solve(&tray, metric, 1 << 20), oracle::Answer::Unsolvable(STATES));
            });
        });
        group.finish();
    }
    criterion.final_summary();
}

/// All arrangements that can be reached.
const STATES: usize = 25_955;
