//! Verifies each solution before it is written.
//!
//! Fast enough for every result of a large batch. It shares only the board with the search. A
//! solution that fails here is a bug of this program.

use crate::model::report::{Instance, Moves, Solution};
use crate::puzzle::tiles::{Board, Direction, Goal, Size};
use crate::puzzle::trays::{Layout, Metric, Shift, Tray};

/// Maximum number of cells of boards replayed without an allocation.
const SMALL: usize = 64;

/// Returns an error unless the moves are legal and end at the goal, and length and bound agree with
/// them.
pub fn replay(instance: &Instance, solution: &Solution) -> Result<(), String> {
    let Solution { ref moves, length, bound, .. } = *solution;
    if bound > length {
        return Err(format!("the bound {bound} is above the length {length}"));
    }
    let counts = |counted: usize| match length as usize == counted {
        true => Ok(()),
        false => Err(format!("the length is given as {length}, but there are {counted} moves")),
    };
    match (instance, moves) {
        (Instance::Tiles { board, goal, metric }, Moves::Tiles(moves)) => {
            counts(metric.length(moves))?;
            if board.tiles().len() <= SMALL {
                let mut tiles = [0; SMALL];
                let tiles = &mut tiles[..board.tiles().len()];
                tiles.copy_from_slice(board.tiles());
                replay_tiles(board, goal, moves, tiles)
            } else {
                replay_tiles(board, goal, moves, &mut board.tiles().to_vec())
            }
        }
        (Instance::Tray { tray, metric }, Moves::Tray(moves)) => {
            counts(moves.len())?;
            replay_tray(tray, *metric, moves)
        }
        _ => Err("the moves are those of another kind of puzzle".into()),
    }
}

/// Replays moves of blocks in a tray and checks the goal.
fn replay_tray(tray: &Tray, metric: Metric, moves: &[Shift]) -> Result<(), String> {
    let mut layout = Layout::new(tray);
    for (number, &shift) in (1u64..).zip(moves) {
        layout.shift(shift, metric).map_err(|wrong| format!("move {number}, {shift}: {wrong}"))?;
    }
    if layout.is_solved() { Ok(()) } else { Err("the moves do not end at the goal".into()) }
}

/// Replays moves on `tiles`, a copy of `board`'s, and compares the end with the goal.
fn replay_tiles(board: &Board, goal: &Goal, moves: &[Direction], tiles: &mut [u16]) -> Result<(), String> {
    let size = board.size();
    let (rows, cols) = (size.rows(), size.cols());
    // Row, column and cell offsets of the blank by direction. A table, because a branch on the move
    // would be mispredicted.
    let (back, below) = (usize::MAX, cols);
    let ways = [(back, 0, below.wrapping_neg()), (0, 1, 1), (1, 0, below), (0, back, back)];
    let mut blank = board.blank();
    let (mut row, mut col) = (blank / cols, blank % cols);
    for (number, &direction) in (1u64..).zip(moves) {
        let (down, right, on) = ways[direction as usize];
        row = row.wrapping_add(down);
        col = col.wrapping_add(right);
        // Beyond an edge the sum has wrapped around or is too large.
        if row >= rows || col >= cols {
            return Err(format!("move {number}, {direction:?}, leaves the board"));
        }
        let next = blank.wrapping_add(on);
        tiles[blank] = tiles[next];
        tiles[next] = 0;
        blank = next;
    }
    if goal.is_met_by(size, tiles) { Ok(()) } else { Err(wrong_end(size, tiles)) }
}

/// Returns the message for moves that do not end at the goal.
#[cold]
fn wrong_end(size: Size, tiles: &[u16]) -> String {
    let tiles: Vec<u32> = tiles.iter().map(|&tile| tile.into()).collect();
    match Board::new(size, &tiles) {
        Ok(board) => format!("the moves end in {board}, which is not the goal"),
        Err(error) => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::report::{Report, Verdict, samples};
    use crate::puzzle::tiles;

    fn sample() -> (Instance, Solution) {
        let report = samples::solved();
        match report.verdict {
            Verdict::Solved(solution) => (report.instance.unwrap(), solution),
            _ => unreachable!(),
        }
    }

    #[test]
    fn solutions_pass_and_errors_are_named() {
        use Direction::{Down, Left, Right, Up};
        let (instance, solution) = sample();
        assert_eq!(replay(&instance, &solution), Ok(()));
        let error = |moves: &[Direction]| {
            let solution = Solution {
                moves: moves.to_vec().into(),
                length: moves.len() as u32,
                bound: 0,
                optimal: false,
            };
            replay(&instance, &solution).unwrap_err()
        };
        assert_eq!(error(&[Right, Down]), "the moves end in 1 2 3/4 6 8/7 5 0, which is not the goal");
        assert_eq!(error(&[Down, Down]), "move 2, Down, leaves the board");
        assert_eq!(error(&[Up, Up]), "move 2, Up, leaves the board");
        assert_eq!(error(&[Left, Left]), "move 2, Left, leaves the board");
        assert_eq!(error(&[Right, Right]), "move 2, Right, leaves the board");
        let wrong = Solution { length: 3, ..solution.clone() };
        assert_eq!(replay(&instance, &wrong).unwrap_err(), "the length is given as 3, but there are 2 moves");
        let Instance::Tiles { board, goal, .. } = instance.clone() else { panic!("a board") };
        let in_lines = Instance::Tiles { board, goal, metric: tiles::Metric::Line };
        let moves = vec![Up, Down, Down, Right].into();
        let there_and_back = Solution { moves, length: 3, ..solution.clone() };
        assert_eq!(replay(&in_lines, &there_and_back), Ok(()));
        assert!(replay(&instance, &there_and_back).is_err());
        let wrong = Solution { bound: 3, ..solution };
        assert_eq!(replay(&instance, &wrong).unwrap_err(), "the bound 3 is above the length 2");
    }

    #[test]
    fn blocks_replay_in_their_metric() {
        let Report { instance: Some(instance), verdict: Verdict::Solved(solution), .. } = samples::tray()
        else {
            panic!()
        };
        assert_eq!(replay(&instance, &solution), Ok(()));
        let Moves::Tray(moves) = &solution.moves else { panic!() };
        let error = |moves: Vec<Shift>| {
            let length = moves.len() as u32;
            replay(&instance, &Solution { moves: moves.into(), length, bound: 0, optimal: false })
                .unwrap_err()
        };
        assert_eq!(error(vec![]), "the moves do not end at the goal");
        assert_eq!(error(vec![moves[0], moves[0]]), "move 2, 0 0 1 0: no block has its top-left cell at 0 0");
        let (tiles, _) = sample();
        assert!(replay(&tiles, &solution).is_err());
    }

    #[test]
    fn large_boards_replay_too() {
        use Direction::{Down, Left, Right, Up};
        let size = Size::new(20, 30).unwrap();
        for goal in [Goal::BlankLast, Goal::BlankFirst, Goal::Snail] {
            // Away from the goal by legal moves, and back.
            let mut board = goal.board(size).unwrap().into_owned();
            let mut back = Vec::new();
            for direction in [Up, Left, Up, Right, Down, Down, Left].into_iter().cycle().take(50) {
                if board.slide(direction) {
                    back.insert(0, direction.opposite());
                }
            }
            let length = back.len() as u32;
            let solution = Solution { moves: back.into(), length, optimal: false, bound: 0 };
            assert_eq!(
                replay(&Instance::Tiles { board, goal, metric: tiles::Metric::Tile }, &solution),
                Ok(())
            );
        }
    }
}
