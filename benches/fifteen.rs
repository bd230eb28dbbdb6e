//! Shortest solutions of random 15-puzzles with pattern databases: a handful of
//! states at a time against one at a time, A* against IDA*, one division of the
//! tiles against another.
//!
//! `cargo bench --bench fifteen` solves the same boards in each way, in one run
//! and on one thread, and prints a line for each; all must find the same lengths.
//! Databases are read from the user's cache folder, or made and kept there.
//! `BATCH_SOLVE_BENCH_BOARDS` sets the number of boards.

mod support;

use batch_solve::generate::{Kind, Request};
use batch_solve::heuristic::Heuristic;
use batch_solve::memory::Region;
use batch_solve::pdb::PatternDatabases;
use batch_solve::pdb::{CompactPayload, FullPayload, Library, Partition, Store};
use batch_solve::puzzle::tiles::{Board, Goal, Size, TileState, Tiles};
use batch_solve::search::astar::{self, WhenFull};
use batch_solve::search::{Ending, Limits, NoHelpers, Order, Outcome, Problem, ida};
use std::time::{Duration, Instant};
use support::Memory;

/// The boards, and what is known of their lengths.
struct Work {
    puzzle: Tiles<u64>,
    starts: Vec<TileState<u64>>,
    lengths: Vec<usize>,
}

fn main() {
    let size: Size = "4x4".parse().expect("a size");
    let asked = std::env::var("BATCH_SOLVE_BENCH_BOARDS").ok().and_then(|count| count.parse().ok());
    let count = asked.unwrap_or_else(|| support::scale(1000, 3)) as u64;
    let request = Request { size, count, seed: 7, kind: Kind::Random, goal: Goal::BlankLast };
    let puzzle = Tiles::new(&Goal::BlankLast.board(size).expect("the goal fits")).expect("the board fits");
    let boards: Vec<Board> = request.boards().expect("the goal has a name").collect();
    let starts = boards.iter().map(|board| puzzle.state(board)).collect();
    let mut work = Work { puzzle, starts, lengths: Vec::new() };
    let mut memory = Memory::new(support::scale(256, 64) << 20);
    let mut region = Region::zeroed(memory.slice());
    let largest: &[&str] = if support::is_test() { &["5-5-5"] } else { &["7-8", "7-7-1"] };
    for name in largest {
        let partition: Partition = name.parse().expect("a partition");
        let mut library = Library::new(Store::of_user().filter(|_| !support::is_test()));
        let begun = Instant::now();
        let fits = library.fetch(&partition, size, work.puzzle.goal_blank(), 2, &|_| true);
        assert!(fits.expect("memory for the databases"), "{name} is a partition of 15 tiles");
        println!("{name}: databases read or made in {:.2?}", begun.elapsed());
        if partition.patterns() == 2 {
            let heuristic = PatternDatabases::<2, 2, FullPayload>::new(&work.puzzle, &partition, &library);
            work.all_ways(name, &heuristic.expect("it was fetched"), &mut region);
        } else {
            let heuristic = PatternDatabases::<3, 2, FullPayload>::new(&work.puzzle, &partition, &library);
            work.all_ways(name, &heuristic.expect("it was fetched"), &mut region);
            let heuristic = PatternDatabases::<3, 2, CompactPayload>::new(&work.puzzle, &partition, &library);
            work.astar(
                name,
                "A*, places counted again",
                Order::ASTAR,
                &heuristic.expect("as before"),
                &mut region,
            );
        }
    }
}

impl Work {
    fn all_ways<H: Heuristic<Tiles<u64>>>(&mut self, name: &str, heuristic: &H, region: &mut Region<'_>) {
        let batched = self.astar(name, "A*, by the handful", Order::ASTAR, heuristic, region);
        let single = self.astar(name, "A*, one at a time", Order::ASTAR.strict(), heuristic, region);
        let deepening =
            self.measure(name, "IDA*", |problem| ida::solve(problem, &Limits::default()), heuristic);
        println!(
            "{name}: by the handful {:.2} times as fast as one at a time, {:.2} times as fast as IDA*",
            single.as_secs_f64() / batched.as_secs_f64(),
            deepening.as_secs_f64() / batched.as_secs_f64()
        );
    }

    fn astar<H: Heuristic<Tiles<u64>>>(
        &mut self,
        name: &str,
        way: &str,
        order: Order,
        heuristic: &H,
        region: &mut Region<'_>,
    ) -> Duration {
        let limits = Limits::default();
        let solve = |problem: Problem<'_, _, H>| {
            astar::solve(problem, order, &limits, region, &NoHelpers, WhenFull::FallBackToDfs)
        };
        self.measure(name, way, solve, heuristic)
    }

    /// Solves all boards in one way; how long that took.
    fn measure<H: Heuristic<Tiles<u64>>>(
        &mut self,
        name: &str,
        way: &str,
        mut solve: impl FnMut(Problem<'_, Tiles<u64>, H>) -> Outcome,
        heuristic: &H,
    ) -> Duration {
        let mut times = Vec::with_capacity(self.starts.len());
        let mut lengths = Vec::with_capacity(self.starts.len());
        let (mut generated, mut expanded) = (0, 0);
        for &start in &self.starts {
            let begun = Instant::now();
            let outcome = solve(Problem { puzzle: &self.puzzle, heuristic, start });
            times.push(begun.elapsed());
            let Ending::Solved { path, bound } = outcome.ending else { panic!("not solved: {start:?}") };
            assert_eq!(bound as usize, path.len(), "a shortest solution is proved");
            lengths.push(path.len());
            generated += outcome.statistics.generated;
            expanded += outcome.statistics.expanded;
        }
        if self.lengths.is_empty() {
            self.lengths = lengths;
        } else {
            assert_eq!(self.lengths, lengths, "{name}, {way}: other lengths than before");
        }
        times.sort_unstable();
        let (all, boards) = (times.iter().sum::<Duration>(), times.len());
        println!(
            "{name}, {way}: {:.3} ms a board ({:.3} median, {:.3} 99th percentile), {:.0} nodes generated, \
             {:.0} expanded, {:.1} ns a node, mean length {:.3}",
            1e3 * all.as_secs_f64() / boards as f64,
            1e3 * times[boards / 2].as_secs_f64(),
            1e3 * times[boards * 99 / 100].as_secs_f64(),
            generated as f64 / boards as f64,
            expanded as f64 / boards as f64,
            all.as_nanos() as f64 / generated as f64,
            self.lengths.iter().sum::<usize>() as f64 / boards as f64,
        );
        all
    }
}
