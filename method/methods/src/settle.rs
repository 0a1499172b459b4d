//! Whether targets have come to rest between two steps.

use plimsoll_measure::trend::Line;

/// Samples that must agree.
const WINDOW: usize = 10;
/// A fall over the window by more than this share of the mean is still a falling off.
const MAX_FALL: f64 = 0.10;

/// Activity of all targets' devices at one instant between steps.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Activity {
    /// I/Os in flight.
    pub in_flight: u64,
    /// I/Os completed since the sample before, per second.
    pub rate: f64,
}

/// True when the targets are at rest as far as a host can see, by samples at equal gaps: idle over the last ten, or,
/// where others use them too, with neither the I/Os in flight nor the rate falling any more. Fewer than ten say
/// nothing. What an array still does behind its cache no host can see; a pause is for that.
pub fn settled(history: &[Activity]) -> bool {
    let Some(start) = history.len().checked_sub(WINDOW) else {
        return false;
    };
    let window = &history[start..];
    let level = |values: Vec<f64>| !still_falls(&values);
    level(window.iter().map(|a| a.in_flight as f64).collect())
        && level(window.iter().map(|a| a.rate).collect())
}

/// The fitted line falls over the window by more than [`MAX_FALL`] of the mean, and by more than the scatter about it
/// explains.
fn still_falls(values: &[f64]) -> bool {
    let n = values.len() as f64;
    let points: Vec<(f64, f64)> = values
        .iter()
        .enumerate()
        .map(|(i, v)| (i as f64, *v))
        .collect();
    let Some(line) = Line::through(&points) else {
        return false;
    };
    let mean = values.iter().sum::<f64>() / n;
    let squares: f64 = points
        .iter()
        .map(|(x, y)| (y - line.intercept - line.slope * x).powi(2))
        .sum();
    let deviation = (squares / (n - 2.0)).sqrt();
    // The standard error of a line's rise over ten evenly spaced points is one deviation (9 / sqrt(82.5) = 0.99).
    line.slope * (n - 1.0) < -(MAX_FALL * mean).max(2.0 * deviation)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn history(values: impl IntoIterator<Item = u64>) -> Vec<Activity> {
        values
            .into_iter()
            .map(|v| Activity {
                in_flight: v,
                rate: v as f64 * 100.0,
            })
            .collect()
    }

    #[test]
    fn idle_targets_are_settled_once_ten_samples_say_so() {
        assert!(!settled(&history([0; 9])));
        assert!(settled(&history([0; 10])));
    }

    #[test]
    fn a_queue_that_drains_is_waited_for() {
        let drain: Vec<u64> = (0..10).map(|i| 64 >> i).collect();
        assert!(!settled(&history(drain.clone())));
        assert!(settled(&history(drain.into_iter().chain([0; 10]))));
    }

    #[test]
    fn others_steady_load_does_not_hold_a_run_up() {
        assert!(settled(&history([8, 7, 9, 8, 8, 7, 9, 8, 8, 8])));
        assert!(settled(&history([1, 0, 0, 1, 1, 0, 0, 1, 0, 0])));
        assert!(settled(&history([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])));
    }
}
