//! The node loop with lazy insertion, for open lists whose entries contain the full state.
//!
//! A popped state can then be expanded without reading the table. A successor with a larger f
//! is therefore pushed to the open list without inserting it into the visited table
//! (*deferred*); it is inserted when it is popped. On the last f-level, which is the largest,
//! half of all successors are never popped. The table stays smaller, and the cache keeps lines
//! that those insertions would have evicted.
//!
//! For the same reason successors can be prepared before their parents are inserted. A single
//! worker chains batches:
//!
//! 1. Classify the successors of the batch by f ([`SuccessorsByF`]).
//! 2. If those with the parents' f fit one batch and no others need insertion, prefetch their
//!    table lines and prepare *their* successors.
//! 3. Push the deferred successors while the prefetches are under way.
//! 4. Insert the chained states. Duplicates were prepared in vain, but they are few.
//!
//! After the last growth nothing is deferred: when the table is frozen it must contain every
//! open state, because the depth-first phase prunes with it.

use super::engine::Shared;
use super::entry::{Entry, defer, deferred};
use crate::heuristic::{Heuristic, Parent, SuccessorBatch};
use crate::memory::Key;
use crate::memory::visited::{Access, Insert};
use crate::puzzle::{Move, Puzzle};
use crate::search::Problem;
use crate::search::astar::eager::{
    BATCH, Bucket, CHUNKS_RESERVED, Halt, Placement, Worker, buffer_push, push_within_capacity,
};
use crate::search::astar::selection::{Selection, WORD};
use std::mem::swap;
use std::ops::Range;

/// State of a worker that inserts lazily.
pub(super) struct LazyState<P: Puzzle, H: Heuristic<P>> {
    /// Mixed keys of the popped states that are deferred.
    keys: Vec<P::Key>,
    /// The batch that is expanded, and the batch that is chained to it.
    now: Batch<H::SuccessorBatch>,
    next: Batch<H::SuccessorBatch>,
    /// The successors of the current batch by f. Written and read in place, word by word:
    /// writing a record in parts and then loading it with one wide load defeats store-to-load
    /// forwarding.
    by_f: SuccessorsByF,
    /// Successors to be inserted: index in the batch, mixed key, home line.
    pending_inserts: Vec<(u32, P::Key, usize)>,
}

/// Parents and their successors.
struct Batch<B> {
    parents: Vec<Parent>,
    /// One bit for each parent that turned out to be a duplicate.
    duplicates: u64,
    /// Boxed, so that two batches can be swapped.
    successors: Box<B>,
}

impl<B: Default> Batch<B> {
    fn with_capacity(capacity: usize) -> Self {
        const { assert!(BATCH <= u64::BITS as usize) };
        Self { parents: Vec::with_capacity(capacity), duplicates: 0, successors: Box::default() }
    }

    fn clear(&mut self) {
        self.parents.clear();
        self.duplicates = 0;
    }
}

impl<P: Puzzle, H: Heuristic<P>> Default for LazyState<P, H> {
    fn default() -> Self {
        let capacity = if H::STORES_STATES { BATCH } else { 0 };
        Self {
            keys: Vec::with_capacity(capacity),
            now: Batch::with_capacity(capacity),
            next: Batch::with_capacity(capacity),
            by_f: SuccessorsByF::default(),
            pending_inserts: Vec::with_capacity(4 * capacity),
        }
    }
}

/// Why a payload contains its state.
const STORES_STATES: &str = "payloads contain states";

impl<'m, P: Puzzle, H: Heuristic<P>, E: Entry<H::Payload>> Worker<'_, '_, 'm, P, H, E> {
    /// Prefetches the slots of the popped states in the range `states`, or the home lines of
    /// those that are deferred.
    #[inline]
    pub(super) fn prefetch_lazy(&mut self, table: &impl Access<P::Key>, states: Range<usize>) {
        let Problem { puzzle, heuristic, .. } = self.search.problem;
        if states.start == 0 {
            self.lazy.keys.clear();
        }
        for entry in &self.popped[states] {
            let mut mixed = bytemuck::Zeroable::zeroed();
            if deferred(entry.slot()).is_some() {
                let state = heuristic.state_of(&entry.payload()).expect(STORES_STATES);
                mixed = puzzle.pack(&state).mix(puzzle.key_bits());
                table.prefetch(mixed);
            } else {
                table.prefetch_slot(entry.slot());
            }
            self.lazy.keys.push(mixed);
        }
    }

