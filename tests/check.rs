//! Right and wrong results of every format against small puzzle files.

use batch_solve::{
    check::{CheckError, CheckOptions, Summary, check},
    input::{Defaults, Reader},
    output::{Format, Notation},
};
use proptest::prelude::*;
use std::io::Cursor;

/// A solved board, one move, two moves, an unsolvable one, a mistake.
const PUZZLES: &str = "1 2 3 4 5 6 7 8 0\nk: 1 2 3 4 5 6 7 0 8 | 1\n1 2 3 4 0 6 7 5 8 | 2\n\
    1 2 3 4 5 6 8 7 0\n1 2 3 4 5 6 7 7 0\n";

const TEXT: &str =
    "1\tsolved\t0\t\nk\tsolved\t1\tR\n3\tsolved\t2\tDR\n4\tunsolvable\t-\tparity\n5\tinvalid\t-\ttile 7\n";

fn reader(name: &str, text: &str) -> Reader {
    Reader::from_stream(name, Cursor::new(text.to_owned().into_bytes()), Defaults::default())
}

fn run(results: &str) -> Summary {
    check(vec![reader("p.txt", PUZZLES)], results.as_bytes(), &CheckOptions::default()).unwrap()
}

/// The only problem there is.
fn problem(results: &str) -> String {
    let summary = run(results);
    assert!(!summary.is_right() && summary.problems.len() == 1, "{summary:?}");
    summary.problems[0].clone()
}

fn jsonl(n: u64, rest: &str) -> String {
    let id = if n == 2 { "k".to_owned() } else { n.to_string() };
    format!("{{\"type\":\"result\",\"v\":1,\"file\":\"p.txt\",\"n\":{n},\"id\":\"{id}\",{rest}}}\n")
}

