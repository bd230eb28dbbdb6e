//! `tray INIT GOAL`: slides that stay in the tray, lead over nothing, and end
//! at the goal; status 1 where there is no way.

use crate::round::Round;
use crate::run::Run;
use crate::truth::tray::{self, TrayAnswer};
use anyhow::{Context, Result, ensure};
use batch_solve::puzzle::trays::Metric;

/// A block: its first and its last cell.
type Rect = [i64; 4];

/// The two files of the course form.
struct Course {
    rows: i64,
    cols: i64,
    blocks: Vec<Rect>,
    goal: Vec<Rect>,
}

pub(crate) fn run(round: &mut Round<'_>) -> Result<()> {
    let Some(tray) = tray::random(&mut round.random, 1).pop() else { return Ok(()) };
    let mut course = parse(&tray.to_string())?;
    let mut known = tray::answer(&tray, Metric::Slide, 3000);
    if round.random.one_in(6) {
        // A goal of a shape that no block has.
        course.goal = vec![[0, 0, course.rows - 1, course.cols - 1]];
        let whole = course.blocks.contains(&course.goal[0]);
        known = if whole { TrayAnswer::Length(0) } else { TrayAnswer::Unsolvable(0) };
    }
    let write =
        |rects: &[Rect]| rects.iter().map(|[a, b, c, d]| format!("{a} {b} {c} {d}\n")).collect::<String>();
    round.workspace.write("init", format!("{} {}\n{}", course.rows, course.cols, write(&course.blocks)))?;
    round.workspace.write("goal", write(&course.goal))?;
    let optimal = round.random.one_in(3);
    let mut run = Run::new(["tray", "init", "goal", "--input-format", "corners"]).cap(64);
    if optimal {
        run = run.args(["--quality", "optimal"]);
    }
    let outcome = round.run(&run)?;
    match known {
        TrayAnswer::Length(_) => outcome.expect(&[0])?,
        TrayAnswer::Unsolvable(_) => outcome.expect(&[1])?,
        TrayAnswer::Unknown => outcome.expect(&[0, 1])?,
    }
    if outcome.status() == 1 {
        ensure!(outcome.stdout.is_empty(), "moves of an impossible tray: {}", outcome.command);
        return Ok(());
    }
    round.figures.results += 1;
    let count =
        replay(&mut course, outcome.text()?).with_context(|| format!("command: {}", outcome.command))?;
    if let (true, TrayAnswer::Length(length)) = (optimal, known) {
        ensure!(count == length, "{count} slides, but {length} are enough: {}", outcome.command);
    }
    Ok(())
}

fn parse(text: &str) -> Result<Course> {
    let mut lines = text.lines();
    let head: Vec<&str> = lines.next().context("a head")?.split(' ').collect();
    let (rows, cols) = (head[1].parse()?, head[2].parse()?);
    let (mut blocks, mut goal, mut in_goal) = (Vec::new(), Vec::new(), false);
    for line in lines {
        if line.starts_with("goal") {
            in_goal = true;
            continue;
        }
        let numbers: Vec<i64> = line.split_whitespace().filter_map(|word| word.parse().ok()).collect();
        if let [a, b, c, d] = numbers[..] {
            (if in_goal { &mut goal } else { &mut blocks }).push([a, b, c, d]);
        }
    }
    Ok(Course { rows, cols, blocks, goal })
}

/// Makes the slides cell by cell; returns how many there are.
fn replay(course: &mut Course, output: &str) -> Result<u32> {
    let mut count = 0;
    for line in output.lines() {
        let numbers: Vec<i64> = line.split(' ').map(str::parse).collect::<Result<_, _>>()?;
        let [row, col, to_row, to_col] = numbers[..] else { anyhow::bail!("no slide: {line}") };
        let at = course
            .blocks
            .iter()
            .position(|block| block[..2] == [row, col])
            .with_context(|| format!("no block: {line}"))?;
        ensure!((row == to_row) != (col == to_col), "not straight: {line}");
        let (down, right) = ((to_row - row).signum(), (to_col - col).signum());
        let mut block = course.blocks.swap_remove(at);
        while block[..2] != [to_row, to_col] {
            block = [block[0] + down, block[1] + right, block[2] + down, block[3] + right];
            let inside = block[0] >= 0 && block[1] >= 0 && block[2] < course.rows && block[3] < course.cols;
            ensure!(inside && !course.blocks.iter().any(|other| overlap(&block, other)), "blocked: {line}");
        }
        course.blocks.push(block);
        count += 1;
    }
    ensure!(course.goal.iter().all(|rect| course.blocks.contains(rect)), "the goal is not met");
    Ok(count)
}

fn overlap(one: &Rect, other: &Rect) -> bool {
    one[0] <= other[2] && other[0] <= one[2] && one[1] <= other[3] && other[1] <= one[3]
}
