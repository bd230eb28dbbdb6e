//! Makes a database: breadth-first search from the goal over all places of a
//! pattern's tiles.
//!
//! A level of the search is a bit for each state, in rows: a row for each class
//! (where the tiles are), a bit for each order (which is which). The next level
//! is gathered row by row: a class has a few neighbours, and a tile's move
//! between them either keeps the order, so that a whole row is taken over word
//! by word, or changes all orders in the same way, which a small table tells.
//! Rows fit the nearest caches, and whoever gathers a row is the only one to
//! write it, so any number of threads do this without a lock.
//!
//! Every move changes the colour of a class, and the distance by one. So the
//! rows of one colour hold the present level, those of the other colour the
//! level before it, which the next one replaces: what is gathered and was not in
//! the level before is new. Two bits for each state are all that the search
//! needs, one for the level and one for the result.

use super::database::{Database, stride, table_bytes, words_by_class};
use crate::memory::arena::Arena;
use crate::pdb::geometry::classes::Classes;
use crate::pdb::geometry::pattern::Pattern;
use crate::pdb::geometry::permutation::{self, FACTORIALS, Passage};
use crate::pdb::transpose::turn;
use parking_lot::Mutex;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Rows that a thread takes at a time.
const PORTION: usize = 64;

/// How far a database is made: states with a known distance, of all. To go on
/// is `true`.
pub type Report<'r> = &'r (dyn Fn(u64, u64) -> bool + Sync);

/// Why a database was not made.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// The system has not enough memory.
    #[error("there is no memory for the database: {0}")]
    Memory(#[from] io::Error),
    /// It was told to stop.
    #[error("the database was not finished")]
    Stopped,
}

/// The bytes that are in use while a pattern's database is made.
pub(in crate::pdb) fn bytes_needed(pattern: Pattern, classes: &Classes) -> u64 {
    let table =
        table_bytes(classes, pattern.tiles()).max(8 * words_by_class(classes, pattern.tiles()) as u64);
    // The level, the result, the neighbours of classes and the changes of order.
    let neighbours = classes.len() as u64 * 8 * 14;
    let orders = u64::from(FACTORIALS[pattern.tiles()]) * 2 * 48;
    2 * table + neighbours + orders
}

/// How many states a pattern has.
pub(in crate::pdb) fn states(pattern: Pattern, classes: &Classes) -> u64 {
    classes.len() as u64 * u64::from(FACTORIALS[pattern.tiles()])
}

/// Makes a pattern's database with so many threads.
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
    let mut known = 1;
    let even = classes.even();
    let states = states(pattern, classes);
    loop {
        let depth = counts.len();
        // Rows of the one colour are read, those of the other written.
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
        let portions =
            Mutex::new(to.chunks_mut(PORTION * stride).zip(result.chunks_mut(PORTION * stride)).enumerate());
        let found = AtomicU64::new(0);
        let gather = || {
            let mut row = vec![0u64; stride];
            loop {
                let Some((portion, (to, result))) = portions.lock().next() else { return };
                let mut new = 0;
                let rows = to.chunks_exact_mut(stride).zip(result.chunks_exact_mut(stride));
                for (class, (to, result)) in (first_to + portion * PORTION..).zip(rows) {
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
                // Where the system gives no more threads, fewer do the work.
                if std::thread::Builder::new().spawn_scoped(scope, gather).is_err() {
                    break;
                }
            }
            gather();
        });
        let found = found.into_inner();
        known += found;
        if found == 0 {
            break;
        }
        counts.push(found);
        if !report(known, states) {
            return Err(BuildError::Stopped);
        }
    }
    if let Some(columns) = classes.columns() {
        level.words_mut().fill(0);
        turn(&result.words()[..by_class / 8], stride, columns, level.words_mut());
        std::mem::swap(&mut level, &mut result);
    }
    Ok(Database::new(pattern, classes.clone(), result, counts))
}

/// The neighbours of each class, and how a tile's way from there changes the
/// orders.
struct Neighbours {
    /// Where the list of each class begins.
    begin: Vec<u32>,
    /// The neighbour, and the number of the change: 0 for none.
    list: Vec<(u32, u8)>,
    /// For each change but none, the number of each order afterwards.
    changes: Vec<Vec<u16>>,
}

impl Neighbours {
    fn new(pattern: Pattern, classes: &Classes) -> Self {
        let tiles = pattern.tiles();
        let mut new = Self { begin: vec![0], list: Vec::new(), changes: Vec::new() };
        let mut known: Vec<Passage> = Vec::new();
        for class in 0..classes.len() {
            for moved in classes.moves(class) {
                let passage = moved.passage.back();
                let change = if passage.others == 0 {
                    0
                } else {
                    let at = known.iter().position(|&other| other == passage);
                    1 + at.unwrap_or_else(|| {
                        known.push(passage);
                        new.changes.push(changed(passage, tiles));
                        known.len() - 1
                    })
                };
                new.list.push((classes.class(moved.set, moved.blank), change as u8));
            }
            new.begin.push(new.list.len() as u32);
        }
        new
    }

