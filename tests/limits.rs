//! Limits that the user sets: the deadline, the memory, signals.

mod support;

use serde_json::Value;
use std::fs::{self, File};
use std::io::Read;
use std::os::unix::process::CommandExt;
use std::process::{Child, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};
use support::with_default_signals;
use support::work::{Work, told};

/// A folder with its own cache for pattern databases.
fn run(work: &Work, arguments: &[&str]) -> Output {
    work.command(arguments).env("XDG_CACHE_HOME", work.path("cache")).output().unwrap()
}

/// The records of JSON Lines; the last one is the summary.
fn json_lines(text: &[u8]) -> Vec<Value> {
    let text = std::str::from_utf8(text).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Boards that IDA* by misplaced tiles does not solve in hours.
fn hard_boards(work: &Work, count: usize) {
    let board = "14 13 15 7 11 12 9 5 6 0 2 1 4 8 10 3\n";
    work.write("hard.txt", format!("@goal blank-first\n{}", board.repeat(count)).as_bytes());
}

#[test]
fn nothing_is_begun_after_the_deadline() {
    let work = Work::new();
    hard_boards(&work, 3000);
    let command =
        ["hard.txt", "-a", "ida", "--heuristic", "misplaced", "-t", "2", "--format", "jsonl", "--deadline"];
    for (deadline, most) in [("1s", 1000), ("0s", 0)] {
        let output = run(&work, &[&command[..], &[deadline]].concat());
        assert_eq!(output.status.code(), Some(1), "{}", told(&output));
        let mut records = json_lines(&output.stdout);
        let summary = records.pop().unwrap();
        assert!(records.len() <= most, "{} results", records.len());
        for (n, record) in (1..).zip(&records) {
            assert_eq!((&record["n"], &record["reason"]), (&n.into(), &"time".into()));
        }
        assert_eq!(summary["counts"]["not_begun"], 3000 - records.len());
        let line = format!("deadline {} records not begun", 3000 - records.len());
        assert!(told(&output).contains(&line), "{}", told(&output));
    }
    let shard = run(&work, &[&command[..], &["0s", "--shard", "1/3"]].concat());
    assert_eq!(json_lines(&shard.stdout)[0]["counts"]["not_begun"], 1000);
}

#[test]
fn records_that_were_not_begun_are_solved_by_resume() {
    let work = Work::new();
    let boards = run(&work, &["generate", "--size", "3x3", "--count", "20000", "--seed", "3"]).stdout;
    work.write("boards.txt", &boards);
    let solve = |more: &[&str]| run(&work, &[&["boards.txt", "-o", "r.txt"], more].concat());
    let mut lines = 0;
    // A deadline that passes before, while and after the records are solved.
    for (deadline, more) in [("0s", "--force"), ("3ms", "--resume"), ("10ms", "--resume"), ("1h", "--resume")]
    {
        let output = solve(&["--deadline", deadline, more]);
        lines = work.read("r.txt").lines().count();
        if lines < 20000 {
            assert_eq!(output.status.code(), Some(1), "{}", told(&output));
            assert!(told(&output).contains("not begun"), "{}", told(&output));
        }
    }
    assert_eq!(lines, 20000);
    let whole = run(&work, &["boards.txt"]);
    assert_eq!(work.read("r.txt").as_bytes(), whole.stdout);
    assert!(fs::exists(work.path("r.txt.resume")).unwrap());
}

/// Begins a command, with its standard output in a pipe.
fn start(work: &Work, arguments: &[&str]) -> Child {
    let mut command = work.command(arguments);
    command.env("XDG_CACHE_HOME", work.path("cache")).stdout(Stdio::piped()).stderr(Stdio::piped());
    with_default_signals(&mut command).spawn().unwrap()
}

/// Sends a signal and returns the exit status, which must come soon.
fn end(child: &mut Child, signal: i32) -> Option<i32> {
    sleep(Duration::from_millis(700));
    assert!(child.try_wait().unwrap().is_none(), "it has ended by itself");
    #[allow(unsafe_code)]
    // SAFETY: the process is a child that has not been waited for.
    unsafe {
        libc::kill(child.id() as i32, signal);
    }
    let sent = Instant::now();
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status.code();
        }
        if sent.elapsed() > Duration::from_secs(30) {
            child.kill().unwrap();
            panic!("the first signal did not end it");
        }
        sleep(Duration::from_millis(10));
    }
}

fn fifo(work: &Work, name: &str) {
    let path = std::ffi::CString::new(work.path(name).to_str().unwrap()).unwrap();
    #[allow(unsafe_code)]
    // SAFETY: a string that ends with a zero.
    let made = unsafe { libc::mkfifo(path.as_ptr(), 0o600) };
    assert_eq!(made, 0);
}

