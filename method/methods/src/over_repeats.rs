//! A figure over repeats of the same measurement: its mean, the spread between the repeats, and whether it drifted.

use plimsoll_evidence::{Finding, Quantity, Severity, StepEvidence};
use plimsoll_measure::student_t;

/// A change by more than this share from the first step to the last is worth a word.
const DRIFT: f64 = 0.05;

/// A fall within a repeat, which later ones kept, is one of the target where it takes this share.
const FELL: f64 = 0.2;

/// A mean over repeats, with its 95 % interval where there are two or more.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct OverRepeats {
    pub(crate) mean: f64,
    pub(crate) half_width: Option<f64>,
    /// Variance of the repeats, and how many there are.
    pub(crate) variance: f64,
    pub(crate) count: usize,
}

impl OverRepeats {
    /// Mean of values, one of each repeat; `None` of none.
    pub(crate) fn of(values: &[f64]) -> Option<Self> {
        let n = values.len();
        if n == 0 {
            return None;
        }
        let mean = values.iter().sum::<f64>() / n as f64;
        let variance = match n {
            1 => 0.0,
            _ => values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (n - 1) as f64,
        };
        Some(OverRepeats {
            mean,
            half_width: (n > 1).then(|| student_t(0.975, n - 1) * (variance / n as f64).sqrt()),
            variance,
            count: n,
        })
    }

    /// The 95 % interval of the mean; `None` of one repeat.
    pub(crate) fn interval(&self) -> Option<(f64, f64)> {
        // What is measured is never below 0.
        let about = |h: f64| ((self.mean - h).max(0.0), self.mean + h);
        self.half_width.map(about)
    }

    /// True where chance does not explain that this lies above `other`: Welch's test, one-sided, at `confidence`. Two of each at least.
    pub(crate) fn is_above(&self, other: &OverRepeats, confidence: f64) -> bool {
        let (a, b) = (
            self.variance / self.count as f64,
            other.variance / other.count as f64,
        );
        let difference = self.mean - other.mean;
        if self.count < 2 || other.count < 2 || difference <= 0.0 {
            return false;
        }
        if a + b == 0.0 {
            return true;
        }
        // Welch and Satterthwaite, rounded down.
        let degrees =
            (a + b).powi(2) / (a * a / (self.count - 1) as f64 + b * b / (other.count - 1) as f64);
        difference > student_t(confidence, (degrees as usize).max(1)) * (a + b).sqrt()
    }
}

/// Figure of each repeat that the target determines: the response time where the rate was given and reached, else the rate.
fn free_figures(repeats: &[&StepEvidence]) -> Vec<f64> {
    let held = |s: &&StepEvidence| {
        s.offered.is_some() && !s.saturation.is_some_and(|s| s.saturated) && s.ios > 0
    };
    let of: fn(&&StepEvidence) -> f64 = match repeats.iter().all(held) {
        true => |s| s.response_mean_ns.mean,
        false => |s| s.rate.mean,
    };
    repeats.iter().map(of).collect()
}

/// Finding that the target changed while it was measured: over all steps, or as one of them saw it.
pub(crate) fn drift<'a>(groups: impl Iterator<Item = &'a [&'a StepEvidence]>) -> Option<Finding> {
    let groups: Vec<_> = groups.collect();
    let seen = || groups.iter().find_map(|repeats| fell_within(repeats));
    let change = over_all(&groups).or_else(seen)?;
    Some(Finding::of_method(
        "target-changed",
        Severity::Suspect,
        [("change", Quantity::Share(change))],
    ))
}

/// Share by which the rate fell within one of these repeats, where those before it had the rate before the fall, and those after it the
/// rate behind the fall from their beginning.
fn fell_within(repeats: &[&StepEvidence]) -> Option<f64> {
    let fell = |s: &&StepEvidence| s.findings.iter().any(|f| f.rule == "warm-up-short");
    let at = repeats.iter().position(fell)?;
    let (before, since) = (&repeats[..at], repeats.get(at + 1..)?);
    let found = repeats[at]
        .findings
        .iter()
        .find(|f| f.rule == "warm-up-short")?;
    let rate = |name: &str| {
        found
            .values
            .iter()
            .find(|v| v.name == name)?
            .quantity
            .number()
    };
    let (first, rest) = (rate("first")?, rate("rest")?);
    let is_high = |s: &&StepEvidence| s.rate.mean > (first + rest) / 2.0;
    let stayed = !since.is_empty() && !since.iter().any(|s| is_high(s) || fell(s));
    let is_its = rest <= (1.0 - FELL) * first && before.iter().all(is_high) && stayed;
    is_its.then(|| rest / first - 1.0)
}

