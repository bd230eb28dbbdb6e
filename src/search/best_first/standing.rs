//! How far a search from a frontier has come: told to a keeper, and taken up
//! again.

use super::Entry;
use super::engine::{BestFirst, Desk};
use super::worker::Worker;
use crate::heuristic::Heuristic;
use crate::memory::visited::Frozen;
use crate::puzzle::Puzzle;
use crate::search::Stop;
use crate::search::keeper::{Root, Standing};

impl<'m, P: Puzzle, H: Heuristic<P>, E: Entry<H::Carry>> Worker<'_, '_, 'm, P, H, E> {
    /// Gives the standing to whoever keeps it, if it is time.
    pub(super) fn keep_standing(&self, desk: &mut Desk<'m, P::Key, E>, table: &Frozen<'_, P::Key>) {
        let search = self.search;
        let Some(keeper) = search.limits.keeper.filter(|keeper| keeper.is_due()) else { return };
        let mut roots: Vec<Root> = Vec::with_capacity(desk.open.len() + desk.in_hand.len());
        // What is stale would stand beside a root of the same state, wherever it is.
        let mut add = |level: usize, column: usize, entry: &E| {
            if !search.is_stale(entry, column, table.known(entry.slot()).cost) {
                roots.push((entry.slot(), level as u16));
            }
        };
        desk.in_hand.iter().for_each(|hand| add(hand.level, hand.column, &hand.entry));
        desk.open.for_each(|level, column, entry: &mut E| add(level, column, entry));
        roots.sort_unstable();
        keeper.keep(&Standing {
            heuristic: search.problem.heuristic.name().into(),
            region: search.region,
            expanded: desk.statistics.expanded,
            generated: desk.statistics.generated,
            roots,
        });
    }
}

