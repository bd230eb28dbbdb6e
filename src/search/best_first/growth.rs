//! What happens when the table is full: a larger one, or none.

use super::engine::{BestFirst, Desk, Stage, room};
use super::{Entry, WhenFull};
use crate::heuristic::Heuristic;
use crate::memory::Key;
use crate::memory::buckets::Buckets;
use crate::memory::geometry::Geometry;
use crate::memory::region::Piece;
use crate::memory::visited::{Access, Insert, Known, Table};
use crate::puzzle::Puzzle;
use crate::search::Stop;
use std::sync::atomic::Ordering;

impl<'m, P: Puzzle, H: Heuristic<P>, E: Entry<H::Carry>> BestFirst<'_, 'm, P, H, E> {
    /// Makes room in a table that was full at a version: by a larger table, or
    /// by freezing it, or by ending the search. Nobody may hold the stage.
    pub(super) fn make_room(&self, version: u64) {
        self.waiting.fetch_add(1, Ordering::Relaxed);
        let mut stage = self.stage.write();
        self.waiting.fetch_sub(1, Ordering::Relaxed);
        let desk = &mut *self.desk.lock();
        if desk.version != version || desk.done {
            return;
        }
        desk.version += 1;
        let Stage::Open(mut table) = std::mem::replace(&mut *stage, Stage::Changing) else {
            unreachable!("only an open table is full");
        };
        if let Some(larger) = self.larger(&mut table, desk) {
            *stage = Stage::Open(larger);
            let words = bytemuck::cast_slice_mut(table.into_memory());
            if desk.growths_left > 0 {
                let used = words.len();
                desk.spare = Some(Piece { words, used });
            } else {
                desk.open.extend(words);
            }
        } else {
            let table = table.freeze();
            let digs = self.when_full == WhenFull::Dig && self.order.is_optimal();
            if digs {
                desk.statistics.fell_back = true;
                desk.generated_before = desk.statistics.generated;
                self.take_up(desk, &table);
            }
            *stage = Stage::Frozen(table);
            if !digs {
                desk.stop = Some(Stop::Memory);
                self.end(desk);
            }
        }
    }

    /// The next table, with all states in it, if there is one to come.
    fn larger(
        &self,
        table: &mut Table<'m, P::Key>,
        desk: &mut Desk<'m, P::Key, E>,
    ) -> Option<Table<'m, P::Key>> {
        desk.growths_left = desk.growths_left.checked_sub(1)?;
        let geometry = self.layout.tables[desk.growths_left];
        if desk.growths_left % 2 == 0 {
            self.watermark.raise(self.layout.large + geometry.bytes::<P::Key>());
        }
        desk.room = room(geometry.slots(), desk.growths_left);
        grow(table, desk.spare.take()?, geometry, &mut desk.open)
    }
}

/// As many slots as a piece of memory has room for.
pub(super) fn slots<K: Key>(words: &mut [u64]) -> &mut [K::Slot] {
    let each = size_of::<K::Slot>() / 8;
    let whole = words.len() / each * each;
    bytemuck::cast_slice_mut(&mut words[..whole])
}

/// Moves all states into a larger table, and the open list's entries with them.
/// None, and nothing is moved, in the unlikely case that some line of the larger
/// table cannot take all that belongs there.
fn grow<'m, K: Key, C, E: Entry<C>>(
    table: &mut Table<'m, K>,
    spare: Piece<'m>,
    geometry: Geometry,
    open: &mut Buckets<'m, E>,
) -> Option<Table<'m, K>> {
    /// States under way at once, so that their lines are fetched together.
    const BATCH: usize = 64;
    let used = spare.used.div_ceil(size_of::<K::Slot>() / 8);
    let mut larger = Table::<K>::new(slots::<K>(spare.words), used, geometry);
    let mut batch = Vec::with_capacity(BATCH);
    let mut fits = true;
    let mut settle = |batch: &mut Vec<Known<K>>, larger: &mut Table<'m, K>| {
        for known in batch.drain(..) {
            fits &= larger.exclusive().insert(known.mixed, known.cost, known.step) != Insert::Full;
        }
    };
    table.for_each(|_, known| {
        larger.prefetch(known.mixed);
        batch.push(known);
        if batch.len() == BATCH {
            settle(&mut batch, &mut larger);
        }
    });
    settle(&mut batch, &mut larger);
    if !fits {
        return None;
    }
    let mut mixed = Vec::with_capacity(BATCH);
    open.for_each_chunk(|entries| {
        for entries in entries.chunks_mut(BATCH) {
            entries.iter().for_each(|entry| table.prefetch_slot(entry.slot() as usize));
            mixed.clear();
            mixed.extend(entries.iter().map(|entry| table.exclusive().known(entry.slot()).mixed));
            mixed.iter().for_each(|&mixed| larger.prefetch(mixed));
            for (entry, &mixed) in entries.iter_mut().zip(&mixed) {
                let slot = larger.slot_of(mixed).expect("all states were moved");
                entry.set_slot(slot);
            }
        }
    });
    Some(larger)
}
