//! Runs every command of the real program under one cap on its memory, on input
//! made to take much, and prints what each took at its peak: a test tool, not part
//! of what is installed.
//!
//! ```text
//! cargo run --release --example memory -- [CAP_MIB] [LINE_MIB] [PROGRAM]
//! ```
//!
//! `CAP_MIB` is the cap (64), `LINE_MIB` the size of the input that is one line
//! (64). Exit status 1 if a peak was over the cap, or a run was killed. Started in a
//! shell with `ulimit -v` or in a control group, it shows what happens there.

mod inputs;

use inputs::Inputs;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// How many threads are tried where there may be many.
const THREADS: [&str; 3] = ["1", "16", "64"];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize| arguments.get(at).map_or(Ok(64), |text| text.parse::<usize>());
    let (Ok(cap), Ok(line)) = (number(0), number(1)) else {
        eprintln!("memory [CAP_MIB] [LINE_MIB] [PROGRAM]");
        return ExitCode::from(2);
    };
    let program = arguments.get(2).map_or_else(beside_this, PathBuf::from);
    let folder = tempfile::tempdir().expect("a folder for a while");
    let sweep = Sweep { program, folder: folder.path().to_owned(), cap };
    Inputs { sweep: &sweep, line: line << 20 }.make();
    println!("  peak of {cap} MiB   status       s   command");
    let mut wrong = 0;
    for (command, many) in commands() {
        for threads in if many { &THREADS[..] } else { &THREADS[..1] } {
            let mut words: Vec<&str> = command.split(' ').collect();
            if many {
                words.extend(["-t", threads]);
            }
            wrong += u32::from(!sweep.measure(&words));
        }
    }
    println!("{wrong} over the cap or killed");
    if wrong == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// What is run, and whether with many threads, too. `CAP` becomes `-m` and the cap;
/// `CAP=N` is one of N MiB, for what refuses less than 64.
fn commands() -> Vec<(&'static str, bool)> {
    vec![
        ("long.txt CAP --format jsonl", true),
        ("million.txt CAP --format jsonl", true),
        ("invalid.txt CAP --format csv", true),
        ("goals.txt CAP --format jsonl", true),
        ("trays.txt CAP --quality fast", true),
        ("large.txt CAP", true),
        ("middle.txt CAP --format states", true),
        ("million.txt.gz CAP", true),
        ("fifteen.txt CAP --quality optimal", true),
        ("fifteen.txt CAP --quality optimal -a astar --heuristic manhattan --timeout 1s", true),
        ("tray large.init large.goal CAP", false),
        ("improve large.txt large.results CAP --timeout 20ms", true),
        ("improve one.txt long.results CAP", false),
        ("check large.txt large.results CAP", false),
        ("check middle.txt middle.states CAP", false),
        ("check million.txt million.results CAP", false),
        ("check million.txt backwards.results CAP", false),
        ("check one.txt long.results CAP", false),
        ("check one.txt long.txt CAP --format csv", false),
        ("check one.txt moves.results CAP", false),
        ("check long.txt one.txt CAP", false),
        ("convert million.txt --to grid CAP", false),
        ("convert long.txt --to line CAP", false),
        ("convert trays.txt --to letters CAP", false),
        ("convert middle.txt --results middle.results --to answer CAP", false),
        ("convert one.txt --results long.results --to runs CAP", false),
        ("generate --size 256x256 --count 20", false),
        ("generate --size 3x3 --count 300000", false),
        ("generate trays --size 4x4 --holes 3 --count 200", false),
        ("trace V F Q CAP 2 15 1 12 8 5 6 11 4 9 10 7 3 14 13 0 --max-nodes 3000000", false),
        ("trace S P Q CAP 2 15 1 12 8 5 6 11 4 9 10 7 3 14 13 0", false),
        ("shell script.txt CAP", false),
        ("shell long.txt CAP", false),
        ("experiment max-nodes CAP -o experiment --force", false),
        ("experiment max-nodes CAP=192 -o experiment --force", true),
        ("experiment trays CAP=192 -o experiment --force", true),
        ("pdb build 5-5-5 CAP --pdb-dir databases", true),
        ("pdb verify --pdb-dir databases", false),
        ("pdb build 7-8 CAP --pdb-dir databases", false),
    ]
}

/// The program, the folder in which it runs, and the cap in MiB.
struct Sweep {
    program: PathBuf,
    folder: PathBuf,
    cap: usize,
}

impl Sweep {
    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        command.current_dir(&self.folder).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        for &word in words {
            match word.strip_prefix("CAP") {
                Some(_) => command.args(["-m", &format!("{}MiB", self.cap_of(word))]),
                None => command.arg(word),
            };
        }
        command
    }

    /// The cap of a word that stands for one, in MiB.
    fn cap_of(&self, word: &str) -> usize {
        word.strip_prefix("CAP=").and_then(|cap| cap.parse().ok()).unwrap_or(self.cap)
    }

    /// Runs a command and says what it took; whether that was right.
    fn measure(&self, words: &[&str]) -> bool {
        let started = Instant::now();
        let (status, peak) = peak(&mut self.command(words));
        let killed = status.code().is_none();
        let cap =
            words.iter().find(|word| word.starts_with("CAP")).map_or(self.cap, |word| self.cap_of(word));
        let fits = peak <= (cap as u64) << 10;
        let how = status
            .code()
            .map_or_else(|| format!("signal {}", status.signal().unwrap_or(0)), |code| code.to_string());
        println!(
            "{} {:9.1} MiB {how:>10} {:7.1}   {}",
            if fits && !killed { ' ' } else { '!' },
            peak as f64 / 1024.0,
            started.elapsed().as_secs_f64(),
            words.join(" ")
        );
        fits && !killed
    }
}

/// How a run ended, and its peak resident memory in KiB.
#[allow(clippy::zombie_processes, reason = "wait4 waits for it")]
fn peak(command: &mut Command) -> (ExitStatus, u64) {
    let child = command.spawn().expect("the program can be started");
    let pid = child.id() as libc::pid_t;
    #[allow(unsafe_code)]
    // SAFETY: all zeros are numbers, too.
    let (mut status, mut usage) = (0, unsafe { std::mem::zeroed::<libc::rusage>() });
    loop {
        #[allow(unsafe_code)]
        // SAFETY: a child that nobody else waits for, and places for the answers.
        let ended = unsafe { libc::wait4(pid, &raw mut status, libc::WNOHANG, &raw mut usage) };
        if ended == pid {
            return (ExitStatus::from_raw(status), usage.ru_maxrss as u64);
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// The program that was built together with this one.
fn beside_this() -> PathBuf {
    let own = std::env::current_exe().expect("a program knows where it is");
    let folder = own.parent().and_then(Path::parent).expect("examples lie in a folder of their own");
    folder.join("batch-solve")
}
