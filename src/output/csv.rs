//! Comma-separated values: the fields of JSON Lines as columns.

use super::Notation;
use super::fields::{self, Fields, Key, Value};
use crate::model::report::{Effort, Report, Verdict};

/// Appends the line that names the columns.
pub(super) fn header(out: &mut Vec<u8>) {
    // Every report has every column, so an empty report yields all names.
    let verdict = Verdict::Unsolvable { hint: None };
    let effort = Effort::default();
    let empty = Report { file: "".into(), n: 0, id: None, line: 0, instance: None, verdict, effort };
    fields::visit(&empty, Notation::Blank, &mut Header { out });
    end_line(out);
}

/// Appends a report as one row.
pub(super) fn write(out: &mut Vec<u8>, report: &Report, notation: Notation) {
    out.reserve(fields::room(report));
    fields::visit(report, notation, &mut Row { out });
    end_line(out);
}

/// Replaces the comma after the last field by the end of the line.
fn end_line(out: &mut [u8]) {
    if let Some(last) = out.last_mut() {
        *last = b'\n';
    }
}

/// Writes the names of the fields.
struct Header<'a> {
    out: &'a mut Vec<u8>,
}

impl Fields for Header<'_> {
    fn put(&mut self, key: Key, _: Value<'_>) {
        self.out.extend_from_slice(key.name.as_bytes());
        self.out.push(b',');
    }
}

/// Writes the values of the fields.
struct Row<'a> {
    out: &'a mut Vec<u8>,
}

impl Fields for Row<'_> {
    #[inline(always)]
    fn put(&mut self, _: Key, value: Value<'_>) {
        match value {
            Value::Text(text) => quoted(self.out, text),
            _ => value.append(self.out),
        }
        self.out.push(b',');
    }
}

/// Appends a text, quoted if necessary.
fn quoted(out: &mut Vec<u8>, text: &str) {
    let special = |byte: u8| matches!(byte, b',' | b'"' | b'\n' | b'\r');
    if !text.bytes().any(special) {
        return out.extend_from_slice(text.as_bytes());
    }
    out.push(b'"');
    for byte in text.bytes() {
        if byte == b'"' {
            out.push(b'"');
        }
        out.push(byte);
    }
    out.push(b'"');
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::report::samples;
    use proptest::prelude::*;

    fn row(report: &Report) -> String {
        let mut out = Vec::new();
        write(&mut out, report, Notation::Blank);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn the_header_names_the_fields_of_json() {
        let mut out = Vec::new();
        header(&mut out);
        assert_eq!(
            String::from_utf8(out).unwrap(),
            "type,v,file,n,id,line,kind,size,goal,metric,notation,status,reason,hint,length,optimal,bound,\
             moves,algorithm,heuristic,expanded,generated,visited,time_us\n"
        );
    }

    #[test]
    fn fields_that_do_not_apply_are_empty() {
        assert_eq!(
            row(&samples::solved()),
            "result,1,hard.txt,17,17,17,tiles,3x3,blank-last,tile,blank,solved,,,2,true,,DR,ida,manhattan,\
             18233,37110,18555,912\n"
        );
        assert_eq!(
            row(&samples::invalid()),
            "result,1,t.txt,9,9,90,,,,,,invalid,\"tile 7 appears twice (line 90, column 12)\",,,,,,,,,,,\n"
        );
        assert_eq!(
            row(&samples::gave_up()),
            "result,1,t.txt,3,k3,31,tiles,3x3,blank-first,tile,blank,gave_up,nodes,,,,20,,astar,manhattan,\
             5,11,5,3\n"
        );
    }

    proptest! {
        #[test]
        fn any_text_comes_back(file in any::<String>(), id in any::<String>(), reason in any::<String>()) {
            let mut report = samples::invalid();
            report.file = file.as_str().into();
            report.id = Some(id.as_str().into());
            report.verdict = Verdict::Invalid { reason: reason.as_str().into() };
            let mut out = Vec::new();
            header(&mut out);
            out.extend_from_slice(row(&report).as_bytes());
            let mut reader = ::csv::Reader::from_reader(out.as_slice());
            let names = reader.headers().unwrap().clone();
            let record = reader.records().next().unwrap().unwrap();
            let get = |name| record.get(names.iter().position(|n| n == name).unwrap()).unwrap();
            prop_assert_eq!(get("file"), file.as_str());
            prop_assert_eq!(get("id"), id.as_str());
            prop_assert_eq!(get("reason"), reason.as_str());
            prop_assert!(reader.records().next().is_none());
        }
    }
}
