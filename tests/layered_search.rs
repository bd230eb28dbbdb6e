//! Layered search against plain breadth-first search: on the 8-puzzle, and on
//! thousands of small random trays in all three metrics, with any number of
//! threads and with very little memory.

use batch_solve::heuristic::Manhattan;
use batch_solve::memory::{Line, Region};
use batch_solve::puzzle::batched::{Batched, Neighbours};
use batch_solve::puzzle::tiles::{Goal, Size, Tiles};
use batch_solve::puzzle::trays::dense::{Dense, Word};
use batch_solve::puzzle::trays::oracle::{self, Answer};
use batch_solve::puzzle::trays::{Metric, Piece, Rect, Tray};
use batch_solve::puzzle::{Key, Move, Puzzle};
use batch_solve::search::layered::{self, WhenFull};
use batch_solve::search::{
    Ending, HelperPool, Limits, NoHelpers, Outcome, Problem, SpawnThreads, Stop, diverse_bfs, ida,
};
use bytemuck::Zeroable;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// What layered search says of a tray; its solutions are replayed.
fn solve<W: Word>(tray: &Tray, metric: Metric, bytes: usize, helpers: &dyn HelperPool) -> Option<Outcome> {
    solve_within::<W>(tray, metric, bytes, helpers, Limits::default())
}

fn solve_within<W: Word>(
    tray: &Tray,
    metric: Metric,
    bytes: usize,
    helpers: &dyn HelperPool,
    limits: Limits<'_>,
) -> Option<Outcome> {
    let dense = Dense::<W>::new(tray, metric)?;
    let mut memory = vec![Line::zeroed(); bytes / size_of::<Line>()];
    let mut region = Region::used(&mut memory);
    let start = dense.state(tray.blocks());
    assert_eq!(dense.blocks(start), tray.blocks());
    let outcome = layered::solve(&dense, start, &limits, &mut region, helpers, WhenFull::DropLayers);
    if let Ending::Solved { path, bound } = &outcome.ending {
        assert_eq!(path.len(), *bound as usize);
        let mut blocks = tray.blocks().to_vec();
        for &step in path {
            let shift = dense.shift(step);
            let (_, after) = oracle::neighbours(tray, &blocks, metric)
                .into_iter()
                .find(|(known, _)| *known == shift)
                .expect("a move that the oracle knows");
            blocks = after;
        }
        assert!(tray.is_met_by(&blocks));
    }
    Some(outcome)
}

/// The shifts, replayed by the oracle, of any solution that is found among few
/// states of each kind.
fn spread_out<W: Word>(tray: &Tray, metric: Metric, few_kinds: bool) -> Option<(Outcome, Option<usize>)> {
    let dense = Dense::<W>::new(tray, metric)?;
    let mut memory = vec![Line::zeroed(); (2 << 20) / size_of::<Line>()];
    let mut region = Region::used(&mut memory);
    let start = dense.state(tray.blocks());
    let kind = |state: W| if few_kinds { dense.kind(state) & 1 << 63 } else { dense.kind(state) };
    let outcome = diverse_bfs::solve(&dense, start, kind, 1 << 20, &Limits::default(), &mut region);
    let Ending::Solved { path, bound } = &outcome.ending else { return Some((outcome, None)) };
    assert!(*bound as usize <= path.len());
    let mut blocks = tray.blocks().to_vec();
    for &step in path {
        let shift = dense.shift(step);
        let all = oracle::neighbours(tray, &blocks, metric);
        let (_, after) = all.into_iter().find(|(known, _)| *known == shift).expect("a move that is known");
        blocks = after;
    }
    assert!(tray.is_met_by(&blocks));
    let length = path.len();
    Some((outcome, Some(length)))
}

#[test]
fn few_of_each_kind_decide_random_trays_as_the_oracle_does() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(6);
    let (mut solved, mut unsolvable) = (0, 0);
    for number in 0..2000 {
        let Some(tray) = random_tray(&mut random, 5) else { continue };
        let metric = Metric::ALL[number % 3];
        let answer = oracle::solve(&tray, metric, 2000);
        if answer == Answer::TooMany {
            continue;
        }
        // Two kinds in all leave out most states, and the searches must go on.
        for few_kinds in [false, true] {
            let Some((outcome, length)) = spread_out::<u64>(&tray, metric, few_kinds) else { continue };
            let Ending::Solved { bound, .. } = outcome.ending else {
                assert_eq!((outcome.ending, answer.length()), (Ending::Exhausted, None), "{tray:?}");
                unsolvable += 1;
                continue;
            };
            let (length, shortest) = (length.unwrap(), answer.length().expect("there is a solution"));
            assert!(bound as usize <= shortest && shortest <= length, "{tray:?}");
            solved += 1;
        }
    }
    assert!(solved > 500 && unsolvable > 200, "{solved} {unsolvable}");
}

