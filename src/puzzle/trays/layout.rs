//! A state on a grid, for replaying and showing solutions; not for searching.

use super::{Block, Class, Metric, Place, Shift, Tray};
use std::collections::VecDeque;

/// The four directions, as changes of row and column.
const DIRECTIONS: [(i32, i32); 4] = [(-1, 0), (0, 1), (1, 0), (0, -1)];

/// Current positions of a tray's blocks.
#[derive(Clone, Debug)]
pub struct Layout<'t> {
    tray: &'t Tray,
    /// Blocks by their numbers in the start.
    blocks: Vec<Block>,
    /// Content of each cell, as in [`Tray::grid`].
    grid: Vec<u32>,
}

impl<'t> Layout<'t> {
    /// Creates the layout of the start.
    pub fn new(tray: &'t Tray) -> Self {
        Self { tray, blocks: tray.blocks().to_vec(), grid: tray.grid(tray.blocks()) }
    }

    /// Returns the blocks by their numbers in the start.
    pub fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// Returns the content of each cell, row by row: a block's number, [`Tray::EMPTY`] or
    /// [`Tray::WALL`].
    pub fn grid(&self) -> &[u32] {
        &self.grid
    }

    /// Returns whether the goal is met.
    pub fn is_solved(&self) -> bool {
        let mut blocks = self.blocks.clone();
        blocks.sort_unstable();
        self.tray.is_met_by(&blocks)
    }

    /// Makes a move, or returns an error if it is not legal.
    pub fn shift(&mut self, shift: Shift, metric: Metric) -> Result<(), String> {
        let number = self.block_at(shift.from)?;
        let straight = shift.straight();
        let legal = match metric {
            Metric::Step => straight == Some(1) && self.beside(number, shift.from).any(|to| to == shift.to),
            Metric::Slide => straight.is_some() && self.rays(number, shift.from).any(|to| to == shift.to),
            Metric::Piece => shift.from != shift.to && self.reaches(number, shift),
        };
        if !legal {
            let kind = metric.name();
            return Err(format!("the block at {} cannot go to {} in one {kind}", shift.from, shift.to));
        }
        self.place_block(number, shift.to);
        Ok(())
    }

    /// Returns whether a block can make a move, cell by cell.
    fn reaches(&self, number: u32, shift: Shift) -> bool {
        let cols = self.tray.cols();
        let mut seen = vec![false; self.grid.len()];
        let mut open = vec![shift.from];
        while let Some(at) = open.pop() {
            if at == shift.to {
                return true;
            }
            open.extend(
                self.beside(number, at).filter(|to| !std::mem::replace(&mut seen[to.cell(cols)], true)),
            );
        }
        false
    }

    /// Returns the fewest straight slides that make a move.
    pub fn route(&self, shift: Shift) -> Option<Vec<Shift>> {
        let number = self.block_at(shift.from).ok()?;
        let cols = self.tray.cols();
        // Predecessor of each reached position; the start is its own.
        let mut predecessor = vec![u32::MAX; self.grid.len()];
        predecessor[shift.from.cell(cols)] = shift.from.cell(cols) as u32;
        let mut open = VecDeque::from([shift.from]);
        while let Some(at) = open.pop_front() {
            if at == shift.to {
                break;
            }
            for to in self.rays(number, at) {
                let seen = &mut predecessor[to.cell(cols)];
                if *seen == u32::MAX {
                    *seen = at.cell(cols) as u32;
                    open.push_back(to);
                }
            }
        }
        let mut route = Vec::new();
        let mut to = shift.to;
        while to != shift.from {
            let from = *predecessor.get(to.cell(cols)).filter(|&&cell| cell != u32::MAX)?;
            let from = Place::of_cell(from as usize, cols);
            route.push(Shift { from, to });
            to = from;
        }
        route.reverse();
        Some(route)
    }

    /// Returns the number of the block with its top-left cell at `at`.
    fn block_at(&self, at: Place) -> Result<u32, String> {
        let (rows, cols) = (self.tray.rows(), self.tray.cols());
        let inside = (at.row as usize) < rows && (at.col as usize) < cols;
        let number = if inside { self.grid[at.cell(cols)] } else { Tray::EMPTY };
        match self.blocks.get(number as usize) {
            Some(block) if block.at == at => Ok(number),
            _ => Err(format!("no block has its top-left cell at {at}")),
        }
    }

