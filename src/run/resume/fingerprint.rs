//! What results depend on: the options that change them, and the puzzle files.
//!
//! SpawnThreads, memory and the time for the whole run are not part of it: they belong to the
//! machine, and a run may be resumed on another one.
//!
//! Invariant: a fingerprint has a bounded size. Long values are abbreviated with their hash, and
//! of many files only the first few are listed; the others count in hashes.

use crate::files::name::path_of;
use crate::options::Options;
use crate::output::Style;
use clap::ValueEnum;
use std::fmt::{self, Display, Write};
use std::fs;
use std::hash::Hasher;
use std::time::UNIX_EPOCH;
use twox_hash::XxHash64;

/// Bytes of an option's value or a file's name that are written out.
const LONGEST: usize = 200;

/// Files that are listed with their names, sizes and times.
const LISTED: usize = 8;

/// The options and the files of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Fingerprint {
    options: Vec<(String, String)>,
    files: Files,
}

/// The puzzle files, by what the system says of them.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Files {
    count: u64,
    /// Hashes of all names, sizes and times.
    names: u64,
    sizes: u64,
    times: u64,
    /// The first files.
    listed: Vec<FileMark>,
}

/// A puzzle file, by what the system says of it.
#[derive(Clone, PartialEq, Eq, Debug)]
struct FileMark {
    name: String,
    /// Its size and the time of its last change in nanoseconds; none if it
    /// cannot be looked at.
    state: Option<(u64, u64)>,
}

/// What is not as it was.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Difference {
    /// An option.
    Option {
        /// Its name.
        name: String,
        /// What it was.
        then: String,
        /// What it is.
        now: String,
    },
    /// The files that were given.
    Files {
        /// What they were.
        then: String,
    },
    /// A file's size.
    Size {
        /// Its name.
        file: String,
        /// What the size was, if it could be seen.
        then: Option<u64>,
        /// What it is.
        now: Option<u64>,
    },
    /// The size of a file that is not listed.
    SomeSize,
    /// The beginning of a file, which is answered already.
    Text {
        /// Its name.
        file: String,
        /// How much of it is answered.
        bytes: u64,
    },
}

impl Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Option { name, then, now } => write!(f, "{name} was {then} and is {now}"),
            Self::Files { then } => write!(f, "its puzzle files were {then}"),
            Self::Size { file, then: Some(then), now: Some(now) } => {
                write!(f, "{file} has changed: it had {then} bytes and has {now}")
            }
            Self::Size { file, then: None, .. } => write!(f, "{file} has changed: it was not there"),
            Self::Size { file, .. } => write!(f, "{file} has changed: it is not there any more"),
            Self::SomeSize => write!(f, "a puzzle file after the first {LISTED} has another size"),
            Self::Text { file, bytes } => {
                write!(
                    f,
                    "{file} or a file before it has changed: what was answered, up to byte {bytes}, differs"
                )
            }
        }
    }
}

impl Fingerprint {
    /// What a run of now would depend on.
    pub(crate) fn new(options: &Options, style: Style) -> Self {
        Self { options: as_pairs(options, style), files: Files::new(&options.files) }
    }

    /// Whether a run with the earlier fingerprint can be resumed; if so, a
    /// file that only has another time.
    pub(crate) fn compare(&self, then: &Self) -> Result<Option<String>, Difference> {
        let value = |options: &[(String, String)], name: &str| {
            let found = options.iter().find(|(other, _)| other == name);
            found.map_or_else(|| "unknown".into(), |(_, value)| value.clone())
        };
        for (name, _) in self.options.iter().chain(&then.options) {
            let (now, then) = (value(&self.options, name), value(&then.options, name));
            if now != then {
                return Err(Difference::Option { name: name.clone(), then, now });
            }
        }
        self.files.compare(&then.files)
    }

    /// Appends the lines that [`Fingerprint::parse`] reads.
    pub(crate) fn write(&self, text: &mut String) {
        for (name, value) in &self.options {
            let _ = writeln!(text, "{name} {value}");
        }
        let Files { count, names, sizes, times, listed } = &self.files;
        let _ = writeln!(text, "files {count} {names:016x} {sizes:016x} {times:016x}");
        for FileMark { name, state } in listed {
            let _ = match state {
                Some((size, time)) => writeln!(text, "file {size} {time} {name}"),
                None => writeln!(text, "file - - {name}"),
            };
        }
    }