#[test]
fn few_of_each_kind_keep_to_their_limits() {
    let piece = |row, col, height, width| Piece::plain(Rect::new(row, col, height, width).unwrap());
    let blocks = [piece(0, 0, 2, 2), piece(0, 2, 1, 1), piece(1, 2, 1, 1), piece(2, 0, 1, 1)];
    let tray = Tray::new(4, 3, &[], &blocks, &[piece(2, 1, 2, 2)]).unwrap();
    let dense = Dense::<u64>::new(&tray, Metric::Piece).unwrap();
    let start = dense.state(tray.blocks());
    let search = |bytes: usize, most, limits: &Limits<'_>| {
        let mut memory = vec![Line::zeroed(); bytes / size_of::<Line>()];
        let mut region = Region::used(&mut memory);
        diverse_bfs::solve(&dense, start, |state| dense.kind(state), most, limits, &mut region).ending
    };
    let stopped = |stop| Ending::Stopped { stop, bound: 1 };
    assert!(matches!(search(2 << 20, 1 << 20, &Limits::default()), Ending::Solved { .. }));
    assert_eq!(search(1 << 16, 1 << 20, &Limits::default()), stopped(Stop::Memory));
    assert_eq!(search(2 << 20, 1 << 20, &Limits::nodes(3)), stopped(Stop::Nodes));
    let halt = || true;
    let limits = Limits { halt: Some(&halt), ..Limits::default() };
    assert_eq!(search(2 << 20, 1 << 20, &limits), stopped(Stop::Interrupted));
}

fn length(outcome: &Outcome) -> Option<usize> {
    match &outcome.ending {
        Ending::Solved { path, .. } => Some(path.len()),
        Ending::Exhausted => None,
        Ending::Stopped { .. } => panic!("{outcome:?}"),
    }
}

/// A random tray: blocks of random shapes until about so many holes are left.
fn random_tray(random: &mut Xoshiro256PlusPlus, most_side: u64) -> Option<Tray> {
    let mut below = |n: u64| (random.next_u64() >> 11) % n;
    let (rows, cols) = (2 + below(most_side - 1), 2 + below(most_side - 1));
    let mut taken = vec![false; (rows * cols) as usize];
    let mut place = |row: u64, col: u64, height: u64, width: u64, pieces: &mut Vec<Piece>| {
        let rect = Rect::new(row as i64, col as i64, height as i64, width as i64).unwrap();
        let free =
            rect.fits(rows as usize, cols as usize) && rect.cells(cols as usize).all(|cell| !taken[cell]);
        if free {
            rect.cells(cols as usize).for_each(|cell| taken[cell] = true);
            pieces.push(Piece::plain(rect));
        }
    };
    let (mut walls, mut blocks) = (Vec::new(), Vec::new());
    for _ in 0..below(3) {
        place(below(rows), below(cols), 1, 1, &mut walls);
    }
    for _ in 0..4 + below(3 * rows * cols) {
        let (height, width) = [(1, 1), (1, 2), (2, 1), (2, 2), (1, 3)][below(5) as usize];
        place(below(rows), below(cols), height, width, &mut blocks);
    }
    // Marked blocks are told apart.
    if below(4) == 0 {
        for mark in 1..=below(3) as usize {
            if let Some(block) = blocks.get_mut(mark) {
                block.mark = mark as u32;
            }
        }
    }
    if blocks.is_empty() {
        return None;
    }
    let mut goal = Vec::new();
    for _ in 0..1 + below(2) {
        let Piece { rect, mark } = blocks[below(blocks.len() as u64) as usize];
        let (height, width) = (i64::from(rect.height), i64::from(rect.width));
        let row = below(rows + 1 - height as u64) as i64;
        let col = below(cols + 1 - width as u64) as i64;
        goal.push(Piece { rect: Rect::new(row, col, height, width).unwrap(), mark });
    }
    let walls: Vec<Rect> = walls.iter().map(|wall| wall.rect).collect();
    Tray::new(rows as i64, cols as i64, &walls, &blocks, &goal).ok()
}

