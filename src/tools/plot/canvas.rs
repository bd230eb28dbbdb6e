//! What a figure is drawn on.

/// Red, green, blue.
pub type Color = [u8; 3];

/// How a path looks.
#[derive(Clone, Copy, Debug, Default)]
pub struct Look {
    /// Colour and opacity of the inside, if it is filled.
    pub fill: Option<(Color, f32)>,
    /// Colour and width of the line, if there is one.
    pub line: Option<(Color, f32)>,
    /// Whether the line is dashed.
    pub dashed: bool,
}

/// Which part of a text stands at its place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Anchor {
    /// Its beginning.
    Start,
    /// Its middle.
    Middle,
    /// Its end.
    End,
}

/// How a text looks.
#[derive(Clone, Copy, Debug)]
pub struct Lettering {
    /// Its height.
    pub size: f32,
    /// Which part stands at its place.
    pub anchor: Anchor,
    /// Whether it is read from below.
    pub upwards: bool,
    /// Whether it is bold.
    pub bold: bool,
    /// Its colour.
    pub color: Color,
}

/// Something to draw on. Coordinates start at the top left.
pub trait Canvas {
    /// Draws a line through points, back to the first if it is closed.
    fn path(&mut self, points: &[(f32, f32)], closed: bool, look: Look);

    /// Writes a text on a baseline.
    fn text(&mut self, at: (f32, f32), text: &str, lettering: Lettering);
}
