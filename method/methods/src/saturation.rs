//! Whether a load with a schedule was past what its target carries.

use crate::growth::{Growth, GrowthAnswer};
use crate::slots::SlotWatch;
use plimsoll_evidence::{Saturation, SaturationCause};

/// The judgement of one stream with a schedule, or of several together; `None` where nothing came due and so nothing can be
/// said.
///
/// The rate is compared with what was *due* in the same time, not with the nominal rate: a drawn schedule scatters about
/// that by more than the limits in any short run.
pub fn saturation(growth: &Growth, slots: &SlotWatch) -> Saturation {
    let cause = match growth.answer {
        GrowthAnswer::Grows => Some(SaturationCause::BacklogGrows),
        GrowthAnswer::Short => Some(SaturationCause::RateShort),
        GrowthAnswer::Carried | GrowthAnswer::Unclear => {
            slots.were_short().then_some(SaturationCause::SlotsShort)
        }
    };
    Saturation {
        saturated: cause.is_some(),
        cause,
        undecided: cause.is_none() && growth.answer == GrowthAnswer::Unclear,
        no_slot_share: slots.no_slot_share(),
        shortfall: growth.shortfall,
        backlog_growth: growth.per_second,
        backlog_end: slots.backlog(),
        short_samples: slots.short_samples(),
    }
}

/// A step's, which is saturated where one of its streams is, and undecided where one is and none is saturated. What it does
/// not show of itself has the cause and the growth of the stream whose backlog grew the most.
pub fn of_step(together: Saturation, streams: &[Saturation]) -> Saturation {
    let worst = streams.iter().filter(|s| s.saturated);
    let worst = worst.max_by(|a, b| a.backlog_growth.total_cmp(&b.backlog_growth));
    let shown = match worst {
        Some(worst) if !together.saturated => worst,
        _ => &together,
    };
    Saturation {
        saturated: shown.saturated,
        cause: shown.cause,
        backlog_growth: shown.backlog_growth,
        undecided: !shown.saturated && (together.undecided || streams.iter().any(|s| s.undecided)),
        short_samples: streams.iter().map(|s| s.short_samples).fold(0.0, f64::max),
        ..together
    }
}
