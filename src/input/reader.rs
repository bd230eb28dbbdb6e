//! Splits a file into records, block by block.
//!
//! [`Reader::next_block`] runs under a lock that all workers share. It therefore only finds line
//! ends, follows directives and returns text. [`Block::parse`] parses a record.

use super::block::{Extra, Shape};
use super::context::Context;
use super::directive::{self, Directive};
use super::source::{Source, WINDOW};
use super::{Block, Defaults, Digest, InputError, Invalid};
use crate::input::forms::grid;
use crate::input::forms::paragraph::{self, Paragraph};
use crate::input::forms::rows::{self, LineKind};
use crate::input::forms::word::{is_gap, is_list_mark, is_tile_gap};
use memchr::memchr;
use std::{io::Read, sync::Arc};

/// Maximum length of a record, in bytes. A longer record is invalid and is never held in memory;
/// the largest board has about 400 KiB.
pub(super) const LONGEST: usize = 1 << 20;

/// Approximate bytes of text in a block.
const BLOCK_TEXT: usize = 64 << 10;

/// An open puzzle file.
pub struct Reader {
    source: Source,
    /// Text of the file; the first `at` bytes are processed.
    buffer: Vec<u8>,
    at: usize,
    /// Bytes removed from the front of the buffer.
    removed: u64,
    /// Whether the buffer holds the rest of the file.
    ended: bool,
    /// Number of the line at `at`.
    line: u64,
    /// Number of the last record returned.
    n: u64,
    context: Arc<Context>,
    pending: Pending,
    /// How far the text at `at` has been searched for the end of the record.
    searched: Paragraph,
    skipping: Option<Skip>,
    /// Digest of the processed text, if one is attached, and how much of the buffer it includes.
    digest: Option<Digest>,
    digested: usize,
}

/// Directives about the next record, and their line.
#[derive(Default)]
struct Pending {
    id: Option<Box<str>>,
    length: Option<u32>,
    line: u64,
}

/// Rest of a record or comment that is too long to hold.
#[derive(Clone, Copy)]
enum Skip {
    /// The rest of the line, and the rest of the paragraph if `then_paragraph`.
    Line { then_paragraph: bool },
    /// The lines up to the end of the paragraph.
    Paragraph,
}

/// Outcome of processing the text at `at`.
enum Step {
    /// Text was processed.
    Done,
    /// The buffer ends too early to decide.
    More,
    /// End of the file.
    End,
}

/// Returns whether a line starts with two slashes.
fn is_comment(line: &[u8]) -> bool {
    let start = line.iter().position(|&byte| !is_gap(byte)).unwrap_or(line.len());
    line[start..].starts_with(b"//")
}

impl Reader {
    /// Maximum resident bytes of a reader: the buffer, and the window of the file that is copied
    /// into it.
    pub const FOOTPRINT: usize = LONGEST + 2 * WINDOW + (64 << 10);

    /// Opens a file by the [text of its name](crate::files::name). `-` is standard input; `.gz` and
    /// `.zst` are decompressed.
    pub fn open(name: &str, defaults: Defaults) -> Result<Self, InputError> {
        Source::open(name, defaults.zstd_window).map(|source| Self::new(source, defaults))
    }

    /// Reads from a stream that is called `name` in errors and results.
    pub fn from_stream(name: &str, stream: impl Read + Send + 'static, defaults: Defaults) -> Self {
        Self::new(Source::stream(name, stream, defaults.zstd_window), defaults)
    }

    fn new(source: Source, defaults: Defaults) -> Self {
        Self {
            source,
            buffer: Vec::with_capacity(LONGEST + WINDOW),
            at: 0,
            removed: 0,
            ended: false,
            line: 1,
            n: 0,
            context: Arc::new(defaults.into()),
            pending: Pending::default(),
            searched: Paragraph::default(),
            skipping: None,
            digest: None,
            digested: 0,
        }
    }

