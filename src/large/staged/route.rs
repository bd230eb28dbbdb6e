//! The shortest route of one tile to a target, around fixed tiles.
//!
//! The blank first moves to the tile and then stays adjacent to it. It either pushes the tile (they
//! swap cells) or goes around one of its corners in two moves. A state is therefore the cell of the
//! tile and the side of the blank. A* searches these few states; the estimate is the cost on a
//! board without obstacles, so the search goes almost straight to the target.

use crate::large::mutable_board::{MutableBoard, neighbour};
use crate::large::peel::Unsolved;
use crate::puzzle::tiles::Direction;

/// The cost of a move, and the bonus or penalty of a move that brings the displaced tile closer to
/// its home or farther away.
const MOVE: u32 = 4;
const BIAS: u32 = 1;

/// The end of a route.
pub(super) trait Target {
    /// Returns a lower bound on the remaining moves when the tile is at this row and column and the
    /// blank is on this side of it.
    fn estimate(&self, tile: (usize, usize), side: Direction) -> u32;

    /// Returns the remaining cost if the route may end with tile and blank in these cells.
    fn finish(&self, tile: usize, blank: usize) -> Option<u32>;
}

/// The target "tile in `cell`, blank anywhere".
pub(super) struct ToCell {
    cell: usize,
    row: usize,
    col: usize,
}

impl ToCell {
    pub(super) fn new(cell: usize, cols: usize) -> Self {
        Self { cell, row: cell / cols, col: cell % cols }
    }
}

impl Target for ToCell {
    /// Returns the cost on a board without edges. A push in the direction of the previous one costs
    /// 5 moves, a push after a turn 3; so the cheapest route turns as often as possible.
    fn estimate(&self, (row, col): (usize, usize), side: Direction) -> u32 {
        let (v, h) = (row.abs_diff(self.row) as u32, col.abs_diff(self.col) as u32);
        let down = if row < self.row { Direction::Down } else { Direction::Up };
        let right = if col < self.col { Direction::Right } else { Direction::Left };
        let starting = |first: Direction, own: u32, other: u32| {
            let turns = if own > other { 2 * other } else { 2 * own - 1 };
            let to_first = match side {
                _ if side == first => 0,
                _ if side == first.opposite() => 4,
                _ => 2,
            };
            to_first + own + other + 2 * turns + 4 * (own + other - 1 - turns)
        };
        match (v, h) {
            (0, 0) => 0,
            (_, 0) => starting(down, v, h),
            (0, _) => starting(right, h, v),
            _ => starting(down, v, h).min(starting(right, h, v)),
        }
    }

    fn finish(&self, tile: usize, _: usize) -> Option<u32> {
        (tile == self.cell).then_some(0)
    }
}

/// A state of the search.
#[derive(Clone, Copy, Default)]
struct RouteNode {
    /// The number of the search that wrote this entry.
    stamp: u32,
    cost: u32,
    parent: u32,
}

/// Searches routes on boards of one size. The tables are reused.
pub(super) struct Router {
    cols: usize,
    cells: usize,
    /// Row and column of each cell.
    coordinates: Vec<[u8; 2]>,
    stamp: u32,
    nodes: Vec<RouteNode>,
    /// The open list: stacks by f. All are empty between searches.
    open: Vec<Vec<u32>>,
    /// The largest f in use.
    max_f: usize,
}

/// A route: its cost, including the remaining cost at the target, and its moves.
#[derive(Default)]
pub(super) struct Route {
    pub(super) cost: u32,
    pub(super) moves: Vec<Direction>,
}

/// The estimate while the blank approaches the tile.
struct Approach {
    tile: (isize, isize),
    by_side: [u32; 4],
}

impl Approach {
    fn new(tile: (usize, usize), target: &impl Target) -> Self {
        let by_side = Direction::ALL.map(|side| target.estimate(tile, side));
        Self { tile: (tile.0 as isize, tile.1 as isize), by_side }
    }

