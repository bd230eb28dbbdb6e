//! Finds the end of a multi-line record: a blank line, a directive, a record keyword or the end of
//! the file.

use super::word::{is_gap, trim};
use crate::input::Form;
use memchr::memchr;

/// Bytes of a line that suffice to decide whether it ends a paragraph.
pub(in crate::input) const TELLING: usize = 64;

/// Progress of the search for the end of a paragraph.
#[derive(Clone, Copy, Default)]
pub(in crate::input) struct Paragraph {
    /// Bytes known to belong to the paragraph.
    pub(in crate::input) end: usize,
    /// Number of lines in these bytes.
    pub(in crate::input) lines: u64,
    /// Whether the paragraph is complete.
    pub(in crate::input) ended: bool,
}

impl Paragraph {
    /// Continues the search in `text`, which starts where the paragraph does. `whole` means that no
    /// more text follows.
    pub(in crate::input) fn search(&mut self, text: &[u8], whole: bool) {
        while !self.ended {
            let rest = &text[self.end..];
            let (line, next) = match memchr(b'\n', rest) {
                Some(newline) => (&rest[..newline], newline + 1),
                None if whole && !rest.is_empty() => (rest, rest.len()),
                None => {
                    self.ended = whole;
                    return;
                }
            };
            if is_end(line) {
                self.ended = true;
            } else {
                self.end += next;
                self.lines += 1;
            }
        }
    }
}

/// Returns whether a line no longer belongs to the paragraph before it.
pub(in crate::input) fn is_end(line: &[u8]) -> bool {
    match line.iter().find(|&&byte| !is_gap(byte)) {
        None | Some(b'@') => true,
        _ => keyword(line).is_some(),
    }
}

/// Returns the form of the record that starts with a keyword: `tray ROWS COLUMNS` or `letters`.
#[inline]
pub(in crate::input) fn keyword(text: &[u8]) -> Option<Form> {
    if !text.iter().find(|&&byte| !is_gap(byte)).is_some_and(|byte| matches!(byte, b't' | b'l')) {
        return None;
    }
    let line = trim(&text[..memchr(b'\n', text).unwrap_or(text.len())]);
    if line == b"letters" {
        return Some(Form::Letters);
    }
    let rest = line.strip_prefix(b"tray")?;
    let sized = rest.first().copied().is_some_and(is_gap)
        && trim(rest).first().is_some_and(|byte| byte.is_ascii_digit() || *byte == b'-');
    sized.then_some(Form::Tray)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn length(text: &str) -> (usize, u64) {
        let mut paragraph = Paragraph::default();
        paragraph.search(text.as_bytes(), true);
        assert!(paragraph.ended);
        (paragraph.end, paragraph.lines)
    }

    #[test]
    fn paragraphs_end_where_something_else_begins() {
        assert_eq!(length("3\n1 2 3\n\n4"), (8, 2));
        assert_eq!(length("3\n1 2 3\n \t\r\n4"), (8, 2));
        assert_eq!(length("3\n# 1\n  @id x\n4"), (6, 2));
        assert_eq!(length("3\n1 2 3\ntray 5 4\n"), (8, 2));
        assert_eq!(length("3\n1 2 3\nletters\n"), (8, 2));
        assert_eq!(length("3\n1 2 3"), (7, 2));
    }

    #[test]
    fn the_search_continues_with_more_text() {
        let text = b"3\n1 2 3\n4 5 6\n\n";
        let mut paragraph = Paragraph::default();
        for end in 0..=text.len() {
            paragraph.search(&text[..end], false);
            assert_eq!(paragraph.ended, end == text.len());
        }
        assert_eq!((paragraph.end, paragraph.lines), (14, 3));
    }

    #[test]
    fn keywords_are_not_names() {
        assert_eq!(keyword(b" tray 5 4 lwrc\nx"), Some(Form::Tray));
        assert_eq!(keyword(b"letters\r\n"), Some(Form::Letters));
        for name in ["tray: 1 2 3 0", "letters: 1", "trays 5"] {
            assert_eq!(keyword(name.as_bytes()), None);
        }
    }
}