    /// Gathers what can be reached in a class from its neighbours that are
    /// active; whether there are any.
    fn gather<'f>(
        &self,
        class: usize,
        active: &[AtomicBool],
        row: &mut [u64],
        from: impl Fn(usize) -> &'f [u64],
    ) -> bool {
        let list = &self.list[self.begin[class] as usize..self.begin[class + 1] as usize];
        let mut any = false;
        for &(source, change) in list {
            if !active[source as usize].load(Ordering::Relaxed) {
                continue;
            }
            if !std::mem::replace(&mut any, true) {
                row.fill(0);
            }
            let from = from(source as usize);
            if change == 0 {
                row.iter_mut().zip(from).for_each(|(row, from)| *row |= from);
                continue;
            }
            let after = &self.changes[change as usize - 1];
            for (word, &bits) in from.iter().enumerate() {
                let mut bits = bits;
                while bits != 0 {
                    let number = after[64 * word + bits.trailing_zeros() as usize];
                    bits &= bits - 1;
                    row[number as usize >> 6] |= 1 << (number & 63);
                }
            }
        }
        any
    }
}

/// The number of each order after a tile's way past others.
fn changed(passage: Passage, tiles: usize) -> Vec<u16> {
    let all = 0..FACTORIALS[tiles];
    all.map(|n| (n as u16).wrapping_add(passage.change(&permutation::order(n as u16, tiles)))).collect()
}

#[cfg(test)]
mod tests {
    use super::super::database::Walk;
    use super::*;
    use crate::pdb::geometry::canonical::{Frame, Set, cells_of};
    use crate::pdb::geometry::permutation::MOST_TILES;
    use std::collections::{HashMap, HashSet, VecDeque};

    /// The cells of the tiles, in the order of their homes, and the blank's.
    type Places = ([u8; MOST_TILES], u8);

    /// About so many places are looked at.
    const PLACES: usize = 600_000;

    /// All places up to some distance, as a plain search finds them that moves the
    /// blank from cell to cell.
    fn plain(pattern: Pattern) -> HashMap<Places, u32> {
        let frame = pattern.frame;
        let mut cells = [u8::MAX; MOST_TILES];
        cells.iter_mut().zip(cells_of(pattern.homes)).for_each(|(cell, home)| *cell = home as u8);
        let start = (cells, pattern.blank);
        let (mut known, mut queue) = (HashMap::from([(start, 0)]), VecDeque::from([(start, 0)]));
        let mut most = u32::MAX;
        while let Some((places, distance)) = queue.pop_front() {
            if known.len() > PLACES {
                // All that are nearer have been met.
                most = most.min(distance);
            }
            if known[&places] < distance || distance >= most {
                continue;
            }
            let (cells, blank) = places;
            for to in cells_of(frame.around(1 << blank)) {
                let tile = cells.iter().position(|&cell| usize::from(cell) == to);
                let mut next = (cells, to as u8);
                tile.into_iter().for_each(|tile| next.0[tile] = blank);
                let distance = distance + u32::from(tile.is_some());
                if known.get(&next).is_none_or(|&before| distance < before) {
                    known.insert(next, distance);
                    match tile {
                        Some(_) => queue.push_back((next, distance)),
                        None => queue.push_front((next, distance)),
                    }
                }
            }
        }
        known.retain(|_, distance| *distance < most);
        known
    }

    /// Compares a database with a plain search.
    fn compare((rows, cols): (usize, usize), homes: Set, blank: usize) {
        let frame = Frame { rows, cols };
        let pattern = Pattern::new(frame, homes, blank).unwrap();
        let classes = Arc::new(Classes::new(frame, pattern.tiles()).unwrap());
        let database = build(pattern, &classes, 2, &|_, _| true).unwrap();
        let mut met: Vec<HashSet<([u8; MOST_TILES], Set)>> = Vec::new();
        for ((cells, blank), distance) in plain(pattern) {
            let mut tiles: Vec<u8> = (0..pattern.tiles() as u8).collect();
            tiles.sort_by_key(|&tile| cells[tile as usize]);
            let mut order = [0; MOST_TILES];
            order[..tiles.len()].copy_from_slice(&tiles);
            let set = cells[..tiles.len()].iter().fold(0, |set, &cell| set | 1 << cell);
            let mut walk = Walk::new(&database, set, blank.into(), order);
            while walk.look() {
                assert!(walk.step(), "{pattern}: no way on from {cells:?}, {blank}");
            }
            assert_eq!(walk.made, distance, "{pattern}: {cells:?}, {blank}");
            met.resize(met.len().max(distance as usize + 1), HashSet::new());
            met[distance as usize].insert((cells, frame.region(set, blank.into())));
        }
        assert!(met.len() > 5, "{pattern}: {}", met.len());
        let counts = met.iter().map(|met| met.len() as u64);
        assert!(counts.eq(database.counts().iter().copied().take(met.len())), "{pattern}");
    }

    #[test]
    fn distances_are_those_of_a_plain_search() {
        // FullPayload spaces.
        compare((3, 3), 0b0_1111_0110, 8);
        compare((3, 3), 0b0_0000_1111, 5);
        compare((4, 4), 0b0010_0001_0011, 15);
        compare((5, 5), 0b10_0110, 0);
        // What is near in large ones.
        compare((4, 3), 0b0111_0011_0010, 11);
        compare((4, 4), 0x7f, 15);
        compare((4, 4), 0x7f00, 15);
        compare((5, 5), 0x6f, 4);
        compare((5, 5), 0x3_18c0, 24);
    }
}
