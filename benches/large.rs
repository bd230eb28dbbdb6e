//! Large boards: moves and CPU time of each way of solving them, and a picture of
//! both.
//!
//! `cargo bench --bench large` prints a table for sides from 5 to 100; with
//! `-- --svg FILE` it also draws the plot of docs/benchmarks.md. Beams are timed
//! by a fixed width, so that the figures do not depend on what else the machine
//! does; every solution is replayed.

use batch_solve::generate::{Kind, Request};
use batch_solve::large::beam::{self, Course, Weights, Work};
use batch_solve::large::field::Field;
use batch_solve::large::staged::Staged;
use batch_solve::puzzle::tiles::{Direction, Goal, Size};
use batch_solve::search::Limits;
use std::fmt::Write;
use std::sync::LazyLock;
use std::time::Instant;

mod support;

/// Moves over n³ and seconds for each side.
struct Curve {
    name: &'static str,
    points: Vec<(usize, f64, f64)>,
}

/// The best single solves by people that are on record.
const HUMAN: [(usize, f64); 6] =
    [(7, 425.0), (8, 707.0), (10, 1569.0), (12, 2883.0), (16, 7132.0), (20, 14203.0)];

fn main() {
    let mut curves = vec![Curve { name: "fast", points: Vec::new() }];
    let largest_of_all = support::scale(100, 6);
    for n in [5, 6, 7, 8, 9, 10, 12, 16, 20, 30, 50, 100].into_iter().filter(|&n| n <= largest_of_all) {
        let count = (20_000 / (n * n * n)).clamp(1, 50) as u64;
        let point = measure(n, count, |field| {
            let mut field = field.clone();
            Staged::new(field.size()).solve(&mut field, &Limits::default()).expect("no limit");
            field.into_moves()
        });
        curves[0].points.push(point);
    }
    for (name, width, largest) in
        [("beam of 100", 100, 20), ("beam of 1,000", 1000, 16), ("beam of 10,000", 10_000, 9)]
    {
        let mut points = Vec::new();
        for n in [5, 6, 7, 8, 9, 10, 12, 16, 20].into_iter().filter(|&n| n <= largest.min(largest_of_all)) {
            let count = (4_000_000 / (n * n * n * width)).clamp(1, 20) as u64;
            let mut memory = vec![0; 256 << 17];
            points.push(measure(n, count, |field| {
                let course =
                    Course { width, ends: None, turns: Course::TURNS[0], weights: Weights::default() };
                let limits = Limits::default();
                let found =
                    beam::solve(field, &course, usize::MAX, &limits, &mut memory, &mut Work::default());
                found.expect("no limit").expect("a beam that is helped ends")
            }));
        }
        curves.push(Curve { name, points });
    }
    let arguments: Vec<String> = std::env::args().collect();
    if let Some(at) = arguments.iter().position(|argument| argument == "--svg") {
        let file = arguments.get(at + 1).expect("--svg FILE");
        std::fs::write(file, picture(&curves)).expect("the file can be written");
    }
}

/// Solves some boards; the means of moves over n³ and of CPU seconds.
fn measure(n: usize, count: u64, mut solve: impl FnMut(&Field) -> Vec<Direction>) -> (usize, f64, f64) {
    let size = Size::new(n, n).expect("a side from 2 to 256");
    let request = Request { size, count, seed: 2026, kind: Kind::Random, goal: Goal::BlankLast };
    let goal = Goal::BlankLast.board(size).expect("every size has this goal");
    let (mut moves, mut seconds) = (0, 0.0);
    for mut board in request.boards().expect("the goal fits") {
        let field = Field::new(&board, &goal);
        let started = cpu_seconds();
        let path = solve(&field);
        seconds += cpu_seconds() - started;
        assert!(path.iter().all(|&step| board.slide(step)) && board == *goal, "a wrong solution");
        moves += path.len();
    }
    let each = 1.0 / count as f64;
    let point = (n, moves as f64 * each / (n * n * n) as f64, seconds * each);
    println!("{n:>4}  {count:>3} boards  {:.3} n^3  {:>10.3} ms", point.1, point.2 * 1e3);
    point
}

/// The CPU time of this thread, where the system tells it; else the time of day.
fn cpu_seconds() -> f64 {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = told.and_then(|text| text.split(' ').next()?.parse::<f64>().ok());
    nanoseconds.map_or_else(|| START.elapsed().as_secs_f64(), |nanoseconds| nanoseconds * 1e-9)
}

