//! The node loop.

use super::Entry;
use super::engine::{BestFirst, Desk, End};
use crate::heuristic::{EXPANSION_BATCH, Heuristic};
use crate::memory::Key;
use crate::memory::visited::{Access, Insert};
use crate::puzzle::{Move, Puzzle};
use crate::search::astar::lazy::KeptStates;
use crate::search::bounded_dfs::DepthFirst;
use crate::search::{Statistics, Stop};
use parking_lot::MutexGuard;
use std::sync::atomic::Ordering;

/// States expanded together.
pub(super) const HANDFUL: usize = EXPANSION_BATCH;

/// States taken from the open list at once: a handful by a worker who is alone,
/// so that the best always comes first; more among others, so that the desk is
/// free most of the time.
const PORTION_ALONE: usize = HANDFUL;
const PORTION_AMONG_OTHERS: usize = 8 * HANDFUL;

/// A search with so many states is large: it does not matter much which state
/// comes first, and memory is far away.
const LARGE: u64 = 1 << 18;

/// Successors under way at once.
const CHILDREN: usize = 128;

/// Successors on their way into the open list at once, and so the chunks that
/// they may need at most.
pub(super) const PUSHES_ALONE: usize = CHILDREN;
pub(super) const PUSHES_AMONG_OTHERS: usize = 4 * CHILDREN;

/// Handfuls between two looks at the clock.
const BETWEEN_LOOKS: u32 = 64;

/// Why a worker came back from its loop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Flow {
    /// The search is over.
    Over,
    /// Somebody would help.
    Paused,
    /// The table or the open list was full at this version.
    Full(u64),
    /// No part of a growth's phase is left.
    Grown,
    /// Somebody wants to replace the table.
    LetGo,
    /// There is nothing to do now.
    Idle,
}

/// A successor on its way into the table. Its estimate may be on its way, too.
struct Child<K, M> {
    mixed: K,
    memo: M,
    cost: u32,
    step: u32,
    /// Its parent's place in the portion.
    parent: u32,
}

/// Entries on their way into one bucket of the open list.
pub(super) struct Run<E> {
    level: u32,
    column: u32,
    entries: Vec<E>,
}

/// One thread's part of a search. It holds nothing between two loops.
pub(super) struct Worker<'w, 'a, 'm, P: Puzzle, H: Heuristic<P>, E: Entry<H::Payload>> {
    pub(super) search: &'w BestFirst<'a, 'm, P, H, E>,
    pub(super) portion: Vec<E>,
    children: Vec<Child<P::Key, H::Memo>>,
    pub(super) kept: KeptStates<P, H>,
    /// What goes into the open list at the portion's level or a little above it,
    /// where almost all goes; and the rest, by buckets.
    pub(super) near: [Vec<E>; NEAR],
    /// The portion's level, and the column of its successors.
    pub(super) base: (usize, usize),
    pub(super) runs: Vec<Run<E>>,
    pub(super) pushes: usize,
    pub(super) goal: Option<(u32, P::Key)>,
    pub(super) statistics: Statistics,
    /// States that were put into the open list alone, less those that were taken.
    pub(super) deferred: i64,
    looks: u32,
    pub(super) depth_first: DepthFirst<'a, P, H>,
}

impl<'w, 'a, 'm, P: Puzzle, H: Heuristic<P>, E: Entry<H::Payload>> Worker<'w, 'a, 'm, P, H, E> {
    pub(super) fn new(search: &'w BestFirst<'a, 'm, P, H, E>) -> Self {
        Self {
            search,
            portion: Vec::with_capacity(PORTION_AMONG_OTHERS),
            children: Vec::with_capacity(CHILDREN),
            kept: KeptStates::default(),
            near: std::array::from_fn(|_| Vec::with_capacity(CHILDREN)),
            base: (0, 0),
            runs: Vec::new(),
            pushes: 0,
            goal: None,
            statistics: Statistics::default(),
            deferred: 0,
            looks: 0,
            depth_first: DepthFirst::new(search.problem.puzzle, search.problem.heuristic),
        }
    }

