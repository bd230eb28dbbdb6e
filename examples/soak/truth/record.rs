//! Records of puzzle files with their answers.

use super::board::{Board, GoalName};
use super::forms::Form;
use super::malformed::MALFORMED;
use super::tray::{self, TrayAnswer};
use super::{Truth, exact};
use crate::random::Random;
use batch_solve::puzzle::trays::Metric as TrayMetric;

/// What must be said of a record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Answer {
    /// The length of a shortest solution.
    Length(u32),
    /// There is a solution of at most this length.
    AtMost(u32),
    /// There is some solution.
    Solvable,
    /// There is none.
    Unsolvable,
    /// There is a solution or none.
    Decided,
    /// It is no puzzle.
    Invalid,
}

/// A puzzle, for replaying.
#[derive(Clone, Debug)]
pub(crate) enum Puzzle {
    Board { start: Board, goal: GoalName },
    Tray,
    Nothing,
}

/// A record, whole by itself: directives that it needs are part of its text.
#[derive(Clone, Debug)]
pub(crate) struct Record {
    pub(crate) text: String,
    pub(crate) id: Option<String>,
    pub(crate) puzzle: Puzzle,
    pub(crate) answer: Answer,
    /// Arrangements that can be reached, where that is known.
    pub(crate) states: Option<u64>,
}

/// What counts as a move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Metric {
    /// Single tiles; pieces of trays.
    Default,
    /// Runs of tiles; pieces of trays.
    Line,
    /// Single tiles; this metric of trays.
    Trays(TrayMetric),
}

impl Metric {
    /// Returns the arguments that choose it.
    pub(crate) fn arguments(self) -> Vec<String> {
        let word = match self {
            Self::Default => return Vec::new(),
            Self::Line => "line",
            Self::Trays(TrayMetric::Step) => "step",
            Self::Trays(TrayMetric::Slide) => "slide",
            Self::Trays(TrayMetric::Piece) => "piece",
        };
        vec!["--metric".into(), word.into()]
    }

    pub(crate) fn is_line(self) -> bool {
        self == Self::Line
    }

    fn of_trays(self) -> TrayMetric {
        match self {
            Self::Trays(metric) => metric,
            _ => TrayMetric::Piece,
        }
    }
}

/// Which records a file may have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Mix {
    pub(crate) metric: Metric,
    /// Boards of more than nine cells.
    pub(crate) large: bool,
    pub(crate) trays: bool,
    pub(crate) malformed: bool,
    pub(crate) odd_ids: bool,
    pub(crate) goals: bool,
}

impl Mix {
    /// Small boards with the default goal only.
    pub(crate) const SMALL: Self = Self {
        metric: Metric::Default,
        large: false,
        trays: false,
        malformed: false,
        odd_ids: false,
        goals: false,
    };
}

/// Names that look like something else.
const ODD_IDS: [&str; 10] = [
    "x: solved, 3 moves, optimal",
    "puzzle 7: unsolvable, parity",
    "\"quoted\",comma",
    "-",
    "0",
    "ünï 谜",
    "{\"type\":\"summary\"}",
    "=1+1",
    "summary",
    "gave_up",
];

/// Returns about `count` records.
pub(crate) fn records(truth: &mut Truth, random: &mut Random, count: usize, mix: Mix) -> Vec<Record> {
    let mut records = Vec::new();
    while records.len() < count {
        let some = random.between(1, 20).min(count - records.len());
        match random.below(12) {
            0..=4 => add_boards(truth, random, some, mix, &mut records),
            5 | 6 if mix.large => add_scrambled(random, some, mix, &mut records),
            7 if mix.large => add_large(random, some.div_ceil(8), mix, &mut records),
            8 | 9 if mix.trays => add_trays(random, some.div_ceil(4), mix, &mut records),
            10 if mix.malformed => records.push(Record {
                // Blank lines keep it from becoming part of its neighbours.
                text: format!("\n{}\n\n", random.pick(&MALFORMED)),
                id: None,
                puzzle: Puzzle::Nothing,
                answer: Answer::Invalid,
                states: None,
            }),
            _ => add_boards(truth, random, some, mix, &mut records),
        }
    }
    records
}

