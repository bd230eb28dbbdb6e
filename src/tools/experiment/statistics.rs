//! Averages, medians, and how far they can be trusted.

/// The value below which a share of sorted values lies, between the two nearest
/// ones where none is exact; none if there are no values.
pub(super) fn quantile(sorted: &[f64], share: f64) -> Option<f64> {
    let last = sorted.len().checked_sub(1)?;
    let at = share * last as f64;
    let (low, high) = (sorted[at.floor() as usize], sorted[at.ceil() as usize]);
    Some(low + (high - low) * at.fract())
}

/// The lower quartile, the median and the upper quartile.
pub(super) fn quartiles(mut values: Vec<f64>) -> Option<(f64, f64, f64)> {
    values.sort_unstable_by(f64::total_cmp);
    Some((quantile(&values, 0.25)?, quantile(&values, 0.5)?, quantile(&values, 0.75)?))
}

/// The average; none of nothing.
pub(super) fn mean(values: impl IntoIterator<Item = f64>) -> Option<f64> {
    let (sum, count) = values.into_iter().fold((0.0, 0u64), |(sum, count), value| (sum + value, count + 1));
    (count > 0).then(|| sum / count as f64)
}

/// A percentage.
pub(super) fn percent(part: usize, whole: usize) -> f64 {
    if whole == 0 { f64::NAN } else { 100.0 * part as f64 / whole as f64 }
}

/// Between which percentages the true one lies with 95 % confidence, if so many
/// of so many were seen (Wilson's score interval).
pub(super) fn confidence(part: usize, whole: usize) -> (f64, f64) {
    const Z: f64 = 1.96;
    let n = whole.max(1) as f64;
    let p = part as f64 / n;
    let middle = (p + Z * Z / (2.0 * n)) / (1.0 + Z * Z / n);
    let half = Z / (1.0 + Z * Z / n) * (p * (1.0 - p) / n + Z * Z / (4.0 * n * n)).sqrt();
    (100.0 * (middle - half).max(0.0), 100.0 * (middle + half).min(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quartiles_lie_between_values() {
        assert_eq!(quartiles(vec![4.0, 1.0, 3.0, 2.0, 5.0]), Some((2.0, 3.0, 4.0)));
        assert_eq!(quartiles(vec![1.0, 2.0]), Some((1.25, 1.5, 1.75)));
        assert_eq!((quartiles(vec![]), mean([])), (None, None));
        assert_eq!(mean([1.0, 2.0, 6.0]), Some(3.0));
    }

    #[test]
    fn confidence_grows_with_the_sample() {
        let (low, high) = confidence(50, 100);
        assert!((40.3..40.5).contains(&low) && (59.5..59.7).contains(&high), "{low} {high}");
        let (low_more, high_more) = confidence(500, 1000);
        assert!(low_more > low && high_more < high);
        assert_eq!(confidence(10, 10).1, 100.0);
    }
}
