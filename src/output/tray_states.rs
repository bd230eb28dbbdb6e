//! Writes the configurations of a tray from the start to the goal.
//!
//! ```text
//! 0 tray piece
//! ABBC
//! A..C
//!
//! 1 0 1 1 1
//! A..C
//! ABBC
//! ```
//!
//! The first line names the metric, each other line the move that leads to its configuration. A
//! move that is not straight is shown slide by slide: `7.1`, `7.2`. Up to 52 blocks have letters,
//! as in a `letters` record; more blocks have numbers, separated by spaces.

use super::fragments;
use super::states::FlushHook;
use crate::puzzle::trays::{Layout, Metric, Shift, Tray};

/// The letters of the first blocks.
const LETTERS: &[u8; 52] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// Appends the start and the configuration after each move.
pub(super) fn write(
    out: &mut Vec<u8>,
    tray: &Tray,
    metric: Metric,
    moves: &[Shift],
    flush: &mut FlushHook<'_>,
) {
    let mut layout = Layout::new(tray);
    out.extend_from_slice(b"0 tray ");
    out.extend_from_slice(metric.name().as_bytes());
    out.push(b'\n');
    grid(out, tray, layout.grid());
    for (number, &shift) in (1..).zip(moves) {
        let route = layout.route(shift).unwrap_or_else(|| vec![shift]);
        let bends = route.len() > 1;
        for (part, shift) in (1..).zip(route) {
            if !flush(out) {
                return;
            }
            fragments::number(out, number);
            if bends {
                out.push(b'.');
                fragments::number(out, part);
            }
            out.push(b' ');
            fragments::shift(out, shift, b' ');
            out.push(b'\n');
            layout.shift(shift, Metric::Slide).expect("a solution that replays");
            grid(out, tray, layout.grid());
        }
    }
}

/// Appends the rows and a blank line.
fn grid(out: &mut Vec<u8>, tray: &Tray, grid: &[u32]) {
    let blocks = tray.blocks().len();
    let width = if blocks <= LETTERS.len() { 0 } else { blocks.ilog10() as usize + 1 };
    for row in grid.chunks(tray.cols()) {
        for (col, &block) in row.iter().enumerate() {
            let mut digits = itoa::Buffer::new();
            let name: &[u8] = match block {
                Tray::EMPTY => b".",
                Tray::WALL => b"#",
                block if width == 0 => &LETTERS[block as usize..=block as usize],
                block => digits.format(block + 1).as_bytes(),
            };
            let gap = if width == 0 { 0 } else { width - name.len() + usize::from(col > 0) };
            out.extend(std::iter::repeat_n(b' ', gap));
            out.extend_from_slice(name);
        }
        out.push(b'\n');
    }
    out.push(b'\n');
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::puzzle::trays::{Piece, Place, Rect};

    fn cell(row: i64, col: i64) -> Piece {
        Piece::plain(Rect::new(row, col, 1, 1).unwrap())
    }

    #[test]
    fn moves_around_corners_are_shown_slide_by_slide() {
        let tray = Tray::new(2, 2, &[Rect::new(1, 0, 1, 1).unwrap()], &[cell(0, 0)], &[cell(1, 1)]).unwrap();
        let mut out = Vec::new();
        write(
            &mut out,
            &tray,
            Metric::Piece,
            &[Shift { from: Place::new(0, 0), to: Place::new(1, 1) }],
            &mut |_| true,
        );
        let text = "0 tray piece\nA.\n#.\n\n1.1 0 0 0 1\n.A\n#.\n\n1.2 0 1 1 1\n..\n#A\n\n";
        assert_eq!(String::from_utf8(out).unwrap(), text);
    }

    #[test]
    fn many_blocks_have_numbers() {
        let blocks: Vec<Piece> = (0..53).map(|col| cell(0, col)).collect();
        let tray = Tray::new(1, 54, &[], &blocks, &[cell(0, 53)]).unwrap();
        let mut out = Vec::new();
        write(&mut out, &tray, Metric::Step, &[], &mut |_| true);
        assert!(out.starts_with(b"0 tray step\n 1  2  3") && out.ends_with(b" 52 53  .\n\n"));
    }
}
