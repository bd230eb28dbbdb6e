//! Reading puzzle files: records a second.
//!
//! *split* only cuts a file into records, which happens under the lock that all
//! workers share; *split and parse* reads the boards too, which workers do each
//! on their own.

mod support;

use batch_solve::generate::{Kind, Request, write_line};
use batch_solve::input::{Block, Defaults, Form, Reader};
use batch_solve::model::report::Instance;
use batch_solve::puzzle::tiles::{Board, Goal};
use criterion::{BenchmarkId, Throughput};
use std::{hint::black_box, io::Write};
use tempfile::NamedTempFile;

/// Records handed out at once.
const BLOCK: usize = 256;

fn main() {
    let mut criterion = support::criterion(2);
    let count = support::scale(200_000, 2_000);
    for (name, size, form) in [
        ("line 3x3", "3x3", Form::Line),
        ("line 4x4", "4x4", Form::Line),
        ("line 9x9", "9x9", Form::Line),
        ("slashes 4x4", "4x4", Form::Slashes),
        ("compact 3x3", "3x3", Form::Compact),
        ("grid 4x4", "4x4", Form::Grid),
    ] {
        let size = size.parse().expect("a size");
        let request =
            Request { size, count: count as u64, seed: 1, kind: Kind::Random, goal: Goal::BlankLast };
        let boards: Vec<Board> = request.boards().expect("the goal has a name").collect();
        let file = file(&boards, form);
        let path = file.path().to_str().expect("a plain name");
        assert!(read(path).into_iter().eq(boards), "{name}: what was written is what is read");

        let mut group = criterion.benchmark_group("split");
        group.throughput(Throughput::Elements(count as u64));
        group.bench_function(BenchmarkId::from_parameter(name), |bencher| {
            bencher.iter(|| assert_eq!(each_block(path, |block| block.len()), count));
        });
        group.finish();
        let mut group = criterion.benchmark_group("split and parse");
        group.throughput(Throughput::Elements(count as u64));
        group.bench_function(BenchmarkId::from_parameter(name), |bencher| {
            bencher.iter(|| assert_eq!(each_block(path, parse), count));
        });
        group.finish();
    }
    criterion.final_summary();
}

/// A file of these boards.
fn file(boards: &[Board], form: Form) -> NamedTempFile {
    let mut text = Vec::new();
    for board in boards {
        let (cols, rows) = (board.size().cols(), board.tiles().chunks(board.size().cols()));
        match form {
            Form::Slashes => writeln!(text, "{board}").expect("memory takes all"),
            Form::Compact => {
                let digits: String = board.tiles().iter().map(u16::to_string).collect();
                writeln!(text, "{}", digits.replace('0', "b")).expect("memory takes all");
            }
            Form::Grid => {
                writeln!(text, "{cols}").expect("memory takes all");
                for row in rows {
                    let row: Vec<String> = row.iter().map(u16::to_string).collect();
                    writeln!(text, "{}", row.join(" ")).expect("memory takes all");
                }
                text.push(b'\n');
            }
            _ => write_line(&mut text, board).expect("memory takes all"),
        }
    }
    let mut file = NamedTempFile::new().expect("a temporary file");
    file.write_all(&text).expect("room for it");
    file
}

/// Goes through a file block by block; the sum of what `take` says.
fn each_block(path: &str, mut take: impl FnMut(&Block) -> usize) -> usize {
    let mut reader = Reader::open(path, Defaults::default()).expect("the file is there");
    let (mut block, mut sum) = (Block::default(), 0);
    while reader.next_block(&mut block, BLOCK).expect("the file can be read") {
        sum += take(&block);
    }
    sum
}

/// Reads every record of a block; how many are valid.
fn parse(block: &Block) -> usize {
    (0..block.len()).filter(|&index| black_box(block.parse(index)).is_ok()).count()
}

/// All boards of a file.
fn read(path: &str) -> Vec<Board> {
    let mut boards = Vec::new();
    each_block(path, |block| {
        boards.extend((0..block.len()).map(|index| {
            let Instance::Tiles { board, .. } = block.parse(index).expect("valid") else { panic!("a tray") };
            board
        }));
        0
    });
    boards
}
