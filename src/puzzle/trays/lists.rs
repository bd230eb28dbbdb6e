//! Trays of any size: lists of cells, and a grid that is updated incrementally.
//!
//! The key lists the top-left cells of every class in order. If a class of unit blocks has more
//! blocks than there are holes, the key lists the holes instead of that class: a tray of 100×100
//! with 9,999 unit blocks is a puzzle about one hole. The grid has the content of each cell. When
//! the state changes, only cells that differ are redrawn. If there are few blocks, they are not
//! drawn: comparing their rectangles is faster.

use super::{Class, Metric, Place, Rect, Shift, Tray};
use crate::puzzle::Move;
use std::sync::Arc;

/// Content of a cell without a listed block.
const EMPTY: u32 = u32::MAX;
const WALL: u32 = u32::MAX - 1;
/// A unit block of the class that is not listed.
const UNIT: u32 = u32::MAX - 2;

/// Maximum number of blocks that are compared with each other instead of being drawn.
const FEW: usize = 24;

/// The four directions, as changes of row and column.
const WAYS: [(i32, i32); 4] = [(-1, 0), (0, 1), (1, 0), (0, -1)];

/// Cells of a class, or of the holes, in the list.
#[derive(Clone, Debug)]
struct Group {
    /// `None` for the holes.
    class: Option<usize>,
    start: usize,
    end: usize,
}

/// A state of a tray that changes from move to move.
#[derive(Clone, Debug)]
pub struct Lists {
    tray: Arc<Tray>,
    metric: Metric,
    groups: Vec<Group>,
    /// Class of unit blocks that the holes imply.
    implied: Option<usize>,
    /// Cells of all groups, sorted inside each group.
    cells: Vec<u16>,
    grid: Vec<u32>,
    /// Whether blocks are compared with each other; the grid then has walls only.
    compares_blocks: bool,
    has_walls: bool,
    /// Whether slides end only at positions where something changes.
    stops: bool,
    /// Cells per word of a key.
    per_word: usize,
    /// Lists under construction.
    next: Vec<u16>,
    key: Vec<u32>,
    /// Number of the last flood fill that reached each cell, and of the last turn that moved each
    /// block.
    reached: Vec<u32>,
    moved: Vec<u32>,
    floods: u32,
    turn: u32,
    open: Vec<Place>,
}

/// A move of a block and the state after it.
#[derive(Clone, Copy, Debug)]
pub struct Moved<'l> {
    /// Key of the state after the move.
    pub key: &'l [u32],
    /// The move.
    pub step: Move,
    /// Class of the block.
    pub class: usize,
    /// The state after the move.
    pub after: View<'l>,
}

/// Lists of a state.
#[derive(Clone, Copy, Debug)]
pub struct View<'l> {
    groups: &'l [Group],
    cells: &'l [u16],
}

impl<'l> View<'l> {
    fn group(self, class: Option<usize>) -> Option<&'l [u16]> {
        // Listed classes are in order, the holes last.
        let index = match class {
            None => self.groups.len().checked_sub(1)?,
            Some(class) => {
                self.groups.partition_point(|group| group.class.is_some_and(|listed| listed < class))
            }
        };
        let group = self.groups.get(index).filter(|group| group.class == class)?;
        Some(&self.cells[group.start..group.end])
    }

    /// Returns the cells of a class, sorted; `None` if the holes imply it.
    pub fn class(self, class: usize) -> Option<&'l [u16]> {
        self.group(Some(class))
    }

    /// Returns the holes, if they are listed.
    pub fn holes(self) -> &'l [u16] {
        self.group(None).unwrap_or(&[])
    }
}

