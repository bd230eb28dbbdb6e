//! A slice that many threads work on at once, each on parts of its own.

use std::marker::PhantomData;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// A slice whose parts are handed out one after another, each of them once.
#[derive(Debug)]
pub struct ParallelChunks<'m, T> {
    first: *mut T,
    len: usize,
    /// Elements in a part, but perhaps the last.
    part: usize,
    /// Parts in all.
    parts: usize,
    next: AtomicUsize,
    slice: PhantomData<&'m mut [T]>,
}

#[allow(unsafe_code)]
// SAFETY: it stands for the slice, which could be sent itself.
unsafe impl<T: Send> Send for ParallelChunks<'_, T> {}
#[allow(unsafe_code)]
// SAFETY: a part is given to one thread only, as if the slice had been divided
// and its parts sent.
unsafe impl<T: Send> Sync for ParallelChunks<'_, T> {}

impl<'m, T> ParallelChunks<'m, T> {
    /// The slice, in parts of so many elements.
    pub fn new(slice: &'m mut [T], part: usize) -> Self {
        assert!(part > 0);
        Self {
            first: slice.as_mut_ptr(),
            len: slice.len(),
            part,
            parts: slice.len().div_ceil(part),
            next: AtomicUsize::new(0),
            slice: PhantomData,
        }
    }

    /// The same, but at most so many parts are handed out.
    pub fn up_to(self, parts: usize) -> Self {
        Self { parts: self.parts.min(parts), ..self }
    }

    /// The next part and its number.
    // Many may hold a part each, so this cannot ask for `&mut self`.
    #[allow(clippy::mut_from_ref)]
    pub fn next(&self) -> Option<(usize, &mut [T])> {
        if self.is_empty() {
            return None;
        }
        let number = self.next.fetch_add(1, Relaxed);
        if number >= self.parts {
            return None;
        }
        let start = number * self.part;
        let len = self.part.min(self.len - start);
        #[allow(unsafe_code)]
        // SAFETY: inside the slice, which is borrowed for 'm; each number is
        // given out once, and parts of different numbers do not overlap; while
        // the part is held, `self` is borrowed and cannot give up the slice.
        let part = unsafe { std::slice::from_raw_parts_mut(self.first.add(start), len) };
        Some((number, part))
    }

    /// Whether all parts are handed out.
    pub fn is_empty(&self) -> bool {
        self.next.load(Relaxed) >= self.parts
    }

    /// The whole slice; nobody holds a part any more.
    pub fn into_slice(self) -> &'m mut [T] {
        #[allow(unsafe_code)]
        // SAFETY: made of this very slice, which is borrowed for 'm; all parts
        // borrowed `self`, so none is left.
        unsafe {
            std::slice::from_raw_parts_mut(self.first, self.len)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_element_is_given_to_one_thread() {
        let mut numbers: Vec<u32> = (0..10_001).collect();
        let parallel_chunks = ParallelChunks::new(&mut numbers, 7);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    while let Some((number, part)) = parallel_chunks.next() {
                        assert_eq!(part[0] as usize, number * 7);
                        part.iter_mut().for_each(|element| *element += 1);
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
