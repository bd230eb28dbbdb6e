//! Chunks of one size in a region, handed out one by one and linked to chains.
//!
//! A chain grows at its end and is given back as a whole, in no more time than
//! it takes to change two links. Chunks that were never handed out stay
//! untouched, so they cost no resident memory.
//!
//! ```text
//!  ┌────────────────────┬─────────┬─────────┬─────────┬─────────────┐
//!  │ links, one a chunk │ chunk 0 │ chunk 1 │ chunk 2 │ …           │
//!  └────────────────────┴─────────┴─────────┴─────────┴─────────────┘
//! ```
//!
//! All words are atomic and read and written without order: that costs nothing,
//! and whoever hands a chain from one thread to another does so under a lock.

use super::region::Watermark;
use lock_api::{Mutex, RawMutex};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// A pool of chunks, with a lock on those that are free.
pub struct Pool<'m, L: RawMutex = parking_lot::RawMutex> {
    links: &'m [AtomicU64],
    words: &'m [AtomicU64],
    /// Words in a chunk, a power of two, and that as an exponent.
    chunk: usize,
    exponent: u32,
    free: Mutex<L, Free>,
    watermark: &'m Watermark,
    /// Where the first chunk lies in the region, in bytes.
    offset: usize,
}

/// What is not in use.
#[derive(Debug)]
struct Free {
    /// Chunks that were given back.
    chain: Chain,
    /// The first chunk that was never handed out.
    fresh: u32,
}

/// No chunk.
const NONE: u32 = u32::MAX;

/// Words in linked chunks, all of them full but the last.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Chain {
    first: u32,
    last: u32,
    len: u32,
}

impl Chain {
    /// A chain of nothing.
    pub const EMPTY: Self = Self { first: NONE, last: NONE, len: 0 };

    /// How many words it has.
    pub const fn len(&self) -> usize {
        self.len as usize
    }

    /// Whether there is nothing in it.
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The chain itself as two words.
    pub const fn to_words(self) -> [u64; 2] {
        [(self.first as u64) << 32 | self.last as u64, self.len as u64]
    }

    /// The chain that was made into these two words.
    pub const fn from_words([ends, len]: [u64; 2]) -> Self {
        Self { first: (ends >> 32) as u32, last: ends as u32, len: len as u32 }
    }
}

/// There is no chunk left.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Full;

impl<'m, L: RawMutex> Pool<'m, L> {
    /// A pool in memory that starts `offset` bytes behind the start of its
    /// region, in chunks of so many words, a power of two.
    pub fn new(memory: &'m mut [u64], chunk: usize, watermark: &'m Watermark, offset: usize) -> Self {
        debug_assert!(chunk.is_power_of_two());
        // A link and a chunk each, and what the chunks lose to whole lines.
        let chunks = (memory.len().saturating_sub(8) / (chunk + 1)).min(NONE as usize - 1);
        let (links, words) = memory.split_at_mut(chunks.next_multiple_of(8).min(memory.len()));
        let offset = offset + size_of_val(links);
        watermark.raise(offset);
        Self {
            links: &shared(links)[..chunks],
            words: shared(words),
            chunk,
            exponent: chunk.ilog2(),
            free: Mutex::new(Free { chain: Chain::EMPTY, fresh: 0 }),
            watermark,
            offset,
        }
    }

    /// Adds words to a chain's end: all of them, or none if there is no chunk
    /// left. There are no more of them than fit one chunk.
    pub fn append(&self, chain: &mut Chain, words: &[u64]) -> Result<(), Full> {
        let used = chain.len() & (self.chunk - 1);
        let room = if used == 0 { 0 } else { self.chunk - used };
        let (near, far) = words.split_at(words.len().min(room));
        if !far.is_empty() {
            let chunk = self.take()?;
            self.put(chain.last, used, near);
            self.put(chunk, 0, far);
            match chain.last {
                NONE => chain.first = chunk,
                last => self.links[last as usize].store(u64::from(chunk), Relaxed),
            }
            chain.last = chunk;
        } else {
            self.put(chain.last, used, near);
        }
        chain.len += words.len() as u32;
        Ok(())
    }

    /// A chain's words, chunk by chunk.
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

    /// The chunk that holds a chain's word of this number, from that word on.
    pub fn from_word(&self, chain: &Chain, word: usize) -> &'m [AtomicU64] {
        let chunk = self.chunks(chain).nth(word >> self.exponent).unwrap_or(&[]);
        &chunk[word & (self.chunk - 1)..]
    }

    /// Writes other words over a chain, as many or fewer, and gives back the
    /// chunks that it then does not need.
    pub fn rewrite(&self, chain: &mut Chain, words: &[u64]) {
        debug_assert!(words.len() <= chain.len());
        if words.is_empty() {
            return self.give(std::mem::replace(chain, Chain::EMPTY));
        }
        let mut at = chain.first;
        let mut parts = words.chunks(self.chunk).peekable();
        while let Some(part) = parts.next() {
            self.put(at, 0, part);
            if parts.peek().is_some() {
                at = self.links[at as usize].load(Relaxed) as u32;
            }
        }
        if at != chain.last {
            let first = self.links[at as usize].load(Relaxed) as u32;
            self.give(Chain { first, last: chain.last, len: 1 });
            chain.last = at;
        }
        chain.len = words.len() as u32;
    }

    /// Takes a chain back.
    pub fn give(&self, chain: Chain) {
        if chain.is_empty() {
            return;
        }
        let mut free = self.free.lock();
        self.links[chain.last as usize].store(u64::from(free.chain.first), Relaxed);
        free.chain.first = chain.first;
    }

    fn take(&self) -> Result<u32, Full> {
        let mut free = self.free.lock();
        let chunk = free.chain.first;
        if chunk != NONE {
            free.chain.first = self.links[chunk as usize].load(Relaxed) as u32;
            return Ok(chunk);
        }
        let chunk = free.fresh;
        if chunk as usize == self.links.len() {
            return Err(Full);
        }
        free.fresh += 1;
        self.watermark.raise(self.offset + (chunk as usize + 1) * self.chunk * size_of::<u64>());
        Ok(chunk)
    }

    fn put(&self, chunk: u32, at: usize, words: &[u64]) {
        if words.is_empty() {
            return;
        }
        let start = ((chunk as usize) << self.exponent) + at;
        for (cell, &word) in self.words[start..start + words.len()].iter().zip(words) {
            cell.store(word, Relaxed);
        }
        // The next words will most likely go behind these.
        super::prefetch_to_write(self.words.as_ptr().wrapping_add(start + words.len()));
    }
}

/// Words that many may read and write.
fn shared(words: &mut [u64]) -> &[AtomicU64] {
    const { assert!(size_of::<AtomicU64>() == size_of::<u64>() && align_of::<AtomicU64>() == align_of::<u64>()) };
    #[allow(unsafe_code)]
    // SAFETY: an `AtomicU64` has the layout of a `u64` (the alignment is asserted
    // above), and the exclusive borrow is given up for the shared one, so all
    // access is atomic.
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
    fn chains_grow_shrink_and_come_back() {
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
        pool.give(b);
        assert!(pool.append(&mut a, &[2; 8]).is_ok() && pool.append(&mut a, &[2; 8]).is_ok());
        assert_eq!(pool.append(&mut a, &[2]), Err(Full));
        assert_eq!(a.len(), 8 * (chunks + 2));
    }
}