impl Lists {
    /// Creates the start of a tray.
    pub fn new(tray: &Arc<Tray>, metric: Metric) -> Self {
        let cols = tray.cols();
        let is_unit = |class: &Class| class.height == 1 && class.width == 1;
        let units = tray.classes().iter().enumerate().filter(|(_, class)| is_unit(class));
        let largest = units.max_by_key(|(_, class)| class.blocks.len());
        let implied =
            largest.filter(|(_, class)| class.blocks.len() > tray.holes()).map(|(number, _)| number);
        let mut grid: Vec<u32> = (0..tray.cells())
            .map(|cell| match (tray.is_wall(cell), implied) {
                (true, _) => WALL,
                (false, Some(_)) => UNIT,
                (false, None) => EMPTY,
            })
            .collect();
        let mut groups = Vec::new();
        let mut cells = Vec::new();
        for (number, class) in tray.classes().iter().enumerate() {
            if implied != Some(number) {
                let start = cells.len();
                let blocks = &tray.blocks()[class.blocks.clone()];
                cells.extend(blocks.iter().map(|block| block.at.cell(cols) as u16));
                groups.push(Group { class: Some(number), start, end: cells.len() });
            }
        }
        if implied.is_some() {
            let grid_of_start = tray.grid(tray.blocks());
            let start = cells.len();
            cells.extend(
                (0..tray.cells()).filter(|&cell| grid_of_start[cell] == Tray::EMPTY).map(|cell| cell as u16),
            );
            groups.push(Group { class: None, start, end: cells.len() });
        }
        let compares_blocks = implied.is_none() && cells.len() <= FEW;
        for group in groups.iter().filter(|_| !compares_blocks) {
            for &cell in &cells[group.start..group.end] {
                draw(&mut grid, tray, group.class, cell, code(group.class, cell));
            }
        }
        let per_word = if tray.cells() <= 256 { 4 } else { 2 };
        Self {
            tray: tray.clone(),
            metric,
            groups,
            implied,
            next: cells.clone(),
            key: vec![0; cells.len().div_ceil(per_word)],
            cells,
            reached: vec![0; grid.len()],
            moved: vec![0; grid.len()],
            grid,
            compares_blocks,
            has_walls: tray.walls().iter().any(|&word| word != 0),
            stops: false,
            per_word,
            floods: 0,
            turn: 0,
            open: Vec::new(),
        }
    }

    /// Restricts slides to ends where something changes: at the end of the free cells, in line with
    /// a goal, where another direction opens or closes, or level with an edge of another block.
    /// This removes most slides in a large tray, but a solvable tray may become unsolvable.
    pub fn with_stops(self) -> Self {
        Self { stops: true, ..self }
    }

    /// Returns the tray.
    pub fn tray(&self) -> &Tray {
        &self.tray
    }

    /// Returns the class of unit blocks that the holes imply, if there is one.
    pub fn implied(&self) -> Option<usize> {
        self.implied
    }

    /// Returns the number of words of a key.
    pub fn width(&self) -> usize {
        self.key.len()
    }

