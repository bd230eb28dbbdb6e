//! Plots for reports, as SVG and as PNG, with nothing from the system: no fonts,
//! no libraries.
//!
//! A [`Figure`] says what is to be seen: panels with axes and series. It is laid
//! out once ([`Figure::draw`]) on a [`Canvas`], of which there are two. The
//! legend stands above the panels, where it covers nothing; colours are those of
//! Okabe and Ito, which people with any kind of colour vision can tell apart,
//! and markers and dashes differ as well.

mod canvas;
mod figure;
mod raster;
mod scale;
mod svg;
mod typeface;

pub use canvas::{Anchor, Canvas, Color, Lettering, Look};
pub use figure::{Axis, Figure, Panel, Point, Series};
pub use scale::Scale;

/// How many pixels of a PNG picture a unit of a figure is: a picture that is
/// shown at half its size is still sharp.
pub const PIXELS: f32 = 2.0;

impl Figure {
    /// The figure as an SVG document.
    pub fn svg(&self) -> String {
        let mut canvas = svg::Svg::new(self.size());
        self.draw(&mut canvas);
        canvas.finish()
    }

    /// The figure as a PNG picture; none if it is too large for one.
    pub fn png(&self) -> Option<Vec<u8>> {
        let mut canvas = raster::Raster::new(self.size(), PIXELS)?;
        self.draw(&mut canvas);
        canvas.finish()
    }
}