#[test]
fn the_first_signal_ends_what_takes_long() {
    let work = Work::new();
    fifo(&work, "a");
    fifo(&work, "b");
    work.write("one.txt", b"1 2 3 4 5 6 7 0 8\n");
    for (arguments, signal) in [
        (&["generate", "trays", "--moves", "18446744073709551615"][..], libc::SIGINT),
        (&["generate", "trays", "--size", "6x6", "--farthest", "10000000", "-n", "99"], libc::SIGTERM),
        (&["experiment", "trays", "-o", "report", "--count", "100000"], libc::SIGINT),
        (&["tray", "a", "b"], libc::SIGHUP),
        (&["one.txt", "-o", "a"], libc::SIGINT),
        (&["generate", "-o", "a"], libc::SIGTERM),
        (&["shell", "a"], libc::SIGINT),
    ] {
        let mut child = start(&work, arguments);
        assert_eq!(end(&mut child, signal), Some(128 + signal), "{arguments:?}");
    }
}

/// Output into a pipe that nobody reads: whole lines and a summary.
#[test]
fn the_first_signal_ends_a_run_that_nobody_reads() {
    let work = Work::new();
    let boards = run(&work, &["generate", "--size", "3x3", "--count", "30000", "--seed", "3"]).stdout;
    work.write("boards.txt", &boards);
    for arguments in [
        &["boards.txt", "--format", "jsonl"][..],
        &["boards.txt", "-t", "1"],
        &["generate", "--count", "1000000"],
        &["generate", "trays", "--count", "1000000"],
        &[
            "trace", "V", "F", "V", "15", "14", "13", "12", "11", "10", "9", "8", "7", "6", "5", "4", "3",
            "1", "2", "0",
        ],
    ] {
        let mut child = start(&work, arguments);
        assert_eq!(end(&mut child, libc::SIGINT), Some(130), "{arguments:?}");
        let (mut results, mut told) = (String::new(), String::new());
        child.stdout.take().unwrap().read_to_string(&mut results).unwrap();
        child.stderr.take().unwrap().read_to_string(&mut told).unwrap();
        assert!(results.len() > 4096 && results.ends_with('\n'), "{arguments:?}: {}", results.len());
        assert!(arguments[0] != "boards.txt" || told.contains(" puzzles: "), "{told}");
    }
}

/// A reader that comes late gets everything.
#[test]
fn an_output_pipe_waits_for_its_reader() {
    let work = Work::new();
    fifo(&work, "a");
    let mut child = start(&work, &["generate", "--size", "3x3", "--count", "30000", "-o", "a"]);
    sleep(Duration::from_millis(200));
    let mut pipe = File::open(work.path("a")).unwrap();
    sleep(Duration::from_millis(200));
    let mut results = Vec::new();
    pipe.read_to_end(&mut results).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert_eq!(results, run(&work, &["generate", "--size", "3x3", "--count", "30000"]).stdout);
}

/// Runs a command and returns what it said and its largest resident memory in bytes.
#[allow(clippy::zombie_processes, reason = "`wait4` waits for the process")]
fn run_with_peak(work: &Work, arguments: &[&str]) -> (Option<i32>, String, u64) {
    let mut child = start(work, arguments);
    let (mut results, mut told) = (Vec::new(), String::new());
    child.stdout.take().unwrap().read_to_end(&mut results).unwrap();
    child.stderr.take().unwrap().read_to_string(&mut told).unwrap();
    #[allow(unsafe_code)]
    // SAFETY: `rusage` consists of integers; the child has not been waited for, and
    // both places can be written to.
    let (status, usage) = unsafe {
        let (mut status, mut usage) = (0, std::mem::zeroed::<libc::rusage>());
        assert_eq!(libc::wait4(child.id() as i32, &raw mut status, 0, &raw mut usage), child.id() as i32);
        (status, usage)
    };
    let code = libc::WIFEXITED(status).then(|| libc::WEXITSTATUS(status));
    (code, told, usage.ru_maxrss as u64 * 1024)
}

/// The cap that a message asks for.
fn needed(told: &str) -> String {
    let size = told.split("at least ").nth(1).and_then(|rest| rest.split(" are needed").next());
    size.unwrap_or_else(|| panic!("{told}")).replace(' ', "")
}

#[test]
fn a_search_for_the_farthest_goal_keeps_to_its_memory() {
    let work = Work::new();
    let farthest = ["generate", "trays", "--size", "6x6", "--farthest", "1500000", "--memory"];
    let (code, told, peak) = run_with_peak(&work, &[&farthest[..], &["40MiB"]].concat());
    assert!(code == Some(2) && told.contains("40 MiB of memory are not enough"), "{told}");
    assert!(peak < 40 << 20, "{peak}");
    let (code, told, peak) = run_with_peak(&work, &[&farthest[..], &[&needed(&told)]].concat());
    assert!(code == Some(0) && peak < 80 << 20, "{peak}: {told}");
}