    /// Expands the popped states in the range `batch`, which come from one bucket.
    #[inline]
    pub(super) fn expand_lazy(
        &mut self,
        table: &mut impl Access<P::Key>,
        batch: Range<usize>,
        bucket: &Bucket,
    ) -> Result<(), Halt> {
        let first = batch.start;
        let done = self.insert_parents(table, batch, bucket).and_then(|()| {
            prepare(self.search.problem, &mut self.lazy.now, &self.popped);
            self.classify(bucket)?;
            self.emit_successors(table, bucket)
        });
        // Successors that were inserted before the failure are duplicates when the parents are
        // expanded again.
        done.inspect_err(|_| self.requeue(first, bucket))
    }

    /// Expands the popped states, which are one batch, on a single worker. Continues with the
    /// successors of equal f as long as [`Self::may_chain`] allows it.
    pub(super) fn expand_chained(
        &mut self,
        table: &mut impl Access<P::Key>,
        mut bucket: Bucket,
        max_pushes: usize,
    ) -> Result<(), Halt> {
        let problem = self.search.problem;
        let shared = &mut *self.search.shared.lock();
        let all = self.popped.len();
        self.insert_parents(table, 0..all, &bucket).inspect_err(|_| self.requeue(0, &bucket))?;
        prepare(problem, &mut self.lazy.now, &self.popped);
        while self
            .advance_chain(table, shared, &bucket, max_pushes)
            .inspect_err(|_| self.requeue_popped(&bucket))?
        {
            swap(&mut self.popped, &mut self.push_nearby[0]);
            self.push_nearby[0].clear();
            swap(&mut self.lazy.now, &mut self.lazy.next);
            bucket.column += 1;
            self.push_base.1 += 1;
        }
        Ok(())
    }

    /// Handles the successors of the current batch, which are prepared. Returns whether those
    /// of equal f became the next batch, with prepared successors of their own.
    #[inline(always)]
    fn advance_chain(
        &mut self,
        table: &mut impl Access<P::Key>,
        shared: &mut Shared<'m, P::Key, E>,
        bucket: &Bucket,
        max_pushes: usize,
    ) -> Result<bool, Halt> {
        self.classify(bucket)?;
        let chains = self.may_chain(shared, bucket, max_pushes);
        if chains {
            self.chain_batch(table, shared, bucket)?;
        } else {
            self.emit_successors(table, bucket)?;
        }
        Ok(chains)
    }

    /// Selects the states of a batch that are to be expanded, and inserts the deferred ones.
    #[inline(always)]
    fn insert_parents(
        &mut self,
        table: &mut impl Access<P::Key>,
        batch: Range<usize>,
        bucket: &Bucket,
    ) -> Result<(), Halt> {
        let cost = bucket.column as u32;
        let LazyState { keys, now, .. } = &mut self.lazy;
        now.clear();
        for index in batch {
            let entry = &mut self.popped[index];
            let last = match deferred(entry.slot()) {
                Some(step) => {
                    let insert = table.insert(keys[index], cost, step);
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
                    let stored = table.content(entry.slot());
                    if stored.cost != cost {
                        // Stale: a cheaper path was found, and it has an entry of its own.
                        continue;
                    }
                    (cost > 0).then_some(Move(stored.step))
                }
            };
            now.parents.push(Parent { index: index as u32, last });
        }
        Ok(())
    }

