//! The input that takes much: long, many, large, wrong, in another order.

use super::Sweep;
use flate2::{Compression, write::GzEncoder};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::process::Stdio;

/// What is made, and where.
pub(super) struct Inputs<'s> {
    pub(super) sweep: &'s Sweep,
    /// The bytes of what is one line.
    pub(super) line: usize,
}

impl Inputs<'_> {
    /// Makes all files. Nothing is held as a whole: a child's peak begins with what
    /// its parent has.
    pub(super) fn make(&self) {
        self.file("one.txt", |out| out.write_all(b"1 2 3 0\n"));
        self.file("long.txt", |out| {
            out.write_all(b"1 2 3 0\n")?;
            repeat(out, b"1 ", self.line)?;
            out.write_all(b"\n1 2 3 0\n")
        });
        self.file("long.results", |out| {
            out.write_all(b"1\tsolved\t2\t")?;
            repeat(out, b"UD", self.line)?;
            out.write_all(b"\n")
        });
        self.file("moves.results", |out| {
            out.write_all(b"{\"type\":\"result\",\"v\":1,\"file\":\"one.txt\",\"n\":1,\"status\":\"solved\",\"length\":1,\"moves\":[")?;
            repeat(out, b"[0,0,0,1],", self.line.min(2 << 20))?;
            out.write_all(b"[0,0,0,1]]}\n")
        });
        const MILLION: usize = 1_000_000;
        let million = |out: &mut dyn Write| repeat(out, b"1 2 3 4 5 0\n", 12 * MILLION);
        self.file("million.txt", |out| {
            out.write_all(b"@size 2x3\n")?;
            million(out)
        });
        self.file("million.txt.gz", |out| {
            let mut out = GzEncoder::new(out, Compression::fast());
            out.write_all(b"@size 2x3\n")?;
            million(&mut out)?;
            out.finish().map(drop)
        });
        let result = |out: &mut dyn Write, n: usize| {
            writeln!(
                out,
                "{{\"type\":\"result\",\"v\":1,\"file\":\"million.txt\",\"n\":{n},\"status\":\"solved\",\"length\":0,\"moves\":\"\"}}"
            )
        };
        self.file("million.results", |out| (1..=MILLION).try_for_each(|n| result(out, n)));
        self.file("backwards.results", |out| (1..=MILLION).rev().try_for_each(|n| result(out, n)));
        self.file("invalid.txt", |out| repeat(out, b"1 2 2 0\n", 8 * 100_000));
        self.file("goals.txt", |out| {
            for n in 0..20_000usize {
                let mut tiles: Vec<usize> = (0..16).collect();
                (0..15).for_each(|at| tiles.swap(at, at + n * 7919 % (16 - at)));
                let text: Vec<String> = tiles.iter().map(usize::to_string).collect();
                writeln!(out, "@goal {}", text.join(" "))?;
                let blank = tiles.iter().position(|&tile| tile == 0).unwrap_or(0);
                tiles.swap(blank, blank ^ 1);
                let text: Vec<String> = tiles.iter().map(usize::to_string).collect();
                writeln!(out, "{}", text.join(" "))?;
            }
            Ok(())
        });
        let blocks = |out: &mut dyn Write| {
            let cells = (0..256).flat_map(|row| (0..256).map(move |col| (row, col)));
            cells.take((1 << 16) - 1).try_for_each(|(row, col)| writeln!(out, "{row} {col} {row} {col}"))
        };
        self.file("trays.txt", |out| {
            out.write_all(b"tray 256 256\n0 0 0 0\n9 9 40 77\ngoal\n255 255 255 255\n\ntray 256 256\n")?;
            blocks(out)?;
            out.write_all(b"goal\n255 255 255 255\n")
        });
        self.file("large.init", |out| {
            out.write_all(b"256 256\n")?;
            blocks(out)
        });
        self.file("large.goal", |out| out.write_all(b"255 255 255 255\n"));
        self.file("script.txt", |out| {
            repeat(out, b"randomizeState 60\nsolve A-star h2\nsolve beam 500\n", 20_000)
        });
        self.written(&["generate", "--size", "60x60", "--count", "4", "--seed", "1"], "large.txt");
        self.written(&["generate", "--size", "4x4", "--count", "60", "--seed", "1"], "fifteen.txt");
        self.written(&["large.txt", "--quiet"], "large.results");
        self.written(&["generate", "--size", "26x26", "--count", "1", "--seed", "1"], "middle.txt");
        self.written(&["middle.txt", "--quiet"], "middle.results");
        self.written(&["middle.txt", "--quiet", "--format", "states"], "middle.states");
    }

    fn file(&self, name: &str, write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>) {
        let mut out = BufWriter::new(File::create(self.sweep.folder.join(name)).expect("a file can be made"));
        write(&mut out).and_then(|()| out.flush()).expect("there is room for input");
    }

    /// What the program writes.
    fn written(&self, words: &[&str], name: &str) {
        let file = File::create(self.sweep.folder.join(name)).expect("a file can be made");
        let status = self.sweep.command(words).stdout(Stdio::from(file)).status();
        assert!(status.is_ok_and(|status| status.success()), "{words:?}");
    }
}

/// Writes a pattern up to so many bytes.
fn repeat(out: &mut (impl Write + ?Sized), pattern: &[u8], bytes: usize) -> std::io::Result<()> {
    (0..bytes / pattern.len()).try_for_each(|_| out.write_all(pattern))
}
