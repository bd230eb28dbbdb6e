//! What is to be seen, and its layout.

use super::canvas::{Anchor, Canvas, Color, Lettering, Look};
use super::scale::{Ruler, Scale, label};
use super::typeface::Typeface;

/// A figure: a title, a legend, panels in a grid, and notes.
#[derive(Clone, Debug, Default)]
pub struct Figure {
    /// What it shows, in a line.
    pub title: String,
    /// The panels, row by row.
    pub panels: Vec<Panel>,
    /// How many panels stand in a row.
    pub columns: usize,
    /// Lines under the panels: what the marks mean, what was run.
    pub notes: Vec<String>,
}

/// A pair of axes and what is drawn between them. Series of the same place in
/// all panels of a figure look the same; the first panel names them.
#[derive(Clone, Debug, Default)]
pub struct Panel {
    /// What it shows; may be empty if the figure says it.
    pub title: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// What is drawn.
    pub series: Vec<Series>,
    /// A value of y that is a limit, and its name.
    pub limit: Option<(f64, String)>,
}

/// An axis.
#[derive(Clone, Debug, Default)]
pub struct Axis {
    /// What its values are, with their unit.
    pub label: String,
    /// How they lie.
    pub scale: Scale,
    /// The values that are marked; round ones if there are none.
    pub marks: Vec<f64>,
}

/// Points with a line through them.
#[derive(Clone, Debug, Default)]
pub struct Series {
    /// Its name in the legend.
    pub name: String,
    /// Its points, from left to right.
    pub points: Vec<Point>,
}

/// A point of a series.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Point {
    /// Where it lies.
    pub x: f64,
    /// Where it lies.
    pub y: f64,
    /// How far the band around it goes, down and up.
    pub band: Option<(f64, f64)>,
    /// Whether some of its runs hit a limit: it is drawn hollow.
    pub limited: bool,
}

/// Colours of Okabe and Ito, the darker ones first.
const COLORS: [Color; 7] = [
    [0, 114, 178],
    [213, 94, 0],
    [0, 158, 115],
    [204, 121, 167],
    [230, 159, 0],
    [86, 180, 233],
    [90, 90, 90],
];

const INK: Color = [30, 30, 30];
const PALE: Color = [225, 225, 225];
const GREY: Color = [110, 110, 110];

// Sizes of panels and letters.
const PANEL: (f32, f32) = (470.0, 330.0);
const LEFT: f32 = 82.0;
const RIGHT: f32 = 18.0;
const ABOVE: f32 = 34.0;
const BELOW: f32 = 62.0;
const MARGIN: f32 = 14.0;
const TITLE: f32 = 21.0;
const HEADING: f32 = 17.0;
const LABEL: f32 = 17.0;
const SMALL: f32 = 15.0;
const LINE: f32 = 24.0;

/// Half the width of a marker.
const MARKER: f32 = 4.6;

/// A place for a panel's data: left, top, width, height.
#[derive(Clone, Copy)]
struct Frame {
    left: f32,
    top: f32,
    width: f32,
    height: f32,
}

impl Figure {
    fn columns(&self) -> usize {
        self.columns.clamp(1, self.panels.len().max(1))
    }

    fn width(&self) -> f32 {
        // A single panel may be wider, so that the title fits.
        self.columns() as f32 * self.panel_width() + 2.0 * MARGIN
    }

    fn panel_width(&self) -> f32 {
        if self.columns() == 1 { PANEL.0 * 1.45 } else { PANEL.0 }
    }

    /// The width and the height.
    pub(super) fn size(&self) -> (f32, f32) {
        let rows = self.panels.len().div_ceil(self.columns()) as f32;
        let legend = self.legend(&Typeface::new()).last().map_or(0.0, |last| last.1 + LINE);
        let notes = self.notes.len() as f32 * 20.0;
        (self.width(), (MARGIN + 30.0 + legend + rows * PANEL.1 + notes + MARGIN).ceil())
    }

