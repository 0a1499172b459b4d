//! Why a step's number cannot be taken as it is. What befalls one side alone is a result, and not a gap in one.

use super::rule::{FailRule, Limit};
use super::step::StepSides;
use super::{Metric, StepFigures};

/// Trouble with a step of a run, for a metric.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Trouble {
    /// The run has no such step.
    Missing,
    /// Step that was ended before its time.
    CutShort,
    /// A rule found it invalid.
    Invalid,
    /// I/Os failed.
    Errors,
    /// The target did not carry the load.
    Saturated,
    /// The metric has no value: not observable, or a percentile that the sample does not support.
    NoValue,
}

impl Trouble {
    const ALL: [Trouble; 6] = [
        Trouble::Missing,
        Trouble::CutShort,
        Trouble::Invalid,
        Trouble::Errors,
        Trouble::Saturated,
        Trouble::NoValue,
    ];

    /// Words for what the step does, after its name.
    fn words(self, rule: &FailRule) -> String {
        match self {
            Trouble::Missing => "is missing".into(),
            Trouble::CutShort => "ended before its time".into(),
            Trouble::Invalid => "was found invalid".into(),
            Trouble::Errors => "has failed I/Os".into(),
            Trouble::Saturated => "saturates".into(),
            Trouble::NoValue => format!(
                "has no {} (not known, or more than the sample supports)",
                rule.metric
            ),
        }
    }

    fn is_of(self, step: Option<&StepFigures>, rule: &FailRule) -> bool {
        let Some(step) = step else {
            return self == Trouble::Missing;
        };
        match self {
            Trouble::Missing => false,
            Trouble::CutShort => step.cut_short,
            Trouble::Invalid => step.invalid,
            Trouble::Errors => step.errors > 0,
            Trouble::Saturated => step.saturated,
            // A saturated step has no response times for that alone.
            Trouble::NoValue => !step.saturated && !step.values.contains_key(&rule.metric),
        }
    }
}

/// Meaning of troubles for a gate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Soundness {
    /// Nothing is wrong.
    Sound,
    /// Something is wrong on one side only: the sides are not the same, and that is a result.
    OneSided(String),
    /// The same is wrong on both: nothing can be said.
    BothSides(String),
}

/// Looks through all runs of a step.
pub(super) fn soundness(step: &StepSides, rule: &FailRule) -> Soundness {
    let mut both = Vec::new();
    for trouble in Trouble::ALL {
        let count = |side: &[Option<&StepFigures>]| {
            side.iter().filter(|s| trouble.is_of(**s, rule)).count()
        };
        let (in_a, in_b) = (count(&step.a), count(&step.b));
        // A limit of the value itself asks B alone.
        let alone = matches!(rule.limit, Limit::Value(_));
        let words = || {
            format!(
                "{} in {in_a} of {} runs of A and {in_b} of {} of B",
                trouble.words(rule),
                step.a.len(),
                step.b.len()
            )
        };
        // A capacity that is only known to be above a bound is no loss on either side.
        let is_bound = trouble == Trouble::NoValue && rule.metric == Metric::Capacity;
        match (in_a > 0, in_b > 0) {
            (one, other) if is_bound && (one || other) => both.push(words()),
            (false, true) => return Soundness::OneSided(words()),
            (true, false) if !alone => return Soundness::OneSided(words()),
            (true, true) => both.push(words()),
            _ => {}
        }
    }
    match both.is_empty() {
        true => Soundness::Sound,
        false => Soundness::BothSides(both.join("; ")),
    }
}