/// Share by which steps rise or fall: a straight line through all of them, each against the mean of its own repeats, so that large ones do
/// not count for more. Least squares, with the usual test of the slope.
fn over_all(groups: &[&[&StepEvidence]]) -> Option<f64> {
    let repeated: Vec<_> = groups
        .iter()
        .filter(|repeats| repeats.len() > 1)
        .map(|repeats| (repeats, free_figures(repeats)))
        .filter(|(_, values)| values.iter().sum::<f64>() > 0.0)
        .collect();
    let relative = |(repeats, values): &(&&[&StepEvidence], Vec<f64>)| {
        let count = values.len() as f64;
        let mean = values.iter().sum::<f64>() / count;
        let number = |s: &&StepEvidence| f64::from(s.number);
        let middle = repeats.iter().map(number).sum::<f64>() / count;
        let of = |(number, value): (f64, &f64)| (number - middle, value / mean - 1.0);
        let numbers = repeats.iter().map(number);
        numbers.zip(values).map(of).collect::<Vec<(f64, f64)>>()
    };
    let points: Vec<(f64, f64)> = repeated.iter().flat_map(relative).collect();
    // The mean of each was taken out of both, and a slope is asked for.
    let free = points
        .len()
        .checked_sub(repeated.len() + 1)
        .filter(|n| *n > 0)?;
    let spread: f64 = points.iter().map(|p| p.0.powi(2)).sum();
    let slope = points.iter().map(|p| p.0 * p.1).sum::<f64>() / spread;
    let left: f64 = points.iter().map(|p| (p.1 - slope * p.0).powi(2)).sum();
    let error = (left / free as f64 / spread).sqrt();
    let all = || repeated.iter().flat_map(|(repeats, _)| repeats.iter());
    let times = || all().map(|s| f64::from(s.number));
    let length = times().fold(0.0, f64::max) - times().fold(f64::INFINITY, f64::min);
    let change = slope * length;
    (change.abs() > DRIFT && slope.abs() > student_t(0.975, free) * error).then_some(change)
}

#[cfg(test)]
mod tests {
    use super::*;
    use plimsoll_evidence::Estimate;

    #[test]
    fn an_interval_is_students_of_the_repeats() {
        // 4 values with a mean of 10 and a standard deviation of 2: 3.182 * 2 / 2.
        let over = OverRepeats::of(&[8.0, 8.0, 12.0, 12.0]).unwrap();
        let deviation = (16.0f64 / 3.0).sqrt();
        let half = over.half_width.unwrap();
        assert!((half - 3.182_446 * deviation / 2.0).abs() < 1e-3, "{half}");
        assert_eq!(OverRepeats::of(&[5.0]).unwrap().half_width, None);
        assert_eq!(OverRepeats::of(&[]), None);
    }

    #[test]
    fn two_rounds_show_the_whole_of_a_drift() {
        // Twenty steps, each slower than the one before, and no noise but a hundredth of that: the last has lost a fifth of the mean.
        let steps: Vec<StepEvidence> = (1..=20)
            .map(|number| {
                let line = 1.0 - 0.2 * (f64::from(number) - 10.5) / 19.0;
                let mut step = StepEvidence::new(number, "a");
                let noise = 1e-4 * f64::from(number % 3);
                step.rate = Estimate::bare(1000.0 * (line + noise));
                step
            })
            .collect();
        assert!((change(&steps) + 0.2).abs() < 0.01);
    }

    #[test]
    fn of_a_given_rate_it_is_the_response_that_drifts() {
        let steps: Vec<StepEvidence> = (1..=20)
            .map(|number| StepEvidence {
                rate: Estimate::bare(500.0),
                offered: Some(500.0),
                ios: 500,
                response_mean_ns: Estimate::bare(
                    1e6 * (1.0 + 0.4 * (f64::from(number) - 10.5) / 19.0),
                ),
                ..StepEvidence::new(number, "a")
            })
            .collect();
        assert!((change(&steps) - 0.4).abs() < 0.01);
    }

    #[test]
    fn a_fall_that_one_repeat_saw_and_later_ones_kept_is_the_targets() {
        let of = |rates: [f64; 3], fell: usize| {
            let mut steps: Vec<StepEvidence> = (1u32..)
                .zip(rates)
                .map(|(number, rate)| StepEvidence {
                    rate: Estimate::bare(rate),
                    ..StepEvidence::new(number, "a")
                })
                .collect();
            let levels = [
                ("first", Quantity::PerSecond(100.0)),
                ("rest", Quantity::PerSecond(50.0)),
            ];
            let found = Finding::of_step(1, "warm-up-short", Severity::Suspect, levels);
            steps[fell].findings.push(found);
            let all: Vec<&StepEvidence> = steps.iter().collect();
            drift([all.as_slice()].into_iter()).map(|f| f.values[0].quantity.clone())
        };
        let half = Some(Quantity::Share(-0.5));
        assert_eq!(of([60.0, 50.0, 51.0], 0), half);
        assert_eq!(of([101.0, 64.0, 50.0], 1), half);
        // It came back, or nothing is known of what came later, or it was so before.
        for (rates, fell) in [
            ([60.0, 50.0, 99.0], 0),
            ([99.0, 100.0, 60.0], 2),
            ([50.0, 60.0, 50.0], 1),
        ] {
            assert_eq!(of(rates, fell), None, "{rates:?}");
        }
    }

    /// The change that is found in two rounds of ten steps.
    fn change(steps: &[StepEvidence]) -> f64 {
        let pairs: Vec<[&StepEvidence; 2]> = (0..10).map(|n| [&steps[n], &steps[n + 10]]).collect();
        let found = drift(pairs.iter().map(|pair| pair.as_slice())).expect("a drift");
        found.values[0].quantity.number().expect("a number")
    }

    #[test]
    fn one_is_above_another_only_beyond_chance() {
        let of = |values: &[f64]| OverRepeats::of(values).unwrap();
        let (a, b) = (of(&[100.0, 101.0, 99.0]), of(&[90.0, 91.0, 89.0]));
        assert!(a.is_above(&b, 0.95) && !b.is_above(&a, 0.95));
        assert!(!of(&[100.0, 60.0, 95.0]).is_above(&b, 0.95));
        // One of each says nothing.
        assert!(!of(&[100.0]).is_above(&of(&[1.0]), 0.95));
    }
}
