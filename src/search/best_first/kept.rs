//! The node loop where the open list keeps the states themselves.
//!
//! A state can then be taken up without a look at the table. So what belongs to a
//! later level is not entered when it is found, but when it is taken, if ever: at
//! the last level, which is the largest, half of all successors never are. What
//! they would have displaced stays in the cache, and the table stays small.

use super::engine::Desk;
use super::entry::{Entry, defer, deferred};
use super::worker::{Bucket, HANDFUL, Halt, RESERVED, Verdict, Worker, push, send};
use crate::heuristic::{Heuristic, Origin, Successor};
use crate::memory::Key;
use crate::memory::visited::{Access, Insert};
use crate::puzzle::{Move, Puzzle};
use crate::search::Problem;
use std::ops::Range;

/// What a worker has in its hands.
pub(super) struct KeptStates<P: Puzzle, H: Heuristic<P>> {
    /// The mixed keys of the portion's states that are yet to be entered.
    keys: Vec<P::Key>,
    /// The states that are to be expanded.
    origins: Vec<Origin>,
    successors: Vec<Successor<H::Memo>>,
    /// The successors that are entered into the table now: their places, mixed keys
    /// and home lines.
    arrivals: Vec<(u32, P::Key, usize)>,
    /// The same as `origins` for the states that are next.
    pub(super) next_origins: Vec<Origin>,
}

impl<P: Puzzle, H: Heuristic<P>> Default for KeptStates<P, H> {
    fn default() -> Self {
        let room = if H::KEEPS_STATES { HANDFUL } else { 0 };
        Self {
            keys: Vec::with_capacity(room),
            origins: Vec::with_capacity(4 * room),
            successors: Vec::with_capacity(4 * room),
            arrivals: Vec::with_capacity(4 * room),
            next_origins: Vec::with_capacity(4 * room),
        }
    }
}

/// Why an entry tells its state.
const KEPT: &str = "the heuristic keeps states";

impl<'m, P: Puzzle, H: Heuristic<P>, E: Entry<H::Carry>> Worker<'_, '_, 'm, P, H, E> {
    /// Asks for the slots of some states of the portion, or for their places in
    /// the table.
    #[inline]
    pub(super) fn prefetch_kept(&mut self, table: &impl Access<P::Key>, states: Range<usize>) {
        let Problem { puzzle, heuristic, .. } = self.search.problem;
        if states.start == 0 {
            self.kept.keys.clear();
        }
        for entry in &self.portion[states] {
            let mut mixed = bytemuck::Zeroable::zeroed();
            if deferred(entry.slot()).is_some() {
                let state = heuristic.recall(&entry.carry()).expect(KEPT);
                mixed = puzzle.pack(&state).mix(puzzle.key_bits());
                table.prefetch(mixed);
            } else {
                table.prefetch_slot(entry.slot());
            }
            self.kept.keys.push(mixed);
        }
    }

    /// Goes on with the successors that are next, by a worker who is alone, as long as
    /// they are few and nothing else is to be seen to.
    pub(super) fn expand_deeper(
        &mut self,
        table: &mut impl Access<P::Key>,
        mut bucket: Bucket,
        pushes: usize,
    ) -> Result<(), Halt> {
        let desk = &mut *self.search.desk.lock();
        while self.go_deeper(desk, &mut bucket, pushes) {
            let all = self.draft_successors();
            // While these are on their way, there is time for those from before.
            let (level, column) = (bucket.level + NEXT, bucket.column);
            desk.open.push_all(level, column, &self.near[NEXT]).expect(RESERVED);
            self.near[NEXT].clear();
            self.send_on(table, &bucket, all).inspect_err(|_| self.put_back(0, &bucket))?;
        }
        Ok(())
    }

    /// Makes the successors that are next the portion, where that is all there is to do
    /// at the desk, but for those that are for later; whether it was.
    #[inline(always)]
    fn go_deeper(&mut self, desk: &Desk<'m, P::Key, E>, bucket: &mut Bucket, pushes: usize) -> bool {
        let next = self.near[0].len();
        debug_assert_eq!(next, self.kept.next_origins.len());
        if next == 0
            || next > HANDFUL
            || next + self.near[NEXT].len() != self.pushes
            || self.goal.is_some()
            || desk.statistics.stored + self.statistics.stored >= desk.room
            || desk.open.free_chunks() < 2 * pushes
        {
            return false;
        }
        std::mem::swap(&mut self.portion, &mut self.near[0]);
        std::mem::swap(&mut self.kept.origins, &mut self.kept.next_origins);
        self.near[0].clear();
        self.kept.next_origins.clear();
        self.pushes = 0;
        bucket.column += 1;
        self.base.1 += 1;
        true
    }

    /// Expands some states of the portion, all from one bucket.
    #[inline]
    pub(super) fn expand_kept(
        &mut self,
        table: &mut impl Access<P::Key>,
        handful: Range<usize>,
        bucket: &Bucket,
    ) -> Result<(), Halt> {
        let first = handful.start;
        let done = self.take_up(table, handful, bucket).and_then(|()| {
            let all = self.draft_successors();
            self.send_on(table, bucket, all)
        });
        // What was found meanwhile is found again, and known then.
        done.inspect_err(|_| self.put_back(first, bucket))
    }

