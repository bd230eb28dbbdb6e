//! How a search divides its region between the table and the open list.
//!
//! ```text
//!  ┌────────────┬────────────┬──────────────────────────────────────────┐
//!  │ open list  │ small      │ large                                    │
//!  └────────────┴────────────┴──────────────────────────────────────────┘
//! ```
//!
//! The table starts small and grows by fixed factors, each time from one of the
//! two pieces into the other; the last table fills the large piece, and the small
//! one then serves the open list, which by then needs it. The last step is the
//! longest: most of a large search then happens after its last growth, and few
//! states were moved.

use super::Entry;
use crate::memory::Key;
use crate::memory::buckets::Shape;
use crate::memory::geometry::{Fields, Geometry};

/// A region's division.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    /// Where the small piece and the large piece start, in bytes.
    pub(super) small: usize,
    pub(super) large: usize,
    pub(super) shape: Shape,
    /// The tables, the last and largest first.
    pub(super) tables: Vec<Geometry>,
    /// How full the last one may get, in percent.
    full: usize,
}

/// How full a table may get, in percent: one that can grow, and the last one.
const FULL_GROWING: usize = 80;
const FULL_LAST: usize = 91;

/// The last one where estimates are far away: several searches go on from its
/// frontier then, and they look states up of which most are not in it. In a fuller
/// table that takes many lines.
const FULL_LAST_PREFETCHED: usize = 75;

/// States that are still open when the table is full, in percent of all.
const OPEN_SHARE: usize = 62;

/// The smallest table that a search starts with; and where estimates are far
/// away, so that the table's part of the time is small and its memory too.
const SMALLEST: usize = 32 << 10;
const SMALLEST_PREFETCHED: usize = 192 << 10;

/// Chunks that a lone worker's pushes may need before it looks again.
pub(super) const RESERVE: usize = crate::search::astar::eager::PUSHES_ALONE;

impl Layout {
    /// The division of `bytes`; none if that is too little for a table. Estimates
    /// may come from far away.
    pub(super) fn new<K: Key, E: Entry<C>, C>(
        bytes: usize,
        fields: Fields,
        levels: usize,
        columns: usize,
        is_far: bool,
    ) -> Option<Self> {
        let (smallest, full) =
            if is_far { (SMALLEST_PREFETCHED, FULL_LAST_PREFETCHED) } else { (SMALLEST, FULL_LAST) };
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
        // In thousandths of the large piece: the open list of a full table, of
        // which the small piece takes a part in the end; before the last growth
        // the list must do without.
        let open = full * OPEN_SHARE * entry / (10 * slot);
        let small = 1000 / last_growth;
        let near = open.saturating_sub(small).max(open * 11 / (10 * last_growth));
        let large = rest / (1000 + small + near) * 1000;
        let mut tables = Vec::new();
        let mut size = large;
        while let Some(geometry) = Geometry::fitting::<K>(size, fields) {
            size /= if tables.is_empty() { last_growth } else { growth };
            tables.push(geometry);
            if size < smallest {
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
            full,
        })
    }

    /// How many states a table takes before it counts as full.
    pub(super) fn room(&self, growths_left: usize) -> u64 {
        let slots = self.tables[growths_left].slots();
        let percent = if growths_left == 0 { self.full } else { FULL_GROWING };
        (slots / 100 * percent + slots % 100 * percent / 100) as u64
    }
}
