//! A panic in one worker ends the search, or the run, for all: nobody waits for
//! somebody who will not come, and what was written stays whole.
//!
//! The faults are in puzzles that these tests bring themselves, and in what they
//! do with a run's observer; the program has no switch for them.

use batch_solve::heuristic::Blind;
use batch_solve::input::{Block, Defaults, InputError, Reader};
use batch_solve::memory::{Line, Region};
use batch_solve::model::interrupt::Interrupt;
use batch_solve::model::report::Instance;
use batch_solve::options::Options;
use batch_solve::output::{Format, Notation, Sink, Style};
use batch_solve::puzzle::batched::{Batched, Neighbours};
use batch_solve::puzzle::tiles::{Goal, Size, Tiles};
use batch_solve::puzzle::trays::{Metric, dense::Dense};
use batch_solve::puzzle::{Move, Puzzle};
use batch_solve::run::resume::ResumeState;
use batch_solve::run::{self, Observer};
use batch_solve::search::{Limits, Order, Problem, SpawnThreads, astar, layered};
use batch_solve::solve::counters::Counters;
use bytemuck::Zeroable;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicI64, Ordering::Relaxed};
use std::sync::mpsc;
use std::time::Duration;

/// What all injected panics say, so that a real one is told from them.
const INJECTED: &str = "injected";

/// Runs something that must panic, and must do so before long.
fn panics(what: &str, run: impl FnOnce() + Send + 'static) {
    let (done, wait) = mpsc::channel();
    let thread = std::thread::spawn(move || {
        let caught = catch_unwind(AssertUnwindSafe(run));
        done.send(caught.is_err()).unwrap();
    });
    let panicked = wait.recv_timeout(Duration::from_secs(120));
    assert_eq!(panicked, Ok(true), "{what}: Ok(false) means no panic, an error that somebody waits forever");
    thread.join().unwrap();
}

/// A countdown to a panic on whichever thread comes to it.
struct Fuse(AtomicI64);

impl Fuse {
    fn burn(&self) {
        assert!(self.0.fetch_sub(1, Relaxed) != 0, "{INJECTED}");
    }
}

/// A puzzle that panics after so many calls.
struct Faulty<P> {
    puzzle: P,
    fuse: Fuse,
}

impl<P> Faulty<P> {
    fn new(puzzle: P, calls: i64) -> Self {
        Self { puzzle, fuse: Fuse(AtomicI64::new(calls)) }
    }
}

impl<P: Puzzle> Puzzle for Faulty<P> {
    type State = P::State;
    type Key = P::Key;
    type Moves = P::Moves;

    fn key_bits(&self) -> u32 {
        self.puzzle.key_bits()
    }
    fn move_bits(&self) -> u32 {
        self.puzzle.move_bits()
    }
    fn pack(&self, state: &P::State) -> P::Key {
        self.puzzle.pack(state)
    }
    fn unpack(&self, key: P::Key) -> P::State {
        self.puzzle.unpack(key)
    }
    fn is_goal(&self, state: &P::State) -> bool {
        self.puzzle.is_goal(state)
    }
    fn moves(&self, state: &P::State, last: Option<Move>) -> P::Moves {
        self.fuse.burn();
        self.puzzle.moves(state, last)
    }
    fn apply(&self, state: &P::State, step: Move) -> P::State {
        self.puzzle.apply(state, step)
    }
    fn undo(&self, state: &P::State, step: Move) -> P::State {
        self.puzzle.undo(state, step)
    }
    fn longest(&self) -> Option<u32> {
        self.puzzle.longest()
    }
}

impl<P: Batched> Batched for Faulty<P> {
    type State = P::State;
    type Workspace = P::Workspace;

    fn used_move_bits(&self) -> u32 {
        self.puzzle.used_move_bits()
    }
    fn reaches_previous_layer(&self) -> bool {
        self.puzzle.reaches_previous_layer()
    }
    fn expand<S: Neighbours<P::State>>(
        &self,
        states: &[P::State],
        workspace: &mut P::Workspace,
        neighbours: &mut S,
    ) {
        self.fuse.burn();
        self.puzzle.expand(states, workspace, neighbours);
    }
    fn is_goal(&self, state: P::State) -> bool {
        self.puzzle.is_goal(state)
    }
    fn step(&self, from: P::State, to: P::State) -> Move {
        self.puzzle.step(from, to)
    }
}

