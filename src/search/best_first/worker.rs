//! The node loop.

use super::Entry;
use super::engine::{BestFirst, Desk, End};
use crate::heuristic::Heuristic;
use crate::memory::Key;
use crate::memory::visited::{Access, Insert};
use crate::puzzle::{Move, Puzzle};
use crate::search::depth_first::DepthFirst;
use crate::search::{Statistics, Stop};
use parking_lot::MutexGuard;
use std::sync::atomic::Ordering;

/// States taken from the open list at once.
const HANDFUL: usize = 32;

/// Successors under way at once.
pub(super) const CHILDREN: usize = 128;

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
    /// Somebody wants to replace the table.
    LetGo,
    /// There is nothing to do now.
    Idle,
}

/// A successor on its way into the table.
struct Child<K, C> {
    mixed: K,
    cost: u32,
    estimate: u32,
    level: u32,
    step: u32,
    /// Its parent's place in the handful.
    parent: u32,
    is_goal: bool,
    carry: C,
}

/// An entry on its way into the open list.
struct Push<E> {
    level: u32,
    column: u32,
    entry: E,
}

/// One thread's part of a search. It holds nothing between two loops.
pub(super) struct Worker<'w, 'a, 'm, P: Puzzle, H: Heuristic<P>, E: Entry<H::Carry>> {
    pub(super) search: &'w BestFirst<'a, 'm, P, H, E>,
    pub(super) handful: Vec<E>,
    children: Vec<Child<P::Key, H::Carry>>,
    pushes: Vec<Push<E>>,
    goal: Option<(u32, P::Key)>,
    pub(super) statistics: Statistics,
    looks: u32,
    pub(super) depth_first: DepthFirst<'a, P, H>,
}

impl<'w, 'a, 'm, P: Puzzle, H: Heuristic<P>, E: Entry<H::Carry>> Worker<'w, 'a, 'm, P, H, E> {
    pub(super) fn new(search: &'w BestFirst<'a, 'm, P, H, E>) -> Self {
        Self {
            search,
            handful: Vec::with_capacity(HANDFUL),
            children: Vec::with_capacity(CHILDREN),
            pushes: Vec::with_capacity(CHILDREN + HANDFUL),
            goal: None,
            statistics: Statistics::default(),
            looks: 0,
            depth_first: DepthFirst::new(search.problem.puzzle, search.problem.heuristic),
        }
    }

    /// Expands states until something else must be done.
    pub(super) fn expand(&mut self, table: &mut impl Access<P::Key>, wants_in: &impl Fn() -> bool) -> Flow {
        let search = self.search;
        loop {
            if search.waiting.load(Ordering::Relaxed) > 0 {
                return Flow::LetGo;
            }
            let mut desk = search.desk.lock();
            if let Some(flow) = self.look(&mut desk, wants_in) {
                return flow;
            }
            let version = desk.version;
            if desk.statistics.stored >= desk.room
                || desk.open.free_chunks() < (desk.present + 1) * super::layout::RESERVE
            {
                return Flow::Full(version);
            }
            let limit = search.limit(&desk);
            self.handful.clear();
            let Some((level, column)) = desk.open.pop(limit, HANDFUL, &mut self.handful) else {
                return Flow::Idle;
            };
            let most = search.limits.max_nodes.unwrap_or(u64::MAX).saturating_sub(desk.statistics.stored);
            drop(desk);
            let flow = self.expand_handful(table, level, column, limit, most);
            let mut desk = search.desk.lock();
            self.settle(&mut desk);
            match flow {
                Ok(()) => {}
                Err(Halt::Nodes) => {
                    desk.stop = desk.stop.or(Some(Stop::Nodes));
                    search.end(&mut desk);
                }
                Err(Halt::Full) => return Flow::Full(version),
            }
        }
    }

