//! Adapter: any puzzle with a key type of its own as a [`Space`].

use super::{Flow, Space, Successor};
use crate::heuristic::Heuristic;
use crate::puzzle::{Key, Move, Puzzle};
use crate::search::Problem;
use bytemuck::Pod;

/// A puzzle, its heuristic and its start.
pub struct PuzzleSpace<'a, P: Puzzle, H>(pub Problem<'a, P, H>);

impl<P: Puzzle, H: Heuristic<P, Payload = ()>> Space for PuzzleSpace<'_, P, H>
where
    P::Key: Pod,
{
    fn width(&self) -> usize {
        P::Key::BITS as usize / 32
    }

    fn start(&mut self, key: &mut [u32]) -> (u32, bool) {
        let Problem { puzzle, heuristic, start } = self.0;
        key.copy_from_slice(bytemuck::cast_slice(&[puzzle.pack(&start)]));
        (heuristic.estimate(&heuristic.evaluate(puzzle, &start)), puzzle.is_goal(&start))
    }

    #[inline]
    fn expand(
        &mut self,
        key: &[u32],
        estimate: u32,
        last: Option<Move>,
        mut visit: impl FnMut(Successor<'_>) -> Flow,
    ) {
        let Problem { puzzle, heuristic, .. } = self.0;
        let state = puzzle.unpack(key_of(key));
        let memo = heuristic.restore(puzzle, &state, estimate, ());
        for step in puzzle.moves(&state, last) {
            let estimate = heuristic.estimate(&heuristic.update(puzzle, &memo, &state, step));
            let after = puzzle.apply(&state, step);
            let is_goal = estimate == 0 && puzzle.is_goal(&after);
            let key = [puzzle.pack(&after)];
            let successor = Successor { key: bytemuck::cast_slice(&key), step, estimate, is_goal };
            if visit(successor) == Flow::Break {
                return;
            }
        }
    }

    fn apply(&mut self, key: &[u32], step: Move, after: &mut [u32]) -> u32 {
        let Problem { puzzle, heuristic, .. } = self.0;
        let state = puzzle.apply(&puzzle.unpack(key_of(key)), step);
        after.copy_from_slice(bytemuck::cast_slice(&[puzzle.pack(&state)]));
        heuristic.estimate(&heuristic.evaluate(puzzle, &state))
    }
}

#[inline]
fn key_of<K: Pod>(words: &[u32]) -> K {
    bytemuck::pod_read_unaligned(bytemuck::cast_slice(words))
}
