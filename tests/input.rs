//! FullPayload files through [`Reader`]: what comes out, in which order, whatever the
//! block size and however the bytes arrive.

use batch_solve::input::{Block, Defaults, Form, InputError, Reader};
use batch_solve::model::report::Instance;
use batch_solve::puzzle::tiles::{Board, Goal, Size};
use proptest::prelude::*;
use std::io::{self, Read, Write};

/// One record as a line of text: number, line, id, known length, then the board
/// and its goal or what is wrong.
fn describe(block: &Block, index: usize) -> String {
    let header = block.header(index);
    let what = match block.parse(index) {
        Ok(Instance::Tiles { board, goal, .. }) => format!("{board} -> {}", goal.name()),
        Ok(Instance::Tray { tray, .. }) => format!("tray {}x{}", tray.rows(), tray.cols()),
        Err(invalid) => format!("! {invalid}"),
    };
    let id = header.id.map_or(String::new(), |id| format!(" [{id}]"));
    let length = header.length.map_or(String::new(), |length| format!(" |{length}|"));
    format!("{} @{}{id}{length} {what}", header.n, header.line)
}

fn describe_all(reader: &mut Reader, max_records: usize) -> Vec<String> {
    let (mut block, mut all) = (Block::default(), Vec::new());
    while reader.next_block(&mut block, max_records).unwrap() {
        assert!(!block.is_empty() && block.len() <= max_records.max(1));
        all.extend((0..block.len()).map(|index| describe(&block, index)));
    }
    assert!(!reader.next_block(&mut block, max_records).unwrap());
    all
}

/// A stream that gives a few bytes at a time.
struct Drip(io::Cursor<Vec<u8>>, usize);

impl Read for Drip {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let few = buffer.len().min(self.1);
        self.0.read(&mut buffer[..few])
    }
}

fn read_with(text: &[u8], defaults: Defaults) -> Vec<String> {
    let stream = io::Cursor::new(text.to_vec());
    describe_all(&mut Reader::from_stream("test", stream, defaults), 1000)
}

fn read(text: &str) -> Vec<String> {
    read_with(text.as_bytes(), Defaults::default())
}

#[test]
fn a_file_of_every_form() {
    let text = "\u{feff}# a comment\r\n1 2 3 4 5 6 7 0 8\r\n\
        17 1 2 3 4 5 6 7 8 9 10 11 12 13 14 0 15 | 1 # and another\n\
        @goal blank-first\n@size 2x3\n  a b: 1 2 0 3 4 5\n3x2: 1,2,0,3,4,5\n8 2 0/4 6 1/3 7 5\n142 3b5 678\n\
        @id grid\n@length 9\n3\n1 2 3\n4 5 6\n7 8 9\n\n\
        2 2\nstarting positions for each tile:\n3\n0\n1\n2\ngoal positions:\n0\n1\n2\n3\n@goal 0 3/2 1\n3 2 1 0";
    assert_eq!(
        read(text),
        [
            "1 @2 1 2 3/4 5 6/7 0 8 -> blank-last",
            "2 @3 [17] |1| 1 2 3 4/5 6 7 8/9 10 11 12/13 14 0 15 -> blank-last",
            "3 @6 [a b] 1 2 0/3 4 5 -> blank-first",
            "4 @7 1 2/0 3/4 5 -> blank-first",
            "5 @8 8 2 0/4 6 1/3 7 5 -> blank-first",
            "6 @9 1 4 2/3 0 5/6 7 8 -> blank-first",
            "7 @12 [grid] |9| 1 2 3/4 5 6/7 8 0 -> blank-first",
            "8 @17 1 2/3 0 -> blank-first",
            "9 @29 ! too few tiles: 2x3 needs 6, not 4 (line 29)",
        ]
    );
}

#[test]
fn a_grid_alone_in_its_file_may_have_blank_lines() {
    assert_eq!(read("3\n\n1 2 3\n\n4 5 6\n7 8 0\n\n"), ["1 @1 1 2 3/4 5 6/7 8 0 -> blank-last"]);
    let two = read("3\n1 2 3\n\n4 5 6\n7 8 0\n\n1 2 3 0\n");
    assert_eq!(two.len(), 3, "{two:?}");
    assert_eq!(two[0], "1 @1 ! too few tiles: 3x3 needs 9, not 3 (line 1)");
    assert_eq!(two[2], "3 @7 1 2/3 0 -> blank-last");
}

