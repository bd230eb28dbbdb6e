//! Construction of a database: breadth-first search from the goal over all pattern states.
//!
//! A level of the search is a bit vector with one row per class and one bit per permutation.
//!
//! 1. For each class of the next level, gather the rows of its neighbour classes. A tile's
//!    move between two classes either keeps the permutation, and the row is copied word by
//!    word, or maps all permutations alike, by a table of ranks.
//! 2. Remove the states of the previous level; the rest is new.
//! 3. Set the result bits of the new states if the second bit of their distance is set.
//!
//! A row fits the first-level cache. Each row is written by one thread, so threads need no
//! locks for the rows.
//!
//! Every move changes the colour of the class and the distance by one. Rows of one colour
//! hold the current level, rows of the other colour the previous one, which the next level
//! replaces. Two bits per state are therefore enough: one for the level, one for the result.

use super::database::{Database, stride, table_bytes, words_by_class};
use crate::memory::arena::Arena;
use crate::pdb::geometry::classes::Classes;
use crate::pdb::geometry::pattern::Pattern;
use crate::pdb::geometry::permutation::{self, FACTORIALS, Jump};
use crate::pdb::transpose::transpose;
use parking_lot::Mutex;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Number of rows that a thread processes at a time.
const ROWS_PER_TASK: usize = 64;

/// Progress callback: states reached so far, and all states. Returns whether to continue.
pub type Report<'r> = &'r (dyn Fn(u64, u64) -> bool + Sync);

/// Reason why a database was not built.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// Not enough memory.
    #[error("not enough memory to build the database: {0}")]
    Memory(#[from] io::Error),
    /// The progress callback stopped the construction.
    #[error("building the database was stopped")]
    Stopped,
}

/// Returns the memory needed to build the database of `pattern`, in bytes.
pub(in crate::pdb) fn bytes_needed(pattern: Pattern, classes: &Classes) -> u64 {
    let table =
        table_bytes(classes, pattern.tiles()).max(8 * words_by_class(classes, pattern.tiles()) as u64);
    // Level, result, neighbours of classes, rank maps.
    let neighbours = classes.len() as u64 * 8 * 14;
    let rank_maps = u64::from(FACTORIALS[pattern.tiles()]) * 2 * 48;
    2 * table + neighbours + rank_maps
}

/// Returns the number of states of `pattern`.
pub(in crate::pdb) fn states(pattern: Pattern, classes: &Classes) -> u64 {
    classes.len() as u64 * u64::from(FACTORIALS[pattern.tiles()])
}

/// Builds the database of `pattern` with `threads` threads.
pub(in crate::pdb) fn build(
    pattern: Pattern,
    classes: &Arc<Classes>,
    threads: usize,
    report: Report<'_>,
) -> Result<Database, BuildError> {
    let stride = stride(pattern.tiles());
    let by_class = 8 * words_by_class(classes, pattern.tiles());
    let all = by_class.max(table_bytes(classes, pattern.tiles()) as usize);
    let (mut level, mut result) = (Arena::new(all, all)?, Arena::new(all, all)?);
    let neighbours = Neighbours::new(pattern, classes);
    let start = classes.class(pattern.homes, pattern.blank.into()) as usize;
    level.words_mut()[start * stride] = 1;
    let active: Vec<AtomicBool> = (0..classes.len()).map(|class| AtomicBool::new(class == start)).collect();
    let mut counts = vec![1];
    let mut reached = 1;
    let even = classes.even();
    let states = states(pattern, classes);
    loop {
        let depth = counts.len();
        // Rows of one colour are read, rows of the other colour are written.
        let to_odd = (start < even) == (depth % 2 == 1);
        let rows = even * stride;
        let (low, high) = level.words_mut().split_at_mut(rows);
        let (low_result, high_result) = result.words_mut().split_at_mut(rows);
        let end = (classes.len() - even) * stride;
        let (from, to, result, first_from, first_to) = if to_odd {
            (&*low, &mut high[..end], &mut high_result[..end], 0, even)
        } else {
            (&high[..end], low, low_result, even, 0)
        };
        let tasks = Mutex::new(
            to.chunks_mut(ROWS_PER_TASK * stride).zip(result.chunks_mut(ROWS_PER_TASK * stride)).enumerate(),
        );
        let found = AtomicU64::new(0);
        let gather = || {
            let mut row = vec![0u64; stride];
            loop {
                let Some((task, (to, result))) = tasks.lock().next() else { return };
                let mut new = 0;
                let rows = to.chunks_exact_mut(stride).zip(result.chunks_exact_mut(stride));
                for (class, (to, result)) in (first_to + task * ROWS_PER_TASK..).zip(rows) {
                    let was_active = active[class].load(Ordering::Relaxed);
                    let gathered = neighbours.gather(class, &active, &mut row, |source| {
                        let at = (source - first_from) * stride;
                        &from[at..at + stride]
                    });
                    let mut here = 0;
                    if gathered {
                        for (to, &row) in to.iter_mut().zip(&row) {
                            *to = row & !*to;
                            here += u64::from(to.count_ones());
                        }
                        if here > 0 && depth & 2 != 0 {
                            result.iter_mut().zip(&*to).for_each(|(result, to)| *result |= to);
                        }
                    } else if was_active {
                        to.fill(0);
                    }
                    active[class].store(here > 0, Ordering::Relaxed);
                    new += here;
                }
                found.fetch_add(new, Ordering::Relaxed);
            }
        };
        std::thread::scope(|scope| {
            for _ in 1..threads {
                // If the system refuses a thread, fewer threads do the work.
                if std::thread::Builder::new().spawn_scoped(scope, gather).is_err() {
                    break;
                }
            }
            gather();
        });
        let found = found.into_inner();
        reached += found;
        if found == 0 {
            break;
        }
        counts.push(found);
        if !report(reached, states) {
            return Err(BuildError::Stopped);
        }
    }
    if let Some(columns) = classes.columns() {
        level.words_mut().fill(0);
        transpose(&result.words()[..by_class / 8], stride, columns, level.words_mut());
        std::mem::swap(&mut level, &mut result);
    }
    Ok(Database::new(pattern, classes.clone(), result, counts))
}

