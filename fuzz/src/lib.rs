//! What is done with any bytes whatever, for each way in which bytes from
//! outside come in. A target panics where something is wrong; that it ends at
//! all is part of what is tested.
//!
//! `fuzz_targets/` hands these to libFuzzer, `tests/hostile_input.rs` runs them
//! on mutations of the corpus with a stable compiler.

use batch_solve::check::{CheckOptions, check_each, pairs};
use batch_solve::cli::args::{Cli, Command, Family, PdbCommand};
use batch_solve::convert::results::{self as answers, Answers};
use batch_solve::convert::{Puzzles, Record, Written};
use batch_solve::input::{
    Block, Course, Defaults, Form, Lines, Reader, parse_board, parse_course, parse_goal,
};
use batch_solve::memory::{Region, arena::Arena};
use batch_solve::model::report::Instance;
use batch_solve::options::Options;
use batch_solve::output::{Format, Notation, Style};
use batch_solve::pdb::{Library, Partition, Store};
use batch_solve::puzzle::tiles::Size;
use batch_solve::quantity::{parse_duration, parse_size};
use batch_solve::run::checkpoint::Checkpoint;
use batch_solve::run::resume::{count_valid_results, rewrite_journal};
use batch_solve::tools::shell::{Answer, Session};
use clap::Parser;
use std::cell::RefCell;
use std::io::{Cursor, Read};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// A target: its name, which is that of its corpus too, and what it does.
pub type Target = (&'static str, fn(&[u8]));

/// All targets.
pub const TARGETS: [Target; 10] = [
    ("puzzles", puzzles),
    ("course", course),
    ("convert", convert),
    ("results", results),
    ("arguments", arguments),
    ("shell", shell),
    ("database", database),
    ("checkpoint", checkpoint),
    ("resume", resume),
    ("packed", packed),
];

/// Separates two files in one input.
const BETWEEN: u8 = 0x1e;

/// The two files in an input; the second is empty where there is but one.
fn two(data: &[u8]) -> (&[u8], &[u8]) {
    let at = data.iter().position(|&byte| byte == BETWEEN).unwrap_or(data.len());
    (&data[..at], data.get(at + 1..).unwrap_or_default())
}

/// A stream that gives a few bytes at a time.
struct Drip(Cursor<Vec<u8>>, usize);

impl Read for Drip {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let few = buffer.len().min(self.1);
        self.0.read(&mut buffer[..few])
    }
}

/// One record: its number, id, known length, and what it is.
type Seen = (u64, Option<String>, Option<u32>, Result<Instance, String>);

/// All records of a text, in blocks of up to so many.
fn read(text: &[u8], form: Option<Form>, drip: usize, most: usize) -> Vec<Seen> {
    let stream = Drip(Cursor::new(text.to_vec()), drip);
    let mut reader = Reader::from_stream("-", stream, Defaults { form, ..Defaults::default() });
    let (mut block, mut all) = (Block::default(), Vec::new());
    while reader.next_block(&mut block, most).expect("a stream in memory cannot fail") {
        assert!(!block.is_empty() && block.len() <= most);
        for index in 0..block.len() {
            let (header, parsed) = (block.header(index), block.parse(index));
            // The short way for the commonest records says the same.
            let (short_header, short) = block.record(index);
            assert_eq!((short_header, &short), (header, &parsed));
            let parsed = parsed.map_err(|invalid| invalid.to_string());
            all.push((header.n, header.id.map(str::to_owned), header.length, parsed));
        }
    }
    assert_eq!(reader.progress().0, text.len() as u64);
    reader.finish().expect("a stream does not change");
    all
}

/// Puzzle files, in the form that the first byte says (`7`: as they look).
pub fn puzzles(data: &[u8]) {
    let Some((&first, text)) = data.split_first() else { return };
    let form = Form::ALL.get(usize::from(first & 7)).copied();
    let all = read(text, form, usize::MAX, 64);
    assert!(all.iter().zip(1..).all(|(record, n)| record.0 == n));
    // Neither how bytes arrive nor the size of blocks changes anything.
    if first & 0xc0 != 0 {
        assert_eq!(read(text, form, usize::from(first >> 3), 1 + usize::from(first & 3)), all);
    }
}

