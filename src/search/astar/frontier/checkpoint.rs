//! How far a search from a frontier has come: told to a keeper, and taken up
//! again.

use crate::heuristic::Heuristic;
use crate::memory::visited::Frozen;
use crate::puzzle::Puzzle;
use crate::search::Stop;
use crate::search::astar::Entry;
use crate::search::astar::eager::Worker;
use crate::search::astar::engine::{BestFirst, Desk};
use crate::search::checkpoint::{Root, Snapshot};

impl<'m, P: Puzzle, H: Heuristic<P>, E: Entry<H::Payload>> Worker<'_, '_, 'm, P, H, E> {
    /// Gives the standing to whoever keeps it, if it is time.
    pub(in crate::search::astar) fn save_snapshot(
        &self,
        desk: &mut Desk<'m, P::Key, E>,
        table: &Frozen<'_, P::Key>,
    ) {
        let search = self.search;
        let Some(checkpoint_sink) =
            search.limits.checkpoint_sink.filter(|checkpoint_sink| checkpoint_sink.is_due())
        else {
            return;
        };
        let mut roots: Vec<Root> = Vec::with_capacity(desk.open.len() + desk.in_hand.len());
        // What is stale would stand beside a root of the same state, wherever it is.
        let mut add = |level: usize, column: usize, entry: &E| {
            if !search.is_stale(entry, column, table.content(entry.slot()).cost) {
                roots.push((entry.slot(), level as u16));
            }
        };
        desk.in_hand.iter().for_each(|hand| add(hand.level, hand.column, &hand.entry));
        desk.open.for_each(|level, column, entry: &mut E| add(level, column, entry));
        roots.sort_unstable();
        checkpoint_sink.save(&Snapshot {
            heuristic: search.problem.heuristic.name().into(),
            region: search.region,
            expanded: desk.statistics.expanded,
            generated: desk.statistics.generated,
            roots,
        });
    }
}

impl<'m, P: Puzzle, H: Heuristic<P>, E: Entry<H::Payload>> BestFirst<'_, 'm, P, H, E> {
    /// Goes on from the standing that a keeper has, if any. The frontier must be
    /// the one that it was made from.
    pub(in crate::search::astar) fn restore_snapshot(
        &self,
        desk: &mut Desk<'m, P::Key, E>,
        table: &Frozen<'_, P::Key>,
    ) {
        let Some(checkpoint_sink) = self.limits.checkpoint_sink else { return };
        checkpoint_sink.frontier_found();
        let name = self.problem.heuristic.name();
        let Some(snapshot) = checkpoint_sink.snapshot() else {
            // Standings are told between the turns of lanes (`in_lanes`).
            if !H::PREFETCHED {
                checkpoint_sink.unsupported(name);
            }
            return;
        };
        let why = if snapshot.heuristic != name {
            Some(format!("it was made with {}, and this search uses {name}", snapshot.heuristic))
        } else if snapshot.region != self.region {
            let (then, now) = (snapshot.region, self.region);
            Some(format!("its frontier was found in {then} bytes, and this search has {now} for it"))
        } else if !self.place_roots(desk, table, &snapshot.roots) {
            Some("its frontier is another one".into())
        } else {
            None
        };
        desk.statistics.expanded = snapshot.expanded.max(desk.statistics.expanded);
        desk.statistics.generated = snapshot.generated.max(desk.statistics.generated);
        desk.generated_before = desk.statistics.generated;
        if let Some(why) = why {
            checkpoint_sink.reject(&why);
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
            let fresh = |entry: &E| table.content(entry.slot()).cost == entry.cost(column);
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
    use crate::memory::Region;
    use crate::memory::arena::Arena;
    use crate::pdb::{Library, MaxOfPartitions, Partition};
    use crate::puzzle::tiles::{Goal, Size, Tiles};
    use crate::search::astar::test_support::{SEED, wander};
    use crate::search::astar::{WhenFull, solve};
    use crate::search::checkpoint::{CheckpointSink, Snapshot};
    use crate::search::{Ending, Limits, Order, Problem, SpawnThreads};
    use parking_lot::Mutex;
    use std::sync::atomic::Ordering::Relaxed;
    use std::sync::atomic::{AtomicBool, AtomicUsize};

    /// Keeps a few snapshots of a search, or has one to go on from.
    #[derive(Default)]
    struct Few {
        from: Option<Snapshot>,
        begun: AtomicBool,
        asked: AtomicUsize,
        kept: Mutex<Vec<Snapshot>>,
    }

    impl CheckpointSink for Few {
        fn frontier_bytes(&self, bytes: usize) -> usize {
            bytes
        }

        fn snapshot(&self) -> Option<&Snapshot> {
            self.from.as_ref()
        }

        fn frontier_found(&self) {
            self.begun.store(true, Relaxed);
        }

        fn is_frontier_found(&self) -> bool {
            self.begun.load(Relaxed)
        }

        fn unsupported(&self, heuristic: &str) {
            panic!("snapshots are told with {heuristic}");
        }

        fn reject(&self, why: &str) {
            panic!("{why}");
        }

        fn is_due(&self) -> bool {
            self.from.is_none() && self.asked.fetch_add(1, Relaxed).is_power_of_two()
        }

        fn save(&self, snapshot: &Snapshot) {
            self.kept.lock().push(snapshot.clone());
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
        let heuristic = MaxOfPartitions::<8>::new(&puzzle, &partition, &library).unwrap();
        let (mut random, mut taken_up) = (SEED, 0);
        for board in 0..4 {
            let start = wander(&puzzle, puzzle.state(&goal), 110, &mut random);
            let length = |checkpoint_sink: &Few| {
                let bytes = 2700 << 10;
                let mut arena = Arena::new(bytes, bytes).unwrap();
                let mut region = Region::zeroed(arena.divide(&[]).remove(0));
                let problem = Problem { puzzle: &puzzle, heuristic: &heuristic, start };
                let limits = Limits { checkpoint_sink: Some(checkpoint_sink), ..Limits::default() };
                let found = solve(
                    problem,
                    Order::ASTAR,
                    &limits,
                    &mut region,
                    &SpawnThreads(2),
                    WhenFull::FallBackToDfs,
                );
                let Ending::Solved { path, .. } = found.ending else { panic!("board {board} is solved") };
                path.len()
            };
            let checkpoint_sink = Few::default();
            let known = length(&checkpoint_sink);
            for snapshot in checkpoint_sink.kept.into_inner() {
                assert_eq!(length(&Few { from: Some(snapshot), ..Few::default() }), known, "board {board}");
                taken_up += 1;
            }
        }
        assert!(taken_up > 10, "{taken_up}");
    }
}
