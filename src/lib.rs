//! `batch_solve`: a memory-bounded, parallel batch solver for sliding puzzles.
//!
//! A record passes through the modules once, from left to right:
//!
//! ```text
//!  puzzle file ──► input ──► run ──► solve ──► search ──► output ──► results, summary
//!   (mapped)       records   workers  plan       │          in input order
//!                            scheduler           ├─ puzzle      states and moves
//!                                                ├─ heuristic   lower bounds   (pdb: pattern databases)
//!                                                └─ memory      budget, arena, visited table, open list
//! ```
//!
//! * [`quantity`]: sizes, durations and counts as people write them.
//! * [`files`]: files that are replaced as a whole; names of any bytes.
//! * [`memory`]: budget, arena, visited table and open list; knows nothing of puzzles.
//! * [`puzzle`]: the [`puzzle::Puzzle`] contract and the families that implement it.
//! * [`heuristic`]: lower bounds, updated move by move.
//! * [`pdb`]: pattern databases.
//! * [`search`]: one algorithm per file, generic over puzzle and heuristic.
//! * [`large`]: tile boards too large for shortest solutions.
//! * [`model`]: instances, solutions, verdicts and reports.
//! * [`options`]: what can be asked for.
//! * [`input`]: mapped files, the splitter of records, one parser per form.
//! * [`output`]: reports in every format; the summary.
//! * [`check`]: replays solutions; calls nothing in `search`.
//! * [`generate`], [`convert`]: random puzzles; puzzles and results from form to form.
//! * [`solve`]: how one instance is solved.
//! * [`run`]: how a stream of instances is run.
//! * [`tools`]: experiments, plots, the 8-puzzle shell, traces.
//! * [`cli`]: arguments, commands, progress and signals.

pub mod check;
pub mod cli;
pub mod convert;
pub mod files;
pub mod generate;
pub mod heuristic;
pub mod input;
pub mod large;
pub mod memory;
pub mod model;
pub mod options;
pub mod output;
pub mod pdb;
pub mod puzzle;
pub mod quantity;
pub mod run;
pub mod search;
pub mod solve;
pub mod tools;

/// The README's example of the library, compiled and run with the other tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct Readme;