    /// Finishes the estimates of the successors and groups them by f.
    #[inline(never)]
    fn classify(&mut self, bucket: &Bucket) -> Result<(), Halt> {
        let LazyState { now: Batch { parents, duplicates, successors }, by_f, .. } = &mut self.lazy;
        self.search.problem.heuristic.finish_batch(successors);
        let estimates = successors.estimates();
        let cost = bucket.column as u32 + 1;
        // All successors have the same g, so h determines f.
        let end = if cost < self.search.cost_limit { bucket.limit as u32 } else { 0 }.saturating_sub(cost);
        let same_h = (bucket.level - bucket.column - 1) as u32;
        let next_h = if bucket.defers { same_h + F_STEP as u32 } else { u32::MAX };
        *by_f = SuccessorsByF::default();
        let mut generated = 0;
        for (word, estimates) in estimates.chunks(WORD).enumerate() {
            let (mut same, mut next, mut pruned) = (0, 0, 0);
            for (&estimate, bit) in estimates.iter().zip(0..) {
                same |= u64::from(estimate == same_h) << bit;
                next |= u64::from(estimate == next_h) << bit;
                pruned |= u64::from(estimate >= end) << bit;
            }
            let mut all = u64::MAX >> (WORD - estimates.len());
            if *duplicates != 0 {
                for bit in 0..estimates.len() {
                    all &= !((*duplicates >> (successors.parent(word * WORD + bit) % 64) & 1) << bit);
                }
            }
            generated += all.count_ones();
            pruned &= all;
            all &= !pruned;
            while pruned != 0 {
                let estimate = estimates[pruned.trailing_zeros() as usize % WORD];
                if !matches!(self.search.placement(bucket, cost, estimate), Placement::Pruned) {
                    return Err(Halt::Full);
                }
                pruned &= pruned - 1;
            }
            by_f.same_f.0[word] = all & same;
            by_f.next_f.0[word] = all & next;
            by_f.rest.0[word] = all & !same & !next;
        }
        self.statistics.expanded += parents.len() as u64 - u64::from(duplicates.count_ones());
        self.statistics.generated += u64::from(generated);
        Ok(())
    }

    /// Returns whether the successors of equal f can be expanded next without passing through
    /// the open list.
    #[inline(always)]
    fn may_chain(&self, shared: &Shared<'m, P::Key, E>, bucket: &Bucket, max_pushes: usize) -> bool {
        let by_f = &self.lazy.by_f;
        let (same, next) = (by_f.same_f.len(), by_f.next_f.len());
        same > 0
            && same <= BATCH
            && by_f.rest.is_empty()
            && self.push_count == 0
            && self.nodes() + ((same + next) as i64) < max_new(bucket)
            // None of them is a goal.
            && bucket.level > bucket.column + 1
            && shared.statistics.stored + self.statistics.stored < shared.capacity
            && shared.open.free_chunks() >= 2 * max_pushes
    }

    /// Makes the successors of equal f the next batch. Prefetches everything they need, and
    /// only then inserts them into the table.
    #[inline(never)]
    fn chain_batch(
        &mut self,
        table: &mut impl Access<P::Key>,
        shared: &mut Shared<'m, P::Key, E>,
        bucket: &Bucket,
    ) -> Result<(), Halt> {
        let Problem { puzzle, heuristic, .. } = self.search.problem;
        let (cost, bits) = (bucket.column as u32 + 1, puzzle.key_bits());
        let estimate = (bucket.level - bucket.column - 1) as u32;
        let LazyState { now: Batch { successors, .. }, next, by_f, pending_inserts, .. } = &mut self.lazy;
        let chained = &mut self.push_nearby[0];
        pending_inserts.clear();
        chained.clear();
        next.clear();
        let is_prepared = prepare_selected(heuristic, successors, &by_f.same_f, &mut next.successors);
        by_f.same_f.for_each(|at| {
            let mixed = puzzle.pack(&successors.state(at)).mix(bits);
            let (index, last) = (chained.len() as u32, Some(successors.step(at)));
            push_within_capacity(pending_inserts, || (at as u32, mixed, table.prefetch(mixed)));
            push_within_capacity(&mut next.parents, || Parent { index, last });
            push_within_capacity(chained, || E::new(0, cost, estimate, successors.payload(at)));
        });
        if !is_prepared {
            prepare(self.search.problem, next, chained);
        }
        // Push the deferred successors while the prefetches are under way.
        let count = by_f.next_f.len();
        self.deferred += count as i64;
        let mut deferred_left = by_f.next_f.iter();
        let make = |entries: &mut [E]| {
            let mut left = deferred_left;
            for entry in entries {
                let at = left.pop_first();
                *entry = E::new(
                    defer(successors.step(at).0),
                    cost,
                    estimate + F_STEP as u32,
                    successors.payload(at),
                );
            }
            deferred_left = left;
        };
        shared.open.push_with(bucket.level + F_STEP, bucket.column + 1, count, make).expect(CHUNKS_RESERVED);
        for (index, &(at, mixed, home)) in pending_inserts.iter().enumerate() {
            match table.insert_from(home, mixed, cost, successors.step(at as usize).0) {
                Insert::Seen => next.duplicates |= 1 << index,
                Insert::Better(slot) => chained[index].set_slot(slot),
                Insert::New(slot) => {
                    chained[index].set_slot(slot);
                    self.statistics.stored += 1;
                }
                Insert::Full => {
                    // States inserted so far are duplicates when they are generated again.
                    chained.truncate(index);
                    remove_duplicates(chained, next.duplicates);
                    self.push_count += chained.len();
                    return Err(Halt::Full);
                }
            }
        }
        Ok(())
    }

