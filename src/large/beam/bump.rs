//! Memory of a search, handed out piece by piece.

use bytemuck::Pod;

/// What is left of a stretch of memory.
pub(super) struct BumpAllocator<'m>(&'m mut [u64]);

impl<'m> BumpAllocator<'m> {
    pub(super) fn new(words: &'m mut [u64]) -> Self {
        Self(words)
    }

    /// So many items, with whatever was there before; none if there is too
    /// little.
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
