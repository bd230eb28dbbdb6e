//! Pattern databases for boards of up to 16 cells.
//!
//! * `lookup`: the effect of a move on one pattern, and the bit index of the result.
//! * `payload`: the data stored beside a node in the open list.
//! * `batch`: successors of a batch of boards, scalar or with AVX-512.

pub(crate) mod batch;
pub(crate) mod lookup;
pub(crate) mod payload;