    /// What must be done before another handful is taken.
    pub(super) fn look(
        &mut self,
        desk: &mut MutexGuard<'_, Desk<'m, P::Key, E>>,
        wants_in: &impl Fn() -> bool,
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
            if wants_in() {
                return Some(Flow::Paused);
            }
        }
        None
    }

    /// Expands the handful, all of one level and column.
    #[inline]
    fn expand_handful(
        &mut self,
        table: &mut impl Access<P::Key>,
        level: usize,
        column: usize,
        limit: usize,
        mut most: u64,
    ) -> Result<(), Halt> {
        let search = self.search;
        let (puzzle, heuristic, order) = (search.problem.puzzle, search.problem.heuristic, search.order);
        let bits = puzzle.key_bits();
        let levels = search.layout.shape.levels;
        let costs_end = 1u32 << search.layout.tables[0].fields.cost.min(31);
        for entry in &self.handful {
            table.prefetch_slot(entry.slot());
        }
        for parent in 0..self.handful.len() {
            let entry = self.handful[parent];
            let known = table.known(entry.slot());
            let cost = entry.cost(column);
            if known.cost != cost {
                // A cheaper way was found meanwhile and has an entry of its own.
                continue;
            }
            let state = puzzle.unpack(known.mixed.unmix(bits));
            let memo = if E::BY_COST && !order.weighs_estimates() {
                heuristic.evaluate(puzzle, &state)
            } else {
                heuristic.resume(puzzle, &state, entry.estimate(level, column), entry.carry())
            };
            self.statistics.expanded += 1;
            let last = (cost > 0).then_some(Move(known.step));
            for step in puzzle.moves(&state, last) {
                self.statistics.generated += 1;
                let memo = heuristic.update(puzzle, &memo, &state, step);
                let estimate = heuristic.estimate(&memo);
                let priority = order.priority(cost + 1, estimate);
                let has_level = (priority as usize) < levels;
                if priority as usize >= limit && (has_level || search.levels_suffice) {
                    continue;
                }
                if !has_level || cost + 1 >= costs_end {
                    // There is no place for this one. Those before it are kept.
                    self.insert(table, level, column, most)?;
                    self.put_back(parent, level, column);
                    return Err(Halt::Full);
                }
                let child = puzzle.apply(&state, step);
                let mixed = puzzle.pack(&child).mix(bits);
                table.prefetch(mixed);
                let is_goal = estimate == 0 && puzzle.is_goal(&child);
                if self.children.len() == CHILDREN {
                    self.insert(table, level, column, most)?;
                    most -= self.statistics.stored;
                    self.settle(&mut search.desk.lock());
                }
                self.children.push(Child {
                    mixed,
                    cost: cost + 1,
                    estimate,
                    level: priority,
                    step: step.0,
                    parent: parent as u32,
                    is_goal,
                    carry: heuristic.carry(&memo),
                });
            }
        }
        self.insert(table, level, column, most)
    }

    /// Puts the children into the table, and those that are new or cheaper on
    /// the way into the open list.
    #[inline]
    fn insert(
        &mut self,
        table: &mut impl Access<P::Key>,
        level: usize,
        column: usize,
        most: u64,
    ) -> Result<(), Halt> {
        let mut halt = None;
        for child in &self.children {
            let slot = match table.insert(child.mixed, child.cost, child.step) {
                Insert::Seen => continue,
                Insert::Full => {
                    halt = Some((child.parent as usize, Halt::Full));
                    break;
                }
                Insert::Better(slot) => slot,
                Insert::New(slot) => {
                    self.statistics.stored += 1;
                    slot
                }
            };
            if child.is_goal {
                if self.goal.is_none_or(|(cost, _)| child.cost < cost) {
                    self.goal = Some((child.cost, child.mixed));
                }
            } else {
                let column = if E::BY_COST { child.cost } else { 0 };
                let entry = E::new(slot, child.cost, child.estimate, child.carry);
                self.pushes.push(Push { level: child.level, column, entry });
            }
            if self.statistics.stored >= most {
                halt = Some((child.parent as usize, Halt::Nodes));
                break;
            }
        }
        self.children.clear();
        let Some((parent, halt)) = halt else { return Ok(()) };
        self.put_back(parent, level, column);
        Err(halt)
    }

    /// Puts the handful from `parent` on, whose successors are not all stored,
    /// on the way back into the open list.
    fn put_back(&mut self, parent: usize, level: usize, column: usize) {
        let (level, column) = (level as u32, column as u32);
        self.pushes.extend(self.handful[parent..].iter().map(|&entry| Push { level, column, entry }));
    }

    /// Hands over what this worker did and found.
    pub(super) fn settle(&mut self, desk: &mut MutexGuard<'_, Desk<'m, P::Key, E>>) {
        let search = self.search;
        for Push { level, column, entry } in self.pushes.drain(..) {
            desk.open
                .push(level as usize, column as usize, entry)
                .expect("chunks are reserved before states are taken");
        }
        desk.statistics += std::mem::take(&mut self.statistics);
        if let Some((cost, mixed)) = self.goal.take() {
            search.improve(desk, cost, End::InTable(mixed));
        }
        if desk.idle > 0 {
            search.arrivals.notify_all();
        }
    }
}

/// Why a handful was not expanded to its end.
enum Halt {
    /// The table is full.
    Full,
    /// Enough states are stored.
    Nodes,
}
