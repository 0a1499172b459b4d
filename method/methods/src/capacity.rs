//! The largest rate at which a response limit holds.

use crate::reading::Reading;
use plimsoll_evidence::{Capacity, Estimate, SloStatistic};

/// Follows the unsaturated points by rising rate up to the first that breaks the limit, and takes a straight line to
/// it from the one before. What comes after is not looked at: a limit that was broken once does not hold at more load.
///
/// The uncertainty is that of the two points' responses, through the line's slope, and of their rates. It is not that
/// of the line itself: response curves bend upwards, so that the line lies above them and the rate errs on the low
/// side.
pub fn capacity(points: &[Reading], statistic: SloStatistic, limit_ns: u64) -> Capacity {
    let limit = limit_ns as f64;
    let broken = points.iter().position(|p| p.value_ns > limit);
    let (rate, mean) = match (broken, points.last()) {
        (Some(0), _) | (None, None) => (None, None),
        (Some(i), _) => {
            let (rate, mean) = between(&points[i - 1], &points[i], limit);
            (Some(rate), Some(mean))
        }
        (None, Some(last)) => (Some(last.rate), Some(last.mean_ns)),
    };
    Capacity {
        statistic,
        limit_ns,
        at_least: broken.is_none() && rate.is_some(),
        rate,
        response_mean_ns: mean,
    }
}

/// The rate and the mean response where the line from `low`, which holds the limit, to `high`, which breaks it, meets
/// the limit.
fn between(low: &Reading, high: &Reading, limit: f64) -> (Estimate, f64) {
    let rise = high.value_ns - low.value_ns;
    let t = (limit - low.value_ns) / rise;
    let on_line = |a: f64, b: f64| a + t * (b - a);
    let spread = |a: f64, b: f64| ((1.0 - t) * a).hypot(t * b);
    let gap = high.rate.mean - low.rate.mean;
    let from_response = low
        .half_width
        .zip(high.half_width)
        .map(|(a, b)| spread(a, b) * gap / rise);
    let from_rate = low
        .rate
        .half_width
        .zip(high.rate.half_width)
        .map(|(a, b)| spread(a, b));
    let rate = Estimate {
        mean: on_line(low.rate.mean, high.rate.mean),
        half_width: from_response.zip(from_rate).map(|(a, b)| a.hypot(b)),
        batches: low.rate.batches.min(high.rate.batches),
    };
    (rate, on_line(low.mean_ns, high.mean_ns))
}
