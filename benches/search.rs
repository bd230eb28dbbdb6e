//! Nodes a second of A* and IDA* with Manhattan distance, and what a stored
//! state costs.
//!
//! A* works in a region of 256 MiB (`BATCH_SOLVE_BENCH_MIB` changes that), on a
//! published instance that it cannot solve there, until the last table is about
//! 80 % full. A line for each board size says how many bytes of the whole region,
//! open list included, a state has cost when the region was full.

mod support;

use batch_solve::generate::{Kind, Request};
use batch_solve::heuristic::Manhattan;
use batch_solve::memory::Region;
use batch_solve::puzzle::tiles::{Board, Cells, Goal, TileState, Tiles};
use batch_solve::search::astar::{self, WhenFull};
use batch_solve::search::{Ending, Limits, Order, Outcome, Problem, SpawnThreads, Statistics, Stop, ida};
use criterion::{BenchmarkId, Criterion, SamplingMode, Throughput};
use support::{Known, Memory, published};

/// A puzzle with its heuristic and a start.
struct Work<C: Cells> {
    puzzle: Tiles<C>,
    heuristic: Manhattan,
    start: TileState<C>,
}

impl<C: Cells> Work<C> {
    fn new(board: &Board, goal: &Goal) -> Self {
        let goal = goal.board(board.size()).expect("the goal fits");
        let puzzle = Tiles::<C>::new(&goal).expect("the board fits");
        let (heuristic, start) = (Manhattan::new(&puzzle), puzzle.state(board));
        Self { puzzle, heuristic, start }
    }

    fn problem(&self) -> Problem<'_, Tiles<C>, Manhattan> {
        Problem { puzzle: &self.puzzle, heuristic: &self.heuristic, start: self.start }
    }

    fn astar(&self, region: &mut Region<'_>, limits: &Limits<'_>, threads: usize) -> Outcome {
        astar::solve(self.problem(), Order::ASTAR, limits, region, &SpawnThreads(threads), WhenFull::Stop)
    }
}

fn main() {
    let mut criterion = support::criterion(10);
    let mib = std::env::var("BATCH_SOLVE_BENCH_MIB").ok().and_then(|mib| mib.parse().ok());
    let bytes = mib.unwrap_or_else(|| support::scale(256, 16)) << 20;
    let mut memory = Memory::new(bytes);
    let mut region = Region::zeroed(memory.slice());
    let hard = published("88");
    let work = Work::<u64>::new(&hard.board, &hard.goal);

    let stored = state_size("4x4", &work, &mut region, hard.length, 12.0);
    let random = Request {
        size: "5x5".parse().expect("a size"),
        count: 1,
        seed: 1,
        kind: Kind::Random,
        goal: Goal::BlankLast,
    };
    let board = random.boards().expect("the goal has a name").next().expect("one board");
    state_size("5x5", &Work::<u128>::new(&board, &random.goal), &mut region, u32::MAX, 21.0);

    // Nine tenths of what fits: the table is then about 80 % full.
    fill(&mut criterion, &work, &mut region, stored * 9 / 10, hard.length);
    solve(&mut criterion, &published("12"), &mut region);
    deepen(&mut criterion, &published(if support::is_test() { "12" } else { "4" }));
    criterion.final_summary();
}

/// Searches until the region is full, and says what a state has cost. How many
/// were stored.
fn state_size<C: Cells>(name: &str, work: &Work<C>, region: &mut Region<'_>, length: u32, most: f64) -> u64 {
    let outcome = work.astar(region, &Limits::default(), 1);
    let Ending::Stopped { stop: Stop::Memory, bound } = outcome.ending else {
        panic!("{name}: the region should be too small: {:?}", outcome.ending);
    };
    assert!(bound <= length, "{name}: {bound} is no lower bound of {length}");
    let Statistics { stored, expanded, .. } = outcome.statistics;
    let each = region.bytes() as f64 / stored as f64;
    println!(
        "{name}: {each:.2} bytes for a stored state, open list included: {stored} states, {:.0} % of them open, in {} MiB",
        100.0 * (1.0 - expanded as f64 / stored as f64),
        region.bytes() >> 20
    );
    assert!(each <= most, "{name}: {each:.2} bytes are more than {most}");
    stored
}

/// A* on a hard instance, up to so many states.
fn fill(criterion: &mut Criterion, work: &Work<u64>, region: &mut Region<'_>, states: u64, length: u32) {
    let limits = Limits::nodes(states);
    for threads in [1, 2] {
        let mut run = || {
            let outcome = work.astar(region, &limits, threads);
            assert!(
                matches!(outcome.ending, Ending::Stopped { stop: Stop::Nodes, bound } if bound <= length),
                "{:?}",
                outcome.ending
            );
            outcome.statistics.generated
        };
        let generated = run();
        let mut group = criterion.benchmark_group("astar, table to 80 %");
        group.sampling_mode(SamplingMode::Flat).throughput(Throughput::Elements(generated));
        group.bench_function(BenchmarkId::new("threads", threads), |bencher| bencher.iter(&mut run));
        group.finish();
    }
}

/// A* on an instance that it solves in memory.
fn solve(criterion: &mut Criterion, easy: &Known, region: &mut Region<'_>) {
    let work = Work::<u64>::new(&easy.board, &easy.goal);
    for threads in [1, 2] {
        let mut run = || {
            let outcome = work.astar(region, &Limits::default(), threads);
            assert_shortest(&outcome, easy.length);
            outcome.statistics.generated
        };
        let generated = run();
        let mut group = criterion.benchmark_group("astar, solved");
        group.sampling_mode(SamplingMode::Flat).throughput(Throughput::Elements(generated));
        group.bench_function(BenchmarkId::new("threads", threads), |bencher| bencher.iter(&mut run));
        group.finish();
    }
}

/// IDA* on an instance.
fn deepen(criterion: &mut Criterion, instance: &Known) {
    let work = Work::<u64>::new(&instance.board, &instance.goal);
    let run = || {
        let outcome = ida::solve(work.problem(), &Limits::default());
        assert_shortest(&outcome, instance.length);
        outcome.statistics.generated
    };
    let generated = run();
    let mut group = criterion.benchmark_group("ida");
    group.sampling_mode(SamplingMode::Flat).throughput(Throughput::Elements(generated));
    group.bench_function("threads/1", |bencher| bencher.iter(run));
    group.finish();
}

fn assert_shortest(outcome: &Outcome, length: u32) {
    match &outcome.ending {
        Ending::Solved { path, bound } => assert_eq!((path.len() as u32, *bound), (length, length)),
        other => panic!("{length} moves are known, but: {other:?}"),
    }
}
