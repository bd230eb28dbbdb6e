//! `batch-solve trace`, the real binary, against a slow re-implementation: whole
//! boards as vectors, a set of boards, and java.util.PriorityQueue as its
//! documentation and source tell it, entry by entry.

use assert_cmd::cargo::cargo_bin_cmd;
use batch_solve::generate::{Kind, Request};
use batch_solve::puzzle::tiles::{Goal, Size};
use std::collections::{HashSet, VecDeque};
use std::fmt::Write;
use std::process::{Command, Output, Stdio};

fn trace(arguments: &[&str]) -> Output {
    cargo_bin_cmd!("batch-solve").arg("trace").args(arguments).output().unwrap()
}

fn listed(arguments: &[&str]) -> String {
    let output = trace(arguments);
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    assert!(output.stderr.is_empty());
    String::from_utf8(output.stdout).unwrap()
}

/// A state of the slow search.
#[derive(Clone)]
struct Node {
    tiles: Vec<usize>,
    parent: Option<usize>,
}

/// A queue of node numbers.
trait Slow {
    fn add(&mut self, node: usize, distance: usize);
    fn remove(&mut self) -> usize;
}

impl Slow for VecDeque<usize> {
    fn add(&mut self, node: usize, _: usize) {
        self.push_back(node);
    }

    fn remove(&mut self) -> usize {
        self.pop_front().unwrap()
    }
}

/// java.util.PriorityQueue with a comparator on the distance: `offer` and `poll`
/// with siftUp and siftDown.
#[derive(Default)]
struct Java {
    queue: Vec<Option<(usize, usize)>>,
    size: usize,
}

impl Java {
    fn compare(a: (usize, usize), b: (usize, usize)) -> std::cmp::Ordering {
        a.0.cmp(&b.0)
    }
}

impl Slow for Java {
    fn add(&mut self, node: usize, distance: usize) {
        let x = (distance, node);
        let mut k = self.size;
        self.size += 1;
        self.queue.resize(self.queue.len().max(self.size), None);
        while k > 0 {
            let parent = (k - 1) >> 1;
            let e = self.queue[parent].unwrap();
            if Self::compare(x, e).is_ge() {
                break;
            }
            self.queue[k] = Some(e);
            k = parent;
        }
        self.queue[k] = Some(x);
    }

    fn remove(&mut self) -> usize {
        let result = self.queue[0].unwrap();
        self.size -= 1;
        let n = self.size;
        let x = self.queue[n].take().unwrap();
        if n > 0 {
            let (mut k, half) = (0, n >> 1);
            while k < half {
                let mut child = (k << 1) + 1;
                let mut c = self.queue[child].unwrap();
                let right = child + 1;
                if right < n && Self::compare(c, self.queue[right].unwrap()).is_gt() {
                    child = right;
                    c = self.queue[child].unwrap();
                }
                if Self::compare(x, c).is_le() {
                    break;
                }
                self.queue[k] = Some(c);
                k = child;
            }
            self.queue[k] = Some(x);
        }
        result.1
    }
}

/// All visited nodes in their order; the goal is the last.
fn search(start: Vec<usize>, rows: usize, cols: usize, mut queue: impl Slow) -> Vec<Node> {
    let goal: Vec<usize> = (1..rows * cols).chain([0]).collect();
    let distance = |tiles: &[usize]| {
        let mut sum = 0;
        for (cell, &tile) in tiles.iter().enumerate().filter(|&(_, &tile)| tile != 0) {
            sum += (cell / cols).abs_diff((tile - 1) / cols) + (cell % cols).abs_diff((tile - 1) % cols);
        }
        sum
    };
    let mut visited = HashSet::from([start.clone()]);
    let mut nodes = vec![Node { tiles: start.clone(), parent: None }];
    queue.add(0, distance(&start));
    while nodes.last().unwrap().tiles != goal {
        let parent = queue.remove();
        let tiles = nodes[parent].tiles.clone();
        let hole = tiles.iter().position(|&tile| tile == 0).unwrap();
        let (row, col) = (hole / cols, hole % cols);
        let neighbours = [
            (row > 0).then(|| hole - cols),
            (col + 1 < cols).then(|| hole + 1),
            (row + 1 < rows).then(|| hole + cols),
            (col > 0).then(|| hole - 1),
        ];
        for to in neighbours.into_iter().flatten() {
            let mut next = tiles.clone();
            next.swap(hole, to);
            if visited.insert(next.clone()) {
                queue.add(nodes.len(), distance(&next));
                nodes.push(Node { tiles: next.clone(), parent: Some(parent) });
                if next == goal {
                    break;
                }
            }
        }
    }
    nodes
}