#[test]
fn rows_without_a_header_are_one_board() {
    assert_eq!(read("1 2 3 4\n5 6 7 8\n9 10 11 12\n13 14 15 0\n").len(), 1);
    assert_eq!(
        read(
            "1 2 3\n4 5 6\n7 0 8\n\n1 2 3 4\n5 6 7 8\n9 10 11 12\n13 14 0 15\n\n\n0 1\n2 3\n@id last\n1 2 3 0"
        ),
        [
            "1 @1 1 2 3/4 5 6/7 0 8 -> blank-last",
            "2 @5 1 2 3 4/5 6 7 8/9 10 11 12/13 14 0 15 -> blank-last",
            "3 @11 0 1/2 3 -> blank-last",
            "4 @14 [last] 1 2/3 0 -> blank-last",
        ]
    );
    // Nine by nine, nearly solved: its first row alone would be a solved 3x3 board.
    let rows: Vec<String> = (0..9)
        .map(|row| (1..=9).map(|col| ((row * 9 + col) % 81).to_string()).collect::<Vec<_>>().join(" "))
        .collect();
    let nine = read(&rows.join("\n"));
    assert_eq!(nine.len(), 1);
    assert!(nine[0].starts_with("1 @1 1 2 3 4 5 6 7 8 9/10 11"), "{nine:?}");
}

#[test]
fn lines_of_boards_stay_records() {
    let lines = ["1 2 3 4 5 6 7 8 0\n", "1 2 3 4 5 6 7 8 9\n", "8 7 6 5 4 3 2 1 0\n", "5 1 2 3 4 6 7 8 9\n"];
    assert_eq!(read(&lines.concat().repeat(250)).len(), 1000);
    assert_eq!(read(&"1 2 3 0\n1 2 3 4\n3 1 2 4\n0 1 2 3\n".repeat(9)).len(), 36);
    assert_eq!(
        read("1 2 3 0\n1 2 2 3\n1 2 3 14\n0 1 2 3\n").iter().filter(|line| line.contains('!')).count(),
        2
    );
}

#[test]
fn rows_in_doubt_are_one_mistake_that_names_the_option() {
    let doubt = "the lines look like the rows of one board; choose --input-format line or grid";
    assert_eq!(
        read("1 2 3 4\n5 6 7 8\n9 10 11 12\n13 14 15 15\n\n1 2 3 0\n"),
        [
            format!("1 @1 ! tile 15 appears twice: {doubt} (line 4, column 10)"),
            "2 @6 1 2/3 0 -> blank-last".to_owned(),
        ]
    );
    assert_eq!(read("1 2 3\n1 5 6\n7 8 0\n"), ["1 @1 ! tile 1 appears twice (line 2, column 1)"]);
    let line = Defaults { form: Some(Form::Line), ..Defaults::default() };
    assert_eq!(read_with(b"1 2 3 4\n5 6 7 8\n", line).len(), 2);
    let grid = Defaults { form: Some(Form::Grid), ..Defaults::default() };
    assert_eq!(read_with(b"1 2 3 4\n5 6 7 0\n", grid), ["1 @1 1 2 3 4/5 6 7 0 -> blank-last"]);
}

#[test]
fn lists_quotes_and_other_blanks() {
    let text = "// a file of lists\n[\n  [1, 2, 3, 4, 5, 6, 7, 0, 8],\n  [1, 2, 3, 4, 5, 6, 0, 7, 8]\n]\n\
        [[1,2,3],[4,5,6],[7,.,8]] // one line\n[[1 2 3]\n [4 5 6]\n [7 0 8]]\n\
        [1 2 3; 4 5 6; 7 - 8]\n\"id7\": \"1\",\"2\",\"3\",\"0\"\n9,\"1 2 3 0\"\n\
        123/456/7*8\n123456789ABCDEF0\n3x3\n1 2 3\n4 5 6\n7 _ 8\n";
    let near = "1 2 3/4 5 6/7 0 8 -> blank-last";
    assert_eq!(
        read(text),
        [
            format!("1 @3 {near}"),
            "2 @4 1 2 3/4 5 6/0 7 8 -> blank-last".to_owned(),
            format!("3 @6 {near}"),
            format!("4 @7 {near}"),
            format!("5 @10 {near}"),
            "6 @11 [\"id7\"] 1 2/3 0 -> blank-last".to_owned(),
            "7 @12 [9] 1 2/3 0 -> blank-last".to_owned(),
            format!("8 @13 {near}"),
            "9 @14 1 2 3 4/5 6 7 8/9 10 11 12/13 14 15 0 -> blank-last".to_owned(),
            format!("10 @15 {near}"),
        ]
    );
}