/// Neighbours of each class, and the rank maps of the moves from them.
struct Neighbours {
    /// Start of the list of each class.
    begin: Vec<u32>,
    /// Neighbour, and index of its rank map plus one; 0 if the move keeps the permutation.
    list: Vec<(u32, u8)>,
    /// For each jump: the rank after it, by the rank before it.
    rank_maps: Vec<Vec<u16>>,
}

impl Neighbours {
    fn new(pattern: Pattern, classes: &Classes) -> Self {
        let tiles = pattern.tiles();
        let mut new = Self { begin: vec![0], list: Vec::new(), rank_maps: Vec::new() };
        let mut jumps: Vec<Jump> = Vec::new();
        for class in 0..classes.len() {
            for tile_move in classes.moves(class) {
                let jump = tile_move.jump.reversed();
                let map = if jump.others == 0 {
                    0
                } else {
                    let at = jumps.iter().position(|&other| other == jump);
                    1 + at.unwrap_or_else(|| {
                        jumps.push(jump);
                        new.rank_maps.push(rank_map(jump, tiles));
                        jumps.len() - 1
                    })
                };
                new.list.push((classes.class(tile_move.set, tile_move.blank), map as u8));
            }
            new.begin.push(new.list.len() as u32);
        }
        new
    }

    /// Writes to `row` the states of `class` that can be reached from its active neighbours.
    /// Returns whether there are any such neighbours.
    fn gather<'f>(
        &self,
        class: usize,
        active: &[AtomicBool],
        row: &mut [u64],
        from: impl Fn(usize) -> &'f [u64],
    ) -> bool {
        let list = &self.list[self.begin[class] as usize..self.begin[class + 1] as usize];
        let mut any = false;
        for &(source, map) in list {
            if !active[source as usize].load(Ordering::Relaxed) {
                continue;
            }
            if !std::mem::replace(&mut any, true) {
                row.fill(0);
            }
            let from = from(source as usize);
            if map == 0 {
                row.iter_mut().zip(from).for_each(|(row, from)| *row |= from);
                continue;
            }
            let after = &self.rank_maps[map as usize - 1];
            for (word, &bits) in from.iter().enumerate() {
                let mut bits = bits;
                while bits != 0 {
                    let rank = after[64 * word + bits.trailing_zeros() as usize];
                    bits &= bits - 1;
                    row[rank as usize >> 6] |= 1 << (rank & 63);
                }
            }
        }
        any
    }
}

/// Returns the rank after `jump` for each rank before it.
fn rank_map(jump: Jump, tiles: usize) -> Vec<u16> {
    let all = 0..FACTORIALS[tiles];
    all.map(|n| (n as u16).wrapping_add(jump.rank_delta(&permutation::unrank(n as u16, tiles)))).collect()
}

