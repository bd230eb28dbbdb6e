//! A block of records with their text, split from the file but not yet parsed: splitting happens
//! under a lock, parsing on all workers.

use super::context::Context;
use super::error::Fault;
use super::{Form, Invalid};
use crate::input::forms::one_line::OneLine;
use crate::input::forms::word::Words;
use crate::input::forms::{grid, letters, paragraph, plain, positions, rows, tray};
use crate::model::report::Instance;
use std::sync::Arc;

/// Maximum capacity of a text buffer that is kept for reuse.
const MAX_REUSED_TEXT: usize = 256 << 10;

/// Maximum number of records in a block.
pub const RECORDS: usize = 64;

/// Consecutive records of one file. A block owns its text, so that it can be sent to another
/// thread. Its buffers are reused.
#[derive(Debug, Default)]
pub struct Block {
    pub(super) text: Vec<u8>,
    /// Number of the record before the first one.
    before: u64,
    records: Vec<Record>,
    /// Contexts of the records, by the index in [`Record`].
    contexts: Vec<Arc<Context>>,
    /// Additional data of the few records that have any, in order.
    extras: Vec<(usize, Extra)>,
}

/// Position of a record, and its shape.
#[derive(Clone, Copy, Debug)]
struct Record {
    start: u32,
    end: u32,
    line: u64,
    context: u32,
    shape: Shape,
}

/// Shape of a record as found by the splitter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Shape {
    /// A record on one line.
    OneLine,
    /// A grid, tile positions or a tray: a paragraph.
    Paragraph,
    /// A grid without a header.
    Rows,
    /// Not a valid record; its [`Extra`] has the reason.
    Broken,
}

/// Directives about one record, or the reason why it is not valid.
#[derive(Clone, Debug, Default)]
pub(super) struct Extra {
    pub(super) id: Option<Box<str>>,
    pub(super) length: Option<u32>,
    pub(super) problem: Option<Invalid>,
}

/// Identification of a record, valid or not.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Header<'a> {
    /// Number of the record in the file, from 1.
    pub n: u64,
    /// Line where the record starts, from 1.
    pub line: u64,
    /// The record's own id, if it has one.
    pub id: Option<&'a str>,
    /// Known length of a shortest solution, if given.
    pub length: Option<u32>,
}

impl Block {
    /// Returns the number of records.
    pub fn len(&self) -> usize {
        self.records.len()
    }

    /// Returns whether there are no records.
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// Returns the number in the file of the record at `index`.
    pub fn number(&self, index: usize) -> u64 {
        self.before + index as u64 + 1
    }

    /// Returns the header and the puzzle of the record at `index`.
    ///
    /// # Panics
    /// If the block has fewer records.
    pub fn record(&self, index: usize) -> (Header<'_>, Result<Instance, Invalid>) {
        match self.plain(index) {
            Some((header, instance)) => (header, Ok(instance)),
            None => (self.header(index), self.parse(index)),
        }
    }

    /// Parses a plain line, the fast path (`forms/plain.rs`).
    fn plain(&self, index: usize) -> Option<(Header<'_>, Instance)> {
        let record = self.records[index];
        if record.shape != Shape::OneLine || self.extra(index).is_some() {
            return None;
        }
        let context = self.context_of(record);
        let plain::Plain { id, board } = plain::read(self.text_of(record), context)?;
        let goal = context.goal_of(&board).ok()?;
        let header = Header { n: self.number(index), line: record.line, id, length: None };
        Some((header, Instance::Tiles { board, goal, metric: context.tile_metric }))
    }

