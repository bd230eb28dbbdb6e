//! Snapshots of a search from a frontier: saving and restoring them.

use crate::heuristic::Heuristic;
use crate::memory::visited::Frozen;
use crate::puzzle::Puzzle;
use crate::search::Stop;
use crate::search::astar::Entry;
use crate::search::astar::eager::Worker;
use crate::search::astar::engine::{BestFirst, Shared};
use crate::search::checkpoint::{Root, Snapshot};

impl<'m, P: Puzzle, H: Heuristic<P>, E: Entry<H::Payload>> Worker<'_, '_, 'm, P, H, E> {
    /// Saves a snapshot if one is due.
    pub(in crate::search::astar) fn save_snapshot(
        &self,
        shared: &mut Shared<'m, P::Key, E>,
        table: &Frozen<'_, P::Key>,
    ) {
        let search = self.search;
        let Some(sink) = search.limits.checkpoint_sink.filter(|sink| sink.is_due()) else {
            return;
        };
        let mut roots: Vec<Root> = Vec::with_capacity(shared.open.len() + shared.active_roots.len());
        // A stale entry would duplicate the root of its state.
        let mut add = |level: usize, column: usize, entry: &E| {
            if !search.is_stale(entry, column, table.content(entry.slot()).cost) {
                roots.push((entry.slot(), level as u16));
            }
        };
        shared.active_roots.iter().for_each(|root| add(root.level, root.column, &root.entry));
        shared.open.for_each(|level, column, entry: &mut E| add(level, column, entry));
        roots.sort_unstable();
        sink.save(&Snapshot {
            heuristic: search.problem.heuristic.name().into(),
            region: search.region,
            expanded: shared.statistics.expanded,
            generated: shared.statistics.generated,
            roots,
        });
    }
}