    /// Attaches a digest, to which the text of each block is added from the beginning of the file.
    pub fn attach_digest(&mut self, digest: Digest) {
        self.digest = Some(digest);
    }

    /// Returns the digest of the text up to the end of the last block.
    pub fn digest(&self) -> Option<&Digest> {
        self.digest.as_ref()
    }

    /// Adds the processed text to the digest.
    fn update_digest(&mut self) {
        if let Some(digest) = &mut self.digest {
            digest.add(&self.buffer[self.digested..self.at]);
        }
        self.digested = self.at;
    }

    /// Returns the file's name as given.
    pub fn file(&self) -> &Arc<str> {
        self.source.name()
    }

    /// Returns the bytes consumed so far, and the total if it is known.
    pub fn progress(&self) -> (u64, Option<u64>) {
        (self.removed + self.at as u64, self.source.len())
    }

    /// Returns an error if the file changed since it was opened. Call it after the last record.
    pub fn finish(&self) -> Result<(), InputError> {
        self.source.finish()
    }

    /// Fills `block` with the next records: at least one, at most `max_records`, about 64 KiB of
    /// text. Returns `false` at the end of the file.
    ///
    /// After an error, all records before it have been returned and there are no more, unless the
    /// error [is temporary](InputError::is_would_block).
    pub fn next_block(&mut self, block: &mut Block, max_records: usize) -> Result<bool, InputError> {
        block.clear(self.n);
        let mut start = self.at;
        while block.len() < max_records.max(1) && (block.is_empty() || self.at - start < BLOCK_TEXT) {
            match self.step(block, start) {
                Step::Done => {}
                Step::End => break,
                Step::More if !block.is_empty() => break,
                Step::More => self.fill()?,
            }
            if block.is_empty() {
                start = self.at;
            }
        }
        block.text.extend_from_slice(&self.buffer[start..self.at]);
        self.update_digest();
        self.n += block.len() as u64;
        Ok(!block.is_empty())
    }

    /// Reads more text into the buffer, which holds less than a record.
    fn fill(&mut self) -> Result<(), InputError> {
        self.update_digest();
        self.digested = 0;
        self.removed += self.at as u64;
        self.buffer.drain(..self.at);
        self.at = 0;
        let read = self.source.read_into(&mut self.buffer).inspect_err(|error| {
            if error.is_would_block() {
                return;
            }
            self.buffer.clear();
            self.pending = Pending::default();
            self.searched = Paragraph::default();
            self.skipping = None;
            self.ended = true;
        })?;
        self.ended = read == 0;
        Ok(())
    }

    /// Processes one line, paragraph or directive. The block's text starts at `start`.
    #[inline]
    fn step(&mut self, block: &mut Block, start: usize) -> Step {
        if self.skipping.is_some() {
            return self.skip();
        }
        let rest = &self.buffer[self.at..];
        let from = self.searched.end;
        if from > 0 && self.searched.lines > 0 {
            return self.paragraph(block, start);
        }
        let (line, next) = match memchr(b'\n', &rest[from..]) {
            Some(newline) => (&rest[..from + newline], from + newline + 1),
            None if !self.ended => return self.wait_for_line(block, start),
            None if rest.is_empty() => return self.end(block, start),
            None => (rest, rest.len()),
        };
        self.searched.end = 0;
        if self.removed == 0 && self.at == 0 && line.starts_with(b"\xef\xbb\xbf") {
            self.at = 3;
            return Step::Done;
        }
        let Some(first) = line.iter().copied().find(|&byte| !is_gap(byte)) else {
            return self.advance(next, 1);
        };
        match first {
            b'#' => self.advance(next, 1),
            b'/' if is_comment(line) => self.advance(next, 1),
            // The bracket that opens or closes a list of boards.
            _ if is_list_mark(first) && line.iter().all(|&byte| is_tile_gap(byte)) => self.advance(next, 1),
            _ if next > LONGEST => self.too_long(block, start, next, 1),
            b'@' => self.directive(block, start, next),
            _ if self.opens_paragraph(line, first) => {
                self.searched = Paragraph { end: next, lines: 1, ended: false };
                self.paragraph(block, start)
            }
            _ => match self.classify(line) {
                LineKind::Record => {
                    let end = self.at - start + line.len();
                    self.push(block, (self.at - start, end), Shape::OneLine);
                    self.advance(next, 1)
                }
                LineKind::Grid { bytes, lines } => {
                    let place = (self.at - start, self.at - start + bytes);
                    self.push(block, place, Shape::Rows);
                    self.advance(bytes, lines)
                }
                LineKind::More => Step::More,
            },
        }
    }

