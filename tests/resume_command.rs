//! `--resume` with the real binary: runs that are killed at any moment end with
//! the results of a run that nobody disturbed.
//!
//! `RESUME_KILLS=200 cargo test --release --test resume_command` kills that often
//! for each format instead of a few times.

mod support;

use flate2::{Compression, write::GzEncoder};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use serde_json::Value;
use std::fs;
use std::io::Write;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use std::time::{Duration, Instant};
use support::with_default_signals;
use support::work::{Work, told};

const FORMATS: [&str; 4] = ["jsonl", "csv", "txt", "states"];

/// A folder with puzzle files of all kinds.
struct Puzzles(Work);

impl Deref for Puzzles {
    type Target = Work;

    fn deref(&self) -> &Work {
        &self.0
    }
}

impl Puzzles {
    fn new() -> Self {
        let work = Work::new();
        let small = work.run(&["generate", "--size", "3x3", "--count", "1500", "--seed", "5"]);
        let boards =
            work.run(&["generate", "--size", "4x4", "--moves", "30", "--count", "150", "--seed", "6"]);
        let mut mixed = fs::read(fixture("malformed.txt")).unwrap();
        mixed.extend_from_slice(
            b"\n@id a,\"b\n@goal blank-last\n1 2 3/4 5 6/7 0 8\n@id : gave_up, nodes\n1 2 3 0\n",
        );
        mixed.extend_from_slice(&boards.stdout);
        let mut trays = b"tray 2 3\n0 0 0 0\n0 1 1 1\ngoal\n1 0 1 0\n\n".repeat(20);
        trays.extend_from_slice(&fs::read(fixture("unsolvable.txt")).unwrap());
        work.write("small.txt", &small.stdout);
        work.write("mixed.txt", &mixed);
        work.write("trays.txt", &trays);
        Self(work)
    }

    /// Solves all three files into one; some boards are given up.
    fn solve(&self, output: &str, more: &[&str]) -> Output {
        self.run(&[Self::SOLVE, &["-o", output], more].concat())
    }

    const SOLVE: &'static [&'static str] = &[
        "small.txt",
        "mixed.txt",
        "trays.txt",
        "--max-nodes",
        "2000",
        "--quiet",
        "--threads=2",
        "--memory=64MiB",
        "--quality=optimal",
        "--heuristic=manhattan",
    ];

    /// Begins a run and kills it after a while; whether that was before its end.
    fn kill_after(&self, output: &str, more: &[&str], pause: Duration, signal: i32) -> bool {
        let mut command = self.command(&[Self::SOLVE, &["-o", output], more].concat());
        command.stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = with_default_signals(&mut command).spawn().unwrap();
        std::thread::sleep(pause);
        #[allow(unsafe_code)]
        // SAFETY: a child of this process that was not waited for yet.
        let sent = unsafe { libc::kill(child.id() as libc::pid_t, signal) };
        assert_eq!(sent, 0);
        let status = child.wait().unwrap();
        status.code() != Some(2)
    }
}

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(name)
}

/// Results without times and node counts, of which no two runs are the same.
fn essence(format: &str, text: &str) -> Vec<String> {
    let json = |line: &str| {
        let mut value: Value = serde_json::from_str(line).unwrap();
        for key in ["", "/counts"] {
            let Some(members) = value.pointer_mut(key).and_then(Value::as_object_mut) else { continue };
            for name in ["expanded", "generated", "visited", "fallbacks_to_ida", "slowest", "kept"] {
                members.remove(name);
            }
        }
        let members = value.as_object_mut().unwrap();
        members.retain(|name, _| {
            !["time", "setup", "puzzles_per", "nodes_per", "peak"].iter().any(|cost| name.starts_with(cost))
        });
        value.to_string()
    };
    match format {
        "jsonl" => text.lines().map(json).collect(),
        "csv" => text.lines().map(|row| row.rsplitn(5, ',').last().unwrap().to_owned()).collect(),
        _ => text.lines().map(str::to_owned).collect(),
    }
}