#[test]
fn mistakes_are_one_record_each() {
    let text = "1 2 3\n1 2 2 0\n@goal middle\n1 2 3 0\n@goal snail\n1 2 3 0\n@nonsense\n@size 1x1\n1 2 3 0\n\
        1 2/3 0\n@id a\n@id b\n@length 3\n1 2/3 0 | 4\n1\n\n\u{1}\u{2}\ntray 5 4\n0 0 1 1\ngoal\n0 0\n@id last\n";
    assert_eq!(
        read(text),
        [
            "1 @1 ! 3 numbers make no square board (4, 9, 16, 25, …): other shapes need @size or a prefix \
             such as 2x3: (line 1)",
            "2 @2 ! tile 2 appears twice (line 2, column 5)",
            "3 @3 ! a goal is blank-last, blank-first, snail or a board: 'middle' is not a number \
             (line 3, column 7)",
            "4 @4 ! its goal is unknown: see the @goal on line 3 (line 4)",
            "5 @6 1 2/3 0 -> snail",
            "6 @7 ! '@nonsense' is not a directive (line 7, column 1)",
            "7 @8 ! a board has 2 to 256 rows and columns, not 1x1 (line 8, column 7)",
            "8 @9 ! its size is unknown: see the @size on line 8 (line 9)",
            "9 @10 1 2/3 0 -> snail",
            "10 @12 ! a second @id before a record, after the one on line 11 (line 12)",
            "11 @14 [a] |3| ! two known lengths: 3 and 4 (line 14)",
            "12 @15 ! a board has 2 to 256 rows and columns, not 1x1 (line 15, column 1)",
            "13 @17 ! '\\u{1}\\u{2}' is not a number (line 17, column 1)",
            "14 @18 ! 2 words where four numbers, and perhaps a label, should be (line 21, column 1)",
            "15 @22 ! no record follows this @id (line 22)",
        ]
    );
}

#[test]
fn files_without_records_have_none() {
    for text in ["", "\n", "\r\n\r\n", "# only\n#comments", "\u{feff}", "@goal snail\n", " \t "] {
        assert_eq!(read(text), [""; 0], "{text:?}");
    }
}

#[test]
fn a_goal_of_another_size_is_a_mistake() {
    assert_eq!(
        read("@goal 1 2/3 0\n1 2 3 0\n1 2 3 4 5 6 7 8 0\n"),
        ["1 @2 1 2/3 0 -> 1 2/3 0", "2 @3 ! the board is 3x3, but its goal is 2x2 (line 3)"]
    );
}

#[test]
fn a_form_asked_for_is_the_only_one() {
    let with =
        |form, text: &str| read_with(text.as_bytes(), Defaults { form: Some(form), ..Defaults::default() });
    assert_eq!(with(Form::Grid, "1 2 3\n4 5 0\n\n2\n1 2\n3 0\n").len(), 2);
    assert_eq!(with(Form::Grid, "1 2 3\n4 5 0\n")[0], "1 @1 1 2 3/4 5 0 -> blank-last");
    assert_eq!(with(Form::Line, "3\n1 2 3 0\n")[1], "2 @2 1 2/3 0 -> blank-last");
    assert!(with(Form::Line, "1 2/3 0\n")[0].contains("'2/3' is not a number (line 1, column 3)"));
    assert!(with(Form::Compact, "1 2 3 0\n")[0].contains("not a compact board"));
    assert!(with(Form::Slashes, "1 2/3 0\n")[0].ends_with("1 2/3 0 -> blank-last"));
    assert!(with(Form::Positions, "2 2\nstarting positions for each tile:\n0 1 2 3")[0].contains("0 1/2 3"));
}

/// A stream of one byte, many times over, then some text.
fn flood(byte: u8, times: u64, then: &'static str) -> impl Read + Send {
    io::repeat(byte).take(times).chain(then.as_bytes())
}