impl<'m, P: Puzzle, H: Heuristic<P>, E: Entry<H::Carry>> BestFirst<'_, 'm, P, H, E> {
    /// Goes on from the standing that a keeper has, if any. The frontier must be
    /// the one that it was made from.
    pub(super) fn take_up(&self, desk: &mut Desk<'m, P::Key, E>, table: &Frozen<'_, P::Key>) {
        let Some(keeper) = self.limits.keeper else { return };
        keeper.begin();
        let name = self.problem.heuristic.name();
        let Some(standing) = keeper.standing() else {
            // Standings are told between the turns of lanes (`in_lanes`).
            if !H::FAR {
                keeper.unkept(name);
            }
            return;
        };
        let why = if standing.heuristic != name {
            Some(format!("it was made with {}, and this search uses {name}", standing.heuristic))
        } else if standing.region != self.region {
            let (then, now) = (standing.region, self.region);
            Some(format!("its frontier was found in {then} bytes, and this search has {now} for it"))
        } else if !self.place_roots(desk, table, &standing.roots) {
            Some("its frontier is another one".into())
        } else {
            None
        };
        desk.statistics.expanded = standing.expanded.max(desk.statistics.expanded);
        desk.statistics.generated = standing.generated.max(desk.statistics.generated);
        desk.generated_before = desk.statistics.generated;
        if let Some(why) = why {
            keeper.refuse(&why);
            desk.stop = Some(Stop::Interrupted);
            self.end(desk);
        }
    }

    /// Leaves the given roots alone in the open list, each at its level; whether
    /// all of them were there, and no nearer to being done.
    fn place_roots(
        &self,
        desk: &mut Desk<'m, P::Key, E>,
        table: &Frozen<'_, P::Key>,
        roots: &[Root],
    ) -> bool {
        let levels = self.layout.shape.levels;
        let mut all = Vec::with_capacity(desk.open.len());
        let mut portion = Vec::new();
        while let Some((level, column)) = desk.open.pop(levels, 1 << 12, &mut portion) {
            let fresh = |entry: &E| table.known(entry.slot()).cost == entry.cost(column);
            all.extend(portion.drain(..).filter(fresh).map(|entry| (level, entry)));
        }
        all.sort_unstable_by_key(|(_, entry)| entry.slot());
        let mut known = all.iter();
        roots.iter().all(|&(slot, level)| {
            let found = known.find(|(_, entry)| entry.slot() >= slot);
            let Some((least, entry)) = found.filter(|(_, entry)| entry.slot() == slot) else { return false };
            usize::from(level) >= *least
                && usize::from(level) < levels
                && desk.open.push(level.into(), 0, *entry).is_ok()
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::heuristic::pdb::{Library, Partition, SeveralPartitions};
    use crate::memory::Region;
    use crate::memory::arena::Arena;
    use crate::puzzle::tiles::{Goal, Size, Tiles};
    use crate::search::best_first::trial::{SEED, wander};
    use crate::search::best_first::{WhenFull, solve};
    use crate::search::keeper::{Keeper, Standing};
    use crate::search::{Ending, Limits, Order, Problem, Threads};
    use parking_lot::Mutex;
    use std::sync::atomic::Ordering::Relaxed;
    use std::sync::atomic::{AtomicBool, AtomicUsize};

    /// Keeps a few standings of a search, or has one to go on from.
    #[derive(Default)]
    struct Few {
        from: Option<Standing>,
        begun: AtomicBool,
        asked: AtomicUsize,
        kept: Mutex<Vec<Standing>>,
    }

    impl Keeper for Few {
        fn frontier(&self, bytes: usize) -> usize {
            bytes
        }

        fn standing(&self) -> Option<&Standing> {
            self.from.as_ref()
        }

        fn begin(&self) {
            self.begun.store(true, Relaxed);
        }

        fn has_begun(&self) -> bool {
            self.begun.load(Relaxed)
        }

        fn unkept(&self, heuristic: &str) {
            panic!("standings are told with {heuristic}");
        }

        fn refuse(&self, why: &str) {
            panic!("{why}");
        }

        fn is_due(&self) -> bool {
            self.from.is_none() && self.asked.fetch_add(1, Relaxed).is_power_of_two()
        }

        fn keep(&self, standing: &Standing) {
            self.kept.lock().push(standing.clone());
        }
    }

    /// Whatever is in hand or next when a standing is told: the search can be taken
    /// up from there, and ends as it would have.
    #[test]
    fn every_standing_can_be_taken_up() {
        let (size, partition) = (Size::new(3, 6).unwrap(), "5-4-4-4x2".parse::<Partition>().unwrap());
        let goal = Goal::BlankLast.board(size).unwrap().into_owned();
        let puzzle = Tiles::<u128>::new(&goal).unwrap();
        let mut library = Library::default();
        assert!(library.fetch(&partition, size, puzzle.goal_blank(), 2, &|_| true).unwrap());
        let heuristic = SeveralPartitions::<8>::new(&puzzle, &partition, &library).unwrap();
        let (mut random, mut taken_up) = (SEED, 0);
        for board in 0..4 {
            let start = wander(&puzzle, puzzle.state(&goal), 110, &mut random);
            let length = |keeper: &Few| {
                let bytes = 2700 << 10;
                let mut arena = Arena::new(bytes, bytes).unwrap();
                let mut region = Region::zeroed(arena.divide(&[]).remove(0));
                let problem = Problem { puzzle: &puzzle, heuristic: &heuristic, start };
                let limits = Limits { keeper: Some(keeper), ..Limits::default() };
                let found = solve(problem, Order::ASTAR, &limits, &mut region, &Threads(2), WhenFull::Dig);
                let Ending::Solved { path, .. } = found.ending else { panic!("board {board} is solved") };
                path.len()
            };
            let keeper = Few::default();
            let known = length(&keeper);
            for standing in keeper.kept.into_inner() {
                assert_eq!(length(&Few { from: Some(standing), ..Few::default() }), known, "board {board}");
                taken_up += 1;
            }
        }
        assert!(taken_up > 10, "{taken_up}");
    }
}
