//! Shortest solutions of the 24-puzzle: A* with IDA* from its frontier against
//! IDA* alone, one thread against two, one and several divisions of the tiles.
//!
//! `cargo bench --bench twenty_four` solves published instances in each way, in one
//! run, and prints a line for each; all must find the published lengths.
//! `BATCH_SOLVE_BENCH_INSTANCES` chooses others (`38,40`). Databases are read from
//! the user's cache folder, or made and kept there. With `--test` the same is tried
//! on 3×6 boards, whose databases are made at once.

mod support;

use batch_solve::generate::{Kind, Request};
use batch_solve::memory::Region;
use batch_solve::pdb::{Library, MaxOfPartitions, Partition, Store};
use batch_solve::puzzle::tiles::{Board, Goal, Size, Tiles};
use batch_solve::search::astar::{self, WhenFull};
use batch_solve::search::{Ending, Limits, Order, Outcome, Problem, SpawnThreads, ida};
use std::time::Instant;
use support::{Known, Memory};

/// The frontier that the program begins with.
const FRONTIER: usize = 32 << 20;

/// A board, and the length that all ways must find.
struct Work {
    id: String,
    board: Board,
    length: Option<u32>,
}

fn main() {
    let (size, goal, works, divisions) = if support::is_test() {
        let size: Size = "3x6".parse().expect("a size");
        let kind = Kind::Moves(90);
        let request = Request { size, count: 3, seed: 24, kind, goal: Goal::BlankLast };
        let boards = request.boards().expect("the goal has a name");
        let works = boards.enumerate().map(|(n, board)| Work { id: n.to_string(), board, length: None });
        (size, Goal::BlankLast, works.collect::<Vec<_>>(), ["5-4-4-4x1", "5-4-4-4x2"])
    } else {
        let asked = std::env::var("BATCH_SOLVE_BENCH_INSTANCES").unwrap_or_else(|_| "40,38,44,25".into());
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/korf24.txt");
        let works = asked.split(',').map(|id| {
            let Known { board, length, .. } = support::instance(file, id);
            Work { id: id.into(), board, length: Some(length) }
        });
        let size: Size = "5x5".parse().expect("a size");
        (size, Goal::BlankFirst, works.collect(), ["6-6-6-6x1", "6-6-6-6x2"])
    };
    let puzzle = Tiles::<u128>::new(&goal.board(size).expect("the goal fits")).expect("the board fits");
    let mut memory = Memory::new(support::scale(256, 32) << 20);
    let mut region = Region::zeroed(memory.slice());
    for mut work in works {
        for name in divisions {
            work.all_ways(&puzzle, name, &mut region);
        }
    }
}

impl Work {
    fn all_ways(&mut self, puzzle: &Tiles<u128>, name: &str, region: &mut Region<'_>) {
        let partition: Partition = name.parse().expect("a partition");
        let mut library = Library::new(Store::of_user().filter(|_| !support::is_test()));
        let fits = library.fetch(&partition, puzzle.size(), puzzle.goal_blank(), 2, &|_| true);
        assert!(fits.expect("memory for the databases"), "{name} is a partition of these tiles");
        let heuristic = &MaxOfPartitions::<4>::new(puzzle, &partition, &library).expect("it was fetched");
        let problem = Problem { puzzle, heuristic, start: puzzle.state(&self.board) };
        let limits = Limits::default();
        let mut astar = |bytes, threads| {
            let (region, threads) = (&mut region.first(bytes), SpawnThreads(threads));
            astar::solve(problem, Order::ASTAR, &limits, region, &threads, WhenFull::FallBackToDfs)
        };
        let one = self.measure(name, "A* and IDA*, one thread", || astar(FRONTIER, 1));
        let two = self.measure(name, "A* and IDA*, two threads", || astar(FRONTIER, 2));
        let large = self.measure(name, "the same from all memory", || astar(usize::MAX, 2));
        let alone = self.measure(name, "IDA* alone, one thread", || ida::solve(problem, &limits));
        println!(
            "{}, {name}: two threads {:.2} times as fast as one, A* and IDA* {:.2} times as fast as IDA*; from all \
             memory {:.2} times",
            self.id,
            one / two,
            alone / one,
            alone / one * two / large,
        );
    }

    /// Solves the board in one way; how many seconds that took.
    fn measure(&mut self, name: &str, way: &str, solve: impl FnOnce() -> Outcome) -> f64 {
        let begun = Instant::now();
        let outcome = solve();
        let seconds = begun.elapsed().as_secs_f64();
        let Ending::Solved { path, bound } = outcome.ending else { panic!("{}: not solved", self.id) };
        assert_eq!(bound as usize, path.len(), "a shortest solution is proved");
        assert_eq!(*self.length.get_or_insert(bound), bound, "{}, {name}, {way}", self.id);
        let found = outcome.statistics;
        println!(
            "{}, {name}, {way}: {seconds:.2} s, length {bound}, {} expanded, {} generated, {} stored",
            self.id, found.expanded, found.generated, found.stored
        );
        seconds
    }
}
