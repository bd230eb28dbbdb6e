//! What results depend on: the options that change them, and the puzzle files.
//!
//! How many threads there are, how much memory and how much time for the whole
//! run is not part of it: these are what a machine has to give, and a run may be
//! gone on with elsewhere.

use crate::batch::settings::Settings;
use crate::file_name::path_of;
use crate::output::Style;
use serde_json::{Map, Value, json};
use std::fmt;
use std::fs;
use std::time::UNIX_EPOCH;

/// The options and the files of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::batch) struct Fingerprint {
    options: Vec<(String, String)>,
    files: Vec<FileMark>,
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
    /// The beginning of a file, which is answered already.
    Text {
        /// Its name.
        file: String,
        /// How much of it is answered.
        bytes: u64,
    },
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Option { name, then, now } => write!(f, "{name} was {then} and is {now}"),
            Self::Files { then } => write!(f, "its puzzle files were {then}"),
            Self::Size { file, then: Some(then), now: Some(now) } => {
                write!(f, "{file} has changed: it had {then} bytes and has {now}")
            }
            Self::Size { file, then: None, .. } => write!(f, "{file} has changed: it was not there"),
            Self::Size { file, .. } => write!(f, "{file} has changed: it is not there any more"),
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
    pub(super) fn new(settings: &Settings, style: Style) -> Self {
        Self {
            options: options(settings, style),
            files: settings.files.iter().map(|file| FileMark::new(file)).collect(),
        }
    }

    /// Whether a run with the earlier fingerprint can be gone on with; if so, a
    /// file that only has another time.
    pub(super) fn compare(&self, then: &Self) -> Result<Option<String>, Difference> {
        for (name, now) in &self.options {
            let before = then.options.iter().find(|(other, _)| other == name);
            let before = before.map_or("unknown", |(_, value)| value);
            if before != now {
                let (name, now) = (name.clone(), now.clone());
                return Err(Difference::Option { name, then: before.into(), now });
            }
        }
        let names = |print: &Self| print.files.iter().map(|file| file.name.clone()).collect::<Vec<_>>();
        if names(self) != names(then) {
            return Err(Difference::Files { then: names(then).join(", ") });
        }
        let mut touched = None;
        for (now, then) in self.files.iter().zip(&then.files) {
            let size = |file: &FileMark| file.state.map(|(size, _)| size);
            if size(now) != size(then) {
                return Err(Difference::Size { file: now.name.clone(), then: size(then), now: size(now) });
            }
            if now != then {
                touched.get_or_insert_with(|| now.name.clone());
            }
        }
        Ok(touched)
    }

    pub(super) fn to_json(&self) -> Value {
        let options: Map<String, Value> =
            self.options.iter().map(|(name, value)| (name.clone(), value.as_str().into())).collect();
        let files: Vec<Value> = self.files.iter().map(FileMark::to_json).collect();
        json!({"options": options, "files": files})
    }

    pub(super) fn from_json(value: &Value) -> Option<Self> {
        let option = |(name, value): (&String, &Value)| Some((name.clone(), value.as_str()?.to_owned()));
        let options = value["options"].as_object()?.iter().map(option).collect::<Option<_>>()?;
        let files = value["files"].as_array()?.iter().map(FileMark::from_json).collect::<Option<_>>()?;
        Some(Self { options, files })
    }
}

/// The options that change results, as they are given on the command line.
fn options(settings: &Settings, style: Style) -> Vec<(String, String)> {
    fn word(value: impl fmt::Debug) -> String {
        format!("{value:?}").to_lowercase()
    }
    fn or_none(value: Option<impl ToString>) -> String {
        value.map_or_else(|| "not given".into(), |value| value.to_string())
    }
    let partition = settings.partition.as_ref().map_or(String::new(), |partition| format!(":{partition}"));
    let (index, shards) = settings.shard;
    let timeout = settings.timeout.map(|timeout| format!("{timeout:?}"));
    let all = [
        ("--quality", word(settings.quality)),
        ("--algorithm", word(settings.algorithm)),
        ("--heuristic", word(settings.heuristic) + &partition),
        ("--weight", settings.weight.to_string()),
        ("--beam-width", or_none(settings.beam_width)),
        ("--metric", format!("{}, {}", settings.tile_metric.name(), settings.tray_metric.name())),
        ("--goal", settings.goal.clone()),
        ("--max-nodes", or_none(settings.max_nodes)),
        ("--timeout", or_none(timeout)),
        ("--input-format", or_none(settings.input_format.clone())),
        ("--shard", format!("{index}/{shards}")),
        ("--deterministic", settings.deterministic.to_string()),
        ("--format", word(style.format)),
        ("--notation", word(style.notation)),
    ];
    all.map(|(name, value)| (name.to_owned(), value)).to_vec()
}

impl FileMark {
    fn new(name: &str) -> Self {
        let state = fs::metadata(path_of(name)).ok().map(|metadata| {
            let time = metadata.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
            (metadata.len(), time.map_or(0, |time| time.as_nanos() as u64))
        });
        Self { name: name.to_owned(), state }
    }

    fn to_json(&self) -> Value {
        match self.state {
            Some((size, time)) => json!({"name": self.name, "size": size, "time_ns": time}),
            None => json!({"name": self.name}),
        }
    }

    fn from_json(value: &Value) -> Option<Self> {
        let state = value["size"].as_u64().zip(value["time_ns"].as_u64());
        Some(Self { name: value["name"].as_str()?.to_owned(), state })
    }
}
