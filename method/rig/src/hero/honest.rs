//! The honest run, which every trick is set beside: one that was disturbed is made again, for a base that is too low makes each
//! factor too great.

use super::play::Measures;
use super::play::{HeroOptions, Play};
use super::{Named, measured, named};
use crate::{RigError, RunOptions, RunResult};
use plimsoll_engine::Control;
use plimsoll_evidence::{Estimate, Severity};
use serde::Serialize;
use std::collections::BTreeSet;

/// Number of honest runs that are made, at most, until one is undisturbed.
const TRIES: u32 = 3;

/// Rules that say of a run that something else than the target had a part in its rate, or that it had no rate to speak of.
pub(super) const DISTURBED: &[&str] = &[
    "wide-confidence",
    "collapse",
    "stolen-cpu",
    "foreign-io",
    "cpu-starved",
    "cpu-limit",
    "io-limit",
    "one-cpu-stolen",
    "cpu-hot",
    "drive-hot",
    "suspended",
    "memory-pressure",
    "path-changed",
    "others-on-the-array",
    "ios-failed",
    "cut-short",
    "host-stood-still",
    "target-stood-still",
    "target-stood-still-at-end",
    "never-steady",
    "generator-late",
];

/// Certainty of an honest rate.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Base {
    /// Kind of the rate: `reads` or `writes`.
    pub measures: &'static str,
    /// Number of runs that measured it.
    pub runs: u32,
    /// Disturbances of the run that stands, where none of them was undisturbed; it is then the one with the greatest rate.
    pub disturbed_by: Vec<Named>,
}

/// Result of the honest runs.
pub(super) struct Honest {
    pub rate: Estimate,
    pub base: Base,
    pub rules: BTreeSet<&'static str>,
}

/// Measures honestly until a run is undisturbed, three times at most. In virtual time the same would come out again.
pub(super) fn honest(
    options: &HeroOptions,
    measures: Measures,
    run: &RunOptions,
    control: &Control,
    watch: &mut dyn FnMut(&str),
) -> Result<Honest, RigError> {
    watch(&format!("honest {}", measures.word()));
    let once = || -> Result<(Honest, bool), RigError> {
        let result = measured(Play::honest(options, measures), run, control)?;
        Ok((one(&result, measures)?, result.environment.simulated))
    };
    let (mut best, simulated) = once()?;
    while !best.base.disturbed_by.is_empty()
        && best.base.runs < TRIES
        && !simulated
        && !control.stopped()
    {
        let rules: Vec<String> = best.base.disturbed_by.iter().map(Named::title).collect();
        watch(&format!(
            "honest {} again, for they were disturbed: {}",
            measures.word(),
            rules.join(", ")
        ));
        best = better(best, once()?.0);
    }
    Ok(best)
}

/// Of a disturbed run and a later one the later, where it is undisturbed, else the greater: what disturbs takes away.
fn better(disturbed: Honest, later: Honest) -> Honest {
    let runs = disturbed.base.runs + later.base.runs;
    let is_calm = later.base.disturbed_by.is_empty();
    let mut best = match is_calm || later.rate.mean > disturbed.rate.mean {
        true => later,
        false => disturbed,
    };
    best.base.runs = runs;
    best
}

fn one(result: &RunResult, measures: Measures) -> Result<Honest, RigError> {
    let step = result.steps.iter().rfind(|s| s.name == "measured");
    let step = step.filter(|s| s.ios > 0);
    let step = step.ok_or_else(|| RigError::Refused(nothing_measured(result)))?;
    let mut disturbed_by: Vec<Named> = Vec::new();
    let doubts = named(&result.audit).filter(|n| n.severity >= Severity::Suspect);
    for found in doubts.filter(|n| DISTURBED.contains(&n.name)) {
        if !disturbed_by.contains(&found) {
            disturbed_by.push(found);
        }
    }
    Ok(Honest {
        rate: step.rate,
        base: Base {
            measures: measures.word(),
            runs: 1,
            disturbed_by,
        },
        rules: named(&result.audit).map(|n| n.name).collect(),
    })
}

fn nothing_measured(result: &RunResult) -> String {
    format!(
        "the honest run measured nothing ({:?}), so there is nothing to set a trick beside",
        result.status
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(rate: f64, disturbed: bool) -> Honest {
        let named = Named {
            rule: "PL125".into(),
            name: "foreign-io",
            severity: Severity::Suspect,
            honest_too: false,
        };
        Honest {
            rate: Estimate::bare(rate),
            base: Base {
                measures: "reads",
                runs: 1,
                disturbed_by: disturbed.then_some(named).into_iter().collect(),
            },
            rules: BTreeSet::new(),
        }
    }

    #[test]
    fn the_undisturbed_run_stands_and_of_disturbed_ones_the_greatest_with_its_doubt() {
        let calm = better(run(300.0, true), run(200.0, false));
        assert_eq!((calm.rate.mean, calm.base.runs), (200.0, 2));
        assert_eq!(calm.base.disturbed_by, []);
        let never = better(better(run(100.0, true), run(300.0, true)), run(200.0, true));
        assert_eq!((never.rate.mean, never.base.runs), (300.0, 3));
        assert_eq!(never.base.disturbed_by.len(), 1);
    }

    #[test]
    fn what_disturbs_are_rules_that_there_are() {
        for name in DISTURBED {
            assert!(plimsoll_audit::find(name).is_some(), "{name}");
        }
    }
}
