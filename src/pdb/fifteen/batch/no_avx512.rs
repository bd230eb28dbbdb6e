//! Stand-in for `avx512` on other processor architectures: the kernel is never available.

use super::FifteenBatch;
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

/// Uninhabited: no value exists on this architecture.
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
        _: &FifteenBatch<N, V>,
        _: SelectionMask,
        _: &mut FifteenBatch<N, V>,
    ) {
        match self.0 {}
    }

    pub(in crate::pdb::fifteen::batch) fn prepare(&self, _: usize, _: &mut FifteenBatch<N, V>) {
        match self.0 {}
    }
}
