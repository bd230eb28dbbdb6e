//! Writes reports in every format, in input order.
//!
//! A [`Report`] holds the result of a puzzle. A [`Style`] appends it to a buffer as whole lines. A
//! [`Sink`] writes the buffers. Before a solution is written, [`replay`](fn@replay) verifies it.
//! [`Summary`] counts results and is written last.
//!
//! To add a puzzle family: add a variant to [`Instance`], its fields to `fields`, and its arm to
//! `replay` and `states`.

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
