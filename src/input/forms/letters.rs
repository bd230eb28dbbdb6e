//! Trays as pictures: `letters`, rows like `ABBC`, `goal`, rows like `.BB.`.
//!
//! Cells with equal letters form one block, which must be a filled rectangle. `.` is empty, `#` a
//! wall. Any other character except `@` and gaps is a letter. There are no comments.

use super::tray::is_labelled;
use super::word::{Words, is_gap, quote};
use crate::input::error::Fault;
use crate::puzzle::trays::{Item, Piece, Rect, Tray};

/// A block of a picture: its letter, its cells, and the offset of its first cell in the text.
struct LetterBlock {
    letter: char,
    at: usize,
    rect: Rect,
}

/// A parsed picture.
#[derive(Default)]
struct Picture {
    rows: usize,
    cols: usize,
    walls: Vec<Rect>,
    parts: Vec<LetterBlock>,
}

/// Parses a letters record.
pub(in crate::input) fn parse(text: &[u8]) -> Result<Tray, Fault> {
    let mut start = Vec::new();
    let mut goal = None;
    let mut labelled = false;
    let mut at = 0;
    for (index, line) in text.split(|&byte| byte == b'\n').enumerate() {
        let here = at;
        at += line.len() + 1;
        let is_goal =
            line.strip_prefix(b"goal").is_some_and(|rest| rest.first().is_none_or(|&byte| is_gap(byte)));
        if index == 0 || line.iter().all(|&byte| is_gap(byte)) {
            continue;
        }
        match &mut goal {
            None if is_goal => {
                let words: Vec<_> = Words::new(line).skip(1).collect();
                labelled = is_labelled(&words).map_err(|fault| fault.shifted(here))?;
                goal = Some(Vec::new());
            }
            None => start.push((here, line)),
            Some(_) if is_goal => return Err(Fault::at(here, "'goal' after the goal")),
            Some(goal) => goal.push((here, line)),
        }
    }
    let Some(goal) = goal else {
        return Err(Fault::whole("the goal is missing: a line 'goal', then the rows of it"));
    };
    let start = Picture::read(&start)?;
    let goal = Picture::read(&goal)?;
    if goal.rows > 0 && (goal.rows, goal.cols) != (start.rows, start.cols) {
        let sizes = [start.rows, start.cols, goal.rows, goal.cols];
        let [rows, cols, goal_rows, goal_cols] = sizes;
        return Err(Fault::whole(format!(
            "the tray is {rows}x{cols}, but its goal is {goal_rows}x{goal_cols}"
        )));
    }
    let mut blocks: Vec<Piece> = start.parts.iter().map(|part| Piece::plain(part.rect)).collect();
    let mut goals: Vec<Piece> = goal.parts.iter().map(|part| Piece::plain(part.rect)).collect();
    if labelled {
        for (mark, (part, piece)) in (1..).zip(goal.parts.iter().zip(&mut goals)) {
            let Some(block) = start.parts.iter().position(|block| block.letter == part.letter) else {
                return Err(Fault::at(part.at, format!("no block is labelled '{}'", part.letter)));
            };
            (piece.mark, blocks[block].mark) = (mark, mark);
        }
    }
    let tray = Tray::new(start.rows as i64, start.cols as i64, &start.walls, &blocks, &goals);
    tray.map_err(|error| {
        let at = match error.item() {
            Some(Item::Goal(index)) => Some(goal.parts[index].at),
            Some(Item::Block(index)) => Some(start.parts[index].at),
            _ => None,
        };
        Fault { at, what: error.to_string() }
    })
}

