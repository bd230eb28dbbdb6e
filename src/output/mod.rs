//! What is said of a puzzle, in every format, in input order.
//!
//! A [`Report`] is all there is to say; a [`Style`] appends it to a buffer as
//! whole lines; a [`Sink`] takes the buffers. Before a solution is written,
//! [`replay`] makes sure that it is one. [`Summary`] counts along and speaks
//! last.
//!
//! A new puzzle family adds a variant to [`Instance`], its fields to `fields`,
//! and its arm to the replay and to `states`.

mod checksum;
mod csv;
mod fields;
mod format;
mod fragments;
mod jsonl;
mod replay;
mod sink;
mod states;
mod stop;
mod summary;
mod text;
mod tray_states;

pub use crate::model::report::{Effort, GiveUp, Instance, Moves, Report, Solution, Verdict};
pub use checksum::Checksum;
pub use format::{Format, Notation, Style};
pub use replay::replay;
pub use sink::{Sink, SinkError, WriteWrapper};
pub use stop::Stop;
pub use summary::{Decision, ParsedResult, Run, Summary};
