//! The staged solver: solves one line after the other from the outside in; the rest is the endgame.
//!
//! 1. Choose the side whose tiles are closest to their homes.
//! 2. Fill the line from both ends. The tile of either end is moved by its shortest route, the
//!    closer tile first (`route`).
//! 3. Place the last two tiles of the line together (`pair`).
//! 4. Solve the last 3×3 cells by a shortest path (`endgame`).
//!
//! Every solvable board is solved, thin ones included: see [`Staged::line`].

mod pair;
mod route;

use super::peel::{Side, Unsolved, View};
use crate::large::endgame;
use crate::large::mutable_board::{MutableBoard, neighbour};
use crate::puzzle::tiles::{Direction, Size};
use crate::search::{Limits, Stop};
use pair::{PairTable, Trio, Window};
use route::{Route, Router, Target, ToCell};

/// Rectangles with no side longer than this are left to the endgame.
const ENDGAME_SIDE: usize = 3;

/// A solver for boards of one size.
pub struct Staged {
    router: Router,
    fixed: Vec<bool>,
    /// The number of routes searched, a measure of effort.
    routes: u64,
}

impl Staged {
    /// Creates a solver for boards of one size.
    pub fn new(size: Size) -> Self {
        Self { router: Router::new(size.rows(), size.cols()), fixed: vec![false; size.cells()], routes: 0 }
    }

    /// Returns the approximate memory of a solver and a board, without the moves.
    pub fn bytes(size: Size) -> usize {
        Router::bytes(size.cells()) + 5 * size.cells() + (64 << 10)
    }

    /// Returns the number of routes searched so far.
    pub fn routes(&self) -> u64 {
        self.routes
    }

    /// Solves a solvable board; the history of `field` is the solution. If a limit is reached,
    /// `field` is left partly solved.
    pub fn solve(&mut self, field: &mut MutableBoard, limits: &Limits<'_>) -> Result<(), Stop> {
        let mut unsolved = Unsolved::whole(field.size());
        while let Some(side) = next_side(field, unsolved) {
            self.line(field, unsolved, side);
            unsolved = unsolved.without(side);
            if let Some(stop) = limits.reached(self.routes) {
                return Err(stop);
            }
        }
        endgame::solve(field, unsolved);
        Ok(())
    }

    /// Solves the line at `side` of `unsolved`, which must be more than three cells deep from that
    /// side.
    ///
    /// This always succeeds. While the gap in the line has at least three cells, the free cells are
    /// covered by 2×2 squares of free cells that are connected by their edges, so any tile can be
    /// moved to any free cell. For the last two tiles, one is parked in the gap. The lines below
    /// are free, at least two cells wide and three deep, so the other tile can be moved below the
    /// gap. Inside the window any two tiles can be brought home; `PairTable` shows this by
    /// enumeration.
    pub fn line(&mut self, field: &mut MutableBoard, unsolved: Unsolved, side: Side) {
        let cols = field.size().cols();
        let view = View::new(unsolved, side, cols);
        let (mut start, mut end) = (0, view.width);
        while end - start > 2 {
            let (low, high) = (view.cell(0, start), view.cell(0, end - 1));
            let nearest = if field.is_home(low) {
                low
            } else if field.is_home(high) {
                high
            } else {
                let home =
                    [low, high].into_iter().min_by_key(|&home| unobstructed_cost(field, home)).unwrap_or(low);
                let route = self.route(field, unsolved, home, &ToCell::new(home, cols));
                let route = route.expect("any tile can be brought to the end of a gap of three");
                route.moves.iter().for_each(|&step| field.slide(step));
                home
            };
            self.fixed[nearest] = true;
            if nearest == low {
                start += 1;
            } else {
                end -= 1;
            }
        }
        self.place_last_two(field, unsolved, &view, start);
        (0..view.width).for_each(|place| self.fixed[view.cell(0, place)] = false);
    }

    fn route(
        &mut self,
        field: &MutableBoard,
        unsolved: Unsolved,
        tile: usize,
        target: &impl Target,
    ) -> Option<Route> {
        self.routes += 1;
        self.router.route(field, unsolved, &self.fixed, field.cell_of(tile), target)
    }

    /// Places the last two tiles of the line, whose homes are at `start` and `start + 1`.
    fn place_last_two(&mut self, field: &mut MutableBoard, unsolved: Unsolved, view: &View, start: usize) {
        let homes = [view.cell(0, start), view.cell(0, start + 1)];
        if homes.iter().all(|&home| field.is_home(home)) {
            return;
        }
        let width = view.width.min(4);
        let from = start.saturating_sub(1).min(view.width - width);
        let table = PairTable::get(width, start - from);
        let window = Window::new(table, view, from, field.size().cols());
        let mut best: Option<Route> = None;
        for parked in [0, 1] {
            let here = field.cell_of(homes[parked]);
            let mut places = vec![homes[0], homes[1]];
            if window.number(here).is_some() && !homes.contains(&here) {
                places.push(here);
            }
            for place in places {
                let limit = best.as_ref().map_or(u32::MAX, |best| best.cost);
                if let Some(route) =
                    self.parking_route(field, unsolved, &window, (homes, parked), place, limit)
                {
                    best = Some(route);
                }
            }
        }
        let best = best.expect("a tile can be parked, and the other brought below it");
        best.moves.iter().for_each(|&step| field.slide(step));
        let number = |cell| window.number(cell).expect("the route ends in the window");
        let mut trio = Trio {
            first: number(field.cell_of(homes[0])),
            second: number(field.cell_of(homes[1])),
            blank: number(field.blank()),
        };
        while let Some((direction, next)) = table.next_step(trio) {
            field.slide(view.direction(direction));
            trio = next;
        }
    }

