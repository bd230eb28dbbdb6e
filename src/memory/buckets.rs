//! The open list: a stack of entries for each (level, column), in chunks.
//!
//! Levels are priorities, the lowest first; inside a level the highest column
//! comes first (a search puts the cost of the way so far there, so that the
//! deepest states come first). Entries lie in chunks of a fixed size, linked to
//! one stack for each bucket, so that pushing and popping is a store and a
//! load. Everything lies in memory that the list is given: it never allocates,
//! and says when it is full.

use crate::memory::parallel_chunks::ParallelChunks;
use bytemuck::{Pod, Zeroable};

/// No chunk.
const NONE: u32 = u32::MAX;

/// The head of a chunk: the chunk below it in its bucket or in the free list,
/// and how many of its entries are in use.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
struct Chunk {
    below: u32,
    len: u32,
}

/// How many levels, columns and entries a list can have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shape {
    /// Priorities from 0 up to this.
    pub levels: usize,
    /// Columns in each level.
    pub columns: usize,
    /// Entries in a chunk.
    pub chunk: usize,
}

/// The list is full: no chunk is left for the entry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NoChunk;

/// A bucketed open list in borrowed memory.
#[derive(Debug)]
pub struct Buckets<'m, E> {
    shape: Shape,
    /// The top chunk of each bucket, level by level.
    tops: &'m mut [u32],
    /// For each level: how many entries it has, and a bound on its highest
    /// column in use.
    counts: &'m mut [u32],
    highest: &'m mut [u32],
    /// Chunks from the memory given first, and from what was added later.
    near: Segment<'m, E>,
    far: Segment<'m, E>,
    /// The first chunk of the free list, and the first that was never used.
    free: u32,
    fresh: u32,
    /// Chunks in all, and in use.
    chunks: usize,
    used: usize,
    /// Entries in all.
    len: usize,
    /// No entry lies in a level below this.
    lowest: usize,
}

/// Chunks in one stretch of memory.
#[derive(Debug)]
struct Segment<'m, E> {
    chunks: &'m mut [Chunk],
    entries: &'m mut [E],
}

impl<E> Default for Segment<'_, E> {
    fn default() -> Self {
        Self { chunks: &mut [], entries: &mut [] }
    }
}

/// A list's entries while many threads change them: the list itself can be
/// asked how much it holds, but not pushed to or popped.
#[derive(Debug)]
pub struct EntryLoan<'m, E> {
    heads: [&'m mut [Chunk]; 2],
    /// As far as chunks were ever used.
    entries: [ParallelChunks<'m, E>; 2],
}

impl<E> EntryLoan<'_, E> {
    /// The entries of a chunk that nobody has had yet.
    #[allow(clippy::mut_from_ref)]
    pub fn next(&self) -> Option<&mut [E]> {
        let [near, far] = &self.entries;
        let (heads, (number, entries)) = match near.next() {
            Some(part) => (&self.heads[0], part),
            None => (&self.heads[1], far.next()?),
        };
        Some(&mut entries[..heads[number].len as usize])
    }

    /// Whether all chunks were given to somebody.
    pub fn is_empty(&self) -> bool {
        self.entries.iter().all(ParallelChunks::is_empty)
    }
}

impl<'m, E: Pod> Segment<'m, E> {
    /// As many chunks as fit.
    fn new(words: &'m mut [u32], chunk: usize) -> Self {
        let entry = size_of::<E>() / 4;
        let chunks = (words.len() / (2 + chunk * entry)).min(NONE as usize / 2);
        let (heads, words) = words.split_at_mut(chunks * 2);
        Self {
            chunks: bytemuck::cast_slice_mut(heads),
            entries: bytemuck::cast_slice_mut(&mut words[..chunks * chunk * entry]),
        }
    }
}

impl<'m, E: Pod> Buckets<'m, E> {
    /// An empty list in `memory`, if that is enough for at least one chunk.
    pub fn new(memory: &'m mut [u64], shape: Shape) -> Option<Self> {
        const { assert!(align_of::<E>() <= 4 && size_of::<E>().is_multiple_of(4) && size_of::<E>() > 0) };
        let words: &mut [u32] = bytemuck::cast_slice_mut(memory);
        let (tops, words) = words.split_at_mut_checked(shape.levels * shape.columns)?;
        let (counts, words) = words.split_at_mut_checked(shape.levels)?;
        let (highest, words) = words.split_at_mut_checked(shape.levels)?;
        let near = Segment::new(words, shape.chunk);
        if near.chunks.is_empty() {
            return None;
        }
        tops.fill(NONE);
        counts.fill(0);
        highest.fill(0);
        Some(Self {
            shape,
            tops,
            counts,
            highest,
            chunks: near.chunks.len(),
            near,
            far: Segment::default(),
            free: NONE,
            fresh: 0,
            used: 0,
            len: 0,
            lowest: shape.levels,
        })
    }