/// Two plots, one under the other: moves over n³, and CPU time, against n.
fn picture(curves: &[Curve]) -> String {
    let mut svg = String::from(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 720 720\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"720\" height=\"720\" fill=\"white\"/>\n",
    );
    let moves = Plot { top: 30.0, low: 0.6, high: 2.8, is_log: false };
    let time = Plot { top: 390.0, low: 1e-5, high: 10.0, is_log: true };
    moves.axes(&mut svg, "moves / n³", &[0.8, 1.0, 1.5, 2.0, 2.5], |tick| format!("{tick}"));
    time.axes(&mut svg, "CPU seconds a board", &[1e-4, 1e-3, 1e-2, 0.1, 1.0], |tick| format!("{tick}"));
    let _ = writeln!(
        svg,
        "<path d=\"M{} {y}H{}\" stroke=\"#888\" stroke-dasharray=\"6 4\"/><text x=\"560\" y=\"{}\" fill=\"#555\">textbook 8/3 n³</text>",
        x(5),
        x(100),
        moves.y(8.0 / 3.0) - 5.0,
        y = moves.y(8.0 / 3.0)
    );
    for (n, length) in HUMAN {
        let (x, y) = (x(n), moves.y(length / (n * n * n) as f64));
        let _ = writeln!(svg, "<path d=\"M{} {y}h8m-4 -4v8\" stroke=\"black\"/>", x - 4.0);
    }
    let _ = writeln!(svg, "<text x=\"560\" y=\"{}\">+ best by people</text>", moves.y(1.45));
    for (curve, colour) in curves.iter().zip(["#c33", "#27b", "#2a2", "#a3a"]) {
        moves.curve(&mut svg, colour, curve.points.iter().map(|point| (point.0, point.1)));
        time.curve(&mut svg, colour, curve.points.iter().map(|point| (point.0, point.2)));
        if let Some(&(n, length, _)) = curve.points.last() {
            let _ = writeln!(
                svg,
                "<text x=\"{}\" y=\"{}\" fill=\"{colour}\" text-anchor=\"{}\">{}</text>",
                if n > 50 { x(n) } else { x(n) + 6.0 },
                moves.y(length) - if n > 50 { 8.0 } else { -4.0 },
                if n > 50 { "end" } else { "start" },
                curve.name
            );
        }
    }
    svg + "</svg>\n"
}

/// Where a side is on the horizontal axis, which is logarithmic.
fn x(n: usize) -> f64 {
    70.0 + 610.0 * (n as f64 / 5.0).ln() / 20f64.ln()
}

/// One of the plots.
struct Plot {
    top: f64,
    low: f64,
    high: f64,
    is_log: bool,
}

impl Plot {
    fn y(&self, value: f64) -> f64 {
        let scale = |value: f64| if self.is_log { value.ln() } else { value };
        let part = (scale(value) - scale(self.low)) / (scale(self.high) - scale(self.low));
        self.top + 290.0 * (1.0 - part.clamp(0.0, 1.0))
    }

    fn axes(&self, svg: &mut String, name: &str, ticks: &[f64], label: impl Fn(f64) -> String) {
        let bottom = self.top + 290.0;
        let _ = writeln!(svg, "<path d=\"M70 {}V{bottom}H690\" fill=\"none\" stroke=\"black\"/>", self.top);
        let _ = writeln!(svg, "<text x=\"70\" y=\"{}\">{name}</text>", self.top - 10.0);
        for &tick in ticks {
            let y = self.y(tick);
            let _ = writeln!(svg, "<path d=\"M70 {y}H690\" stroke=\"#ddd\"/>");
            let _ =
                writeln!(svg, "<text x=\"64\" y=\"{}\" text-anchor=\"end\">{}</text>", y + 4.0, label(tick));
        }
        for n in [5, 6, 8, 10, 12, 16, 20, 30, 50, 100] {
            let _ = writeln!(
                svg,
                "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{n}</text>",
                x(n),
                bottom + 16.0
            );
        }
    }

    fn curve(&self, svg: &mut String, colour: &str, points: impl Iterator<Item = (usize, f64)>) {
        let mut line = String::new();
        for (n, value) in points {
            let (x, y) = (x(n), self.y(value));
            let _ = write!(line, "{}{x:.1} {y:.1}", if line.is_empty() { "M" } else { "L" });
            let _ = writeln!(svg, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"2.5\" fill=\"{colour}\"/>");
        }
        let _ = writeln!(svg, "<path d=\"{line}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.5\"/>");
    }
}
