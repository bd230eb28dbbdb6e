//! Decides by parity which boards are solvable.
//!
//! A move swaps the blank with a tile, and moves the blank by one cell. So the parity of the
//! permutation from the board to the goal must equal the parity of the blank's distance. On every
//! rectangle from 2×2 up, this is also sufficient.

use super::{Board, Size};

/// Returns whether `goal` can be reached from `board`.
///
/// # Panics
/// If the boards have different sizes.
pub fn is_solvable(board: &Board, goal: &Board) -> bool {
    Parity::new(goal).admits(board)
}

/// Parity condition of a goal.
#[derive(Clone, Debug)]
pub struct Parity {
    size: Size,
    blank: usize,
    /// Cell of each tile in the goal.
    homes: Vec<u16>,
}

impl Parity {
    /// Computes the condition of `goal`.
    pub fn new(goal: &Board) -> Self {
        let mut homes = vec![0; goal.tiles().len()];
        for (cell, &tile) in goal.tiles().iter().enumerate() {
            homes[tile as usize] = cell as u16;
        }
        Self { size: goal.size(), blank: goal.blank(), homes }
    }

    /// Returns whether the goal can be reached from `board`.
    ///
    /// # Panics
    /// If the goal has another size.
    pub fn admits(&self, board: &Board) -> bool {
        assert_eq!(board.size(), self.size, "a goal has the size of its board");
        let cols = self.size.cols();
        let (from, to) = (board.blank(), self.blank);
        let way = (from / cols).abs_diff(to / cols) + (from % cols).abs_diff(to % cols);
        let odd = if self.homes.len() <= 64 { self.is_odd(board) } else { self.is_odd_by_cycles(board) };
        odd == (way % 2 == 1)
    }

    /// Returns whether the permutation to the goal is odd, i.e. has an odd number of inversions.
    fn is_odd(&self, board: &Board) -> bool {
        let (mut pairs, mut seen) = (0, 0u64);
        for &tile in board.tiles() {
            let home = self.homes[tile as usize] & 63;
            pairs += (seen >> home).count_ones();
            seen |= 1 << home;
        }
        pairs % 2 == 1
    }

    /// Returns whether the permutation is odd, for boards of any size: whether the number of cells
    /// minus the number of cycles is odd.
    fn is_odd_by_cycles(&self, board: &Board) -> bool {
        let cells = board.tiles().len();
        let mut seen = vec![false; cells];
        let mut odd = false;
        for start in 0..cells {
            let mut cell = start;
            let mut length = 0;
            while !seen[cell] {
                seen[cell] = true;
                cell = self.homes[board.tiles()[cell] as usize] as usize;
                length += 1;
            }
            odd ^= length > 0 && length % 2 == 0;
        }
        odd
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Direction, Goal, Size};
    use super::*;
    use std::collections::HashSet;

    /// Returns every board that can be reached from `start`.
    fn reachable(start: &Board) -> HashSet<Board> {
        let mut seen = HashSet::from([start.clone()]);
        let mut stack = vec![start.clone()];
        while let Some(board) = stack.pop() {
            for direction in Direction::ALL {
                let mut next = board.clone();
                if next.slide(direction) && seen.insert(next.clone()) {
                    stack.push(next);
                }
            }
        }
        seen
    }

    /// Calls `visit` with every permutation of `0..n`.
    fn permutations(n: u32, visit: &mut dyn FnMut(&[u32])) {
        fn permute(at: usize, tiles: &mut [u32], visit: &mut dyn FnMut(&[u32])) {
            if at == tiles.len() {
                return visit(tiles);
            }
            for other in at..tiles.len() {
                tiles.swap(at, other);
                permute(at + 1, tiles, visit);
                tiles.swap(at, other);
            }
        }
        permute(0, &mut (0..n).collect::<Vec<_>>(), visit);
    }

    #[test]
    fn parity_is_reachability_on_every_small_board_and_goal() {
        for (rows, cols) in [(2, 2), (2, 3), (3, 2), (2, 4), (4, 2)] {
            let size = Size::new(rows, cols).unwrap();
            let given: Vec<u32> = (0..size.cells() as u32).map(|t| (t + 2) % size.cells() as u32).collect();
            let given = Goal::Given(Board::new(size, &given).unwrap().into());
            for goal in [Goal::BlankLast, Goal::BlankFirst, Goal::Snail, given] {
                let goal = goal.board(size).unwrap().into_owned();
                let reachable = reachable(&goal);
                permutations(size.cells() as u32, &mut |tiles| {
                    let board = Board::new(size, tiles).unwrap();
                    assert_eq!(is_solvable(&board, &goal), reachable.contains(&board), "{board}");
                    let parity = Parity::new(&goal);
                    assert_eq!(parity.is_odd(&board), parity.is_odd_by_cycles(&board), "{board}");
                });
            }
        }
    }

    #[test]
    fn parity_on_large_boards() {
        let size = Size::new(20, 31).unwrap();
        let goal = Goal::BlankLast.board(size).unwrap().into_owned();
        let mut tiles: Vec<u32> = goal.tiles().iter().map(|&t| t.into()).collect();
        assert!(is_solvable(&goal, &goal));
        tiles.swap(3, 400);
        assert!(!is_solvable(&Board::new(size, &tiles).unwrap(), &goal));
        tiles.swap(7, 8);
        assert!(is_solvable(&Board::new(size, &tiles).unwrap(), &goal));
    }
}