impl Picture {
    /// Parses rows, each given with its offset in the text.
    fn read(lines: &[(usize, &[u8])]) -> Result<Self, Fault> {
        let mut picture = Self { rows: lines.len(), ..Self::default() };
        if lines.len() > Tray::MAX_SIDE {
            // The size is the fault, and the tray reports it.
            return Ok(picture);
        }
        let mut covered: Vec<usize> = Vec::new();
        for (row, &(at, line)) in lines.iter().enumerate() {
            let text = std::str::from_utf8(line).map_err(|_| Fault::at(at, "not UTF-8 text"))?;
            let cells = text.char_indices().filter(|(_, c)| !c.is_ascii() || !is_gap(*c as u8));
            let mut cols = 0;
            for (offset, letter) in cells {
                let col = cols;
                cols += 1;
                if cols > Tray::MAX_SIDE {
                    picture.cols = picture.cols.max(cols);
                    continue;
                }
                let place = at + offset;
                match letter {
                    '.' => {}
                    '#' => picture.walls.push(cell(row, col)),
                    c if c.is_control() => {
                        return Err(Fault::at(
                            place,
                            format!("{} is not a letter", quote(&line[offset..=offset])),
                        ));
                    }
                    _ => match picture.parts.iter().position(|part| part.letter == letter) {
                        Some(part) => {
                            covered[part] += 1;
                            grow(&mut picture.parts[part].rect, row, col);
                        }
                        None => {
                            covered.push(1);
                            picture.parts.push(LetterBlock { letter, at: place, rect: cell(row, col) });
                        }
                    },
                }
            }
            if row > 0 && cols != picture.cols {
                let what = format!("row {} has {cols} cells instead of {}", row + 1, picture.cols);
                return Err(Fault::at(at, what));
            }
            picture.cols = cols;
        }
        for (part, &covered) in picture.parts.iter().zip(&covered) {
            if part.rect.area() != covered {
                return Err(Fault::at(
                    part.at,
                    format!("the cells of '{}' are not a filled rectangle", part.letter),
                ));
            }
        }
        Ok(picture)
    }
}

/// Returns one cell as a rectangle.
fn cell(row: usize, col: usize) -> Rect {
    let at = crate::puzzle::trays::Place::new(row as u16, col as u16);
    Rect { at, height: 1, width: 1 }
}

/// Extends a rectangle to a cell in a later row, or later in its last row.
fn grow(rect: &mut Rect, row: usize, col: usize) {
    let (row, col) = (row as u16, col as u16);
    let last = rect.last_col().max(col);
    rect.at.col = rect.at.col.min(col);
    rect.width = last - rect.at.col + 1;
    rect.height = row - rect.at.row + 1;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(text: &str) -> String {
        let fault = parse(text.as_bytes()).unwrap_err();
        format!("{:?} {}", fault.at, fault.what)
    }

    #[test]
    fn a_picture_is_a_tray() {
        let text = "letters\nABBC\r\nABBC\n D E F.\n#é..\ngoal\n....\n....\n.BB.\n.BB.\n";
        let tray = parse(text.as_bytes()).unwrap();
        let same = "tray 4 4\n0 0 1 0\n0 1 1 2\n0 3 1 3\n2 0 2 0\n2 1 2 1\n2 2 2 2\n3 1 3 1\nwall 3 0 3 0\ngoal\n2 1 3 2";
        assert_eq!(tray, super::super::tray::parse(same.as_bytes()).unwrap());
    }

    #[test]
    fn letters_are_labels_if_the_goal_says_so() {
        assert!(parse(b"letters\nAB.\ngoal\nBA.").unwrap().is_solved());
        assert!(!parse(b"letters\nAB.\ngoal labelled\nBA.").unwrap().is_solved());
    }

    #[test]
    fn faults_name_their_position() {
        assert_eq!(fault("letters\nAB\nBA\ngoal\nAA"), "Some(8) the cells of 'A' are not a filled rectangle");
        assert_eq!(fault("letters\nAB\nA\ngoal\nAA"), "Some(11) row 2 has 1 cells instead of 2");
        assert_eq!(fault("letters\nAB"), "None the goal is missing: a line 'goal', then the rows of it");
        assert_eq!(fault("letters\nA.\ngoal\n.."), "None the goal is missing");
        assert_eq!(fault("letters\nA.\ngoal\n"), "None the goal is missing");
        assert_eq!(fault("letters\nA.\ngoal\n.A.\n"), "None the tray is 1x2, but its goal is 1x3");
        assert_eq!(fault("letters\nA.\ngoal labelled\nB."), "Some(25) no block is labelled 'B'");
        assert_eq!(fault("letters\nA.\ngoal labelled\n.B"), "Some(26) no block is labelled 'B'");
        assert_eq!(
            fault(&format!("letters\n{}\ngoal\nA", "A".repeat(300))),
            "None the tray is 1x300, but its goal is 1x1"
        );
        let wide = "A".repeat(300);
        assert_eq!(
            fault(&format!("letters\n{wide}\ngoal\n{wide}")),
            "None a tray has 1 to 256 rows and columns, not 1x300"
        );
    }
}
