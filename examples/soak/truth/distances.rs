//! The distances of all boards of a size from a goal, by breadth-first search.

use super::board::Board;

/// A byte for each permutation of at most nine cells.
pub(crate) struct Distances(Vec<u8>);

const UNREACHED: u8 = u8::MAX;

impl Distances {
    /// Searches from `goal`; one move is a tile, or a run of tiles if `line`.
    pub(crate) fn new(goal: &Board, line: bool) -> Self {
        let count = (1..=goal.tiles.len()).product();
        let mut table = vec![UNREACHED; count];
        table[rank(goal)] = 0;
        let mut layer = vec![goal.clone()];
        for distance in 1.. {
            let mut next = Vec::new();
            for board in &layer {
                for letter in ['U', 'R', 'D', 'L'] {
                    let mut board = board.clone();
                    while board.slide(letter) {
                        let entry = &mut table[rank(&board)];
                        if *entry == UNREACHED {
                            *entry = distance;
                            next.push(board.clone());
                        }
                        if !line {
                            break;
                        }
                    }
                }
            }
            if next.is_empty() {
                break;
            }
            layer = next;
        }
        Self(table)
    }

    /// Returns the distance of a board, if it can be solved.
    pub(crate) fn get(&self, board: &Board) -> Option<u32> {
        Some(self.0[rank(board)]).filter(|&distance| distance != UNREACHED).map(u32::from)
    }
}

/// Returns the number of a permutation among all in lexicographic order.
fn rank(board: &Board) -> usize {
    let tiles = &board.tiles;
    tiles.iter().enumerate().fold(0, |rank, (cell, tile)| {
        let smaller = tiles[cell + 1..].iter().filter(|&other| other < tile).count();
        rank * (tiles.len() - cell) + smaller
    })
}
