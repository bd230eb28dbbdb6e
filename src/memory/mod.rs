//! One ledger of bytes, and what lives inside it. Knows nothing of puzzles.

pub mod limits;