/// The courses' two files.
pub fn course(data: &[u8]) {
    let (start, goal) = two(data);
    for lines in [None, Some(Lines::Corners), Some(Lines::Lwrc)] {
        match parse_course(start, goal, lines) {
            Ok(Course::Tray { tray, .. }) => assert!(tray.cells() <= 1 << 16 && !tray.blocks().is_empty()),
            Ok(Course::Impossible { reason }) => assert!(!reason.is_empty()),
            Err(fault) => assert!(!fault.invalid.to_string().is_empty()),
        }
    }
}

/// Puzzles from any form into every form: what was written is read again as what
/// it was.
pub fn convert(data: &[u8]) {
    let all = read(data, None, usize::MAX, 64);
    for written in Form::ALL.map(Written::Form).into_iter().chain([Written::Init, Written::Goal]) {
        let (mut puzzles, mut text, mut kept) = (Puzzles::new(written), String::new(), Vec::new());
        for (_, id, length, instance) in &all {
            let Ok(instance) = instance else { continue };
            let record = Record { id: id.as_deref(), length: *length, instance };
            if puzzles.record(&mut text, record).is_ok() {
                kept.push((id.clone().filter(|id| !id.is_empty()), *length, instance));
            }
        }
        if !matches!(written, Written::Form(_)) {
            continue;
        }
        let again = read(text.as_bytes(), None, usize::MAX, 64);
        assert_eq!(again.len(), kept.len(), "{written:?}: {text}");
        for ((_, id, length, instance), (known_id, known_length, known)) in again.into_iter().zip(kept) {
            let instance = instance.unwrap_or_else(|invalid| panic!("{written:?}: {invalid}: {text}"));
            assert!(is_same(&instance, known), "{written:?}: {text}");
            assert_eq!((id, length), (known_id, known_length), "{written:?}: {text}");
        }
    }
}

/// Whether two puzzles are the same, whatever their goals are called.
fn is_same(one: &Instance, other: &Instance) -> bool {
    match (one, other) {
        (Instance::Tiles { board: a, goal: end, .. }, Instance::Tiles { board: b, goal: other_end, .. }) => {
            a == b && end.board(a.size()) == other_end.board(b.size())
        }
        _ => one == other,
    }
}

/// Puzzles whose results are read where the input has none of its own.
pub const PUZZLES: &str = "\
1 2 3 4 5 6 7 0 8
k2: 1 2 3 4 0 6 7 5 8 | 2
8 2 0/4 6 1/3 7 5
1 2 3 4 5 6 8 7 0
1 2 2
@id first
tray 3 3
0 0 0 0
0 1 1 1 a
wall 2 2 2 2
goal
2 0 2 0

letters
AAB
...
goal
...
.AA

letters
AB
goal
BA

";

/// Results in the format that the first byte says (`5`: as they look), of the
/// puzzles before a separator or of [`PUZZLES`]; as `check`, `improve` and
/// `convert` read them.
pub fn results(data: &[u8]) {
    let Some((&first, text)) = data.split_first() else { return };
    let (puzzles, text) = match two(text) {
        (only, []) => (PUZZLES.as_bytes(), only),
        pair => pair,
    };
    let format =
        [Format::Text, Format::Jsonl, Format::Csv, Format::States].get(usize::from(first & 7)).copied();
    let notation = if first & 8 == 0 { Notation::Blank } else { Notation::Tile };
    let options = CheckOptions { format, notation, room: 1 << 20 };
    let reader = || Reader::from_stream("-", Cursor::new(puzzles.to_vec()), Defaults::default());
    let mut out = String::new();
    let checked = check_each(vec![reader()], text, &options, |right| {
        answers::write(&mut out, Answers::Runs, right).expect("a text has room");
        answers::write(&mut out, Answers::Course, right).expect("a text has room");
    });
    if let Ok(summary) = checked {
        let right = summary.solved + summary.unsolvable + summary.gave_up + summary.invalid;
        assert!(right + summary.missing <= summary.puzzles, "{summary:?}");
        assert!(!summary.is_right() || right == summary.puzzles, "{summary:?}");
        assert!(summary.more_problems() <= summary.wrong + summary.missing);
    }
    let _ = pairs(reader(), text, &options, |_| {}, |_| {});
}

