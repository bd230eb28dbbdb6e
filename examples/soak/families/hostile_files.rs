//! Journals and results made to take memory or time: the cap holds.

use crate::round::Round;
use crate::run::Run;
use anyhow::Result;

pub(crate) fn run(round: &mut Round<'_>) -> Result<()> {
    round.workspace.write("one.txt", "1 2 3 4 5 6 7 0 8\n")?;
    let size = round.random.between(1, 16) << 20;
    let unit: &[u8] =
        round.random.pick(&[&b"["[..], b"[[],", b"{\"a\":", b",", b"0,", b"\"", b" ", b"\n", b"URDL", b"\0"]);
    let mut bytes = unit.repeat(size / unit.len());
    if round.random.one_in(3) {
        // JSON that is well formed, and takes far more memory than text.
        let value: &[u8] = round.random.pick(&[&b"[],"[..], b"[0],", b"{\"a\":0},", b"0,", b"\"\","]);
        bytes = [b"[", value.repeat(size / value.len()).as_slice(), b"0]"].concat();
    }
    let format = round.random.pick(&["jsonl", "csv", "txt", "states"]);
    let results = format!("r.{format}");
    let journal = format!("{results}.resume");
    let mut run = Run::new(["solve", "one.txt", "-o"]).args([&results]).cap(48).patience(60);
    match round.random.below(5) {
        // A journal that is no journal.
        0 => {
            round.workspace.write(&journal, &bytes)?;
            if round.random.one_in(2) {
                run = run.args(["--resume"]);
            }
        }
        // A journal that begins well.
        1 => {
            let mut text = b"{\"batch-solve\":\"resume\",\"v\":1,\"of\":".to_vec();
            text.append(&mut bytes);
            round.workspace.write(&journal, &text)?;
            run = run.args(["--resume"]);
        }
        // Results that end in a line which is none.
        2 => {
            round.run(&run.clone().args(["--resume"]))?.expect(&[0])?;
            let mut text = round.workspace.read(&results)?;
            text.append(&mut bytes);
            text.push(b'\n');
            round.workspace.write(&results, &text)?;
            if round.random.one_in(2) {
                std::fs::remove_file(round.workspace.path(&journal))?;
            }
            run = run.args(["--resume"]);
        }
        // Results that are none, with a journal of theirs or without.
        3 => {
            if round.random.one_in(2) {
                round.run(&run.clone().args(["--resume"]))?.expect(&[0])?;
            }
            round.workspace.write(&results, &bytes)?;
            run = run.args(["--resume"]);
        }
        _ => {
            round.workspace.write(&results, &bytes)?;
            let command = round.random.pick(&["check", "improve"]);
            run = Run::new([command, "one.txt", &results]).cap(48).patience(60);
        }
    }
    drop(bytes);
    round.run(&run)?.expect(&[0, 1, 2])
}
