//! Writes records in the input forms.

use crate::input::Form;
use crate::model::report::Instance;
use crate::puzzle::tiles::{Board, Goal, Size};
use crate::puzzle::trays::{Block, Tray};
use std::fmt::Write;

/// A record to write.
#[derive(Clone, Copy, Debug)]
pub struct Record<'a> {
    /// The record's own id, if it has one.
    pub id: Option<&'a str>,
    /// Known length of a shortest solution.
    pub length: Option<u32>,
    /// The puzzle.
    pub instance: &'a Instance,
}

/// Output form of puzzles.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Written {
    /// One of the input forms.
    Form(Form),
    /// First file of the two-file course form of a tray: its size and its blocks.
    Init,
    /// Second file: the rectangles of its goal.
    Goal,
}

/// Reason why a record cannot be written in a form.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ConvertError {
    /// The compact form has one character per tile.
    #[error("the compact form is for 3x3 and 4x4 boards, not {0}")]
    Compact(Size),
    /// The form belongs to the other puzzle family.
    #[error("{0} cannot be written in this form")]
    Family(&'static str),
    /// There are more blocks than letters.
    #[error("a picture can show at most {} blocks", LETTERS.len())]
    Letters,
    /// The goal of a picture cannot name blocks.
    #[error("a labelled goal cannot be written as a picture")]
    Labelled,
    /// A cell of a picture can show only one block.
    #[error("goal rectangles that overlap cannot be written as a picture")]
    Overlap,
    /// The course form has no walls and no labels.
    #[error("the two-file course form has neither walls nor labelled goals")]
    Course,
}

/// Writer of records in one form, with the directives that apply to them.
#[derive(Debug)]
pub struct Puzzles {
    written: Written,
    /// State of the directives written so far.
    goal: Goal,
    size: Option<Size>,
}

impl Puzzles {
    /// Creates a writer for an empty file.
    pub fn new(written: Written) -> Self {
        Self { written, goal: Goal::default(), size: None }
    }

    /// Appends a record as whole lines, or returns the reason why it cannot be written.
    pub fn record(&mut self, out: &mut String, record: Record<'_>) -> Result<(), ConvertError> {
        match (record.instance, self.written) {
            (
                Instance::Tiles { .. },
                Written::Init | Written::Goal | Written::Form(Form::Tray | Form::Letters),
            ) => Err(ConvertError::Family("tile boards")),
            (Instance::Tiles { board, goal, .. }, Written::Form(form)) => {
                self.tiles(out, form, record, board, goal)
            }
            (Instance::Tray { tray, .. }, written) => self.tray(out, written, record, tray),
        }
    }

    /// Appends a tray as a record, or one of its two files.
    fn tray(
        &self,
        out: &mut String,
        written: Written,
        record: Record<'_>,
        tray: &Tray,
    ) -> Result<(), ConvertError> {
        let is_plain =
            tray.walls().iter().all(|&word| word == 0) && tray.classes().iter().all(|class| class.mark == 0);
        match written {
            Written::Form(Form::Tray) => {
                write_directives(out, record);
                line(out, format_args!("{tray}"));
            }
            Written::Form(Form::Letters)
                if !is_plain && tray.classes().iter().any(|class| class.mark != 0) =>
            {
                return Err(ConvertError::Labelled);
            }
            Written::Form(Form::Letters) if tray.blocks().len().max(tray.goal().len()) > LETTERS.len() => {
                return Err(ConvertError::Letters);
            }
            Written::Form(Form::Letters) if !shows_whole_goal(tray) => return Err(ConvertError::Overlap),
            Written::Form(Form::Letters) => {
                write_directives(out, record);
                letters(out, tray);
            }
            Written::Form(_) => return Err(ConvertError::Family("trays")),
            Written::Init | Written::Goal if !is_plain => return Err(ConvertError::Course),
            Written::Init => {
                line(out, format_args!("{} {}", tray.rows(), tray.cols()));
                tray.blocks().iter().for_each(|&block| line(out, format_args!("{}", tray.rect(block))));
            }
            Written::Goal => {
                tray.goal().iter().for_each(|&block| line(out, format_args!("{}", tray.rect(block))));
            }
        }
        Ok(())
    }

