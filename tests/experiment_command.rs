//! `batch-solve experiment`, the real binary on small sets: what the rows must
//! hold whatever the machine, and figures that are there.

use assert_cmd::cargo::cargo_bin_cmd;
use std::collections::HashMap;
use std::path::Path;
use std::process::Output;

type Row = HashMap<String, String>;

fn experiment(folder: &Path, arguments: &str) -> Output {
    let mut command = cargo_bin_cmd!("batch-solve");
    command.arg("experiment").args(arguments.split_whitespace()).arg("-o").arg(folder);
    command.output().unwrap()
}

/// Runs an experiment; its rows.
fn rows(folder: &Path, arguments: &str) -> Vec<Row> {
    let output = experiment(folder, arguments);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let name = arguments.split_whitespace().next().unwrap();
    let mut csv = csv::Reader::from_path(folder.join(format!("{name}.csv"))).unwrap();
    csv.deserialize().map(|row| row.unwrap()).collect()
}

fn number(row: &Row, column: &str) -> Option<f64> {
    Some(row[column].as_str()).filter(|text| !text.is_empty()).map(|text| text.parse().unwrap())
}

/// The figure is a picture of its size, with something on it.
fn assert_drawn(folder: &Path, name: &str) {
    let svg = std::fs::read_to_string(folder.join(format!("{name}.svg"))).unwrap();
    assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n") && svg.matches("<path").count() > 20);
    let size = |attribute: &str| {
        let at = svg.find(&format!(" {attribute}=\"")).unwrap() + attribute.len() + 3;
        svg[at..].split('"').next().unwrap().parse::<f32>().unwrap()
    };
    let png = tiny_skia::Pixmap::load_png(folder.join(format!("{name}.png"))).unwrap();
    assert_eq!((png.width(), png.height()), ((size("width") * 2.0) as u32, (size("height") * 2.0) as u32));
    let dark = png.pixels().iter().filter(|pixel| pixel.red() < 128).count();
    assert!(dark > 2000 && dark < png.pixels().len() / 4, "{dark} of {}", png.pixels().len());
}

#[test]
fn astar_and_breadth_first_search_are_shortest_and_beams_never_shorter() {
    let folder = tempfile::tempdir().unwrap();
    let rows = rows(
        folder.path(),
        "heuristics --count 60 --methods bfs,astar:h1,astar:h2,beam:10,beam:100,greedy --max-nodes 200000",
    );
    assert_eq!(rows.len(), 60 * 6);
    let mut generated: HashMap<&str, f64> = HashMap::new();
    for row in &rows {
        assert!(["solved", "beam"].contains(&row["ending"].as_str()), "{row:?}");
        let (length, shortest) = (number(row, "length"), number(row, "shortest").unwrap());
        assert!(length.is_none_or(|length| length >= shortest), "{row:?}");
        if ["bfs", "astar"].contains(&row["algorithm"].as_str()) {
            assert_eq!((length, row["optimal"].as_str()), (Some(shortest), "true"), "{row:?}");
        }
        assert!(number(row, "visited").unwrap() <= number(row, "generated").unwrap() + 1.0, "{row:?}");
        *generated.entry(&row["method"]).or_default() += number(row, "generated").unwrap();
    }
    assert!(generated["astar:manhattan"] < generated["astar:misplaced"]);
    assert!(generated["astar:misplaced"] < generated["bfs"]);
    assert_drawn(folder.path(), "heuristics");
}

#[test]
fn more_nodes_never_solve_fewer_boards() {
    let folder = tempfile::tempdir().unwrap();
    let rows = rows(folder.path(), "max-nodes --count 30 --max-nodes 300,1000,3000");
    assert_eq!(rows.len(), 30 * 4 * 3);
    for runs in rows.chunks(3) {
        assert!(
            runs.iter().all(|row| row["board"] == runs[0]["board"] && row["method"] == runs[0]["method"])
        );
        assert!(runs.windows(2).all(|pair| pair[0]["ending"] != "solved" || pair[1]["ending"] == "solved"));
        for row in runs {
            assert!(number(row, "visited").unwrap() <= number(row, "max_nodes").unwrap(), "{row:?}");
        }
    }
    assert_drawn(folder.path(), "max-nodes");
}

#[test]
fn the_command_beside_the_results_repeats_them() {
    let folder = tempfile::tempdir().unwrap();
    let without_times = |rows: Vec<Row>| {
        let strip = |mut row: Row| {
            row.remove("time_us");
            row
        };
        rows.into_iter().map(strip).collect::<Vec<_>>()
    };
    let first = without_times(rows(folder.path(), "queues --moves 1..9 --count 4 --threads 1"));
    assert_eq!(first.len(), 9 * 4 * 2);
    assert_drawn(folder.path(), "queues");
    let report = std::fs::read_to_string(folder.path().join("queues.md")).unwrap();
    assert!(report.contains(concat!("batch-solve ", env!("CARGO_PKG_VERSION"))));
    let command = report.lines().find(|line| line.starts_with("batch-solve experiment ")).unwrap();
    let arguments = command.strip_prefix("batch-solve experiment ").unwrap();
    let again = tempfile::tempdir().unwrap();
    assert_eq!(without_times(rows(again.path(), &format!("{arguments} --threads 3"))), first);
}