    /// Inserts the successors that are not deferred into the table and buffers their pushes.
    /// Deferred ones are only pushed.
    #[inline(never)]
    fn emit_successors(&mut self, table: &mut impl Access<P::Key>, bucket: &Bucket) -> Result<(), Halt> {
        let Problem { puzzle, .. } = self.search.problem;
        let (cost, bits) = (bucket.column as u32 + 1, puzzle.key_bits());
        let same_h = (bucket.level - bucket.column - 1) as u32;
        let LazyState { now: Batch { successors, .. }, by_f, pending_inserts, .. } = &mut self.lazy;
        pending_inserts.clear();
        for selection in [&by_f.same_f, &by_f.rest] {
            selection.for_each(|at| {
                let mixed = puzzle.pack(&successors.state(at)).mix(bits);
                push_within_capacity(pending_inserts, || (at as u32, mixed, table.prefetch(mixed)));
            });
        }
        self.push_count += by_f.next_f.len();
        self.deferred += by_f.next_f.len() as i64;
        let deferred = &mut self.push_nearby[F_STEP];
        deferred.reserve(by_f.next_f.len());
        by_f.next_f.for_each(|at| {
            push_within_capacity(deferred, || {
                E::new(defer(successors.step(at).0), cost, same_h + F_STEP as u32, successors.payload(at))
            });
        });
        let (max_new, estimates) = (max_new(bucket), successors.estimates());
        let mut halt = Ok(());
        for &(at, mixed, home) in &*pending_inserts {
            let at = at as usize;
            let (step, estimate) = (successors.step(at), estimates[at]);
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
            if estimate == 0 && puzzle.is_goal(&successors.state(at)) {
                if self.goal.is_none_or(|(best, _)| cost < best) {
                    self.goal = Some((cost, mixed));
                }
            } else {
                let make = || E::new(slot, cost, estimate, successors.payload(at));
                buffer_push(
                    &mut self.push_nearby,
                    &mut self.push_runs,
                    self.push_base,
                    cost + estimate,
                    make,
                );
                self.push_count += 1;
            }
            if self.statistics.stored as i64 + self.deferred >= max_new {
                break;
            }
        }
        if halt.is_ok() && self.nodes() >= max_new {
            halt = Err(Halt::Nodes);
        }
        halt
    }

    /// Requeues the popped states except duplicates.
    fn requeue_popped(&mut self, bucket: &Bucket) {
        remove_duplicates(&mut self.popped, self.lazy.now.duplicates);
        self.requeue(0, bucket);
    }
}

/// Removes the entries whose bit in `duplicates` is set.
fn remove_duplicates<E>(entries: &mut Vec<E>, duplicates: u64) {
    let mut rest = duplicates;
    entries.retain(|_| {
        let is_duplicate = rest & 1 == 1;
        rest >>= 1;
        !is_duplicate
    });
}

