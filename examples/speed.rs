#![allow(unsafe_code, missing_docs)]
use batch_solve::{heuristic::*, puzzle::tiles::*, search::*};
fn main() {
    let size = Size::new(4, 4).unwrap();
    let goal = Goal::BlankFirst.board(size).unwrap().into_owned();
    let p = Tiles::<u64>::new(&goal).unwrap();
    let h = Manhattan::new(&p);
    for tiles in [
        [4u32, 5, 7, 2, 9, 14, 12, 13, 0, 3, 6, 11, 8, 1, 15, 10],
        [12, 11, 15, 3, 8, 0, 4, 2, 6, 13, 9, 5, 14, 1, 10, 7],
    ] {
        let b = Board::new(size, &tiles).unwrap();
        let t = cpu();
        let o = ida::solve(Problem { puzzle: &p, heuristic: &h, start: p.state(&b) }, &Limits::default());
        let s = cpu() - t;
        let Ending::Solved { path, .. } = o.ending else { panic!() };
        println!(
            "{} moves, {} generated, {:.1} M/s, {} expanded",
            path.len(),
            o.statistics.generated,
            o.statistics.generated as f64 / s / 1e6,
            o.statistics.expanded
        );
    }
}

fn cpu() -> f64 {
    let mut t = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut t) };
    t.tv_sec as f64 + t.tv_nsec as f64 * 1e-9
}
