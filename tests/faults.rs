//! Faults made on purpose, with the real binary: input that changes or is
//! damaged, output that cannot be written, memory that is not there.

mod support;

use flate2::{Compression, write::GzEncoder};
use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use serde_json::Value;
use std::fs;
use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::process::{Child, Output, Stdio};
use std::time::{Duration, Instant};
use support::work::{Work, told};

fn boards(count: usize) -> String {
    (0..count).map(|n| format!("{n}: 1 2 3/4 5 6/{}\n", ["7 0 8", "0 7 8", "7 8 0"][n % 3])).collect()
}

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

fn wait(mut child: Child) -> Output {
    let began = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if began.elapsed() > Duration::from_secs(30) {
            child.kill().unwrap();
            panic!("it does not end");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    child.wait_with_output().unwrap()
}

#[test]
fn compressed_files_are_read_like_others() {
    let work = Work::new();
    let text = boards(5000);
    work.write("plain.txt", text.as_bytes());
    work.write("packed.txt.gz", &gzip(text.as_bytes()));
    work.write("packed.txt.zst", &compress_to_vec(text.as_bytes(), CompressionLevel::Fastest));
    let plain = work.run(&["plain.txt"]).stdout;
    assert_eq!(plain.iter().filter(|&&byte| byte == b'\n').count(), 5000);
    for packed in ["packed.txt.gz", "packed.txt.zst"] {
        let output = work.run(&[packed, "-m", "64MiB"]);
        assert_eq!((output.status.code(), output.stdout == plain), (Some(0), true), "{}", told(&output));
        let check = work.command(&["check", packed, "-"]).stdin(Stdio::piped()).stdout(Stdio::null()).spawn();
        let mut check = check.unwrap();
        check.stdin.take().unwrap().write_all(&plain).unwrap();
        assert_eq!(check.wait().unwrap().code(), Some(0));
        // And gone on with.
        let results = format!("{packed}.out.txt");
        assert_eq!(work.run(&[packed, "-o", &results, "--resume"]).status.code(), Some(0));
        fs::File::options().write(true).open(work.path(&results)).unwrap().set_len(12_345).unwrap();
        assert_eq!(work.run(&[packed, "-o", &results, "--resume"]).status.code(), Some(0));
        assert_eq!(work.read(&results).as_bytes(), plain);
    }
}

#[test]
fn damaged_compressed_files_leave_the_results_before() {
    let work = Work::new();
    let text = boards(20_000);
    let packed = [
        ("cut.gz", gzip(text.as_bytes())),
        ("cut.zst", compress_to_vec(text.as_bytes(), CompressionLevel::Fastest)),
    ];
    for (name, packed) in packed {
        work.write(name, &packed[..packed.len() * 2 / 3]);
        let output = work.run(&[name]);
        let results = String::from_utf8(output.stdout.clone()).unwrap();
        assert_eq!(output.status.code(), Some(2));
        assert!(
            told(&output).contains("is truncated") && told(&output).contains(" at byte "),
            "{}",
            told(&output)
        );
        assert!(results.lines().count() > 1000 && results.ends_with('\n'), "{}", results.lines().count());
        work.write(name, b"this is no such file");
        let output = work.run(&[name]);
        assert!(output.status.code() == Some(2) && output.stdout.is_empty(), "{}", told(&output));
    }
    // A frame that declares a window of 2 GiB.
    work.write("wide.zst", &[0x28, 0xb5, 0x2f, 0xfd, 0x00, 0xa8, 0x01, 0, 0]);
    let output = work.run(&["wide.zst"]);
    assert!(
        output.status.code() == Some(2) && told(&output).contains("byte window; the limit is"),
        "{}",
        told(&output)
    );
}

#[test]
fn a_file_cut_short_or_rewritten_while_it_is_read_is_told() {
    for cut in [true, false] {
        let work = Work::new();
        // The first record is read through a pipe, so that the run waits for us.
        work.write("boards.txt", boards(60_000).as_bytes());
        let mut child = work.start(&["boards.txt", "-", "--threads", "1"]);
        let mut out = child.stdout.take().unwrap();
        let mut first = [0; 1000];
        out.read_exact(&mut first).unwrap();
        // The pipe is full by now, and most of the file not read.
        std::thread::sleep(Duration::from_millis(200));
        let file = fs::File::options().write(true).open(work.path("boards.txt")).unwrap();
        if cut {
            file.set_len(700_000).unwrap();
        } else {
            file.set_modified(std::time::UNIX_EPOCH).unwrap();
        }
        drop(child.stdin.take());
        let reading = std::thread::spawn(move || {
            let mut rest = Vec::new();
            out.read_to_end(&mut rest).unwrap();
            rest
        });
        let output = wait(child);
        let rest = reading.join().unwrap();
        assert_eq!(output.status.code(), Some(2), "{}", told(&output));
        assert!(rest.ends_with(b"\n"));
        let lines = first.iter().chain(&rest).filter(|&&byte| byte == b'\n').count();
        if cut {
            assert!(told(&output).contains("found 700000"), "{}", told(&output));
            assert!((20_000..60_000).contains(&lines), "{lines}");
        } else {
            assert!(told(&output).contains("boards.txt changed during the run"), "{}", told(&output));
            assert_eq!(lines, 60_000);
        }
    }
}

#[test]
fn fifos_are_read_and_a_signal_ends_the_wait_for_them() {
    let work = Work::new();
    let fifo = work.path("fifo");
    let name = std::ffi::CString::new(fifo.to_str().unwrap()).unwrap();
    #[allow(unsafe_code)]
    // SAFETY: a name that ends with zero.
    let made = unsafe { libc::mkfifo(name.as_ptr(), 0o600) };
    assert_eq!(made, 0);
    let child = work.start(&["fifo"]);
    fs::write(&fifo, boards(3000)).unwrap();
    let mut child = child;
    let mut results = String::new();
    child.stdout.take().unwrap().read_to_string(&mut results).unwrap();
    assert_eq!((wait(child).status.code(), results.lines().count()), (Some(0), 3000));
    // Nobody writes to it now.
    let child = work.start(&["fifo"]);
    std::thread::sleep(Duration::from_millis(300));
    #[allow(unsafe_code)]
    // SAFETY: a child of this process that was not waited for yet.
    let sent = unsafe { libc::kill(child.id() as libc::pid_t, libc::SIGINT) };
    assert_eq!((sent, wait(child).status.code()), (0, Some(130)));
    let mut child = work.start(&["/dev/stdin"]);
    child.stdin.take().unwrap().write_all(boards(10).as_bytes()).unwrap();
    let output = wait(child);
    assert_eq!((output.status.code(), output.stdout.iter().filter(|&&b| b == b'\n').count()), (Some(0), 10));
}

#[test]
fn a_full_disk_leaves_whole_lines_that_can_be_gone_on_with() {
    let work = Work::new();
    work.write("boards.txt", boards(9000).as_bytes());
    for format in ["txt", "jsonl", "csv"] {
        let results = format!("r.{format}");
        let mut command = work.command(&["boards.txt", "-o", &results]);
        #[allow(unsafe_code)]
        // SAFETY: these calls may be made between fork and exec.
        unsafe {
            command.pre_exec(|| {
                // As a shell starts it: by default this signal ends a process.
                libc::signal(libc::SIGXFSZ, libc::SIG_DFL);
                let limit = libc::rlimit { rlim_cur: 77_777, rlim_max: 77_777 };
                libc::setrlimit(libc::RLIMIT_FSIZE, &limit);
                Ok(())
            });
        }
        let output = command.output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        assert!(told(&output).contains(&format!("{results}: File too large")), "{}", told(&output));
        let written = work.read(&results);
        assert!(written.ends_with('\n') && (70_000..77_777).contains(&written.len()), "{}", written.len());
        if format == "jsonl" {
            assert!(written.lines().all(|line| serde_json::from_str::<Value>(line).is_ok()));
        }
        assert_eq!(work.run(&["boards.txt", "-o", &results, "--resume"]).status.code(), Some(0));
        assert!(work.read(&results).matches("solved").count() >= 9000);
        assert_eq!(work.run(&["check", "boards.txt", &results]).status.code(), Some(0));
    }
    // The same for a file that standard output was redirected to.
    let script = "ulimit -f 20; exec \"$0\" boards.txt >out.txt";
    let program = env!("CARGO_BIN_EXE_batch-solve");
    let mut limited = std::process::Command::new("bash");
    let output = limited.args(["-c", script, program]).current_dir(work.path("")).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", told(&output));
    assert!(told(&output).contains("standard output: File too large"), "{}", told(&output));
    let written = work.read("out.txt");
    assert!(written.ends_with('\n') && written.len() <= 20 << 10, "{}", written.len());
    let output = work.run(&["boards.txt", "-o", "/dev/full"]);
    assert!(output.status.code() == Some(2) && told(&output).contains("No space left"), "{}", told(&output));
}

#[test]
fn places_that_cannot_be_written_are_named() {
    let work = Work::new();
    work.write("boards.txt", boards(9).as_bytes());
    fs::create_dir(work.path("closed")).unwrap();
    fs::hard_link(work.path("boards.txt"), work.path("link.txt")).unwrap();
    std::os::unix::fs::symlink("boards.txt", work.path("soft.txt")).unwrap();
    let same = "is both an input and the output";
    let cases = [
        ("boards.txt", same),
        ("./closed/../boards.txt", same),
        ("link.txt", same),
        ("soft.txt", same),
        ("no/such/folder.txt", "No such file or directory"),
        ("closed", "Is a directory"),
    ];
    for (output, why) in cases {
        for force in [&["--force"][..], &["--resume"]] {
            let refused = work.run(&[&["boards.txt", "-o", output], force].concat());
            assert!(refused.status.code() == Some(2), "{output} {force:?}");
            let told = told(&refused);
            assert!(told.contains(why) || told.contains("is no regular file"), "{output} {force:?}: {told}");
        }
    }
    assert_eq!(work.read("boards.txt"), boards(9));
    // Whoever may do everything may write there, too.
    fs::set_permissions(work.path("closed"), fs::Permissions::from_mode(0o500)).unwrap();
    if fs::write(work.path("closed/probe"), "").is_err() {
        let refused = work.run(&["boards.txt", "-o", "closed/r.txt"]);
        assert!(refused.status.code() == Some(2) && told(&refused).contains("Permission denied"));
    }
}

/// The peak of a run in bytes, from its summary.
fn peak(output: &Output) -> u64 {
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    let summary = text.lines().last().unwrap_or_default();
    let summary: Value = serde_json::from_str(summary).unwrap_or_else(|_| panic!("{}", told(output)));
    summary["peak_memory_bytes"].as_u64().unwrap()
}

#[test]
fn the_cap_holds_for_input_that_asks_for_much() {
    let work = Work::new();
    // A line of 60 MB, another goal for each record, and large boards whose
    // solutions are far longer than their text.
    let long = [b"1 2 3 0\n".to_vec(), b"1 ".repeat(30 << 20), b"\n1 2 3 0\n".to_vec()].concat();
    work.write("long.txt", &long);
    let mut goals = String::new();
    for n in 0..3000u64 {
        let mut tiles: Vec<u64> = (0..16).collect();
        (0..15).for_each(|i| tiles.swap(i, i + (n * 7919 % (16 - i as u64)) as usize));
        let text = |tiles: &[u64]| tiles.iter().map(u64::to_string).collect::<Vec<_>>().join(" ");
        goals += &format!("@goal {}\n", text(&tiles));
        let blank = tiles.iter().position(|&tile| tile == 0).unwrap();
        tiles.swap(blank, blank ^ 1);
        goals += &format!("{}\n", text(&tiles));
    }
    work.write("goals.txt", goals.as_bytes());
    let large = work.run(&["generate", "--size", "40x40", "--count", "80", "--seed", "3"]).stdout;
    work.write("large.txt", &large);
    for name in ["long.txt", "goals.txt", "large.txt"] {
        for threads in ["1", "16"] {
            let output = work.run(&[name, "-m", "48MiB", "-t", threads, "--format", "jsonl", "--quiet"]);
            assert!(matches!(output.status.code(), Some(0 | 2)), "{name}: {}", told(&output));
            assert!(peak(&output) <= 48 << 20, "{name} on {threads}: {} bytes", peak(&output));
        }
    }
}

/// Whoever reads results keeps to the cap, too, however long a result is.
#[test]
fn results_that_are_too_long_are_refused() {
    let work = Work::new();
    work.write("one.txt", b"1 2 3 0\n");
    let moves = b"UD".repeat(4 << 20);
    work.write("long.txt", &[b"1\tsolved\t2\t", &moves[..], b"\n"].concat());
    work.write("long.csv", &[b"n,status,length,moves\n1,solved,2,", &moves[..], b"\n"].concat());
    let blocks = b"[0,0,0,1],".repeat(800_000);
    let json = br#"{"type":"result","v":1,"file":"one.txt","n":1,"status":"solved","length":1,"moves":["#;
    work.write("long.jsonl", &[&json[..], &blocks, b"[0,0,0,1]]}\n"].concat());
    for name in ["long.txt", "long.csv", "long.jsonl"] {
        let commands: [&[&str]; 3] = [
            &["check", "one.txt", name],
            &["improve", "one.txt", name],
            &["convert", "one.txt", "--to", "runs", "--results", name],
        ];
        for command in commands {
            let output = work.run(&[command, &["-m", "48MiB"]].concat());
            assert_eq!(output.status.code(), Some(2), "{command:?}");
            let told = told(&output);
            assert!(told.contains("longer than") && told.contains("raise --memory"), "{told}");
        }
    }
    // With more memory they are read, and wrong.
    assert_eq!(work.run(&["check", "one.txt", "long.txt", "-m", "512MiB"]).status.code(), Some(1));
    let output = work.run(&["check", "one.txt", "long.txt", "-m", "9MiB"]);
    assert!(told(&output).contains("--memory") && output.status.code() == Some(2), "{}", told(&output));
}

/// Every configuration on the way is far more than the moves: it is written as it
/// is made.
#[test]
fn configurations_of_large_boards_are_not_held_in_memory() {
    let work = Work::new();
    let boards = work.run(&["generate", "--size", "24x24", "--count", "3", "--seed", "3"]).stdout;
    work.write("boards.txt", &boards);
    for threads in ["1", "8"] {
        let arguments = ["boards.txt", "-o", "r.states", "--force", "-m", "48MiB", "-t", threads];
        let output = work.run(&arguments);
        assert_eq!(output.status.code(), Some(0), "{}", told(&output));
        let told = told(&output);
        let peak = told.split("memory ").nth(1).and_then(|rest| rest.trim().split(' ').next()).unwrap();
        assert!(peak.parse::<f64>().unwrap() < 48.0, "{told}");
        assert!(fs::metadata(work.path("r.states")).unwrap().len() > 100 << 20);
        assert_eq!(work.run(&["check", "boards.txt", "r.states"]).status.code(), Some(0));
    }
}