/// Returns the number of states that may still be stored or deferred.
#[inline(always)]
fn max_new(bucket: &Bucket) -> i64 {
    bucket.max_new.min(i64::MAX as u64) as i64
}

/// Prepares the successors of a batch, whose parents are in `entries`.
#[inline(never)]
fn prepare<P: Puzzle, H: Heuristic<P>, E: Entry<H::Payload>>(
    Problem { puzzle, heuristic, .. }: Problem<'_, P, H>,
    batch: &mut Batch<H::SuccessorBatch>,
    entries: &[E],
) {
    let payload = |index| entries[index as usize].payload_ref();
    heuristic.successors(puzzle, &batch.parents, payload, &mut batch.successors);
}

/// Prepares the successors of the `selected` states of a finished batch, if the heuristic
/// supports it. Returns whether it did.
#[inline(never)]
fn prepare_selected<P: Puzzle, H: Heuristic<P>>(
    heuristic: &H,
    successors: &H::SuccessorBatch,
    selected: &Selection,
    next: &mut H::SuccessorBatch,
) -> bool {
    heuristic.successors_of(successors, selected.0, next)
}

/// The successors of a batch, grouped by f.
#[derive(Default)]
struct SuccessorsByF {
    /// f of the parents.
    same_f: Selection,
    /// The next possible f; deferred.
    next_f: Selection,
    /// Any other f, or not deferred.
    rest: Selection,
}

/// Difference between consecutive f values: a move changes g by one and h by one.
const F_STEP: usize = 2;

#[cfg(test)]
mod tests {
    use crate::heuristic::Manhattan;
    use crate::memory::Region;
    use crate::memory::arena::Arena;
    use crate::pdb::PatternDatabases;
    use crate::pdb::{FullPayload, Library, Partition};
    use crate::puzzle::Puzzle;
    use crate::puzzle::tiles::{Goal, Size, Tiles};
    use crate::search::astar::test_support::{SEED, random_walk};
    use crate::search::astar::{WhenFull, solve};
    use crate::search::{Ending, Limits, Order, Problem, SpawnThreads};

    /// Lazy insertion finds solutions as short as those of eager insertion, with any number of
    /// growths and threads, with and without a frozen table.
    #[test]
    fn lazy_insertion_finds_shortest_solutions() {
        let (size, partition) = (Size::new(4, 4).unwrap(), "5-5-5".parse::<Partition>().unwrap());
        let goal = Goal::BlankLast.board(size).unwrap().into_owned();
        let puzzle = Tiles::<u64>::new(&goal).unwrap();
        let mut library = Library::default();
        assert!(library.fetch(&partition, size, puzzle.goal_blank(), 2, &|_| true).unwrap());
        let heuristic = PatternDatabases::<3, 2, FullPayload>::new(&puzzle, &partition, &library).unwrap();
        let (mut random, mut fell_back, mut deferred) = (SEED, 0, 0);
        for board in 0..10 {
            let start = random_walk(&puzzle, puzzle.state(&goal), 100 + 10 * board, &mut random);
            let limits = Limits::default();
            let mut arena = Arena::new(256 << 20, 1 << 20).unwrap();
            let mut region = Region::zeroed(arena.divide(&[]).remove(0));
            let reference = Problem { puzzle: &puzzle, heuristic: &Manhattan::new(&puzzle), start };
            let reference = solve(
                reference,
                Order::ASTAR,
                &limits,
                &mut region,
                &SpawnThreads(2),
                WhenFull::FallBackToDfs,
            );
            let Ending::Solved { path: reference, .. } = reference.ending else {
                panic!("board {board} is solved")
            };
            // 10 MiB leave some states deferred when memory is full.
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
                assert_eq!(path.len(), reference.len(), "board {board}, {bytes} bytes, {threads} threads");
                fell_back += u32::from(found.statistics.fell_back && bytes == 10 << 20);
                deferred += u32::from(found.statistics.stored < found.statistics.generated / 4 * 3);
            }
        }
        assert!(fell_back > 0 && deferred > 5, "{fell_back} {deferred}");
    }
}