    fn estimate(&self, (row, col): (usize, usize)) -> u32 {
        let (v, h) = (row as isize - self.tile.0, col as isize - self.tile.1);
        let distance = |v: isize, h: isize| (v.unsigned_abs() + h.unsigned_abs()) as u32;
        let [up, right, down, left] = self.by_side;
        (up + distance(v + 1, h))
            .min(right + distance(v, h - 1))
            .min(down + distance(v - 1, h))
            .min(left + distance(v, h + 1))
    }
}

/// Returns the cost of a route on a board without obstacles, a lower bound.
pub(super) fn estimate(tile: (usize, usize), blank: (usize, usize), target: &impl Target) -> u32 {
    Approach::new(tile, target).estimate(blank)
}

/// The position of the blank relative to the tile.
#[derive(Clone, Copy)]
enum Position {
    Apart { blank: usize },
    Adjacent { tile: usize, side: Direction },
}

impl Router {
    pub(super) fn new(rows: usize, cols: usize) -> Self {
        let cells = rows * cols;
        let coordinates = (0..cells).map(|cell| [(cell / cols) as u8, (cell % cols) as u8]).collect();
        Self {
            cols,
            cells,
            coordinates,
            stamp: 0,
            nodes: vec![RouteNode::default(); 5 * cells],
            open: Vec::new(),
            max_f: 0,
        }
    }

    /// Returns the approximate memory of a router for `cells` cells.
    pub(super) fn bytes(cells: usize) -> usize {
        cells * (5 * (size_of::<RouteNode>() + size_of::<u32>()) + 2)
    }

