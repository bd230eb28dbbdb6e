//! The prompt: a line editor with history, and completion of the commands.

use crate::tools::shell::COMMANDS;
use rustyline::{
    Context, Editor, Helper, completion::Completer, error::ReadlineError, highlight::Highlighter,
    hint::Hinter, history::DefaultHistory, validate::Validator,
};
use std::collections::VecDeque;

/// A prompt on the terminal.
///
/// The editor keeps what it has read of the terminal beyond a line for the next one
/// (rustyline's feature `buffer-redux`), so that pasted and typed-ahead lines are not
/// lost. A paste that the terminal marks as one comes as one text of several lines.
pub(super) struct Prompt {
    editor: Editor<Words, DefaultHistory>,
    text: String,
    /// Lines that were pasted together with the last one.
    pasted: VecDeque<String>,
}

impl Prompt {
    pub(super) fn new(text: &str) -> anyhow::Result<Self> {
        let mut editor = Editor::new()?;
        editor.set_helper(Some(Words));
        Ok(Self { editor, text: text.to_owned(), pasted: VecDeque::new() })
    }

    /// The next line; none at the end of the input. Ctrl-C only drops the line.
    pub(super) fn next(&mut self) -> anyhow::Result<Option<String>> {
        loop {
            if let Some(line) = self.pasted.pop_front() {
                self.editor.add_history_entry(&line)?;
                return Ok(Some(line));
            }
            match self.editor.readline(&self.text) {
                // At least one line, if an empty one.
                Ok(text) => self.pasted.extend(text.split('\n').map(str::to_owned)),
                Err(ReadlineError::Interrupted) => {}
                Err(ReadlineError::Eof) => return Ok(None),
                Err(error) => return Err(error.into()),
            }
        }
    }
}

/// Completes commands and their arguments, and helps with nothing else.
struct Words;

impl Helper for Words {}
impl Highlighter for Words {}
impl Validator for Words {}
impl Hinter for Words {
    type Hint = String;
}

impl Completer for Words {
    type Candidate = String;

    fn complete(&self, line: &str, at: usize, _: &Context<'_>) -> rustyline::Result<(usize, Vec<String>)> {
        Ok(complete(&line[..at]))
    }
}

/// Where the words that could stand at the end of a text begin, and which they
/// are.
fn complete(text: &str) -> (usize, Vec<String>) {
    let start = text.len() - text.trim_start().len();
    let begins = |word: &str, typed: &str| {
        word.get(..typed.len()).is_some_and(|start| start.eq_ignore_ascii_case(typed))
    };
    match text[start..].split_once(' ') {
        None => {
            let typed = &text[start..];
            let fits = COMMANDS.iter().filter(|(name, _)| begins(name, typed));
            (start, fits.map(|(name, _)| format!("{name} ")).collect())
        }
        Some((name, rest)) => {
            let typed = rest.trim_start();
            let known = COMMANDS.iter().find(|(command, _)| command.eq_ignore_ascii_case(name));
            let arguments = known.map_or(&[] as &[&str], |(_, arguments)| arguments);
            let fits = arguments.iter().filter(|argument| begins(argument, typed));
            (text.len() - typed.len(), fits.map(|&argument| argument.to_owned()).collect())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_and_arguments_are_completed() {
        assert_eq!(complete("pr"), (0, vec!["printState ".into()]));
        assert_eq!(complete("  S").1, ["setState ", "solve "]);
        assert_eq!(complete("solve a").1, ["A-star h1", "A-star h2"]);
        assert_eq!(complete("move l"), (5, vec!["left".into()]));
        assert_eq!(complete("jump u").1, [] as [&str; 0]);
        assert_eq!(complete("").1.len(), COMMANDS.len());
    }
}
