//! Staged solving: lines are peeled off the sides, one after the other, until a
//! core is left that is solved by a shortest path.
//!
//! A line grows from both its ends: the tile of either end goes in by its
//! shortest route, the nearer one first (`route`); the last two go in
//! together (`pair`). Every solvable board is solved, thin ones too: see
//! [`Staged::line`].

mod pair;
mod route;

use super::peel::{Side, Unsolved, View};
use crate::large::endgame;
use crate::large::mutable_board::{MutableBoard, beside};
use crate::puzzle::tiles::{Direction, Size};
use crate::search::{Limits, Stop};
use pair::{PairTable, Trio, Window};
use route::{Route, Router, Target, ToCell};

/// Boards with no side longer than this are left for the core.
const ENDGAME_SIDE: usize = 3;

/// Solves boards of one size, one after the other.
pub struct Staged {
    router: Router,
    fixed: Vec<bool>,
    /// Routes tried, as a measure of the work done.
    routes: u64,
}

impl Staged {
    /// A solver for boards of a size.
    pub fn new(size: Size) -> Self {
        Self { router: Router::new(size.rows(), size.cols()), fixed: vec![false; size.cells()], routes: 0 }
    }

    /// The bytes that a solver and a field for boards of a size need, about,
    /// without the moves.
    pub fn bytes(size: Size) -> usize {
        Router::bytes(size.cells()) + 5 * size.cells() + (64 << 10)
    }

    /// Routes tried so far.
    pub fn routes(&self) -> u64 {
        self.routes
    }

    /// Solves a board, which must be solvable. The field's moves are the
    /// solution; a limit that comes first leaves it half solved.
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

    /// Solves the line of a side of `unsolved`, across which there are more than
    /// three cells.
    ///
    /// This never fails. While the gap in the line has three cells or more, all
    /// free cells lie in squares of four free cells that hang together by their
    /// edges, so any tile can be brought to any of them. For the last two, one is
    /// parked in the gap; the lines below are free, two wide at limit and three
    /// deep, so the other can be brought below the gap; and inside the window
    /// any two tiles can be brought home, as `PairTable` shows by enumeration.
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
        self.last_two(field, unsolved, &view, start);
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

    /// Brings the two tiles home that belong at `start` and next to it.
    fn last_two(&mut self, field: &mut MutableBoard, unsolved: Unsolved, view: &View, start: usize) {
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

    /// The way to bring one of two tiles to a place and the other into the
    /// window; its cost is that of bringing both home. None that costs `limit`
    /// or more.
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

/// The moves that bring a tile home, if nothing is in the way.
fn unobstructed_cost(field: &MutableBoard, home: usize) -> u32 {
    let cols = field.size().cols();
    let at = |cell: usize| (cell / cols, cell % cols);
    route::estimate(at(field.cell_of(home)), at(field.blank()), &ToCell::new(home, cols))
}

/// The side to be peeled next: where the tiles are nearest to their places.
fn next_side(field: &MutableBoard, unsolved: Unsolved) -> Option<Side> {
    let cols = field.size().cols();
    let blank = usize::from(field.cells()[field.blank()]);
    let far = |side: &Side| {
        let view = View::new(unsolved, *side, cols);
        let away = |home: usize| {
            let cell = field.cell_of(home);
            (cell / cols).abs_diff(home / cols) + (cell % cols).abs_diff(home % cols)
        };
        (0..view.width).map(|place| away(view.cell(0, place))).sum::<usize>()
    };
    unsolved.open_sides((blank / cols, blank % cols), ENDGAME_SIDE).min_by_key(far)
}

impl IntoWindow<'_> {
    /// What is left when both tiles are inside.
    fn inside(&self, (row, col): (usize, usize), side: Direction) -> u32 {
        let cols = self.window.board_cols();
        let tile = row * cols + col;
        let outside = match side {
            Direction::Up => row == 0,
            Direction::Left => col == 0,
            _ => false,
        };
        if outside { 0 } else { self.finish(tile, beside(tile, side, cols)).unwrap_or(0) }
    }
}

/// The window's target: one tile stays where it is, the other comes in.
struct IntoWindow<'w> {
    window: &'w Window<'w>,
    parked: usize,
    parked_is_first: bool,
}

impl Target for IntoWindow<'_> {
    /// Each push brings the tile at most one cell nearer, and between two pushes
    /// lie two moves at limit.
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