#[test]
fn random_trays_as_the_oracle_says() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(4);
    let (mut solved, mut unsolvable, mut unfit) = (0, 0, 0);
    for number in 0..3000 {
        let Some(tray) = random_tray(&mut random, 5) else { continue };
        let metric = Metric::ALL[number % 3];
        let answer = oracle::solve(&tray, metric, 2000);
        if answer == Answer::TooMany {
            continue;
        }
        let Some(narrow) = solve::<u64>(&tray, metric, 1 << 19, &NoHelpers) else {
            unfit += 1;
            continue;
        };
        assert_eq!(length(&narrow), answer.length(), "{tray:?} {metric:?}");
        let wide = solve::<u128>(&tray, metric, 1 << 19, &NoHelpers).unwrap();
        assert_eq!(length(&wide), answer.length(), "{tray:?} {metric:?}");
        match answer {
            Answer::Unsolvable(states) => {
                unsolvable += 1;
                assert_eq!(narrow.statistics.stored, states as u64);
                assert_eq!(narrow.statistics.expanded, states as u64);
            }
            _ => solved += 1,
        }
    }
    assert!(solved > 500 && unsolvable > 500, "{solved} solved, {unsolvable} unsolvable, {unfit} unfit");
}

#[test]
fn codes_are_exact_and_neighbours_are_the_oracles() {
    fn check<W: Word>(tray: &Tray, metric: Metric, random: &mut Xoshiro256PlusPlus) -> usize {
        let Some(dense) = Dense::<W>::new(tray, metric) else { return 0 };
        let mut blocks = tray.blocks().to_vec();
        let mut workspace = Default::default();
        for _ in 0..20 {
            let state = dense.state(&blocks);
            assert_eq!(dense.blocks(state), blocks);
            let (mut found, mut expected) = (Vec::new(), Vec::new());
            dense.expand(&[state], &mut workspace, &mut found);
            found.iter_mut().for_each(|state| *state = state.without_used_moves(dense.used_move_bits()));
            let known = oracle::neighbours(tray, &blocks, metric);
            expected.extend(known.iter().map(|(_, after)| dense.state(after)));
            found.sort_unstable();
            expected.sort_unstable();
            assert_eq!(found, expected, "{tray:?} {metric:?}");
            for &(shift, ref after) in &known {
                assert_eq!(dense.shift(dense.step(state, dense.state(after))), shift);
                assert_eq!(dense.is_goal(dense.state(after)), tray.is_met_by(after));
            }
            let Some((_, after)) = known.get(random.next_u64() as usize % known.len().max(1)) else { break };
            blocks.clone_from(after);
        }
        1
    }
    let mut random = Xoshiro256PlusPlus::seed_from_u64(7);
    let (mut narrow, mut wide) = (0, 0);
    for number in 0..1000 {
        let Some(tray) = random_tray(&mut random, 8) else { continue };
        let metric = Metric::ALL[number % 3];
        narrow += check::<u64>(&tray, metric, &mut random);
        wide += check::<u128>(&tray, metric, &mut random);
    }
    assert!(narrow > 200 && wide > narrow + 100, "{narrow} {wide}");
}

