//! The typeface of pictures, which the program carries with it.

use tiny_skia::PathBuilder;
use ttf_parser::{Face, OutlineBuilder};

/// A typeface.
pub(super) struct Typeface {
    face: Face<'static>,
}

impl Typeface {
    pub(super) fn new() -> Self {
        let face = Face::parse(epaint_default_fonts::UBUNTU_LIGHT, 0);
        Self { face: face.expect("the typeface that is built in is sound") }
    }

    /// Units of the typeface to those of a text of a size.
    fn scale(&self, size: f32) -> f32 {
        size / f32::from(self.face.units_per_em())
    }

    /// How wide a text is.
    pub(super) fn width(&self, text: &str, size: f32) -> f32 {
        let advance = |c| self.face.glyph_index(c).and_then(|glyph| self.face.glyph_hor_advance(glyph));
        let units: u32 = text.chars().filter_map(advance).map(u32::from).sum();
        units as f32 * self.scale(size)
    }

    /// The outlines of a text whose baseline begins at the origin.
    pub(super) fn outline(&self, text: &str, size: f32) -> Option<tiny_skia::Path> {
        let mut pen = Pen { path: PathBuilder::new(), at: 0.0, scale: self.scale(size) };
        for glyph in text.chars().filter_map(|c| self.face.glyph_index(c)) {
            self.face.outline_glyph(glyph, &mut pen);
            pen.at += f32::from(self.face.glyph_hor_advance(glyph).unwrap_or(0)) * pen.scale;
        }
        pen.path.finish()
    }
}

/// Draws glyphs one after the other. In a typeface y grows upwards.
struct Pen {
    path: PathBuilder,
    at: f32,
    scale: f32,
}

impl Pen {
    fn x(&self, x: f32) -> f32 {
        self.at + x * self.scale
    }

    fn y(&self, y: f32) -> f32 {
        -y * self.scale
    }
}

impl OutlineBuilder for Pen {
    fn move_to(&mut self, x: f32, y: f32) {
        self.path.move_to(self.x(x), self.y(y));
    }

    fn line_to(&mut self, x: f32, y: f32) {
        self.path.line_to(self.x(x), self.y(y));
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        self.path.quad_to(self.x(x1), self.y(y1), self.x(x), self.y(y));
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        self.path.cubic_to(self.x(x1), self.y(y1), self.x(x2), self.y(y2), self.x(x), self.y(y));
    }

    fn close(&mut self) {
        self.path.close();
    }
}