    /// The names of the series and where they stand in the legend: from the
    /// left, and from its top.
    fn legend(&self, typeface: &Typeface) -> Vec<(f32, f32, &str)> {
        let names = self.panels.first().map_or(&[] as &[Series], |panel| &panel.series);
        let (mut x, mut y) = (MARGIN + 6.0, 0.0);
        let mut places = Vec::new();
        for name in names.iter().map(|series| series.name.as_str()).filter(|name| !name.is_empty()) {
            let width = 52.0 + typeface.width(name, LABEL) * 1.08 + 22.0;
            if x + width > self.width() && x > MARGIN + 6.0 {
                (x, y) = (MARGIN + 6.0, y + LINE);
            }
            places.push((x, y, name));
            x += width;
        }
        places
    }

    /// Draws everything.
    pub fn draw(&self, canvas: &mut dyn Canvas) {
        let typeface = Typeface::new();
        let (width, height) = self.size();
        canvas.text((width / 2.0, MARGIN + 18.0), &self.title, lettering(TITLE, Anchor::Middle, true));
        let top = MARGIN + 30.0;
        let legend = self.legend(&typeface);
        for (index, &(x, y, name)) in legend.iter().enumerate() {
            let middle = top + y + 13.0;
            canvas.path(&[(x, middle), (x + 40.0, middle)], false, series_line(index));
            marker(canvas, index, (x + 20.0, middle), MARKER, false);
            canvas.text((x + 48.0, middle + 5.5), name, lettering(LABEL, Anchor::Start, false));
        }
        let top = top + legend.last().map_or(0.0, |last| last.1 + LINE);
        for (index, panel) in self.panels.iter().enumerate() {
            let (row, column) = (index / self.columns(), index % self.columns());
            panel.draw(
                canvas,
                Frame {
                    left: MARGIN + column as f32 * self.panel_width() + LEFT,
                    top: top + row as f32 * PANEL.1 + ABOVE,
                    width: self.panel_width() - LEFT - RIGHT,
                    height: PANEL.1 - ABOVE - BELOW,
                },
            );
        }
        for (index, note) in self.notes.iter().rev().enumerate() {
            let y = height - MARGIN - index as f32 * 20.0;
            let grey = Lettering { color: GREY, ..lettering(SMALL, Anchor::Start, false) };
            canvas.text((MARGIN + 6.0, y), note, grey);
        }
    }
}

impl Panel {
    fn draw(&self, canvas: &mut dyn Canvas, frame: Frame) {
        let points = || self.series.iter().flat_map(|series| &series.points);
        let x = Ruler::new(self.x.scale, points().map(|point| point.x), &self.x.marks);
        let ends = |point: &Point| point.band.map_or([point.y, point.y], |(low, high)| [low, high]);
        let limit = self.limit.iter().map(|limit| limit.0);
        let y_values = points().flat_map(ends).chain(points().map(|point| point.y)).chain(limit);
        let y = Ruler::new(self.y.scale, y_values, &self.y.marks);
        let place = |px: f64, py: f64| {
            let (right, up) = (x.place(px) as f32, y.place(py) as f32);
            (frame.left + right * frame.width, frame.top + (1.0 - up.clamp(-0.02, 1.02)) * frame.height)
        };
        self.draw_axes(canvas, frame, &x, &y);
        for (index, series) in self.series.iter().enumerate() {
            let bands: Vec<_> = series.points.iter().filter_map(|p| p.band.map(|band| (p.x, band))).collect();
            if bands.len() > 1 {
                let upper = bands.iter().map(|&(px, (_, high))| place(px, high));
                let lower = bands.iter().rev().map(|&(px, (low, _))| place(px, low));
                let outline: Vec<_> = upper.chain(lower).collect();
                let look = Look { fill: Some((color(index), 0.16)), ..Look::default() };
                canvas.path(&outline, true, look);
            }
        }
        if let Some((value, name)) = &self.limit {
            let (_, at) = place(0.0, *value);
            let look = Look { line: Some((GREY, 1.5)), dashed: true, ..Look::default() };
            canvas.path(&[(frame.left, at), (frame.left + frame.width, at)], false, look);
            let grey = Lettering { color: GREY, ..lettering(SMALL, Anchor::Start, false) };
            canvas.text((frame.left + 8.0, at - 6.0), name, grey);
        }
        for (index, series) in self.series.iter().enumerate() {
            let line: Vec<_> = series.points.iter().map(|point| place(point.x, point.y)).collect();
            if line.len() > 1 {
                canvas.path(&line, false, series_line(index));
            }
            // Where markers would touch, they are smaller.
            let apart = frame.width / line.len().max(1) as f32;
            let size = MARKER.min(0.3 * apart).max(2.0);
            for (point, &at) in series.points.iter().zip(&line) {
                marker(canvas, index, at, size, point.limited);
            }
        }
    }

