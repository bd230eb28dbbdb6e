//! Trays from file to result: the real binary on real files, and the searches
//! against the plain oracle.

use assert_cmd::Command;
use batch_solve::generate::trays::{BlockShape, TrayGoal, TrayRequest};
use batch_solve::puzzle::Puzzle;
use batch_solve::puzzle::trays::{
    Block, CellKey, Lists, Mask, Metric, Packed, PackedState, Place, Tray, oracle,
};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::sync::Arc;

const FIXTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures");

fn batch_solve(arguments: &[&str]) -> Command {
    let mut command = Command::cargo_bin("batch-solve").unwrap();
    command.args(arguments);
    command
}

/// The results of some records, with these options.
fn results(text: &str, options: &[&str]) -> Vec<Value> {
    let arguments = [&["-", "--format", "jsonl", "--quiet"], options].concat();
    let output = batch_solve(&arguments).write_stdin(text).output().unwrap();
    let lines = String::from_utf8(output.stdout).unwrap();
    let values = lines.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    values.filter(|value| value["type"] == "result").collect()
}

fn fixture(name: &str) -> String {
    std::fs::read_to_string(format!("{FIXTURES}/{name}")).unwrap()
}

fn lengths(results: &[Value]) -> Vec<u64> {
    results.iter().map(|result| result["length"].as_u64().unwrap_or_else(|| panic!("{result}"))).collect()
}

#[test]
fn the_classics_in_every_metric() {
    let text = fixture("trays/classics.txt");
    for (metric, known) in [
        ("piece", [81, 59, 84, 83, 138]),
        ("slide", [90, 62, 93, 92, 150]),
        ("step", [116, 83, 115, 120, 179]),
    ] {
        let optimal = results(&text, &["--metric", metric]);
        assert_eq!(lengths(&optimal), known, "{metric}");
        assert!(optimal.iter().all(|result| result["optimal"] == true && result["metric"] == metric));
        let fast = results(&text, &["--metric", metric, "--quality", "fast"]);
        for (length, known) in lengths(&fast).into_iter().zip(known) {
            assert!(length >= known && 2 * length <= 3 * known, "{metric}: {length} for {known}");
        }
    }
}

#[test]
fn long_solutions_are_found_and_fast_ones_are_not_much_longer() {
    let text = fixture("trays/long.txt");
    let slides = [88, 75, 77, 77, 71, 64, 60, 59, 56, 121, 80, 70, 55, 53, 49, 97, 76];
    assert_eq!(lengths(&results(&text, &["--metric", "slide"])), slides);
    let fast = results(&text, &["--metric", "slide", "--quality", "fast"]);
    for (length, known) in lengths(&fast).into_iter().zip(slides) {
        assert!(length >= known && 2 * length <= 3 * known, "{length} for {known}");
    }
    // The hardest ones: their shortest solutions would take a minute.
    let text = fixture("trays/hard.txt");
    for (metric, known) in
        [("piece", [74, 73, 72, 70, 63, 66, 64, 63]), ("slide", [79, 77, 81, 75, 71, 75, 72, 69])]
    {
        let fast = results(&text, &["--quality", "fast", "--metric", metric]);
        for (length, known) in lengths(&fast).into_iter().zip(known) {
            assert!(length >= known && 2 * length <= 3 * known, "{metric}: {length} for {known}");
        }
    }
}

#[test]
fn every_form_is_read_solved_and_checked() {
    for name in ["forms/tray.txt", "forms/letters.txt", "trays/classics.txt", "trays/unsolvable.txt"] {
        let path = format!("{FIXTURES}/{name}");
        for format in ["text", "jsonl", "csv", "states"] {
            for metric in ["piece", "slide", "step"] {
                let options = [&path, "--format", format, "--metric", metric, "--quiet", "--quality", "fast"];
                let results = batch_solve(&options).output().unwrap();
                assert_eq!(results.status.code(), Some(0), "{name} {format}");
                batch_solve(&["check", &path, "-"]).write_stdin(results.stdout).assert().success();
            }
        }
        let results = batch_solve(&[&path, "--format", "jsonl", "--quiet"]).output().unwrap();
        batch_solve(&["check", &path, "-"]).write_stdin(results.stdout).assert().success();
    }
}

