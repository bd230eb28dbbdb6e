//! The state of a session, and the answers to its commands.

use super::command::{Command, CommandError, HELP, Heuristic, Method};
use crate::generate::{Boards, GoalSizeError, Kind, Request};
use crate::input::{BoardTextError, parse_board};
use crate::memory::Region;
use crate::memory::budget::Budget;
use crate::model::report::{GiveUp, Moves, Solution, Verdict};
use crate::options::{Algorithm, HeuristicChoice, Options};
use crate::puzzle::tiles::{Board, Goal, Size};
use crate::search::Limits;
use crate::solve::one_board::BoardSolver;

/// What a command comes to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// Lines to show, perhaps none.
    Text(String),
    /// The session is over.
    Quit,
}

/// Why a command was not done; the state is as it was.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SessionError {
    /// The line is no command.
    #[error(transparent)]
    Command(#[from] CommandError),
    /// The state is none.
    #[error("setState: {0}")]
    State(#[from] BoardTextError),
    /// The state of an 8-puzzle has not nine tiles.
    #[error("setState takes nine tiles such as b12 345 678, not {0}")]
    Tiles(usize),
    /// The state has the wrong parity.
    #[error("the goal cannot be reached from this state: its parity is wrong")]
    Unsolvable,
    /// The search had to store too much.
    #[error("maxNodes of {0} was exceeded")]
    MaxNodes(u64),
    /// The beam ran dry.
    #[error("a beam of {0} ran dry before it met the goal; a wider one may not")]
    Dry(usize),
    /// Another limit.
    #[error("the search ended without a solution: {0}")]
    GaveUp(&'static str),
    /// There is no such search for boards of this size.
    #[error("{0}")]
    Refused(String),
}

/// Memory for tables of heuristics; these here need next to none.
const TABLE_BYTES: u64 = 1 << 20;

/// A session: a state, a limit, and a stream of random moves.
pub struct Session<'r> {
    state: Board,
    goal: Board,
    max_nodes: Option<u64>,
    random: Boards,
    region: Region<'r>,
}

impl<'r> Session<'r> {
    /// A session that begins at the goal. Searches work in `region`.
    pub fn new(size: Size, seed: u64, region: Region<'r>) -> Result<Self, GoalSizeError> {
        let request = Request { size, count: u64::MAX, seed, kind: Kind::Random, goal: Goal::BlankFirst };
        let random = request.boards()?;
        let goal = request.goal.board(size).expect("a named goal fits every size").into_owned();
        Ok(Self { state: goal.clone(), goal, max_nodes: None, random, region })
    }

    /// Does what a line asks for. `halt` is asked now and then whether to stop.
    pub fn run(&mut self, line: &str, halt: &(dyn Fn() -> bool + Sync)) -> Result<Answer, SessionError> {
        let mut text = String::new();
        match Command::parse(line)? {
            Command::Nothing => {}
            Command::SetState(state) => self.state = self.read(&state)?,
            Command::RandomizeState(moves) => {
                let walked = self.random.walk(moves, halt);
                self.state = walked.ok_or(SessionError::GaveUp(GiveUp::Interrupted.word()))?;
            }
            Command::PrintState => text = self.show() + "\n",
            Command::Move(direction) => {
                let valid = self.state.slide(direction);
                text = if valid { "Valid move\n" } else { "Invalid move\n" }.into();
            }
            Command::MaxNodes(most) => self.max_nodes = Some(most),
            Command::Solve(method) => text = self.solve(method, halt)?,
            Command::Help => text = HELP.into(),
            Command::Quit => return Ok(Answer::Quit),
        }
        Ok(Answer::Text(text))
    }

    /// Whether each tile is one character: then spaces do not matter.
    fn is_compact(&self) -> bool {
        (self.goal.size().rows(), self.goal.size().cols()) == (3, 3)
    }

    /// Reads a state.
    fn read(&self, text: &str) -> Result<Board, SessionError> {
        let tight: String = text.split_whitespace().collect();
        let text = match tight.len() {
            _ if !self.is_compact() || tight.contains(['/', ',']) => text,
            9 => &tight,
            count => return Err(SessionError::Tiles(count)),
        };
        Ok(parse_board(text, Some(self.goal.size()))?)
    }

    /// The state as `setState` reads it.
    fn show(&self) -> String {
        let size = self.goal.size();
        let is_compact = self.is_compact();
        let row = |tiles: &[u16]| {
            let words: Vec<String> =
                tiles.iter().map(|&tile| if tile == 0 { "b".to_owned() } else { tile.to_string() }).collect();
            words.join(if is_compact { "" } else { " " })
        };
        let rows: Vec<String> = self.state.tiles().chunks(size.cols()).map(row).collect();
        rows.join(if is_compact { " " } else { "/" })
    }

    fn solve(&mut self, method: Method, halt: &(dyn Fn() -> bool + Sync)) -> Result<String, SessionError> {
        let (algorithm, heuristic, beam_width) = match method {
            Method::Astar(Heuristic::Misplaced) => (Algorithm::Astar, HeuristicChoice::Misplaced, None),
            Method::Astar(Heuristic::Manhattan) => (Algorithm::Astar, HeuristicChoice::Manhattan, None),
            Method::Beam(width) => (Algorithm::Beam, HeuristicChoice::Manhattan, Some(width)),
        };
        let options = Options { algorithm, heuristic, beam_width, ..Options::default() };
        let single = BoardSolver::new(&self.goal, &options, &Budget::new(TABLE_BYTES))
            .map_err(SessionError::Refused)?;
        // The course counts new states that are queued, not the start. The limit is
        // exceeded by the first of them above it.
        let max_nodes = self.max_nodes.map(|most| most.saturating_add(2));
        let limits = Limits { max_nodes, halt: Some(halt), ..Limits::default() };
        let (verdict, effort) = single.solve(&self.state, &mut self.region, limits);
        let queued = effort.visited.saturating_sub(1);
        let Solution { moves, length, .. } = match verdict {
            Verdict::Solved(_) if self.max_nodes.is_some_and(|most| queued > most) => {
                return Err(SessionError::MaxNodes(self.max_nodes.unwrap_or_default()));
            }
            Verdict::Solved(solution) => solution,
            Verdict::Unsolvable { .. } => return Err(SessionError::Unsolvable),
            Verdict::GaveUp { reason: GiveUp::Nodes, .. } => {
                return Err(SessionError::MaxNodes(self.max_nodes.unwrap_or_default()));
            }
            Verdict::GaveUp { reason: GiveUp::Beam, .. } => {
                return Err(SessionError::Dry(beam_width.unwrap_or_default()));
            }
            Verdict::GaveUp { reason, .. } => return Err(SessionError::GaveUp(reason.word())),
            Verdict::Invalid { .. } => unreachable!("a state is a board"),
        };
        self.state = self.goal.clone();
        let Moves::Tiles(moves) = moves else { unreachable!("tiles are moved one by one") };
        let words: Vec<&str> = moves.iter().map(|direction| direction.word()).collect();
        Ok(format!(
            "Found the goal state\nNumber of moves it took: {length}\n{}\nNumber of expanded nodes: {}\n",
            words.join(" "),
            queued,
        ))
    }
}