    /// Returns the header of the record at `index` in the block.
    ///
    /// # Panics
    /// If the block has fewer records.
    pub fn header(&self, index: usize) -> Header<'_> {
        let record = self.records[index];
        let extra = self.extra(index);
        let (mut id, mut length) = (extra.and_then(|e| e.id.as_deref()), extra.and_then(|e| e.length));
        if record.shape == Shape::OneLine
            && (id.is_none() || length.is_none())
            && let Ok(line) = OneLine::new(self.text_of(record))
        {
            id = id.or_else(|| line.id(self.context_of(record)));
            length = length.or(line.length);
        }
        Header { n: self.number(index), line: record.line, id, length }
    }

    /// Parses the puzzle of the record at `index`.
    ///
    /// # Panics
    /// If the block has fewer records.
    pub fn parse(&self, index: usize) -> Result<Instance, Invalid> {
        let record = self.records[index];
        let text = self.text_of(record);
        self.read(index, record, text).map_err(|fault| fault.locate(text, record.line)).and_then(|read| read)
    }

    fn read(&self, index: usize, record: Record, text: &[u8]) -> Result<Result<Instance, Invalid>, Fault> {
        let context = self.context_of(record);
        let (board, own_goal) = match record.shape {
            Shape::OneLine => {
                let line = OneLine::new(text)?;
                let known = self.extra(index).and_then(|extra| extra.length);
                if let (Some(before), Some(after)) = (known, line.length)
                    && before != after
                {
                    return Err(Fault::whole(format!("two known lengths: {before} and {after}")));
                }
                (line.board(context)?, None)
            }
            Shape::Paragraph => match context.form.or_else(|| paragraph::keyword(text)) {
                Some(form @ (Form::Tray | Form::Letters)) => {
                    let tray = if form == Form::Tray { tray::parse(text)? } else { letters::parse(text)? };
                    return Ok(Ok(Instance::Tray { tray: Arc::new(tray), metric: context.tray_metric }));
                }
                Some(Form::Positions) => positions::parse(text)?,
                None if positions::fits(text) => positions::parse(text)?,
                _ => (grid::parse(text)?, None),
            },
            Shape::Rows => {
                (grid::parse_rows(text).map_err(|fault| suggest_input_format(fault, text, context))?, None)
            }
            Shape::Broken => {
                let problem = self.extra(index).and_then(|extra| extra.problem.clone());
                return problem.map(Err).ok_or_else(|| Fault::whole("not a record"));
            }
        };
        let goal = match own_goal {
            Some(goal) => goal,
            None => context.goal_of(&board)?,
        };
        Ok(Ok(Instance::Tiles { board, goal, metric: context.tile_metric }))
    }

    fn text_of(&self, record: Record) -> &[u8] {
        &self.text[record.start as usize..record.end as usize]
    }

    fn context_of(&self, record: Record) -> &Context {
        &self.contexts[record.context as usize]
    }

    fn extra(&self, index: usize) -> Option<&Extra> {
        let found = self.extras.binary_search_by_key(&index, |(record, _)| *record).ok()?;
        Some(&self.extras[found].1)
    }

    /// Clears the block for the records after number `before`.
    pub(super) fn clear(&mut self, before: u64) {
        self.text.clear();
        self.text.shrink_to(MAX_REUSED_TEXT);
        self.before = before;
        self.records.clear();
        self.contexts.clear();
        self.extras.clear();
    }

    /// Adds a record. Its text, `start..end`, may be added later.
    #[inline]
    pub(super) fn push(
        &mut self,
        (start, end): (usize, usize),
        line: u64,
        context: &Arc<Context>,
        shape: Shape,
    ) {
        if self.contexts.last().is_none_or(|last| !Arc::ptr_eq(last, context)) {
            self.contexts.push(context.clone());
        }
        let context = self.contexts.len() as u32 - 1;
        self.records.push(Record { start: start as u32, end: end as u32, line, context, shape });
    }

    /// Attaches additional data to the last record.
    pub(super) fn annotate(&mut self, extra: Extra) {
        self.extras.push((self.records.len() - 1, extra));
    }
}

/// Names the option `--input-format` in a fault if rows that are not a board could also be separate
/// records.
fn suggest_input_format(fault: Fault, text: &[u8], context: &Context) -> Fault {
    let first =
        text.split(|&byte| byte == b'\n').map(|line| Words::tiles(line).count()).find(|&words| words > 0);
    if !first.is_some_and(|words| rows::is_record_width(words, context)) {
        return fault;
    }
    let what = format!(
        "{}: the lines look like the rows of one board; choose --input-format line or grid",
        fault.what
    );
    Fault { what, ..fault }
}