    /// Expands states until something else must be done.
    pub(super) fn expand<A: Access<P::Key>>(&mut self, table: &mut A, has_idle: &impl Fn() -> bool) -> Flow {
        let search = self.search;
        let (portion, large_portion, pushes) = if A::IS_SHARED {
            (PORTION_AMONG_OTHERS, PORTION_AMONG_OTHERS, PUSHES_AMONG_OTHERS)
        } else if search.order.expands_singly() {
            (1, 1, PUSHES_ALONE)
        } else {
            (PORTION_ALONE, PORTION_AMONG_OTHERS, PUSHES_ALONE)
        };
        loop {
            self.portion.clear();
            let mut desk = search.desk.lock();
            self.flush_results(&mut desk);
            let version = desk.version;
            if search.waiting.load(Ordering::Relaxed) > 0 {
                return Flow::LetGo;
            }
            if let Some(flow) = self.look(&mut desk, has_idle) {
                return flow;
            }
            if desk.statistics.stored >= desk.room || desk.open.free_chunks() < (desk.present + 1) * pushes {
                return Flow::Full(version);
            }
            let limit = search.limit(&desk);
            let portion = if desk.statistics.stored < LARGE { portion } else { large_portion };
            let Some((level, column)) = desk.open.pop(limit, portion, &mut self.portion) else {
                return Flow::Idle;
            };
            let most = search.limits.max_nodes.unwrap_or(u64::MAX).saturating_sub(desk.nodes());
            let defers = search.may_defer && desk.growths_left > 0;
            drop(desk);
            search.limits.report_bound(level as u32);
            let bucket = Bucket { level, column, limit, most, defers };
            self.base = (level, if E::BY_COST { column + 1 } else { 0 });
            let goes_deep = !A::IS_SHARED && search.keeps_states && !search.order.is_textbook();
            let done = if goes_deep && self.portion.len() <= HANDFUL {
                self.prefetch(table, 0..self.portion.len());
                self.expand_deep(table, bucket, pushes)
            } else {
                self.expand_portion(table, bucket, pushes)
            };
            match done {
                Ok(()) => {}
                Err(Halt::Nodes) => {
                    let mut desk = search.desk.lock();
                    self.flush_results(&mut desk);
                    desk.stop = desk.stop.or(Some(Stop::Nodes));
                    search.end(&mut desk);
                }
                Err(Halt::Full) => {
                    if search.order.is_textbook() {
                        // The state is expanded again, and counted then.
                        (self.statistics.expanded, self.statistics.generated) = (0, 0);
                    }
                    self.flush_results(&mut search.desk.lock());
                    return Flow::Full(version);
                }
            }
        }
    }

    /// Expands the portion, handful by handful.
    fn expand_portion(
        &mut self,
        table: &mut impl Access<P::Key>,
        mut bucket: Bucket,
        pushes: usize,
    ) -> Result<(), Halt> {
        let all = self.portion.len();
        self.prefetch(table, 0..all.min(HANDFUL));
        for start in (0..all).step_by(HANDFUL) {
            let end = all.min(start + HANDFUL);
            self.prefetch(table, end..all.min(end + HANDFUL));
            if !self.search.keeps_states {
                self.expand_handful(table, start..end, &mut bucket, pushes)?;
                continue;
            }
            self.expand_kept(table, start..end, &bucket)?;
            if end < all {
                self.hand_over(&mut bucket, pushes);
            }
        }
        Ok(())
    }

    /// What must be done before another portion is taken.
    pub(super) fn look(
        &mut self,
        desk: &mut MutexGuard<'_, Desk<'m, P::Key, E>>,
        has_idle: &impl Fn() -> bool,
    ) -> Option<Flow> {
        if desk.done {
            return Some(Flow::Over);
        }
        self.looks = self.looks.wrapping_add(1);
        if self.looks % BETWEEN_LOOKS == 1 {
            if let Some(stop) = self.search.limits.reached(desk.nodes()) {
                desk.stop = Some(stop);
                self.search.end(desk);
                return Some(Flow::Over);
            }
            if has_idle() {
                return Some(Flow::Paused);
            }
        }
        None
    }

    /// Asks for the slots of some states of the portion.
    fn prefetch(&mut self, table: &impl Access<P::Key>, states: std::ops::Range<usize>) {
        if self.search.keeps_states {
            return self.prefetch_kept(table, states);
        }
        for entry in &self.portion[states] {
            table.prefetch_slot(entry.slot());
        }
    }

