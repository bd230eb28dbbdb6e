//! The status line: the last line on the terminal, which is drawn over again and again,
//! and its peace with everything else that is written there.
//!
//! Invariants:
//!
//! - Results and messages are written only while no status line is on the screen. All
//!   of them go through [`without`], which holds the lock that drawing takes.
//! - The line is narrower than the terminal is at the moment of drawing, so it
//!   occupies one row.
//! - The cursor rests in its first column. A terminal that becomes narrower may wrap the
//!   line into several rows; the cursor stays at the start of the first one, and
//!   erasing from the cursor to the end of the screen removes them all.

use crate::output::Sink;
use indicatif::TermLike;
use parking_lot::Mutex;
use std::io::{self, Write};
use terminal_size::{Width, terminal_size_of};

/// Whether a status line is on the screen.
static DRAWN: Mutex<bool> = Mutex::new(false);

/// Columns of a terminal that does not tell.
const USUAL: u16 = 80;

/// Erases the cursor's row, then everything to the end of the screen. In this order, since
/// tmux moves what `J` erases from the top of the screen into its history.
const ERASE: &str = "\r\x1b[K\x1b[J";

/// Returns how many columns a status line can have now: one less than the terminal, so
/// that no terminal starts another row.
pub(in crate::cli) fn columns() -> usize {
    let columns = terminal_size_of(io::stderr()).map_or(USUAL, |(Width(columns), _)| columns);
    usize::from(columns.saturating_sub(1)).max(1)
}

/// The terminal as indicatif sees it: one line, drawn when it is flushed. The bar redraws
/// its line from the start each time, so moving the cursor has no effect.
#[derive(Debug, Default)]
pub(in crate::cli) struct StatusLine {
    /// What was written since the last flush.
    text: Mutex<String>,
}

impl TermLike for StatusLine {
    fn width(&self) -> u16 {
        columns() as u16
    }

    fn move_cursor_up(&self, _: usize) -> io::Result<()> {
        Ok(())
    }

    fn move_cursor_down(&self, _: usize) -> io::Result<()> {
        Ok(())
    }

    fn move_cursor_right(&self, _: usize) -> io::Result<()> {
        Ok(())
    }

    fn move_cursor_left(&self, _: usize) -> io::Result<()> {
        Ok(())
    }

    fn write_line(&self, text: &str) -> io::Result<()> {
        self.write_str(text)
    }

    fn write_str(&self, text: &str) -> io::Result<()> {
        self.text.lock().push_str(text);
        Ok(())
    }

    fn clear_line(&self) -> io::Result<()> {
        self.text.lock().clear();
        Ok(())
    }

    fn flush(&self) -> io::Result<()> {
        let text = std::mem::take(&mut *self.text.lock());
        match text.trim() {
            "" => erase(),
            text => draw(text),
        }
        Ok(())
    }
}

/// Draws `text` in place of the line that is there, cut off where the terminal ends.
fn draw(text: &str) {
    let mut drawn = DRAWN.lock();
    let text: String = text.chars().take(columns()).collect();
    *drawn = true;
    // Where stderr has gone there is nobody left to look at it.
    // Without automatic wrapping the line stays in one row even if the terminal has become
    // narrower since its width was read.
    let _ = io::stderr().write_all(format!("\x1b[?7l\r{text}\x1b[J\r\x1b[?7h").as_bytes());
}

/// Removes the status line from the screen.
pub(in crate::cli) fn erase() {
    without(|| ());
}

/// Runs `write` while no status line is on the screen; the next [`draw`] brings it back.
pub(in crate::cli) fn without<T>(write: impl FnOnce() -> T) -> T {
    let mut drawn = DRAWN.lock();
    if std::mem::take(&mut *drawn) {
        let _ = io::stderr().write_all(ERASE.as_bytes());
    }
    write()
}

/// Removes the status line if no other thread is writing: for the end of the process,
/// which waits for nobody.
pub(in crate::cli) fn try_erase() {
    if let Some(mut drawn) = DRAWN.try_lock()
        && std::mem::take(&mut *drawn)
    {
        let _ = io::stderr().write_all(ERASE.as_bytes());
    }
}

/// Has a sink whose output appears on a terminal write without a status line.
pub(in crate::cli) fn guard(sink: Sink) -> Sink {
    if sink.is_terminal() { sink.wrap_writes(|write| without(write)) } else { sink }
}