#[cfg(test)]
mod tests {
    use super::super::database::Descent;
    use super::*;
    use crate::pdb::geometry::canonical::{CellSet, Frame, cells_of};
    use crate::pdb::geometry::permutation::MAX_TILES;
    use std::collections::{HashMap, HashSet, VecDeque};

    /// Cells of the tiles, in the order of their goal cells, and cell of the blank.
    type PatternState = ([u8; MAX_TILES], u8);

    /// Approximate number of states to compare.
    const STATES: usize = 600_000;

    /// Returns all states up to some distance, found by a search that moves the blank from
    /// cell to cell.
    fn reference(pattern: Pattern) -> HashMap<PatternState, u32> {
        let frame = pattern.frame;
        let mut cells = [u8::MAX; MAX_TILES];
        cells.iter_mut().zip(cells_of(pattern.homes)).for_each(|(cell, home)| *cell = home as u8);
        let start = (cells, pattern.blank);
        let (mut distances, mut queue) = (HashMap::from([(start, 0)]), VecDeque::from([(start, 0)]));
        let mut most = u32::MAX;
        while let Some((state, distance)) = queue.pop_front() {
            if distances.len() > STATES {
                // All nearer states have been reached.
                most = most.min(distance);
            }
            if distances[&state] < distance || distance >= most {
                continue;
            }
            let (cells, blank) = state;
            for to in cells_of(frame.adjacent(1 << blank)) {
                let tile = cells.iter().position(|&cell| usize::from(cell) == to);
                let mut next = (cells, to as u8);
                tile.into_iter().for_each(|tile| next.0[tile] = blank);
                let distance = distance + u32::from(tile.is_some());
                if distances.get(&next).is_none_or(|&before| distance < before) {
                    distances.insert(next, distance);
                    match tile {
                        Some(_) => queue.push_back((next, distance)),
                        None => queue.push_front((next, distance)),
                    }
                }
            }
        }
        distances.retain(|_, distance| *distance < most);
        distances
    }

    /// Compares a database with the reference search.
    fn compare((rows, cols): (usize, usize), homes: CellSet, blank: usize) {
        let frame = Frame { rows, cols };
        let pattern = Pattern::new(frame, homes, blank).unwrap();
        let classes = Arc::new(Classes::new(frame, pattern.tiles()).unwrap());
        let database = build(pattern, &classes, 2, &|_, _| true).unwrap();
        let mut reached: Vec<HashSet<([u8; MAX_TILES], CellSet)>> = Vec::new();
        for ((cells, blank), distance) in reference(pattern) {
            let mut tiles: Vec<u8> = (0..pattern.tiles() as u8).collect();
            tiles.sort_by_key(|&tile| cells[tile as usize]);
            let mut permutation = [0; MAX_TILES];
            permutation[..tiles.len()].copy_from_slice(&tiles);
            let set = cells[..tiles.len()].iter().fold(0, |set, &cell| set | 1 << cell);
            let mut descent = Descent::new(&database, set, blank.into(), permutation);
            while descent.prefetch_moves() {
                assert!(descent.step(), "{pattern}: no nearer state from {cells:?}, {blank}");
            }
            assert_eq!(descent.moves, distance, "{pattern}: {cells:?}, {blank}");
            reached.resize(reached.len().max(distance as usize + 1), HashSet::new());
            reached[distance as usize].insert((cells, frame.region(set, blank.into())));
        }
        assert!(reached.len() > 5, "{pattern}: {}", reached.len());
        let counts = reached.iter().map(|reached| reached.len() as u64);
        assert!(counts.eq(database.counts().iter().copied().take(reached.len())), "{pattern}");
    }

    #[test]
    fn distances_agree_with_the_reference_search() {
        // Whole state spaces.
        compare((3, 3), 0b0_1111_0110, 8);
        compare((3, 3), 0b0_0000_1111, 5);
        compare((4, 4), 0b0010_0001_0011, 15);
        compare((5, 5), 0b10_0110, 0);
        // States near the goal in large spaces.
        compare((4, 3), 0b0111_0011_0010, 11);
        compare((4, 4), 0x7f, 15);
        compare((4, 4), 0x7f00, 15);
        compare((5, 5), 0x6f, 4);
        compare((5, 5), 0x3_18c0, 24);
    }
}
