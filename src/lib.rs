//! `batch_solve`: a memory-bounded, parallel batch solver for sliding puzzles.
//!
//! Data goes through the house once, left to right:
//!
//! ```text
//!  puzzle file ──► input ──► batch ──► search ──► output ──► results, summary
//!   (mapped)       records    plan,      │          ordered writer
//!                             workers    ├─ puzzle     what a state and a move are
//!                                        ├─ heuristic  how far it still is at least
//!                                        └─ memory     budget, arena, visited table, buckets
//! ```
//!
//! * [`puzzle`]: the [`puzzle::Puzzle`] contract and the families that fulfil it.
//! * [`heuristic`]: lower bounds on what is left, updated move by move.
//! * [`memory`]: one ledger of bytes, one arena, the visited table and the open
//!   list that live in it. Knows nothing of puzzles.
//! * [`search`]: one algorithm a file, generic over puzzle and heuristic.
//! * [`large`]: tile boards too large for shortest solutions: any solution at once,
//!   then shorter ones.
//! * [`input`]: mapped files, the splitter of records, one parser a form.
//! * [`batch`]: which search for which puzzle under which budget; the workers.
//! * [`output`]: what is said of a puzzle, in every format, in input order.
//! * [`check`]: replays solutions; calls nothing in `search`.
//! * [`convert`]: puzzles from form to form, results into what others read.
//! * [`generate`]: random boards, the same for the same seed on every machine.
//! * [`experiment`]: methods × limits over many boards; tables and figures.
//! * [`plot`]: figures as SVG and PNG, without anything from the system.
//! * [`shell`]: the 8-puzzle command language.
//! * [`trace`]: the order in which a textbook search visits states.
//! * [`file_name`]: names of input files as text, whatever their bytes.
//! * [`quantity`]: memory, time and counts as people write and read them.
//! * `disk`: files that are replaced as a whole, and opened without waiting.
//! * [`cli`]: arguments, one file a command; all that a person sees.

pub mod batch;
pub mod check;
pub mod cli;
pub mod convert;
mod disk;
pub mod experiment;
pub mod file_name;
pub mod generate;
pub mod heuristic;
pub mod input;
pub mod large;
pub mod memory;
pub mod output;
pub mod plot;
pub mod puzzle;
pub mod quantity;
pub mod search;
pub mod shell;
pub mod trace;

/// The README's example of the library, compiled and run with the other tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct Readme;
