//! Compares results with the first records of some files, in order, as a run writes them.

use super::outcome::{Claim, Outcome};
use super::puzzles::{Puzzle, Puzzles};
use super::results::{self, ResultItem};
use super::verdict::judge;
use super::{CheckError, CheckOptions};
use crate::input::Reader;
use crate::model::report::Instance;
use crate::puzzle::tiles::Metric;
use std::io::BufRead;
use std::sync::Arc;

/// Returns the number of results if each is correct and in its place, or the error of the first
/// that is not. Only records whose number satisfies `takes` count. A file that cannot be read
/// further is treated as ended.
pub fn in_order(
    readers: impl Iterator<Item = Reader>,
    results: impl BufRead,
    options: &CheckOptions,
    includes: impl Fn(u64) -> bool,
) -> Result<Result<u64, String>, CheckError> {
    let Some(results) = results::open(results, options)? else { return Err(CheckError::Format) };
    let mut records = Records { readers, file: None, includes };
    let mut correct = 0;
    for found in results {
        let outcome = match found? {
            ResultItem::Outcome(outcome) => outcome,
            ResultItem::Summary { .. } => continue,
            ResultItem::Malformed { line, what } => return Ok(Err(format!("line {line}: {what}"))),
        };
        let answers = match records.next() {
            Some((file, puzzle)) => compare(&file, &puzzle, &outcome),
            None => Err("no record is left that it could answer".into()),
        };
        if let Err(what) = answers {
            return Ok(Err(format!("line {}: {what}", outcome.line)));
        }
        correct += 1;
    }
    Ok(Ok(correct))
}

/// Records of files that are opened one after the other.
struct Records<I, T> {
    readers: I,
    file: Option<(Arc<str>, Puzzles)>,
    includes: T,
}

impl<I: Iterator<Item = Reader>, T: Fn(u64) -> bool> Records<I, T> {
    fn next(&mut self) -> Option<(Arc<str>, Puzzle)> {
        loop {
            let Some((name, puzzles)) = &mut self.file else {
                let reader = self.readers.next()?;
                self.file = Some((reader.file().clone(), Puzzles::new(vec![reader.into()])));
                continue;
            };
            match puzzles.next() {
                Ok(Some(puzzle)) if (self.includes)(puzzle.n) => return Some((name.clone(), puzzle)),
                Ok(Some(_)) => {}
                // The run continues with the next file.
                Ok(None) | Err(_) => self.file = None,
            }
        }
    }
}

/// Returns an error unless a result belongs to `puzzle` and is correct.
fn compare(file: &str, puzzle: &Puzzle, outcome: &Outcome) -> Result<(), String> {
    if let Some((claimed, n)) = &outcome.place
        && (claimed != file || *n != puzzle.n)
    {
        return Err(format!(
            "it is of record {n} of {claimed}, where record {} of {file} should be",
            puzzle.n
        ));
    }
    if let Some(claimed) = outcome.id.as_deref().filter(|_| !outcome.is_named(&puzzle.id)) {
        return Err(format!("it is of '{claimed}', where '{}' of {file} should be", puzzle.id));
    }
    let wrong = |what| format!("{file}, record {}: {what}", puzzle.n);
    judge(puzzle, outcome).map_err(wrong)?;
    let (Claim::Solved(solved), Ok(instance)) = (&outcome.claim, &puzzle.instance) else { return Ok(()) };
    let same = match instance {
        Instance::Tiles { metric, .. } => {
            solved.counts_runs.is_none_or(|runs| runs == (*metric == Metric::Line))
        }
        Instance::Tray { metric, .. } => solved.metric.is_none_or(|claimed| claimed == *metric),
    };
    if same { Ok(()) } else { Err(wrong("its length is counted in another metric".into())) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::Defaults;
    use crate::output::Format;
    use std::io::Cursor;

    fn compared(puzzles: &'static str, results: &str, format: Format) -> Result<u64, String> {
        let reader = || Reader::from_stream("p.txt", Cursor::new(puzzles), Defaults::default());
        let options = CheckOptions { format: Some(format), ..CheckOptions::default() };
        in_order([reader(), reader()].into_iter(), results.as_bytes(), &options, |n| n != 2).unwrap()
    }

    #[test]
    fn each_result_answers_its_record() {
        let puzzles = "1 2 3 4 5 6 7 0 8\n1 2 3 0\na: 1 2 3 4 5 6 0 7 8\n";
        let text = "1\tsolved\t1\tR\na\tsolved\t2\tRR\n1\tsolved\t1\tR\n";
        assert_eq!(compared(puzzles, text, Format::Text), Ok(3));
        assert_eq!(compared(puzzles, "", Format::Text), Ok(0));
        let wrong = |text: String, what: &str| {
            let found = compared(puzzles, &text, Format::Text).unwrap_err();
            assert!(found.contains(what), "{found}");
        };
        wrong(text.replacen("a\t", "b\t", 1), "line 2: it is of 'b', where 'a' of p.txt should be");
        wrong(
            text.replacen("2\tRR", "2\tRL", 1),
            "line 2: p.txt, record 3: the moves do not end at the goal",
        );
        wrong(format!("{text}a\tsolved\t2\tRR\n1\tsolved\t1\tR\n"), "line 5: no record is left");
        let json = r#"{"type":"result","file":"p.txt","n":2,"status":"solved","length":1,"moves":"R"}"#;
        let found = compared(puzzles, json, Format::Jsonl).unwrap_err();
        assert!(found.contains("it is of record 2 of p.txt, where record 1"), "{found}");
        let json = r#"{"type":"result","file":"p.txt","n":1,"metric":"line","status":"solved","length":1,"moves":"R"}"#;
        assert!(compared(puzzles, json, Format::Jsonl).unwrap_err().contains("in another metric"));
    }
}
