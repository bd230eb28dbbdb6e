//! `trace`: the order of visits, made again by a plain queue and by a heap
//! that moves its entries as java.util.PriorityQueue does.

use crate::round::Round;
use crate::run::Run;
use crate::truth::board::{Board, GoalName};
use anyhow::{Result, ensure};
use std::collections::{HashMap, VecDeque};
use std::fmt::Write;

/// A queue of numbered states.
enum Queue {
    Fifo(VecDeque<usize>),
    /// Pairs of a priority and a state.
    Heap(Vec<(u32, usize)>),
}

impl Queue {
    fn push(&mut self, priority: u32, state: usize) {
        match self {
            Self::Fifo(queue) => queue.push_back(state),
            Self::Heap(heap) => {
                let mut at = heap.len();
                heap.push((priority, state));
                while at > 0 {
                    let parent = (at - 1) / 2;
                    if priority >= heap[parent].0 {
                        break;
                    }
                    heap.swap(at, parent);
                    at = parent;
                }
            }
        }
    }

    fn pop(&mut self) -> Option<usize> {
        let heap = match self {
            Self::Fifo(queue) => return queue.pop_front(),
            Self::Heap(heap) => heap,
        };
        let last = heap.pop()?;
        let Some(&(_, first)) = heap.first() else { return Some(last.1) };
        let mut at = 0;
        loop {
            let (left, right) = (2 * at + 1, 2 * at + 2);
            if left >= heap.len() {
                break;
            }
            let child = if right < heap.len() && heap[left].0 > heap[right].0 { right } else { left };
            if last.0 <= heap[child].0 {
                break;
            }
            heap[at] = heap[child];
            at = child;
        }
        heap[at] = last;
        Some(first)
    }
}

pub(crate) fn run(round: &mut Round<'_>) -> Result<()> {
    let (rows, cols) = round.random.pick(&[(3, 3), (3, 3), (2, 3), (4, 4), (2, 2)]);
    let goal = GoalName::BlankLast.board(rows, cols);
    let moves = round.random.below(if rows == 4 { 9 } else { 25 });
    let mut start = goal.clone().walk(&mut round.random, moves);
    if round.random.one_in(8) {
        start.exchange_tiles();
    }
    let (solution, heap) = (round.random.one_in(2), round.random.one_in(2));
    let boards = round.random.one_in(2);
    let size = format!("{rows}x{cols}");
    let run = Run::new([
        "trace",
        if solution { "S" } else { "V" },
        if heap { "P" } else { "F" },
        if boards { "V" } else { "Q" },
        "--size",
        &size,
    ]);
    let outcome = round.run(&run.args(start.tiles.iter().map(u16::to_string)))?;
    if !start.is_solvable(&goal) {
        outcome.expect(&[1])?;
        ensure!(outcome.stdout.is_empty(), "something is listed: {}", outcome.command);
        return Ok(());
    }
    outcome.expect(&[0])?;
    let expected = listing(&start, &goal, solution, heap, boards);
    let found = outcome.text()?;
    // Blanks before numbers are a matter of layout.
    let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    ensure!(
        words(found) == words(&expected),
        "another trace: {}\nexpected:\n{expected}\nfound:\n{found}",
        outcome.command
    );
    Ok(())
}

/// Returns what `trace` must print.
fn listing(start: &Board, goal: &Board, solution: bool, heap: bool, boards: bool) -> String {
    let (states, parents) = search(start, goal, heap);
    let mut shown: Vec<usize> = (0..states.len()).collect();
    if solution {
        let mut state = states.len() - 1;
        shown = vec![state];
        while let Some((parent, _)) = parents[state] {
            shown.insert(0, parent);
            state = parent;
        }
    }
    let mut text = String::new();
    for (number, &state) in shown.iter().enumerate() {
        let board = &states[state];
        let blank = board.blank();
        let _ = write!(text, "{number} ({}, {})", blank / board.cols, blank % board.cols);
        if let (true, Some(&next)) = (solution, shown.get(number + 1)) {
            let letter = parents[next].expect("a parent").1;
            let word = ["Up", "Right", "Down", "Left"]["URDL".find(letter).expect("a letter")];
            let tile = board.tiles[states[next].blank()];
            let _ = write!(text, " {word} {tile}");
        }
        text.push('\n');
        if boards {
            for row in board.tiles.chunks(board.cols) {
                let row: Vec<String> = row.iter().map(u16::to_string).collect();
                let _ = writeln!(text, "{}", row.join(" "));
            }
        }
    }
    text
}

type Parents = Vec<Option<(usize, char)>>;

/// Returns the states in the order of their visits, each with its parent.
fn search(start: &Board, goal: &Board, heap: bool) -> (Vec<Board>, Parents) {
    let mut queue = if heap { Queue::Heap(Vec::new()) } else { Queue::Fifo(VecDeque::new()) };
    let (mut states, mut parents) = (vec![start.clone()], vec![None]);
    let mut seen = HashMap::from([(start.clone(), 0)]);
    queue.push(manhattan(start, goal), 0);
    while states.last() != Some(goal) {
        let Some(state) = queue.pop() else { break };
        for letter in ['U', 'R', 'D', 'L'] {
            let mut board = states[state].clone();
            if !board.slide(letter) || seen.contains_key(&board) {
                continue;
            }
            seen.insert(board.clone(), states.len());
            queue.push(manhattan(&board, goal), states.len());
            let found = board == *goal;
            states.push(board);
            parents.push(Some((state, letter)));
            if found {
                break;
            }
        }
    }
    (states, parents)
}

fn manhattan(board: &Board, goal: &Board) -> u32 {
    let cols = board.cols;
    let cell =
        |board: &Board, tile: u16| board.tiles.iter().position(|&other| other == tile).expect("a tile");
    let way = |from: usize, to: usize| (from / cols).abs_diff(to / cols) + (from % cols).abs_diff(to % cols);
    (1..board.tiles.len() as u16).map(|tile| way(cell(board, tile), cell(goal, tile)) as u32).sum()
}