    /// Returns the shortest route of the tile in cell `tile` to `target` inside `unsolved`. Neither
    /// the tile nor the blank enters a `fixed` cell. Returns none if there is no route.
    pub(super) fn route(
        &mut self,
        field: &MutableBoard,
        unsolved: Unsolved,
        fixed: &[bool],
        tile: usize,
        target: &impl Target,
    ) -> Option<Route> {
        self.stamp += 1;
        let cols = self.cols;
        let coordinates = std::mem::take(&mut self.coordinates);
        let at = |cell: usize| {
            let [row, col] = coordinates[cell];
            (usize::from(row), usize::from(col))
        };
        let approach = Approach::new(at(tile), target);
        let estimate = |position: Position| match position {
            Position::Adjacent { tile, side } => MOVE * target.estimate(at(tile), side),
            Position::Apart { blank } => MOVE * approach.estimate(at(blank)),
        };
        // Returns the cost of moving the blank between adjacent cells, given the tiles before the
        // route.
        let move_cost = |from: usize, to: usize| {
            let (home, new_cell, old_cell) = (at(field.cells()[to].into()), at(from), at(to));
            let away = |position: (usize, usize)| home.0.abs_diff(position.0) + home.1.abs_diff(position.1);
            if away(new_cell) < away(old_cell) { MOVE - BIAS } else { MOVE + BIAS }
        };
        let free = |cell: usize, direction: Direction| {
            let (row, col) = at(cell);
            let inside = match direction {
                Direction::Up => row > unsolved.top,
                Direction::Down => row + 1 < unsolved.top + unsolved.rows,
                Direction::Left => col > unsolved.left,
                Direction::Right => col + 1 < unsolved.left + unsolved.cols,
            };
            if !inside {
                return None;
            }
            Some(neighbour(cell, direction, cols)).filter(|&cell| !fixed[cell])
        };
        let start = self.with_blank_at(field.blank(), tile);
        let id = self.id(start);
        self.nodes[id] = RouteNode { stamp: self.stamp, cost: 0, parent: u32::MAX };
        let mut min_f = usize::MAX;
        if let Position::Apart { blank } = start {
            for end in self.monotone_paths(at(blank), at(tile), fixed, &move_cost) {
                let f = (self.nodes[end].cost + estimate(self.position(end as u32))) as usize;
                self.push(f, end);
                min_f = min_f.min(f);
            }
        }
        if min_f == usize::MAX {
            // No monotone path exists, or the blank is already adjacent to the tile.
            self.stamp += 1;
            self.nodes[id].stamp = self.stamp;
            min_f = estimate(start) as usize;
            self.push(min_f, id);
        }
        let mut best: Option<(u32, usize)> = None;
        loop {
            while min_f <= self.max_f && self.open[min_f].is_empty() {
                min_f += 1;
            }
            if min_f > self.max_f || best.is_some_and(|(cost, _)| cost as usize <= min_f) {
                break;
            }
            let Some(id) = self.open[min_f].pop() else { continue };
            let id = id as usize;
            let position = self.position(id as u32);
            let cost = self.nodes[id].cost;
            if cost as usize + (estimate(position) as usize) < min_f {
                continue; // A cheaper path to this state was expanded already.
            }
            let (tile_at, blank) = match position {
                Position::Apart { blank } => (tile, blank),
                Position::Adjacent { tile, side } => (tile, neighbour(tile, side, cols)),
            };
            if let Some(more) = target.finish(tile_at, blank).map(|more| MOVE * more)
                && best.is_none_or(|(least, _)| cost + more < least)
            {
                best = Some((cost + more, id));
            }
            let mut reach = |router: &mut Self, position: Position, cost: u32| {
                let next = router.id(position);
                let node = &mut router.nodes[next];
                if node.stamp != router.stamp || node.cost > cost {
                    *node = RouteNode { stamp: router.stamp, cost, parent: id as u32 };
                    let f = (cost + estimate(position)) as usize;
                    router.push(f, next);
                    min_f = min_f.min(f);
                }
            };
            match position {
                Position::Apart { blank } => {
                    for direction in Direction::ALL {
                        if let Some(cell) = free(blank, direction) {
                            let position = self.with_blank_at(cell, tile);
                            reach(self, position, cost + move_cost(blank, cell));
                        }
                    }
                }
                Position::Adjacent { tile, side } => {
                    reach(self, Position::Adjacent { tile: blank, side: side.opposite() }, cost + MOVE);
                    for turn in [1, 3] {
                        let next = Direction::from_index(side as usize + turn);
                        if let (Some(corner), Some(end)) = (free(blank, next), free(tile, next)) {
                            let cost_around = move_cost(blank, corner) + move_cost(corner, end);
                            reach(self, Position::Adjacent { tile, side: next }, cost + cost_around);
                        }
                    }
                }
            }
        }
        // All stacks below `min_f` are empty.
        for stack in self.open.iter_mut().take(self.max_f + 1).skip(min_f) {
            stack.clear();
        }
        self.max_f = 0;
        self.coordinates = coordinates;
        let (cost, end) = best?;
        Some(Route { cost, moves: self.moves(end) })
    }

