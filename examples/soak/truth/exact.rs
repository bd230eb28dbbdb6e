//! Shortest solutions of lightly scrambled boards of any size: iterative
//! deepening with the Manhattan distance.

use super::board::{Board, opposite};

/// Returns the length of a shortest solution, if it is at most `most`.
pub(crate) fn shortest(board: &Board, goal: &Board, most: u32) -> Option<u32> {
    let mut places = vec![0; goal.tiles.len()];
    for (cell, &tile) in goal.tiles.iter().enumerate() {
        places[usize::from(tile)] = cell;
    }
    let mut bound = manhattan(board, &places);
    while bound <= most {
        if reaches(&mut board.clone(), goal, &places, bound, ' ') {
            return Some(bound);
        }
        bound += 2;
    }
    None
}

fn reaches(board: &mut Board, goal: &Board, places: &[usize], bound: u32, last: char) -> bool {
    if manhattan(board, places) > bound {
        return false;
    }
    if board == goal {
        return true;
    }
    for letter in ['U', 'R', 'D', 'L'] {
        if letter != opposite(last) && bound > 0 && board.slide(letter) {
            let found = reaches(board, goal, places, bound - 1, letter);
            board.slide(opposite(letter));
            if found {
                return true;
            }
        }
    }
    false
}

fn manhattan(board: &Board, places: &[usize]) -> u32 {
    let cols = board.cols;
    let way = |from: usize, to: usize| (from / cols).abs_diff(to / cols) + (from % cols).abs_diff(to % cols);
    let tiles = board.tiles.iter().enumerate().filter(|&(_, &tile)| tile != 0);
    tiles.map(|(cell, &tile)| way(cell, places[usize::from(tile)]) as u32).sum()
}