fn klotski() -> Tray {
    let corners = [
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
    let piece = |[a, b, c, d]: [i64; 4]| Piece::plain(Rect::from_corners(a, b, c, d).unwrap());
    Tray::new(5, 4, &[], &corners.map(piece), &[piece([3, 1, 4, 2])]).unwrap()
}

#[test]
fn little_memory_costs_time_or_ends_with_a_bound() {
    let tray = klotski();
    let (mut dropped, mut stopped) = (0, 0);
    for (metric, shortest) in Metric::ALL.into_iter().zip([116, 90, 81]) {
        let plenty = solve::<u64>(&tray, metric, 1 << 20, &NoHelpers).unwrap();
        assert_eq!(length(&plenty), Some(shortest));
        for kib in [2, 4, 6, 8, 10, 12, 16, 20, 24, 32, 48, 64, 128, 256] {
            let outcome = solve::<u64>(&tray, metric, kib << 10, &NoHelpers).unwrap();
            match outcome.ending {
                Ending::Stopped { stop, bound } => {
                    stopped += 1;
                    assert_eq!(stop, Stop::Memory);
                    assert!(bound as usize <= shortest && kib < 64, "{kib}");
                }
                _ => assert_eq!(length(&outcome), Some(shortest)),
            }
            // Who has given up layers has searched again for the path.
            dropped += u32::from(outcome.statistics.expanded > plenty.statistics.expanded);
        }
    }
    assert!(dropped > 3 && stopped > 3, "{dropped} {stopped}");
}

#[test]
fn random_trays_in_very_little_memory() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(5);
    let (mut decided, mut stopped) = (0, 0);
    for number in 0..600 {
        let Some(tray) = random_tray(&mut random, 5) else { continue };
        let metric = Metric::ALL[number % 3];
        let answer = oracle::solve(&tray, metric, 1500);
        let Some(outcome) =
            solve::<u64>(&tray, metric, 6 << 10, &NoHelpers).filter(|_| answer != Answer::TooMany)
        else {
            continue;
        };
        if let Ending::Stopped { stop, bound } = outcome.ending {
            stopped += 1;
            assert_eq!(stop, Stop::Memory);
            assert!(answer.length().is_none_or(|length| bound as usize <= length));
        } else {
            decided += 1;
            assert_eq!(length(&outcome), answer.length(), "{tray:?} {metric:?}");
        }
    }
    assert!(decided > 100 && stopped > 10, "{decided} decided, {stopped} stopped");
}

#[test]
fn many_threads_find_the_same_length() {
    // A 5x6 tray whose layers are worth sharing.
    let rows = ["AABCCD", "AABEED", "FGGHHI", "FJKKLI", "MM.N.O"];
    let mut blocks: Vec<Piece> = Vec::new();
    for letter in b'A'..=b'O' {
        let at = |(row, line): (usize, &&str)| {
            let first = line.bytes().position(|byte| byte == letter)?;
            Some((row as i64, first as i64, line.bytes().rposition(|byte| byte == letter)? as i64))
        };
        let cells: Vec<_> = rows.iter().enumerate().filter_map(at).collect();
        let (top, left, _) = cells[0];
        let (bottom, _, right) = cells[cells.len() - 1];
        blocks.push(Piece::plain(Rect::from_corners(top, left, bottom, right).unwrap()));
    }
    let goal = Piece::plain(Rect::from_corners(3, 4, 4, 5).unwrap());
    let tray = Tray::new(5, 6, &[], &blocks, &[goal]).unwrap();
    let alone = solve::<u64>(&tray, Metric::Piece, 64 << 20, &NoHelpers).unwrap();
    for threads in [2, 5] {
        let together = solve::<u64>(&tray, Metric::Piece, 64 << 20, &SpawnThreads(threads)).unwrap();
        assert_eq!(length(&together), length(&alone));
    }
    let wide = solve::<u128>(&tray, Metric::Piece, 8 << 20, &SpawnThreads(2)).unwrap();
    assert_eq!(length(&wide), length(&alone));
}

#[test]
fn limits_end_a_search_with_what_it_has_proved() {
    let tray = klotski();
    let stopped = |limits: Limits<'_>| {
        let outcome = solve_within::<u64>(&tray, Metric::Piece, 1 << 20, &NoHelpers, limits).unwrap();
        match outcome.ending {
            Ending::Stopped { stop, bound } => (stop, bound),
            other => panic!("{other:?}"),
        }
    };
    let (stop, bound) = stopped(Limits::nodes(5000));
    assert!(stop == Stop::Nodes && (10..81).contains(&bound), "{bound}");
    let now = Some(std::time::Instant::now());
    assert_eq!(stopped(Limits { deadline: now, ..Limits::default() }), (Stop::Time, 1));
    assert_eq!(stopped(Limits { halt: Some(&|| true), ..Limits::default() }), (Stop::Interrupted, 1));
}

/// A puzzle that knows nothing of batches or notes.
struct Plain(Tiles<u64>);

impl Plain {
    fn state(&self, key: u64) -> u64 {
        // One more bit, because a key may be zero.
        let bits = self.0.key_bits() + 1;
        (key | 1 << self.0.key_bits()).mix(bits) << (64 - bits)
    }

    fn key(&self, state: u64) -> u64 {
        let bits = self.0.key_bits() + 1;
        (state >> (64 - bits)).unmix(bits) & !(1 << self.0.key_bits())
    }
}

impl Batched for Plain {
    type State = u64;
    type Workspace = ();

    fn used_move_bits(&self) -> u32 {
        1
    }

