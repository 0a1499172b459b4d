//! The largest rate at which a response limit holds.

use crate::reading::Reading;
use plimsoll_evidence::{Capacity, Estimate, SloStatistic};

/// Follows the unsaturated points by rising rate up to the first that breaks the limit, and takes a straight line to
/// it from the one before. What comes after is not looked at: a limit that was broken once does not hold at more load.
///
/// Response curves bend upwards, so that the line lies above them and the rate errs on the low side. How far nobody measured: what is
/// between two points has no interval.
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
    let t = (limit - low.value_ns) / (high.value_ns - low.value_ns);
    let on_line = |a: f64, b: f64| a + t * (b - a);
    let rate = Estimate {
        batches: low.rate.batches.min(high.rate.batches),
        ..Estimate::bare(on_line(low.rate.mean, high.rate.mean))
    };
    (rate, on_line(low.mean_ns, high.mean_ns))
}
