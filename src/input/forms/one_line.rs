//! A record on one line, split into its parts.
//!
//! `name: 2x3: 1 2 3 4 5 0 | 12 # comment`. All parts but the tiles are optional. Text before a
//! colon is a size if it has the form of one, otherwise a name.

use super::word::{Word, Words, comment, quote, trim};
use super::{compact, line, slashes};
use crate::input::Form;
use crate::input::context::Context;
use crate::input::error::Fault;
use crate::puzzle::tiles::{Board, Size, SizeError};
use memchr::memchr;

/// Maximum length of an id, in bytes: ids are kept with results that wait to be written.
const LONGEST_ID: usize = 256;

/// The parts of a one-line record.
pub(in crate::input) struct OneLine<'a> {
    /// Name before a colon.
    pub(in crate::input) name: Option<&'a str>,
    /// Size before a colon.
    pub(in crate::input) size: Option<Size>,
    /// Known length after a bar.
    pub(in crate::input) length: Option<u32>,
    /// The tiles.
    pub(in crate::input) body: &'a [u8],
    /// Offset of the body in the line.
    pub(in crate::input) at: usize,
}

impl<'a> OneLine<'a> {
    /// Splits a line into its parts, without parsing its tiles.
    #[inline]
    pub(in crate::input) fn new(text: &'a [u8]) -> Result<Self, Fault> {
        let plain = Self { name: None, size: None, length: None, body: text, at: 0 };
        match memchr::memchr3(b':', b'|', b'#', text) {
            None if memchr(b'/', text).is_none() => Ok(plain),
            _ => plain.split_parts(),
        }
    }

    fn split_parts(mut self) -> Result<Self, Fault> {
        if let Some(comment) = comment(self.body) {
            self.body = &self.body[..comment];
        }
        if let Some(bar) = memchr(b'|', self.body) {
            self.length = Some(known_length(&self.body[bar + 1..]).map_err(|f| f.shifted(bar + 1))?);
            self.body = &self.body[..bar];
        }
        while let Some(colon) = memchr(b':', self.body) {
            let word = trim(&self.body[..colon]);
            let text = std::str::from_utf8(word).map_err(|_| self.fault("the name is not UTF-8 text"))?;
            match text.parse::<Size>() {
                Ok(size) if self.size.is_none() => self.size = Some(size),
                Ok(_) => return Err(self.fault("a second size")),
                Err(error @ SizeError::OutOfRange { .. }) => return Err(self.fault(error)),
                Err(SizeError::Malformed(_)) if self.name.is_none() => {
                    self.name = Some(checked_id(text).map_err(|what| self.fault(what))?);
                }
                Err(SizeError::Malformed(_)) => return Err(self.fault("a second name")),
            }
            self.at += colon + 1;
            self.body = &self.body[colon + 1..];
        }
        Ok(self)
    }

    /// Returns a fault at the rest of the line.
    fn fault(&self, what: impl ToString) -> Fault {
        let gap = self.body.len() - self.body.trim_ascii_start().len();
        Fault::at(self.at + gap, what.to_string())
    }

    /// Returns the words of the body, with offsets in the whole line.
    pub(in crate::input) fn words(&self) -> impl Iterator<Item = Word<'a>> + Clone + use<'a> {
        let at = self.at;
        Words::tiles(self.body).map(move |word| Word { at: word.at + at, ..word })
    }

    /// Returns the requested form, or the detected one.
    pub(in crate::input) fn form(&self, context: &Context) -> Form {
        match context.form {
            Some(form) => form,
            None if slashes::fits(self) => Form::Slashes,
            None if compact::fits(self.words()) => Form::Compact,
            None => Form::Line,
        }
    }

    /// Returns the record's own id: its name, or the number before its tiles.
    pub(in crate::input) fn id(&self, context: &Context) -> Option<&'a str> {
        self.name.or_else(|| {
            let numbered = self.form(context) == Form::Line && line::has_id(self, context);
            let first = self.words().next().filter(|_| numbered)?;
            std::str::from_utf8(first.text).ok()
        })
    }

    /// Parses the board.
    pub(in crate::input) fn board(&self, context: &Context) -> Result<Board, Fault> {
        match self.form(context) {
            Form::Slashes => slashes::parse(self),
            Form::Compact => compact::parse(self),
            _ => line::parse(self, context),
        }
    }
}

