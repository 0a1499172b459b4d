//! Why a step has no latency, in words.

use crate::human;
use plimsoll_evidence::{CurvePoint, Saturation, SaturationCause, StepEvidence};

/// Cause by which a step is known to be saturated.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Cause {
    /// Backlog that grew by so many I/Os per second.
    Backlog(f64),
    /// Rate that was short by this share of what was due, though its backlog did not grow to the end.
    Short(f64),
    /// Slots that were not free for this share of the I/Os when they came due; the rate was kept.
    NoSlot(f64),
    /// Depth near the maximum's: all that is known of an imported point.
    Depth,
}

impl Cause {
    /// Saturation of a step; `None` where it is not saturated.
    pub(crate) fn of_step(step: &StepEvidence) -> Option<Self> {
        step.saturation
            .filter(|s| s.saturated)
            .map(|s| Cause::of(&s))
    }

    /// Saturation of a curve's point; `None` where it is not saturated.
    pub(crate) fn of_point(point: &CurvePoint) -> Option<Self> {
        let parts = point.saturation.as_ref();
        point
            .saturated
            .then(|| parts.map_or(Cause::Depth, Cause::of))
    }

    pub(crate) fn of(parts: &Saturation) -> Self {
        match parts.cause {
            Some(SaturationCause::BacklogGrows) => Cause::Backlog(parts.backlog_growth),
            Some(SaturationCause::RateShort) => Cause::Short(parts.shortfall),
            Some(SaturationCause::SlotsShort) => Cause::NoSlot(parts.no_slot_share),
            None => Cause::Depth,
        }
    }

    /// In place of a mean, in a table: `backlog +80.0/s`, `31 % no slot`.
    pub(crate) fn cell(self) -> String {
        match self {
            Cause::Backlog(growth) => format!("backlog +{}/s", human::rate(growth)),
            Cause::Short(share) => format!("{} short", percent(share)),
            Cause::NoSlot(share) => format!("{} no slot", percent(share)),
            Cause::Depth => "saturated".into(),
        }
    }

    /// In a sentence: `its backlog grew 80.0/s`.
    pub(crate) fn clause(self) -> String {
        match self {
            Cause::Backlog(growth) => format!("its backlog grew {}/s", human::rate(growth)),
            Cause::Short(share) => format!("its rate was {} short", percent(share)),
            Cause::NoSlot(share) => format!(
                "{} of its I/Os found no free slot when they were due",
                percent(share)
            ),
            Cause::Depth => "its depth was near the maximum's".into(),
        }
    }
}

fn percent(share: f64) -> String {
    let percent = share * 100.0;
    let decimals = usize::from(percent < 9.95);
    format!("{percent:.decimals$} %")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cause_is_what_the_judge_said() {
        let said = |cause| {
            Cause::of(&Saturation {
                saturated: true,
                cause: Some(cause),
                no_slot_share: 0.31,
                shortfall: 0.004,
                backlog_growth: 80.0,
                ..Saturation::default()
            })
            .cell()
        };
        assert_eq!(said(SaturationCause::BacklogGrows), "backlog +80.0/s");
        assert_eq!(said(SaturationCause::RateShort), "0.4 % short");
        assert_eq!(said(SaturationCause::SlotsShort), "31 % no slot");
    }
}
