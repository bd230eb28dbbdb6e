//! The endgame: the last 3×3 cells or fewer, solved by a shortest path (IDA* with Manhattan
//! distance).

use super::peel::Unsolved;
use crate::heuristic::Manhattan;
use crate::large::mutable_board::MutableBoard;
use crate::puzzle::tiles::{Board, Direction, Size, Tiles};
use crate::search::{Ending, Limits, Problem, ida};

/// Solves the `unsolved` rectangle of at most 3×3 cells. All cells outside it must be solved
/// already.
///
/// # Panics
/// If the rectangle is not solvable.
pub fn solve(field: &mut MutableBoard, unsolved: Unsolved) {
    let cols = field.size().cols();
    let size =
        Size::new(unsolved.rows, unsolved.cols).expect("the endgame has at least two rows and columns");
    let home_of_blank = usize::from(field.cells()[field.blank()]);
    // Returns the number of the tile with this home inside the rectangle; the blank is 0.
    let inside = |home: usize| {
        let number = (home / cols - unsolved.top) * unsolved.cols + home % cols - unsolved.left;
        if home == home_of_blank { 0 } else { number as u32 + 1 }
    };
    let cells = (0..unsolved.rows * unsolved.cols).map(|number| {
        (unsolved.top + number / unsolved.cols) * cols + unsolved.left + number % unsolved.cols
    });
    let (mut tiles, mut goal) = (Vec::new(), Vec::new());
    for cell in cells {
        tiles.push(inside(field.cells()[cell].into()));
        goal.push(inside(cell));
    }
    // The blank has no tile number, so the numbers above its home are one too high.
    let gap =
        (home_of_blank / cols - unsolved.top) * unsolved.cols + home_of_blank % cols - unsolved.left + 1;
    for number in tiles.iter_mut().chain(&mut goal) {
        *number -= u32::from(*number as usize > gap);
    }
    let board =
        |numbers: &[u32]| Board::new(size, numbers).expect("the endgame is a permutation of its own tiles");
    let puzzle = Tiles::<u64>::new(&board(&goal)).expect("the endgame has at most nine cells");
    let problem =
        Problem { puzzle: &puzzle, heuristic: &Manhattan::new(&puzzle), start: puzzle.state(&board(&tiles)) };
    let Ending::Solved { path, .. } = ida::solve(problem, &Limits::default()).ending else {
        unreachable!("the staged solver gets solvable boards only")
    };
    path.iter().for_each(|step| field.slide(Direction::from_index(step.0 as usize)));
}
