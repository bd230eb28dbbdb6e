//! The node loop where the open list keeps the states themselves.
//!
//! A state can then be taken up without a look at the table. So what belongs to a
//! later level is not entered when it is found, but when it is taken, if ever: at
//! the last level, which is the largest, half of all successors never are. What
//! they would have displaced stays in the cache, and the table stays small.
//!
//! For the same reason successors can be prepared before their states are entered: a
//! worker who is alone asks for what it needs of the next handful first, and then
//! enters the states. Those that turn out to be known were prepared in vain, but they
//! are few.

use super::engine::Desk;
use super::entry::{Entry, defer, deferred};
use crate::heuristic::{Heuristic, Parent, SuccessorBatch};
use crate::memory::Key;
use crate::memory::visited::{Access, Insert};
use crate::puzzle::{Move, Puzzle};
use crate::search::Problem;
use crate::search::astar::eager::{Bucket, HANDFUL, Halt, RESERVED, Verdict, Worker, push, send};
use crate::search::astar::selection::{Places, WORD};
use std::mem::swap;
use std::ops::Range;

/// What a worker has in its hands.
pub(super) struct KeptStates<P: Puzzle, H: Heuristic<P>> {
    /// The mixed keys of the portion's states that are yet to be entered.
    keys: Vec<P::Key>,
    /// The states that are to be expanded, and those that are next.
    now: Handful<H::SuccessorBatch>,
    next: Handful<H::SuccessorBatch>,
    /// What is to be done with the successors of the states that are expanded now. It is
    /// written and read here, word by word: what is written in parts cannot be read as a
    /// whole soon after.
    sorted: Sorted,
    /// The successors that are entered into the table now: their places, mixed keys
    /// and home lines.
    arrivals: Vec<(u32, P::Key, usize)>,
}

/// Some states with their successors.
struct Handful<B> {
    parents: Vec<Parent>,
    /// A bit for each that turned out to be known already.
    known: u64,
    /// Where it lies, so that handfuls can change places.
    batch: Box<B>,
}

impl<B: Default> Handful<B> {
    fn with_capacity(room: usize) -> Self {
        const { assert!(HANDFUL <= u64::BITS as usize) };
        Self { parents: Vec::with_capacity(room), known: 0, batch: Box::default() }
    }

    fn clear(&mut self) {
        self.parents.clear();
        self.known = 0;
    }
}

impl<P: Puzzle, H: Heuristic<P>> Default for KeptStates<P, H> {
    fn default() -> Self {
        let room = if H::STORES_STATES { HANDFUL } else { 0 };
        Self {
            keys: Vec::with_capacity(room),
            now: Handful::with_capacity(room),
            next: Handful::with_capacity(room),
            sorted: Sorted::default(),
            arrivals: Vec::with_capacity(4 * room),
        }
    }
}

/// Why an entry tells its state.
const KEPT: &str = "the heuristic keeps states";

