//! The lines of a trace, handed on as they come.

use super::visits::Visits;
use super::{List, Request};
use crate::output::{Sink, SinkError};
use crate::puzzle::tiles::Direction;

/// Lines are handed on when there are so many bytes of them.
const CHUNK: usize = 64 << 10;

/// A listing that is being written.
pub(super) struct Listing<'a> {
    sink: &'a mut Sink,
    chunk: Vec<u8>,
    list: List,
    grids: bool,
    cols: usize,
    /// What stands for each label: the blank, then the tiles in the order of
    /// the goal, with spaces before them so that all are of one width.
    names: Vec<Vec<u8>>,
}

impl<'a> Listing<'a> {
    pub(super) fn new(request: &Request<'_>, sink: &'a mut Sink) -> Self {
        let tiles = request.goal.tiles();
        let width = (tiles.len() - 1).to_string().len();
        let in_order = [0].into_iter().chain(tiles.iter().copied().filter(|&tile| tile != 0));
        let names = in_order.map(|tile| format!("{tile:width$}").into_bytes()).collect();
        let (list, grids, cols) = (request.list, request.grids, request.goal.size().cols());
        Self { sink, chunk: Vec::with_capacity(2 * CHUNK), list, grids, cols, names }
    }

    /// A state was visited.
    #[inline(always)]
    pub(super) fn visited<V: Visits>(
        &mut self,
        number: u32,
        visits: &V,
        state: &V::State,
    ) -> Result<(), SinkError> {
        if self.list == List::Visited { self.line(number, visits, state, None) } else { Ok(()) }
    }

    /// The states from the start to the goal have these numbers.
    pub(super) fn solution<V: Visits>(&mut self, visits: &V, path: &[u32]) -> Result<(), SinkError> {
        if self.list == List::Visited {
            return Ok(());
        }
        for (number, &at) in path.iter().enumerate() {
            let next = path.get(number + 1).map(|&next| visits.blank(&visits.state(next)));
            self.line(number as u32, visits, &visits.state(at), next)?;
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
    fn line<V: Visits>(
        &mut self,
        number: u32,
        visits: &V,
        state: &V::State,
        next: Option<usize>,
    ) -> Result<(), SinkError> {
        let mut digits = itoa::Buffer::new();
        let blank = visits.blank(state);
        self.chunk.extend_from_slice(digits.format(number).as_bytes());
        self.chunk.extend_from_slice(b" (");
        self.chunk.extend_from_slice(digits.format(blank / self.cols).as_bytes());
        self.chunk.extend_from_slice(b", ");
        self.chunk.extend_from_slice(digits.format(blank % self.cols).as_bytes());
        self.chunk.push(b')');
        if let Some(next) = next {
            self.chunk.push(b' ');
            self.chunk.extend_from_slice(word(self.direction(blank, next)).as_bytes());
            self.chunk.push(b' ');
            self.chunk.extend_from_slice(self.names[visits.label(state, next)].trim_ascii());
        }
        self.chunk.push(b'\n');
        if self.grids {
            self.grid(visits, state);
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

    fn grid<V: Visits>(&mut self, visits: &V, state: &V::State) {
        for cell in 0..self.names.len() {
            self.chunk.extend_from_slice(&self.names[visits.label(state, cell)]);
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