    fn tiles(
        &mut self,
        out: &mut String,
        form: Form,
        record: Record<'_>,
        board: &Board,
        goal: &Goal,
    ) -> Result<(), ConvertError> {
        let size = board.size();
        if form == Form::Compact && !matches!((size.rows(), size.cols()), (3, 3) | (4, 4)) {
            return Err(ConvertError::Compact(size));
        }
        // Tile positions include their goal.
        if form != Form::Positions && self.goal != *goal {
            // An explicit goal shows its rows by slashes, so it needs no size.
            line(out, format_args!("@goal {}", goal.name()));
            self.goal = goal.clone();
        }
        if form == Form::Line {
            self.write_size(out, size);
        }
        let id = record.id.filter(|id| !id.is_empty());
        if matches!(form, Form::Grid | Form::Positions) {
            write_directives(out, record);
            match form {
                Form::Grid => grid(out, board),
                _ => positions(out, board, goal),
            }
            out.push('\n');
            return Ok(());
        }
        match id {
            Some(id) if is_plain(id) => *out += &format!("{id}: "),
            Some(id) => line(out, format_args!("@id {id}")),
            None => {}
        }
        let text = match form {
            Form::Slashes => board.to_string(),
            Form::Compact => compact(board),
            _ => board.to_string().replace('/', " "),
        };
        let known = record.length.map_or(String::new(), |length| format!(" | {length}"));
        line(out, format_args!("{text}{known}"));
        Ok(())
    }

    /// Appends the size of line records, unless it is implied.
    fn write_size(&mut self, out: &mut String, size: Size) {
        let is_square = size.rows() == size.cols();
        if self.size.map_or(is_square, |current| current == size) {
            return;
        }
        line(out, format_args!("@size {size}"));
        self.size = Some(size);
    }
}

/// Letters of the blocks.
const LETTERS: &[u8; 52] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// Returns whether no two goal rectangles share a cell of a picture.
fn shows_whole_goal(tray: &Tray) -> bool {
    let grid = tray.grid(tray.goal());
    (0..)
        .zip(tray.goal())
        .all(|(number, &block)| tray.rect(block).cells(tray.cols()).all(|cell| grid[cell] == number))
}

/// Appends a tray and its goal as pictures.
fn letters(out: &mut String, tray: &Tray) {
    let mut picture = |keyword: &str, blocks: &[Block]| {
        line(out, format_args!("{keyword}"));
        for row in tray.grid(blocks).chunks(tray.cols()) {
            out.extend(row.iter().map(|&block| match block {
                Tray::EMPTY => '.',
                Tray::WALL => '#',
                block => char::from(LETTERS[block as usize]),
            }));
            out.push('\n');
        }
    };
    picture("letters", tray.blocks());
    picture("goal", tray.goal());
    out.push('\n');
}

/// Appends the directives of a multi-line record.
fn write_directives(out: &mut String, record: Record<'_>) {
    if let Some(id) = record.id.filter(|id| !id.is_empty()) {
        line(out, format_args!("@id {id}"));
    }
    if let Some(length) = record.length {
        line(out, format_args!("@length {length}"));
    }
}

fn line(out: &mut String, text: std::fmt::Arguments<'_>) {
    writeln!(out, "{text}").expect("a string takes every line");
}

/// Returns whether an id can precede a colon.
fn is_plain(id: &str) -> bool {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | ' ');
    id.chars().all(plain) && id.trim() == id && id.parse::<Size>().is_err()
}

/// Returns `142 3b5 678`, or hexadecimal digits: `123456789ABCDEF0`.
fn compact(board: &Board) -> String {
    if board.size().cells() > 9 {
        return board.tiles().iter().map(|tile| format!("{tile:X}")).collect();
    }
    let character = |&tile: &u16| if tile == 0 { 'b' } else { char::from(b'0' + tile as u8) };
    let rows: Vec<String> = board.tiles().chunks(3).map(|row| row.iter().map(character).collect()).collect();
    rows.join(" ")
}

/// Appends the size, then the rows with aligned columns.
pub(super) fn grid(out: &mut String, board: &Board) {
    let size = board.size();
    if size.rows() == size.cols() {
        line(out, format_args!("{}", size.rows()));
    } else {
        line(out, format_args!("{} {}", size.rows(), size.cols()));
    }
    let width = (size.cells() - 1).to_string().len();
    for row in board.tiles().chunks(size.cols()) {
        let words: Vec<String> = row.iter().map(|tile| format!("{tile:width$}")).collect();
        line(out, format_args!("{}", words.join(" ")));
    }
}

/// Appends the cell of each tile, in the start and in the goal.
fn positions(out: &mut String, board: &Board, goal: &Goal) {
    let size = board.size();
    let goal = goal.board(size).expect("a goal that was read fits its board");
    line(out, format_args!("{} {}", size.cols(), size.rows()));
    for (heading, board) in [("starting positions for each tile:", board), ("goal positions:", &goal)] {
        line(out, format_args!("{heading}"));
        let mut cells = vec![0; size.cells()];
        for (cell, &tile) in board.tiles().iter().enumerate() {
            cells[usize::from(tile)] = cell;
        }
        cells.iter().for_each(|cell| line(out, format_args!("{cell}")));
    }
}
