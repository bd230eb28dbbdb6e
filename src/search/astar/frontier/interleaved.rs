//! Depth-first searches from the frontier where estimates come from far away:
//! several at once, so that none waits for memory.

use crate::heuristic::Heuristic;
use crate::memory::Key;
use crate::memory::visited::Frozen;
use crate::puzzle::{Move, Puzzle};
use crate::search::Stop;
use crate::search::astar::Entry;
use crate::search::astar::eager::{Flow, Worker};
use crate::search::astar::engine::{Desk, End, trace};
use crate::search::astar::layout::RESERVE;
use crate::search::interleaved::{Beyond, Known, Lane, Seen, Turn};
use parking_lot::MutexGuard;
use std::collections::VecDeque;

/// Searches that take turns.
const LANES: usize = 8;

/// After so many nodes a worker looks up.
const BETWEEN_LOOKS: u64 = 1 << 14;

/// Roots that a worker has taken and asked for before a lane has time for them.
const AHEAD: usize = 8;

/// A root in a worker's hands, and where it was taken from. It may turn out that a
/// cheaper way to its state has an entry of its own.
#[derive(Clone, Copy)]
pub(in crate::search::astar) struct InHand<E> {
    pub(in crate::search::astar) entry: E,
    pub(in crate::search::astar) level: usize,
    pub(in crate::search::astar) column: usize,
}

/// The table, as lanes see it.
struct InTable<'t, 'm, P: Puzzle> {
    puzzle: &'t P,
    table: &'t Frozen<'m, P::Key>,
}

impl<P: Puzzle> InTable<'_, '_, P> {
    #[inline(always)]
    fn mixed(&self, state: &P::State) -> P::Key {
        self.puzzle.pack(state).mix(self.puzzle.key_bits())
    }
}

impl<P: Puzzle> Known<P> for InTable<'_, '_, P> {
    #[inline(always)]
    fn ask(&self, state: &P::State) {
        self.table.prefetch(self.mixed(state));
    }

    #[inline(always)]
    fn cuts(&self, state: &P::State, cost: u32) -> bool {
        self.table.find(self.mixed(state)).is_some_and(|known| known.cost <= cost)
    }
}