#[test]
fn weights_and_samples() {
    let folder = tempfile::tempdir().unwrap();
    let weighted = rows(folder.path(), "weights --count 5 --size 3x3,2x4 --moves 30 --max-nodes 20000");
    for row in &weighted {
        let (weight, length) = (number(row, "weight").unwrap(), number(row, "length").unwrap());
        assert!(length <= weight * number(row, "shortest").unwrap(), "{row:?}");
    }
    assert_drawn(folder.path(), "weights");
    rows(folder.path(), "sample-size --count 100 --max-nodes 500");
    assert_drawn(folder.path(), "sample-size");
}

#[test]
fn trays_by_queue_and_by_visited_set() {
    let folder = tempfile::tempdir().unwrap();
    let rows = rows(folder.path(), "trays --size 4x4 --count 12 --max-nodes 100,2000");
    assert_eq!(rows.len(), 12 * (5 * 2 + 5 * 2));
    let length = |row: &Row| number(row, "length");
    for of_tray in rows.chunks(20) {
        let (limited, sets) = of_tray.split_at(10);
        // The stack and the priorities find nothing shorter than the FIFO queue.
        let shortest = length(&sets[0]).expect("every tray has a solution");
        assert!(limited.iter().filter_map(length).all(|length| length >= shortest), "{limited:?}");
        let fifo = limited.iter().filter(|row| row["queue"] == "FIFO queue");
        assert!(fifo.filter_map(length).all(|length| length == shortest));
        // Hashes lose states, and never find more.
        let whole = |row: &&Row| row["whole_space"] == "true";
        let visited: Vec<f64> =
            sets.iter().filter(whole).map(|row| number(row, "visited").unwrap()).collect();
        assert!(visited.iter().all(|&visited| visited <= visited_exactly(sets)), "{visited:?}");
        assert!(sets.iter().filter_map(length).all(|length| length >= shortest));
    }
    assert_drawn(folder.path(), "trays");
}

/// States of a tray's whole space.
fn visited_exactly(sets: &[Row]) -> f64 {
    let exact = |row: &&Row| row["whole_space"] == "true" && row["visited_set"] == "exact keys";
    number(sets.iter().find(exact).unwrap(), "visited").unwrap()
}

#[test]
fn the_boards_of_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = format!("{}/fixtures/forms/compact.txt", env!("CARGO_MANIFEST_DIR"));
    let rows = rows(folder.path(), &format!("grid --boards {file} --methods dfs,ida --max-nodes 100,200000"));
    assert_eq!(rows.len(), 3 * 2 * 2);
    assert_drawn(folder.path(), "grid");
}

#[test]
fn a_small_cap_means_fewer_runs_at_once_and_the_same_rows() {
    let folder = tempfile::tempdir().unwrap();
    let counted = |arguments: &str| {
        let arguments = format!("grid --count 4 --max-nodes 2000 --force {arguments}");
        let mut rows = rows(folder.path(), &arguments);
        rows.iter_mut().for_each(|row| drop(row.remove("time_us")));
        rows
    };
    let free = counted("--threads 3");
    assert_eq!(counted("--threads 3 --memory 200MiB"), free);
    let output = experiment(folder.path(), "grid --count 4 --threads 3 --memory 200MiB --force");
    let notes = String::from_utf8(output.stderr).unwrap();
    assert!(notes.contains("runs at once: 2 instead of 3"), "{notes}");
    let report = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
    assert!(report("grid.md").contains("with 64 MiB for its search, 2 at once"), "{}", report("grid.md"));
    counted("--run-memory 8MiB");
    assert!(report("grid.md").contains(" --run-memory 8388608\n"), "{}", report("grid.md"));
}

#[test]
fn nothing_is_overwritten_and_mistakes_are_said() {
    let folder = tempfile::tempdir().unwrap();
    rows(folder.path(), "max-nodes --count 2 --max-nodes 100,200");
    for (arguments, reason) in [
        ("max-nodes --count 2", "exists already (--force overwrites it)"),
        ("queues --boards x.txt", "random moves"),
        ("weights --methods bfs", "a weight"),
        ("heuristics --max-nodes 1,2", "one limit"),
        ("grid --methods astar:h7", "there is no such heuristic"),
        ("grid --boards no-such-file", "no-such-file"),
        (
            "grid --memory 40MiB",
            "--memory: 40 MiB of memory are not enough: at least 129 MiB are needed here",
        ),
        ("grid --count 1000000000000", "are needed here"),
        ("trays --run-memory 1MiB", "are for tiles"),
        ("no-such-preset", "possible values"),
    ] {
        let output = experiment(folder.path(), arguments);
        let message = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments}");
        assert!(message.contains(reason), "{arguments}: {message}");
    }
    let output = experiment(folder.path(), "max-nodes --count 2 --max-nodes 100,200 --force");
    assert_eq!(output.status.code(), Some(0));
}
