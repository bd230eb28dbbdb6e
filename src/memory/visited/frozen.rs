//! How a table is used when nothing is added to it any more.

use super::{FILLED, SlotContent, Table};
use crate::memory::geometry::Geometry;
use crate::memory::key::Key;
use std::ops::Range;

/// A table that nobody writes to any more: it is read without locks.
#[derive(Debug)]
pub struct Frozen<'m, K: Key>(pub(super) Table<'m, K>);

impl<'m, K: Key> Frozen<'m, K> {
    /// The table's shape.
    pub fn geometry(&self) -> &Geometry {
        &self.0.geometry
    }

    /// Asks the processor to fetch the two lines where a mixed key is looked for
    /// first: a frozen table is nearly full, and most keys that are looked for are
    /// not in it.
    #[inline(always)]
    pub fn prefetch(&self, mixed: K) {
        let geometry = &self.0.geometry;
        let home = mixed.home(geometry);
        for line in [home, geometry.after(home, 1)] {
            self.0.prefetch_slot(line * geometry.width);
        }
    }

    /// The table, to be written to again.
    pub fn thaw(self) -> Table<'m, K> {
        self.0
    }

    /// Finds a mixed key.
    #[inline(always)]
    pub fn find(&self, mixed: K) -> Option<SlotContent<K>> {
        let (_, content) = self.locate(mixed)?;
        let g = &self.0.geometry;
        let meta = K::meta(&content, g);
        Some(SlotContent { mixed, cost: g.fields.cost_of(meta), step: g.fields.step_of(meta) })
    }

    /// The slot of a mixed key.
    #[inline(always)]
    pub fn slot_of(&self, mixed: K) -> Option<u32> {
        self.locate(mixed).map(|(slot, _)| slot as u32)
    }

    #[inline(always)]
    fn locate(&self, mixed: K) -> Option<(usize, K::Slot)> {
        #[allow(unsafe_code)]
        // SAFETY: lines lie inside the table by the geometry, and nobody writes
        // to a frozen table.
        let read = |slot| unsafe { self.0.plain(slot) };
        let (slot, _, content) = self.0.probe(mixed, mixed.home(&self.0.geometry), read)?;
        (!K::is_empty(&content)).then_some((slot, content))
    }

    /// Asks the processor to fetch a slot.
    #[inline(always)]
    pub fn prefetch_slot(&self, slot: u32) {
        self.0.prefetch_slot(slot as usize);
    }

    /// Reads a used slot.
    #[inline]
    pub fn content(&self, slot: u32) -> SlotContent<K> {
        let slot = slot as usize;
        assert!(slot < self.0.slots.len());
        #[allow(unsafe_code)]
        // SAFETY: inside the table, and nobody writes to a frozen table.
        let content = unsafe { self.0.plain(slot) };
        self.0.decode(slot, &content).expect(FILLED)
    }

    /// Calls `visit` with the content of every used slot of some lines.
    pub fn for_each_in(&self, lines: Range<usize>, mut visit: impl FnMut(SlotContent<K>)) {
        let g = &self.0.geometry;
        assert!(lines.end <= g.lines);
        for slot in lines.start * g.width..lines.end * g.width {
            #[allow(unsafe_code)]
            // SAFETY: inside the table, and nobody writes to a frozen table.
            let content = unsafe { self.0.plain(slot) };
            if let Some(known) = self.0.decode(slot, &content) {
                visit(known);
            }
        }
    }
}
