//! The files in `fixtures/` are what their README says.

use batch_solve::input::{Block, Defaults, Invalid, Reader};
use batch_solve::model::report::Instance;
use batch_solve::puzzle::tiles::is_solvable;

/// Id or number, known length, and what was read.
type Record = (String, Option<u32>, Result<Instance, Invalid>);

fn read(name: &str) -> Vec<Record> {
    let path = format!("{}/fixtures/{name}", env!("CARGO_MANIFEST_DIR"));
    let mut reader = Reader::open(&path, Defaults::default()).unwrap();
    let (mut block, mut records) = (Block::default(), Vec::new());
    while reader.next_block(&mut block, 7).unwrap() {
        for index in 0..block.len() {
            let header = block.header(index);
            let id = header.id.map_or(header.n.to_string(), str::to_owned);
            records.push((id, header.length, block.parse(index)));
        }
    }
    reader.finish().unwrap();
    records
}

fn solvable((id, _, instance): &Record) -> bool {
    let instance = instance.as_ref().unwrap_or_else(|error| panic!("{id}: {error}"));
    let Instance::Tiles { board, goal, .. } = instance else { panic!("{id} is a tray") };
    is_solvable(board, &goal.board(board.size()).unwrap())
}

#[test]
fn korf_has_100_solvable_boards_and_their_lengths() {
    let records = read("korf100.txt");
    assert_eq!(records.len(), 100);
    for (n, record) in (1..).zip(&records) {
        assert!(record.0 == n.to_string() && solvable(record));
    }
    assert_eq!(records.iter().map(|record| record.1.unwrap()).sum::<u32>(), 5305);
}

#[test]
fn korf24_has_50_solvable_boards_and_their_lengths() {
    let records = read("korf24.txt");
    assert_eq!(records.len(), 50);
    assert!((1..).zip(&records).all(|(n, record)| record.0 == n.to_string() && solvable(record)));
    assert_eq!(records.iter().map(|record| record.1.unwrap()).sum::<u32>(), 5039);
}

#[test]
fn every_form_is_shown_by_solvable_boards() {
    for (file, count) in [
        ("line", 5),
        ("id", 5),
        ("rectangle", 5),
        ("slashes", 3),
        ("compact", 3),
        ("hexadecimal", 2),
        ("rows", 5),
        ("lists", 8),
        ("grid", 3),
        ("grid-spread", 1),
        ("positions", 2),
        ("goals", 4),
        ("crlf", 3),
    ] {
        let records = read(&format!("forms/{file}.txt"));
        assert_eq!(records.len(), count, "{file}: {records:?}");
        for record in &records {
            assert!(solvable(record), "{file}: {record:?}");
        }
    }
}

#[test]
fn unsolvable_boards_are() {
    let records = read("unsolvable.txt");
    assert_eq!(records.len(), 7);
    assert!(records.iter().all(|record| !solvable(record)), "{records:?}");
}

#[test]
fn malformed_records_are_each_invalid_once() {
    let records = read("malformed.txt");
    for record in &records {
        assert!(record.2.is_err(), "{record:?}");
    }
    assert_eq!(records.len(), 41);
}