/// Adds boards of at most nine cells, whose distances are known.
fn add_boards(truth: &mut Truth, random: &mut Random, count: usize, mix: Mix, records: &mut Vec<Record>) {
    let (rows, cols) = random.pick(&[(3, 3), (3, 3), (3, 3), (2, 3), (3, 2), (2, 4), (4, 2), (2, 2)]);
    for _ in 0..count {
        let goal = goal(random, mix);
        let mut start = Board::random(random, rows, cols);
        if !start.is_solvable(&goal.board(rows, cols)) && !random.one_in(4) {
            start.exchange_tiles();
        }
        let distance = truth.distance(&start, goal, mix.metric.is_line());
        let states = (1..=(rows * cols) as u64).product::<u64>() / 2;
        let answer = distance.map_or(Answer::Unsolvable, Answer::Length);
        records.push(board_record(random, start, goal, answer, Some(states), mix));
    }
}

/// Adds boards a few moves from their goal.
fn add_scrambled(random: &mut Random, count: usize, mix: Mix, records: &mut Vec<Record>) {
    let (rows, cols) = random.pick(&[(4, 4), (4, 4), (3, 4), (4, 3), (2, 5), (5, 2), (3, 5)]);
    let moves = random.below(23);
    for _ in 0..count {
        let goal = goal(random, mix);
        let end = goal.board(rows, cols);
        let mut start = end.clone().walk(random, moves);
        let mut answer = match exact::shortest(&start, &end, moves as u32) {
            Some(length) if !mix.metric.is_line() => Answer::Length(length),
            _ => Answer::AtMost(moves as u32),
        };
        if random.one_in(5) {
            start.exchange_tiles();
            answer = Answer::Unsolvable;
        }
        records.push(board_record(random, start, goal, answer, None, mix));
    }
}

/// Adds boards too large for shortest solutions.
fn add_large(random: &mut Random, count: usize, mix: Mix, records: &mut Vec<Record>) {
    let (rows, cols) = (random.between(5, 10), random.between(5, 10));
    for _ in 0..count {
        let goal = goal(random, mix);
        let start = Board::random(random, rows, cols);
        let solvable = start.is_solvable(&goal.board(rows, cols));
        let answer = if solvable { Answer::Solvable } else { Answer::Unsolvable };
        records.push(board_record(random, start, goal, answer, None, mix));
    }
}

fn add_trays(random: &mut Random, count: usize, mix: Mix, records: &mut Vec<Record>) {
    for tray in tray::random(random, count as u64) {
        let known = tray::answer(&tray, mix.metric.of_trays(), 1500);
        let (answer, states) = match known {
            TrayAnswer::Length(length) => (Answer::Length(length), None),
            TrayAnswer::Unsolvable(states) => (Answer::Unsolvable, Some(states as u64)),
            TrayAnswer::Unknown => (Answer::Decided, None),
        };
        let id = id(random, mix);
        let named = id.as_ref().map_or(String::new(), |id| format!("@id {id}\n"));
        let text = format!("\n{named}{tray}\n\n");
        records.push(Record { text, id, puzzle: Puzzle::Tray, answer, states });
    }
}

fn goal(random: &mut Random, mix: Mix) -> GoalName {
    if mix.goals && random.one_in(4) { random.pick(&GoalName::ALL) } else { GoalName::BlankLast }
}

fn id(random: &mut Random, mix: Mix) -> Option<String> {
    match random.below(8) {
        0 => Some(format!("name {}", random.below(1000))),
        1 if mix.odd_ids => Some(random.pick(&ODD_IDS).to_owned()),
        _ => None,
    }
}

/// Writes a board in one of its forms.
fn board_record(
    random: &mut Random,
    start: Board,
    goal: GoalName,
    answer: Answer,
    states: Option<u64>,
    mix: Mix,
) -> Record {
    let suits: Vec<Form> = Form::ALL.into_iter().filter(|form| form.suits(&start)).collect();
    // Paragraphs are rarer than lines.
    let form =
        if random.one_in(10) { random.pick(&suits) } else { random.pick(&[Form::Line, Form::Slashes]) };
    let id = id(random, mix);
    let mut text = form.write(&start, &goal.board(start.rows, start.cols), random);
    if let Some(id) = &id {
        let plain = id.starts_with("name") && form.is_line();
        text = if plain { format!("{id}: {text}") } else { format!("@id {id}\n{text}") };
    }
    if goal != GoalName::BlankLast && form != Form::Positions {
        text = format!("@goal {}\n{text}@goal blank-last\n", goal.word());
    }
    Record { text, id, puzzle: Puzzle::Board { start, goal }, answer, states }
}

/// Returns the text of a file.
pub(crate) fn text(records: &[Record]) -> String {
    records.iter().map(|record| record.text.as_str()).collect()
}

/// Returns the exit status of a run that decides all of `records`.
pub(crate) fn status(records: &[Record]) -> i32 {
    if records.iter().any(|record| record.answer == Answer::Invalid) { 2 } else { 0 }
}
