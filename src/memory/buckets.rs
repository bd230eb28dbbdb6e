//! Open list: one stack of entries per bucket (level, column), stored in linked chunks.
//!
//! The level is the priority f: the lowest level is popped first. Inside a level the highest
//! column is popped first; a search uses g as the column, so the deepest states come first.
//!
//! Chunks have a fixed size and are linked into one stack per bucket, so push and pop are one
//! store and one load. The list uses only the memory that it is given: it never allocates,
//! and a push into a full list returns [`NoChunk`].

use crate::memory::parallel_chunks::ParallelChunks;
use bytemuck::{Pod, Zeroable};

/// Link to no chunk.
const NONE: u32 = u32::MAX;

/// Header of a chunk: link to the chunk below it in its bucket or in the free list, and the
/// number of entries in use.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
struct Chunk {
    below: u32,
    len: u32,
}

/// Dimensions of a list.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shape {
    /// Number of levels.
    pub levels: usize,
    /// Number of columns in each level.
    pub columns: usize,
    /// Number of entries in a chunk.
    pub chunk: usize,
}

/// Error: the list is full, no chunk is left.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NoChunk;

/// Bucketed open list in borrowed memory.
#[derive(Debug)]
pub struct Buckets<'m, E> {
    shape: Shape,
    /// The top chunk of each bucket, level by level.
    tops: &'m mut [u32],
    /// Number of entries of each level.
    counts: &'m mut [u32],
    /// Upper bound of the highest non-empty column of each level.
    highest: &'m mut [u32],
    /// Chunks in the initial memory.
    first: Segment<'m, E>,
    /// Chunks in the memory that was added by [`Buckets::extend`].
    extension: Segment<'m, E>,
    /// Top of the free list.
    free: u32,
    /// First chunk that was never used.
    unused: u32,
    /// Number of chunks in both segments.
    chunks: usize,
    /// Number of chunks that hold entries.
    used: usize,
    /// Number of entries.
    len: usize,
    /// Lower bound of the lowest non-empty level.
    lowest: usize,
}

/// Chunks in one contiguous piece of memory.
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

/// Loan of all entries of a list, for many threads to change. Until the loan is returned,
/// the list can be queried, but not pushed to or popped from.
#[derive(Debug)]
pub struct EntryLoan<'m, E> {
    heads: [&'m mut [Chunk]; 2],
    /// Entries of the chunks that were ever used.
    entries: [ParallelChunks<'m, E>; 2],
}

impl<E> EntryLoan<'_, E> {
    /// Returns the entries of the next chunk that no thread has received yet.
    #[allow(clippy::mut_from_ref)]
    pub fn next(&self) -> Option<&mut [E]> {
        let [first, extension] = &self.entries;
        let (heads, (index, entries)) = match first.next() {
            Some(chunk) => (&self.heads[0], chunk),
            None => (&self.heads[1], extension.next()?),
        };
        Some(&mut entries[..heads[index].len as usize])
    }

    /// Returns whether all chunks have been handed out.
    pub fn is_empty(&self) -> bool {
        self.entries.iter().all(ParallelChunks::is_empty)
    }
}