    /// Expands some states of the portion, all from one bucket.
    #[inline]
    fn expand_handful(
        &mut self,
        table: &mut impl Access<P::Key>,
        handful: std::ops::Range<usize>,
        bucket: &mut Bucket,
        pushes: usize,
    ) -> Result<(), Halt> {
        let search = self.search;
        let (puzzle, heuristic, order) = (search.problem.puzzle, search.problem.heuristic, search.order);
        let bits = puzzle.key_bits();
        let Bucket { level, column, .. } = *bucket;
        let (mut expanded, mut generated) = (0, 0);
        for parent in handful {
            let entry = self.portion[parent];
            let known = table.content(entry.slot());
            let cost = entry.cost(column);
            if known.cost != cost {
                // A cheaper way was found meanwhile and has an entry of its own.
                continue;
            }
            let state = heuristic
                .state_of(&entry.payload())
                .unwrap_or_else(|| puzzle.unpack(known.mixed.unmix(bits)));
            let memo = if E::BY_COST && !order.weighs_estimates() {
                heuristic.evaluate(puzzle, &state)
            } else {
                heuristic.restore(puzzle, &state, entry.estimate(level, column), entry.payload())
            };
            expanded += 1;
            let last = (cost > 0).then_some(Move(known.step));
            let cost_after = order.cost_after(cost);
            for step in puzzle.moves(&state, last) {
                generated += 1;
                let memo = heuristic.prepare(puzzle, &memo, &state, step);
                // What can be told now is told now; what is far away is asked for
                // together with the place in the table.
                if !H::PREFETCHED {
                    match self.search.verdict(bucket, cost_after, heuristic.estimate(&memo)) {
                        Verdict::Level(_) => {}
                        Verdict::Useless => continue,
                        Verdict::NoPlace => {
                            self.insert(table, bucket)?;
                            self.put_back(parent, bucket);
                            return Err(Halt::Full);
                        }
                    }
                }
                if self.children.len() == CHILDREN {
                    self.make_way(table, bucket, pushes)?;
                }
                let mixed = puzzle.pack(&puzzle.apply(&state, step)).mix(bits);
                table.prefetch(mixed);
                self.children.push(Child {
                    mixed,
                    memo,
                    cost: cost_after,
                    step: step.0,
                    parent: parent as u32,
                });
            }
        }
        let done = self.make_way(table, bucket, pushes);
        // A single state that found the table full is expanded again in a larger one.
        if !order.expands_singly() || !matches!(done, Err(Halt::Full)) {
            self.statistics.expanded += expanded;
            self.statistics.generated += generated;
        }
        done
    }

    /// Puts the children into the table, and hands over what goes into the open
    /// list if much has come together.
    #[inline]
    fn make_way(
        &mut self,
        table: &mut impl Access<P::Key>,
        bucket: &mut Bucket,
        pushes: usize,
    ) -> Result<(), Halt> {
        self.insert(table, bucket)?;
        self.hand_over(bucket, pushes);
        Ok(())
    }

    /// Hands over what goes into the open list if much has come together.
    #[inline]
    fn hand_over(&mut self, bucket: &mut Bucket, pushes: usize) {
        if self.pushes + CHILDREN > pushes {
            bucket.most = bucket.most.saturating_add_signed(-self.nodes());
            self.flush_results(&mut self.search.desk.lock());
        }
    }

    /// Puts the children into the table, and those that are new or cheaper on
    /// the way into the open list.
    #[inline]
    fn insert(&mut self, table: &mut impl Access<P::Key>, bucket: &Bucket) -> Result<(), Halt> {
        let search = self.search;
        let (puzzle, heuristic) = (search.problem.puzzle, search.problem.heuristic);
        let mut halt = None;
        let mut stored = self.statistics.stored;
        self.children.iter_mut().for_each(|child| heuristic.resolve(&mut child.memo));
        for child in &self.children {
            let mut memo = child.memo;
            heuristic.finish(&mut memo);
            let estimate = heuristic.estimate(&memo);
            let level = match self.search.verdict(bucket, child.cost, estimate) {
                Verdict::Level(level) => level,
                Verdict::Useless => continue,
                Verdict::NoPlace => {
                    // Those before it are kept.
                    halt = Some((child.parent as usize, Halt::Full));
                    break;
                }
            };
            let slot = match table.insert(child.mixed, child.cost, child.step) {
                Insert::Seen => continue,
                Insert::Full => {
                    halt = Some((child.parent as usize, Halt::Full));
                    break;
                }
                Insert::Better(slot) => slot,
                Insert::New(slot) => {
                    stored += 1;
                    slot
                }
            };
            if estimate == 0 && puzzle.is_goal(&puzzle.unpack(child.mixed.unmix(puzzle.key_bits()))) {
                if self.goal.is_none_or(|(cost, _)| child.cost < cost) {
                    self.goal = Some((child.cost, child.mixed));
                }
            } else {
                self.pushes += 1;
                let make = || E::new(slot, child.cost, estimate, heuristic.payload(&memo));
                send(&mut self.near, &mut self.runs, self.base, level, make);
            }
            if stored >= bucket.most {
                halt = Some((child.parent as usize, Halt::Nodes));
                break;
            }
        }
        self.statistics.stored = stored;
        self.children.clear();
        let Some((parent, halt)) = halt else { return Ok(()) };
        self.put_back(parent, bucket);
        Err(halt)
    }

    /// Puts the portion from `parent` on, whose successors are not all stored,
    /// on the way back into the open list.
    pub(super) fn put_back(&mut self, parent: usize, bucket: &Bucket) {
        let entries = &self.portion[parent..];
        self.pushes += entries.len();
        run(&mut self.runs, bucket.level as u32, bucket.column as u32).extend_from_slice(entries);
    }

