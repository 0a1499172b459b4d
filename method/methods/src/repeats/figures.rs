//! A figure of a step or of a method's answer in each of the repeats, and what they come to.

use crate::over_repeats::OverRepeats;
use plimsoll_evidence::wording::{percent, rate};
use plimsoll_evidence::{CurveVerdict, Figure, Quantity, StepEvidence, Verdict};
use plimsoll_printable::human::{self, time_in_text as time};

/// One figure of a step or of a method's answer, in each of the repeats that has it.
pub(super) struct Repeated {
    pub(super) of: String,
    name: String,
    pub(super) label: String,
    unit: Quantity,
    values: Vec<f64>,
}

/// Figures of a step.
pub(super) fn of_steps(name: &str, steps: &[&StepEvidence]) -> Vec<Repeated> {
    // Of a saturated step there is no response time.
    let timed = |s: &StepEvidence| !s.saturation.is_some_and(|s| s.saturated) && s.ios > 0;
    let figure =
        |key: &str, label: &str, unit, of: &dyn Fn(&StepEvidence) -> Option<f64>| Repeated {
            of: name.into(),
            name: key.into(),
            label: label.into(),
            unit,
            values: steps.iter().filter_map(|s| of(s)).collect(),
        };
    let p99 = |s: &StepEvidence| s.response.supported_quantile_ns(0.99).map(|ns| ns as f64);
    let all = [
        figure("rate", "rate", Quantity::PerSecond(0.0), &|s| {
            (s.counted_s > 0.0).then_some(s.rate.mean)
        }),
        figure("response_mean", "response", Quantity::Ns(0.0), &|s| {
            timed(s).then_some(s.response_mean_ns.mean)
        }),
        figure("response_p99", "p99", Quantity::Ns(0.0), &|s| {
            p99(s).filter(|_| timed(s))
        }),
    ];
    let known = |figure: &Repeated| figure.values.len() == steps.len() && !steps.is_empty();
    all.into_iter().filter(known).collect()
}

/// Figures of the answers of a method: a curve's maximum and capacities, and whatever numbers another one has.
pub(super) fn of_verdicts(run: &str, verdicts: &[&Verdict]) -> Vec<Repeated> {
    let Some(first) = verdicts.first() else {
        return Vec::new();
    };
    let of_one = |verdict: &Verdict| match verdict {
        Verdict::Curve(curve) => of_curve(curve),
        Verdict::Method(method) => {
            let plain = |f: &Figure| {
                let quantity = f.quantity.clone()?;
                let countless = !matches!(
                    quantity,
                    Quantity::Count(_) | Quantity::Bytes(_) | Quantity::Text(_)
                );
                countless.then(|| (f.name.clone(), f.label.clone(), quantity))
            };
            method.figures.iter().filter_map(plain).collect()
        }
    };
    let each: Vec<_> = verdicts.iter().map(|v| of_one(v)).collect();
    of_one(first)
        .into_iter()
        .filter_map(|(name, label, unit)| {
            let in_one = |figures: &Vec<(String, String, Quantity)>| {
                figures.iter().find(|(n, ..)| *n == name)?.2.number()
            };
            // What not every repeat has an answer for has no mean over them.
            let values = each.iter().map(in_one).collect::<Option<Vec<f64>>>()?;
            Some(Repeated {
                of: run.into(),
                name,
                label,
                unit,
                values,
            })
        })
        .collect()
}

fn of_curve(curve: &CurveVerdict) -> Vec<(String, String, Quantity)> {
    let maximum = Quantity::PerSecond(curve.maximum.mean);
    let mut all = vec![("maximum".into(), "maximum".into(), maximum)];
    // A limit that every point keeps has a lower bound alone.
    for capacity in curve.capacities.iter().filter(|c| !c.at_least) {
        let Some(rate) = &capacity.rate else { continue };
        let statistic = capacity.statistic;
        let limit = time(capacity.limit_ns as f64);
        all.push((
            format!("capacity_{statistic}_{limit}"),
            format!("capacity within {limit} ({statistic})"),
            Quantity::PerSecond(rate.mean),
        ));
    }
    all
}

impl Repeated {
    fn over(&self) -> Option<OverRepeats> {
        OverRepeats::of(&self.values)
    }

    /// The standard deviation of the repeats, as a part of their mean.
    pub(super) fn scatter(&self) -> Option<f64> {
        let over = self.over().filter(|o| o.mean > 0.0 && o.count > 1)?;
        Some(over.variance.sqrt() / over.mean)
    }

    fn shown(&self, value: f64) -> String {
        match self.unit {
            Quantity::PerSecond(_) => rate(value),
            Quantity::Ns(_) => time(value),
            Quantity::Seconds(_) => time(value * 1e9),
            _ => human::number(value),
        }
    }

    /// The figure over all repeats, with its interval.
    pub(super) fn figure(&self) -> Figure {
        let (name, label) = (
            format!("{}.{}", self.of, self.name),
            format!("{} of {}", self.label, self.of),
        );
        let Some(over) = self.over() else {
            return Figure::unknown(&name, &label, "no repeat has it");
        };
        let figure = Figure::new(&name, &label, self.unit.alike(over.mean));
        let figure = match over.interval() {
            Some((low, high)) => figure.within(low, high),
            None => figure,
        };
        let ends = self.values.iter().copied();
        let (low, high) = (
            ends.clone().fold(f64::INFINITY, f64::min),
            ends.fold(f64::NEG_INFINITY, f64::max),
        );
        let scatter = self
            .scatter()
            .map_or(String::new(), |s| format!("{} sd, ", percent(s)));
        figure.remarked(format!(
            "{scatter}{} to {}",
            self.shown(low),
            self.shown(high)
        ))
    }

    /// True of a rate and of a mean response time, which together say how much a target does.
    pub(super) fn tells_of_the_target(&self) -> bool {
        matches!(self.unit, Quantity::PerSecond(_)) || self.name == "response_mean"
    }

    /// `rate 41,200/s ± 310/s`; of rates and times alone.
    pub(super) fn words(&self) -> Option<String> {
        let is_told = matches!(
            self.unit,
            Quantity::PerSecond(_) | Quantity::Ns(_) | Quantity::Seconds(_)
        );
        let over = self.over().filter(|_| is_told)?;
        let spread = match (over.half_width, over.interval()) {
            // Wider than the mean: its lower end is cut off at 0.
            (Some(half), Some((low, high))) if half > over.mean => {
                format!(" ({} to {})", self.shown(low), self.shown(high))
            }
            (Some(half), _) => format!(" ± {}", self.shown(half)),
            _ => String::new(),
        };
        Some(format!("{} {}{spread}", self.label, self.shown(over.mean)))
    }
}