impl<'m, E: Pod> Segment<'m, E> {
    /// Divides `words` into as many chunks of `chunk` entries as fit.
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
    /// Creates an empty list in `memory`; `None` if it is too small for one chunk.
    pub fn new(memory: &'m mut [u64], shape: Shape) -> Option<Self> {
        const { assert!(align_of::<E>() <= 4 && size_of::<E>().is_multiple_of(4) && size_of::<E>() > 0) };
        let words: &mut [u32] = bytemuck::cast_slice_mut(memory);
        let (tops, words) = words.split_at_mut_checked(shape.levels * shape.columns)?;
        let (counts, words) = words.split_at_mut_checked(shape.levels)?;
        let (highest, words) = words.split_at_mut_checked(shape.levels)?;
        let first = Segment::new(words, shape.chunk);
        if first.chunks.is_empty() {
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
            chunks: first.chunks.len(),
            first,
            extension: Segment::default(),
            free: NONE,
            unused: 0,
            used: 0,
            len: 0,
            lowest: shape.levels,
        })
    }

    /// Adds memory for more chunks.
    ///
    /// # Panics
    /// If the list was extended before.
    pub fn extend(&mut self, memory: &'m mut [u64]) {
        assert!(self.extension.chunks.is_empty(), "a list is extended once");
        self.extension = Segment::new(bytemuck::cast_slice_mut(memory), self.shape.chunk);
        self.chunks += self.extension.chunks.len();
    }

    /// Returns the header and the entries of `chunk`.
    #[inline(always)]
    fn chunk(&mut self, chunk: u32) -> (&mut Chunk, &mut [E]) {
        let in_first = self.first.chunks.len();
        let (segment, index) = match (chunk as usize).checked_sub(in_first) {
            None => (&mut self.first, chunk as usize),
            Some(index) => (&mut self.extension, index),
        };
        let start = index * self.shape.chunk;
        (&mut segment.chunks[index], &mut segment.entries[start..start + self.shape.chunk])
    }

    /// Returns the number of entries.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns whether there is no entry.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the dimensions of the list.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// Returns the number of chunks without entries.
    pub fn free_chunks(&self) -> usize {
        self.chunks - self.used
    }

    /// Returns the bytes of the chunks that hold entries.
    pub fn bytes_in_use(&self) -> usize {
        self.used * (size_of::<Chunk>() + self.shape.chunk * size_of::<E>())
    }

    /// Returns the lowest non-empty level.
    pub fn lowest(&mut self) -> Option<usize> {
        if self.len == 0 {
            return None;
        }
        while self.counts[self.lowest] == 0 {
            self.lowest += 1;
        }
        Some(self.lowest)
    }

    /// Pushes `entry` onto its bucket.
    ///
    /// # Panics
    /// If `level` or `column` is outside the dimensions of the list.
    pub fn push(&mut self, level: usize, column: usize, entry: E) -> Result<(), NoChunk> {
        self.push_all(level, column, &[entry])
    }

    /// Pushes `entries` onto one bucket. If the list becomes full, those that fit are pushed.
    ///
    /// # Panics
    /// If `level` or `column` is outside the dimensions of the list.
    pub fn push_all(&mut self, level: usize, column: usize, entries: &[E]) -> Result<(), NoChunk> {
        let mut rest = entries;
        self.push_with(level, column, entries.len(), |target| {
            let (now, later) = rest.split_at(target.len());
            target.copy_from_slice(now);
            rest = later;
        })
    }

    /// Pushes `count` entries onto one bucket and lets `write` construct them in place: it is
    /// called with one slice after another. If the list becomes full, those that fit are
    /// pushed.
    ///
    /// # Panics
    /// If `level` or `column` is outside the dimensions of the list.
    #[inline]
    pub fn push_with(
        &mut self,
        level: usize,
        column: usize,
        count: usize,
        mut write: impl FnMut(&mut [E]),
    ) -> Result<(), NoChunk> {
        assert!(column < self.shape.columns);
        let bucket = level * self.shape.columns + column;
        let mut rest = count;
        while rest > 0 {
            let mut top = self.tops[bucket];
            if top == NONE || self.chunk(top).0.len as usize == self.shape.chunk {
                let chunk = self.allocate_chunk().ok_or(NoChunk)?;
                *self.chunk(chunk).0 = Chunk { below: top, len: 0 };
                self.tops[bucket] = chunk;
                top = chunk;
            }
            let (chunk, entries) = self.chunk(top);
            let free = &mut entries[chunk.len as usize..];
            let now = rest.min(free.len());
            write(&mut free[..now]);
            chunk.len += now as u32;
            self.counts[level] += now as u32;
            self.len += now;
            self.highest[level] = self.highest[level].max(column as u32);
            self.lowest = self.lowest.min(level);
            rest -= now;
        }
        Ok(())
    }

    /// Pops up to `most` entries of the best bucket into `out`, if its level is less than
    /// `limit`. Returns its level and column.
    pub fn pop(&mut self, limit: usize, most: usize, out: &mut Vec<E>) -> Option<(usize, usize)> {
        let level = self.lowest().filter(|&level| level < limit)?;
        let column = self.highest(level)?;
        self.take(level, column, most, out);
        Some((level, column))
    }

    /// Returns the highest non-empty column of `level`.
    #[inline]
    pub fn highest(&mut self, level: usize) -> Option<usize> {
        let mut column = self.highest[level] as usize;
        while self.tops[level * self.shape.columns + column] == NONE {
            column = column.checked_sub(1)?;
        }
        self.highest[level] = column as u32;
        Some(column)
    }

    /// Returns the highest non-empty column of `level` that is less than `before`.
    pub fn highest_below(&self, level: usize, before: usize) -> Option<usize> {
        let columns = &self.tops[level * self.shape.columns..][..before.min(self.shape.columns)];
        columns.iter().rposition(|&top| top != NONE)
    }

    /// Pops up to `most` entries of one bucket into `out`.
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

    /// Lends all entries, for many threads to change.
    pub fn lend_entries(&mut self) -> EntryLoan<'m, E> {
        let (first, extension) = (std::mem::take(&mut self.first), std::mem::take(&mut self.extension));
        let (chunk, unused) = (self.shape.chunk, self.unused as usize);
        let entries = [
            ParallelChunks::new(first.entries, chunk).up_to(unused),
            ParallelChunks::new(extension.entries, chunk).up_to(unused.saturating_sub(first.chunks.len())),
        ];
        EntryLoan { heads: [first.chunks, extension.chunks], entries }
    }

    /// Ends a loan of [`Buckets::lend_entries`].
    pub fn return_entries(&mut self, loan: EntryLoan<'m, E>) {
        let ([first, extension], [first_entries, extension_entries]) = (loan.heads, loan.entries);
        self.first = Segment { chunks: first, entries: first_entries.into_slice() };
        self.extension = Segment { chunks: extension, entries: extension_entries.into_slice() };
    }

    /// Calls `visit` with level, column and content of every entry.
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

    /// Returns a chunk from the free list, or one that was never used.
    fn allocate_chunk(&mut self) -> Option<u32> {
        let chunk = if self.free != NONE {
            let chunk = self.free;
            self.free = self.chunk(chunk).0.below;
            chunk
        } else if (self.unused as usize) < self.chunks {
            self.unused += 1;
            self.unused - 1
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
    fn entries_are_popped_by_lowest_level_then_highest_column() {
        let shape = Shape { levels: 40, columns: 7, chunk: 5 };
        let mut memory = vec![0u64; 4000];
        let mut list = Buckets::<u32>::new(&mut memory, shape).unwrap();
        let mut model: BTreeMap<(usize, std::cmp::Reverse<usize>), Vec<u32>> = BTreeMap::new();
        let mut out = Vec::new();
        let mut random = 1u64;
        for round in 0..20_000u32 {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let (level, column) = ((random >> 33) as usize % 40, (random >> 50) as usize % 7);
            if round % 1000 < 600 {
                list.push(level, column, round).unwrap();
                model.entry((level, std::cmp::Reverse(column))).or_default().push(round);
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
                let left = stack.len().saturating_sub(most);
                out.sort_unstable();
                assert_eq!(out, stack.split_off(left));
                if left == 0 {
                    first.remove();
                }
            }
            assert_eq!(list.len(), model.values().map(Vec::len).sum::<usize>());
        }
    }

    #[test]
    fn a_full_list_accepts_entries_again_after_a_pop() {
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