    /// States that this worker has stored or found for later, since it was at the
    /// desk.
    #[inline(always)]
    pub(super) fn nodes(&self) -> i64 {
        self.statistics.stored as i64 + self.deferred
    }

    /// Hands over what this worker did and found.
    pub(super) fn flush_results(&mut self, desk: &mut MutexGuard<'_, Desk<'m, P::Key, E>>) {
        let search = self.search;
        if self.pushes > 0 {
            let (base, column) = self.base;
            for (level, entries) in (base..).zip(&mut self.near) {
                if !entries.is_empty() {
                    desk.open.push_all(level, column, entries).expect(RESERVED);
                    entries.clear();
                }
            }
            for Run { level, column, entries } in &mut self.runs {
                desk.open.push_all(*level as usize, *column as usize, entries).expect(RESERVED);
                entries.clear();
            }
            self.pushes = 0;
            if self.runs.len() > MOST_RUNS {
                self.runs.clear();
            }
        }
        desk.statistics += std::mem::take(&mut self.statistics);
        desk.deferred = desk.deferred.saturating_add_signed(std::mem::take(&mut self.deferred));
        if let Some((cost, mixed)) = self.goal.take() {
            search.improve(desk, cost, End::InTable(mixed));
        }
        if desk.idle > 0 {
            search.arrivals.notify_all();
        }
    }
}

impl<P: Puzzle, H: Heuristic<P>, E: Entry<H::Payload>> BestFirst<'_, '_, P, H, E> {
    /// Whether a successor is good enough, and where it belongs.
    #[inline(always)]
    pub(super) fn verdict(&self, bucket: &Bucket, cost: u32, estimate: u32) -> Verdict {
        let priority = self.order.priority(cost, estimate);
        // No limit is above the levels that there are.
        if (priority as usize) < bucket.limit && cost < self.costs_end {
            return Verdict::Level(priority);
        }
        let has_level = (priority as usize) < self.layout.shape.levels;
        if priority as usize >= bucket.limit && (has_level || self.levels_suffice) {
            Verdict::Useless
        } else {
            Verdict::NoPlace
        }
    }
}

/// Levels from the portion's on that have a list of their own.
const NEAR: usize = 3;

/// Why there is always a chunk.
pub(super) const RESERVED: &str = "chunks are reserved before states are taken";

/// Buckets that a worker remembers.
const MOST_RUNS: usize = 16;

/// Puts an entry of a level on the way into the open list.
#[inline(always)]
pub(super) fn send<E>(
    near: &mut [Vec<E>; NEAR],
    runs: &mut Vec<Run<E>>,
    base: (usize, usize),
    level: u32,
    make: impl FnOnce() -> E,
) {
    let list = match near.get_mut((level as usize).wrapping_sub(base.0)) {
        Some(near) => near,
        None => run(runs, level, base.1 as u32),
    };
    list.reserve(1);
    push(list, make);
}

/// Makes an entry at the end of a list, for which there is room: it need not be put
/// aside while room is made.
#[inline(always)]
pub(super) fn push<E>(list: &mut Vec<E>, make: impl FnOnce() -> E) {
    assert!(list.len() < list.capacity());
    list.push(make());
}

/// The entries on their way into a bucket.
#[inline]
fn run<E>(runs: &mut Vec<Run<E>>, level: u32, column: u32) -> &mut Vec<E> {
    let known = runs.iter().position(|run| run.level == level && run.column == column);
    let index = known.unwrap_or_else(|| {
        // A run that is empty can serve another bucket.
        let index = runs.iter().position(|run| run.entries.is_empty()).unwrap_or_else(|| {
            runs.push(Run { level, column, entries: Vec::with_capacity(CHILDREN) });
            runs.len() - 1
        });
        (runs[index].level, runs[index].column) = (level, column);
        index
    });
    &mut runs[index].entries
}

/// Where a portion came from, and what its successors must keep to.
#[derive(Clone, Copy)]
pub(super) struct Bucket {
    pub(super) level: usize,
    pub(super) column: usize,
    /// States of this level or above need not be looked at.
    pub(super) limit: usize,
    /// States that may still be stored.
    pub(super) most: u64,
    /// Whether states of other levels go into the open list alone.
    pub(super) defers: bool,
}

/// What is to be done with a successor.
pub(super) enum Verdict {
    /// It belongs into this level of the open list.
    Level(u32),
    /// It leads to nothing better than what is known.
    Useless,
    /// It may be of use, but there is no place for it.
    NoPlace,
}

/// Why a handful was not expanded to its end.
pub(super) enum Halt {
    /// The table is full.
    Full,
    /// Enough states are stored.
    Nodes,
}