/// The command line, an argument a line; and each line for every parser of
/// values.
pub fn arguments(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    for value in text.lines() {
        let _ = parse_goal(value, None);
        let _ = parse_board(value, Size::new(3, 4).ok());
        let _ = (parse_size(value), parse_duration(value), value.parse::<Form>());
        if let Ok(size) = value.parse::<Size>() {
            assert!(size.cells() >= 4);
            let _ = parse_goal("snail", Some(size));
        }
        if let Ok(partition) = value.parse::<Partition>() {
            assert!(partition.tiles() > 0 && partition.patterns() > 0);
        }
    }
    let arguments = std::iter::once("batch-solve").chain(text.lines());
    match Cli::try_parse_from(arguments).and_then(Cli::into_command) {
        Err(usage) => assert!(!usage.to_string().is_empty()),
        Ok(Command::Solve(args)) => {
            if let Ok(Options { shard, threads, weight, .. }) = args.options() {
                assert!(shard.0 <= shard.1 && shard.1 >= 1 && threads > 0 && weight >= 1.0);
            }
        }
        Ok(Command::Tray(args)) => drop(args.options()),
        Ok(Command::Generate(args)) => match &args.family {
            Some(Family::Trays(args)) => drop(args.request()),
            _ => drop(args.request()),
        },
        Ok(Command::Convert(args)) => drop((args.conversion().is_ok(), args.defaults())),
        Ok(Command::Trace(args)) => drop(args.boards()),
        Ok(Command::Experiment(args)) => drop(args.design()),
        Ok(Command::Pdb(args)) => {
            if let PdbCommand::Build(args) = &args.command {
                drop(args.request());
            }
        }
        Ok(_) => {}
    }
}

/// A session of the shell, with little memory and little patience.
pub fn shell(data: &[u8]) {
    thread_local! {
        static MEMORY: RefCell<Arena> = RefCell::new(Arena::new(1 << 17, 1 << 17).expect("a little memory"));
    }
    let (side, text) = match data.split_first() {
        Some((b'4', text)) => (4, text),
        _ => (3, data),
    };
    let size = Size::new(side, side).expect("a size");
    MEMORY.with_borrow_mut(|memory| {
        let Some(memory) = memory.divide(&[]).pop() else { return };
        let mut session = Session::new(size, 1, Region::used(memory)).expect("a goal that fits");
        let asked = AtomicU32::new(0);
        let halt = || asked.fetch_add(1, Relaxed) > 8;
        for line in String::from_utf8_lossy(text).lines().take(40) {
            match session.run(line, &halt) {
                Ok(Answer::Text(_)) => {}
                Ok(Answer::Quit) => break,
                Err(error) => assert!(!error.to_string().is_empty()),
            }
            let shown = session.run("printState", &halt).expect("a state can be shown");
            let Answer::Text(shown) = shown else { panic!("a text") };
            let again = session.run(&format!("setState {shown}"), &halt);
            assert!(again.is_ok(), "{shown}: {again:?}");
        }
    });
}

/// A checkpoint; every other one with the right beginning and checksum, so that
/// what is between those is reached.
pub fn checkpoint(data: &[u8]) {
    let Some((&first, rest)) = data.split_first() else { return };
    let sealed = Checkpoint::seal(rest);
    let bytes = if first & 1 == 0 { rest } else { &sealed[..] };
    if let Ok(found) = Checkpoint::parse(bytes) {
        assert_eq!(Checkpoint::to_bytes(&found.puzzle, &found.snapshot), bytes);
    }
}

/// A journal and, behind a separator, the results beside it, in the format that the
/// first byte says.
pub fn resume(data: &[u8]) {
    let Some((&first, rest)) = data.split_first() else { return };
    let (journal, results) = two(rest);
    if let Some(text) = rewrite_journal(journal) {
        assert_eq!(rewrite_journal(text.as_bytes()).as_ref(), Some(&text));
    }
    let format = [Format::Text, Format::Jsonl, Format::Csv, Format::States][usize::from(first & 3)];
    let style = Style { format, notation: Notation::Blank };
    let Ok((records, end)) = count_valid_results(results, style, (0, 0)) else { return };
    let whole = &results[..usize::try_from(end).expect("an end in memory")];
    assert!(whole.is_empty() || whole.ends_with(b"\n"));
    // What is kept is kept once more, where a mark says that its end is one.
    assert_eq!(count_valid_results(whole, style, (records, end)), Ok((records, end)));
    // A mark that tells of more than there is finds the damage.
    if let Err(line) = count_valid_results(results, style, (records + 1, u64::MAX)) {
        assert!(line >= 1);
    }
}