#[test]
fn known_lengths_of_the_forms_are_met() {
    for name in ["forms/tray.txt", "forms/letters.txt"] {
        let known: Vec<u64> = fixture(name)
            .lines()
            .filter_map(|line| line.strip_prefix("@length ").map(|length| length.parse().unwrap()))
            .collect();
        assert_eq!(lengths(&results(&fixture(name), &[])), known, "{name}");
    }
}

#[test]
fn unsolvable_trays_are_proved() {
    let results = results(&fixture("trays/unsolvable.txt"), &[]);
    assert_eq!(results.len(), 7);
    assert!(results.iter().all(|result| result["status"] == "unsolvable"), "{results:?}");
    assert_eq!(results[6]["hint"], "goal 0 0 1 0 is 2x1, but no block is");
}

#[test]
fn hard_trays_are_given_up_with_a_bound() {
    let text = fixture("trays/hard.txt");
    let known: Vec<u64> =
        text.lines().filter_map(|line| line.strip_prefix("@length ")).map(|n| n.parse().unwrap()).collect();
    for limit in [["--max-nodes", "200000"], ["--memory", "24MiB"]] {
        let options = [&limit[..], &["--quality", "optimal", "--threads", "1"]].concat();
        let results = results(&text, &options);
        assert_eq!(results.len(), known.len());
        for (result, length) in results.iter().zip(&known) {
            let bound = result["bound"].as_u64().unwrap_or_else(|| panic!("{result}"));
            assert!(result["status"] == "gave_up" && bound > 10 && bound <= *length, "{result}");
        }
    }
}

#[test]
fn malformed_trays_are_each_invalid_once() {
    let text = fixture("trays/malformed.txt");
    let results = results(&text, &[]);
    assert_eq!(results.len(), text.matches("@id").count());
    for result in results {
        assert_eq!(result["status"], "invalid", "{result}");
        assert!(result["reason"].as_str().unwrap().contains("(line "), "{result}");
    }
}

#[test]
fn jumps_and_other_lies_are_found_out() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("p.txt");
    std::fs::write(&path, "letters\nABC\n...\ngoal labelled\n...\n..A\n").unwrap();
    let path = path.to_str().unwrap();
    let check =
        |line: &str| batch_solve(&["check", path, "-"]).write_stdin(line.to_owned()).output().unwrap();
    let says = |line: &str| String::from_utf8(check(line).stdout).unwrap();
    assert_eq!(check("1\tsolved\t2\t0 0 1 0; 1 0 1 2\n").status.code(), Some(0));
    assert_eq!(check("1\tsolved\t1\t0 0 1 2\n").status.code(), Some(0), "a piece may turn");
    assert!(says("1\tsolved\t1\t0 0 0 3\n").contains("the block leaves the tray"));
    assert!(says("1\tsolved\t2\t0 0 0 1; 0 1 1 2\n").contains("the block is obstructed"));
    assert!(says("1\tsolved\t1\t0 1 1 1\n").contains("do not end at the goal"));
    assert!(says("1\tsolved\t1\t1 1 1 2\n").contains("no block has its top-left cell there"));
    assert!(says("1\tsolved\t3\t0 0 1 0; 1 0 1 2\n").contains("the result claims length 3"));
    assert!(says("1\tunsolvable\t-\texhausted\n").contains("it has a solution"));
    let slide = r#"{"type":"result","file":"p.txt","n":1,"metric":"slide","status":"solved","length":1,"moves":[[0,0,1,2]]}"#;
    assert!(says(slide).contains("the move is not straight"));
}

