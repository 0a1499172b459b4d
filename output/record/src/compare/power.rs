//! What runs that decide nothing would have shown, and how many more would decide.

use super::welch::Contrast;
use serde::Serialize;
use std::fmt;

/// The chance with which a loss of the stated size would have been seen.
pub const POWER: f64 = 0.8;

/// More further runs than so many are not counted out.
const MOST: usize = 1000;

/// Number of further runs of each side that would decide.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum FurtherRuns {
    /// About so many, if they go on as so far.
    About {
        /// Of each side.
        runs: usize,
    },
    /// Not fewer than so many: how far repeats lie apart is not known yet.
    AtLeast {
        /// Of each side.
        runs: usize,
    },
    /// More than this.
    MoreThan {
        /// Of each side.
        runs: usize,
    },
    /// Distance from the limit too small to tell: no number of runs follows from it.
    Unknowable,
}

impl fmt::Display for FurtherRuns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let each = |runs: usize| match runs {
            1 => "1 further run of each side".to_string(),
            n => format!("{n} further runs of each side"),
        };
        match *self {
            FurtherRuns::About { runs } => write!(f, "about {} would decide", each(runs)),
            FurtherRuns::AtLeast { runs } => {
                write!(f, "it takes at least {}", each(runs))
            }
            FurtherRuns::MoreThan { runs } => {
                write!(f, "even {} would not decide", each(runs))
            }
            FurtherRuns::Unknowable => {
                f.write_str("how many further runs would decide is unknowable")
            }
        }
    }
}

/// The distance from no difference that runs like these show with the chance [`POWER`], at an error of `alpha`:
/// `(t(1 - alpha) + t(0.8)) * standard error`, by Welch's degrees of freedom, and what the measure cannot tell apart.
///
/// It is the formula for the size of a sample, solved for the difference (NIST/SEMATECH e-Handbook of Statistical Methods,
/// 7.2.2.2, one-sided, with Student's quantiles).
pub(crate) fn detectable(contrast: &Contrast, alpha: f64) -> f64 {
    let quantiles = contrast.quantile(1.0 - alpha).zip(contrast.quantile(POWER));
    contrast.doubt + quantiles.map_or(0.0, |(level, power)| (level + power) * contrast.error())
}

/// Number of further runs of each side that would decide with the chance [`POWER`], if the difference and the spreads are those that were
/// measured: the fewest at which [`detectable`] is no more than the distance from the limit.
pub(crate) fn further_runs(contrast: &Contrast, alpha: f64, missing: usize) -> FurtherRuns {
    let distance = contrast.estimate.abs();
    if !(distance > contrast.doubt && contrast.error().is_finite()) {
        return FurtherRuns::Unknowable;
    }
    let enough = |more: usize| detectable(&contrast.with_further(more), alpha) <= distance;
    let fewest = missing.max(1);
    if !enough(MOST) {
        return FurtherRuns::MoreThan { runs: MOST };
    }
    // More runs never see less, so the fewest are found by halving.
    let (mut low, mut high) = (fewest, MOST);
    while low < high {
        let middle = (low + high) / 2;
        match enough(middle) {
            true => high = middle,
            false => low = middle + 1,
        }
    }
    FurtherRuns::About { runs: low }
}
