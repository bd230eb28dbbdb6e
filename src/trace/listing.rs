//! The lines of a trace, handed on as they come.

use super::{List, Request};
use crate::output::{Sink, SinkError};
use crate::puzzle::tiles::{Cells, Direction, TileState};
use std::marker::PhantomData;

/// Lines are handed on when there are so many bytes of them.
const CHUNK: usize = 64 << 10;

/// A listing that is being written.
pub(super) struct Listing<'a, C> {
    sink: &'a mut Sink,
    chunk: Vec<u8>,
    list: List,
    grids: bool,
    cols: usize,
    /// What stands for each label: the blank, then the tiles in the order of
    /// the goal, with spaces before them so that all are of one width.
    names: Vec<Vec<u8>>,
    cells: PhantomData<C>,
}

impl<'a, C: Cells> Listing<'a, C> {
    pub(super) fn new(request: &Request<'_>, sink: &'a mut Sink) -> Self {
        let tiles = request.goal.tiles();
        let width = (tiles.len() - 1).to_string().len();
        let in_order = [0].into_iter().chain(tiles.iter().copied().filter(|&tile| tile != 0));
        let names = in_order.map(|tile| format!("{tile:width$}").into_bytes()).collect();
        let (list, grids, cols) = (request.list, request.grids, request.goal.size().cols());
        Self { sink, chunk: Vec::with_capacity(2 * CHUNK), list, grids, cols, names, cells: PhantomData }
    }

    /// A state was visited.
    #[inline(always)]
    pub(super) fn visited(&mut self, number: u32, state: &TileState<C>) -> Result<(), SinkError> {
        if self.list == List::Visited { self.line(number, state, None) } else { Ok(()) }
    }

    /// The states from the start to the goal are these.
    pub(super) fn solution(&mut self, states: impl Iterator<Item = TileState<C>>) -> Result<(), SinkError> {
        if self.list == List::Visited {
            return Ok(());
        }
        let mut states = states.peekable();
        let mut number = 0;
        while let Some(state) = states.next() {
            self.line(number, &state, states.peek().map(|next| next.blank))?;
            number += 1;
        }
        Ok(())
    }

    /// Hands on what is left.
    pub(super) fn finish(self) -> Result<(), SinkError> {
        self.sink.write_all(&self.chunk)
    }

    /// A state's number and the place of its blank; then, if the blank goes on,
    /// in which direction and which tile it changes places with.
    #[inline]
    fn line(&mut self, number: u32, state: &TileState<C>, next: Option<u8>) -> Result<(), SinkError> {
        let mut digits = itoa::Buffer::new();
        let blank = usize::from(state.blank);
        self.chunk.extend_from_slice(digits.format(number).as_bytes());
        self.chunk.extend_from_slice(b" (");
        self.chunk.extend_from_slice(digits.format(blank / self.cols).as_bytes());
        self.chunk.extend_from_slice(b", ");
        self.chunk.extend_from_slice(digits.format(blank % self.cols).as_bytes());
        self.chunk.push(b')');
        if let Some(next) = next.map(usize::from) {
            self.chunk.push(b' ');
            self.chunk.extend_from_slice(word(self.direction(blank, next)).as_bytes());
            self.chunk.push(b' ');
            self.chunk.extend_from_slice(self.names[state.cells.label(next)].trim_ascii());
        }
        self.chunk.push(b'\n');
        if self.grids {
            self.grid(state);
        }
        if self.chunk.len() >= CHUNK {
            self.sink.write_all(&self.chunk)?;
            self.chunk.clear();
        }
        Ok(())
    }

    fn direction(&self, from: usize, to: usize) -> Direction {
        if to + self.cols == from {
            Direction::Up
        } else if to == from + self.cols {
            Direction::Down
        } else if to > from {
            Direction::Right
        } else {
            Direction::Left
        }
    }

    fn grid(&mut self, state: &TileState<C>) {
        for cell in 0..self.names.len() {
            self.chunk.extend_from_slice(&self.names[state.cells.label(cell)]);
            self.chunk.push(if (cell + 1) % self.cols == 0 { b'\n' } else { b' ' });
        }
    }
}

/// A direction as the listing writes it.
fn word(direction: Direction) -> &'static str {
    match direction {
        Direction::Up => "Up",
        Direction::Right => "Right",
        Direction::Down => "Down",
        Direction::Left => "Left",
    }
}