    /// Gives the list more memory for chunks; it can take that once.
    pub fn extend(&mut self, memory: &'m mut [u64]) {
        assert!(self.far.chunks.is_empty(), "a list is extended once");
        self.far = Segment::new(bytemuck::cast_slice_mut(memory), self.shape.chunk);
        self.chunks += self.far.chunks.len();
    }

    /// The head of a chunk and its entries.
    #[inline(always)]
    fn chunk(&mut self, chunk: u32) -> (&mut Chunk, &mut [E]) {
        let near = self.near.chunks.len();
        let (segment, index) = match (chunk as usize).checked_sub(near) {
            None => (&mut self.near, chunk as usize),
            Some(index) => (&mut self.far, index),
        };
        let first = index * self.shape.chunk;
        (&mut segment.chunks[index], &mut segment.entries[first..first + self.shape.chunk])
    }

    /// Entries in the list.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is no entry.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The list's shape.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// Chunks that are not in use.
    pub fn free_chunks(&self) -> usize {
        self.chunks - self.used
    }

    /// Bytes that the entries' chunks take.
    pub fn bytes_in_use(&self) -> usize {
        self.used * (size_of::<Chunk>() + self.shape.chunk * size_of::<E>())
    }

    /// The lowest level with an entry.
    pub fn lowest(&mut self) -> Option<usize> {
        if self.len == 0 {
            return None;
        }
        while self.counts[self.lowest] == 0 {
            self.lowest += 1;
        }
        Some(self.lowest)
    }

    /// Puts an entry on top of its bucket.
    ///
    /// # Panics
    /// If the level or the column is outside the list's shape.
    pub fn push(&mut self, level: usize, column: usize, entry: E) -> Result<(), NoChunk> {
        self.push_all(level, column, &[entry])
    }

    /// Puts entries on top of their bucket; if there is no chunk for all of
    /// them, those that fit.
    ///
    /// # Panics
    /// If the level or the column is outside the list's shape.
    pub fn push_all(&mut self, level: usize, column: usize, entries: &[E]) -> Result<(), NoChunk> {
        let mut rest = entries;
        self.push_with(level, column, entries.len(), |room| {
            let (now, later) = rest.split_at(room.len());
            room.copy_from_slice(now);
            rest = later;
        })
    }

    /// Puts so many entries on top of their bucket, which are made where they will lie:
    /// `make` is given room for one part of them after the other. If there is no chunk
    /// for all of them, those that fit.
    ///
    /// # Panics
    /// If the level or the column is outside the list's shape.
    #[inline]
    pub fn push_with(
        &mut self,
        level: usize,
        column: usize,
        count: usize,
        mut make: impl FnMut(&mut [E]),
    ) -> Result<(), NoChunk> {
        assert!(column < self.shape.columns);
        let bucket = level * self.shape.columns + column;
        let mut rest = count;
        while rest > 0 {
            let mut top = self.tops[bucket];
            if top == NONE || self.chunk(top).0.len as usize == self.shape.chunk {
                let chunk = self.take_chunk().ok_or(NoChunk)?;
                *self.chunk(chunk).0 = Chunk { below: top, len: 0 };
                self.tops[bucket] = chunk;
                top = chunk;
            }
            let (chunk, room) = self.chunk(top);
            let room = &mut room[chunk.len as usize..];
            let now = rest.min(room.len());
            make(&mut room[..now]);
            chunk.len += now as u32;
            self.counts[level] += now as u32;
            self.len += now;
            self.highest[level] = self.highest[level].max(column as u32);
            self.lowest = self.lowest.min(level);
            rest -= now;
        }
        Ok(())
    }

    /// Takes up to `most` entries of the best bucket, if that lies below level
    /// `limit`; says which level and column it was.
    pub fn pop(&mut self, limit: usize, most: usize, out: &mut Vec<E>) -> Option<(usize, usize)> {
        let level = self.lowest().filter(|&level| level < limit)?;
        let column = self.highest(level)?;
        self.take(level, column, most, out);
        Some((level, column))
    }

    /// The highest column of a level that has an entry.
    #[inline]
    pub fn highest(&mut self, level: usize) -> Option<usize> {
        let mut column = self.highest[level] as usize;
        while self.tops[level * self.shape.columns + column] == NONE {
            column = column.checked_sub(1)?;
        }
        self.highest[level] = column as u32;
        Some(column)
    }

    /// The highest column of a level, before a given one, that has an entry.
    pub fn highest_below(&self, level: usize, before: usize) -> Option<usize> {
        let columns = &self.tops[level * self.shape.columns..][..before.min(self.shape.columns)];
        columns.iter().rposition(|&top| top != NONE)
    }