/// A compressed file of puzzles, arriving in pieces of the size that the first byte
/// says.
pub fn packed(data: &[u8]) {
    let Some((&first, packed)) = data.split_first() else { return };
    let name = if first & 1 == 0 { "puzzles.gz" } else { "puzzles.zst" };
    let drip = if first & 2 == 0 { usize::MAX } else { 1 + usize::from(first >> 2) };
    let defaults = Defaults { zstd_window: Some(1 << 20), ..Defaults::default() };
    let mut reader = Reader::from_stream(name, Drip(Cursor::new(packed.to_vec()), drip), defaults);
    let (mut block, mut records) = (Block::default(), 0);
    loop {
        match reader.next_block(&mut block, 64) {
            Ok(true) => {}
            Ok(false) => break,
            Err(error) => {
                assert!(error.to_string().contains(name), "{error}");
                assert!(
                    !reader.next_block(&mut block, 64).is_ok_and(|more| more),
                    "it goes on after its end"
                );
                break;
            }
        }
        for index in 0..block.len() {
            records += 1;
            assert_eq!(block.header(index).n, records);
            let _ = block.parse(index);
        }
    }
}

/// A file of a pattern database, whose header is given the right beginning and
/// checksum, so that what is behind those is reached.
pub fn database(data: &[u8]) {
    thread_local! {
        static FOLDER: std::path::PathBuf = folder();
    }
    const WORDS: usize = 512;
    let Some((&first, rest)) = data.split_first() else { return };
    let mut words = [0u64; WORDS];
    let (header, table) = rest.split_at(rest.len().min(WORDS * 8));
    for (word, bytes) in words.iter_mut().zip(header.chunks(8)) {
        let mut eight = [0; 8];
        eight[..bytes.len()].copy_from_slice(bytes);
        *word = u64::from_le_bytes(eight);
    }
    if first & 1 != 0 {
        (words[0], words[1]) = (u64::from_ne_bytes(*b"bs-pdb\r\n"), 1);
        words[WORDS - 1] = checksum(&words[..WORDS - 1]);
    }
    let mut file: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    file.extend_from_slice(table);
    FOLDER.with(|folder| {
        let store = Store::new(folder);
        let path = folder.join("any.bspdb");
        std::fs::write(&path, &file).expect("a folder that can be written to");
        for listed in store.list().expect("a folder that can be read") {
            let Ok((pattern, counts)) = listed.content else { continue };
            assert!(!counts.is_empty() && counts.iter().sum::<u64>() >= counts[0]);
            let own = store.path(pattern);
            // Names come from the header: they stay in the folder.
            assert_eq!(own.parent(), Some(folder.as_path()));
            std::fs::write(&own, &file).expect("a folder that can be written to");
            let _ = Library::verify(&store, pattern);
            std::fs::remove_file(own).expect("a file that was written");
        }
    });
}

/// A folder of this process and thread.
fn folder() -> std::path::PathBuf {
    let shared = std::path::Path::new("/dev/shm");
    let parent = if shared.is_dir() { shared.to_owned() } else { std::env::temp_dir() };
    let name = format!("batch-solve-fuzz-{}-{:?}", std::process::id(), std::thread::current().id());
    let folder = parent.join(name);
    std::fs::create_dir_all(&folder).expect("a folder for a moment");
    folder
}

/// The checksum of a header, as the program makes it.
fn checksum(words: &[u64]) -> u64 {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let turn = |sum: u64, word: &u64| (sum ^ word).wrapping_mul(FACTOR).rotate_left(29);
    let mut lanes = [0, 1, 2, 3];
    let mut fours = words.chunks_exact(4);
    for four in &mut fours {
        lanes.iter_mut().zip(four).for_each(|(lane, word)| *lane = turn(*lane, word));
    }
    lanes.iter().chain(fours.remainder()).fold(words.len() as u64, turn)
}
