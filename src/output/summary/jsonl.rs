//! The summary as the last record of JSON Lines.

use super::super::fields::VERSION;
use super::super::fragments;
use super::super::jsonl::string;
use super::{Run, Summary};
use crate::model::report::GiveUp;
use std::io::Write;

impl Summary {
    /// Appends the summary as one line.
    pub fn jsonl(&self, out: &mut Vec<u8>, run: &Run) {
        out.extend_from_slice(b"{\"type\":\"summary\"");
        member(out, "v", VERSION);
        self.counts_member(out);
        member(out, "time_s", rounded(run.elapsed.as_secs_f64(), 1e6));
        member(out, "setup_s", rounded(run.setup.as_secs_f64(), 1e6));
        member(out, "puzzles_per_s", rounded(run.rate(self.puzzles - self.previous), 10.0));
        member(out, "nodes_per_s", rounded(run.rate(self.generated - self.generated_before), 10.0));
        member(out, "threads", run.threads);
        member(out, "peak_memory_bytes", run.peak_memory);
        member(out, "memory_cap_bytes", run.memory_cap);
        for percent in [50, 90, 99] {
            let micros = self.percentile(percent.into()).as_secs_f64() * 1e6;
            append(out, format_args!(",\"time_us_p{percent}\":{}", rounded(micros, 10.0)));
        }
        self.slowest_member(out);
        out.extend_from_slice(b"}\n");
    }

    /// Appends the counts as a nested object, so that no count shares its name with a field of
    /// results.
    fn counts_member(&self, out: &mut Vec<u8>) {
        append(out, format_args!(",\"counts\":{{\"puzzles\":{}", self.puzzles));
        member(out, "solved", self.solved);
        member(out, "optimal", self.optimal);
        member(out, "unsolvable", self.unsolvable);
        member(out, "gave_up", self.gave_up());
        member(out, "invalid", self.invalid);
        match self.not_begun {
            Some(records) => member(out, "not_begun", records),
            None => member(out, "not_begun", "null"),
        }
        for reason in GiveUp::ALL {
            append(out, format_args!(",\"gave_up_{}\":{}", reason.word(), self.gave_up_for(reason)));
        }
        member(out, "expanded", self.expanded);
        member(out, "generated", self.generated);
        member(out, "fallbacks_to_ida", self.fallbacks_to_ida);
        if self.previous > 0 {
            member(out, "kept", self.previous);
        }
        out.push(b'}');
    }

    /// Appends the slowest puzzles as an array of objects.
    fn slowest_member(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(b",\"slowest\":[");
        for (index, slow) in self.slowest.iter().enumerate() {
            out.extend_from_slice(if index > 0 { b",{\"file\":" } else { b"{\"file\":" });
            string(out, &slow.file);
            member(out, "n", slow.n);
            out.extend_from_slice(b",\"id\":");
            match &slow.id {
                Some(id) => string(out, id),
                None => append(out, format_args!("\"{}\"", slow.n)),
            }
            out.extend_from_slice(b",\"time_us\":");
            fragments::number(out, slow.time.as_micros() as u64);
            out.push(b'}');
        }
        out.push(b']');
    }
}

/// Appends a member whose value is a number.
fn member(out: &mut Vec<u8>, name: &str, value: impl std::fmt::Display) {
    append(out, format_args!(",\"{name}\":{value}"));
}

fn append(out: &mut Vec<u8>, text: std::fmt::Arguments<'_>) {
    out.write_fmt(text).expect("a vector takes every byte");
}

/// Rounds a value to a multiple of 1/`parts`.
fn rounded(value: f64, parts: f64) -> f64 {
    (value * parts).round() / parts
}

#[cfg(test)]
mod tests {
    use super::super::tests::{RUN, hundred};

    #[test]
    fn the_fields_and_their_order() {
        let mut out = Vec::new();
        hundred().jsonl(&mut out, &RUN);
        let text = String::from_utf8(out).unwrap();
        assert!(
            text.starts_with(
                "{\"type\":\"summary\",\"v\":1,\"counts\":{\"puzzles\":100,\"solved\":95,\"optimal\":94,\
                 \"unsolvable\":1,\"gave_up\":2,\"invalid\":2,\"not_begun\":0,\"gave_up_memory\":0,\"gave_up_time\":0,\
                 \"gave_up_nodes\":2,"
            ),
            "{text}"
        );
        assert!(
            text.contains(
                "\"fallbacks_to_ida\":3},\"time_s\":0.31,\"setup_s\":0,\"puzzles_per_s\":322.6,\
                 \"nodes_per_s\":11372490.3,\"threads\":2,\"peak_memory_bytes\":74711040,\
                 \"memory_cap_bytes\":536870912,\"time_us_p50\":"
            ),
            "{text}"
        );
        let value: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(value["counts"]["gave_up_nodes"], 2);
        assert_eq!(value["slowest"].as_array().unwrap().len(), 5);
        assert_eq!(value["slowest"][0]["id"], "94");
        assert_eq!(value["slowest"][0]["time_us"], 94_000);
        assert!(text.ends_with("}\n") && text.matches('\n').count() == 1);
    }

    #[test]
    fn no_field_is_one_of_a_result() {
        let (mut summary, mut header) = (Vec::new(), Vec::new());
        hundred().jsonl(&mut summary, &RUN);
        crate::output::csv::header(&mut header);
        let value: serde_json::Value = serde_json::from_slice(&summary).unwrap();
        let header = String::from_utf8(header).unwrap();
        let columns: Vec<&str> = header.trim().split(',').collect();
        let shared: Vec<&String> =
            value.as_object().unwrap().keys().filter(|name| columns.contains(&name.as_str())).collect();
        assert_eq!(shared, ["type", "v"]);
    }
}
