//! A way to search, as an experiment names it.

use crate::options::{Algorithm, HeuristicChoice, Options};
use clap::ValueEnum;
use std::{fmt, str::FromStr};

/// A search with its heuristic, and its width or weight.
///
/// It is written as `NAME`, `NAME:HEURISTIC`, `NAME:NUMBER` or
/// `NAME:HEURISTIC:NUMBER`; `h1` and `h2` are the courses' names for misplaced
/// tiles and Manhattan distance, which is what a method has unless it says
/// otherwise.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Method {
    /// The search.
    pub algorithm: Algorithm,
    /// What guides it.
    pub heuristic: HeuristicChoice,
    /// The width of a beam.
    pub width: Option<usize>,
    /// The weight of weighted A*.
    pub weight: Option<f64>,
}

/// The heuristics for tile boards that need nothing from a disk.
const TILES: [HeuristicChoice; 4] = [
    HeuristicChoice::Misplaced,
    HeuristicChoice::Manhattan,
    HeuristicChoice::LinearConflict,
    HeuristicChoice::WalkingDistance,
];

/// A text that names no method.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("'{text}' is not a method such as astar:h1, beam:100 or wastar:manhattan:1.5: {what}")]
pub struct MethodError {
    text: String,
    what: String,
}

impl Method {
    /// Whether the heuristic plays a part.
    pub fn is_informed(&self) -> bool {
        !matches!(self.algorithm, Algorithm::Bfs | Algorithm::Dfs)
    }

    /// What a solver is told.
    pub fn options(&self) -> Options {
        Options {
            algorithm: self.algorithm,
            heuristic: self.heuristic,
            beam_width: self.width,
            weight: self.weight.unwrap_or(1.5),
            ..Options::default()
        }
    }

    /// Its name in legends and tables.
    pub fn label(&self) -> String {
        let search = match self.algorithm {
            Algorithm::Astar => "A*".to_owned(),
            Algorithm::Bfs => "FIFO queue (breadth-first)".into(),
            Algorithm::Dfs => "stack (depth-first)".into(),
            Algorithm::Greedy => "priority queue (greedy".into(),
            Algorithm::Ida => "IDA*".into(),
            Algorithm::Beam => {
                format!("beam {}", self.width.map_or("by memory".to_owned(), |width| width.to_string()))
            }
            Algorithm::Wastar => format!("A* × {}", self.weight.unwrap_or(1.5)),
            _ => name(&self.algorithm),
        };
        let heuristic = match self.heuristic {
            HeuristicChoice::Misplaced => "h1".into(),
            HeuristicChoice::Manhattan => "h2".into(),
            _ => name(&self.heuristic),
        };
        match self.algorithm {
            Algorithm::Greedy => format!("{search}, {heuristic})"),
            Algorithm::Beam if self.heuristic == HeuristicChoice::Manhattan => search,
            _ if self.is_informed() => format!("{search} {heuristic}"),
            _ => search,
        }
    }
}

/// The word for a choice on the command line.
pub(super) fn name(choice: &impl ValueEnum) -> String {
    choice.to_possible_value().map_or(String::new(), |value| value.get_name().to_owned())
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&name(&self.algorithm))?;
        if self.is_informed() {
            write!(f, ":{}", name(&self.heuristic))?;
        }
        if let Some(width) = self.width {
            write!(f, ":{width}")?;
        }
        if let Some(weight) = self.weight {
            write!(f, ":{weight}")?;
        }
        Ok(())
    }
}

impl FromStr for Method {
    type Err = MethodError;

    fn from_str(text: &str) -> Result<Self, MethodError> {
        let wrong = |what: &str| MethodError { text: text.to_owned(), what: what.to_owned() };
        let mut parts = text.trim().split(':');
        let algorithm = Algorithm::from_str(parts.next().unwrap_or_default(), true)
            .map_err(|_| wrong("there is no such algorithm"))?;
        let mut method = Self { algorithm, heuristic: HeuristicChoice::Manhattan, width: None, weight: None };
        for part in parts {
            if let Ok(number) = part.parse::<f64>() {
                match algorithm {
                    Algorithm::Beam if number >= 1.0 => method.width = Some(number as usize),
                    Algorithm::Wastar if number >= 1.0 => method.weight = Some(number),
                    _ => return Err(wrong("the number makes no sense")),
                }
            } else {
                method.heuristic = match part {
                    "h1" => HeuristicChoice::Misplaced,
                    "h2" => HeuristicChoice::Manhattan,
                    other => HeuristicChoice::from_str(other, true)
                        .ok()
                        .filter(|choice| TILES.contains(choice))
                        .ok_or_else(|| wrong("there is no such heuristic"))?,
                };
            }
        }
        Ok(method)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn methods_are_read_as_they_are_written() {
        for (text, written, label) in [
            ("astar:h1", "astar:misplaced", "A* h1"),
            ("astar", "astar:manhattan", "A* h2"),
            ("beam:100", "beam:manhattan:100", "beam 100"),
            ("wastar:linear-conflict:1.25", "wastar:linear-conflict:1.25", "A* × 1.25 linear-conflict"),
            ("bfs", "bfs", "FIFO queue (breadth-first)"),
            ("greedy:h2", "greedy:manhattan", "priority queue (greedy, h2)"),
        ] {
            let method: Method = text.parse().unwrap();
            assert_eq!((method.to_string().as_str(), method.label().as_str()), (written, label));
            assert_eq!(written.parse(), Ok(method));
        }
        for wrong in ["dijkstra", "astar:h9", "astar:3", "astar:nearest", "beam:0", ""] {
            assert!(wrong.parse::<Method>().is_err(), "{wrong}");
        }
    }
}
