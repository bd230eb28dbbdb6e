//! The pancake puzzle, solved by the library's searches: how to bring a puzzle
//! of your own.
//!
//! A stack of pancakes of different sizes is sorted by putting a spatula
//! somewhere into it and turning over all that lies above. How many turns does
//! it take?
//!
//! ```text
//! cargo run --release --example pancakes 3 1 4 7 5 9 2 6 8 0
//! ```
//!
//! A puzzle is a type that implements [`Puzzle`], a lower bound one that
//! implements [`Heuristic`]. Everything else is the searches' business.

use batch_solve::heuristic::{Heuristic, NoBatch};
use batch_solve::memory::{Line, Region};
use batch_solve::puzzle::{Move, Puzzle};
use batch_solve::search::astar::{self, WhenFull};
use batch_solve::search::{Ending, Limits, Order, Outcome, Problem, SpawnThreads, ida};
use bytemuck::Zeroable;

/// Bits for one pancake.
const BITS: u32 = 4;

/// A stack of up to 12 pancakes: four bits each, the topmost lowest.
#[derive(Clone, Copy, Debug)]
pub struct Pancakes {
    /// How many there are.
    pub count: u32,
}

impl Pancakes {
    /// The state of a stack, from the top down: the numbers from 0, which is the
    /// smallest, each once.
    pub fn state(&self, stack: &[u64]) -> u64 {
        stack.iter().rev().fold(0, |word, &pancake| word << BITS | pancake)
    }

    /// The pancake at a depth; below the last one lies the plate, which counts
    /// as the next larger.
    fn at(&self, state: u64, depth: u32) -> u32 {
        if depth == self.count { self.count } else { (state >> (depth * BITS)) as u32 & 15 }
    }

    /// The state after the top `turned` pancakes have been turned over.
    fn turn(&self, state: u64, turned: u32) -> u64 {
        let top = state & ((1 << (turned * BITS)) - 1);
        (0..turned).fold(state ^ top, |state, depth| {
            state | u64::from(self.at(top, depth)) << ((turned - 1 - depth) * BITS)
        })
    }
}

/// The contract. A move's number is what one likes; here it is how many
/// pancakes are turned.
impl Puzzle for Pancakes {
    // The form in which moves are cheap, and the one in which states are stored.
    // Here one is as good as the other.
    type State = u64;
    type Key = u64;
    type Moves = Turns;

    fn key_bits(&self) -> u32 {
        self.count * BITS
    }

    fn move_bits(&self) -> u32 {
        BITS
    }

    fn pack(&self, state: &u64) -> u64 {
        *state
    }

    fn unpack(&self, key: u64) -> u64 {
        key
    }

    fn is_goal(&self, &state: &u64) -> bool {
        (0..self.count).all(|depth| self.at(state, depth) == depth)
    }

    fn moves(&self, _: &u64, last: Option<Move>) -> Turns {
        // To turn the same ones again would only undo it.
        Turns { next: 2, count: self.count, last: last.map_or(0, |Move(turned)| turned) }
    }

    fn apply(&self, &state: &u64, Move(turned): Move) -> u64 {
        self.turn(state, turned)
    }

    fn undo(&self, &state: &u64, Move(turned): Move) -> u64 {
        self.turn(state, turned)
    }

    /// Not required, but searches that know it need less memory: each pancake
    /// but the smallest is brought to the top and then to its place, and that
    /// takes one turn less for the last of them.
    fn longest(&self) -> Option<u32> {
        Some(2 * self.count - 3)
    }
}

/// The moves of a stack. They do not depend on what lies there.
#[derive(Clone, Copy, Debug)]
pub struct Turns {
    next: u32,
    count: u32,
    last: u32,
}

impl Iterator for Turns {
    type Item = Move;

    fn next(&mut self) -> Option<Move> {
        if self.next == self.last {
            self.next += 1;
        }
        let turned = self.next;
        self.next += 1;
        (turned <= self.count).then_some(Move(turned))
    }
}

/// The gap heuristic (Helmert, 2010): between neighbours in the stack that are
/// not neighbours in size a spatula must go in at least once.
#[derive(Clone, Copy, Debug)]
pub struct Gaps;

impl Gaps {
    fn between(upper: u32, lower: u32) -> u32 {
        u32::from(upper.abs_diff(lower) != 1)
    }
}

impl Heuristic<Pancakes> for Gaps {
    // What is known of a state is its number of gaps. That is the estimate
    // itself, so the open list need not carry anything beside it.
    type Memo = u32;
    type Payload = ();
    type SuccessorBatch = NoBatch;

    fn name(&self) -> &'static str {
        "gaps"
    }

    fn evaluate(&self, puzzle: &Pancakes, &state: &u64) -> u32 {
        let gap = |depth| Self::between(puzzle.at(state, depth), puzzle.at(state, depth + 1));
        (0..puzzle.count).map(gap).sum()
    }

    fn update(&self, puzzle: &Pancakes, &gaps: &u32, &before: &u64, Move(turned): Move) -> u32 {
        // A turn opens and closes no other gap than the one at the spatula.
        let below = puzzle.at(before, turned);
        let (old, new) = (puzzle.at(before, turned - 1), puzzle.at(before, 0));
        gaps - Self::between(old, below) + Self::between(new, below)
    }

    fn estimate(&self, &gaps: &u32) -> u32 {
        gaps
    }

    fn payload(&self, _: &u32) {}

    fn restore(&self, _: &Pancakes, _: &u64, estimate: u32, (): ()) -> u32 {
        estimate
    }
}

/// Says what a search found.
fn report(search: &str, outcome: &Outcome) {
    let generated = outcome.statistics.generated;
    match &outcome.ending {
        Ending::Solved { path, .. } => {
            let turns: Vec<String> = path.iter().map(|Move(turned)| turned.to_string()).collect();
            println!("{search}: {} turns, {generated} generated: {}", turns.len(), turns.join(" "));
        }
        other => println!("{search}: {other:?}"),
    }
}

fn main() {
    let mut stack: Vec<u64> = std::env::args().skip(1).flat_map(|argument| argument.parse()).collect();
    if stack.is_empty() {
        stack = vec![3, 1, 4, 7, 5, 9, 2, 6, 8, 0];
    }
    let mut sorted = stack.clone();
    sorted.sort_unstable();
    if !(2..=12).contains(&stack.len()) || sorted.into_iter().ne(0..stack.len() as u64) {
        eprintln!("a stack is 2 to 12 pancakes: the numbers from 0, each once");
        std::process::exit(2);
    }

    let puzzle = Pancakes { count: stack.len() as u32 };
    let problem = Problem { puzzle: &puzzle, heuristic: &Gaps, start: puzzle.state(&stack) };
    let limits = Limits::default();

    // IDA* needs no memory but the path.
    report("IDA*", &ida::solve(problem, &limits));

    // A* works inside a region of memory and never asks for more. The region can
    // be used for one search after another, and by several threads at once. When
    // it is full, depth-first searches go on from where A* had come.
    for (name, bytes) in [("A*", 16 << 20), ("A* in 256 KiB", 256 << 10)] {
        let mut memory = vec![Line::zeroed(); bytes / size_of::<Line>()];
        let mut region = Region::zeroed(&mut memory);
        let outcome = astar::solve(
            problem,
            Order::ASTAR,
            &limits,
            &mut region,
            &SpawnThreads(2),
            WhenFull::FallBackToDfs,
        );
        report(name, &outcome);
    }
}
