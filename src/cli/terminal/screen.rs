//! What is said on stderr, in colour where that is wanted.

use super::status_line;
use clap::ColorChoice;
use std::{
    env,
    io::{self, IsTerminal, Write},
};

/// The terminal as the messages see it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Screen {
    color: bool,
    quiet: bool,
}

impl Default for Screen {
    fn default() -> Self {
        Self::new(ColorChoice::Auto, false)
    }
}

impl Screen {
    /// A screen in colour or not; a quiet one shows errors only.
    pub fn new(color: ColorChoice, quiet: bool) -> Self {
        let color = match color {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            ColorChoice::Auto => {
                let refused = env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
                let dumb = env::var_os("TERM").is_some_and(|value| value == "dumb");
                !refused && !dumb && io::stderr().is_terminal()
            }
        };
        Self { color, quiet }
    }

    /// Whether everything but errors is left unsaid.
    pub fn is_quiet(self) -> bool {
        self.quiet
    }

    /// Says what went wrong.
    pub fn error(self, message: &str) {
        self.print(&format!("{} {message}\n", self.paint("31;1", "batch-solve: error:")));
    }

    /// Says something that the user should know.
    pub fn note(self, message: &str) {
        if !self.quiet {
            self.print(&format!("{} {message}\n", self.paint("33", "batch-solve:")));
        }
    }

    /// Shows lines, the first of them as a heading.
    pub fn lines(self, text: &str) {
        if !self.quiet {
            let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
            self.print(&format!("{}\n{rest}", self.paint("1", first)));
        }
    }

    fn paint(self, code: &str, text: &str) -> String {
        if self.color { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }

    /// In one piece, so that messages of several threads do not mix, and not while a
    /// progress line is on the screen. Where
    /// stderr has gone there is nobody left to tell.
    fn print(self, text: &str) {
        let _ = status_line::without(|| io::stderr().lock().write_all(text.as_bytes()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colour_is_a_choice() {
        assert_eq!(Screen::new(ColorChoice::Always, false).paint("1", "a"), "\x1b[1ma\x1b[0m");
        assert_eq!(Screen::new(ColorChoice::Never, false).paint("1", "a"), "a");
    }
}
