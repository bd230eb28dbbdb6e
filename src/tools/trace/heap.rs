//! A binary min-heap that breaks ties as `java.util.PriorityQueue` does.
//!
//! Which of several entries of equal priority comes first follows from how they
//! wander through the heap, so this one lets them wander in the same way: a new
//! entry rises from the end while it is less than its parent; when the first is
//! taken, the last sinks from the top while it is greater than the lesser child,
//! the left one if both are equal.

/// Entries of a priority and a number, the lowest priority first.
#[derive(Clone, Debug, Default)]
pub struct Heap {
    /// The priority in the high half, the number in the low one.
    entries: Vec<u64>,
}

/// Only the priority is compared.
#[inline(always)]
fn priority(entry: u64) -> u32 {
    (entry >> 32) as u32
}

impl Heap {
    /// Adds an entry.
    #[inline]
    pub fn offer(&mut self, of: u32, number: u32) {
        let entry = u64::from(of) << 32 | u64::from(number);
        let mut at = self.entries.len();
        self.entries.push(entry);
        while at > 0 {
            let above = (at - 1) / 2;
            if of >= priority(self.entries[above]) {
                break;
            }
            self.entries[at] = self.entries[above];
            at = above;
        }
        self.entries[at] = entry;
    }

    /// Takes the first entry.
    #[inline]
    pub fn poll(&mut self) -> Option<(u32, u32)> {
        let last = self.entries.pop()?;
        let first = self.entries.first().copied().unwrap_or(last);
        let entries = self.entries.as_mut_slice();
        let (mut at, half) = (0, entries.len() / 2);
        while at < half {
            let (left, right) = (2 * at + 1, 2 * at + 2);
            let lesser = match entries.get(right) {
                Some(&entry) if priority(entry) < priority(entries[left]) => right,
                _ => left,
            };
            if priority(last) <= priority(entries[lesser]) {
                break;
            }
            entries[at] = entries[lesser];
            at = lesser;
        }
        if let Some(place) = entries.get_mut(at) {
            *place = last;
        }
        Some((priority(first), first as u32))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_priorities_come_in_the_order_of_java() {
        // What java.util.PriorityQueue gives for these, worked out by hand.
        let mut heap = Heap::default();
        for number in 0..7 {
            heap.offer(5, number);
        }
        let order: Vec<u32> = std::iter::from_fn(|| heap.poll()).map(|(_, number)| number).collect();
        assert_eq!(order, [0, 6, 5, 4, 3, 2, 1]);
        assert_eq!(heap.poll(), None);
    }

    #[test]
    fn priorities_come_in_order() {
        let mut heap = Heap::default();
        let numbers: Vec<u32> = (0..1000u32).map(|i| i.wrapping_mul(2_654_435_761) >> 22).collect();
        numbers.iter().zip(0..).for_each(|(&of, number)| heap.offer(of, number));
        let mut sorted = numbers.clone();
        sorted.sort_unstable();
        for of in sorted {
            let (first, number) = heap.poll().unwrap();
            assert_eq!((first, numbers[number as usize]), (of, of));
        }
    }
}