    /// Classifies a line: a record, or the first row of a grid.
    #[inline]
    fn classify(&self, line: &[u8]) -> LineKind {
        if self.context.form.is_some() || rows::is_record(line, &self.context) {
            return LineKind::Record;
        }
        let rest = &self.buffer[self.at..];
        let text = &rest[..rest.len().min(LONGEST)];
        match rows::classify(text, self.ended && text.len() == rest.len(), &self.context) {
            LineKind::More if rest.len() >= LONGEST => LineKind::Record,
            found => found,
        }
    }

    /// Returns whether a line is the first of a multi-line record.
    #[inline]
    fn opens_paragraph(&self, line: &[u8], first: u8) -> bool {
        match self.context.form {
            Some(form) => form.is_multi_line(),
            None => (first.is_ascii_digit() && grid::is_header(line)) || paragraph::keyword(line).is_some(),
        }
    }

    fn advance(&mut self, bytes: usize, lines: u64) -> Step {
        self.at += bytes;
        self.line += lines;
        Step::Done
    }

    /// Adds a record, with the directives about it.
    #[inline]
    fn push(&mut self, block: &mut Block, place: (usize, usize), shape: Shape) {
        block.push(place, self.line, &self.context, shape);
        if self.pending.line > 0 {
            let Pending { id, length, .. } = std::mem::take(&mut self.pending);
            block.annotate(Extra { id, length, ..Extra::default() });
        }
    }

    /// Adds an invalid record with its error.
    fn push_broken(&mut self, block: &mut Block, start: usize, problem: Invalid) {
        let at = self.at - start;
        block.push((at, at), problem.line, &self.context, Shape::Broken);
        block.annotate(Extra { problem: Some(problem), ..Extra::default() });
    }

    /// Handles a line whose end is not in the buffer.
    fn wait_for_line(&mut self, block: &mut Block, start: usize) -> Step {
        let rest = &self.buffer[self.at..];
        self.searched.end = rest.len();
        match rest.iter().find(|&&byte| !is_gap(byte)) {
            Some(&first) if first == b'#' || is_comment(rest) => {
                self.searched.end = 0;
                self.skipping = Some(Skip::Line { then_paragraph: false });
                Step::Done
            }
            _ if rest.len() > LONGEST => {
                self.skipping = Some(Skip::Line { then_paragraph: false });
                self.too_long(block, start, 0, 0)
            }
            _ => Step::More,
        }
    }

    /// Finds the end of the multi-line record that starts at `at`.
    fn paragraph(&mut self, block: &mut Block, start: usize) -> Step {
        let rest = &self.buffer[self.at..];
        self.searched.search(rest, self.ended);
        let Paragraph { mut end, mut lines, ended } = self.searched;
        if end > LONGEST || (!ended && rest.len() > LONGEST) {
            self.skipping = Some(Skip::Paragraph);
            return self.too_long(block, start, end, lines);
        }
        if !ended {
            return Step::More;
        }
        if self.n == 0 && block.is_empty() && end < rest.len() && grid::is_unfinished(&rest[..end]) {
            if !self.ended && rest.len() <= LONGEST {
                return Step::More;
            }
            if self.ended && rest.len() <= LONGEST && grid::has_more_rows(&rest[..end], &rest[end..]) {
                end = rest.len();
                lines = memchr::memchr_iter(b'\n', rest).count() as u64;
            }
        }
        self.searched = Paragraph::default();
        let place = (self.at - start, self.at - start + end);
        self.push(block, place, Shape::Paragraph);
        self.advance(end, lines)
    }

