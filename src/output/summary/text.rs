//! Summary as text, for stderr.

use super::{Run, Summary};
use crate::model::report::GiveUp;
use crate::quantity::{Bytes, Count, Span};
use std::fmt::{self, Write};
use std::time::Duration;

/// Minimum number of puzzles for percentiles and the list of slowest puzzles.
const MANY: u64 = 20;

/// Minimum set-up time that is shown, if it is also a hundredth of the time.
const SETUP: Duration = Duration::from_millis(10);

impl Summary {
    /// Returns a few aligned lines: counts, time, memory, and for large batches the latency.
    pub fn text(&self, run: &Run) -> String {
        let mut text = String::new();
        self.lines(&mut text, run).expect("a string takes every character");
        text
    }

    fn lines(&self, out: &mut String, run: &Run) -> fmt::Result {
        self.counts(out)?;
        match self.not_begun {
            Some(0) => {}
            Some(records) => writeln!(out, "  deadline {} not begun", plural(records, "record"))?,
            None => writeln!(out, "  deadline the rest of the input not begun")?,
        }
        if self.previous > 0 {
            writeln!(out, "  kept     {} of the earlier run", plural(self.previous, "result"))?;
        }
        let now = self.puzzles - self.previous;
        write!(out, "  time     {}", Span(run.elapsed))?;
        match run.setup >= SETUP && run.setup >= run.elapsed / 100 {
            true => {
                let (setup, solving) = (Span(run.setup), Span(run.solving()));
                write!(out, ": {setup} set-up, {solving} solving\n  speed    ")?;
            }
            false => out.push_str(", "),
        }
        write!(out, "{} puzzles/s", Count(run.rate(now)))?;
        write!(
            out,
            ", {} nodes/s, {}",
            Count(run.rate(self.generated - self.generated_before)),
            plural(run.threads as u64, "thread")
        )?;
        write!(out, "\n  memory   {} peak", Bytes(run.peak_memory))?;
        write!(out, " of {}", Bytes(run.memory_cap))?;
        match self.fallbacks_to_ida {
            0 => out.push('\n'),
            n => writeln!(out, ", {} to IDA*", plural(n, "fallback"))?,
        }
        if self.puzzles - self.invalid >= MANY && !self.times.is_empty() {
            let [p50, p90, p99] = [50.0, 90.0, 99.0].map(|percent| Span(self.percentile(percent)));
            writeln!(out, "  latency  p50 {p50}, p90 {p90}, p99 {p99}")?;
            self.slowest_lines(out)?;
        }
        Ok(())
    }

    /// Appends `100 puzzles: 95 solved (94 optimal), 1 unsolvable, …`, without zeros.
    fn counts(&self, out: &mut String) -> fmt::Result {
        write!(out, "{}: {} solved", plural(self.puzzles, "puzzle"), self.solved)?;
        if self.solved > 0 {
            write!(
                out,
                " ({} optimal)",
                match self.unproved {
                    0 if self.optimal == self.solved => "all".into(),
                    0 => self.optimal.to_string(),
                    // Text results of an earlier run have no statement on optimality.
                    _ => format!("at least {}", self.optimal),
                }
            )?;
        }
        if self.unsolvable > 0 {
            write!(out, ", {} unsolvable", self.unsolvable)?;
        }
        if self.gave_up() > 0 {
            write!(out, ", {} gave up", self.gave_up())?;
            let reasons = GiveUp::ALL.into_iter().filter(|&reason| self.gave_up_for(reason) > 0);
            for (index, reason) in reasons.enumerate() {
                let gap = if index == 0 { " (" } else { ", " };
                write!(out, "{gap}{}: {}", reason.word(), self.gave_up_for(reason))?;
            }
            out.push(')');
        }
        if self.invalid > 0 {
            write!(out, ", {} invalid", self.invalid)?;
        }
        out.push('\n');
        Ok(())
    }

    /// Appends the slowest puzzles, one line each.
    fn slowest_lines(&self, out: &mut String) -> fmt::Result {
        let names: Vec<String> =
            self.slowest.iter().map(|slow| format!("{}:{}", slow.file, slow.n)).collect();
        let width = names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
        for (index, (slow, name)) in self.slowest.iter().zip(&names).enumerate() {
            let title = if index == 0 { "slowest" } else { "" };
            write!(out, "  {title:<7}  {name:<width$}  {}", Span(slow.time))?;
            match &slow.id {
                Some(id) => writeln!(out, "  ({})", id.escape_debug())?,
                None => out.push('\n'),
            }
        }
        Ok(())
    }
}

/// Returns a count with its noun.
fn plural(count: u64, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::super::tests::{RUN, hundred};
    use super::*;
    use crate::model::report::samples;

    #[test]
    fn a_big_batch() {
        assert_eq!(
            hundred().text(&RUN),
            "100 puzzles: 95 solved (94 optimal), 1 unsolvable, 2 gave up (nodes: 2), 2 invalid\n  \
             time     310 ms, 323 puzzles/s, 11.4 M nodes/s, 2 threads\n  \
             memory   71.2 MiB peak of 512 MiB, 3 fallbacks to IDA*\n  \
             latency  p50 45.1 ms, p90 85.5 ms, p99 94 ms\n  \
             slowest  hard.txt:94  94 ms\n           hard.txt:93  93 ms\n           hard.txt:92  92 ms\n           \
             hard.txt:91  91 ms\n           hard.txt:90  90 ms\n"
        );
    }

    #[test]
    fn set_up_is_separated_from_solving() {
        let run = Run { elapsed: Duration::from_secs(10), setup: Duration::from_secs(8), ..RUN };
        let text = hundred().text(&run);
        assert!(
            text.contains("  time     10 s: 8 s set-up, 2 s solving\n  speed    50 puzzles/s, "),
            "{text}"
        );
    }

    #[test]
    fn a_single_puzzle() {
        let mut summary = Summary::new();
        summary.add(&samples::solved());
        assert_eq!(
            summary.text(&Run { threads: 1, ..RUN }),
            "1 puzzle: 1 solved (all optimal)\n  time     310 ms, 3.23 puzzles/s, 120 k nodes/s, 1 thread\n  \
             memory   71.2 MiB peak of 512 MiB\n"
        );
        assert!(Summary::new().text(&RUN).starts_with("0 puzzles: 0 solved\n"));
    }
}
