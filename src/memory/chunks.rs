//! Pool of equal chunks in a region, linked into chains of words.
//!
//! A chain grows at its end and is freed as a whole by changing two links. Chunks that were
//! never allocated stay untouched, so they are not resident.
//!
//! ```text
//!  ┌────────────────────┬─────────┬─────────┬─────────┬─────────────┐
//!  │ one link per chunk │ chunk 0 │ chunk 1 │ chunk 2 │ …           │
//!  └────────────────────┴─────────┴─────────┴─────────┴─────────────┘
//! ```
//!
//! All words are atomics with relaxed ordering, which is as fast as plain access. Chains move
//! between threads under a lock, which orders the accesses.

use super::region::Watermark;
use lock_api::{Mutex, RawMutex};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Pool of chunks. A lock protects the free ones.
pub struct Pool<'m, L: RawMutex = parking_lot::RawMutex> {
    links: &'m [AtomicU64],
    words: &'m [AtomicU64],
    /// Words in a chunk, a power of two.
    chunk: usize,
    /// Binary logarithm of `chunk`.
    exponent: u32,
    free: Mutex<L, Free>,
    watermark: &'m Watermark,
    /// Offset of the first chunk in the region, in bytes.
    offset: usize,
}

/// Chunks that belong to no chain.
#[derive(Debug)]
struct Free {
    /// Freed chunks.
    chain: Chain,
    /// First chunk that was never allocated.
    unused: u32,
}

/// Link to no chunk.
const NONE: u32 = u32::MAX;

/// Sequence of words in linked chunks. All chunks but the last are full.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Chain {
    first: u32,
    last: u32,
    len: u32,
}

impl Chain {
    /// The empty chain.
    pub const EMPTY: Self = Self { first: NONE, last: NONE, len: 0 };

    /// Returns the number of words.
    pub const fn len(&self) -> usize {
        self.len as usize
    }

    /// Returns whether the chain has no words.
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Encodes the chain as two words.
    pub const fn to_words(self) -> [u64; 2] {
        [(self.first as u64) << 32 | self.last as u64, self.len as u64]
    }

    /// Decodes a chain from [`Chain::to_words`].
    pub const fn from_words([ends, len]: [u64; 2]) -> Self {
        Self { first: (ends >> 32) as u32, last: ends as u32, len: len as u32 }
    }
}

/// Error: no chunk is left.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Full;

impl<'m, L: RawMutex> Pool<'m, L> {
    /// Creates a pool of chunks of `chunk` words, a power of two, in `memory`, which starts
    /// `offset` bytes behind the start of its region.
    pub fn new(memory: &'m mut [u64], chunk: usize, watermark: &'m Watermark, offset: usize) -> Self {
        debug_assert!(chunk.is_power_of_two());
        // One link and `chunk` words per chunk; up to 8 words align the chunks to lines.
        let chunks = (memory.len().saturating_sub(8) / (chunk + 1)).min(NONE as usize - 1);
        let (links, words) = memory.split_at_mut(chunks.next_multiple_of(8).min(memory.len()));
        let offset = offset + size_of_val(links);
        watermark.raise(offset);
        Self {
            links: &shared(links)[..chunks],
            words: shared(words),
            chunk,
            exponent: chunk.ilog2(),
            free: Mutex::new(Free { chain: Chain::EMPTY, unused: 0 }),
            watermark,
            offset,
        }
    }

    /// Appends `words`, at most one chunk of them, to `chain`: all of them, or none if no
    /// chunk is left.
    pub fn append(&self, chain: &mut Chain, words: &[u64]) -> Result<(), Full> {
        let used = chain.len() & (self.chunk - 1);
        let room = if used == 0 { 0 } else { self.chunk - used };
        let (here, overflow) = words.split_at(words.len().min(room));
        if !overflow.is_empty() {
            let chunk = self.allocate()?;
            self.write(chain.last, used, here);
            self.write(chunk, 0, overflow);
            match chain.last {
                NONE => chain.first = chunk,
                last => self.links[last as usize].store(u64::from(chunk), Relaxed),
            }
            chain.last = chunk;
        } else {
            self.write(chain.last, used, here);
        }
        chain.len += words.len() as u32;
        Ok(())
    }