/// Under a limit on the address space that is smaller than `--memory`, a run uses
/// less or says that there is too little; it never aborts.
#[test]
fn a_small_address_space_is_no_abort() {
    let work = Work::new();
    let mut boards = run(&work, &["generate", "--size", "4x4", "--moves", "40", "--count", "200"]).stdout;
    boards.extend(run(&work, &["generate", "--size", "3x3", "--count", "2000"]).stdout);
    boards.extend(run(&work, &["generate", "--size", "6x6", "--count", "3"]).stdout);
    boards.extend(run(&work, &["generate", "trays", "--count", "20"]).stdout);
    work.write("mixed.txt", &boards);
    let mut solved = 0;
    for mib in [24, 32, 40, 48, 64, 80, 96, 128, 192, 256, 512] {
        for threads in ["1", "8", "64"] {
            let mut command = work.command(&["mixed.txt", "--memory", "1G", "-t", threads]);
            command.env("XDG_CACHE_HOME", work.path("cache"));
            #[allow(unsafe_code)]
            // SAFETY: `setrlimit` may be called between fork and exec.
            unsafe {
                command.pre_exec(move || {
                    let limit = libc::rlimit { rlim_cur: mib << 20, rlim_max: mib << 20 };
                    match libc::setrlimit(libc::RLIMIT_AS, &raw const limit) {
                        0 => Ok(()),
                        _ => Err(std::io::Error::last_os_error()),
                    }
                });
            }
            let output = command.output().unwrap();
            let told = told(&output);
            match output.status.code() {
                Some(0) => solved += 1,
                Some(2) => assert!(told.contains("are not enough: at least "), "{mib} {threads}: {told}"),
                code => panic!("{mib} MiB, {threads} threads: {code:?} {told}"),
            }
            assert!(mib == 512 || told.contains("the address-space limit (ulimit -v) leaves"), "{told}");
        }
    }
    assert!(solved >= 15, "{solved}");
}

/// The first number that a refusal names is enough, with any packing and threads.
#[test]
fn the_memory_that_is_asked_for_is_enough() {
    let work = Work::new();
    for file in ["one.txt", "one.gz", "one.zst"] {
        work.write(file, b"");
        for threads in ["1", "7", "64", "300"] {
            for cap in ["8MiB", "20MiB", "48MiB"] {
                let solve = |cap: &str| told(&run(&work, &[file, "-t", threads, "-m", cap]));
                let first = solve(cap);
                if first.contains("not enough") {
                    let second = solve(&needed(&first));
                    assert!(!second.contains("not enough"), "{file} {threads}: {first}{second}");
                }
            }
        }
    }
}

/// The moves of a large board are held once, and what is reserved for them is what
/// they take.
#[test]
fn a_large_board_is_solved_in_little_memory() {
    let work = Work::new();
    let board = run(&work, &["generate", "--size", "128x128", "--seed", "1"]).stdout;
    work.write("large.txt", &board);
    let output = run(&work, &["large.txt", "-t", "1", "--memory", "30MiB", "--format", "jsonl"]);
    assert_eq!(output.status.code(), Some(0), "{}", told(&output));
    let records = json_lines(&output.stdout);
    assert_eq!((&records[0]["status"], records.len()), (&"solved".into(), 2));
    assert!(records[0]["moves"].as_str().unwrap().len() > 1 << 20);
    assert!(records[1]["peak_memory_bytes"].as_u64().unwrap() <= 30 << 20, "{}", records[1]);
    work.write("results.jsonl", &output.stdout);
    let checked = run(&work, &["check", "large.txt", "results.jsonl"]);
    assert_eq!(checked.status.code(), Some(0), "{}", String::from_utf8_lossy(&checked.stdout));
}

#[test]
fn trays_keep_to_the_number_of_nodes() {
    let work = Work::new();
    let trays =
        run(&work, &["generate", "trays", "--size", "5x4", "--count", "60", "--seed", "5", "--anywhere"]);
    work.write("trays.txt", &trays.stdout);
    for algorithm in ["bfs", "auto"] {
        let limits = ["--max-nodes", "252", "--timeout", "1ms", "-t", "2", "--format", "jsonl", "--quiet"];
        let output = run(&work, &[&["trays.txt", "-a", algorithm][..], &limits].concat());
        let results = json_lines(&output.stdout);
        assert!(results.iter().any(|record| record["reason"] == "nodes"), "{}", told(&output));
        for record in results.iter().filter(|record| record["type"] == "result") {
            assert!(record["visited"].as_u64().unwrap() <= 252, "{record}");
        }
    }
}
