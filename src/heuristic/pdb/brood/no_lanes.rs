//! What stands for `sixteen` where there are no such lanes.

use super::Boards;
use crate::heuristic::Chosen;
use crate::heuristic::pdb::Library;
use crate::heuristic::pdb::lookup::Lookup;
use crate::puzzle::tiles::{Cells, Tiles};
use std::convert::Infallible;
use std::sync::Arc;

pub(super) const SIXTEEN: usize = 16;

pub(in super::super) fn bytes(_: usize) -> u64 {
    0
}

/// There is none.
#[derive(Debug)]
pub(in super::super) struct Sixteen<const N: usize, const V: usize>(Infallible);

impl<const N: usize, const V: usize> Sixteen<N, V> {
    pub(in super::super) fn new<C: Cells>(
        _: &Tiles<C>,
        _: &[[Arc<Lookup>; N]; V],
        _: &Library,
    ) -> Option<Box<Self>> {
        None
    }

    pub(super) fn draft_chosen(&self, _: &Boards<N, V>, _: Chosen, _: &mut Boards<N, V>) {
        match self.0 {}
    }

    pub(super) fn draft(&self, _: usize, _: &mut Boards<N, V>) {
        match self.0 {}
    }
}