    /// Returns the words of `chain`, chunk by chunk.
    pub fn chunks(&self, chain: &Chain) -> impl Iterator<Item = &'m [AtomicU64]> + use<'m, '_, L> {
        let (mut at, mut left) = (chain.first, chain.len());
        std::iter::from_fn(move || {
            let len = left.min(self.chunk);
            if len == 0 {
                return None;
            }
            let start = (at as usize) << self.exponent;
            left -= len;
            if left > 0 {
                at = self.links[at as usize].load(Relaxed) as u32;
            }
            Some(&self.words[start..start + len])
        })
    }

    /// Returns the words of `chain` from index `word` to the end of its chunk.
    pub fn from_word(&self, chain: &Chain, word: usize) -> &'m [AtomicU64] {
        let chunk = self.chunks(chain).nth(word >> self.exponent).unwrap_or(&[]);
        &chunk[word & (self.chunk - 1)..]
    }

    /// Replaces the words of `chain` by `words`, which are not more, and frees the chunks that
    /// are no longer needed.
    pub fn rewrite(&self, chain: &mut Chain, words: &[u64]) {
        debug_assert!(words.len() <= chain.len());
        if words.is_empty() {
            return self.release(std::mem::replace(chain, Chain::EMPTY));
        }
        let mut at = chain.first;
        let mut parts = words.chunks(self.chunk).peekable();
        while let Some(part) = parts.next() {
            self.write(at, 0, part);
            if parts.peek().is_some() {
                at = self.links[at as usize].load(Relaxed) as u32;
            }
        }
        if at != chain.last {
            let first = self.links[at as usize].load(Relaxed) as u32;
            self.release(Chain { first, last: chain.last, len: 1 });
            chain.last = at;
        }
        chain.len = words.len() as u32;
    }

    /// Frees `chain`.
    pub fn release(&self, chain: Chain) {
        if chain.is_empty() {
            return;
        }
        let mut free = self.free.lock();
        self.links[chain.last as usize].store(u64::from(free.chain.first), Relaxed);
        free.chain.first = chain.first;
    }

    fn allocate(&self) -> Result<u32, Full> {
        let mut free = self.free.lock();
        let chunk = free.chain.first;
        if chunk != NONE {
            free.chain.first = self.links[chunk as usize].load(Relaxed) as u32;
            return Ok(chunk);
        }
        let chunk = free.unused;
        if chunk as usize == self.links.len() {
            return Err(Full);
        }
        free.unused += 1;
        self.watermark.raise(self.offset + (chunk as usize + 1) * self.chunk * size_of::<u64>());
        Ok(chunk)
    }

    fn write(&self, chunk: u32, at: usize, words: &[u64]) {
        if words.is_empty() {
            return;
        }
        let start = ((chunk as usize) << self.exponent) + at;
        for (cell, &word) in self.words[start..start + words.len()].iter().zip(words) {
            cell.store(word, Relaxed);
        }
        // The next words will most likely be written after these.
        super::prefetch_to_write(self.words.as_ptr().wrapping_add(start + words.len()));
    }
}

/// Returns `words` as atomics.
fn shared(words: &mut [u64]) -> &[AtomicU64] {
    const { assert!(size_of::<AtomicU64>() == size_of::<u64>() && align_of::<AtomicU64>() == align_of::<u64>()) };
    #[allow(unsafe_code)]
    // SAFETY: `AtomicU64` has the layout of `u64` (size and alignment are asserted above). The
    // exclusive borrow is converted into the shared one, so all access is atomic.
    unsafe {
        &*(std::ptr::from_mut(words) as *const [AtomicU64])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::{Line, Region};
    use bytemuck::Zeroable;

    fn words(pool: &Pool<'_>, chain: &Chain) -> Vec<u64> {
        pool.chunks(chain).flatten().map(|word| word.load(Relaxed)).collect()
    }

    #[test]
    fn chains_grow_shrink_and_are_reused() {
        let mut memory = vec![Line::zeroed(); 20];
        let mut region = Region::zeroed(&mut memory);
        let ([_, _, piece], watermark) = region.split(0, 0);
        let pool: Pool<'_> = Pool::new(piece.words, 8, watermark, 0);
        let (mut a, mut b) = (Chain::EMPTY, Chain::EMPTY);
        for i in 0..10 {
            pool.append(&mut a, &[3 * i, 3 * i + 1, 3 * i + 2]).unwrap();
            pool.append(&mut b, &[i]).unwrap();
        }
        assert_eq!(words(&pool, &a), (0..30).collect::<Vec<_>>());
        assert_eq!(words(&pool, &b), (0..10).collect::<Vec<_>>());
        assert_eq!(pool.from_word(&a, 13)[0].load(Relaxed), 13);
        assert_eq!(Chain::from_words(a.to_words()), a);
        pool.rewrite(&mut a, &(100..117).collect::<Vec<_>>());
        pool.append(&mut a, &[7; 8]).unwrap();
        assert_eq!(words(&pool, &a), (100..117).chain([7; 8]).collect::<Vec<_>>());
        pool.rewrite(&mut a, &[]);
        assert!(a.is_empty());
        let mut chunks = 0;
        while pool.append(&mut a, &[1; 8]).is_ok() {
            chunks += 1;
        }
        assert_eq!(chunks + 2, pool.links.len());
        assert_eq!(a.len(), 8 * chunks);
        pool.release(b);
        assert!(pool.append(&mut a, &[2; 8]).is_ok() && pool.append(&mut a, &[2; 8]).is_ok());
        assert_eq!(pool.append(&mut a, &[2]), Err(Full));
        assert_eq!(a.len(), 8 * (chunks + 2));
    }
}
