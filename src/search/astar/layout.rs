//! Division of a region between the visited table and the open list.
//!
//! ```text
//!  ┌────────────┬────────────┬──────────────────────────────────────────┐
//!  │ open list  │ small      │ large                                    │
//!  └────────────┴────────────┴──────────────────────────────────────────┘
//! ```
//!
//! The table starts small and grows by fixed factors, alternating between the small and the
//! large piece. The last table fills the large piece; the small piece is then added to the open
//! list, which needs it by then. The last growth has the largest factor: most of a large search
//! happens after it, and few states have to be moved.

use super::Entry;
use crate::memory::Key;
use crate::memory::buckets::Shape;
use crate::memory::geometry::{Fields, Geometry};

/// The division of a region.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    /// Offsets of the small and the large piece in bytes.
    pub(super) small: usize,
    pub(super) large: usize,
    pub(super) shape: Shape,
    /// The tables, the last and largest first.
    pub(super) tables: Vec<Geometry>,
    /// Maximum load of the last table in percent.
    max_load: usize,
}

/// Maximum load in percent: of a table that can grow, and of the last one.
const LOAD_GROWING: usize = 80;
const LOAD_LAST: usize = 91;

/// Maximum load of the last table if heuristic lookups are prefetched. The interleaved searches
/// from its frontier look up states that are mostly absent, and in a fuller table an
/// unsuccessful lookup reads many lines.
const LOAD_LAST_PREFETCHED: usize = 75;

/// Open states when the table is full, in percent of all stored states.
const OPEN_SHARE: usize = 62;

/// Size of the first table in bytes; and if heuristic lookups are prefetched, because the table
/// then takes a small share of time and memory.
const FIRST_TABLE: usize = 32 << 10;
const FIRST_TABLE_PREFETCHED: usize = 192 << 10;

/// Chunks that the pushes of a single worker may need between two checks.
pub(super) const RESERVE: usize = crate::search::astar::eager::PUSHES_SINGLE;

impl Layout {
    /// Divides `bytes`. Returns `None` if a table does not fit. `prefetched` says whether
    /// heuristic lookups are prefetched.
    pub(super) fn new<K: Key, E: Entry<C>, C>(
        bytes: usize,
        fields: Fields,
        levels: usize,
        columns: usize,
        prefetched: bool,
    ) -> Option<Self> {
        let (first_table, max_load) = if prefetched {
            (FIRST_TABLE_PREFETCHED, LOAD_LAST_PREFETCHED)
        } else {
            (FIRST_TABLE, LOAD_LAST)
        };
        let (slot, entry) = (size_of::<K::Slot>(), size_of::<E>());
        let growth = if slot <= 8 { 4 } else { 8 };
        let last_growth = 16;
        let chunk = match bytes {
            0..0x80_0000 => 32,
            0x80_0000..0x800_0000 => 64,
            _ => 256,
        };
        let shape = Shape { levels, columns, chunk };
        let fixed = (levels * columns + 2 * levels) * 4 + RESERVE * (chunk * entry + 8);
        let rest = bytes.checked_sub(fixed)?;
        // In thousandths of the large piece: the open list of a full table. The small piece is
        // a part of it in the end; before the last growth the list must do without.
        let open = max_load * OPEN_SHARE * entry / (10 * slot);
        let small = 1000 / last_growth;
        let open_alone = open.saturating_sub(small).max(open * 11 / (10 * last_growth));
        let large = rest / (1000 + small + open_alone) * 1000;
        let mut tables = Vec::new();
        let mut size = large;
        while let Some(geometry) = Geometry::fitting::<K>(size, fields) {
            size /= if tables.is_empty() { last_growth } else { growth };
            tables.push(geometry);
            if size < first_table {
                break;
            }
        }
        if tables.is_empty() {
            return None;
        }
        let large_at = bytes.next_multiple_of(64) - large.next_multiple_of(64) - 64;
        Some(Self {
            small: large_at - (large / last_growth).next_multiple_of(64),
            large: large_at,
            shape,
            tables,
            max_load,
        })
    }

    /// Returns the number of states at which a table counts as full.
    pub(super) fn capacity(&self, growths_left: usize) -> u64 {
        let slots = self.tables[growths_left].slots();
        let percent = if growths_left == 0 { self.max_load } else { LOAD_GROWING };
        (slots / 100 * percent + slots % 100 * percent / 100) as u64
    }
}
