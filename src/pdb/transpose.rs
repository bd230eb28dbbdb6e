//! Turns rows of bits, one for each class, into rows with one for each order.

/// Classes whose rows are turned together: what they become fills a cache line.
const EXPANSION_BATCH: usize = 8 * 64;

/// `from` has rows of `stride` words, the bits of one class each; `columns` tells
/// for each class where its bits belong in every row of `to`, whose rows have
/// a bit for each column and end at whole words.
pub(in crate::pdb) fn turn(from: &[u64], stride: usize, columns: &[u32], to: &mut [u64]) {
    let row = columns.len().div_ceil(64);
    let mut classes = vec![0; columns.len()];
    for (class, &column) in columns.iter().enumerate() {
        classes[column as usize] = class;
    }
    for (part, classes) in classes.chunks(EXPANSION_BATCH).enumerate() {
        for at in 0..stride {
            for (word, classes) in classes.chunks(64).enumerate() {
                let mut square = [0; 64];
                for (line, &class) in square.iter_mut().zip(classes) {
                    *line = from[class * stride + at];
                }
                turn_square(&mut square);
                let first = at * 64 * row + part * (EXPANSION_BATCH / 64) + word;
                for (place, line) in to[first..].iter_mut().step_by(row).zip(square) {
                    *place = line;
                }
            }
        }
    }
}

/// Swaps rows and columns of 64 times 64 bits: first the halves, then the
/// quarters in each, and so on (Warren, Hacker's Delight, 7-3).
fn turn_square(square: &mut [u64; 64]) {
    let (mut width, mut mask) = (32, u64::MAX >> 32);
    while width > 0 {
        for line in (0..64).filter(|line| line & width == 0) {
            let swapped = (square[line] >> width ^ square[line + width]) & mask;
            square[line] ^= swapped << width;
            square[line + width] ^= swapped;
        }
        width /= 2;
        mask ^= mask << width;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bit_is_where_it_belongs() {
        // Three words of orders, and classes that end in the middle of a word.
        let (stride, classes) = (3, 700);
        let columns: Vec<u32> = (0..classes).map(|class| class * 11 % classes).collect();
        let bit = |class: usize, order: usize| ((class * 7919 + order * order * 31) / 5).is_multiple_of(3);
        let mut from = vec![0u64; classes as usize * stride];
        for class in 0..classes as usize {
            for order in 0..stride * 64 {
                from[class * stride + order / 64] |= u64::from(bit(class, order)) << (order % 64);
            }
        }
        // The last orders do not exist.
        let (row, orders) = (classes.div_ceil(64) as usize, stride * 64 - 10);
        let mut to = vec![0u64; row * orders];
        turn(&from, stride, &columns, &mut to);
        for (class, &column) in columns.iter().enumerate() {
            for order in 0..orders {
                let found = to[order * row + column as usize / 64] >> (column % 64) & 1 == 1;
                assert_eq!(found, bit(class, order), "class {class}, order {order}");
            }
        }
    }
}