    /// Drafts the successors of the states that are to be expanded; how many they are.
    #[inline(always)]
    fn draft_successors(&mut self) -> usize {
        let Problem { puzzle, heuristic, .. } = self.search.problem;
        let KeptStates { origins, successors, .. } = &mut self.kept;
        let kept = |place| self.portion[place as usize].kept();
        let all = heuristic.successors(puzzle, origins, kept, successors);
        self.statistics.expanded += origins.len() as u64;
        self.statistics.generated += all as u64;
        all
    }

    /// Looks which states of a handful are to be expanded, and enters those that
    /// are not in the table yet.
    #[inline(always)]
    fn take_up(
        &mut self,
        table: &mut impl Access<P::Key>,
        handful: Range<usize>,
        bucket: &Bucket,
    ) -> Result<(), Halt> {
        let cost = bucket.column as u32;
        self.kept.origins.clear();
        for place in handful {
            let entry = &mut self.portion[place];
            let last = match deferred(entry.slot()) {
                Some(step) => {
                    let insert = table.insert(self.kept.keys[place], cost, step);
                    if insert == Insert::Full {
                        return Err(Halt::Full);
                    }
                    self.deferred -= 1;
                    self.statistics.stored += u64::from(matches!(insert, Insert::New(_)));
                    let (Insert::New(slot) | Insert::Better(slot)) = insert else { continue };
                    entry.set_slot(slot);
                    Some(Move(step))
                }
                None => {
                    let known = table.known(entry.slot());
                    if known.cost != cost {
                        // A cheaper way was found meanwhile and has an entry of its own.
                        continue;
                    }
                    (cost > 0).then_some(Move(known.step))
                }
            };
            self.kept.origins.push(Origin { place: place as u32, last });
        }
        Ok(())
    }

    /// Tells the estimates of the successors and sends them on: those that are to be
    /// looked at soon to the table, others into the open list alone.
    ///
    /// A function of its own: inside of its two callers it takes longer.
    #[inline(never)]
    fn send_on(&mut self, table: &mut impl Access<P::Key>, bucket: &Bucket, all: usize) -> Result<(), Halt> {
        let Problem { puzzle, heuristic, .. } = self.search.problem;
        let (cost, bits) = (bucket.column as u32 + 1, puzzle.key_bits());
        let KeptStates { successors, arrivals, next_origins, .. } = &mut self.kept;
        let successors = &mut successors[..all];
        let (mut soon, mut next) = (Places::default(), Places::default());
        // All have the same cost, so their estimates tell their levels.
        let end = if cost < self.search.costs_end { bucket.limit as u32 } else { 0 }.saturating_sub(cost);
        let next_estimate = if bucket.defers { (bucket.level + NEXT) as u32 - cost } else { u32::MAX };
        let mut halt = Ok(());
        for (at, successors) in successors.chunks_mut(WORD).enumerate() {
            let (mut far, mut useless) = (0, 0);
            for (successor, bit) in successors.iter_mut().zip(0..) {
                heuristic.settle(&mut successor.memo);
                let estimate = heuristic.estimate(&successor.memo);
                successor.estimate = estimate;
                far |= u64::from(estimate == next_estimate) << bit;
                if estimate >= end {
                    useless |= 1 << bit;
                    if !matches!(self.search.verdict(bucket, cost, estimate), Verdict::Useless) {
                        halt = Err(Halt::Full);
                    }
                }
            }
            let all = u64::MAX >> (WORD - successors.len());
            soon.0[at] = all & !far & !useless;
            next.0[at] = far & !useless;
        }
        arrivals.clear();
        arrivals.reserve(soon.len());
        soon.for_each(|at| {
            let kept = heuristic.carry(&successors[at].memo);
            let mixed = puzzle.pack(&heuristic.recall(&kept).expect(KEPT)).mix(bits);
            push(arrivals, || (at as u32, mixed, table.prefetch(mixed)));
        });
        let later = &mut self.near[NEXT];
        later.reserve(next.len());
        next.for_each(|at| {
            let Successor { memo, step, estimate } = &successors[at];
            push(later, || E::new(defer(step.0), cost, *estimate, heuristic.carry(memo)));
        });
        self.pushes += next.len();
        self.deferred += next.len() as i64;
        let same_estimate = bucket.level as u32 - bucket.column as u32 - 1;
        let most = bucket.most.min(i64::MAX as u64) as i64;
        self.near[0].reserve(arrivals.len());
        next_origins.reserve(arrivals.len());
        for &(at, mixed, home) in &*arrivals {
            let Successor { memo, step, estimate } = &successors[at as usize];
            let (slot, is_new) = match table.insert_from(home, mixed, cost, step.0) {
                Insert::Seen => continue,
                Insert::Full => {
                    halt = Err(Halt::Full);
                    break;
                }
                Insert::Better(slot) => (slot, 0),
                Insert::New(slot) => (slot, 1),
            };
            self.statistics.stored += is_new;
            if *estimate == 0 && puzzle.is_goal(&heuristic.recall(&heuristic.carry(memo)).expect(KEPT)) {
                if self.goal.is_none_or(|(best, _)| cost < best) {
                    self.goal = Some((cost, mixed));
                }
                continue;
            }
            let make = || E::new(slot, cost, *estimate, heuristic.carry(memo));
            if *estimate == same_estimate {
                let place = self.near[0].len() as u32;
                push(next_origins, || Origin { place, last: Some(*step) });
                push(&mut self.near[0], make);
            } else {
                send(&mut self.near, &mut self.runs, self.base, cost + estimate, make);
            }
            self.pushes += 1;
            if self.statistics.stored as i64 + self.deferred >= most {
                break;
            }
        }
        if halt.is_ok() && self.nodes() >= most {
            halt = Err(Halt::Nodes);
        }
        halt
    }
}

