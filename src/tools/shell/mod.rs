//! The 8-puzzle command language of the courses: a state, moves, and searches.
//!
//! [`Command`] is what a line asks for; a [`Session`] holds the state and
//! answers. Neither reads nor prints: that is the command line's business.

mod command;
mod session;

pub use command::{COMMANDS, Command, CommandError, HELP, Heuristic, Method};
pub use session::{Answer, Session, SessionError};