    fn draw_axes(&self, canvas: &mut dyn Canvas, frame: Frame, x: &Ruler, y: &Ruler) {
        let Frame { left, top, width, height } = frame;
        let pale = Look { line: Some((PALE, 1.0)), ..Look::default() };
        for &mark in &y.marks {
            let at = top + (1.0 - y.place(mark) as f32) * height;
            canvas.path(&[(left, at), (left + width, at)], false, pale);
            canvas.text((left - 8.0, at + 5.0), &label(mark), lettering(SMALL, Anchor::End, false));
        }
        let mut last = f32::NEG_INFINITY;
        for &mark in &x.marks {
            let at = left + x.place(mark) as f32 * width;
            canvas.path(&[(at, top), (at, top + height)], false, pale);
            // Marks that stand close together are not all named.
            if at - last >= 34.0 {
                let text = lettering(SMALL, Anchor::Middle, false);
                canvas.text((at, top + height + 20.0), &label(mark), text);
                last = at;
            }
        }
        let ink = Look { line: Some((INK, 1.3)), ..Look::default() };
        canvas.path(&[(left, top), (left, top + height), (left + width, top + height)], false, ink);
        let middle = (left + width / 2.0, top + height / 2.0);
        canvas.text((middle.0, top - 11.0), &self.title, lettering(HEADING, Anchor::Middle, true));
        canvas.text((middle.0, top + height + 45.0), &self.x.label, lettering(LABEL, Anchor::Middle, false));
        let upwards = Lettering { upwards: true, ..lettering(LABEL, Anchor::Middle, false) };
        canvas.text((left - LEFT + 20.0, middle.1), &self.y.label, upwards);
    }
}

fn lettering(size: f32, anchor: Anchor, bold: bool) -> Lettering {
    Lettering { size, anchor, upwards: false, bold, color: INK }
}

fn color(index: usize) -> Color {
    COLORS[index % COLORS.len()]
}

/// Every other series has a dashed line.
fn series_line(index: usize) -> Look {
    Look { line: Some((color(index), 2.4)), dashed: index % 2 == 1, ..Look::default() }
}

/// A circle, square, triangle or diamond; hollow where runs hit a limit.
fn marker(canvas: &mut dyn Canvas, index: usize, (x, y): (f32, f32), size: f32, hollow: bool) {
    let corners: Vec<(f32, f32)> = match index % 4 {
        0 => (0..20).map(|i| (i as f32 * std::f32::consts::TAU / 20.0).sin_cos()).collect(),
        1 => vec![(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)],
        2 => vec![(0.0, -1.2), (1.1, 0.8), (-1.1, 0.8)],
        _ => vec![(0.0, -1.3), (1.1, 0.0), (0.0, 1.3), (-1.1, 0.0)],
    };
    let points: Vec<_> = corners.iter().map(|(dx, dy)| (x + dx * size, y + dy * size)).collect();
    let fill = if hollow { [255; 3] } else { color(index) };
    canvas.path(
        &points,
        true,
        Look { fill: Some((fill, 1.0)), line: Some((color(index), 1.6)), dashed: false },
    );
}