/// Everything that was there before a kill is still there, and nothing else.
#[test]
fn killed_runs_lose_nothing_and_repeat_nothing() {
    let work = Puzzles::new();
    let kills: usize = std::env::var("RESUME_KILLS").ok().and_then(|kills| kills.parse().ok()).unwrap_or(6);
    let mut random = Xoshiro256PlusPlus::seed_from_u64(17);
    for format in FORMATS {
        let reference = format!("reference.{format}");
        let started = Instant::now();
        assert_eq!(work.solve(&reference, &[]).status.code(), Some(2), "there are invalid records");
        let took = started.elapsed().as_micros() as u64;
        assert!(!work.path(&format!("{reference}.resume")).exists());
        let reference = essence(format, &work.read(&reference));
        let results = format!("results.{format}");
        let (mut killed, mut most) = (0, 0);
        while killed < kills {
            // The first run need not know that it will be gone on with.
            let more: &[&str] = if work.path(&results).exists() { &["--resume"] } else { &[] };
            let pause = Duration::from_micros(random.next_u64() % (took * 2 / 3));
            if work.kill_after(&results, more, pause, libc::SIGKILL) {
                killed += 1;
                let there = fs::read_to_string(work.path(&results)).unwrap_or_default();
                let whole = &there[..there.rfind('\n').map_or(0, |end| end + 1)];
                let lines = essence(format, whole);
                most = most.max(lines.len());
                assert!(reference.starts_with(&lines) || format == "jsonl", "{format}: not the beginning");
            } else {
                // Done sooner than thought: once more from the beginning.
                assert_eq!(essence(format, &work.read(&results)), reference, "{format}");
                fs::remove_file(work.path(&results)).unwrap();
            }
        }
        let output = work.solve(&results, &["--resume"]);
        assert_eq!(output.status.code(), Some(2), "{}", told(&output));
        assert_eq!(essence(format, &work.read(&results)), reference, "{format}");
        // And once more, though there is nothing left to do.
        assert_eq!(work.solve(&results, &["--resume"]).status.code(), Some(2));
        assert_eq!(essence(format, &work.read(&results)), reference, "{format}");
        assert!(most > 0, "{format}: no kill came after the first result");
        println!("{format}: {killed} kills, at most {most} of {} lines in between", reference.len());
    }
}

#[test]
fn interrupted_puzzles_are_solved_again() {
    let work = Puzzles::new();
    assert_eq!(work.solve("reference.jsonl", &[]).status.code(), Some(2));
    let reference = essence("jsonl", &work.read("reference.jsonl"));
    for (round, signal) in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP, libc::SIGINT].into_iter().enumerate() {
        let results = format!("{round}.jsonl");
        for millis in [20, 5, 40] {
            let more: &[&str] = if work.path(&results).exists() { &["--resume"] } else { &[] };
            work.kill_after(&results, more, Duration::from_millis(millis), signal);
        }
        let output = work.solve(&results, &["--resume"]);
        assert_eq!(output.status.code(), Some(2), "{}", told(&output));
        assert_eq!(essence("jsonl", &work.read(&results)), reference);
    }
}