    fn class(&self, number: u32) -> &'t Class {
        &self.tray.classes()[self.blocks[number as usize].class as usize]
    }

    fn place_block(&mut self, number: u32, to: Place) {
        let (class, cols) = (self.class(number), self.tray.cols());
        let block = &mut self.blocks[number as usize];
        class.rect(block.at).cells(cols).for_each(|cell| self.grid[cell] = Tray::EMPTY);
        block.at = to;
        class.rect(to).cells(cols).for_each(|cell| self.grid[cell] = number);
    }

    /// Returns the position one cell further, if a block that fits at `at` also fits there. Only
    /// the leading edge enters other cells.
    fn next(&self, number: u32, at: Place, way: (i32, i32)) -> Option<Place> {
        let row = u16::try_from(i32::from(at.row) + way.0).ok()?;
        let col = u16::try_from(i32::from(at.col) + way.1).ok()?;
        let rect = self.class(number).rect(Place::new(row, col));
        let free = |cell: usize| self.grid[cell] == Tray::EMPTY || self.grid[cell] == number;
        let (rows, cols) = (self.tray.rows(), self.tray.cols());
        (rect.fits(rows, cols) && rect.edge(way).cells(cols).all(free)).then_some(rect.at)
    }

    fn beside(&self, number: u32, at: Place) -> impl Iterator<Item = Place> {
        DIRECTIONS.into_iter().filter_map(move |way| self.next(number, at, way))
    }

    /// Returns the ends of all straight slides.
    fn rays(&self, number: u32, at: Place) -> impl Iterator<Item = Place> {
        DIRECTIONS.into_iter().flat_map(move |way| {
            std::iter::successors(self.next(number, at, way), move |&at| self.next(number, at, way))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Piece, Rect};
    use super::*;

    fn tray() -> Tray {
        let cell = |row, col| Piece::plain(Rect::new(row, col, 1, 1).unwrap());
        let bar = Piece::plain(Rect::new(1, 0, 1, 2).unwrap());
        Tray::new(3, 3, &[], &[cell(0, 0), bar], &[cell(2, 0)]).unwrap()
    }

    fn shift(row: u16, col: u16, to_row: u16, to_col: u16) -> Shift {
        Shift { from: Place::new(row, col), to: Place::new(to_row, to_col) }
    }

    #[test]
    fn moves_are_legal_or_not_by_the_metric() {
        let tray = tray();
        let tries = |metric, shift| Layout::new(&tray).shift(shift, metric).is_ok();
        assert_eq!(Metric::ALL.map(|metric| tries(metric, shift(0, 0, 0, 1))), [true; 3]);
        assert_eq!(Metric::ALL.map(|metric| tries(metric, shift(0, 0, 0, 2))), [false, true, true]);
        assert_eq!(Metric::ALL.map(|metric| tries(metric, shift(0, 0, 2, 2))), [false, false, true]);
        // Over the bar, into the bar, out of the tray, no movement, and no block.
        for bad in
            [shift(0, 0, 3, 0), shift(0, 0, 1, 0), shift(0, 0, 0, 0), shift(0, 1, 0, 2), shift(1, 1, 1, 2)]
        {
            assert_eq!(Metric::ALL.map(|metric| tries(metric, bad)), [false; 3], "{bad}");
        }
        assert!(!tries(Metric::Slide, shift(0, 0, 2, 0)), "over the bar");
    }

    #[test]
    fn a_route_has_the_fewest_slides() {
        let tray = tray();
        let mut layout = Layout::new(&tray);
        let route = layout.route(shift(0, 0, 2, 0)).unwrap();
        assert_eq!(route, [shift(0, 0, 0, 2), shift(0, 2, 2, 2), shift(2, 2, 2, 0)]);
        for shift in route {
            assert!(!layout.is_solved());
            layout.shift(shift, Metric::Slide).unwrap();
        }
        assert!(layout.is_solved());
        assert_eq!(layout.route(shift(1, 0, 0, 0)), Some(vec![shift(1, 0, 0, 0)]));
    }
}
