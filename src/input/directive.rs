//! Directives: lines that start with `@` and apply to the records after them.

use super::Defaults;
use super::context::Context;
use super::error::Fault;
use crate::input::forms::one_line::{OneLine, checked_id, known_length};
use crate::input::forms::word::{Words, quote};
use crate::puzzle::tiles::{Board, Goal, Size};

/// A parsed directive.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Directive {
    /// Goal of tile boards, until changed.
    Goal(Goal),
    /// Size of line records, until changed.
    Size(Size),
    /// Id of the next record.
    Id(Box<str>),
    /// Known length of the next record.
    Length(u32),
}

/// Returns the name of a directive, valid or not.
pub(super) fn name(line: &[u8]) -> &[u8] {
    Words::new(line).next().map_or(b"", |word| word.text)
}

/// Parses a line whose first word starts with `@`.
pub(super) fn parse(line: &[u8], context: &Context) -> Result<Directive, Fault> {
    let Some(word) = Words::new(line).next() else { return Err(Fault::whole("no directive")) };
    let rest = &line[word.at + word.text.len()..];
    let rest = &rest[..memchr::memchr(b'#', rest).unwrap_or(rest.len())];
    let gap = rest.len() - rest.trim_ascii_start().len();
    let at = word.at + word.text.len() + gap;
    let argument = rest.trim_ascii();
    let text = || std::str::from_utf8(argument).map_err(|_| Fault::at(at, "not UTF-8 text"));
    let directive = match word.text {
        b"@goal" => goal(argument, context.size.ok().flatten()).map(Directive::Goal),
        b"@size" => text()?.parse().map(Directive::Size).map_err(|error| Fault::at(0, format!("{error}"))),
        b"@id" => checked_id(text()?).map(|id| Directive::Id(id.into())).map_err(|what| Fault::at(0, what)),
        b"@length" => known_length(argument).map(Directive::Length),
        other => return Err(Fault::at(word.at, format!("{} is not a directive", quote(other)))),
    };
    directive.map_err(|fault| fault.shifted(at))
}

/// Parses a goal: a name, or a board in any one-line form.
fn goal(text: &[u8], size: Option<Size>) -> Result<Goal, Fault> {
    if let Some(goal) = std::str::from_utf8(text).ok().and_then(Goal::from_name) {
        return Ok(goal);
    }
    let explained = |fault: Fault| {
        let names = "a goal is blank-last, blank-first, snail or a board";
        Fault { what: format!("{names}: {}", fault.what), ..fault }
    };
    let context = Context::from(Defaults { size, ..Defaults::default() });
    let line = OneLine::new(text).map_err(explained)?;
    if line.length.is_some() || line.id(&context).is_some() {
        return Err(Fault::at(0, "a goal has no id and no length"));
    }
    line.board(&context).map(|board| Goal::Given(board.into())).map_err(explained)
}

/// A goal that is not valid.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct GoalError(String);

/// Parses a goal of the command line: `blank-last`, `blank-first`, `snail`, or a board in any
/// one-line form, which is square unless `size` or an `RxC:` prefix says otherwise.
pub fn parse_goal(text: &str, size: Option<Size>) -> Result<Goal, GoalError> {
    goal(text.trim().as_bytes(), size).map_err(|fault| GoalError(fault.what))
}

/// A board that is not valid.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct BoardTextError(String);

/// Parses a board of the command line, in any one-line form. It is square unless `size` or an
/// `RxC:` prefix says otherwise.
pub fn parse_board(text: &str, size: Option<Size>) -> Result<Board, BoardTextError> {
    let context = Context::from(Defaults { size, ..Defaults::default() });
    let read = |line: OneLine<'_>| match line.id(&context) {
        Some(id) => Err(Fault::whole(format!("{} before the tiles of a board", quote(id.as_bytes())))),
        None => line.board(&context),
    };
    let board = OneLine::new(text.as_bytes()).and_then(read).map_err(|fault| BoardTextError(fault.what))?;
    match size {
        Some(size) if size != board.size() => {
            Err(BoardTextError(format!("the board is {}, not {size}", board.size())))
        }
        _ => Ok(board),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<Directive, Fault> {
        parse(line.as_bytes(), &Context::from(Defaults::default()))
    }

    #[test]
    fn the_four_directives() {
        assert_eq!(read("@goal blank-first"), Ok(Directive::Goal(Goal::BlankFirst)));
        assert_eq!(read(" @size\t2x3 # wide\r"), Ok(Directive::Size(Size::new(2, 3).unwrap())));
        assert_eq!(read("@id  a b "), Ok(Directive::Id("a b".into())));
        assert_eq!(read("@length 57"), Ok(Directive::Length(57)));
    }

    #[test]
    fn goals_in_every_one_line_form() {
        for text in
            ["1 2 3 8 0 4 7 6 5", "1 2 3/8 0 4/7 6 5", "123 8b4 765", "1238b4765", "3x3: 1 2 3 8 9 4 7 6 5"]
        {
            assert_eq!(parse_goal(text, None).unwrap().name(), "1 2 3/8 0 4/7 6 5", "{text}");
        }
        assert_eq!(parse_goal("0 1 2 3 4 5", Size::new(3, 2).ok()).unwrap().name(), "0 1/2 3/4 5");
        assert_eq!(parse_goal(" snail ", None), Ok(Goal::Snail));
        assert!(parse_goal("middle", None).unwrap_err().to_string().contains("blank-first"));
        assert!(parse_goal("5 1 2 3 0", None).is_err() && parse_goal("", None).is_err());
    }

    #[test]
    fn boards_on_the_command_line() {
        for text in ["1 2 3 8 0 4 7 6 5", "1 2 3/8 0 4/7 6 5", "1238b4765"] {
            assert_eq!(parse_board(text, None).unwrap().to_string(), "1 2 3/8 0 4/7 6 5", "{text}");
        }
        assert_eq!(parse_board("0 1 2 3 4 5", Size::new(3, 2).ok()).unwrap().to_string(), "0 1/2 3/4 5");
        let error = |text: &str, size| parse_board(text, size).unwrap_err().to_string();
        assert_eq!(error("7 1 2 3 0", None), "'7' before the tiles of a board");
        assert_eq!(error("1 2 3/8 0 4/7 6 5", Size::new(2, 2).ok()), "the board is 3x3, not 2x2");
        assert_eq!(error("1 1 2 0", None), "tile 1 appears twice");
    }

    #[test]
    fn invalid_directives_are_named() {
        assert_eq!(read(" @gaol snail"), Err(Fault::at(1, "'@gaol' is not a directive")));
        assert_eq!(read("@goal 1 2 2 0").unwrap_err().at, Some(10));
        assert_eq!(read("@id"), Err(Fault::at(3, "the name is missing")));
        assert_eq!(read("@length x"), Err(Fault::at(8, "'x' is not a number")));
        assert!(read("@size 4").is_err() && read("@size").is_err() && read("@").is_err());
    }
}
