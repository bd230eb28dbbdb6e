//! One round: a file of puzzles, the program on it, perhaps killed and resumed,
//! and a look at the results.

use super::below;
use super::truth::{Answer, Truth};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde_json::Value;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// Nothing that a round asks for takes this long.
const PATIENCE: Duration = Duration::from_secs(300);

/// What all rounds came to.
#[derive(Default)]
pub(crate) struct Figures {
    rounds: u64,
    runs: u64,
    killed: u64,
    signalled: u64,
    resumed: u64,
    records: u64,
    invalid: u64,
    /// The largest part of a cap that was used, in percent.
    cap_used: u64,
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { rounds, runs, killed, signalled, resumed, records, invalid, cap_used } = self;
        write!(
            f,
            "{rounds} rounds, {runs} runs, {killed} killed, {signalled} ended by another signal, {resumed} \
             resumed; {records} records ({invalid} malformed): 0 lost, 0 twice, 0 wrong; at most {cap_used} % \
             of the cap"
        )
    }
}

/// A round's file and options.
pub(crate) struct Trial<'p> {
    program: &'p Path,
    folder: PathBuf,
    answers: Vec<Answer>,
    options: Vec<String>,
    ending: &'static str,
    cap: u64,
    can_resume: bool,
}

impl<'p> Trial<'p> {
    pub(crate) fn new(program: &'p Path, truth: &Truth, random: &mut Xoshiro256PlusPlus) -> Self {
        let folder = std::env::temp_dir().join(format!("batch-solve-soak-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).expect("a folder for the round");
        let (mut text, mut answers) = (String::new(), Vec::new());
        for _ in 0..1 + below(random, 150) {
            truth.add(random, &mut text, &mut answers);
        }
        std::fs::write(folder.join("puzzles.txt"), text).expect("a file of puzzles");
        let cap = [48, 64, 100, 256, 1024][below(random, 5) as usize];
        let threads = [1, 2, 3, 4, 8, 16, 33][below(random, 7) as usize];
        let options = vec!["--memory".into(), format!("{cap}MiB"), "--threads".into(), threads.to_string()];
        let ending = ["jsonl", "jsonl", "csv", "txt"][below(random, 4) as usize];
        let help = Command::new(program).args(["solve", "--help"]).output().expect("the program runs");
        let can_resume = String::from_utf8_lossy(&help.stdout).contains("--resume");
        Self { program, folder, answers, options, ending, cap: cap << 20, can_resume }
    }

    /// Where the round's files are; they stay.
    pub(crate) fn keep(self) -> PathBuf {
        self.folder
    }

    pub(crate) fn run(&self, random: &mut Xoshiro256PlusPlus, figures: &mut Figures) -> Result<(), String> {
        let results = self.folder.join(format!("results.{}", self.ending));
        let mut begun = false;
        // Most rounds are disturbed a few times, then left alone.
        for _ in 0..below(random, 5) {
            let mut child = self.start(&results, begun, figures);
            let signal =
                [libc::SIGKILL, libc::SIGKILL, libc::SIGTERM, libc::SIGINT][below(random, 4) as usize];
            std::thread::sleep(Duration::from_micros(below(random, 200_000)));
            let was_running = child.try_wait().map_err(|error| error.to_string())?.is_none();
            #[allow(unsafe_code)]
            // SAFETY: a signal to a child that has not been waited for.
            unsafe {
                libc::kill(child.id() as i32, signal);
            }
            let status = wait(&mut child)?;
            figures.killed += u64::from(was_running && signal == libc::SIGKILL);
            figures.signalled += u64::from(was_running && signal != libc::SIGKILL);
            self.no_crash(status)?;
            begun = results.exists();
        }
        let status = wait(&mut self.start(&results, begun, figures))?;
        self.no_crash(status)?;
        let invalid = self.answers.iter().filter(|&&answer| answer == Answer::Invalid).count();
        let expected = if invalid > 0 { 2 } else { 0 };
        if status.code() != Some(expected) {
            return Err(format!("exit status {status}, not {expected}"));
        }
        self.compare(&results, figures)?;
        figures.rounds += 1;
        figures.records += self.answers.len() as u64;
        figures.invalid += invalid as u64;
        Ok(())
    }

    fn start(&self, results: &Path, again: bool, figures: &mut Figures) -> Child {
        let mut command = Command::new(self.program);
        command
            .arg(self.folder.join("puzzles.txt"))
            .args(&self.options)
            .arg("-o")
            .arg(results)
            .arg("--quiet");
        // Said from the start, as scripts should: a run that is killed just after
        // its end has then kept its journal.
        if self.can_resume {
            command.arg("--resume");
            figures.resumed += u64::from(again);
        } else if again {
            command.arg("--force");
        }
        figures.runs += 1;
        let errors = std::fs::File::create(self.folder.join("stderr.txt")).expect("a file for messages");
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(errors).spawn().expect("the program runs")
    }

    /// A run ends by itself or by the signal that it was sent, not by a panic.
    fn no_crash(&self, status: ExitStatus) -> Result<(), String> {
        let said = std::fs::read_to_string(self.folder.join("stderr.txt")).unwrap_or_default();
        if said.contains("panicked") || said.contains("bug in batch-solve") {
            return Err(said);
        }
        match std::os::unix::process::ExitStatusExt::signal(&status) {
            None | Some(libc::SIGKILL | libc::SIGTERM | libc::SIGINT) => Ok(()),
            Some(signal) => Err(format!("ended by signal {signal}")),
        }
    }

    /// Every record has its one result, in order, and a right one.
    fn compare(&self, results: &Path, figures: &mut Figures) -> Result<(), String> {
        let checked = Command::new(self.program)
            .arg("check")
            .arg(self.folder.join("puzzles.txt"))
            .arg(results)
            .output()
            .map_err(|error| error.to_string())?;
        if !checked.status.success() {
            return Err(format!("check says: {}", String::from_utf8_lossy(&checked.stdout)));
        }
        if self.ending != "jsonl" {
            return Ok(());
        }
        let text = std::fs::read_to_string(results).map_err(|error| error.to_string())?;
        let mut lines: Vec<Value> = Vec::new();
        for line in text.lines() {
            lines.push(serde_json::from_str(line).map_err(|error| format!("{error}: {line}"))?);
        }
        let summary = lines.pop().filter(|last| last["type"] == "summary").ok_or("the summary is missing")?;
        let peak = summary["peak_memory_bytes"].as_u64().ok_or("no peak memory")?;
        figures.cap_used = figures.cap_used.max(peak * 100 / self.cap);
        if peak > self.cap {
            return Err(format!("{peak} bytes of {}", self.cap));
        }
        if lines.len() != self.answers.len() {
            return Err(format!("{} results of {} records", lines.len(), self.answers.len()));
        }
        for ((line, &answer), n) in lines.iter().zip(&self.answers).zip(1u64..) {
            if line["n"].as_u64() != Some(n) || !is_right(line, answer) {
                return Err(format!("record {n} should be {answer:?}: {line}"));
            }
        }
        Ok(())
    }
}

/// Whether a result says what is known.
fn is_right(line: &Value, answer: Answer) -> bool {
    let (status, length) = (line["status"].as_str().unwrap_or(""), line["length"].as_u64());
    let optimal = line["optimal"] == true;
    match answer {
        Answer::Length(known) => status == "solved" && length == Some(known.into()) && optimal,
        Answer::AtMost(most) => {
            let fits =
                |length: u64| length <= u64::from(most) && (u64::from(most) - length).is_multiple_of(2);
            status == "solved" && length.is_some_and(fits) && optimal
        }
        Answer::Solvable => status == "solved",
        Answer::Unsolvable => status == "unsolvable",
        Answer::Decided => status == "solved" || status == "unsolvable",
        Answer::Invalid => status == "invalid",
    }
}

/// Waits for a run; one that hangs is ended, and wrong.
fn wait(child: &mut Child) -> Result<ExitStatus, String> {
    let started = Instant::now();
    loop {
        if let Some(status) = child.try_wait().map_err(|error| error.to_string())? {
            return Ok(status);
        }
        if started.elapsed() > PATIENCE {
            let _ = child.kill();
            return Err(format!("a run did not end in {} s", PATIENCE.as_secs()));
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}
