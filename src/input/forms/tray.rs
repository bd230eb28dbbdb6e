//! Trays as lines of numbers: `tray ROWS COLUMNS`, one line per block, `goal`, one line per
//! rectangle of the goal.
//!
//! A line is `r1 c1 r2 c2`, the first and last cell of a block from 0; or, after `tray R C lwrc`,
//! the older `height width row column`. A fifth word is a label. `wall` before four numbers makes
//! them a wall.

use super::word::{Word, Words, quote};
use crate::input::error::Fault;
use crate::puzzle::trays::{Item, Piece, Rect, Tray, TrayError};

/// Meaning of the four numbers of a line
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, clap::ValueEnum)]
pub enum Lines {
    /// r1 c1 r2 c2: first and last cell of a block
    #[default]
    Corners,
    /// height width row column
    Lwrc,
}

impl Lines {
    /// Returns the rectangle of four numbers.
    fn rect(self, [a, b, c, d]: [i64; 4]) -> Result<Rect, crate::puzzle::trays::RectError> {
        match self {
            Self::Corners => Rect::from_corners(a, b, c, d),
            Self::Lwrc => Rect::new(c, d, a, b),
        }
    }
}

/// A rectangle, its label, and the offset of its line.
struct Line<'a> {
    at: usize,
    rect: Rect,
    label: Option<Word<'a>>,
}

/// Parses a tray record. The word `tray` may be missing if the tray form is requested.
pub(in crate::input) fn parse(text: &[u8]) -> Result<Tray, Fault> {
    let mut lines = lines(text);
    let (mut rows, mut cols, mut style) = (0, 0, Lines::Corners);
    if let Some((_, mut words)) = lines.next() {
        if words.first().is_some_and(|word| word.text == b"tray") {
            words.remove(0);
        }
        let [height, width, rest @ ..] = &words[..] else {
            return Err(Fault::whole("a tray starts with its rows and columns"));
        };
        (rows, cols) = (number(*height)?, number(*width)?);
        match rest {
            [] => {}
            [word] if word.text == b"lwrc" => style = Lines::Lwrc,
            [word, ..] => return Err(Fault::at(word.at, format!("{} after the size", quote(word.text)))),
        }
    }
    let (mut walls, mut blocks, mut goal) = (Vec::new(), Vec::new(), None);
    let mut labelled = false;
    for (at, words) in lines {
        match (&words[..], &mut goal) {
            ([first, rest @ ..], None) if first.text == b"goal" => {
                labelled = is_labelled(rest)?;
                goal = Some(Vec::new());
            }
            ([first, ..], Some(_)) if matches!(first.text, b"goal" | b"wall") => {
                return Err(Fault::at(first.at, format!("{} after the goal", quote(first.text))));
            }
            ([first, rest @ ..], None) if first.text == b"wall" => walls.push(rectangle(at, rest, style)?),
            (words, None) => blocks.push(rectangle(at, words, style)?),
            (words, Some(goal)) => goal.push(rectangle(at, words, style)?),
        }
    }
    let Some(goal) = goal else {
        return Err(Fault::whole("the goal is missing: a line 'goal', then a line for each rectangle of it"));
    };
    let marks = Marks::new(labelled, &blocks, &goal)?;
    let wall_rects: Vec<Rect> = walls.iter().map(|wall| wall.rect).collect();
    let tray = Tray::new(rows, cols, &wall_rects, &marks.blocks, &marks.goal);
    tray.map_err(|error| {
        let line = match error.item() {
            Some(Item::Block(index)) => Some(&blocks[index]),
            Some(Item::Wall(index)) => Some(&walls[index]),
            Some(Item::Goal(index)) => Some(&goal[index]),
            None => None,
        };
        Fault { at: line.map(|line| line.at), what: error.to_string() }
    })
}

