//! Slice that several threads process at once, chunk by chunk.

use std::marker::PhantomData;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Distributes the chunks of a slice to threads, each chunk once.
#[derive(Debug)]
pub struct ParallelChunks<'m, T> {
    first: *mut T,
    len: usize,
    /// Elements in a chunk; the last one may be shorter.
    chunk: usize,
    /// Number of chunks to distribute.
    chunks: usize,
    next: AtomicUsize,
    slice: PhantomData<&'m mut [T]>,
}

#[allow(unsafe_code)]
// SAFETY: represents `&mut [T]`, which is `Send` if `T` is.
unsafe impl<T: Send> Send for ParallelChunks<'_, T> {}
#[allow(unsafe_code)]
// SAFETY: each chunk goes to one thread only, as if the slice had been split and its chunks
// sent.
unsafe impl<T: Send> Sync for ParallelChunks<'_, T> {}

impl<'m, T> ParallelChunks<'m, T> {
    /// Prepares `slice` for distribution in chunks of `chunk` elements.
    pub fn new(slice: &'m mut [T], chunk: usize) -> Self {
        assert!(chunk > 0);
        Self {
            first: slice.as_mut_ptr(),
            len: slice.len(),
            chunk,
            chunks: slice.len().div_ceil(chunk),
            next: AtomicUsize::new(0),
            slice: PhantomData,
        }
    }

    /// Limits the distribution to the first `chunks` chunks.
    pub fn up_to(self, chunks: usize) -> Self {
        Self { chunks: self.chunks.min(chunks), ..self }
    }

    /// Returns the next chunk and its index.
    // Several threads hold a chunk each, so this cannot take `&mut self`.
    #[allow(clippy::mut_from_ref)]
    pub fn next(&self) -> Option<(usize, &mut [T])> {
        if self.is_empty() {
            return None;
        }
        let index = self.next.fetch_add(1, Relaxed);
        if index >= self.chunks {
            return None;
        }
        let start = index * self.chunk;
        let len = self.chunk.min(self.len - start);
        #[allow(unsafe_code)]
        // SAFETY: inside the slice, which is borrowed for 'm. `fetch_add` returns each index
        // once, and chunks of different indices do not overlap. While the chunk is held,
        // `self` is borrowed, so `into_slice` cannot be called.
        let chunk = unsafe { std::slice::from_raw_parts_mut(self.first.add(start), len) };
        Some((index, chunk))
    }

    /// Returns whether all chunks have been distributed.
    pub fn is_empty(&self) -> bool {
        self.next.load(Relaxed) >= self.chunks
    }

    /// Returns the whole slice.
    pub fn into_slice(self) -> &'m mut [T] {
        #[allow(unsafe_code)]
        // SAFETY: pointer and length are those of the slice, which is borrowed for 'm; every
        // chunk borrowed `self`, so none is held any more.
        unsafe {
            std::slice::from_raw_parts_mut(self.first, self.len)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_element_goes_to_one_thread() {
        let mut numbers: Vec<u32> = (0..10_001).collect();
        let parallel_chunks = ParallelChunks::new(&mut numbers, 7);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    while let Some((index, chunk)) = parallel_chunks.next() {
                        assert_eq!(chunk[0] as usize, index * 7);
                        chunk.iter_mut().for_each(|element| *element += 1);
                    }
                });
            }
        });
        assert!(parallel_chunks.is_empty());
        let numbers = parallel_chunks.into_slice();
        assert!(numbers.iter().zip(1..).all(|(&number, expected)| number == expected));
        assert!(ParallelChunks::<u32>::new(&mut [], 3).next().is_none());
    }
}
