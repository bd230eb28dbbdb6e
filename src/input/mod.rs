//! Reads puzzle files: mapped files, the splitter of records, and one parser per form.
//!
//! A [`Reader`] splits a file into [`Block`]s of records, cheaply and in order. Any number of
//! workers then parse the records of their blocks. A record that cannot be parsed is [`Invalid`]
//! and does not stop the run.
//!
//! To add a form: add a parser in `forms/`, a variant of [`Form`], and a line in `one_line` or
//! `block`.

mod block;
mod compressed;
mod context;
mod digest;
mod directive;
mod error;
mod form;
pub(crate) mod forms;
mod guard;
mod reader;
mod source;

pub use crate::input::forms::course::{Course, CourseFault, parse_course};
pub use crate::input::forms::tray::Lines;
pub use block::{Block, Header, RECORDS};
pub use compressed::{Compression, max_zstd_window};
pub use context::Defaults;
pub use digest::Digest;
pub use directive::{BoardTextError, GoalError, parse_board, parse_goal};
pub use error::{InputError, Invalid};
pub use form::{Form, UnknownForm};
pub use reader::Reader;