    /// Returns the current state.
    pub fn view(&self) -> View<'_> {
        View { groups: &self.groups, cells: &self.cells }
    }

    /// Writes the key of the state.
    pub fn write_key(&self, key: &mut [u32]) {
        pack(&self.cells, self.per_word, key);
    }

    /// Switches to the state of a key.
    pub fn load(&mut self, key: &[u32]) {
        let bits = 32 / self.per_word;
        let mask = (1u32 << bits) - 1;
        for (index, cell) in self.next.iter_mut().enumerate() {
            *cell = (key[index / self.per_word] >> (index % self.per_word * bits) & mask) as u16;
        }
        self.swap_in_next();
    }

    /// Switches to the state after a move.
    pub fn apply(&mut self, step: Move) {
        let (from, to) = ends(step);
        let class = match self.grid[from as usize] {
            _ if self.compares_blocks => {
                self.blocks().find(|&(_, cell)| cell == from).map(|(class, _)| class)
            }
            UNIT => self.implied,
            code => Some((code >> 16) as usize),
        };
        if let Some(class) = class {
            self.make_next(class, from, to);
            self.swap_in_next();
        }
    }

    /// Redraws the cells that differ in `next`, which becomes the state.
    fn swap_in_next(&mut self) {
        let base = if self.implied.is_some() { UNIT } else { EMPTY };
        for draws in [false, true].into_iter().filter(|_| !self.compares_blocks) {
            for group in &self.groups {
                for index in group.start..group.end {
                    let (old, new) = (self.cells[index], self.next[index]);
                    if old == new {
                        continue;
                    }
                    let (cell, what) = if draws { (new, code(group.class, new)) } else { (old, base) };
                    draw(&mut self.grid, &self.tray, group.class, cell, what);
                }
            }
        }
        std::mem::swap(&mut self.cells, &mut self.next);
    }

    /// Returns whether a state, the current one or one move after it, meets the goal.
    pub fn is_goal(tray: &Tray, implied: Option<usize>, view: View<'_>) -> bool {
        let cols = tray.cols();
        let goals = |class: usize| &tray.goal()[tray.classes()[class].goals.clone()];
        let listed = view.groups.iter().filter_map(|group| Some((group.class?, group)));
        let met = listed.clone().all(|(class, group)| {
            let cells = &view.cells[group.start..group.end];
            goals(class).iter().all(|goal| cells.binary_search(&(goal.at.cell(cols) as u16)).is_ok())
        });
        let Some(implied) = implied.filter(|_| met) else { return met };
        // A unit block covers every cell without other content.
        let goal_cells = goals(implied);
        let is_wanted = |cell: usize| {
            let at = Place::of_cell(cell, cols);
            goal_cells.binary_search_by(|goal| goal.at.cmp(&at)).is_ok()
        };
        view.holes().iter().all(|&hole| !is_wanted(hole.into()))
            && listed.clone().all(|(class, group)| {
                let rect = |cell: &u16| tray.classes()[class].rect(Place::of_cell((*cell).into(), cols));
                view.cells[group.start..group.end].iter().all(|cell| !rect(cell).cells(cols).any(is_wanted))
            })
    }

    /// Calls `visit` for each move of the state, until it returns `false`. Moves that merge with
    /// `last` may be omitted.
    pub fn moves(&mut self, last: Option<Move>, mut visit: impl FnMut(Moved<'_>) -> bool) {
        self.turn += 1;
        let last = last.map(ends);
        if self.implied.is_some() {
            let holes = self.groups.last().map_or(0..0, |group| group.start..group.end);
            for index in holes {
                let hole = Place::of_cell(self.cells[index].into(), self.tray.cols());
                for way in WAYS {
                    // The block on the other side would enter here.
                    let Some(beside) = self.beside(hole, (-way.0, -way.1)) else { continue };
                    let (class, at) = match self.grid[beside.cell(self.tray.cols())] {
                        EMPTY | WALL => continue,
                        UNIT => (self.implied.unwrap_or(0), beside),
                        code => {
                            let at = Place::of_cell((code & 0xffff) as usize, self.tray.cols());
                            ((code >> 16) as usize, at)
                        }
                    };
                    // Once per edge of a block: at its first cell.
                    let first = if way.0 != 0 { hole.col == at.col } else { hole.row == at.row };
                    if first && !self.try_way(class, at, way, last, &mut visit) {
                        return;
                    }
                }
            }
            return;
        }
        for group in 0..self.groups.len() {
            let Group { class: Some(class), start, end } = self.groups[group] else { continue };
            for index in start..end {
                let at = Place::of_cell(self.cells[index].into(), self.tray.cols());
                for way in WAYS {
                    if !self.try_way(class, at, way, last, &mut visit) {
                        return;
                    }
                }
            }
        }
    }

    /// Visits the moves of a block that start in one direction.
    fn try_way(
        &mut self,
        class: usize,
        at: Place,
        way: (i32, i32),
        last: Option<(u16, u16)>,
        visit: &mut impl FnMut(Moved<'_>) -> bool,
    ) -> bool {
        let cols = self.tray.cols();
        let from = at.cell(cols) as u16;
        let again = last.filter(|&(_, to)| to == from).map(|(before, _)| Place::of_cell(before.into(), cols));
        let Some(to) = self.next_place(class, at, at, way) else { return true };
        match self.metric {
            Metric::Step => again == Some(to) || self.visit(class, from, to.cell(cols) as u16, visit),
            Metric::Slide => {
                // A second slide on the same line merges with the first.
                if again.is_some_and(|before| (before.row == at.row) == (way.0 == 0)) {
                    return true;
                }
                let mut before = at;
                let mut place = Some(to);
                while let Some(to) = place {
                    place = self.next_place(class, at, to, way);
                    let ends = !self.stops || place.is_none() || self.changes(class, at, before, to, way);
                    if ends && !self.visit(class, from, to.cell(cols) as u16, visit) {
                        return false;
                    }
                    before = to;
                }
                true
            }
            Metric::Piece => {
                if again.is_some() || self.moved[from as usize] == self.turn {
                    return true;
                }
                self.moved[from as usize] = self.turn;
                self.reach_all(class, at, visit)
            }
        }
    }

    /// Visits all positions that a block can reach.
    fn reach_all(&mut self, class: usize, at: Place, visit: &mut impl FnMut(Moved<'_>) -> bool) -> bool {
        let cols = self.tray.cols();
        self.floods += 1;
        let flood = self.floods;
        let mut open = std::mem::take(&mut self.open);
        open.clear();
        open.push(at);
        self.reached[at.cell(cols)] = flood;
        let mut going_on = true;
        let mut done = 0;
        while going_on && done < open.len() {
            let place = open[done];
            done += 1;
            for way in WAYS {
                let Some(to) = self.next_place(class, at, place, way) else { continue };
                if std::mem::replace(&mut self.reached[to.cell(cols)], flood) == flood {
                    continue;
                }
                open.push(to);
                going_on = self.visit(class, at.cell(cols) as u16, to.cell(cols) as u16, visit);
                if !going_on {
                    break;
                }
            }
        }
        self.open = open;
        going_on
    }

    /// Returns class and top-left cell of each listed block.
    fn blocks(&self) -> impl Iterator<Item = (usize, u16)> {
        let listed = self.groups.iter().filter_map(|group| Some((group.class?, group)));
        listed.flat_map(|(class, group)| {
            self.cells[group.start..group.end].iter().map(move |&cell| (class, cell))
        })
    }

    /// Returns whether a slide from `before` to `to` changes something for the block or for others.
    fn changes(&self, class: usize, own: Place, before: Place, to: Place, way: (i32, i32)) -> bool {
        let cols = self.tray.cols();
        let shape = &self.tray.classes()[class];
        let goals = &self.tray.goal()[shape.goals.clone()];
        let across = way.0 == 0;
        let in_line = |at: Place| if across { at.col == to.col } else { at.row == to.row };
        if goals.iter().any(|goal| in_line(goal.at)) {
            return true;
        }
        let sides = if across { [(-1, 0), (1, 0)] } else { [(0, -1), (0, 1)] };
        let open = |at: Place| sides.map(|side| self.next_place(class, own, at, side).is_some());
        if open(before) != open(to) {
            return true;
        }
        let mine = shape.rect(to);
        self.blocks().any(|(other, cell)| {
            let at = Place::of_cell(cell.into(), cols);
            let theirs = self.tray.classes()[other].rect(at);
            at != own
                && if across {
                    to.col == theirs.last_col() + 1 || mine.last_col() + 1 == at.col
                } else {
                    to.row == theirs.last_row() + 1 || mine.last_row() + 1 == at.row
                }
        })
    }

    fn beside(&self, at: Place, way: (i32, i32)) -> Option<Place> {
        let (row, col) = (i32::from(at.row) + way.0, i32::from(at.col) + way.1);
        let inside =
            (0..self.tray.rows() as i32).contains(&row) && (0..self.tray.cols() as i32).contains(&col);
        inside.then(|| Place::new(row as u16, col as u16))
    }

    /// Returns the position beside `place`, if the block at `own` fits there, coming from `place`.
    #[inline]
    fn next_place(&self, class: usize, own: Place, place: Place, way: (i32, i32)) -> Option<Place> {
        let cols = self.tray.cols();
        let class = &self.tray.classes()[class];
        let to = self.beside(place, way)?;
        let rect = class.rect(to);
        if !rect.fits(self.tray.rows(), cols) {
            return None;
        }
        if self.compares_blocks {
            let mine =
                |other: usize, at: Place| at == own && std::ptr::eq(class, &self.tray.classes()[other]);
            let hits = self.blocks().any(|(other, cell)| {
                let at = Place::of_cell(cell.into(), cols);
                !mine(other, at) && self.tray.classes()[other].rect(at).overlaps(rect)
            });
            if hits {
                return None;
            }
            if !self.has_walls {
                return Some(to);
            }
        }
        // Only the leading edge enters new cells.
        let edge = rect.edge(way);
        let mine = class.rect(own);
        let free = |cell: usize| {
            let at = Place::of_cell(cell, cols);
            self.grid[cell] == EMPTY || mine.overlaps(Rect { at, height: 1, width: 1 })
        };
        edge.cells(cols).all(free).then_some(to)
    }

    fn visit(&mut self, class: usize, from: u16, to: u16, visit: &mut impl FnMut(Moved<'_>) -> bool) -> bool {
        self.make_next(class, from, to);
        pack(&self.next, self.per_word, &mut self.key);
        let step = Move(u32::from(from) | u32::from(to) << 16);
        let after = View { groups: &self.groups, cells: &self.next };
        visit(Moved { key: &self.key, step, class, after })
    }

    /// Writes the lists after a move into `next`.
    fn make_next(&mut self, class: usize, from: u16, to: u16) {
        self.next.copy_from_slice(&self.cells);
        if self.implied != Some(class) {
            let index = self.groups.partition_point(|group| group.class.is_some_and(|known| known < class));
            let Group { start, end, .. } = self.groups[index];
            replace(&mut self.next[start..end], from, to);
        }
        if self.implied.is_none() {
            return;
        }
        let Some(&Group { start, end, .. }) = self.groups.last() else { return };
        let cols = self.tray.cols();
        let class = &self.tray.classes()[class];
        let [old, new] = [from, to].map(|cell| class.rect(Place::of_cell(cell.into(), cols)));
        let outside = |cells: Rect, other: Rect| {
            cells.cells(cols).filter(move |&cell| {
                let at = Place::of_cell(cell, cols);
                !other.overlaps(Rect { at, height: 1, width: 1 })
            })
        };
        for (covered, left) in outside(new, old).zip(outside(old, new)) {
            replace(&mut self.next[start..end], covered as u16, left as u16);
        }
    }

    /// Returns a move as a `Shift`, in a tray of `cols` columns.
    pub fn shift(step: Move, cols: usize) -> Shift {
        let (from, to) = ends(step);
        Shift { from: Place::of_cell(from.into(), cols), to: Place::of_cell(to.into(), cols) }
    }

    /// Returns a `Shift` as a move.
    pub fn step(shift: Shift, cols: usize) -> Move {
        Move(shift.from.cell(cols) as u32 | (shift.to.cell(cols) as u32) << 16)
    }
}

/// Returns the cells where a move starts and ends.
fn ends(step: Move) -> (u16, u16) {
    (step.0 as u16, (step.0 >> 16) as u16)
}

/// Returns the grid content of a cell covered by a block of a class, or by a hole.
fn code(class: Option<usize>, cell: u16) -> u32 {
    class.map_or(EMPTY, |class| (class as u32) << 16 | u32::from(cell))
}

/// Writes the content of all cells of a block, or of a hole.
fn draw(grid: &mut [u32], tray: &Tray, class: Option<usize>, cell: u16, what: u32) {
    match class {
        None => grid[cell as usize] = what,
        Some(class) => {
            let rect = tray.classes()[class].rect(Place::of_cell(cell.into(), tray.cols()));
            rect.cells(tray.cols()).for_each(|cell| grid[cell] = what);
        }
    }
}

/// Replaces a cell of a sorted list by another, and keeps it sorted.
fn replace(cells: &mut [u16], old: u16, new: u16) {
    let Ok(mut at) = cells.binary_search(&old) else { return };
    cells[at] = new;
    while at + 1 < cells.len() && cells[at + 1] < new {
        cells.swap(at, at + 1);
        at += 1;
    }
    while at > 0 && cells[at - 1] > new {
        cells.swap(at, at - 1);
        at -= 1;
    }
}

/// Packs cells into words.
fn pack(cells: &[u16], per_word: usize, key: &mut [u32]) {
    let bits = 32 / per_word;
    for (word, cells) in key.iter_mut().zip(cells.chunks(per_word)) {
        *word = cells.iter().rev().fold(0, |word, &cell| word << bits | u32::from(cell));
    }
}
