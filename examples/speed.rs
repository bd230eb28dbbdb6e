#![allow(unsafe_code, missing_docs)]
use batch_solve::{heuristic::*, memory::*, puzzle::tiles::*, search::*};
fn main() {
    let size = Size::new(4, 4).unwrap();
    let goal = Goal::BlankFirst.board(size).unwrap().into_owned();
    let p = Tiles::<u64>::new(&goal).unwrap();
    let h = Manhattan::new(&p);
    let args: Vec<String> = std::env::args().collect();
    let mib: usize = args.get(1).map_or(1024, |a| a.parse().unwrap());
    let threads: usize = args.get(2).map_or(1, |a| a.parse().unwrap());
    let mut memory = memmap2::MmapMut::map_anon(mib << 20).unwrap();
    let _ = memory.advise(memmap2::Advice::HugePage);
    let mut region = Region::zeroed(bytemuck::cast_slice_mut(&mut memory));
    for tiles in [[15u32, 2, 12, 11, 14, 13, 9, 5, 1, 3, 8, 7, 0, 10, 6, 4]] {
        for _ in 0..2 {
            let b = Board::new(size, &tiles).unwrap();
            let problem = Problem { puzzle: &p, heuristic: &h, start: p.state(&b) };
            let t = cpu();
            let w = std::time::Instant::now();
            let o = best_first::solve(
                problem,
                Order::ASTAR,
                &Limits::nodes(mib as u64 * 78_900),
                &mut region,
                &Threads(threads),
                best_first::WhenFull::Stop,
            );
            report("astar", o, cpu() - t, w.elapsed().as_secs_f64());
        }
        let b = Board::new(size, &tiles).unwrap();
        let problem = Problem { puzzle: &p, heuristic: &h, start: p.state(&b) };
        if args.get(3).is_some() {
            let t = cpu();
            let w = std::time::Instant::now();
            let o = best_first::solve(
                problem,
                Order::ASTAR,
                &Limits::default(),
                &mut region,
                &Threads(threads),
                best_first::WhenFull::Dig,
            );
            report("hybrid", o, cpu() - t, w.elapsed().as_secs_f64());
            let t = cpu();
            let w = std::time::Instant::now();
            let o = ida::solve(problem, &Limits::default());
            report("ida", o, cpu() - t, w.elapsed().as_secs_f64());
        }
    }
}
fn report(what: &str, o: Outcome, s: f64, w: f64) {
    let (len, bound) = match &o.ending {
        Ending::Solved { path, bound } => (path.len(), *bound),
        Ending::Stopped { bound, .. } => (0, *bound),
        _ => (0, 0),
    };
    println!(
        "{what}: {len} moves, bound {bound}, {:?} generated {:.2} M/s of cpu, {:.2} M/s of wall",
        o.statistics,
        o.statistics.generated as f64 / s / 1e6,
        o.statistics.generated as f64 / w / 1e6
    );
}
fn cpu() -> f64 {
    let mut t = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut t) };
    t.tv_sec as f64 + t.tv_nsec as f64 * 1e-9
}
