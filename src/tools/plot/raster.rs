//! Figures as pictures of pixels.

use super::canvas::{Anchor, Canvas, Color, Lettering, Look};
use super::typeface::Typeface;
use tiny_skia::{
    FillRule, LineCap, LineJoin, Paint, Path, PathBuilder, Pixmap, Stroke, StrokeDash, Transform,
};

/// A picture that is being drawn.
pub(super) struct Raster {
    pixels: Pixmap,
    typeface: Typeface,
    scale: f32,
}

impl Raster {
    /// A white picture, with so many pixels for each unit.
    pub(super) fn new((width, height): (f32, f32), scale: f32) -> Option<Self> {
        let mut pixels = Pixmap::new((width * scale) as u32, (height * scale) as u32)?;
        pixels.fill(tiny_skia::Color::WHITE);
        Some(Self { pixels, typeface: Typeface::new(), scale })
    }

    /// The picture as PNG.
    pub(super) fn finish(self) -> Option<Vec<u8>> {
        self.pixels.encode_png().ok()
    }

    fn fill(&mut self, path: &Path, color: Color, opacity: f32, place: Transform) {
        self.pixels.fill_path(path, &paint(color, opacity), FillRule::Winding, place, None);
    }

    fn stroke(&mut self, path: &Path, color: Color, stroke: &Stroke, place: Transform) {
        self.pixels.stroke_path(path, &paint(color, 1.0), stroke, place, None);
    }
}

fn paint([red, green, blue]: Color, opacity: f32) -> Paint<'static> {
    let mut paint = Paint { anti_alias: true, ..Paint::default() };
    paint.set_color_rgba8(red, green, blue, (opacity * 255.0) as u8);
    paint
}

impl Canvas for Raster {
    fn path(&mut self, points: &[(f32, f32)], closed: bool, look: Look) {
        let mut path = PathBuilder::new();
        for (i, &(x, y)) in points.iter().enumerate() {
            if i == 0 {
                path.move_to(x, y);
            } else {
                path.line_to(x, y);
            }
        }
        if closed {
            path.close();
        }
        let Some(path) = path.finish() else { return };
        let place = Transform::from_scale(self.scale, self.scale);
        if let Some((color, opacity)) = look.fill {
            self.fill(&path, color, opacity, place);
        }
        if let Some((color, width)) = look.line {
            let dash = look.dashed.then(|| StrokeDash::new(vec![7.0, 5.0], 0.0)).flatten();
            let stroke = Stroke {
                width,
                dash,
                line_cap: LineCap::Butt,
                line_join: LineJoin::Round,
                ..Stroke::default()
            };
            self.stroke(&path, color, &stroke, place);
        }
    }

    fn text(&mut self, (x, y): (f32, f32), text: &str, lettering: Lettering) {
        let width = self.typeface.width(text, lettering.size);
        let Some(path) = self.typeface.outline(text, lettering.size) else { return };
        let shift = match lettering.anchor {
            Anchor::Start => 0.0,
            Anchor::Middle => -width / 2.0,
            Anchor::End => -width,
        };
        let turn = if lettering.upwards { -90.0 } else { 0.0 };
        let place = Transform::from_scale(self.scale, self.scale)
            .pre_translate(x, y)
            .pre_rotate(turn)
            .pre_translate(shift, 0.0);
        self.fill(&path, lettering.color, 1.0, place);
        // The typeface is a light one: a line around its letters makes it
        // ordinary, or bold.
        let weight = lettering.size * if lettering.bold { 0.075 } else { 0.025 };
        let stroke = Stroke { width: weight, line_join: LineJoin::Round, ..Stroke::default() };
        self.stroke(&path, lettering.color, &stroke, place);
    }
}