#[test]
fn a_huge_line_is_one_invalid_record_or_one_comment() {
    for (byte, first) in [(b'1', 2), (b' ', 2), (b'a', 2), (b'@', 2), (b'#', 1)] {
        let stream = flood(byte, 40 << 20, "\n1 2 3 0\n");
        let mut reader = Reader::from_stream("test", stream, Defaults::default());
        let all = describe_all(&mut reader, 10);
        assert_eq!(all.len(), first, "{all:?}");
        assert_eq!(all[first - 1], format!("{first} @2 1 2/3 0 -> blank-last"));
        if first == 2 {
            assert_eq!(all[0], "1 @1 ! the record is longer than 1024 KiB (line 1)");
        }
    }
}

#[test]
fn a_huge_paragraph_is_one_invalid_record() {
    let rows = "1 2 3 4 5 6 7 8\n".repeat(200_000);
    let huge = format!("8\n{rows}\n1 2 3 0\n3\n{}\n@id a\n0 1/2 3", "1".repeat(3 << 20));
    for drip in [1000, 1 << 20] {
        let stream = Drip(io::Cursor::new(huge.clone().into_bytes()), drip);
        let all = describe_all(&mut Reader::from_stream("test", stream, Defaults::default()), 10);
        assert_eq!(
            all,
            [
                "1 @1 ! the record is longer than 1024 KiB (line 1)",
                "2 @200003 1 2/3 0 -> blank-last",
                "3 @200004 ! the record is longer than 1024 KiB (line 200004)",
                "4 @200007 [a] 0 1/2 3 -> blank-last",
            ]
        );
    }
}

#[test]
fn the_largest_board_is_read() {
    let size = Size::new(256, 256).unwrap();
    let goal = Goal::Snail.board(size).unwrap().into_owned();
    let text = format!("@goal snail\n{goal}\n{}\n", goal.to_string().replace('/', " "));
    assert_eq!(read(&text).iter().filter(|line| line.ends_with("-> snail")).count(), 2);
}

#[test]
fn a_mapped_file_reads_like_a_stream() {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    let mut text = String::new();
    for i in 0..60_000 {
        text += if i % 7 == 0 { "3\n1 2 3\n4 5 6\n7 8 0\n\n" } else { "0 1 2 3 4 5 6 7 8\n" };
    }
    file.write_all(text.as_bytes()).unwrap();
    let mut reader = Reader::open(file.path().to_str().unwrap(), Defaults::default()).unwrap();
    let mapped = describe_all(&mut reader, 100);
    assert_eq!(reader.progress(), (text.len() as u64, Some(text.len() as u64)));
    reader.finish().unwrap();
    assert_eq!(mapped.len(), 60_000);
    assert_eq!(mapped, read(&text));
}

#[test]
fn a_file_cut_short_ends_with_an_error_after_its_records() {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    // 8 bytes a record, which is known for one without a look at the next.
    file.write_all("2 1/3 0\n".repeat(300_000).as_bytes()).unwrap();
    let mut reader = Reader::open(file.path().to_str().unwrap(), Defaults::default()).unwrap();
    let mut block = Block::default();
    assert!(reader.next_block(&mut block, 10).unwrap());
    file.as_file().set_len(1_000_003).unwrap();
    let mut records = block.len();
    let error = loop {
        match reader.next_block(&mut block, 1000) {
            Ok(true) => records += block.len(),
            Ok(false) => panic!("no error"),
            Err(error) => break error,
        }
    };
    assert!(matches!(error, InputError::Truncated { offset: 1_000_003, expected: 2_400_000, .. }), "{error}");
    assert!(records >= 65_536 && !reader.next_block(&mut block, 10).unwrap());
}

