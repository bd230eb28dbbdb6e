//! Figures as SVG: text stays text.

use super::canvas::{Anchor, Canvas, Color, Lettering, Look};
use std::fmt::Write;

/// An SVG document that is being written.
pub(super) struct Svg {
    text: String,
}

impl Svg {
    pub(super) fn new((width, height): (f32, f32)) -> Self {
        let text = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" font-family=\"Ubuntu, 'DejaVu Sans', Verdana, sans-serif\">\n\
             <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n"
        );
        Self { text }
    }

    pub(super) fn finish(self) -> String {
        self.text + "</svg>\n"
    }

    fn put(&mut self, text: std::fmt::Arguments<'_>) {
        self.text.write_fmt(text).expect("a string takes everything");
    }
}

fn hex([red, green, blue]: Color) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}

impl Canvas for Svg {
    fn path(&mut self, points: &[(f32, f32)], closed: bool, look: Look) {
        self.text += "<path d=\"";
        for (i, (x, y)) in points.iter().enumerate() {
            let command = if i == 0 { 'M' } else { 'L' };
            self.put(format_args!("{command}{x:.1} {y:.1}"));
        }
        self.text += if closed { "Z\"" } else { "\"" };
        match look.fill {
            Some((color, opacity)) if opacity < 1.0 => {
                self.put(format_args!(" fill=\"{}\" fill-opacity=\"{opacity}\"", hex(color)));
            }
            Some((color, _)) => self.put(format_args!(" fill=\"{}\"", hex(color))),
            None => self.text += " fill=\"none\"",
        }
        if let Some((color, width)) = look.line {
            self.put(format_args!(
                " stroke=\"{}\" stroke-width=\"{width}\" stroke-linejoin=\"round\"",
                hex(color)
            ));
        }
        if look.dashed {
            self.text += " stroke-dasharray=\"7 5\"";
        }
        self.text += "/>\n";
    }

    fn text(&mut self, (x, y): (f32, f32), text: &str, lettering: Lettering) {
        let anchor = match lettering.anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        self.put(format_args!(
            "<text x=\"{x:.1}\" y=\"{y:.1}\" font-size=\"{}\" text-anchor=\"{anchor}\" fill=\"{}\"",
            lettering.size,
            hex(lettering.color)
        ));
        if lettering.bold {
            self.text += " font-weight=\"bold\"";
        }
        if lettering.upwards {
            self.put(format_args!(" transform=\"rotate(-90 {x:.1} {y:.1})\""));
        }
        let escaped = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        self.put(format_args!(">{escaped}</text>\n"));
    }
}