impl<'m, P: Puzzle, H: Heuristic<P>, E: Entry<H::Payload>> Worker<'_, '_, 'm, P, H, E> {
    /// Searches below open states until something else must be done.
    pub(in crate::search::astar) fn dig_in_lanes(
        &mut self,
        table: &Frozen<'_, P::Key>,
        has_idle: &impl Fn() -> bool,
    ) -> Flow {
        let search = self.search;
        let (puzzle, heuristic) = (search.problem.puzzle, search.problem.heuristic);
        let bits = puzzle.key_bits();
        let known = &InTable { puzzle, table };
        let mut lanes: Vec<Lane<P, H::Memo>> = (0..LANES).map(|_| Lane::new()).collect();
        let mut hands: [Option<InHand<E>>; LANES] = std::array::from_fn(|_| None);
        let mut ahead: VecDeque<InHand<E>> = VecDeque::with_capacity(AHEAD);
        let mut seen = Seen::default();
        // Whether there may be a root for a lane that has none.
        let mut any = true;
        let mut pause = BETWEEN_LOOKS;
        loop {
            let has_free = any && hands.iter().any(Option::is_none);
            if has_free || seen.generated >= pause {
                let desk = &mut search.desk.lock();
                self.statistics.expanded += std::mem::take(&mut seen.expanded);
                self.statistics.generated += std::mem::take(&mut seen.generated);
                self.flush_results(desk);
                if let Some(flow) = self.look(desk, has_idle).or_else(|| self.is_enough(desk)) {
                    hands.into_iter().flatten().chain(ahead).for_each(|hand| self.put_down(desk, hand));
                    return flow;
                }
                let most = search.limits.max_nodes.unwrap_or(u64::MAX);
                pause = BETWEEN_LOOKS.min(most.saturating_sub(desk.nodes()));
                // An incumbent may have made some of them needless.
                let limit = search.limit(desk);
                for place in &mut hands {
                    place
                        .take_if(|hand| hand.level >= limit)
                        .into_iter()
                        .for_each(|h| self.put_down(desk, h));
                }
                if ahead.iter().any(|hand| hand.level >= limit) {
                    ahead.drain(..).for_each(|hand| self.put_down(desk, hand));
                }
                self.save_snapshot(desk, table);
                any = true;
                for (lane, hand) in lanes.iter_mut().zip(&mut hands).filter(|(_, hand)| hand.is_none()) {
                    while any && hand.is_none() {
                        while ahead.len() < AHEAD
                            && let Some(next) = self.take(desk, limit)
                        {
                            table.prefetch_slot(next.entry.slot());
                            ahead.push_back(next);
                        }
                        let Some(next) = ahead.pop_front() else {
                            any = false;
                            break;
                        };
                        let known = table.content(next.entry.slot());
                        if search.is_stale(&next.entry, next.column, known.cost) {
                            let _ = self.let_go(desk, next);
                            continue;
                        }
                        let root = puzzle.unpack(known.mixed.unmix(bits));
                        let memo = heuristic.restore(puzzle, &root, 0, next.entry.payload());
                        let last = (known.cost > 0).then_some(Move(known.step));
                        lane.begin(root, memo, known.cost, last);
                        *hand = Some(next);
                    }
                }
                if hands.iter().all(Option::is_none) {
                    return Flow::Idle;
                }
            }
            for (lane, place) in lanes.iter_mut().zip(&mut hands) {
                let Some(hand) = *place else { continue };
                match lane.turn(puzzle, heuristic, hand.level as u32, known, &mut seen) {
                    Turn::More => continue,
                    Turn::Goal(mut below) => {
                        let mut path = trace(puzzle, table, table.content(hand.entry.slot()).mixed);
                        path.append(&mut below);
                        let desk = &mut search.desk.lock();
                        search.improve(desk, path.len() as u32, End::Path(path));
                        self.put_down(desk, hand);
                    }
                    Turn::Done(beyond) => self.finish_root(&mut search.desk.lock(), hand, beyond),
                }
                *place = None;
                any = true;
            }
        }
    }

    /// Ends the search if it has had its nodes.
    fn is_enough(&self, desk: &mut MutexGuard<'_, Desk<'m, P::Key, E>>) -> Option<Flow> {
        let most = self.search.limits.max_nodes?;
        if desk.nodes() < most {
            return None;
        }
        desk.stop = desk.stop.or(Some(Stop::Nodes));
        self.search.end(desk);
        Some(Flow::Over)
    }

    /// Takes the most promising root, if there is any.
    fn take(&mut self, desk: &mut MutexGuard<'_, Desk<'m, P::Key, E>>, limit: usize) -> Option<InHand<E>> {
        let (level, column) = self.best_bucket(desk, limit)?;
        self.portion.clear();
        desk.open.take(level, column, 1, &mut self.portion);
        let entry = *self.portion.first()?;
        self.search.limits.report_bound(level as u32);
        let hand = InHand { entry, level, column };
        desk.in_hand.push(hand);
        Some(hand)
    }

    /// The bucket with the most promising root: of the lowest level, the one that
    /// itself, or what was met below it, is farthest from the start.
    fn best_bucket(&self, desk: &mut Desk<'m, P::Key, E>, limit: usize) -> Option<(usize, usize)> {
        let level = desk.open.lowest().filter(|&level| level < limit)?;
        let costs = if E::BY_COST { self.search.layout.shape.levels } else { 1 };
        if desk.fresh.0 != level {
            desk.fresh = (level, costs);
        }
        let fresh = desk.open.highest_below(level, desk.fresh.1);
        desk.fresh.1 = fresh.map_or(0, |column| column + 1);
        let searched = desk.open.highest(level).filter(|&column| column >= costs);
        let column = match (fresh, searched) {
            (Some(fresh), Some(searched)) if searched - costs <= fresh => fresh,
            (fresh, searched) => searched.or(fresh)?,
        };
        Some((level, column))
    }

    /// Takes a root out of the list of those that are being searched.
    fn let_go(&self, desk: &mut Desk<'m, P::Key, E>, hand: InHand<E>) -> E {
        let root = |hand: &InHand<E>| (hand.entry.slot(), hand.level, hand.column);
        if let Some(at) = desk.in_hand.iter().position(|other| root(other) == root(&hand)) {
            desk.in_hand.swap_remove(at);
        }
        hand.entry
    }

