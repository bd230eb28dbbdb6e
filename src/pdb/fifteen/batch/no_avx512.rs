//! What stands for `avx512` where there are no such lanes.

use super::Boards;
use crate::heuristic::SelectionMask;
use crate::pdb::Library;
use crate::pdb::fifteen::lookup::Lookup;
use crate::puzzle::tiles::{Cells, Tiles};
use std::convert::Infallible;
use std::sync::Arc;

pub(in crate::pdb::fifteen::batch) const AVX512_LANES: usize = 16;

pub(in crate::pdb) fn bytes(_: usize) -> u64 {
    0
}

/// There is none.
#[derive(Debug)]
pub(in crate::pdb) struct Avx512<const N: usize, const V: usize>(Infallible);

impl<const N: usize, const V: usize> Avx512<N, V> {
    pub(in crate::pdb) fn new<C: Cells>(
        _: &Tiles<C>,
        _: &[[Arc<Lookup>; N]; V],
        _: &Library,
    ) -> Option<Box<Self>> {
        None
    }

    pub(in crate::pdb::fifteen::batch) fn prepare_selected(
        &self,
        _: &Boards<N, V>,
        _: SelectionMask,
        _: &mut Boards<N, V>,
    ) {
        match self.0 {}
    }

    pub(in crate::pdb::fifteen::batch) fn prepare(&self, _: usize, _: &mut Boards<N, V>) {
        match self.0 {}
    }
}
