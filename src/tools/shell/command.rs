//! What a line asks for.

use crate::puzzle::tiles::Direction;

/// The commands and their arguments, for completion.
pub const COMMANDS: [(&str, &[&str]); 8] = [
    ("setState", &[]),
    ("randomizeState", &[]),
    ("printState", &[]),
    ("move", &["up", "down", "left", "right"]),
    ("maxNodes", &[]),
    ("solve", &["A-star h1", "A-star h2", "beam"]),
    ("help", &[]),
    ("quit", &[]),
];

/// What `help` says.
pub const HELP: &str = "\
setState b12 345 678          set the state, row by row; b is the blank, spaces are free
randomizeState n              n random moves from the goal, none of which undoes the one before
printState                    print the state
move up|down|left|right       move the blank
maxNodes n                    new states that a search may queue, the start not counted
solve A-star h1|h2            A*: h1 counts misplaced tiles, h2 sums their distances
solve beam k                  beam search with the k best states of each level, by h2
help                          this list
quit                          end the session
Everything after a # is a comment. The goal has the blank first: b12 345 678.
";

/// A line, understood.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Command {
    /// Nothing: an empty line or a comment.
    Nothing,
    /// `setState`, with what follows.
    SetState(String),
    /// `randomizeState n`.
    RandomizeState(u64),
    /// `printState`.
    PrintState,
    /// `move` and where the blank should go.
    Move(Direction),
    /// `maxNodes n`.
    MaxNodes(u64),
    /// `solve` and how.
    Solve(Method),
    /// `help`.
    Help,
    /// `quit`.
    Quit,
}

/// A search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Method {
    /// `A-star`.
    Astar(Heuristic),
    /// `beam k`.
    Beam(usize),
}

/// A lower bound.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Heuristic {
    /// `h1`: misplaced tiles.
    Misplaced,
    /// `h2`: Manhattan distance.
    Manhattan,
}

/// A line that asks for nothing that can be done.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum CommandError {
    /// The first word is no command.
    #[error("'{0}' is not a command; help lists them")]
    Unknown(String),
    /// The rest of the line is not what the command takes.
    #[error("{command} takes {takes}, not {}", if .found.is_empty() { "nothing".to_owned() } else { format!("'{}'", .found) })]
    Argument {
        /// The command.
        command: &'static str,
        /// What it takes.
        takes: &'static str,
        /// What it was given.
        found: String,
    },
}

impl Command {
    /// Reads a line. Words may be in any case.
    pub fn parse(line: &str) -> Result<Self, CommandError> {
        let line = line.split('#').next().unwrap_or_default().trim();
        let (name, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        if name.is_empty() {
            return Ok(Self::Nothing);
        }
        let unknown = || CommandError::Unknown(name.to_owned());
        let (command, _) =
            COMMANDS.into_iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).ok_or_else(unknown)?;
        let wrong = |takes| CommandError::Argument { command, takes, found: rest.to_owned() };
        let number = |takes| rest.parse().map_err(|_| wrong(takes));
        let alone = |parsed: Self| if rest.is_empty() { Ok(parsed) } else { Err(wrong("no argument")) };
        match command {
            "setState" if rest.is_empty() => Err(wrong("a state such as b12 345 678")),
            "setState" => Ok(Self::SetState(rest.to_owned())),
            "randomizeState" => number("a number of moves").map(Self::RandomizeState),
            "printState" => alone(Self::PrintState),
            "move" => direction(rest).map(Self::Move).ok_or_else(|| wrong("up, down, left or right")),
            "maxNodes" => match number("a number of nodes from 1 up")? {
                0 => Err(wrong("a number of nodes from 1 up")),
                most => Ok(Self::MaxNodes(most)),
            },
            "solve" => method(rest).map(Self::Solve).ok_or_else(|| wrong("A-star h1, A-star h2 or beam k")),
            "help" => alone(Self::Help),
            _ => alone(Self::Quit),
        }
    }
}

fn direction(word: &str) -> Option<Direction> {
    Direction::ALL.into_iter().find(|direction| direction.word().eq_ignore_ascii_case(word))
}

fn method(text: &str) -> Option<Method> {
    let lower = text.to_ascii_lowercase();
    let mut words = lower.split_whitespace();
    let method = match (words.next()?, words.next()?) {
        ("a-star" | "astar" | "a*", "h1") => Method::Astar(Heuristic::Misplaced),
        ("a-star" | "astar" | "a*", "h2") => Method::Astar(Heuristic::Manhattan),
        ("beam", width) => Method::Beam(width.parse().ok().filter(|&width| width > 0)?),
        _ => return None,
    };
    words.next().is_none().then_some(method)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Command {
        Command::parse(line).unwrap_or_else(|error| panic!("{line}: {error}"))
    }

    #[test]
    fn every_command_in_any_case() {
        assert_eq!(parse(""), Command::Nothing);
        assert_eq!(parse("  # quit"), Command::Nothing);
        assert_eq!(parse("setstate b12 345 678 # the goal"), Command::SetState("b12 345 678".into()));
        assert_eq!(parse("randomizeState 100"), Command::RandomizeState(100));
        assert_eq!(parse(" PRINTSTATE "), Command::PrintState);
        assert_eq!(parse("move UP"), Command::Move(Direction::Up));
        assert_eq!(parse("maxNodes\t5000"), Command::MaxNodes(5000));
        assert_eq!(parse("solve A-star h1"), Command::Solve(Method::Astar(Heuristic::Misplaced)));
        assert_eq!(parse("solve a-star H2"), Command::Solve(Method::Astar(Heuristic::Manhattan)));
        assert_eq!(parse("solve beam  10"), Command::Solve(Method::Beam(10)));
        assert_eq!(parse("help"), Command::Help);
        assert_eq!(parse("Quit"), Command::Quit);
    }

    #[test]
    fn what_is_wrong_is_said() {
        let error = |line: &str| Command::parse(line).unwrap_err().to_string();
        assert_eq!(error("jump up"), "'jump' is not a command; help lists them");
        assert_eq!(error("move"), "move takes up, down, left or right, not nothing");
        assert_eq!(error("move north"), "move takes up, down, left or right, not 'north'");
        assert_eq!(error("maxNodes 0"), "maxNodes takes a number of nodes from 1 up, not '0'");
        assert_eq!(error("solve A-star h3"), "solve takes A-star h1, A-star h2 or beam k, not 'A-star h3'");
        assert_eq!(error("solve beam 0"), "solve takes A-star h1, A-star h2 or beam k, not 'beam 0'");
        assert_eq!(error("solve beam 3 4"), "solve takes A-star h1, A-star h2 or beam k, not 'beam 3 4'");
        assert_eq!(error("randomizeState -3"), "randomizeState takes a number of moves, not '-3'");
        assert_eq!(error("quit now"), "quit takes no argument, not 'now'");
    }

    #[test]
    fn help_names_every_command() {
        assert!(COMMANDS.iter().all(|(name, _)| HELP.contains(&format!("{name} "))));
    }
}