    /// Puts a root back as it was taken.
    fn put_down(&self, desk: &mut Desk<'m, P::Key, E>, hand: InHand<E>) {
        let entry = self.let_go(desk, hand);
        let InHand { level, column, .. } = hand;
        desk.open.push(level, column, entry).expect("popped entries leave room");
        if column < self.search.layout.shape.levels {
            desk.fresh = (usize::MAX, 0);
        }
    }

    /// Puts a root that was searched to its level back where it is to be
    /// searched next: at the level of what lies beyond, and there the sooner the
    /// nearer to a goal that is. On the last level, which is the largest, most
    /// roots then need not be searched any more.
    fn finish_root(&self, desk: &mut Desk<'m, P::Key, E>, hand: InHand<E>, beyond: Beyond) {
        let search = self.search;
        let (next, levels) = (beyond.total, search.layout.shape.levels);
        if next as usize >= levels && (next == u32::MAX || search.levels_suffice) {
            let _ = self.let_go(desk, hand);
            return;
        }
        if next as usize >= levels {
            // The list has no level for it.
            desk.stop = desk.stop.or(Some(Stop::Memory));
            search.end(desk);
            return self.put_down(desk, hand);
        }
        let entry = self.let_go(desk, hand);
        // Many columns need many chunks.
        let has_choice = E::BY_COST && desk.open.free_chunks() > RESERVE / 2;
        let column = if has_choice { levels + beyond.cost as usize } else { 0 };
        desk.open.push(next as usize, column, entry).expect("popped entries leave room");
    }
}

#[cfg(test)]
mod tests {
    use crate::memory::Region;
    use crate::memory::arena::Arena;
    use crate::pdb::{Library, MaxOfPartitions, Partition};
    use crate::puzzle::Puzzle;
    use crate::puzzle::tiles::{Goal, Size, Tiles};
    use crate::search::astar::test_support::{SEED, wander};
    use crate::search::astar::{WhenFull, solve};
    use crate::search::{Ending, Limits, Order, Problem, SpawnThreads};

    /// What a search finds from a frontier, in an order of its own, is as short as
    /// what A* finds that has room for all.
    #[test]
    fn shortest_solutions_are_found_from_any_frontier() {
        let (size, partition) = (Size::new(3, 6).unwrap(), "5-4-4-4x2".parse::<Partition>().unwrap());
        let goal = Goal::BlankLast.board(size).unwrap().into_owned();
        let puzzle = Tiles::<u128>::new(&goal).unwrap();
        let mut library = Library::default();
        assert!(library.fetch(&partition, size, puzzle.goal_blank(), 2, &|_| true).unwrap());
        let heuristic = MaxOfPartitions::<8>::new(&puzzle, &partition, &library).unwrap();
        let mut random = SEED;
        let mut from_a_frontier = 0;
        for board in 0..8 {
            let start = wander(&puzzle, puzzle.state(&goal), 80 + 4 * board, &mut random);
            let mut known = None;
            for (bytes, threads) in [(64 << 20, 1), (2700 << 10, 1), (2700 << 10, 5), (6000 << 10, 2)] {
                let mut arena = Arena::new(bytes, bytes).unwrap();
                let mut region = Region::zeroed(arena.divide(&[]).remove(0));
                let problem = Problem { puzzle: &puzzle, heuristic: &heuristic, start };
                let (limits, helpers) = (Limits::default(), SpawnThreads(threads));
                let found =
                    solve(problem, Order::ASTAR, &limits, &mut region, &helpers, WhenFull::FallBackToDfs);
                let Ending::Solved { path, bound } = found.ending else { panic!("board {board} is solved") };
                let end = path.iter().fold(start, |state, &step| puzzle.apply(&state, step));
                assert!(puzzle.is_goal(&end) && bound as usize == path.len());
                assert_eq!(*known.get_or_insert(path.len()), path.len(), "board {board}, {bytes} bytes");
                from_a_frontier += u32::from(found.statistics.fell_back);
            }
        }
        assert!(from_a_frontier > 8);
    }
}
