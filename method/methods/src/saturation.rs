//! Whether a load with a schedule was past what its target carries.

use crate::growth::{Answer, Growth};
use crate::slots::SlotWatch;
use plimsoll_evidence::{Saturation, SaturationCause};

/// The judgement of one stream with a schedule, or of several together; `None` where nothing came due and so nothing can be
/// said.
///
/// The rate is compared with what was *due* in the same time, not with the nominal rate: a drawn schedule scatters about
/// that by more than the limits in any short run.
pub fn saturation(growth: &Growth, slots: &SlotWatch) -> Saturation {
    let cause = match growth.answer {
        Answer::Grows => Some(SaturationCause::BacklogGrows),
        Answer::Short => Some(SaturationCause::RateShort),
        Answer::Carried | Answer::Unclear => {
            slots.were_short().then_some(SaturationCause::SlotsShort)
        }
    };
    Saturation {
        saturated: cause.is_some(),
        cause,
        undecided: cause.is_none() && growth.answer == Answer::Unclear,
        no_slot_share: slots.no_slot_share(),
        shortfall: growth.shortfall,
        backlog_growth: growth.per_second,
        backlog_end: slots.backlog(),
        short_samples: slots.short_samples(),
    }
}

/// A step's, which is saturated where one of its streams is, and undecided where one is and none is saturated.
pub fn of_step(together: Saturation, streams: impl Iterator<Item = Saturation>) -> Saturation {
    streams.fold(together, |step, stream| Saturation {
        saturated: step.saturated || stream.saturated,
        cause: step.cause.or(stream.cause),
        undecided: (step.undecided || stream.undecided) && !(step.saturated || stream.saturated),
        ..step
    })
}