    fn reaches_previous_layer(&self) -> bool {
        true
    }

    fn expand<S: Neighbours<u64>>(&self, states: &[u64], (): &mut (), neighbours: &mut S) {
        for &state in states {
            let from = self.0.unpack(self.key(state));
            for step in self.0.moves(&from, None) {
                let next = self.0.apply(&from, step);
                let state = self.state(self.0.pack(&next));
                neighbours.push(state);
                if self.0.is_goal(&next) {
                    neighbours.goal(state);
                }
            }
        }
    }

    fn is_goal(&self, state: u64) -> bool {
        self.0.is_goal(&self.0.unpack(self.key(state)))
    }

    fn step(&self, from: u64, to: u64) -> Move {
        let from = self.0.unpack(self.key(from));
        let leads = |step: &Move| self.state(self.0.pack(&self.0.apply(&from, *step))) == to;
        self.0.moves(&from, None).find(leads).expect("a move between neighbours")
    }
}

#[test]
fn any_puzzle_can_be_searched_by_layers() {
    let goal = Goal::BlankLast.board(Size::new(3, 3).unwrap()).unwrap().into_owned();
    let puzzle = Plain(Tiles::new(&goal).unwrap());
    let mut memory = vec![Line::zeroed(); (4 << 20) / size_of::<Line>()];
    let mut random = Xoshiro256PlusPlus::seed_from_u64(6);
    let heuristic = Manhattan::new(&puzzle.0);
    for number in 0..20 {
        let mut state = puzzle.0.state(&goal);
        for _ in 0..100 {
            let moves: Vec<Move> = puzzle.0.moves(&state, None).collect();
            state = puzzle.0.apply(&state, moves[random.next_u64() as usize % moves.len()]);
        }
        let mut region = Region::used(&mut memory[..if number % 2 == 0 { 65536 } else { 16384 }]);
        let start = puzzle.state(puzzle.0.pack(&state));
        let outcome =
            layered::solve(&puzzle, start, &Limits::default(), &mut region, &NoHelpers, WhenFull::DropLayers);
        let problem = Problem { puzzle: &puzzle.0, heuristic: &heuristic, start: state };
        let shortest = ida::solve(problem, &Limits::default());
        let Ending::Solved { path, .. } = &outcome.ending else { panic!("{outcome:?}") };
        assert_eq!(Some(path.len()), length(&shortest));
        let end = path.iter().fold(state, |state, &step| puzzle.0.apply(&state, step));
        assert!(puzzle.0.is_goal(&end));
    }
}

/// The same puzzle, with a fault in it that shows when it is searched by two.
struct Faulty(Plain, std::thread::ThreadId);

impl Batched for Faulty {
    type State = u64;
    type Workspace = ();

    fn used_move_bits(&self) -> u32 {
        self.0.used_move_bits()
    }

    fn reaches_previous_layer(&self) -> bool {
        self.0.reaches_previous_layer()
    }

    fn expand<S: Neighbours<u64>>(&self, states: &[u64], workspace: &mut (), neighbours: &mut S) {
        assert_eq!(std::thread::current().id(), self.1, "a fault on purpose");
        // Leaves time for another one to come, however busy the machine is.
        std::thread::sleep(std::time::Duration::from_micros(200));
        // Goals are not passed on, so there is work for two.
        let mut found = Vec::new();
        self.0.expand(states, workspace, &mut found);
        found.into_iter().for_each(|state| neighbours.push(state));
    }

    fn is_goal(&self, _: u64) -> bool {
        false
    }

    fn step(&self, from: u64, to: u64) -> Move {
        self.0.step(from, to)
    }
}

#[test]
fn a_helper_that_panics_keeps_nobody_waiting() {
    let goal = Goal::BlankLast.board(Size::new(3, 4).unwrap()).unwrap().into_owned();
    let plain = Plain(Tiles::new(&goal).unwrap());
    let start = plain.state(plain.0.pack(&plain.0.state(&goal)));
    let puzzle = Faulty(plain, std::thread::current().id());
    let limits = Limits { max_nodes: Some(3_000_000), ..Limits::default() };
    let searched = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        let mut memory = vec![Line::zeroed(); (64 << 20) / size_of::<Line>()];
        let mut region = Region::used(&mut memory);
        layered::solve(&puzzle, start, &limits, &mut region, &SpawnThreads(2), WhenFull::DropLayers);
    }));
    assert!(searched.is_err(), "the fault was not met");
}