    /// Takes up to `most` entries of one bucket.
    pub fn take(&mut self, level: usize, column: usize, most: usize, out: &mut Vec<E>) {
        let bucket = level * self.shape.columns + column;
        let mut wanted = most;
        while wanted > 0 && self.tops[bucket] != NONE {
            let (top, free) = (self.tops[bucket], self.free);
            let (chunk, entries) = self.chunk(top);
            let len = chunk.len as usize;
            let taken = wanted.min(len);
            out.extend_from_slice(&entries[len - taken..len]);
            chunk.len -= taken as u32;
            wanted -= taken;
            if chunk.len == 0 {
                let below = std::mem::replace(&mut chunk.below, free);
                self.tops[bucket] = below;
                self.free = top;
                self.used -= 1;
            }
        }
        let popped = most - wanted;
        self.counts[level] -= popped as u32;
        self.len -= popped;
    }

    /// Lends out all entries, for many threads to change.
    pub fn lend_entries(&mut self) -> EntryLoan<'m, E> {
        let (near, far) = (std::mem::take(&mut self.near), std::mem::take(&mut self.far));
        let (chunk, fresh) = (self.shape.chunk, self.fresh as usize);
        let entries = [
            ParallelChunks::new(near.entries, chunk).up_to(fresh),
            ParallelChunks::new(far.entries, chunk).up_to(fresh.saturating_sub(near.chunks.len())),
        ];
        EntryLoan { heads: [near.chunks, far.chunks], entries }
    }

    /// Takes back what was lent out.
    pub fn return_entries(&mut self, lent: EntryLoan<'m, E>) {
        let ([near, far], [near_entries, far_entries]) = (lent.heads, lent.entries);
        self.near = Segment { chunks: near, entries: near_entries.into_slice() };
        self.far = Segment { chunks: far, entries: far_entries.into_slice() };
    }

    /// Calls `visit` with the level, the column and the entry of each.
    pub fn for_each(&mut self, mut visit: impl FnMut(usize, usize, &mut E)) {
        for bucket in 0..self.tops.len() {
            let (level, column) = (bucket / self.shape.columns, bucket % self.shape.columns);
            let mut chunk = self.tops[bucket];
            while chunk != NONE {
                let (head, entries) = self.chunk(chunk);
                entries[..head.len as usize].iter_mut().for_each(|entry| visit(level, column, entry));
                chunk = head.below;
            }
        }
    }

    fn take_chunk(&mut self) -> Option<u32> {
        let chunk = if self.free != NONE {
            let chunk = self.free;
            self.free = self.chunk(chunk).0.below;
            chunk
        } else if (self.fresh as usize) < self.chunks {
            self.fresh += 1;
            self.fresh - 1
        } else {
            return None;
        };
        self.used += 1;
        Some(chunk)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn entries_come_lowest_level_and_highest_column_first_and_none_is_lost() {
        let shape = Shape { levels: 40, columns: 7, chunk: 5 };
        let mut memory = vec![0u64; 4000];
        let mut list = Buckets::<u32>::new(&mut memory, shape).unwrap();
        let mut model: BTreeMap<(usize, std::cmp::Reverse<usize>), Vec<u32>> = BTreeMap::new();
        let mut out = Vec::new();
        let mut random = 1u64;
        for turn in 0..20_000u32 {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let (level, column) = ((random >> 33) as usize % 40, (random >> 50) as usize % 7);
            if turn % 1000 < 600 {
                list.push(level, column, turn).unwrap();
                model.entry((level, std::cmp::Reverse(column))).or_default().push(turn);
            } else {
                out.clear();
                let most = 1 + column;
                let popped = list.pop(level, most, &mut out);
                let Some(mut first) = model.first_entry().filter(|e| e.key().0 < level) else {
                    assert_eq!(popped, None);
                    continue;
                };
                assert_eq!(popped, Some((first.key().0, first.key().1.0)));
                let stack = first.get_mut();
                let kept = stack.len().saturating_sub(most);
                out.sort_unstable();
                assert_eq!(out, stack.split_off(kept));
                if kept == 0 {
                    first.remove();
                }
            }
            assert_eq!(list.len(), model.values().map(Vec::len).sum::<usize>());
        }
    }

    #[test]
    fn a_full_list_says_so_and_goes_on_after_a_pop() {
        let shape = Shape { levels: 4, columns: 1, chunk: 8 };
        let mut memory = vec![0u64; 64];
        let mut more = vec![0u64; 64];
        let mut list = Buckets::<[u32; 2]>::new(&mut memory, shape).unwrap();
        let mut pushed = 0;
        while list.push(1, 0, [pushed, 7]).is_ok() {
            pushed += 1;
        }
        assert_eq!(list.free_chunks(), 0);
        assert_eq!(pushed as usize, list.len());
        let mut out = Vec::new();
        assert_eq!(list.pop(4, 8, &mut out), Some((1, 0)));
        assert_eq!(out.last(), Some(&[pushed - 1, 7]));
        assert!(list.push(2, 0, [0, 0]).is_ok());
        list.extend(&mut more);
        assert!(list.free_chunks() > 1);
        for _ in 0..16 {
            list.push(3, 0, [9, 9]).unwrap();
        }
        assert!(Buckets::<u32>::new(&mut [0; 4], shape).is_none());
    }
}
