//! A lower bound for boards of any size: Manhattan distance plus linear conflicts (Hansson, Mayer
//! and Yung 1992).
//!
//! Tiles in their goal row or column, but in the wrong order, must pass each other. Some of them
//! must leave the line and return, which takes two extra moves each. At least the tiles outside a
//! longest increasing subsequence must leave.

use crate::large::mutable_board::MutableBoard;

/// Returns a lower bound on the number of moves that solve `field` from its current state.
pub fn lower_bound(field: &MutableBoard) -> u32 {
    let (rows, cols) = (field.size().rows(), field.size().cols());
    let at = |cell: usize| (cell / cols, cell % cols);
    let blank = field.blank();
    let distance = |(cell, &home): (usize, &u16)| {
        let ((row, col), (home_row, home_col)) = (at(cell), at(home.into()));
        row.abs_diff(home_row) + col.abs_diff(home_col)
    };
    let cells = field.cells().iter().enumerate();
    let manhattan: usize = cells.filter(|&(cell, _)| cell != blank).map(distance).sum();
    let mut rising = Vec::with_capacity(rows.max(cols));
    let mut leaving = 0;
    let tile = |cell: usize| (cell != blank).then(|| at(field.cells()[cell].into()));
    for row in 0..rows {
        let own = (0..cols).filter_map(|col| tile(row * cols + col)).filter(|home| home.0 == row);
        leaving += out_of_order(own.map(|home| home.1), &mut rising);
    }
    for col in 0..cols {
        let own = (0..rows).filter_map(|row| tile(row * cols + col)).filter(|home| home.1 == col);
        leaving += out_of_order(own.map(|home| home.0), &mut rising);
    }
    (manhattan + 2 * leaving) as u32
}

/// Returns the count of `numbers` outside a longest increasing subsequence. `rising` is a scratch
/// buffer.
fn out_of_order(numbers: impl Iterator<Item = usize>, rising: &mut Vec<usize>) -> usize {
    // `rising[n]` is the smallest end of an increasing subsequence of length n + 1.
    rising.clear();
    let mut count = 0;
    for number in numbers {
        let place = rising.partition_point(|&end| end < number);
        if place == rising.len() {
            rising.push(number);
        } else {
            rising[place] = number;
        }
        count += 1;
    }
    count - rising.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::{Kind, Request};
    use crate::heuristic::{Heuristic, LinearConflict};
    use crate::puzzle::tiles::{Goal, Size, Tiles};

    #[test]
    fn the_bound_is_that_of_the_searches() {
        for (rows, cols) in [(3, 3), (4, 4), (2, 7), (5, 3)] {
            let size = Size::new(rows, cols).unwrap();
            for goal in [Goal::BlankLast, Goal::Snail] {
                let request = Request { size, count: 300, seed: 1, kind: Kind::Random, goal: goal.clone() };
                let goal = goal.board(size).unwrap();
                let puzzle = Tiles::<u64>::new(&goal).unwrap();
                let heuristic = LinearConflict::new(&puzzle);
                for board in request.boards().unwrap() {
                    let memo = heuristic.evaluate(&puzzle, &puzzle.state(&board));
                    let estimate = Heuristic::<Tiles<u64>>::estimate(&heuristic, &memo);
                    assert_eq!(lower_bound(&MutableBoard::new(&board, &goal)), estimate, "{board}");
                }
            }
        }
    }
}
