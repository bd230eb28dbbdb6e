//! Some of the successors of a handful of states, a bit each.

use crate::heuristic::Chosen;

/// Successors in a word, and the words for those of a handful.
pub(super) const WORD: usize = 64;
const WORDS: usize = 2;

/// The places of some successors: there is nothing to guess for the processor when
/// they are found.
#[derive(Clone, Copy, Default)]
pub(super) struct Places(pub(super) Chosen);

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

    /// Takes the first one out, of one at least.
    #[inline(always)]
    pub(super) fn take_first(&mut self) -> usize {
        let word = usize::from(self.0[0] == 0);
        let at = self.0[word].trailing_zeros() as usize;
        self.0[word] &= self.0[word].wrapping_sub(1);
        word * WORD + at
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_are_found_in_their_order() {
        let mut places = Places([1 | 1 << 5 | 1 << 63, 1 | 1 << 40]);
        let mut found = Vec::new();
        places.for_each(|at| found.push(at));
        assert_eq!(found, [0, 5, 63, 64, 104]);
        assert_eq!(places.len(), found.len());
        assert!(found.iter().all(|&at| places.take_first() == at) && places.is_empty());
    }
}