/// How far above the portion's level the next one is, as a move changes an estimate
/// by one.
const NEXT: usize = 2;

/// Successors in a word, a bit each, and the words for those of a handful of states.
const WORD: usize = 64;
const WORDS: usize = (4 * HANDFUL).div_ceil(WORD);

/// The places of some successors: there is nothing to guess for the processor when
/// they are found.
#[derive(Default)]
struct Places([u64; WORDS]);

impl Places {
    /// How many they are.
    #[inline(always)]
    fn len(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    #[inline(always)]
    fn for_each(&self, mut visit: impl FnMut(usize)) {
        for (first, &word) in (0..).step_by(WORD).zip(&self.0) {
            let mut rest = word;
            while rest != 0 {
                visit(first + rest.trailing_zeros() as usize);
                rest &= rest - 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::heuristic::pdb::{Library, Partition, Whole};
    use crate::heuristic::{Manhattan, PatternDatabases};
    use crate::memory::Region;
    use crate::memory::arena::Arena;
    use crate::puzzle::Puzzle;
    use crate::puzzle::tiles::{Goal, Size, Tiles};
    use crate::search::best_first::trial::{SEED, wander};
    use crate::search::best_first::{WhenFull, solve};
    use crate::search::{Ending, Limits, Order, Problem, Threads};

    /// However often the table grows, whether it is frozen in the end, and however
    /// many work on it: solutions are as short as those of a search that enters
    /// every state when it finds it.
    #[test]
    fn what_is_entered_late_is_not_lost() {
        let (size, partition) = (Size::new(4, 4).unwrap(), "5-5-5".parse::<Partition>().unwrap());
        let goal = Goal::BlankLast.board(size).unwrap().into_owned();
        let puzzle = Tiles::<u64>::new(&goal).unwrap();
        let mut library = Library::default();
        assert!(library.fetch(&partition, size, puzzle.goal_blank(), 2, &|_| true).unwrap());
        let heuristic = PatternDatabases::<3, 2, Whole>::new(&puzzle, &partition, &library).unwrap();
        let (mut random, mut fell_back, mut deferred) = (SEED, 0, 0);
        for board in 0..10 {
            let start = wander(&puzzle, puzzle.state(&goal), 100 + 10 * board, &mut random);
            let limits = Limits::default();
            let mut arena = Arena::new(256 << 20, 1 << 20).unwrap();
            let mut region = Region::zeroed(arena.divide(&[]).remove(0));
            let known = Problem { puzzle: &puzzle, heuristic: &Manhattan::new(&puzzle), start };
            let known = solve(known, Order::ASTAR, &limits, &mut region, &Threads(2), WhenFull::Dig);
            let Ending::Solved { path: known, .. } = known.ending else { panic!("board {board} is solved") };
            // With 10 MiB, there is something left to be entered when all is full.
            for (bytes, threads) in [(64 << 20, 1), (64 << 20, 3), (10 << 20, 1), (10 << 20, 2), (1 << 20, 4)]
            {
                let mut arena = Arena::new(bytes, bytes).unwrap();
                let mut region = Region::zeroed(arena.divide(&[]).remove(0));
                let problem = Problem { puzzle: &puzzle, heuristic: &heuristic, start };
                let found =
                    solve(problem, Order::ASTAR, &limits, &mut region, &Threads(threads), WhenFull::Dig);
                let Ending::Solved { path, bound } = found.ending else { panic!("board {board} is solved") };
                let end = path.iter().fold(start, |state, &step| puzzle.apply(&state, step));
                assert!(puzzle.is_goal(&end) && bound as usize == path.len());
                assert_eq!(path.len(), known.len(), "board {board}, {bytes} bytes, {threads} threads");
                fell_back += u32::from(found.statistics.fell_back && bytes == 10 << 20);
                deferred += u32::from(found.statistics.stored < found.statistics.generated / 4 * 3);
            }
        }
        assert!(fell_back > 0 && deferred > 5, "{fell_back} {deferred}");
    }
}
