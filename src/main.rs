//! The `batch-solve` command.

fn main() {}