/// Parses the two files of the course form: the size and the blocks, and the lines of the goal. The
/// fault names its file.
pub(in crate::input) fn parse_pair(start: &[u8], goal: &[u8], style: Lines) -> Result<Tray, PairFault> {
    let mut lines_of_start = lines(start);
    let Some((at, words)) = lines_of_start.next() else {
        return Err(PairFault::start(Fault::whole("the file is empty")));
    };
    let [height, width] = words[..] else {
        return Err(PairFault::start(Fault::at(at, "the first line is not the tray's rows and columns")));
    };
    let size = number(height).and_then(|rows| Ok((rows, number(width)?)));
    let (rows, cols) = size.map_err(PairFault::start)?;
    Tray::check_size(rows, cols).map_err(|error| PairFault::start(Fault::at(at, error.to_string())))?;
    let read = |(at, words): (usize, Vec<Word<'_>>)| {
        let line = rectangle(at, &words, style)?;
        match line.label {
            Some(label) => Err(Fault::at(label.at, format!("{} after four numbers", quote(label.text)))),
            None => Ok((at, line.rect)),
        }
    };
    let blocks: Vec<(usize, Rect)> =
        lines_of_start.map(read).collect::<Result<_, _>>().map_err(PairFault::start)?;
    let goals: Vec<(usize, Rect)> =
        lines(goal).map(read).collect::<Result<_, _>>().map_err(PairFault::goal)?;
    let pieces =
        |rects: &[(usize, Rect)]| rects.iter().map(|&(_, rect)| Piece::plain(rect)).collect::<Vec<_>>();
    let tray = Tray::new(rows, cols, &[], &pieces(&blocks), &pieces(&goals)).map_err(|error| {
        let what = error.to_string();
        match error.item() {
            Some(Item::Goal(index)) => PairFault::goal(Fault::at(goals[index].0, what)),
            Some(Item::Block(index)) => PairFault::start(Fault::at(blocks[index].0, what)),
            _ if error == TrayError::NoGoal => PairFault::goal(Fault::whole(what)),
            _ => PairFault::start(Fault::at(at, what)),
        }
    })?;
    let Some(unmatched) = tray.unmatched_goal() else { return Ok(tray) };
    let at = goals.iter().find(|(_, rect)| *rect == unmatched.rect).map(|goal| goal.0);
    let fault = Fault { at, what: unmatched.to_string() };
    Err(PairFault { no_such_shape: true, ..PairFault::goal(fault) })
}

/// A fault in one of two files.
pub(in crate::input) struct PairFault {
    pub(in crate::input) fault: Fault,
    pub(in crate::input) in_goal: bool,
    /// The tray is valid, but its goal cannot be met.
    pub(in crate::input) no_such_shape: bool,
}

impl PairFault {
    fn start(fault: Fault) -> Self {
        Self { fault, in_goal: false, no_such_shape: false }
    }

    fn goal(fault: Fault) -> Self {
        Self { fault, in_goal: true, no_such_shape: false }
    }
}

/// Returns whether the words after `goal` request labelled blocks.
pub(in crate::input) fn is_labelled(rest: &[Word<'_>]) -> Result<bool, Fault> {
    match rest {
        [] => Ok(false),
        [word] if word.text == b"labelled" => Ok(true),
        [word, ..] => Err(Fault::at(word.at, format!("{} after 'goal'", quote(word.text)))),
    }
}

/// Returns the lines that have words, each with its offset and its words.
fn lines(text: &[u8]) -> impl Iterator<Item = (usize, Vec<Word<'_>>)> {
    let mut at = 0;
    text.split(|&byte| byte == b'\n').filter_map(move |line| {
        let start = at;
        at += line.len() + 1;
        let words: Vec<Word<'_>> =
            Words::new(line).map(|word| Word { at: word.at + start, ..word }).collect();
        Some((words.first()?.at, words))
    })
}

/// Parses the rectangle on a line.
fn rectangle<'a>(at: usize, words: &[Word<'a>], style: Lines) -> Result<Line<'a>, Fault> {
    let (numbers, label) = match words {
        [a, b, c, d] => ([a, b, c, d], None),
        [a, b, c, d, label] => ([a, b, c, d], Some(*label)),
        _ => {
            let what = format!("{} words where four numbers, and perhaps a label, should be", words.len());
            return Err(Fault::at(at, what));
        }
    };
    let mut values = [0; 4];
    for (value, word) in values.iter_mut().zip(numbers) {
        *value = number(*word)?;
    }
    let rect = style.rect(values).map_err(|error| Fault::at(at, error.to_string()))?;
    Ok(Line { at, rect, label })
}