fn hole(node: &Node, cols: usize) -> (usize, usize) {
    let hole = node.tiles.iter().position(|&tile| tile == 0).unwrap();
    (hole / cols, hole % cols)
}

fn grid(node: &Node, cols: usize) -> String {
    let width = (node.tiles.len() - 1).to_string().len();
    let row = |tiles: &[usize]| {
        let words: Vec<String> = tiles.iter().map(|tile| format!("{tile:width$}")).collect();
        words.join(" ") + "\n"
    };
    node.tiles.chunks(cols).map(row).collect()
}

/// What the listings should be: visited, solution, each quiet and verbose.
fn expected(nodes: &[Node], cols: usize) -> [String; 4] {
    let mut lists: [String; 4] = Default::default();
    for (n, node) in nodes.iter().enumerate() {
        let (row, col) = hole(node, cols);
        writeln!(lists[0], "{n} ({row}, {col})").unwrap();
        write!(lists[1], "{n} ({row}, {col})\n{}", grid(node, cols)).unwrap();
    }
    let mut path = vec![nodes.len() - 1];
    while let Some(parent) = nodes[path[0]].parent {
        path.insert(0, parent);
    }
    for (n, &at) in path.iter().enumerate() {
        let (row, col) = hole(&nodes[at], cols);
        let mut line = format!("{n} ({row}, {col})");
        if let Some(&after) = path.get(n + 1) {
            let (to_row, to_col) = hole(&nodes[after], cols);
            let direction = match (to_row as i32 - row as i32, to_col as i32 - col as i32) {
                (-1, 0) => "Up",
                (0, 1) => "Right",
                (1, 0) => "Down",
                _ => "Left",
            };
            write!(line, " {direction} {}", nodes[at].tiles[to_row * cols + to_col]).unwrap();
        }
        writeln!(lists[2], "{line}").unwrap();
        write!(lists[3], "{line}\n{}", grid(&nodes[at], cols)).unwrap();
    }
    lists
}

fn agrees(size: &str, kind: Kind, count: u64, fifo: bool) {
    let size: Size = size.parse().unwrap();
    let request = Request { size, count, seed: 11, kind, goal: Goal::BlankLast };
    for board in request.boards().unwrap() {
        let tiles: Vec<usize> = board.tiles().iter().map(|&tile| tile.into()).collect();
        let nodes = if fifo {
            search(tiles, size.rows(), size.cols(), VecDeque::new())
        } else {
            search(tiles, size.rows(), size.cols(), Java::default())
        };
        let words: Vec<String> = board.tiles().iter().map(u16::to_string).collect();
        let form = size.to_string();
        for (expected, [what, verbosity]) in
            expected(&nodes, size.cols()).iter().zip([["V", "Q"], ["V", "V"], ["S", "Q"], ["S", "V"]])
        {
            let queue = if fifo { "F" } else { "P" };
            let mut arguments = vec![what, queue, verbosity, "--size", &form];
            arguments.extend(words.iter().map(String::as_str));
            assert_eq!(&listed(&arguments), expected, "{what} {queue} {verbosity} {board}");
        }
    }
}

