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
        roots.extend(&desk.in_hand);
        desk.open.for_each(|level, column, entry: &mut E| {
            if !search.is_stale(entry, column, table.known(entry.slot()).cost) {
                roots.push((entry.slot(), level as u16));
            }
        });
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