/// Trays of every small kind: sizes, densities, shapes, one or several goals,
/// with a solution or perhaps without.
fn small_trays(count: u64) -> Vec<Tray> {
    let mut trays = Vec::new();
    let sizes = [(1, 6), (2, 3), (2, 5), (3, 3), (3, 4), (4, 3)];
    for (seed, &(rows, cols)) in (0..).zip(sizes.iter().cycle().take(24)) {
        let shapes = match seed % 3 {
            0 => vec![(1, 1), (1, 2), (2, 1), (2, 2)],
            1 => vec![(1, 1)],
            _ => vec![(1, 2), (2, 1), (1, 3)],
        };
        let goal = if seed % 2 == 0 { TrayGoal::Anywhere } else { TrayGoal::Moves(30) };
        let shapes = shapes.into_iter().map(BlockShape::from).collect();
        let holes = 1 + seed as usize % 4;
        let goals = 1 + seed as usize % 5 / 2;
        let request = TrayRequest { rows, cols, count: count / 24, seed, holes, shapes, goals, goal };
        trays.extend(request.trays().unwrap());
    }
    trays
}

#[test]
fn thousands_of_small_trays_are_decided_as_the_oracle_says() {
    are_decided_as_the_oracle_says(&small_trays(3000));
}

/// The whole of what is promised; by hand: it takes a minute.
#[test]
#[ignore = "takes a minute: cargo test --release --test trays -- --ignored"]
fn ten_thousand_small_trays_are_decided_as_the_oracle_says() {
    let trays = small_trays(10_008);
    assert!(trays.len() >= 10_000);
    are_decided_as_the_oracle_says(&trays);
}

fn are_decided_as_the_oracle_says(trays: &[Tray]) {
    let mut text = String::new();
    for tray in trays {
        writeln!(text, "{tray}").unwrap();
    }
    let unsolvable =
        trays.iter().filter(|tray| oracle::solve(tray, Metric::Step, 100_000).length().is_none());
    assert!(unsolvable.count() > 100);
    for metric in Metric::ALL {
        let shortest = results(&text, &["--metric", metric.name()]);
        let any = results(&text, &["--metric", metric.name(), "--quality", "fast"]);
        assert_eq!((shortest.len(), any.len()), (trays.len(), trays.len()));
        for ((tray, shortest), any) in trays.iter().zip(&shortest).zip(&any) {
            match oracle::solve(tray, metric, 100_000).length() {
                Some(length) => {
                    assert_eq!(shortest["length"].as_u64(), Some(length as u64), "{tray}{shortest}");
                    assert_eq!(shortest["optimal"], true);
                    assert!(any["length"].as_u64() >= Some(length as u64), "{tray}{any}");
                }
                None => {
                    assert_eq!(shortest["status"], "unsolvable", "{tray}");
                    assert_eq!(any["status"], "unsolvable", "{tray}");
                }
            }
        }
    }
}

#[test]
fn every_algorithm_and_heuristic_finds_solutions() {
    let trays = small_trays(240);
    let mut text = String::new();
    for tray in &trays {
        writeln!(text, "{tray}").unwrap();
    }
    let known: Vec<_> =
        trays.iter().map(|tray| oracle::solve(tray, Metric::Slide, 100_000).length()).collect();
    for options in [
        ["--algorithm", "astar", "--heuristic", "nearest"],
        ["--algorithm", "bfs", "--heuristic", "matching"],
        ["--algorithm", "greedy", "--heuristic", "matching"],
        ["--algorithm", "greedy", "--heuristic", "total"],
        ["--quality", "fast", "--heuristic", "total"],
        ["--algorithm", "wastar", "--heuristic", "auto"],
    ] {
        let results = results(&text, &[&options[..], &["--metric", "slide"]].concat());
        for (known, result) in known.iter().zip(results) {
            let found = result["length"].as_u64().map(|length| length as usize);
            assert_eq!(found.is_some(), known.is_some(), "{options:?}: {result}");
            assert!(found >= *known, "{options:?}: {result}");
            if matches!(options[1], "astar" | "bfs") {
                assert_eq!(found, *known, "{options:?}: {result}");
            }
        }
    }
}