    /// Returns a route that moves one of the two tiles to `place` and the other into the window, if
    /// its cost is below `limit`. The cost includes bringing both tiles home.
    fn parking_route(
        &mut self,
        field: &mut MutableBoard,
        unsolved: Unsolved,
        window: &Window<'_>,
        (homes, parked): ([usize; 2], usize),
        place: usize,
        limit: u32,
    ) -> Option<Route> {
        let cols = field.size().cols();
        let at = |cell: usize| (cell / cols, cell % cols);
        let tile = field.cell_of(homes[parked]);
        if tile != place
            && route::estimate(at(tile), at(field.blank()), &ToCell::new(place, cols)) >= limit / 4
        {
            return None;
        }
        let mut first = match field.cell_of(homes[parked]) == place {
            true => Route::default(),
            false => self.route(field, unsolved, homes[parked], &ToCell::new(place, cols))?,
        };
        if first.cost >= limit {
            return None;
        }
        first.moves.iter().for_each(|&step| field.shift(step));
        self.fixed[place] = true;
        let into = IntoWindow { window, parked: window.number(place)?, parked_is_first: parked == 0 };
        let second = self.route(field, unsolved, homes[1 - parked], &into);
        self.fixed[place] = false;
        first.moves.iter().rev().for_each(|step| field.shift(step.opposite()));
        let second = second.filter(|second| first.cost + second.cost < limit)?;
        first.cost += second.cost;
        first.moves.extend(second.moves);
        Some(first)
    }
}

/// Returns a lower bound on the moves that bring a tile home: the cost without obstacles.
fn unobstructed_cost(field: &MutableBoard, home: usize) -> u32 {
    let cols = field.size().cols();
    let at = |cell: usize| (cell / cols, cell % cols);
    route::estimate(at(field.cell_of(home)), at(field.blank()), &ToCell::new(home, cols))
}

/// Returns the side to solve next: the one whose tiles are closest to their homes.
fn next_side(field: &MutableBoard, unsolved: Unsolved) -> Option<Side> {
    let cols = field.size().cols();
    let blank = usize::from(field.cells()[field.blank()]);
    let distance = |side: &Side| {
        let view = View::new(unsolved, *side, cols);
        let away = |home: usize| {
            let cell = field.cell_of(home);
            (cell / cols).abs_diff(home / cols) + (cell % cols).abs_diff(home % cols)
        };
        (0..view.width).map(|place| away(view.cell(0, place))).sum::<usize>()
    };
    unsolved.open_sides((blank / cols, blank % cols), ENDGAME_SIDE).min_by_key(distance)
}

impl IntoWindow<'_> {
    /// Returns the remaining cost when both tiles are inside the window.
    fn inside(&self, (row, col): (usize, usize), side: Direction) -> u32 {
        let cols = self.window.board_cols();
        let tile = row * cols + col;
        let outside = match side {
            Direction::Up => row == 0,
            Direction::Left => col == 0,
            _ => false,
        };
        if outside { 0 } else { self.finish(tile, neighbour(tile, side, cols)).unwrap_or(0) }
    }
}

/// A target inside the window: one tile is parked, the other moves in.
struct IntoWindow<'w> {
    window: &'w Window<'w>,
    parked: usize,
    parked_is_first: bool,
}

impl Target for IntoWindow<'_> {
    /// Each push moves the tile at most one cell closer, and at least two moves lie between two
    /// pushes.
    fn estimate(&self, tile: (usize, usize), side: Direction) -> u32 {
        let away = self.window.away(tile);
        match away.iter().sum::<usize>() as u32 {
            0 => self.inside(tile, side),
            far => 3 * far - if away[side as usize] > 0 { 2 } else { 0 },
        }
    }

    fn finish(&self, tile: usize, blank: usize) -> Option<u32> {
        let (tile, blank) = (self.window.number(tile)?, self.window.number(blank)?);
        let (first, second) = if self.parked_is_first { (self.parked, tile) } else { (tile, self.parked) };
        self.window.table.distance(Trio { first, second, blank })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::{Kind, Request};
    use crate::puzzle::tiles::Goal;

    fn solves(rows: usize, cols: usize, goal: &Goal, count: u64) -> f64 {
        let size = Size::new(rows, cols).unwrap();
        let request = Request { size, count, seed: 5, kind: Kind::Random, goal: goal.clone() };
        let goal = goal.board(size).unwrap();
        let mut staged = Staged::new(size);
        let mut moves = 0;
        for mut board in request.boards().unwrap() {
            let mut field = MutableBoard::new(&board, &goal);
            staged.solve(&mut field, &Limits::default()).unwrap();
            assert!(field.is_solved());
            for &step in field.moves() {
                assert!(board.slide(step));
            }
            assert_eq!(board, *goal);
            moves += field.moves().len();
        }
        moves as f64 / count as f64
    }

    #[test]
    fn every_shape_and_goal_is_solved() {
        for rows in 2..=8 {
            for cols in 2..=8 {
                for goal in [Goal::BlankLast, Goal::BlankFirst, Goal::Snail] {
                    solves(rows, cols, &goal, 20);
                }
            }
        }
        for (rows, cols) in [(2, 30), (30, 2), (3, 17), (17, 3), (2, 256), (40, 9)] {
            solves(rows, cols, &Goal::BlankLast, 3);
        }
    }

    #[test]
    fn solutions_are_shorter_than_the_textbook_bound() {
        for n in [6, 9, 12] {
            let mean = solves(n, n, &Goal::BlankLast, 20);
            assert!(mean < 8.0 / 3.0 * (n * n * n) as f64, "{n}: {mean}");
        }
    }
}