/// Bytes that look like a puzzle file here and there.
fn puzzle_like() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        4 => Just(b"1 2 3 0".to_vec()),
        2 => Just(b"8 7 6 5 4 3 2 1 0".to_vec()),
        3 => Just(b"1 2 3\n4 5 6\n7 8 0\n".to_vec()),
        2 => Just(b"1 2 3 4\n5 6 7 8\n9 10 11 12\n13 14 15 0\n".to_vec()),
        1 => Just(b"4 5 6 7\n".to_vec()),
        1 => Just(b"[[1,2],[3,0]]\n[\n".to_vec()),
        1 => Just(b"// 1 2 3 0\n".to_vec()),
        4 => Just(b"\n".to_vec()),
        1 => Just(b"3\n1 2 3\n4 5 6\n7 8 0\n".to_vec()),
        1 => Just(b"2 2\nstarting positions for each tile:\n0 1 2 3".to_vec()),
        1 => Just(b"@goal 1 2/3 0\n".to_vec()),
        1 => Just(b"@id x\n".to_vec()),
        1 => Just(b"@length 4\n".to_vec()),
        1 => Just(b"@size 2x3\n".to_vec()),
        1 => Just(b"tray 5 4\n".to_vec()),
        1 => Just(b"a: | # /".to_vec()),
        2 => proptest::collection::vec(any::<u8>(), 0..12),
    ];
    proptest::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn any_bytes_give_records_numbered_in_order(text in proptest::collection::vec(any::<u8>(), 0..400)) {
        for (index, record) in read_with(&text, Defaults::default()).iter().enumerate() {
            prop_assert!(record.starts_with(&format!("{} @", index + 1)), "{}", record);
        }
    }

    #[test]
    fn neither_block_size_nor_arrival_changes_the_result(text in puzzle_like(), max in 1usize..9, drip in 1usize..30) {
        let expected = read_with(&text, Defaults::default());
        let stream = Drip(io::Cursor::new(text.clone()), drip);
        let mut reader = Reader::from_stream("test", stream, Defaults::default());
        prop_assert_eq!(&describe_all(&mut reader, max), &expected);
        prop_assert_eq!(reader.progress().0, text.len() as u64);
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(&text).unwrap();
        let mut reader = Reader::open(file.path().to_str().unwrap(), Defaults::default()).unwrap();
        prop_assert_eq!(&describe_all(&mut reader, max), &expected);
    }

    #[test]
    fn every_form_reads_what_it_writes(
        (rows, cols) in (2usize..7, 2usize..7),
        seed in any::<u64>(),
        blank in prop::sample::select(vec!["0", "_", "b", "x", ".", "-", "*", "largest"]),
        gap in prop::sample::select(vec![" ", ",", "\t", "  ", ", ", "\",\""]),
        ending in prop::sample::select(vec!["\n", "\r\n", ""]),
    ) {
        let board = shuffled(Size::new(rows, cols).unwrap(), seed);
        let blank = if blank == "largest" { (rows * cols).to_string() } else { blank.to_owned() };
        let words: Vec<String> =
            board.tiles().iter().map(|&t| if t == 0 { blank.clone() } else { t.to_string() }).collect();
        let row_texts: Vec<String> = words.chunks(cols).map(|row| row.join(gap)).collect();
        let mut cells = vec![0; rows * cols];
        for (cell, &tile) in board.tiles().iter().enumerate() {
            cells[tile as usize] = cell;
        }
        let cells: Vec<String> = cells.iter().map(usize::to_string).collect();
        let mut texts = vec![
            format!("{rows}x{cols}: {}", words.join(gap)),
            format!("name: {rows}x{cols}: {} | 5", words.join(gap)),
            format!("@size {rows}x{cols}\n77 {}", words.join(gap)),
            row_texts.join("/"),
            format!("{rows} {cols}\n{}", row_texts.join("\n")),
            format!("{rows} {cols}\r\n\r\n{}", row_texts.join("\r\n\r\n")),
            format!("{cols} {rows}\nstarting positions for each tile:\n{}", cells.join("\n")),
        ];
        let plain = row_texts.join("\n");
        texts.push(plain.clone());
        texts.push(format!("// rows alone\n{plain}\n// end"));
        texts.push(row_texts.join("; "));
        texts.push(format!("[[{}]]", row_texts.join("],[")));
        texts.push(format!("[[{}]]", row_texts.join("],\n [")));
        texts.push(format!("{rows}x{cols}\n{plain}"));
        if rows == cols {
            texts.push(format!("[{}]", words.join(gap)));
            texts.push(words.join(gap));
            texts.push(format!("{rows}\n{}", row_texts.join("\n")));
        }
        if rows == 3 && cols == 3 {
            texts.push(words.concat());
            texts.push(words.chunks(3).map(|row| row.concat()).collect::<Vec<_>>().join(" "));
        }
        for text in texts {
            let all = read(&format!("{text}{ending}"));
            prop_assert_eq!(all.len(), 1, "{}: {:?}", text, all);
            prop_assert!(all[0].ends_with(&format!("{board} -> blank-last")), "{}: {:?}", text, all);
        }
    }
}

/// Any board of a size.
fn shuffled(size: Size, mut seed: u64) -> Board {
    let mut tiles: Vec<u32> = (0..size.cells() as u32).collect();
    for last in (1..tiles.len()).rev() {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        tiles.swap(last, (seed >> 33) as usize % (last + 1));
    }
    Board::new(size, &tiles).unwrap()
}