impl<'m, P: Puzzle, H: Heuristic<P>, E: Entry<H::Payload>> BestFirst<'_, 'm, P, H, E> {
    /// Restores the snapshot of the checkpoint sink, if it has one. Ends the search if the
    /// snapshot belongs to another frontier.
    pub(in crate::search::astar) fn restore_snapshot(
        &self,
        shared: &mut Shared<'m, P::Key, E>,
        table: &Frozen<'_, P::Key>,
    ) {
        let Some(sink) = self.limits.checkpoint_sink else { return };
        sink.frontier_found();
        let name = self.problem.heuristic.name();
        let Some(snapshot) = sink.snapshot() else {
            // Only the interleaved search saves snapshots.
            if !H::PREFETCHED {
                sink.unsupported(name);
            }
            return;
        };
        let mismatch = if snapshot.heuristic != name {
            Some(format!("it was saved with heuristic {}; this search uses {name}", snapshot.heuristic))
        } else if snapshot.region != self.region {
            let (then, now) = (snapshot.region, self.region);
            Some(format!("its frontier needs {then} bytes; this search has {now}"))
        } else if !self.place_roots(shared, table, &snapshot.roots) {
            Some("its frontier differs from the frontier of this search".into())
        } else {
            None
        };
        shared.statistics.expanded = snapshot.expanded.max(shared.statistics.expanded);
        shared.statistics.generated = snapshot.generated.max(shared.statistics.generated);
        shared.generated_before_freeze = shared.statistics.generated;
        if let Some(mismatch) = mismatch {
            sink.reject(&mismatch);
            shared.stop = Some(Stop::Interrupted);
            self.end(shared);
        }
    }

    /// Replaces the content of the open list by `roots`, each at its level. Returns false if a
    /// root is not in the frontier or its level is below the one found there.
    fn place_roots(
        &self,
        shared: &mut Shared<'m, P::Key, E>,
        table: &Frozen<'_, P::Key>,
        roots: &[Root],
    ) -> bool {
        let levels = self.layout.shape.levels;
        let mut all = Vec::with_capacity(shared.open.len());
        let mut popped = Vec::new();
        while let Some((level, column)) = shared.open.pop(levels, 1 << 12, &mut popped) {
            let is_current = |entry: &E| table.content(entry.slot()).cost == entry.cost(column);
            all.extend(popped.drain(..).filter(is_current).map(|entry| (level, entry)));
        }
        all.sort_unstable_by_key(|(_, entry)| entry.slot());
        let mut entries = all.iter();
        roots.iter().all(|&(slot, level)| {
            let found = entries.find(|(_, entry)| entry.slot() >= slot);
            let Some((f, entry)) = found.filter(|(_, entry)| entry.slot() == slot) else { return false };
            usize::from(level) >= *f
                && usize::from(level) < levels
                && shared.open.push(level.into(), 0, *entry).is_ok()
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::memory::Region;
    use crate::memory::arena::Arena;
    use crate::pdb::{Library, MaxOfPartitions, Partition};
    use crate::puzzle::tiles::{Goal, Size, Tiles};
    use crate::search::astar::test_support::{SEED, random_walk};
    use crate::search::astar::{WhenFull, solve};
    use crate::search::checkpoint::{CheckpointSink, Snapshot};
    use crate::search::{Ending, Limits, Order, Problem, SpawnThreads};
    use parking_lot::Mutex;
    use std::sync::atomic::Ordering::Relaxed;
    use std::sync::atomic::{AtomicBool, AtomicUsize};

    /// A sink that saves a few snapshots, or has one to resume from.
    #[derive(Default)]
    struct MemorySink {
        from: Option<Snapshot>,
        frontier_found: AtomicBool,
        polls: AtomicUsize,
        saved: Mutex<Vec<Snapshot>>,
    }

    impl CheckpointSink for MemorySink {
        fn frontier_bytes(&self, bytes: usize) -> usize {
            bytes
        }

        fn snapshot(&self) -> Option<&Snapshot> {
            self.from.as_ref()
        }

        fn frontier_found(&self) {
            self.frontier_found.store(true, Relaxed);
        }

        fn is_frontier_found(&self) -> bool {
            self.frontier_found.load(Relaxed)
        }

        fn unsupported(&self, heuristic: &str) {
            panic!("snapshots are supported with {heuristic}");
        }

        fn reject(&self, why: &str) {
            panic!("{why}");
        }

        fn is_due(&self) -> bool {
            self.from.is_none() && self.polls.fetch_add(1, Relaxed).is_power_of_two()
        }

        fn save(&self, snapshot: &Snapshot) {
            self.saved.lock().push(snapshot.clone());
        }
    }

    /// A search resumed from any of its snapshots finds a solution of equal length, whichever
    /// roots were active or prefetched.
    #[test]
    fn every_snapshot_can_be_resumed() {
        let (size, partition) = (Size::new(3, 6).unwrap(), "5-4-4-4x2".parse::<Partition>().unwrap());
        let goal = Goal::BlankLast.board(size).unwrap().into_owned();
        let puzzle = Tiles::<u128>::new(&goal).unwrap();
        let mut library = Library::default();
        assert!(library.fetch(&partition, size, puzzle.goal_blank(), 2, &|_| true).unwrap());
        let heuristic = MaxOfPartitions::<8>::new(&puzzle, &partition, &library).unwrap();
        let (mut random, mut resumed) = (SEED, 0);
        for board in 0..4 {
            let start = random_walk(&puzzle, puzzle.state(&goal), 110, &mut random);
            let length = |sink: &MemorySink| {
                let bytes = 2700 << 10;
                let mut arena = Arena::new(bytes, bytes).unwrap();
                let mut region = Region::zeroed(arena.divide(&[]).remove(0));
                let problem = Problem { puzzle: &puzzle, heuristic: &heuristic, start };
                let limits = Limits { checkpoint_sink: Some(sink), ..Limits::default() };
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
            let sink = MemorySink::default();
            let reference = length(&sink);
            for snapshot in sink.saved.into_inner() {
                assert_eq!(
                    length(&MemorySink { from: Some(snapshot), ..MemorySink::default() }),
                    reference,
                    "board {board}"
                );
                resumed += 1;
            }
        }
        assert!(resumed > 10, "{resumed}");
    }
}
