//! The one large reservation: an anonymous mapping, with huge pages asked for.
//!
//! Memory of the mapping becomes resident when it is first written to, so an
//! arena may be as large as the budget without costing anything unused.

use super::region::Line;
use memmap2::{Advice, MmapMut, MmapOptions};
use std::io;

/// A mapping for tables and open lists, all zero at first.
#[derive(Debug)]
pub struct Arena(MmapMut);

impl Arena {
    /// An arena of up to `bytes`, and at least `least` if the system has that
    /// much to give.
    pub fn new(bytes: usize, least: usize) -> io::Result<Self> {
        let mut size = bytes.max(least).max(size_of::<Line>());
        loop {
            match MmapOptions::new().len(size).no_reserve_swap().map_anon() {
                Ok(map) => {
                    // Whoever has no huge pages to give has small ones.
                    #[cfg(target_os = "linux")]
                    let _ = map.advise(Advice::HugePage);
                    return Ok(Self(map));
                }
                Err(error) if size / 2 < least => return Err(error),
                Err(_) => size /= 2,
            }
        }
    }

    /// The arena's size.
    pub fn bytes(&self) -> usize {
        self.0.len()
    }

    /// The arena as whole words.
    #[inline(always)]
    pub fn words(&self) -> &[u64] {
        #[allow(unsafe_code)]
        // SAFETY: a mapping begins at a page, so it is aligned, and so many
        // whole words fit into it; all bits make a word.
        unsafe {
            std::slice::from_raw_parts(self.0.as_ptr().cast(), self.0.len() / 8)
        }
    }

    /// The same, to be written to.
    pub fn words_mut(&mut self) -> &mut [u64] {
        let whole = self.0.len() & !7;
        bytemuck::cast_slice_mut(&mut self.0[..whole])
    }

    /// Divides the arena into parts of these sizes, each rounded down to whole
    /// lines, and the rest as one more.
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
    fn what_cannot_be_had_is_tried_smaller() {
        let arena = Arena::new(usize::MAX / 4, 1 << 16).unwrap();
        assert!(arena.bytes() >= 1 << 16);
        assert!(Arena::new(usize::MAX / 4, usize::MAX / 8).is_err());
    }
}
