//! Depth-first searches from the frontier where estimates come from far away:
//! several at once, so that none waits for memory.

use super::Entry;
use super::engine::{Desk, End, trace};
use super::worker::{Flow, Worker};
use crate::heuristic::Heuristic;
use crate::memory::Key;
use crate::memory::visited::{Frozen, Known};
use crate::puzzle::Puzzle;
use crate::search::Stop;
use crate::search::lanes::{Lane, Seen, Turn};
use parking_lot::MutexGuard;

/// Searches that take turns.
const LANES: usize = 8;

/// After so many nodes a worker looks up.
const BETWEEN_LOOKS: u64 = 1 << 14;

/// A root in a lane's hands.
struct InHand<E, K> {
    entry: E,
    known: Known<K>,
    level: usize,
}

impl<'m, P: Puzzle, H: Heuristic<P>, E: Entry<H::Carry>> Worker<'_, '_, 'm, P, H, E> {
    /// Searches below open states until something else must be done.
    pub(super) fn dig_in_lanes(&mut self, table: &Frozen<'_, P::Key>, wants_in: &impl Fn() -> bool) -> Flow {
        let search = self.search;
        let (puzzle, heuristic) = (search.problem.puzzle, search.problem.heuristic);
        let bits = puzzle.key_bits();
        let mut lanes: Vec<Lane<P, H::Memo>> = (0..LANES).map(|_| Lane::new()).collect();
        let mut hands: [Option<InHand<E, P::Key>>; LANES] = std::array::from_fn(|_| None);
        let mut seen = Seen::default();
        let mut looked = 0;
        loop {
            let free = hands.iter().filter(|hand| hand.is_none()).count();
            if free > 0 || seen.generated >= looked + BETWEEN_LOOKS {
                let desk = &mut search.desk.lock();
                self.statistics.expanded += std::mem::take(&mut seen.expanded);
                self.statistics.generated += std::mem::take(&mut seen.generated);
                looked = 0;
                self.settle(desk);
                if let Some(flow) = self.look(desk, wants_in).or_else(|| self.is_enough(desk)) {
                    hands.iter_mut().for_each(|hand| self.put_down(desk, hand));
                    return flow;
                }
                // An incumbent may have made some of them needless.
                let limit = search.limit(desk);
                for hand in hands.iter_mut().filter(|hand| hand.as_ref().is_some_and(|h| h.level >= limit)) {
                    self.put_down(desk, hand);
                }
                self.keep_standing(desk, table);
                let mut any = true;
                for (lane, hand) in lanes.iter_mut().zip(&mut hands).filter(|(_, hand)| hand.is_none()) {
                    while any && hand.is_none() {
                        *hand = self.take(desk, table, limit, &mut any);
                    }
                    let Some(InHand { entry, known, .. }) = hand else { break };
                    let root = puzzle.unpack(known.mixed.unmix(bits));
                    let memo = heuristic.resume(puzzle, &root, 0, entry.carry());
                    lane.begin(root, memo, known.cost);
                }
                if hands.iter().all(Option::is_none) {
                    return Flow::Idle;
                }
            }
            for (lane, place) in lanes.iter_mut().zip(&mut hands) {
                let Some(hand) = place else { continue };
                let known = |state: &P::State, cost: u32| {
                    table.find(puzzle.pack(state).mix(bits)).is_some_and(|known| known.cost <= cost)
                };
                match lane.turn(puzzle, heuristic, hand.level as u32, known, &mut seen) {
                    Turn::More => {}
                    Turn::Goal(mut below) => {
                        let mut path = trace(puzzle, table, hand.known.mixed);
                        path.append(&mut below);
                        let desk = &mut search.desk.lock();
                        search.improve(desk, path.len() as u32, End::Path(path));
                        self.put_down(desk, place);
                    }
                    Turn::Done(next) => {
                        let desk = &mut search.desk.lock();
                        self.finish_root(desk, place, next);
                    }
                }
            }
        }
    }

    /// The limit of nodes, exactly.
    fn is_enough(&self, desk: &mut MutexGuard<'_, Desk<'m, P::Key, E>>) -> Option<Flow> {
        let most = self.search.limits.max_nodes?;
        if desk.nodes() < most {
            return None;
        }
        desk.stop = desk.stop.or(Some(Stop::Nodes));
        self.search.end(desk);
        Some(Flow::Over)
    }

    /// Takes the most promising root; none if the one that was taken is known at
    /// less cost elsewhere, or if there is not any.
    fn take(
        &mut self,
        desk: &mut MutexGuard<'_, Desk<'m, P::Key, E>>,
        table: &Frozen<'_, P::Key>,
        limit: usize,
        any: &mut bool,
    ) -> Option<InHand<E, P::Key>> {
        self.portion.clear();
        let popped = desk.open.pop(limit, 1, &mut self.portion);
        *any = popped.is_some();
        let ((level, column), entry) = (popped?, *self.portion.first()?);
        let known = table.known(entry.slot());
        // Roots that go back lie in column 0, where only the start was.
        let is_stale =
            if E::BY_COST { column != 0 && known.cost != column as u32 } else { known.cost != entry.cost(0) };
        if is_stale {
            return None;
        }
        self.search.limits.at(level as u32);
        desk.in_hand.push((entry.slot(), level as u16));
        Some(InHand { entry, known, level })
    }

    /// Puts a root back as it was taken.
    fn put_down(&self, desk: &mut MutexGuard<'_, Desk<'m, P::Key, E>>, hand: &mut Option<InHand<E, P::Key>>) {
        if let Some(InHand { entry, level, .. }) = hand.take() {
            desk.in_hand.retain(|&(slot, _)| slot != entry.slot());
            desk.open.push(level, 0, entry).expect("popped entries leave room");
        }
    }

    /// Puts a root that was searched to its level back where it is to be
    /// searched next.
    fn finish_root(
        &self,
        desk: &mut MutexGuard<'_, Desk<'m, P::Key, E>>,
        hand: &mut Option<InHand<E, P::Key>>,
        next: u32,
    ) {
        let search = self.search;
        let fits = (next as usize) < search.layout.shape.levels;
        if fits {
            if let Some(hand) = hand {
                hand.level = next as usize;
            }
            return self.put_down(desk, hand);
        }
        if next != u32::MAX && !search.levels_suffice {
            // The list has no level for it.
            desk.stop = desk.stop.or(Some(Stop::Memory));
            search.end(desk);
            return self.put_down(desk, hand);
        }
        if let Some(InHand { entry, .. }) = hand.take() {
            desk.in_hand.retain(|&(slot, _)| slot != entry.slot());
        }
    }
}