#[test]
fn what_ran_out_of_the_whole_time_is_solved_again() {
    let work = Puzzles::new();
    let output = work.solve("r.csv", &["--deadline", "0s"]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(work.read("r.csv").lines().count(), 1);
    assert_eq!(work.solve("r.csv", &["--resume"]).status.code(), Some(2));
    assert!(!work.read("r.csv").contains("gave_up,time"));
    assert_eq!(work.solve("s.csv", &[]).status.code(), Some(2));
    assert_eq!(essence("csv", &work.read("r.csv")), essence("csv", &work.read("s.csv")));
    // With a limit for each puzzle that is what a run without a break gives, too.
    let hard = fixture("korf100.txt");
    let limited = [
        hard.to_str().unwrap(),
        "-o",
        "t.csv",
        "--resume",
        "--quality",
        "optimal",
        "-a",
        "ida",
        "--timeout",
        "0s",
    ];
    assert_eq!(work.run(&limited).status.code(), Some(1));
    let before = work.read("t.csv");
    assert!(before.contains("gave_up,time"));
    assert_eq!(work.run(&limited).status.code(), Some(1));
    assert_eq!(work.read("t.csv"), before);
}

/// What the end of a run has cut short is made again, whatever it looks like.
#[test]
fn the_deadline_is_no_limit_of_a_puzzle() {
    let work = Puzzles::new();
    let hard = fixture("korf100.txt");
    let large = work.run(&["generate", "--size", "6x6", "--count", "2", "--seed", "1"]).stdout;
    work.write("six.txt", &large);
    let hard = [hard.to_str().unwrap(), "--quality=optimal", "-a", "ida", "-t", "1", "--timeout", "20ms"];
    // Solved, but not as well as in the time that each has.
    let large = ["six.txt", "--quality=improve", "-t", "1", "--timeout", "600ms"];
    for (name, command, deadline) in [("hard", &hard[..], "30ms"), ("large", &large, "400ms")] {
        for format in FORMATS {
            let results = format!("{name}.{format}");
            let output = ["-o", &results, "--quiet"];
            let cut = work.run(&[command, &output, &["--deadline", deadline]].concat());
            assert_eq!(cut.status.code(), Some(1), "{}", told(&cut));
            let journal = work.read(&format!("{results}.resume"));
            assert!(name == "hard" || !journal.contains("final - "), "{journal}");
            let before = work.read(&results);
            let whole = work.run(&[command, &output, &["--resume"]].concat());
            assert!(work.read(&format!("{results}.resume")).contains("final - "));
            // What is done in so short a time depends on the machine.
            assert!(matches!(whole.status.code(), Some(0 | 1)), "{}", told(&whole));
            assert_ne!(work.read(&results), before, "{results}");
        }
    }
}

#[test]
fn without_a_journal_results_are_compared_with_their_records() {
    let work = Puzzles::new();
    // Of such an id nobody but the journal knows whether it is one, in states.
    let mixed = fs::read(work.path("mixed.txt")).unwrap();
    let mixed = String::from_utf8_lossy(&mixed).replace(": gave_up, nodes", "gave up");
    work.write("mixed.txt", mixed.as_bytes());
    for format in ["jsonl", "csv", "states"] {
        let results = format!("r.{format}");
        let journal = work.path(&format!("{results}.resume"));
        assert_eq!(work.solve(&results, &[]).status.code(), Some(2));
        assert!(!journal.exists());
        let whole = work.read(&results);
        for bytes in [whole.len(), whole.len() * 2 / 3, 700] {
            work.write(&results, &whole.as_bytes()[..bytes]);
            let output = work.solve(&results, &["--resume"]);
            assert_eq!(output.status.code(), Some(2), "{}", told(&output));
            assert_eq!(essence(format, &work.read(&results)), essence(format, &whole), "{format} at {bytes}");
            fs::remove_file(&journal).unwrap();
        }
        // Of other records, of another shard.
        let refused = |output: Output, why: &str| {
            assert_eq!(output.status.code(), Some(2));
            assert!(told(&output).contains("the results are not those of these puzzles: line "), "{why}");
            assert_eq!(essence(format, &work.read(&results)), essence(format, &whole), "{why}");
        };
        refused(work.solve(&results, &["--resume", "--shard=2/2"]), "--shard");
        refused(work.run(&["mixed.txt", "small.txt", "-o", &results, "--resume"]), "files");
        refused(work.solve(&results, &["--resume", "--goal=blank-first"]), "--goal");
    }
    // What does not prove what is asked for is not kept.
    let fast = ["small.txt", "--quality", "fast", "-a", "greedy"];
    for (format, why) in [("txt", "text does not tell"), ("jsonl", "no result that could be kept")] {
        let output = ["-o", &format!("fast.{format}")];
        assert_eq!(work.run(&[&fast[..], &output].concat()).status.code(), Some(0));
        let refused = work.run(&[&["small.txt", "--quality", "optimal", "--resume"][..], &output].concat());
        assert!(told(&refused).contains(why) && refused.status.code() == Some(2), "{}", told(&refused));
        let kept = work.run(&[&fast[..], &output, &["--resume"]].concat());
        assert!(told(&kept).contains("1500 results were compared"), "{}", told(&kept));
    }
}

/// Text that could not be read is not there the second time either.
#[test]
fn damaged_input_before_the_mark_does_not_stop_a_resume() {
    let work = Puzzles::new();
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(&fs::read(work.path("small.txt")).unwrap()).unwrap();
    let packed = encoder.finish().unwrap();
    work.write("small.txt.gz", &packed[..packed.len() / 2]);
    let files = [
        "small.txt.gz",
        "mixed.txt",
        "trays.txt",
        "--max-nodes",
        "2000",
        "--quality",
        "optimal",
        "-a",
        "astar",
    ];
    let run =
        |results, more: &[&str]| work.run(&[&files[..], &["-o", results, "-m", "64MiB"], more].concat());
    let whole = run("s.jsonl", &[]);
    assert!(told(&whole).contains("is truncated"), "{}", told(&whole));
    run("r.jsonl", &["--resume"]);
    let journal = work.read("r.jsonl.resume");
    assert!(journal.contains(" input 2 "), "the mark is in the last file: {journal}");
    let bytes = work.read("r.jsonl").len() as u64 - 5000;
    fs::File::options().write(true).open(work.path("r.jsonl")).unwrap().set_len(bytes).unwrap();
    let output = run("r.jsonl", &["--resume"]);
    assert!(told(&output).contains(" are kept"), "{}", told(&output));
    assert_eq!(essence("jsonl", &work.read("r.jsonl")), essence("jsonl", &work.read("s.jsonl")));
}

#[test]
fn a_heading_alone_is_no_result() {
    let work = Puzzles::new();
    let heading = work.run(&["trays.txt", "--format", "csv"]).stdout;
    let heading = heading.iter().position(|&byte| byte == b'\n').unwrap() as u64 + 1;
    for bytes in [heading, heading - 3] {
        cut(&work, "r.csv", &[], bytes);
        assert_eq!(work.run(&["trays.txt", "-o", "r.csv", "--resume"]).status.code(), Some(0));
        let results = work.read("r.csv");
        assert_eq!(results.matches("type,v,").count(), 1);
        assert_eq!(work.run(&["check", "trays.txt", "r.csv"]).status.code(), Some(0));
        fs::remove_file(work.path("r.csv")).unwrap();
    }
}

#[test]
fn a_journal_goes_with_the_results_that_it_tells_of() {
    let work = Puzzles::new();
    let overwriting: [&[&str]; 3] = [
        &["generate", "--size", "3x3"],
        &["convert", "small.txt", "--to", "grid"],
        &["-", "--format", "text"],
    ];
    for command in overwriting {
        assert_eq!(work.run(&["trays.txt", "-o", "r.txt", "--resume", "--force"]).status.code(), Some(2));
        assert_eq!(work.run(&["trays.txt", "-o", "r.txt", "--force"]).status.code(), Some(0));
        assert_eq!(work.run(&["trays.txt", "-o", "r.txt", "--resume"]).status.code(), Some(0));
        assert!(work.path("r.txt.resume").exists());
        let output = work.run(&[command, &["-o", "r.txt", "--force"]].concat());
        assert_eq!(output.status.code(), Some(0), "{command:?}: {}", told(&output));
        assert!(!work.path("r.txt.resume").exists(), "{command:?}");
    }
}

/// Results as a killed run leaves them: so many bytes of them and the journal.
fn cut(work: &Puzzles, results: &str, more: &[&str], bytes: u64) {
    let output = work.solve(results, &[more, &["--resume"]].concat());
    assert_eq!(output.status.code(), Some(2), "{}", told(&output));
    let file = fs::File::options().write(true).open(work.path(results)).unwrap();
    file.set_len(bytes).unwrap();
}

#[test]
fn every_place_of_a_cut_is_mended() {
    let work = Puzzles::new();
    // Few records, so that there are many cuts in little time.
    work.write("small.txt", b"1 2 3/4 5 6/0 7 8\n");
    work.write("mixed.txt", b"junk\n@id a,\"b\n1 2 3/4 5 6/7 0 8\n@id : gave_up, nodes\n1 2 3 0\n");
    for format in FORMATS {
        if format == "states" {
            // What is left is compared with the records, and this id looks like a status there.
            work.write("mixed.txt", b"junk\n@id a,\"b\n1 2 3/4 5 6/7 0 8\n1 2 3 0\n");
        }
        let results = format!("results.{format}");
        assert_eq!(work.solve(&results, &["--resume"]).status.code(), Some(2));
        let whole = work.read(&results);
        for bytes in (0..whole.len()).step_by(whole.len() / 40 + 1).chain([whole.len() - 1]) {
            cut(&work, &results, &[], bytes as u64);
            assert_eq!(work.solve(&results, &["--resume"]).status.code(), Some(2));
            assert_eq!(essence(format, &work.read(&results)), essence(format, &whole), "{format} at {bytes}");
        }
    }
}

#[test]
fn a_change_is_noticed_and_refused() {
    let work = Puzzles::new();
    cut(&work, "r.jsonl", &[], 100_000);
    let before = work.read("r.jsonl");
    let refused = |more: &[&str], why: &str| {
        let output = work.solve("r.jsonl", &[&["--resume"], more].concat());
        assert_eq!(output.status.code(), Some(2));
        assert!(told(&output).contains(why), "{why}: {}", told(&output));
        assert_eq!(work.read("r.jsonl"), before);
    };
    refused(&["--goal", "blank-first"], "--goal was blank-last and is blank-first");
    refused(&["--shard", "1/2"], "--shard was 1/1 and is 1/2");
    refused(&["--notation", "tile"], "--notation was blank and is tile");
    refused(&["--format", "csv"], "--format was jsonl and is csv");
    refused(&["--timeout", "3s"], "--timeout was not given and is 3s");
    refused(&["--force"], "cannot be used with");
    refused(&["small.txt"], "its puzzle files were small.txt, mixed.txt, trays.txt");

    let small = work.read("small.txt");
    let time = fs::metadata(work.path("small.txt")).unwrap().modified().unwrap();
    let set_time =
        || fs::File::options().write(true).open(work.path("small.txt")).unwrap().set_modified(time);
    work.write("small.txt", format!("{small}1 2 3 0\n").as_bytes());
    refused(&[], "small.txt has changed");
    // The same size, and even the same time.
    let (first, rest) = small.split_once('\n').unwrap();
    work.write("small.txt", format!("{}\n{rest}", first.chars().rev().collect::<String>()).as_bytes());
    refused(&[], "what was answered, up to byte");
    set_time().unwrap();
    refused(&[], "what was answered, up to byte");
    fs::remove_file(work.path("small.txt")).unwrap();
    refused(&[], "small.txt has changed: it is not there any more");
    // Only the time is another: what was marked is kept.
    work.write("small.txt", small.as_bytes());
    let output = work.solve("r.jsonl", &["--resume"]);
    assert_eq!(output.status.code(), Some(2), "{}", told(&output));
    assert_eq!(work.solve("s.jsonl", &[]).status.code(), Some(2));
    assert_eq!(essence("jsonl", &work.read("r.jsonl")), essence("jsonl", &work.read("s.jsonl")));
}

#[test]
fn threads_memory_and_deadline_may_be_others() {
    let work = Puzzles::new();
    cut(&work, "r.txt", &[], 20_000);
    let other = [
        "small.txt",
        "mixed.txt",
        "trays.txt",
        "--max-nodes=2000",
        "--quality=optimal",
        "--heuristic=manhattan",
        "-o",
        "r.txt",
    ];
    let output =
        work.run(&[&other[..], &["--resume", "-t", "1", "-m", "96MiB", "--deadline", "1h"]].concat());
    assert_eq!(output.status.code(), Some(2));
    assert!(told(&output).contains(" are kept"), "{}", told(&output));
    assert_eq!(work.solve("s.txt", &[]).status.code(), Some(2));
    assert_eq!(work.read("r.txt"), work.read("s.txt"));
}

#[test]
fn shards_are_resumed_each_by_itself() {
    let work = Puzzles::new();
    for shard in ["--shard=1/3", "--shard=3/3"] {
        for format in ["jsonl", "txt"] {
            let (results, reference) = (format!("r.{format}"), format!("s.{format}"));
            cut(&work, &results, &[shard], 9_999);
            assert_eq!(work.solve(&results, &[shard, "--resume"]).status.code(), Some(2));
            assert_eq!(work.solve(&reference, &[shard]).status.code(), Some(2));
            assert_eq!(essence(format, &work.read(&results)), essence(format, &work.read(&reference)));
            fs::remove_file(work.path(&results)).unwrap();
            fs::remove_file(work.path(&reference)).unwrap();
        }
    }
}

#[test]
fn what_cannot_be_resumed_says_why_and_stays_as_it_is() {
    let work = Puzzles::new();
    let refused = |arguments: &[&str], why: &str| {
        let output = work.run(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(told(&output).contains(why), "{arguments:?}: {}", told(&output));
    };
    refused(&["small.txt", "--resume"], "--output <FILE>");
    refused(&["small.txt", "-o", "-", "--resume"], "say which one with --output");
    refused(&["-", "-o", "r.txt", "--resume"], "'-' is no regular file");
    refused(&["/dev/stdin", "-o", "r.txt", "--resume"], "'/dev/stdin' is no regular file");
    refused(&["small.txt", "-o", "/dev/null", "--resume"], "is no regular file");
    refused(&["small.txt", "-o", "small.txt", "--resume"], "is both an input and the output");
    work.write("foreign.txt", b"1\tsolved\t0\t\n");
    let missing = "foreign.txt.resume is missing, and the results are not those of these puzzles: line 1: ";
    refused(&["small.txt", "-o", "foreign.txt", "--resume"], missing);
    assert_eq!(work.read("foreign.txt"), "1\tsolved\t0\t\n");
    work.write("r.txt.resume", b"my own notes\n");
    refused(&["small.txt", "-o", "r.txt", "--resume"], "r.txt.resume: is not the journal of a run");
    // Without --resume such a file is left alone, too.
    assert_eq!(work.run(&["small.txt", "-o", "r.txt"]).status.code(), Some(0));
    assert_eq!(work.read("r.txt.resume"), "my own notes\n");
    // A line that was there and is damaged now.
    assert_eq!(work.run(&["small.txt", "-o", "d.txt", "--resume"]).status.code(), Some(0));
    let damaged = work.read("d.txt").replacen("\n2\tsolved", "\n2\tsulved", 1);
    work.write("d.txt", damaged.as_bytes());
    refused(&["small.txt", "-o", "d.txt", "--resume"], "d.txt: line 2 is not a result");
    assert_eq!(work.read("d.txt"), damaged);
}

#[test]
fn two_runs_do_not_write_one_file() {
    let work = Puzzles::new();
    let mut command = work.command(&["-", "-o", "r.txt"]);
    let mut first = command.stdin(Stdio::piped()).spawn().unwrap();
    while !work.path("r.txt").exists() {
        std::thread::sleep(Duration::from_millis(5));
    }
    std::thread::sleep(Duration::from_millis(100));
    for how in ["--force", "--resume"] {
        let output = work.run(&["small.txt", "-o", "r.txt", how]);
        assert!(told(&output).contains("another run is writing it"), "{how}: {}", told(&output));
    }
    drop(first.stdin.take());
    assert_eq!(first.wait().unwrap().code(), Some(0));
}

#[test]
fn a_first_run_may_say_resume() {
    let work = Puzzles::new();
    for _ in 0..2 {
        assert_eq!(work.run(&["trays.txt", "-o", "r.jsonl", "--resume"]).status.code(), Some(0));
        let lines = work.read("r.jsonl");
        assert_eq!(lines.matches("\"type\":\"summary\"").count(), 1);
        assert!(lines.lines().last().unwrap().contains("\"type\":\"summary\""));
    }
    // And no draft is left.
    assert_eq!(fs::read_dir(work.path("")).unwrap().count(), 3 + 2);
}
