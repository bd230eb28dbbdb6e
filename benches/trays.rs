//! Trays: states a second of the searches over packed trays, against the plain
//! oracle in the same run, and bytes for each state.
//!
//! Layered search is also run on a 5x6 tray of 15 blocks until all of its 14.5
//! million arrangements are seen, in words of 64 and of 128 bits; lines say how
//! many states that is for each second of processor time, which other work on
//! the machine does not change, and how many bytes of the region for each state.

mod support;

use batch_solve::heuristic::{Blind, TrayBound, TrayDistances};
use batch_solve::memory::{Line, Region};
use batch_solve::puzzle::trays::dense::{Dense, Word};
use batch_solve::puzzle::trays::{Metric, Packed, Piece, Rect, Tray, oracle};
use batch_solve::search::astar::{self, WhenFull};
use batch_solve::search::dynamic_key::{self, PuzzleSpace};
use batch_solve::search::{Ending, Limits, NoHelpers, Order, Problem, layered};
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
                let outcome = dynamic_key::solve(
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
                let outcome = astar::solve(problem, order, &limits, region, &NoHelpers, WhenFull::Stop);
                assert_eq!((outcome.ending, outcome.statistics.stored), (Ending::Exhausted, states));
            });
        });
        let dense = Dense::<u64>::new(&tray, metric).expect("a small tray");
        group.bench_function("layered", |bencher| {
            bencher.iter(|| {
                let mut region = Region::used(memory.slice::<Line>());
                exhaust(&dense, &tray, &mut region.first(1 << 20), states);
            });
        });
        group.bench_function("the plain oracle", |bencher| {
            bencher.iter(|| {
                assert_eq!(oracle::solve(&tray, metric, 1 << 20), oracle::Answer::Unsolvable(STATES));
            });
        });
        group.finish();
    }
    if !support::is_test() {
        let (tray, states) = large();
        let narrow = Dense::<u64>::new(&tray, Metric::Piece).expect("a small tray");
        let wide = Dense::<u128>::new(&tray, Metric::Piece).expect("a small tray");
        for _ in 0..3 {
            let mut region = Region::used(memory.slice::<Line>());
            measured("64 bits", &narrow, &tray, &mut region.first(12 << 20), states);
            measured("128 bits", &wide, &tray, &mut region.first(24 << 20), states);
        }
    }
    criterion.final_summary();
}

/// Sees all arrangements of a tray whose goal cannot be met.
fn exhaust<W: Word>(dense: &Dense<W>, tray: &Tray, region: &mut Region<'_>, states: u64) {
    let (start, limits) = (dense.state(tray.blocks()), Limits::default());
    let outcome = layered::solve(dense, start, &limits, region, &NoHelpers, layered::WhenFull::DropLayers);
    assert_eq!((outcome.ending, outcome.statistics.stored), (Ending::Exhausted, states));
}

/// The same, and says what it took.
fn measured<W: Word>(name: &str, dense: &Dense<W>, tray: &Tray, region: &mut Region<'_>, states: u64) {
    let before = processor_seconds();
    exhaust(dense, tray, region, states);
    let seconds = processor_seconds() - before;
    println!(
        "5x6, {name}: {states} states in {seconds:.2} s of processor time, {:.2} million a second; {:.2} bytes a state",
        states as f64 / seconds / 1e6,
        region.bytes() as f64 / states as f64
    );
}

/// What this process has used.
fn processor_seconds() -> f64 {
    std::fs::read_to_string("/proc/self/schedstat")
        .ok()
        .and_then(|text| text.split_whitespace().next()?.parse::<f64>().ok())
        .map_or(f64::NAN, |nanoseconds| nanoseconds / 1e9)
}

/// A 5x6 tray of 15 blocks and two holes with a goal that cannot be met, and the
/// number of its arrangements.
fn large() -> (Tray, u64) {
    let lines = [
        [0, 0, 1, 0],
        [0, 1, 1, 2],
        [0, 3, 0, 3],
        [0, 4, 0, 4],
        [1, 4, 1, 5],
        [2, 0, 2, 1],
        [2, 2, 2, 2],
        [2, 3, 3, 3],
        [2, 4, 3, 4],
        [2, 5, 3, 5],
        [3, 0, 3, 1],
        [3, 2, 4, 2],
        [4, 0, 4, 1],
        [4, 3, 4, 4],
        [4, 5, 4, 5],
    ];
    let goal = [piece([0, 0, 1, 1]), piece([3, 4, 4, 5])];
    (Tray::new(5, 6, &[], &lines.map(piece), &goal).expect("a tray"), 14_505_220)
}

fn piece([a, b, c, d]: [i64; 4]) -> Piece {
    Piece::plain(Rect::from_corners(a, b, c, d).expect("a rectangle"))
}

/// All arrangements that can be reached.
const STATES: usize = 25_955;