/// Parses a whole number, possibly negative.
fn number(word: Word<'_>) -> Result<i64, Fault> {
    let text = std::str::from_utf8(word.text).ok();
    let parsed = text.filter(|text| text.len() <= 12).and_then(|text| text.parse().ok());
    parsed.ok_or_else(|| Fault::at(word.at, format!("{} is not a whole number", quote(word.text))))
}

/// Blocks and goals, marked if the goal requires certain blocks.
struct Marks {
    blocks: Vec<Piece>,
    goal: Vec<Piece>,
}

impl Marks {
    fn new(labelled: bool, blocks: &[Line<'_>], goal: &[Line<'_>]) -> Result<Self, Fault> {
        let plain = |lines: &[Line<'_>]| lines.iter().map(|line| Piece::plain(line.rect)).collect::<Vec<_>>();
        let mut marks = Self { blocks: plain(blocks), goal: plain(goal) };
        if !labelled {
            return Ok(marks);
        }
        for (index, line) in goal.iter().enumerate() {
            let Some(label) = line.label else {
                return Err(Fault::at(line.at, "a labelled goal needs a label on each of its lines"));
            };
            let named = |line: &&Line<'_>| line.label.is_some_and(|other| other.text == label.text);
            let mut found = blocks.iter().enumerate().filter(|(_, block)| named(block));
            let (first, second) = (found.next(), found.next());
            if let Some((_, block)) = second {
                return Err(Fault::at(block.at, format!("a second block labelled {}", quote(label.text))));
            }
            if goal[..index].iter().any(|line| named(&line)) {
                return Err(Fault::at(line.at, format!("a second goal labelled {}", quote(label.text))));
            }
            let Some((block, _)) = first else {
                return Err(Fault::at(label.at, format!("no block is labelled {}", quote(label.text))));
            };
            let mark = index as u32 + 1;
            marks.goal[index].mark = mark;
            marks.blocks[block].mark = mark;
        }
        Ok(marks)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(text: &str) -> String {
        let fault = parse(text.as_bytes()).unwrap_err();
        format!("{:?} {}", fault.at, fault.what)
    }

    #[test]
    fn both_syntaxes_give_the_same_tray() {
        let corners = "tray 5 4\n0 0 1 0 # left\n0,1,1,2\nwall 4 0 4 3\ngoal\n\t2 1 3 2\r\n";
        let sizes = "tray 5 4 lwrc\n2 1 0 0\n2 2 0 1\nwall 1 4 4 0\ngoal\n2 2 2 1\n";
        let tray = parse(corners.as_bytes()).unwrap();
        assert_eq!(tray, parse(sizes.as_bytes()).unwrap());
        assert_eq!((tray.classes().len(), tray.holes()), (2, 10));
        assert_eq!(parse(&corners.as_bytes()["tray ".len()..]).unwrap(), tray);
    }

    #[test]
    fn a_goal_may_have_a_shape_that_no_block_has() {
        let unmatched =
            |text: &str| parse(text.as_bytes()).unwrap().unmatched_goal().map(|goal| goal.to_string());
        assert_eq!(
            unmatched("tray 2 2\n0 0 0 0\ngoal\n0 0 1 0").unwrap(),
            "goal 0 0 1 0 is 2x1, but no block is"
        );
        assert_eq!(
            unmatched("tray 2 2\n0 0 0 0 a\n0 1 1 1 b\ngoal labelled\n0 0 1 0 a").unwrap(),
            "goal 0 0 1 0 is 2x1 with its label, but no block is"
        );
        assert_eq!(unmatched("tray 2 2\n0 0 0 0\ngoal\n1 1 1 1"), None);
    }

    #[test]
    fn a_labelled_goal_requires_its_blocks() {
        let tray = parse(b"tray 1 3\n0 0 0 0 a\n0 1 0 1 b\ngoal labelled\n0 1 0 1 a").unwrap();
        assert_eq!(tray.classes().len(), 2);
        let tray = parse(b"tray 1 3\n0 0 0 0 a\n0 1 0 1 b\ngoal\n0 1 0 1 a").unwrap();
        assert!(tray.is_solved());
    }

    #[test]
    fn faults_name_their_position() {
        assert_eq!(
            fault("tray 300 300\n0 0 0 0\ngoal\n0 0 0 0"),
            "None a tray has 1 to 256 rows and columns, not 300x300"
        );
        assert_eq!(
            fault("tray 2 2\n0 0 0 0\n"),
            "None the goal is missing: a line 'goal', then a line for each rectangle of it"
        );
        assert_eq!(fault("tray 2 2\n0 0 0 0\ngoal\n"), "None the goal is missing");
        assert_eq!(
            fault("tray 2 2\n0 0 0 0\n0 0 1 0\ngoal\n"),
            "Some(17) block 2 overlaps block 1 at row 0, column 0"
        );
        assert_eq!(
            fault("tray 2 2\n1 0 0 0\ngoal\n"),
            "Some(9) a rectangle of 0 rows and 1 columns has no cells"
        );
        assert_eq!(
            fault("tray 2 2 lwrc\n-1 1 0 0\ngoal\n"),
            "Some(14) a rectangle of -1 rows and 1 columns has no cells"
        );
        assert_eq!(fault("tray 2 2\n0 0 0 x\ngoal\n"), "Some(15) 'x' is not a whole number");
        assert_eq!(
            fault("tray 2 2\n0 0 0\ngoal\n"),
            "Some(9) 3 words where four numbers, and perhaps a label, should be"
        );
        assert_eq!(
            fault("tray 2 2\n0 0 0 0\ngoal\n0 1 0 1\n0 0 0 0\n0 1 0 1"),
            "Some(38) goal 3 is the same rectangle as goal 1"
        );
        assert_eq!(fault("tray 2 2\n0 0 0 0\ngoal\n0 0 0 0\ngoal"), "Some(30) 'goal' after the goal");
        assert_eq!(fault("tray 2 2 rcwl\n"), "Some(9) 'rcwl' after the size");
        assert_eq!(fault("tray 2\n"), "None a tray starts with its rows and columns");
        assert_eq!(
            fault("tray 1 2\n0 0 0 0 a\ngoal labelled\n0 1 0 1"),
            "Some(33) a labelled goal needs a label on each of its lines"
        );
        assert_eq!(
            fault("tray 1 2\n0 0 0 0 a\ngoal labelled\n0 1 0 1 b"),
            "Some(41) no block is labelled 'b'"
        );
        assert_eq!(
            fault("tray 1 2\n0 0 0 0 a\n0 1 0 1 a\ngoal labelled\n0 1 0 1 a"),
            "Some(19) a second block labelled 'a'"
        );
    }

    #[test]
    fn pairs_of_files() {
        let tray = parse_pair(b"2 2\n0 0 0 0\n", b"1 1 1 1\n", Lines::Corners).ok().unwrap();
        assert_eq!(tray.holes(), 3);
        let fault = |start: &str, goal: &str| {
            let fault = parse_pair(start.as_bytes(), goal.as_bytes(), Lines::Lwrc).err().unwrap();
            (fault.in_goal, fault.no_such_shape, fault.fault.what)
        };
        assert_eq!(
            fault("2 2\n1 1 0 0", "2 1 0 0"),
            (true, true, "goal 0 0 1 0 is 2x1, but no block is".into())
        );
        assert_eq!(fault("2 2\n1 1 0 0", ""), (true, false, "the goal is missing".into()));
        assert!(!fault("2 2\n0 0 0 0", "").0);
        assert_eq!(fault("", "").2, "the file is empty");
    }
}