#[test]
fn a_layered_search_ends_for_all() {
    let mut reader = Reader::open("fixtures/trays/hard.txt", Defaults::default()).unwrap();
    let mut block = Block::default();
    assert!(reader.next_block(&mut block, 1).unwrap());
    let Ok(Instance::Tray { tray, .. }) = block.parse(0) else { panic!("a tray") };
    // From the first layers, which one thread expands, to those that many share.
    for calls in [0, 3, 40, 3000, 3001, 3002, 3017, 5000, 8000] {
        let tray = tray.clone();
        panics(&format!("after {calls} calls"), move || {
            let dense = Dense::<u64>::new(&tray, Metric::Piece).unwrap();
            let start = dense.state(tray.blocks());
            let faulty = Faulty::new(dense, calls);
            let mut memory = vec![Line::zeroed(); 1 << 20];
            let mut region = Region::zeroed(&mut memory);
            layered::solve(
                &faulty,
                start,
                &Limits::default(),
                &mut region,
                &SpawnThreads(4),
                layered::WhenFull::DropLayers,
            );
        });
    }
}

#[test]
fn a_best_first_search_ends_for_all() {
    let size = Size::new(3, 4).unwrap();
    // Before the table grows, while it does, and after it is full.
    for calls in [0, 10, 1000, 5000, 5001, 20_000, 200_000, 200_003, 600_000] {
        panics(&format!("after {calls} calls"), move || {
            let goal = Goal::BlankLast.board(size).unwrap().into_owned();
            let tiles = Tiles::<u64>::new(&goal).unwrap();
            let board = batch_solve::puzzle::tiles::Board::new(size, &[11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0])
                .unwrap();
            let start = tiles.state(&board);
            let faulty = Faulty::new(tiles, calls);
            let mut memory = vec![Line::zeroed(); 1 << 16];
            let mut region = Region::zeroed(&mut memory);
            astar::solve(
                Problem { puzzle: &faulty, heuristic: &Blind, start },
                Order::ASTAR,
                &Limits::default(),
                &mut region,
                &SpawnThreads(4),
                astar::WhenFull::FallBackToDfs,
            );
        });
    }
}

/// Panics, on the worker that meets a board of another size.
struct Explosive;

impl Observer for Explosive {
    fn input_error(&self, _: &InputError) {}
    fn warn(&self, _: &str) {}
    fn explain(&self, reason: &str) {
        assert!(!reason.contains("3x4"), "{INJECTED}");
    }
}

#[test]
fn a_run_ends_with_whole_lines() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let easy = "1 2 3 4 5 6 7 8 9 10 11 12 13 0 14 15\n".repeat(3000);
    let text = format!("{easy}@size 3x4\n1 2 3 4 5 6 7 8 9 0 10 11\n@size 4x4\n{easy}");
    std::fs::write(path("puzzles"), text).unwrap();
    for (turn, threads) in [1, 2, 8].into_iter().enumerate() {
        let (input, output) = (path("puzzles"), path(&format!("results-{turn}")));
        let results = output.clone();
        panics(&format!("{threads} threads"), move || {
            let options = Options {
                files: vec![input.to_str().unwrap().to_owned()],
                threads,
                explain: true,
                ..Options::default()
            };
            let style = Style { format: Format::Text, notation: Notation::default() };
            let mut sink = Sink::create(&output, false, &options.files).unwrap();
            let run = run::run(
                &options,
                style,
                &mut sink,
                ResumeState::default(),
                &Counters::default(),
                &Interrupt::new(),
                &Explosive,
            );
            drop(run);
        });
        let written = std::fs::read_to_string(results).unwrap();
        assert!(written.is_empty() || written.ends_with('\n'));
        for (index, line) in written.lines().enumerate() {
            assert_eq!(line, format!("{}\tsolved\t2\tRR", index + 1));
        }
        assert!(written.lines().count() <= 3000);
    }
}