#[test]
fn large_trays_are_puzzles_about_what_moves() {
    // One hole among 9,999 unit blocks, from corner to corner.
    let mut full = String::from("tray 100 100\n");
    let mut goal = String::from("goal\n");
    for cell in 1..10_000 {
        let (row, col) = (cell / 100, cell % 100);
        writeln!(full, "{row} {col} {row} {col}").unwrap();
        let (row, col) = ((cell - 1) / 100, (cell - 1) % 100);
        writeln!(goal, "{row} {col} {row} {col}").unwrap();
    }
    let solved = results(&format!("{full}{goal}"), &["--quality", "fast", "--metric", "step"]);
    assert_eq!(lengths(&solved), [198]);
    // A few blocks in a large hall.
    for side in [140, 256] {
        let last = side - 1;
        let hall = format!(
            "tray {side} {side}\n0 0 9 9\n0 {} 19 {last}\n{} 0 {last} 4\ngoal\n{} {} {last} {last}\n0 0 19 19\n",
            side - 20,
            side - 5,
            side - 10,
            side - 10
        );
        let solved = results(&hall, &["--quality", "fast", "--metric", "slide", "--memory", "64MiB"]);
        assert!(lengths(&solved)[0] <= 6, "{solved:?}");
    }
}

#[test]
fn large_blocks_pass_each_other_in_a_hall() {
    let swap = "tray 256 256\n0 0 99 99 a\n0 156 99 255 b\ngoal labelled\n0 156 99 255 a\n0 0 99 99 b\n";
    let doors = "tray 140 140\n0 0 9 9 a\n100 100 109 119 b\nwall 70 0 70 60\nwall 70 82 70 139\n\
                 goal labelled\n130 130 139 139 a\n0 0 9 19 b\n";
    for (text, most) in [(swap, 8), (doors, 16)] {
        for metric in ["slide", "piece"] {
            let options = ["--quality", "fast", "--metric", metric, "--timeout", "20s", "--memory", "64MiB"];
            let solved = results(text, &options);
            assert!(lengths(&solved)[0] <= most, "{solved:?}");
        }
    }
}

#[test]
fn little_memory_gives_up_cleanly_or_finds_any_solution() {
    let text = fixture("trays/classics.txt");
    let results = results(&text, &["--quality", "optimal", "--max-nodes", "500"]);
    for result in &results {
        assert_eq!((result["status"].as_str(), result["reason"].as_str()), (Some("gave_up"), Some("nodes")));
        assert!(result["bound"].as_u64().is_some());
    }
}