    /// Reads a fingerprint's lines.
    pub(crate) fn parse<'t>(lines: impl Iterator<Item = &'t str>) -> Option<Self> {
        let mut options = Vec::new();
        let mut files: Option<Files> = None;
        for line in lines {
            let (word, rest) = line.split_once(' ')?;
            match (word, &mut files) {
                (name, None) if name.starts_with("--") => options.push((name.into(), rest.into())),
                ("files", None) => files = Some(Files::parse(rest)?),
                ("file", Some(files)) if files.listed.len() < LISTED => {
                    files.listed.push(FileMark::parse(rest)?);
                }
                _ => return None,
            }
        }
        Some(Self { options, files: files? })
    }
}

/// The options that change results, as they are typed on the command line.
///
/// Every field of the options is named here, so that a new one has to be put on one side.
fn as_pairs(options: &Options, style: Style) -> Vec<(String, String)> {
    let Options {
        quality,
        algorithm,
        heuristic,
        partition,
        weight,
        beam_width,
        tile_metric,
        tray_metric,
        goal,
        max_nodes,
        timeout,
        input_format,
        shard: (index, shards),
        deterministic,
        // The files have fingerprints of their own.
        files: _,
        // Where and when a run happens does not change what a result says.
        threads: _,
        memory: _,
        store: _,
        checkpoint: _,
        deadline: _,
        explain: _,
    } = options;
    let Style { format, notation } = style;
    let heuristic = match partition {
        Some(partition) => format!("{}:{partition}", typed(heuristic)),
        None => typed(heuristic),
    };
    // One option for both: at most one of them is not the default.
    let metric = match (*tile_metric == Default::default(), *tray_metric == Default::default()) {
        (true, true) => "not given",
        (false, _) => tile_metric.name(),
        (true, false) => tray_metric.name(),
    };
    let timeout = timeout.map(|timeout| format!("{timeout:?}"));
    let all = [
        ("--quality", typed(quality)),
        ("--algorithm", typed(algorithm)),
        ("--heuristic", heuristic),
        ("--weight", weight.to_string()),
        ("--beam-width", if_given(beam_width.as_ref())),
        ("--metric", metric.into()),
        ("--goal", goal.clone()),
        ("--max-nodes", if_given(max_nodes.as_ref())),
        ("--timeout", if_given(timeout.as_ref())),
        ("--input-format", if_given(input_format.as_ref())),
        ("--shard", format!("{index}/{shards}")),
        ("--deterministic", (if *deterministic { "given" } else { "not given" }).into()),
        ("--format", typed(&format)),
        ("--notation", typed(&notation)),
    ];
    all.map(|(name, value)| (name.to_owned(), abbreviate(&value))).to_vec()
}

/// A value's name on the command line.
fn typed(value: &impl ValueEnum) -> String {
    value.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
}

fn if_given(value: Option<&impl Display>) -> String {
    value.map_or_else(|| "not given".into(), ToString::to_string)
}

/// A text on one line, in a bounded number of bytes; different texts stay different.
fn abbreviate(text: &str) -> String {
    let mut line = String::new();
    for part in text.escape_debug() {
        if line.len() >= LONGEST {
            let _ =
                write!(line, "… ({} bytes, hash {:016x})", text.len(), XxHash64::oneshot(0, text.as_bytes()));
            break;
        }
        line.push(part);
    }
    line
}

impl Files {
    /// Looks at each file once; what is held does not grow with their number.
    fn new(files: &[String]) -> Self {
        let [mut names, mut sizes, mut times] = [(); 3].map(|()| XxHash64::with_seed(0));
        let mut listed = Vec::new();
        for file in files {
            let state = state(file);
            // A zero cannot be part of a name.
            names.write(file.as_bytes());
            names.write(&[0]);
            let (size, time) = state.unwrap_or((u64::MAX, u64::MAX));
            sizes.write(&size.to_le_bytes());
            times.write(&time.to_le_bytes());
            if listed.len() < LISTED {
                listed.push(FileMark { name: abbreviate(file), state });
            }
        }
        let [names, sizes, times] = [names, sizes, times].map(|hash| hash.finish());
        Self { count: files.len() as u64, names, sizes, times, listed }
    }

