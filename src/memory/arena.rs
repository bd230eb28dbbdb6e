//! Arena: one large anonymous mapping, with huge pages where available.
//!
//! A page of the mapping becomes resident when it is first written, so an arena can be as
//! large as the budget: unused pages cost nothing.

use super::region::Line;
use memmap2::{Advice, MmapMut, MmapOptions};
use std::io;

/// Anonymous mapping for tables and open lists, initially zero.
#[derive(Debug)]
pub struct Arena(MmapMut);

impl Arena {
    /// Maps up to `bytes`, and at least `least`. Halves the size until the system grants it;
    /// fails if it does not grant `least`.
    pub fn new(bytes: usize, least: usize) -> io::Result<Self> {
        let mut size = bytes.max(least).max(size_of::<Line>());
        loop {
            match MmapOptions::new().len(size).no_reserve_swap().map_anon() {
                Ok(map) => {
                    // Only a hint: without huge pages, small ones are used.
                    #[cfg(target_os = "linux")]
                    let _ = map.advise(Advice::HugePage);
                    return Ok(Self(map));
                }
                Err(error) if size / 2 < least => return Err(error),
                Err(_) => size /= 2,
            }
        }
    }

    /// Returns the size of the arena.
    pub fn bytes(&self) -> usize {
        self.0.len()
    }

    /// Returns the arena as words.
    #[inline(always)]
    pub fn words(&self) -> &[u64] {
        #[allow(unsafe_code)]
        // SAFETY: a mapping starts at a page boundary, so it is aligned; the length is
        // rounded down to whole words; every bit pattern is a valid word.
        unsafe {
            std::slice::from_raw_parts(self.0.as_ptr().cast(), self.0.len() / 8)
        }
    }

    /// Returns the arena as writable words.
    pub fn words_mut(&mut self) -> &mut [u64] {
        let whole = self.0.len() & !7;
        bytemuck::cast_slice_mut(&mut self.0[..whole])
    }

    /// Divides the arena into parts of `sizes` bytes, each rounded down to whole lines. The
    /// last element of the result is the remainder.
    pub fn divide(&mut self, sizes: &[usize]) -> Vec<&mut [Line]> {
        let whole = self.0.len() / size_of::<Line>() * size_of::<Line>();
        let mut rest: &mut [Line] = bytemuck::cast_slice_mut(&mut self.0[..whole]);
        let mut parts = Vec::with_capacity(sizes.len() + 1);
        for size in sizes {
            let (part, others) = rest.split_at_mut((size / size_of::<Line>()).min(rest.len()));
            parts.push(part);
            rest = others;
        }
        parts.push(rest);
        parts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_arena_is_divided_completely() {
        let mut arena = Arena::new(1 << 20, 1 << 16).unwrap();
        let sizes: Vec<usize> =
            arena.divide(&[1000, 64, 4096]).iter().map(|part| size_of_val(*part)).collect();
        assert_eq!(sizes, [960, 64, 4096, (1 << 20) - 960 - 64 - 4096]);
        assert_eq!(arena.divide(&[usize::MAX]).last().map(|part| part.len()), Some(0));
    }

    #[test]
    fn a_size_that_the_system_refuses_is_halved() {
        let arena = Arena::new(usize::MAX / 4, 1 << 16).unwrap();
        assert!(arena.bytes() >= 1 << 16);
        assert!(Arena::new(usize::MAX / 4, usize::MAX / 8).is_err());
    }
}
