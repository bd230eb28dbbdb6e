//! Transposition of a bit matrix: from one row per class to one row per permutation.

/// Classes that are transposed together: their bits fill a cache line of each target row.
const BLOCK: usize = 8 * 64;

/// Transposes `from` into `to`.
///
/// `from` has one row of `stride` words per class. `columns` gives the column of each class in
/// the rows of `to`, which are padded to whole words.
pub(in crate::pdb) fn transpose(from: &[u64], stride: usize, columns: &[u32], to: &mut [u64]) {
    let row = columns.len().div_ceil(64);
    let mut classes = vec![0; columns.len()];
    for (class, &column) in columns.iter().enumerate() {
        classes[column as usize] = class;
    }
    for (block, classes) in classes.chunks(BLOCK).enumerate() {
        for at in 0..stride {
            for (word, classes) in classes.chunks(64).enumerate() {
                let mut square = [0; 64];
                for (line, &class) in square.iter_mut().zip(classes) {
                    *line = from[class * stride + at];
                }
                transpose_square(&mut square);
                let first = at * 64 * row + block * (BLOCK / 64) + word;
                for (target, line) in to[first..].iter_mut().step_by(row).zip(square) {
                    *target = line;
                }
            }
        }
    }
}

/// Transposes 64 × 64 bits by swapping halves, then quarters, and so on (Warren, Hacker's
/// Delight, 7-3).
fn transpose_square(square: &mut [u64; 64]) {
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
    fn every_bit_moves_to_its_row_and_column() {
        // Three words of permutations; the classes end in the middle of a word.
        let (stride, classes) = (3, 700);
        let columns: Vec<u32> = (0..classes).map(|class| class * 11 % classes).collect();
        let bit = |class: usize, rank: usize| ((class * 7919 + rank * rank * 31) / 5).is_multiple_of(3);
        let mut from = vec![0u64; classes as usize * stride];
        for class in 0..classes as usize {
            for rank in 0..stride * 64 {
                from[class * stride + rank / 64] |= u64::from(bit(class, rank)) << (rank % 64);
            }
        }
        // The last permutations do not exist.
        let (row, ranks) = (classes.div_ceil(64) as usize, stride * 64 - 10);
        let mut to = vec![0u64; row * ranks];
        transpose(&from, stride, &columns, &mut to);
        for (class, &column) in columns.iter().enumerate() {
            for rank in 0..ranks {
                let found = to[rank * row + column as usize / 64] >> (column % 64) & 1 == 1;
                assert_eq!(found, bit(class, rank), "class {class}, rank {rank}");
            }
        }
    }
}
