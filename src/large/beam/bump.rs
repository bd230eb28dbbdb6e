//! A bump allocator over the memory of a search.

use bytemuck::Pod;

/// The free rest of the memory.
pub(super) struct BumpAllocator<'m>(&'m mut [u64]);

impl<'m> BumpAllocator<'m> {
    pub(super) fn new(words: &'m mut [u64]) -> Self {
        Self(words)
    }

    /// Allocates `count` items with arbitrary contents. Returns none if the memory is too small.
    pub(super) fn alloc<T: Pod>(&mut self, count: usize) -> Option<&'m mut [T]> {
        let words = (count * size_of::<T>()).div_ceil(8);
        if words > self.0.len() {
            return None;
        }
        let (taken, rest) = std::mem::take(&mut self.0).split_at_mut(words);
        self.0 = rest;
        Some(&mut bytemuck::cast_slice_mut(taken)[..count])
    }
}
