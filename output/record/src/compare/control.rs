//! An A/A control: side A against itself, every other run. What such a comparison shows is no effect of any change.

use super::step::StepSides;
use super::{Metric, RunFigures};

/// Fewest runs of A whose halves are compared: two in each.
const FEWEST: usize = 4;
/// Figures that people quote, and that are looked at.
const LOOKED_AT: [Metric; 4] = [
    Metric::Iops,
    Metric::ResponseMean,
    Metric::ResponseP99,
    Metric::Capacity,
];

/// Places of A's runs in the order in which they began: the first, third, fifth are one half.
pub(super) struct Halves(Vec<usize>);

impl Halves {
    /// The halves of a side; `None` of too few runs.
    pub(super) fn of(a: &[RunFigures]) -> Option<Self> {
        let mut order: Vec<usize> = (0..a.len()).collect();
        order.sort_by_key(|at| (a[*at].started_unix_ns, a[*at].repeat));
        (order.len() >= FEWEST).then_some(Halves(order))
    }

    /// Distance between the halves in each figure of a step, as a sentence.
    pub(super) fn note(&self, step: &StepSides) -> Option<String> {
        let of = |metric| Some((self.apart(step, metric)?, metric));
        let all: Vec<(f64, Metric)> = LOOKED_AT.into_iter().filter_map(of).collect();
        // Of a model without chance.
        if all.iter().all(|(apart, _)| *apart == 0.0) {
            return None;
        }
        let words = |(apart, metric): &(f64, Metric)| format!("{apart:.2} % in {metric}");
        let words: Vec<String> = all.iter().map(words).collect();
        Some(format!(
            "A/A control: every other run of A differs from the rest by {}.",
            words.join(", ")
        ))
    }

    /// Distance of the halves' means in percent of the first's; `None` where a run has no value.
    fn apart(&self, step: &StepSides, metric: Metric) -> Option<f64> {
        let value = |at: &usize| Some(step.a.get(*at)?.as_ref()?.values.get(&metric)?.mean);
        let values: Vec<f64> = self.0.iter().map(value).collect::<Option<_>>()?;
        let mean = |first: usize| {
            let half: Vec<f64> = values.iter().copied().skip(first).step_by(2).collect();
            half.iter().sum::<f64>() / half.len() as f64
        };
        let (one, other) = (mean(0), mean(1));
        (one > 0.0).then(|| ((other / one - 1.0) * 100.0).abs())
    }
}

#[cfg(test)]
mod tests {
    use super::super::StepFigures;
    use super::*;
    use plimsoll_evidence::Estimate;

    fn note(rates: &[f64]) -> Option<String> {
        let steps: Vec<StepFigures> = rates
            .iter()
            .map(|rate| StepFigures {
                values: [(Metric::Iops, Estimate::bare(*rate))].into(),
                ..StepFigures::default()
            })
            .collect();
        let sides = StepSides {
            name: "rd1".into(),
            a: steps.iter().map(Some).collect(),
            b: Vec::new(),
            of_repeats: false,
        };
        Halves((0..rates.len()).collect()).note(&sides)
    }

    #[test]
    fn the_halves_of_a_are_every_other_run() {
        // 100 and 102 against 95 and 97: 96 of 101.
        let said = note(&[100.0, 95.0, 102.0, 97.0]).unwrap();
        assert!(said.ends_with("by 4.95 % in iops."), "{said}");
        assert_eq!(note(&[100.0; 4]), None);
    }
}