    fn compare(&self, then: &Self) -> Result<Option<String>, Difference> {
        if (self.count, self.names) != (then.count, then.names) {
            return Err(Difference::Files { then: then.to_string() });
        }
        for (now, then) in self.listed.iter().zip(&then.listed) {
            let size = |file: &FileMark| file.state.map(|(size, _)| size);
            if size(now) != size(then) {
                return Err(Difference::Size { file: now.name.clone(), then: size(then), now: size(now) });
            }
        }
        if self.sizes != then.sizes {
            return Err(Difference::SomeSize);
        }
        let mut pairs = self.listed.iter().zip(&then.listed);
        let touched = pairs.find(|(now, then)| now.state != then.state).map(|(now, _)| now.name.clone());
        Ok(touched.or_else(|| (self.times != then.times).then(|| "a puzzle file".into())))
    }

    fn parse(text: &str) -> Option<Self> {
        let mut words = text.split(' ');
        let count = words.next()?.parse().ok()?;
        let mut hash = || u64::from_str_radix(words.next()?, 16).ok();
        let (names, sizes, times) = (hash()?, hash()?, hash()?);
        words.next().is_none().then_some(Self { count, names, sizes, times, listed: Vec::new() })
    }
}

impl Display for Files {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.listed.iter().map(|file| file.name.as_str()).collect();
        write!(f, "{}", names.join(", "))?;
        match self.count.saturating_sub(names.len() as u64) {
            0 => Ok(()),
            more => write!(f, " and {more} more"),
        }
    }
}

impl FileMark {
    fn parse(text: &str) -> Option<Self> {
        let mut words = text.splitn(3, ' ');
        let (size, time, name) = (words.next()?, words.next()?, words.next()?);
        let state = match (size, time) {
            ("-", "-") => None,
            (size, time) => Some((size.parse().ok()?, time.parse().ok()?)),
        };
        Some(Self { name: name.to_owned(), state })
    }
}

/// The size and the time of a file, if it can be looked at.
fn state(file: &str) -> Option<(u64, u64)> {
    let metadata = fs::metadata(path_of(file)).ok()?;
    let time = metadata.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    Some((metadata.len(), time.map_or(0, |time| time.as_nanos() as u64)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::{Algorithm, HeuristicChoice};

    fn read(print: &Fingerprint) -> Fingerprint {
        let mut text = String::new();
        print.write(&mut text);
        assert!(text.len() < 8 << 10, "{} bytes", text.len());
        Fingerprint::parse(text.lines()).unwrap()
    }

    #[test]
    fn a_fingerprint_is_small_and_still_tells_everything_apart() {
        let files: Vec<String> = (0..5000).map(|n| format!("{n}\n{}", "\u{1b}".repeat(300))).collect();
        let goal = "1 ".repeat(100_000);
        let options = Options { files, goal, ..Options::default() };
        let print = Fingerprint::new(&options, Style::default());
        assert_eq!(read(&print), print);
        assert_eq!(print.compare(&read(&print)), Ok(None));
        let mut other = options.clone();
        other.goal.push('2');
        let changed = Fingerprint::new(&other, Style::default()).compare(&print).unwrap_err();
        assert!(matches!(changed, Difference::Option { ref name, .. } if name == "--goal"), "{changed}");
        let mut other = options;
        other.files[4999].push('x');
        let changed = Fingerprint::new(&other, Style::default()).compare(&print).unwrap_err();
        assert!(changed.to_string().ends_with(" and 4992 more"), "{changed}");
    }

    #[test]
    fn options_are_told_as_they_are_typed() {
        let heuristic = HeuristicChoice::LinearConflict;
        let options = Options { heuristic, algorithm: Algorithm::Astar, ..Options::default() };
        let print = Fingerprint::new(&options, Style::default());
        let typed = |name: &str| print.options.iter().find(|(option, _)| option == name).unwrap().1.as_str();
        assert_eq!(typed("--heuristic"), "linear-conflict");
        assert_eq!((typed("--algorithm"), typed("--format")), ("astar", "text"));
        let partition = Some("7-8".parse().unwrap());
        let options = Options { heuristic: HeuristicChoice::Pdb, partition, ..options };
        let changed = Fingerprint::new(&options, Style::default()).compare(&print).unwrap_err();
        assert_eq!(changed.to_string(), "--heuristic was linear-conflict and is pdb:7-8");
    }
}