impl<'m, P: Puzzle, H: Heuristic<P>, E: Entry<H::Payload>> Worker<'_, '_, 'm, P, H, E> {
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
                let state = heuristic.state_of(&entry.payload()).expect(KEPT);
                mixed = puzzle.pack(&state).mix(puzzle.key_bits());
                table.prefetch(mixed);
            } else {
                table.prefetch_slot(entry.slot());
            }
            self.kept.keys.push(mixed);
        }
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
            prepare(self.search.problem, &mut self.kept.now, &self.portion);
            self.sort(bucket)?;
            self.send_on(table, bucket)
        });
        // What was found meanwhile is found again, and known then.
        done.inspect_err(|_| self.put_back(first, bucket))
    }

    /// Expands the portion, which is a handful, by a worker who is alone; goes on with
    /// the successors that are next, as long as they are few and nothing else is to be
    /// seen to.
    pub(super) fn expand_deep(
        &mut self,
        table: &mut impl Access<P::Key>,
        mut bucket: Bucket,
        pushes: usize,
    ) -> Result<(), Halt> {
        let problem = self.search.problem;
        let desk = &mut *self.search.desk.lock();
        let all = self.portion.len();
        self.take_up(table, 0..all, &bucket).inspect_err(|_| self.put_back(0, &bucket))?;
        prepare(problem, &mut self.kept.now, &self.portion);
        while self.go_deeper(table, desk, &bucket, pushes).inspect_err(|_| self.put_back_unknown(&bucket))? {
            swap(&mut self.portion, &mut self.near[0]);
            self.near[0].clear();
            swap(&mut self.kept.now, &mut self.kept.next);
            bucket.column += 1;
            self.base.1 += 1;
        }
        Ok(())
    }

    /// Sends on the successors of the handful, which are prepared; whether those of the
    /// same level are the next one, and prepared themselves.
    #[inline(always)]
    fn go_deeper(
        &mut self,
        table: &mut impl Access<P::Key>,
        desk: &mut Desk<'m, P::Key, E>,
        bucket: &Bucket,
        pushes: usize,
    ) -> Result<bool, Halt> {
        self.sort(bucket)?;
        let goes_on = self.may_go_on(desk, bucket, pushes);
        if goes_on {
            self.go_on(table, desk, bucket)?;
        } else {
            self.send_on(table, bucket)?;
        }
        Ok(goes_on)
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
        let KeptStates { keys, now, .. } = &mut self.kept;
        now.clear();
        for place in handful {
            let entry = &mut self.portion[place];
            let last = match deferred(entry.slot()) {
                Some(step) => {
                    let insert = table.insert(keys[place], cost, step);
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
                    let known = table.content(entry.slot());
                    if known.cost != cost {
                        // A cheaper way was found meanwhile and has an entry of its own.
                        continue;
                    }
                    (cost > 0).then_some(Move(known.step))
                }
            };
            now.parents.push(Parent { place: place as u32, last });
        }
        Ok(())
    }

    /// Tells the estimates of the successors, and so what is to be done with them.
    #[inline(never)]
    fn sort(&mut self, bucket: &Bucket) -> Result<(), Halt> {
        let KeptStates { now: Handful { parents, known, batch }, sorted, .. } = &mut self.kept;
        self.search.problem.heuristic.finish_batch(batch);
        let estimates = batch.estimates();
        let cost = bucket.column as u32 + 1;
        // All have the same cost, so their estimates tell their levels.
        let end = if cost < self.search.costs_end { bucket.limit as u32 } else { 0 }.saturating_sub(cost);
        let same = (bucket.level - bucket.column - 1) as u32;
        let later = if bucket.defers { same + NEXT as u32 } else { u32::MAX };
        *sorted = Sorted::default();
        let mut generated = 0;
        for (word, estimates) in estimates.chunks(WORD).enumerate() {
            let (mut near, mut far, mut useless) = (0, 0, 0);
            for (&estimate, bit) in estimates.iter().zip(0..) {
                near |= u64::from(estimate == same) << bit;
                far |= u64::from(estimate == later) << bit;
                useless |= u64::from(estimate >= end) << bit;
            }
            let mut all = u64::MAX >> (WORD - estimates.len());
            if *known != 0 {
                for bit in 0..estimates.len() {
                    all &= !((*known >> (batch.parent(word * WORD + bit) % 64) & 1) << bit);
                }
            }
            generated += all.count_ones();
            useless &= all;
            all &= !useless;
            while useless != 0 {
                let estimate = estimates[useless.trailing_zeros() as usize % WORD];
                if !matches!(self.search.verdict(bucket, cost, estimate), Verdict::Useless) {
                    return Err(Halt::Full);
                }
                useless &= useless - 1;
            }
            sorted.same.0[word] = all & near;
            sorted.later.0[word] = all & far;
            sorted.others.0[word] = all & !near & !far;
        }
        self.statistics.expanded += parents.len() as u64 - u64::from(known.count_ones());
        self.statistics.generated += u64::from(generated);
        Ok(())
    }

    /// Whether the successors of the same level are all that there is to do next.
    #[inline(always)]
    fn may_go_on(&self, desk: &Desk<'m, P::Key, E>, bucket: &Bucket, pushes: usize) -> bool {
        let sorted = &self.kept.sorted;
        let (next, later) = (sorted.same.len(), sorted.later.len());
        next > 0
            && next <= HANDFUL
            && sorted.others.is_empty()
            && self.pushes == 0
            && self.nodes() + ((next + later) as i64) < most(bucket)
            // None of them is a goal.
            && bucket.level > bucket.column + 1
            && desk.statistics.stored + self.statistics.stored < desk.room
            && desk.open.free_chunks() >= 2 * pushes
    }

    /// Makes the successors of the same level the next handful: asks for all that is
    /// needed of them, before they are entered into the table.
    #[inline(never)]
    fn go_on(
        &mut self,
        table: &mut impl Access<P::Key>,
        desk: &mut Desk<'m, P::Key, E>,
        bucket: &Bucket,
    ) -> Result<(), Halt> {
        let Problem { puzzle, heuristic, .. } = self.search.problem;
        let (cost, bits) = (bucket.column as u32 + 1, puzzle.key_bits());
        let estimate = (bucket.level - bucket.column - 1) as u32;
        let KeptStates { now: Handful { batch, .. }, next, sorted, arrivals, .. } = &mut self.kept;
        let near = &mut self.near[0];
        arrivals.clear();
        near.clear();
        next.clear();
        let is_drafted = prepare_selected(heuristic, batch, &sorted.same, &mut next.batch);
        sorted.same.for_each(|at| {
            let mixed = puzzle.pack(&batch.state(at)).mix(bits);
            let (place, last) = (near.len() as u32, Some(batch.step(at)));
            push(arrivals, || (at as u32, mixed, table.prefetch(mixed)));
            push(&mut next.parents, || Parent { place, last });
            push(near, || E::new(0, cost, estimate, batch.payload(at)));
        });
        if !is_drafted {
            prepare(self.search.problem, next, near);
        }
        // While all this is on its way, there is time for what is for later.
        let count = sorted.later.len();
        self.deferred += count as i64;
        let mut later = sorted.later.strict();
        let make = |room: &mut [E]| {
            let mut rest = later;
            for entry in room {
                let at = rest.take_first();
                *entry = E::new(defer(batch.step(at).0), cost, estimate + NEXT as u32, batch.payload(at));
            }
            later = rest;
        };
        desk.open.push_with(bucket.level + NEXT, bucket.column + 1, count, make).expect(RESERVED);
        for (place, &(at, mixed, home)) in arrivals.iter().enumerate() {
            match table.insert_from(home, mixed, cost, batch.step(at as usize).0) {
                Insert::Seen => next.known |= 1 << place,
                Insert::Better(slot) => near[place].set_slot(slot),
                Insert::New(slot) => {
                    near[place].set_slot(slot);
                    self.statistics.stored += 1;
                }
                Insert::Full => {
                    // Those that are entered by now will be known when they are found
                    // again.
                    near.truncate(place);
                    retain_unknown(near, next.known);
                    self.pushes += near.len();
                    return Err(Halt::Full);
                }
            }
        }
        Ok(())
    }

    /// Sends the successors on: those that are to be looked at soon to the table,
    /// others into the open list alone.
    #[inline(never)]
    fn send_on(&mut self, table: &mut impl Access<P::Key>, bucket: &Bucket) -> Result<(), Halt> {
        let Problem { puzzle, .. } = self.search.problem;
        let (cost, bits) = (bucket.column as u32 + 1, puzzle.key_bits());
        let same = (bucket.level - bucket.column - 1) as u32;
        let KeptStates { now: Handful { batch, .. }, sorted, arrivals, .. } = &mut self.kept;
        arrivals.clear();
        for places in [&sorted.same, &sorted.others] {
            places.for_each(|at| {
                let mixed = puzzle.pack(&batch.state(at)).mix(bits);
                push(arrivals, || (at as u32, mixed, table.prefetch(mixed)));
            });
        }
        self.pushes += sorted.later.len();
        self.deferred += sorted.later.len() as i64;
        let later = &mut self.near[NEXT];
        later.reserve(sorted.later.len());
        sorted.later.for_each(|at| {
            push(later, || E::new(defer(batch.step(at).0), cost, same + NEXT as u32, batch.payload(at)));
        });
        let (most, estimates) = (most(bucket), batch.estimates());
        let mut halt = Ok(());
        for &(at, mixed, home) in &*arrivals {
            let at = at as usize;
            let (step, estimate) = (batch.step(at), estimates[at]);
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
            if estimate == 0 && puzzle.is_goal(&batch.state(at)) {
                if self.goal.is_none_or(|(best, _)| cost < best) {
                    self.goal = Some((cost, mixed));
                }
                continue;
            }
            let make = || E::new(slot, cost, estimate, batch.payload(at));
            send(&mut self.near, &mut self.runs, self.base, cost + estimate, make);
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

    /// Puts the portion on the way back into the open list, but for states that were
    /// known already.
    fn put_back_unknown(&mut self, bucket: &Bucket) {
        retain_unknown(&mut self.portion, self.kept.now.known);
        self.put_back(0, bucket);
    }
}

/// Retains entries that have no bit among those of a handful that are known.
fn retain_unknown<E>(entries: &mut Vec<E>, known: u64) {
    let mut rest = known;
    entries.retain(|_| {
        let is_known = rest & 1 == 1;
        rest >>= 1;
        !is_known
    });
}

/// States that may still be stored.
#[inline(always)]
fn most(bucket: &Bucket) -> i64 {
    bucket.most.min(i64::MAX as u64) as i64
}

/// Drafts the successors of a handful of states among `entries`.
#[inline(never)]
fn prepare<P: Puzzle, H: Heuristic<P>, E: Entry<H::Payload>>(
    Problem { puzzle, heuristic, .. }: Problem<'_, P, H>,
    handful: &mut Handful<H::SuccessorBatch>,
    entries: &[E],
) {
    let kept = |place| entries[place as usize].kept();
    heuristic.successors(puzzle, &handful.parents, kept, &mut handful.batch);
}

/// Drafts the successors of those of a brood that are chosen, if that is faster;
/// whether it is done.
#[inline(never)]
fn prepare_selected<P: Puzzle, H: Heuristic<P>>(
    heuristic: &H,
    batch: &H::SuccessorBatch,
    selected: &Places,
    next: &mut H::SuccessorBatch,
) -> bool {
    heuristic.successors_of(batch, selected.0, next)
}

/// What is to be done with the successors of a handful.
#[derive(Default)]
struct Sorted {
    /// They are of the same level.
    same: Places,
    /// They are of the next one, and deferred.
    later: Places,
    /// They are of any other level, or not deferred.
    others: Places,
}

/// How far above the portion's level the next one is, as a move changes an estimate
/// by one.
const NEXT: usize = 2;

#[cfg(test)]
mod tests {
    use crate::heuristic::Manhattan;
    use crate::memory::Region;
    use crate::memory::arena::Arena;
    use crate::pdb::PatternDatabases;
    use crate::pdb::{FullPayload, Library, Partition};
    use crate::puzzle::Puzzle;
    use crate::puzzle::tiles::{Goal, Size, Tiles};
    use crate::search::astar::test_support::{SEED, wander};
    use crate::search::astar::{WhenFull, solve};
    use crate::search::{Ending, Limits, Order, Problem, SpawnThreads};

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
        let heuristic = PatternDatabases::<3, 2, FullPayload>::new(&puzzle, &partition, &library).unwrap();
        let (mut random, mut fell_back, mut deferred) = (SEED, 0, 0);
        for board in 0..10 {
            let start = wander(&puzzle, puzzle.state(&goal), 100 + 10 * board, &mut random);
            let limits = Limits::default();
            let mut arena = Arena::new(256 << 20, 1 << 20).unwrap();
            let mut region = Region::zeroed(arena.divide(&[]).remove(0));
            let known = Problem { puzzle: &puzzle, heuristic: &Manhattan::new(&puzzle), start };
            let known =
                solve(known, Order::ASTAR, &limits, &mut region, &SpawnThreads(2), WhenFull::FallBackToDfs);
            let Ending::Solved { path: known, .. } = known.ending else { panic!("board {board} is solved") };
            // With 10 MiB, there is something left to be entered when all is full.
            for (bytes, threads) in [(64 << 20, 1), (64 << 20, 3), (10 << 20, 1), (10 << 20, 2), (1 << 20, 4)]
            {
                let mut arena = Arena::new(bytes, bytes).unwrap();
                let mut region = Region::zeroed(arena.divide(&[]).remove(0));
                let problem = Problem { puzzle: &puzzle, heuristic: &heuristic, start };
                let found = solve(
                    problem,
                    Order::ASTAR,
                    &limits,
                    &mut region,
                    &SpawnThreads(threads),
                    WhenFull::FallBackToDfs,
                );
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
