//! Fingerprint of a run: the options that change results, and the puzzle files.
//!
//! Threads, memory and the time for the whole run are not part of it. They belong to the machine,
//! and a run may be resumed on another one.
//!
//! Invariant: a fingerprint has a bounded size. A long value is cut off and followed by its hash. Of
//! many files only the first few are listed; the others are covered by hashes.

use crate::files::name::path_of;
use crate::options::Options;
use crate::output::Style;
use clap::ValueEnum;
use std::fmt::{self, Display, Write};
use std::fs;
use std::hash::Hasher;
use std::time::UNIX_EPOCH;
use twox_hash::XxHash64;

/// Bytes of an option's value or a file's name that are written in full.
const MAX_VALUE: usize = 200;

/// Number of files that are listed with name, size and time.
const MAX_LISTED: usize = 8;

/// The options and the files of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Fingerprint {
    options: Vec<(String, String)>,
    files: Files,
}

/// Names, sizes and times of all puzzle files.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Files {
    count: u64,
    /// Hash of all names.
    names: u64,
    /// Hash of all sizes.
    sizes: u64,
    /// Hash of all times.
    times: u64,
    /// The first files.
    listed: Vec<FileState>,
}

/// Name, size and time of a puzzle file.
#[derive(Clone, PartialEq, Eq, Debug)]
struct FileState {
    name: String,
    /// Size in bytes and time of the last change in nanoseconds; `None` if the file cannot be
    /// accessed.
    size_and_time: Option<(u64, u64)>,
}

/// A change since the earlier run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Difference {
    /// An option has another value.
    Option {
        /// Name of the option.
        name: String,
        /// Value in the earlier run.
        then: String,
        /// Value in this run.
        now: String,
    },
    /// Other files are given.
    Files {
        /// Files of the earlier run.
        then: String,
    },
    /// A file has another size.
    Size {
        /// Name of the file.
        file: String,
        /// Size in the earlier run; `None` if the file could not be accessed.
        then: Option<u64>,
        /// Size in this run.
        now: Option<u64>,
    },
    /// A file that is not listed has another size.
    SomeSize,
    /// The part of the input that has been answered has changed.
    Text {
        /// Name of the last file of that part.
        file: String,
        /// Offset in this file at which the part ends.
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
            Self::SomeSize => write!(f, "a puzzle file after the first {MAX_LISTED} has another size"),
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
    /// Returns the fingerprint of a run with these options.
    pub(crate) fn new(options: &Options, style: Style) -> Self {
        Self { options: relevant_options(options, style), files: Files::new(&options.files) }
    }

    /// Checks that a run with the fingerprint `then` can be resumed. Returns the name of a file whose
    /// time alone has changed.
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
        for FileState { name, size_and_time } in listed {
            let _ = match size_and_time {
                Some((size, time)) => writeln!(text, "file {size} {time} {name}"),
                None => writeln!(text, "file - - {name}"),
            };
        }
    }

    /// Parses the lines of a fingerprint.
    pub(crate) fn parse<'t>(lines: impl Iterator<Item = &'t str>) -> Option<Self> {
        let mut options = Vec::new();
        let mut files: Option<Files> = None;
        for line in lines {
            let (word, rest) = line.split_once(' ')?;
            match (word, &mut files) {
                (name, None) if name.starts_with("--") => options.push((name.into(), rest.into())),
                ("files", None) => files = Some(Files::parse(rest)?),
                ("file", Some(files)) if files.listed.len() < MAX_LISTED => {
                    files.listed.push(FileState::parse(rest)?);
                }
                _ => return None,
            }
        }
        Some(Self { options, files: files? })
    }
}

/// Returns the options that change results, as they are typed on the command line.
///
/// The pattern names every field of the options, so that a new one must be included or excluded.
fn relevant_options(options: &Options, style: Style) -> Vec<(String, String)> {
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
        // Covered by `Files`.
        files: _,
        // Machine and time of a run do not change its results.
        threads: _,
        memory: _,
        store: _,
        checkpoint: _,
        deadline: _,
        explain: _,
    } = options;
    let Style { format, notation } = style;
    let heuristic = match partition {
        Some(partition) => format!("{}:{partition}", option_name(heuristic)),
        None => option_name(heuristic),
    };
    // `--metric` sets both: at most one of them is not the default.
    let metric = match (*tile_metric == Default::default(), *tray_metric == Default::default()) {
        (true, true) => "not given",
        (false, _) => tile_metric.name(),
        (true, false) => tray_metric.name(),
    };
    let timeout = timeout.map(|timeout| format!("{timeout:?}"));
    let all = [
        ("--quality", option_name(quality)),
        ("--algorithm", option_name(algorithm)),
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
        ("--format", option_name(&format)),
        ("--notation", option_name(&notation)),
    ];
    all.map(|(name, value)| (name.to_owned(), abbreviate(&value))).to_vec()
}

/// Returns a value's name on the command line.
fn option_name(value: &impl ValueEnum) -> String {
    value.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
}

fn if_given(value: Option<&impl Display>) -> String {
    value.map_or_else(|| "not given".into(), ToString::to_string)
}

/// Escapes a text to one line and cuts it off after [`MAX_VALUE`] bytes. A hash of the whole text
/// follows, so that different texts stay different.
fn abbreviate(text: &str) -> String {
    let mut line = String::new();
    for part in text.escape_debug() {
        if line.len() >= MAX_VALUE {
            let _ =
                write!(line, "… ({} bytes, hash {:016x})", text.len(), XxHash64::oneshot(0, text.as_bytes()));
            break;
        }
        line.push(part);
    }
    line
}

impl Files {
    /// Reads the metadata of each file once. The memory does not grow with their number.
    fn new(files: &[String]) -> Self {
        let [mut names, mut sizes, mut times] = [(); 3].map(|()| XxHash64::with_seed(0));
        let mut listed = Vec::new();
        for file in files {
            let size_and_time = size_and_time(file);
            // A separator: no name contains a zero byte.
            names.write(file.as_bytes());
            names.write(&[0]);
            let (size, time) = size_and_time.unwrap_or((u64::MAX, u64::MAX));
            sizes.write(&size.to_le_bytes());
            times.write(&time.to_le_bytes());
            if listed.len() < MAX_LISTED {
                listed.push(FileState { name: abbreviate(file), size_and_time });
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
            let size = |file: &FileState| file.size_and_time.map(|(size, _)| size);
            if size(now) != size(then) {
                return Err(Difference::Size { file: now.name.clone(), then: size(then), now: size(now) });
            }
        }
        if self.sizes != then.sizes {
            return Err(Difference::SomeSize);
        }
        let mut pairs = self.listed.iter().zip(&then.listed);
        let touched = pairs
            .find(|(now, then)| now.size_and_time != then.size_and_time)
            .map(|(now, _)| now.name.clone());
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

impl FileState {
    fn parse(text: &str) -> Option<Self> {
        let mut words = text.splitn(3, ' ');
        let (size, time, name) = (words.next()?, words.next()?, words.next()?);
        let size_and_time = match (size, time) {
            ("-", "-") => None,
            (size, time) => Some((size.parse().ok()?, time.parse().ok()?)),
        };
        Some(Self { name: name.to_owned(), size_and_time })
    }
}

/// Returns the size and the time of a file, if it can be accessed.
fn size_and_time(file: &str) -> Option<(u64, u64)> {
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
    fn a_fingerprint_is_small_and_distinguishes_all_inputs() {
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
    fn options_are_named_as_on_the_command_line() {
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
