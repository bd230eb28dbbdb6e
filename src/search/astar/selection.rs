//! A subset of the successors of a batch, as a bit mask.

use crate::heuristic::SelectionMask;

/// Successors per word, and words per batch.
pub(super) const WORD: usize = 64;
const WORDS: usize = 2;

/// Indices of selected successors. Iteration uses `trailing_zeros` and is branch-free.
#[derive(Clone, Copy, Default)]
pub(super) struct Selection(pub(super) SelectionMask);

impl Selection {
    /// Returns the number of selected successors.
    #[inline(always)]
    pub(super) fn len(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Returns whether no successor is selected.
    #[inline(always)]
    pub(super) fn is_empty(&self) -> bool {
        self.0 == [0; WORDS]
    }

    /// Returns an iterator that is advanced by hand.
    #[inline(always)]
    pub(super) fn iter(&self) -> SelectionIter {
        let [word, next] = self.0;
        SelectionIter { word, next, first: 0 }
    }

    /// Calls `visit` with each index, in ascending order.
    #[inline(always)]
    pub(super) fn for_each(&self, mut visit: impl FnMut(usize)) {
        for (first, &word) in (0..).step_by(WORD).zip(&self.0) {
            let mut rest = word;
            while rest != 0 {
                visit(first + rest.trailing_zeros() as usize);
                rest &= rest - 1;
            }
        }
    }
}

/// The indices that are left. It contains no array, so that it stays in registers.
#[derive(Clone, Copy)]
pub(super) struct SelectionIter {
    word: u64,
    next: u64,
    /// The index of the first bit of `word`.
    first: usize,
}

impl SelectionIter {
    /// Removes and returns the least index. At least one must be left.
    #[inline(always)]
    pub(super) fn pop_first(&mut self) -> usize {
        if self.word == 0 {
            *self = Self { word: self.next, next: 0, first: WORD };
        }
        let at = self.first + self.word.trailing_zeros() as usize;
        self.word &= self.word.wrapping_sub(1);
        at
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indices_come_in_ascending_order() {
        let selection = Selection([1 | 1 << 5 | 1 << 63, 1 | 1 << 40]);
        let mut found = Vec::new();
        selection.for_each(|at| found.push(at));
        assert_eq!(found, [0, 5, 63, 64, 104]);
        assert_eq!(selection.len(), found.len());
        let mut indices = selection.iter();
        assert!(found.iter().all(|&at| indices.pop_first() == at) && indices.word == 0);
    }
}