fn all_jsonl() -> Vec<String> {
    vec![
        jsonl(1, r#""status":"solved","length":0,"optimal":true,"moves":"""#),
        jsonl(
            2,
            r#""goal":"blank-last","notation":"tile","status":"solved","length":1,"optimal":true,"moves":"L""#,
        ),
        jsonl(3, r#""status":"solved","length":2,"optimal":true,"bound":2,"moves":"DR""#),
        jsonl(4, r#""status":"unsolvable","reason":"parity""#),
        jsonl(5, r#""status":"invalid","reason":"x""#),
    ]
}

#[test]
fn right_results_are_right_in_every_format() {
    let csv = "type,file,n,id,goal,notation,status,length,optimal,moves\nresult,p.txt,1,1,,blank,solved,0,true,\n\
        result,p.txt,2,k,,blank,solved,1,true,R\nresult,p.txt,3,3,blank-last,tile,solved,2,true,UL\n\
        result,p.txt,4,4,,,unsolvable,,,\nresult,p.txt,5,5,,,invalid,,,\n";
    let states = "puzzle 1: solved, 0 moves, optimal\n\n0\n1 2 3\n4 5 6\n7 8 _\n\n\
        puzzle k: solved, 1 move, optimal\n\n0\n1 2 3\n4 5 6\n7 _ 8\n\n1 R\n1 2 3\n4 5 6\n7 8 _\n\n\
        puzzle 3: solved, 2 moves, optimal\n\n0\n1 2 3\n4 _ 6\n7 5 8\n\n1 D\n1 2 3\n4 5 6\n7 _ 8\n\n\
        2 R\n1 2 3\n4 5 6\n7 8 _\n\npuzzle 4: unsolvable, parity\n\npuzzle 5: invalid, tile 7\n\n";
    let jsonl = all_jsonl().concat() + "{\"type\":\"summary\",\"v\":1}\n";
    for (results, optimal) in [(TEXT, 0), (csv, 3), (states, 3), (&jsonl, 3)] {
        let summary = run(results);
        assert!(summary.is_right(), "{summary:?}");
        let expected = Summary {
            puzzles: 5,
            solved: 3,
            optimal,
            as_known: 2,
            unknown: u64::from(optimal > 0),
            has_record: results.starts_with('{'),
            unsolvable: 1,
            invalid: 1,
            ..Summary::default()
        };
        assert_eq!(summary, expected);
    }
    assert_eq!(
        run(TEXT).to_string(),
        "5 puzzles: 3 solved (0 optimal, 2 as short as known), 1 unsolvable, 0 gave up, 1 invalid; all right"
    );
}

#[test]
fn wrong_claims_are_found() {
    let with = |line: usize, other: &str| {
        let mut lines: Vec<&str> = TEXT.lines().collect();
        lines[line - 1] = other;
        problem(&(lines.join("\n") + "\n"))
    };
    assert_eq!(
        with(3, "3\tsolved\t2\tDL"),
        "p.txt, line 3, record 3: the moves do not end at the goal blank-last"
    );
    assert_eq!(
        with(1, "1\tsolved\t1\tR"),
        "p.txt, line 1, record 1: move 1 takes the blank over the edge (Right)"
    );
    assert!(with(3, "3\tsolved\t3\tDR").ends_with("the result claims length 3, but it has 2 moves"));
    assert!(with(2, "k\tsolved\t1\tQ").ends_with("record 2 (k): move 1 is 'Q', not U, R, D or L"));
    assert!(with(4, "4\tsolved\t0\t").ends_with("do not end at the goal blank-last"));
    assert!(with(4, "4\tinvalid\t-\t").contains("reported as invalid"));
    assert!(with(3, "3\tunsolvable\t-\t").contains("reported as unsolvable"));
    assert!(with(5, "5\tsolved\t0\t").contains("tile 7 appears twice (line 5, column 15)"));
    assert!(with(2, "k\tdone\t1\tR").ends_with("'done' is not a status"));
    assert!(with(2, "k\tsolv").ends_with("'solv' is not a status"));
}

#[test]
fn known_lengths_are_compared() {
    let one = |puzzle: &str, result: String| {
        check(vec![reader("p.txt", puzzle)], result.as_bytes(), &CheckOptions::default()).unwrap()
    };
    // Two moves forth and back: longer than known, wrong only if called shortest.
    let longer = one("1 2 3 4 5 6 7 0 8 | 1", "1\tsolved\t3\tRLR\n".into());
    assert!(longer.is_right() && longer.longer == 1);
    let claim = |rest: &str| one("1 2 3 4 5 6 7 0 8 | 1", jsonl(1, rest));
    assert!(claim(r#""status":"solved","length":3,"optimal":false,"bound":1,"moves":"RLR""#).is_right());
    assert!(!claim(r#""status":"solved","length":3,"optimal":true,"moves":"RLR""#).is_right());
    assert!(!claim(r#""status":"solved","length":3,"optimal":false,"bound":3,"moves":"RLR""#).is_right());
    assert!(!claim(r#""status":"gave_up","reason":"time","bound":2"#).is_right());
    let gave_up = claim(r#""status":"gave_up","reason":"time","bound":1"#);
    assert!(gave_up.is_right() && gave_up.gave_up == 1);
    let shorter = one("1 2 3 4 5 6 7 0 8 | 3", "1\tsolved\t1\tR\n".into());
    assert!(shorter.problems[0].ends_with("1 moves, fewer than the known shortest length 3"));
    let runs = r#""metric":"line","status":"solved","length":1,"optimal":true,"moves":"RR""#;
    assert!(one("1 2 3 4 5 6 0 7 8 | 2", jsonl(1, runs)).is_right());
}

#[test]
fn another_goal_is_named() {
    let mut lines = all_jsonl();
    lines[1] = jsonl(2, r#""goal":"blank-first","status":"solved","length":1,"moves":"R""#);
    assert!(problem(&lines.concat()).ends_with("for the goal blank-first, the record's goal is blank-last"));
}

#[test]
fn every_record_has_one_result() {
    let lines = all_jsonl();
    let pick = |order: &[usize]| order.iter().map(|&n| lines[n - 1].as_str()).collect::<String>();
    assert!(run(&pick(&[5, 3, 1, 2, 4])).is_right());
    assert_eq!(problem(&pick(&[1, 2, 4, 5])), "p.txt, line 3, record 3: no result");
    assert_eq!(problem(&pick(&[1, 2, 3, 4, 5, 2])), "results line 6: a second result for record 2 of p.txt");
    assert_eq!(
        problem(&(pick(&[1, 2, 3, 4, 5]) + &lines[0].replace(":1,\"id", ":9,\"id"))),
        "results line 6: there is no record 9 of p.txt"
    );
    assert_eq!(run("").missing, 5);
    assert!(run(&(pick(&[1, 2, 3, 4]) + &lines[4][..20])).problems[0].contains("not a JSON object"));
    let text: Vec<&str> = TEXT.lines().collect();
    assert_eq!(
        problem(&[text[0], text[2], text[3], text[4]].join("\n")),
        "p.txt, line 2, record 2 (k): no result"
    );
    assert_eq!(
        problem(&format!("{TEXT}9\tinvalid\t-\t\n")),
        "results line 6: no record '9' without a result"
    );
    assert!(run(&[text[4], text[0], text[3], text[1], text[2]].join("\n")).is_right());
}

#[test]
fn several_files_are_told_apart() {
    let readers = || vec![reader("a", "1 2 3 0\n"), reader("b", "1 2 0 3\n")];
    let line = |file: &str, rest: &str| jsonl(1, rest).replace("p.txt", file);
    let (a, b) =
        (r#""status":"solved","length":0,"moves":"""#, r#""status":"solved","length":1,"moves":"R""#);
    for results in [line("a", a) + &line("b", b), line("b", b) + &line("a", a)] {
        assert!(check(readers(), results.as_bytes(), &CheckOptions::default()).unwrap().is_right());
    }
    let wrong = check(readers(), line("c", a).as_bytes(), &CheckOptions::default()).unwrap();
    assert_eq!((wrong.wrong, wrong.missing), (1, 2));
    let text = "1\tsolved\t0\t\n1\tsolved\t1\tR\n";
    assert!(check(readers(), text.as_bytes(), &CheckOptions::default()).unwrap().is_right());
    // A single file may be known by another name.
    assert!(run(&all_jsonl().concat().replace("p.txt", "-")).is_right());
}

#[test]
fn blocks_go_nowhere_outside_their_tray() {
    let tray = "tray 2 2\n0 1 0 1\ngoal\n1 1 1 1\n";
    for to in ["-9223372036854775808 0", "9223372036854775807 -9223372036854775808", "2 1", "0 -1"] {
        let result = format!("1\tsolved\t1\t0 1 {to}\n");
        let summary = check(vec![reader("t", tray)], result.as_bytes(), &CheckOptions::default()).unwrap();
        assert_eq!((summary.wrong, summary.missing), (1, 0), "{to}");
        assert!(summary.problems[0].contains("the block leaves the tray"), "{:?}", summary.problems);
    }
}

#[test]
fn options_and_errors() {
    let tile =
        CheckOptions { notation: Notation::Tile, format: Some(Format::Text), ..CheckOptions::default() };
    let text = TEXT.replace("\tR", "\tL").replace("DR", "UL");
    assert!(check(vec![reader("p", PUZZLES)], text.as_bytes(), &tile).unwrap().is_right());
    let error = check(vec![reader("p", PUZZLES)], PUZZLES.as_bytes(), &CheckOptions::default());
    assert!(matches!(error, Err(CheckError::Format)));
}

#[test]
fn problems_are_bounded() {
    let puzzles = "1 2 3 0\n".repeat(500);
    let summary = check(vec![reader("p", &puzzles)], &b""[..], &CheckOptions::default()).unwrap();
    assert_eq!((summary.missing, summary.problems.len(), summary.more_problems()), (500, 20, 480));
}

/// Bytes that look like results here and there.
fn result_like() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        Just(b"\n".to_vec()),
        Just(TEXT.as_bytes().to_vec()),
        Just(b"puzzle 1: solved, 1 move, optimal\n\n0\n1 2 3\n4 _\n\n1 U\n".to_vec()),
        Just(b"type,file,n,id,status,moves,length\nresult,p.txt,1,1,solved,,0\n".to_vec()),
        (1usize..6).prop_map(|n| all_jsonl()[n - 1].clone().into_bytes()),
        proptest::collection::vec(any::<u8>(), 0..20),
    ];
    proptest::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn any_results_are_judged_and_every_record_is_accounted_for(
        results in result_like(),
        format in prop::sample::select(vec![
            None, Some(Format::Text), Some(Format::Jsonl), Some(Format::Csv), Some(Format::States),
        ]),
    ) {
        let options = CheckOptions { format, ..CheckOptions::default() };
        match check(vec![reader("p.txt", PUZZLES)], results.as_slice(), &options) {
            Ok(summary) => {
                prop_assert_eq!(summary.puzzles, 5);
                let right = summary.solved + summary.unsolvable + summary.gave_up + summary.invalid;
                prop_assert!(right + summary.missing <= 5 && right + summary.missing + summary.wrong >= 5);
            }
            Err(error) => prop_assert!(matches!(error, CheckError::Format | CheckError::Results(_))),
        }
    }
}