#[test]
fn the_course_command() {
    let directory = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = directory.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let run = |init: &str, goal: &str, options: &[&str]| {
        let (init, goal) = (file("init", init), file("goal", goal));
        let output = batch_solve(&[&["tray", &init, &goal], options].concat()).output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
    };
    let (code, out, err) = run("3 3\n0 0 1 0\n", "1 0 2 0\n", &[]);
    assert_eq!((code, out.as_str(), err.as_str()), (0, "0 0 1 0\n", ""));
    let (code, out, _) = run("3 3\n2 1 0 0\n", "2 1 1 0\n", &[]);
    assert_eq!((code, out.as_str()), (0, "0 0 1 0\n"), "height width row column");
    let (code, out, _) = run("3 3\n0 0 1 0\n", "0 0 1 0\n", &[]);
    assert_eq!((code, out.as_str()), (0, ""), "solved already");
    let (code, out, err) = run("3 3\n1 1 2 1\n", "1 1 1 1\n", &[]);
    assert_eq!((code, out.as_str()), (0, "2 1 1 1\n"), "{err}");
    let (code, out, err) = run("3 3\n1 1 2 1\n", "1 1 2 1\n", &[]);
    assert_eq!((code, out.as_str()), (0, ""));
    assert!(err.contains("--input-format lwrc"), "{err}");
    let (code, out, _) = run("1 2\n0 0 0 0\n0 1 0 1\n", "0 0 0 1\n", &[]);
    assert_eq!((code, out.as_str()), (1, ""), "no such shape");
    let (code, out, err) = run("1 4\n0 0 0 0\n0 1 0 2\n", "0 3 0 3\n", &[]);
    assert_eq!((code, out.as_str(), err.as_str()), (1, "", ""), "cannot pass");
    let (code, _, err) = run("2 2\n0 0 0 x\n", "", &[]);
    assert!(code == 2 && err.contains("'x' is not a whole number (line 2, column 7)"), "{err}");
    let klotski = fixture("trays/classics.txt");
    let lines: Vec<&str> =
        klotski.lines().skip_while(|line| !line.starts_with("tray")).skip(1).take(10).collect();
    let (code, out, _) = run(&format!("5 4\n{}\n", lines.join("\n")), "3 1 4 2\n", &["--quality", "optimal"]);
    assert_eq!((code, out.lines().count()), (0, 90));
}

#[test]
fn generated_trays_are_the_same_everywhere_and_solvable() {
    let arguments = ["generate", "trays", "--size", "4x4", "--holes", "3", "--count", "40", "--seed", "5"];
    let once = batch_solve(&arguments).output().unwrap().stdout;
    assert_eq!(batch_solve(&arguments).output().unwrap().stdout, once);
    let text = String::from_utf8(once).unwrap();
    let results = results(&text, &[]);
    assert_eq!(results.len(), 40);
    assert!(results.iter().all(|result| result["status"] == "solved"));
    batch_solve(&["generate", "trays", "--size", "2x2", "--holes", "4"]).assert().code(2);
    batch_solve(&["generate", "trays", "--size", "300x2"]).assert().code(2);
}

/// The arrangement that a packed state is, in the order of [`Tray::blocks`].
fn arrangement<M: Mask>(tray: &Tray, state: &PackedState<M>) -> Vec<Block> {
    let mut blocks = Vec::new();
    for (class, &anchors) in (0..).zip(&state.anchors) {
        let mut left = anchors;
        while !left.is_none() {
            let at = Place::of_cell(left.lowest() as usize, tray.cols());
            blocks.push(Block { class, at });
            left = left.without_lowest();
        }
    }
    blocks.sort_unstable();
    blocks
}

/// Walks through a tray: packed states move as the oracle's lists do, and have
/// equal keys exactly when they are equal.
fn packed_follows_the_oracle<M: Mask, K: CellKey + Ord>(tray: &Tray, metric: Metric) {
    let Some(puzzle) = Packed::<M, K>::new(tray, metric) else { return };
    let mut state = puzzle.start();
    let mut keys: BTreeMap<K, Vec<Block>> = BTreeMap::new();
    for turn in 0..40usize {
        let blocks = arrangement(tray, &state);
        let known = keys.entry(puzzle.pack(&state)).or_insert_with(|| blocks.clone());
        assert_eq!(*known, blocks);
        assert_eq!(puzzle.unpack(puzzle.pack(&state)), state);
        assert_eq!(puzzle.is_goal(&state), tray.is_met_by(&blocks));
        let moves: Vec<_> = puzzle.moves(&state, None).collect();
        let mut found: Vec<_> = moves
            .iter()
            .map(|&step| {
                let after = puzzle.apply(&state, step);
                assert_eq!(puzzle.undo(&after, step), state);
                assert_eq!(puzzle.step(puzzle.shift(step)), step);
                (puzzle.shift(step).to_string(), arrangement(tray, &after))
            })
            .collect();
        let neighbours = oracle::neighbours(tray, &blocks, metric);
        let mut wanted: Vec<_> =
            neighbours.into_iter().map(|(shift, after)| (shift.to_string(), after)).collect();
        found.sort();
        wanted.sort();
        assert_eq!(found, wanted, "{tray}");
        let Some(&step) = moves.get(turn * turn % moves.len().max(1)) else { return };
        state = puzzle.apply(&state, step);
    }
    let arrangements: BTreeSet<_> = keys.values().collect();
    assert_eq!(arrangements.len(), keys.len(), "different keys, different trays");
}