    /// Computes the cheapest monotone path of the blank to every cell of the rectangle between
    /// blank and tile, by dynamic programming. Returns the states in which the blank is adjacent to
    /// the tile.
    fn monotone_paths(
        &mut self,
        blank: (usize, usize),
        tile: (usize, usize),
        fixed: &[bool],
        move_cost: &impl Fn(usize, usize) -> u32,
    ) -> Vec<usize> {
        let cols = self.cols;
        let cell = |(row, col): (usize, usize)| row * cols + col;
        let toward = |from: usize, to: usize, at: usize| if from <= to { from + at } else { from - at };
        let (rows, width) = (blank.0.abs_diff(tile.0), blank.1.abs_diff(tile.1));
        let mut cols_toward_tile = [0; 257];
        for (at, col) in cols_toward_tile.iter_mut().enumerate().take(width + 1) {
            *col = toward(blank.1, tile.1, at);
        }
        for down in 0..=rows {
            let row = toward(blank.0, tile.0, down);
            for across in usize::from(down == 0)..=width {
                let here = cell((row, cols_toward_tile[across]));
                if fixed[here] || (down, across) == (rows, width) {
                    continue;
                }
                let mut best = (u32::MAX, 0);
                let mut from = |before: usize| {
                    let node = self.nodes[4 * self.cells + before];
                    if node.stamp == self.stamp {
                        let cost = node.cost + move_cost(before, here);
                        best = best.min((cost, 4 * self.cells + before));
                    }
                };
                if down > 0 {
                    from(cell((toward(blank.0, tile.0, down - 1), cols_toward_tile[across])));
                }
                if across > 0 {
                    from(cell((row, cols_toward_tile[across - 1])));
                }
                let id = self.id(self.with_blank_at(here, cell(tile)));
                if best.0 != u32::MAX {
                    self.nodes[id] = RouteNode { stamp: self.stamp, cost: best.0, parent: best.1 as u32 };
                }
            }
        }
        let stamp = self.stamp;
        let ends = [
            (rows > 0).then(|| cell((toward(blank.0, tile.0, rows.wrapping_sub(1)), tile.1))),
            (width > 0).then(|| cell((tile.0, cols_toward_tile[width.wrapping_sub(1)]))),
        ];
        let ends = ends.map(|end| end.map(|end| self.id(self.with_blank_at(end, cell(tile)))));
        let reached = ends.map(|end| end.filter(|&id| self.nodes[id].stamp == stamp));
        reached.into_iter().flatten().collect()
    }

    /// Returns the position with the blank in cell `blank`, while the tile has not moved.
    fn with_blank_at(&self, blank: usize, tile: usize) -> Position {
        let side = match blank.wrapping_sub(tile) {
            1 if !blank.is_multiple_of(self.cols) => Some(Direction::Right),
            usize::MAX if !tile.is_multiple_of(self.cols) => Some(Direction::Left),
            apart if apart == self.cols => Some(Direction::Down),
            apart if apart == self.cols.wrapping_neg() => Some(Direction::Up),
            _ => None,
        };
        side.map_or(Position::Apart { blank }, |side| Position::Adjacent { tile, side })
    }

    fn id(&self, position: Position) -> usize {
        match position {
            Position::Adjacent { tile, side } => 4 * tile + side as usize,
            Position::Apart { blank } => 4 * self.cells + blank,
        }
    }

    fn position(&self, id: u32) -> Position {
        let id = id as usize;
        match id.checked_sub(4 * self.cells) {
            Some(blank) => Position::Apart { blank },
            None => Position::Adjacent { tile: id / 4, side: Direction::from_index(id) },
        }
    }

    fn push(&mut self, f: usize, id: usize) {
        if self.open.len() <= f {
            self.open.resize_with(f + 1, Vec::new);
        }
        self.max_f = self.max_f.max(f);
        self.open[f].push(id as u32);
    }

    /// Returns the moves from the start to state `end`.
    fn moves(&self, end: usize) -> Vec<Direction> {
        let blank_of = |position| match position {
            Position::Apart { blank } => blank,
            Position::Adjacent { tile, side } => neighbour(tile, side, self.cols),
        };
        let mut moves = Vec::new();
        let mut id = end;
        while self.nodes[id].parent != u32::MAX {
            let parent = self.nodes[id].parent;
            match (self.position(parent), self.position(id as u32)) {
                (Position::Adjacent { tile, side }, Position::Adjacent { tile: same, side: next })
                    if tile == same =>
                {
                    moves.extend([side.opposite(), next]);
                }
                (before, after) => {
                    let (from, to) = (blank_of(before), blank_of(after));
                    let there = |&direction: &Direction| {
                        let step = match direction {
                            Direction::Up => self.cols.wrapping_neg(),
                            Direction::Right => 1,
                            Direction::Down => self.cols,
                            Direction::Left => usize::MAX,
                        };
                        from.wrapping_add(step) == to
                    };
                    moves.extend(Direction::ALL.iter().find(|&d| there(d)));
                }
            }
            id = parent as usize;
        }
        moves.reverse();
        moves
    }
}
