//! Some of the successors of a handful of states, a bit each.

use crate::heuristic::SelectionMask;

/// Successors in a word, and the words for those of a handful.
pub(super) const WORD: usize = 64;
const WORDS: usize = 2;

/// The places of some successors: there is nothing to guess for the processor when
/// they are found.
#[derive(Clone, Copy, Default)]
pub(super) struct Places(pub(super) SelectionMask);

impl Places {
    /// How many they are.
    #[inline(always)]
    pub(super) fn len(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Whether there are none.
    #[inline(always)]
    pub(super) fn is_empty(&self) -> bool {
        self.0 == [0; WORDS]
    }

    /// Goes through them one by one.
    #[inline(always)]
    pub(super) fn strict(&self) -> Rest {
        let [word, next] = self.0;
        Rest { word, next, first: 0 }
    }

    /// Goes through all of them, the first one first.
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

/// Those that are left, where all are taken one after the other. It has no array, so that
/// it stays in registers.
#[derive(Clone, Copy)]
pub(super) struct Rest {
    word: u64,
    next: u64,
    /// The place that the word's first bit stands for.
    first: usize,
}

impl Rest {
    /// Takes the first one out, of one at least.
    #[inline(always)]
    pub(super) fn take_first(&mut self) -> usize {
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
    fn all_are_found_in_their_order() {
        let places = Places([1 | 1 << 5 | 1 << 63, 1 | 1 << 40]);
        let mut found = Vec::new();
        places.for_each(|at| found.push(at));
        assert_eq!(found, [0, 5, 63, 64, 104]);
        assert_eq!(places.len(), found.len());
        let mut rest = places.strict();
        assert!(found.iter().all(|&at| rest.take_first() == at) && rest.word == 0);
    }
}
