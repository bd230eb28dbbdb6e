//! Axes' scales: where a value lies, and which values are marked.

/// How values lie on an axis.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Scale {
    /// Evenly.
    #[default]
    Linear,
    /// By their logarithms; only values above 0 can be seen.
    Log,
}

/// A scale over a range of values.
#[derive(Clone, Debug)]
pub(super) struct Ruler {
    scale: Scale,
    low: f64,
    high: f64,
    /// The values that are marked.
    pub(super) marks: Vec<f64>,
}

impl Ruler {
    /// A ruler for these values, which it may exceed a little; with marks of its
    /// own choice unless some are given.
    pub(super) fn new(scale: Scale, values: impl Iterator<Item = f64>, marks: &[f64]) -> Self {
        let seen = values.chain(marks.iter().copied());
        let seen = seen.filter(|value| value.is_finite() && (scale == Scale::Linear || *value > 0.0));
        let (mut low, mut high) =
            seen.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)));
        if low > high {
            (low, high) = (1.0, 10.0);
        }
        let mut ruler = Self { scale, low, high, marks: marks.to_vec() };
        match scale {
            Scale::Linear => ruler.widen_linear(),
            Scale::Log => ruler.widen_log(),
        }
        ruler
    }

    fn widen_linear(&mut self) {
        if self.low == self.high {
            (self.low, self.high) = (self.low - 1.0, self.high + 1.0);
        }
        if !self.marks.is_empty() {
            let margin = (self.high - self.low) * 0.04;
            (self.low, self.high) = (self.low - margin, self.high + margin);
            return;
        }
        let step = nice((self.high - self.low) / 5.0);
        // Nothing is below 0 that was not there.
        self.low = (self.low / step).floor() * step;
        self.high = (self.high / step - 1e-9).ceil() * step;
        let count = ((self.high - self.low) / step).round() as i64;
        self.marks = (0..=count).map(|i| self.low + i as f64 * step).collect();
    }

    fn widen_log(&mut self) {
        if !self.marks.is_empty() || self.high / self.low < 1.0001 {
            let factor = (self.high / self.low).powf(0.04).max(1.05);
            (self.low, self.high) = (self.low / factor, self.high * factor);
            if self.marks.is_empty() {
                self.marks = vec![(self.low * self.high).sqrt()];
            }
            return;
        }
        let (first, last) = (self.low.log10().floor() as i32, self.high.log10().ceil() as i32);
        let decades = last - first;
        let steps: &[f64] = match decades {
            ..=2 => &[1.0, 2.0, 5.0],
            3..=4 => &[1.0, 3.0],
            _ => &[1.0],
        };
        let every = (decades / 7).max(1);
        let all: Vec<f64> = (first..=last)
            .filter(|power| (power - first) % every == 0)
            .flat_map(|power| steps.iter().map(move |step| step * 10f64.powi(power)))
            .collect();
        let low = all.iter().copied().rfind(|&mark| mark <= self.low * 1.0001).unwrap_or(self.low);
        let high = all.iter().copied().find(|&mark| mark >= self.high * 0.9999).unwrap_or(self.high);
        (self.low, self.high) = (low, high);
        self.marks = all.into_iter().filter(|mark| (low..=high).contains(mark)).collect();
    }

    /// Where a value lies: 0 at the low end, 1 at the high end.
    pub(super) fn place(&self, value: f64) -> f64 {
        match self.scale {
            Scale::Linear => (value - self.low) / (self.high - self.low),
            Scale::Log => (value.max(self.low) / self.low).ln() / (self.high / self.low).ln(),
        }
    }
}

/// The least of 1, 2, 5, 10, … that is not below a value.
fn nice(value: f64) -> f64 {
    let power = 10f64.powf(value.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].into_iter().find(|step| step * power >= value * 0.999);
    step.unwrap_or(10.0) * power
}

/// A value as it stands beside a mark.
pub(super) fn label(value: f64) -> String {
    let (value, unit) = match value.abs() {
        1e9.. => (value / 1e9, " G"),
        1e6.. => (value / 1e6, " M"),
        1e3.. => (value / 1e3, " k"),
        _ => (value, ""),
    };
    let text =
        if value.abs() < 0.0995 && value != 0.0 { format!("{value:.3}") } else { format!("{value:.2}") };
    format!("{}{unit}", text.trim_end_matches('0').trim_end_matches('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_round_and_hold_all_values() {
        let ruler = Ruler::new(Scale::Linear, [3.0, 47.0].into_iter(), &[]);
        assert_eq!(ruler.marks, [0.0, 10.0, 20.0, 30.0, 40.0, 50.0]);
        assert_eq!((ruler.place(0.0), ruler.place(25.0), ruler.place(50.0)), (0.0, 0.5, 1.0));
        let ruler = Ruler::new(Scale::Log, [3.0, 40_000.0, 0.0].into_iter(), &[]);
        assert_eq!(ruler.marks, [1.0, 10.0, 100.0, 1e3, 1e4, 1e5]);
        assert!((ruler.place(1e3) - 0.6).abs() < 1e-9 && ruler.place(0.0) == 0.0);
        let ruler = Ruler::new(Scale::Log, [30.0, 150.0].into_iter(), &[]);
        assert_eq!(ruler.marks, [20.0, 50.0, 100.0, 200.0]);
        for values in [vec![], vec![7.0], vec![0.0], vec![f64::NAN]] {
            for scale in [Scale::Linear, Scale::Log] {
                let ruler = Ruler::new(scale, values.iter().copied(), &[]);
                assert!(ruler.place(7.0).is_finite() && !ruler.marks.is_empty());
            }
        }
    }

    #[test]
    fn labels_are_short() {
        let labels: Vec<String> = [0.0, 0.01, 0.5, 20.0, 1500.0, 2e4, 1e6].map(label).to_vec();
        assert_eq!(labels, ["0", "0.01", "0.5", "20", "1.5 k", "20 k", "1 M"]);
    }
}