/// The same for lists of cells.
fn lists_follow_the_oracle(tray: &Tray, metric: Metric) {
    let tray = Arc::new(tray.clone());
    let mut lists = Lists::new(&tray, metric);
    let mut blocks = tray.blocks().to_vec();
    let mut keys: BTreeMap<Vec<u32>, Vec<Block>> = BTreeMap::new();
    for turn in 0..40usize {
        let mut key = vec![0; lists.width()];
        lists.write_key(&mut key);
        assert_eq!(*keys.entry(key.clone()).or_insert_with(|| blocks.clone()), blocks);
        assert_eq!(Lists::is_goal(&tray, lists.implied(), lists.view()), tray.is_met_by(&blocks));
        let mut found = Vec::new();
        lists.moves(None, |moved| {
            found.push((Lists::shift(moved.step, tray.cols()).to_string(), moved.key.to_vec()));
            true
        });
        let wanted = oracle::neighbours(&tray, &blocks, metric);
        let mut shifts: Vec<String> = wanted.iter().map(|(shift, _)| shift.to_string()).collect();
        found.sort();
        shifts.sort();
        assert_eq!(found.iter().map(|(shift, _)| shift.clone()).collect::<Vec<_>>(), shifts, "{tray}");
        // A key from afar is loaded by drawing what differs.
        for (shift, after) in &wanted {
            let (_, key) = found.iter().find(|(text, _)| *text == shift.to_string()).unwrap();
            lists.load(key);
            let mut again = vec![0; lists.width()];
            lists.write_key(&mut again);
            assert_eq!(again, *key);
            let grid = Lists::new(&Arc::new(tray.with_blocks(after.clone())), metric);
            let mut fresh = vec![0; lists.width()];
            grid.write_key(&mut fresh);
            assert_eq!(fresh, *key);
        }
        lists.load(&key);
        let Some((shift, after)) = wanted.get(turn * turn % wanted.len().max(1)) else { return };
        lists.apply(Lists::step(*shift, tray.cols()));
        blocks.clone_from(after);
    }
    let arrangements: BTreeSet<_> = keys.values().collect();
    assert_eq!(arrangements.len(), keys.len(), "different keys, different trays");
}

#[test]
fn keys_are_equal_exactly_when_trays_are() {
    let request = |rows, cols, holes, seed| TrayRequest {
        rows,
        cols,
        count: 25,
        seed,
        holes,
        shapes: [(1, 1), (1, 2), (2, 1), (2, 2), (3, 1)].map(BlockShape::from).into(),
        goals: 2,
        goal: TrayGoal::Moves(10),
    };
    for (rows, cols, holes, seed) in [
        (3, 3, 2, 1),
        (5, 4, 2, 2),
        (4, 6, 15, 3),
        (8, 8, 40, 4),
        (9, 12, 70, 5),
        (1, 30, 8, 6),
        (20, 20, 60, 7),
    ] {
        for tray in request(rows, cols, holes, seed).trays().unwrap() {
            for metric in Metric::ALL {
                packed_follows_the_oracle::<u64, u64>(&tray, metric);
                packed_follows_the_oracle::<u64, u128>(&tray, metric);
                packed_follows_the_oracle::<u128, u128>(&tray, metric);
            }
            let metric = Metric::ALL[tray.blocks().len() % 3];
            if tray.cells() < 200 || metric != Metric::Piece {
                lists_follow_the_oracle(&tray, metric);
            }
        }
    }
}
