//! Mapped files, the splitter of records, one parser a form.
//!
//! A [`Reader`] cuts a file into [`Block`]s of records, cheaply and in order;
//! any number of workers then read the records of their blocks. A record that
//! cannot be read is [`Invalid`] and stops nothing.
//!
//! A new form is a file beside [`line`](self), `slashes`, `compact`, `grid`,
//! `positions`, `tray` and `letters`, a [`Form`], and a line in `one_line` or `block`.

mod block;
mod context;
mod digest;
mod directive;
mod error;
mod form;
pub(crate) mod forms;
mod guard;
mod packed;
mod reader;
mod source;

pub use crate::input::forms::course::{Course, CourseFault, parse_course};
pub use crate::input::forms::tray::Lines;
pub use block::{Block, Header, RECORDS};
pub use context::Defaults;
pub use digest::Digest;
pub use directive::{BoardTextError, GoalError, parse_board, parse_goal};
pub use error::{InputError, Invalid};
pub use form::{Form, UnknownForm};
pub use packed::{Packing, packed_window};
pub use reader::Reader;