    /// Adds an invalid record in place of one that is too long.
    fn too_long(&mut self, block: &mut Block, start: usize, bytes: usize, lines: u64) -> Step {
        self.searched = Paragraph::default();
        let what = format!("the record is longer than {} KiB", LONGEST >> 10);
        self.pending = Pending::default();
        self.push_broken(block, start, Invalid { line: self.line, column: None, what });
        self.advance(bytes, lines)
    }

    /// Follows the directive at `at`.
    fn directive(&mut self, block: &mut Block, start: usize, next: usize) -> Step {
        let line = &self.buffer[self.at..self.at + next];
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        let mut problem = None;
        match directive::parse(line, &self.context) {
            Ok(Directive::Goal(goal)) => Arc::make_mut(&mut self.context).goal = Ok(goal),
            Ok(Directive::Size(size)) => Arc::make_mut(&mut self.context).size = Ok(Some(size)),
            Ok(Directive::Id(_)) if self.pending.id.is_some() => {
                problem = Some(self.duplicate("@id"));
            }
            Ok(Directive::Length(_)) if self.pending.length.is_some() => {
                problem = Some(self.duplicate("@length"));
            }
            Ok(Directive::Id(id)) => {
                self.pending = Pending { id: Some(id), line: self.line, ..self.take_pending() }
            }
            Ok(Directive::Length(length)) => {
                self.pending = Pending { length: Some(length), line: self.line, ..self.take_pending() };
            }
            Err(fault) => {
                problem = Some(fault.locate(line, self.line));
                match directive::name(line) {
                    b"@goal" => Arc::make_mut(&mut self.context).goal = Err(self.line),
                    b"@size" => Arc::make_mut(&mut self.context).size = Err(self.line),
                    _ => {}
                }
            }
        }
        if let Some(problem) = problem {
            self.push_broken(block, start, problem);
        }
        self.advance(next, 1)
    }

    fn take_pending(&mut self) -> Pending {
        std::mem::take(&mut self.pending)
    }

    fn duplicate(&self, name: &str) -> Invalid {
        let what = format!("a second {name} before a record, after the one on line {}", self.pending.line);
        Invalid { line: self.line, column: None, what }
    }

    /// Skips the rest of an overlong record or comment.
    fn skip(&mut self) -> Step {
        let rest = &self.buffer[self.at..];
        let newline = memchr(b'\n', rest);
        match self.skipping {
            Some(Skip::Line { then_paragraph }) => {
                if newline.is_some() || self.ended {
                    self.skipping = then_paragraph.then_some(Skip::Paragraph);
                } else if rest.is_empty() {
                    return Step::More;
                }
                self.advance(newline.map_or(rest.len(), |end| end + 1), newline.is_some().into())
            }
            Some(Skip::Paragraph) => {
                let line = &rest[..newline.unwrap_or(rest.len())];
                // An incomplete line must be long enough to classify.
                if newline.is_none() && !self.ended && line.len() < paragraph::TELLING {
                    return Step::More;
                }
                if paragraph::is_end(line) {
                    self.skipping = None;
                    return Step::Done;
                }
                self.skipping = Some(Skip::Line { then_paragraph: true });
                Step::Done
            }
            None => Step::Done,
        }
    }

    /// Handles the end of the file. A directive without a record is an error.
    fn end(&mut self, block: &mut Block, start: usize) -> Step {
        let Pending { line, id, .. } = self.take_pending();
        if line == 0 {
            return Step::End;
        }
        let name = if id.is_some() { "@id" } else { "@length" };
        let what = format!("no record follows this {name}");
        self.push_broken(block, start, Invalid { line, column: None, what });
        Step::Done
    }
}