#[test]
fn a_fifo_queue_visits_in_the_order_of_the_slow_search() {
    agrees("2x2", Kind::Random, 12, true);
    agrees("2x3", Kind::Random, 40, true);
    agrees("3x3", Kind::Random, 2, true);
    agrees("3x3", Kind::Moves(14), 60, true);
    agrees("4x4", Kind::Moves(12), 60, true);
    agrees("5x5", Kind::Moves(9), 20, true);
    agrees("6x7", Kind::Moves(8), 6, true);
    agrees("17x16", Kind::Moves(8), 3, true);
}

#[test]
fn a_priority_queue_breaks_ties_as_java_does() {
    agrees("2x2", Kind::Random, 12, false);
    agrees("2x3", Kind::Random, 60, false);
    agrees("3x3", Kind::Random, 100, false);
    agrees("4x4", Kind::Moves(40), 60, false);
    agrees("4x4", Kind::Random, 12, false);
    agrees("5x5", Kind::Moves(40), 20, false);
    agrees("9x9", Kind::Moves(20), 6, false);
    agrees("20x15", Kind::Moves(16), 4, false);
    agrees("30x30", Kind::Moves(10), 2, false);
}

#[test]
fn the_solved_board_is_one_line() {
    let solved: Vec<String> = (1..16).map(|tile| tile.to_string()).chain(["0".into()]).collect();
    for list in ["V", "S"] {
        for queue in ["F", "P"] {
            let mut arguments = vec![list, queue, "Q"];
            arguments.extend(solved.iter().map(String::as_str));
            assert_eq!(listed(&arguments), "0 (3, 3)\n");
        }
    }
    assert_eq!(listed(&["s", "p", "v", "1 2 3/4 5 6/7 8 0"]), "0 (2, 2)\n1 2 3\n4 5 6\n7 8 0\n");
}

#[test]
fn a_goal_of_ones_own() {
    let lines = listed(&["S", "F", "Q", "--goal", "blank-first", "1 0 2/3 4 5/6 7 8"]);
    assert_eq!(lines, "0 (0, 1) Left 1\n1 (0, 0)\n");
}

#[test]
fn unsolvable_boards_are_told_before_anything_is_listed() {
    let output = trace(&["V", "F", "Q", "1 2 3 4 5 6 7 8 9 10 11 12 13 15 14 0"]);
    assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(1), b"".as_slice()));
    assert!(String::from_utf8(output.stderr).unwrap().contains("cannot be solved"));
}

#[test]
fn limits_and_mistakes_end_with_status_2() {
    let hard = "14 13 15 7 11 12 9 5 6 0 2 1 4 8 10 3";
    let output = trace(&["V", "F", "Q", hard, "--goal", "blank-first", "--max-nodes", "100000"]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(String::from_utf8(output.stdout).unwrap().lines().count(), 100_000);
    assert!(String::from_utf8(output.stderr).unwrap().contains("--max-nodes"));
    let output = trace(&["S", "F", "Q", hard, "--goal", "blank-first", "--memory", "32MiB"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8(output.stderr).unwrap().contains("--memory"));
    for (arguments, message) in [
        (["V", "F", "Q", "1 2 0 5"], "out of range"),
        (["V", "F", "Q", "1 2 2 0"], "tile 2 appears twice"),
        (["V", "X", "Q", "1 2 3 0"], "possible values"),
    ] {
        let output = trace(&arguments);
        assert_eq!(output.status.code(), Some(2));
        let text = String::from_utf8(output.stderr).unwrap();
        assert!(text.contains(message), "{text}");
    }
}

#[test]
fn a_reader_that_leaves_is_no_error() {
    let hard = "14 13 15 7 11 12 9 5 6 0 2 1 4 8 10 3";
    let mut command = Command::new(env!("CARGO_BIN_EXE_batch-solve"));
    command.args(["trace", "V", "F", "Q", hard, "--goal", "blank-first", "--max-nodes", "100000"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(output.stderr.is_empty());
}
