//! A terminal whose last columns stay empty.
//!
//! A progress line is filled up with blanks to the end of its line. The `^C` that
//! the terminal shows for an interrupt would then wrap to the next line, and the
//! line that is drawn over would be another one.

use console::Term;
use indicatif::TermLike;
use std::io;

/// Columns for what the terminal shows of a key, and one for the cursor.
const MARGIN: u16 = 4;

/// Standard error as a terminal with a margin.
#[derive(Debug)]
pub(super) struct WithMargin(Term);

impl WithMargin {
    pub(super) fn stderr() -> Self {
        Self(Term::buffered_stderr())
    }
}

impl TermLike for WithMargin {
    fn width(&self) -> u16 {
        let (_, columns) = self.0.size();
        columns.saturating_sub(MARGIN).max(1)
    }

    fn height(&self) -> u16 {
        self.0.size().0
    }

    fn move_cursor_up(&self, lines: usize) -> io::Result<()> {
        self.0.move_cursor_up(lines)
    }

    fn move_cursor_down(&self, lines: usize) -> io::Result<()> {
        self.0.move_cursor_down(lines)
    }

    fn move_cursor_right(&self, columns: usize) -> io::Result<()> {
        self.0.move_cursor_right(columns)
    }

    fn move_cursor_left(&self, columns: usize) -> io::Result<()> {
        self.0.move_cursor_left(columns)
    }

    fn write_line(&self, text: &str) -> io::Result<()> {
        self.0.write_line(text)
    }

    fn write_str(&self, text: &str) -> io::Result<()> {
        self.0.write_str(text)
    }

    fn clear_line(&self) -> io::Result<()> {
        self.0.clear_line()
    }

    fn flush(&self) -> io::Result<()> {
        self.0.flush()
    }
}