/// Parses the number after a bar or after `@length`.
pub(in crate::input) fn known_length(text: &[u8]) -> Result<u32, Fault> {
    let mut words = Words::new(text);
    match (words.next(), words.next()) {
        (None, _) => Err(Fault::at(0, "the known length is missing")),
        (Some(word), None) => word.number().map_err(|what| Fault::at(word.at, what)),
        (_, Some(word)) => Err(Fault::at(word.at, format!("{} after the known length", quote(word.text)))),
    }
}

/// Returns a name that can appear in a result, or an error.
pub(in crate::input) fn checked_id(text: &str) -> Result<&str, String> {
    if text.is_empty() {
        Err("the name is missing".into())
    } else if text.len() > LONGEST_ID {
        Err(format!("the name is longer than {LONGEST_ID} bytes"))
    } else if text.contains(char::is_control) {
        Err(format!("{} has control characters in it", quote(text.as_bytes())))
    } else {
        Ok(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::Defaults;

    fn apart(text: &str) -> (Option<&str>, Option<String>, Option<u32>, &str) {
        let one = OneLine::new(text.as_bytes()).unwrap();
        assert_eq!(&text.as_bytes()[one.at..][..one.body.len()], one.body);
        (one.name, one.size.map(|s| s.to_string()), one.length, std::str::from_utf8(trim(one.body)).unwrap())
    }

    #[test]
    fn every_part_may_be_there() {
        assert_eq!(apart("1 2"), (None, None, None, "1 2"));
        assert_eq!(apart(" k 2: 2x3: 1 2 | 12 # a: | b"), (Some("k 2"), Some("2x3".into()), Some(12), "1 2"));
        assert_eq!(apart("2x3: k: 1"), (Some("k"), Some("2x3".into()), None, "1"));
        assert_eq!(apart("17: 1"), (Some("17"), None, None, "1"));
    }

    #[test]
    fn invalid_parts() {
        let fault = |text: &str| OneLine::new(text.as_bytes()).err().unwrap();
        assert_eq!(fault("a: b: 1"), Fault::at(3, "a second name"));
        assert_eq!(fault("2x3: 3x2: 1").what, "a second size");
        assert_eq!(fault(" 1x9: 1"), Fault::at(1, "a board has 2 to 256 rows and columns, not 1x9"));
        assert_eq!(fault(": 1").what, "the name is missing");
        assert_eq!(fault("1 2 | x"), Fault::at(6, "'x' is not a number"));
        assert_eq!(fault("1 2 |").what, "the known length is missing");
        assert_eq!(fault("1 2 | 3 4").what, "'4' after the known length");
        assert!(fault(&format!("{}: 1", "n".repeat(300))).what.contains("longer"));
    }

    #[test]
    fn forms_are_detected() {
        let context = Context::from(Defaults::default());
        let form = |text: &str| OneLine::new(text.as_bytes()).unwrap().form(&context);
        assert_eq!(form("1 2 3 0"), Form::Line);
        assert_eq!(form("1 2/3 0"), Form::Slashes);
        assert_eq!(form("123 456 78b"), Form::Compact);
        assert_eq!(form("a: 12345678b | 3"), Form::Compact);
        assert_eq!(form("1 2 3 0 // 1/2"), Form::Line);
        assert_eq!(form("[[1, 2], [3, 0]]"), Form::Slashes);
        assert_eq!(form("[1 2; 3 0];"), Form::Slashes);
        for line in ["[1, 2, 3, 0]", "1;2;3;0", "\"1\",\"2\",\"3\",\"0\"", "17,'1 2 3 0'", "(1, 2, 3, 0),"] {
            assert_eq!(form(line), Form::Line, "{line}");
        }
    }
}
