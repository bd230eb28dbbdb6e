//! Read-only access to a table that receives no more insertions.

use super::{OCCUPIED, SlotContent, Table};
use crate::memory::geometry::Geometry;
use crate::memory::key::Key;
use std::ops::Range;

/// Read-only table: many threads read it without locks.
#[derive(Debug)]
pub struct Frozen<'m, K: Key>(pub(super) Table<'m, K>);

impl<'m, K: Key> Frozen<'m, K> {
    /// Returns the layout of the table.
    pub fn geometry(&self) -> &Geometry {
        &self.0.geometry
    }

    /// Prefetches the first two lines of the probe sequence of `mixed`. A frozen table is
    /// nearly full and most lookups fail, so the second line is often needed.
    #[inline(always)]
    pub fn prefetch(&self, mixed: K) {
        let geometry = &self.0.geometry;
        let home = mixed.home(geometry);
        for line in [home, geometry.probed_line(home, 1)] {
            self.0.prefetch_slot(line * geometry.width);
        }
    }

    /// Makes the table writable again.
    pub fn thaw(self) -> Table<'m, K> {
        self.0
    }

    /// Finds `mixed`.
    #[inline(always)]
    pub fn find(&self, mixed: K) -> Option<SlotContent<K>> {
        let (_, content) = self.locate(mixed)?;
        let g = &self.0.geometry;
        let meta = K::meta(&content, g);
        Some(SlotContent { mixed, cost: g.fields.cost_of(meta), step: g.fields.step_of(meta) })
    }

    /// Returns the slot of `mixed`.
    #[inline(always)]
    pub fn slot_of(&self, mixed: K) -> Option<u32> {
        self.locate(mixed).map(|(slot, _)| slot as u32)
    }

    #[inline(always)]
    fn locate(&self, mixed: K) -> Option<(usize, K::Slot)> {
        let home = mixed.home(&self.0.geometry);
        debug_assert!(home < self.0.geometry.lines);
        #[allow(unsafe_code)]
        // SAFETY: the geometry keeps probed lines inside the table, and a frozen table is
        // never written.
        let read = |slot| unsafe { self.0.read_unsynchronised(slot) };
        let found = self.0.probe(mixed, home, read)?;
        (!K::is_empty(&found.content)).then_some((found.slot, found.content))
    }

    /// Prefetches `slot`.
    #[inline(always)]
    pub fn prefetch_slot(&self, slot: u32) {
        self.0.prefetch_slot(slot as usize);
    }

    /// Reads an occupied slot.
    #[inline]
    pub fn content(&self, slot: u32) -> SlotContent<K> {
        let slot = slot as usize;
        assert!(slot < self.0.slots.len());
        #[allow(unsafe_code)]
        // SAFETY: the slot is inside the table, and a frozen table is never written.
        let content = unsafe { self.0.read_unsynchronised(slot) };
        self.0.decode(slot, &content).expect(OCCUPIED)
    }

    /// Calls `visit` with the content of every occupied slot of `lines`.
    pub fn for_each_in(&self, lines: Range<usize>, mut visit: impl FnMut(SlotContent<K>)) {
        let g = &self.0.geometry;
        assert!(lines.end <= g.lines);
        for slot in lines.start * g.width..lines.end * g.width {
            #[allow(unsafe_code)]
            // SAFETY: the slot is inside the table, and a frozen table is never written.
            let content = unsafe { self.0.read_unsynchronised(slot) };
            if let Some(content) = self.0.decode(slot, &content) {
                visit(content);
            }
        }
    }
}
