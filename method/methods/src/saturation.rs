//! Whether an open-loop step was past what its target carries.

use plimsoll_evidence::{Interval, Saturation};
use plimsoll_measure::trend::Line;

/// Largest share of I/Os that may find no free slot at their intended start.
const MAX_NO_SLOT: f64 = 0.01;
/// Largest share of the due I/Os that may not be done.
const MAX_SHORTFALL: f64 = 0.005;

/// Judges the counted intervals of an open loop of `slots` slots; `None` where there are none.
///
/// The rate is compared with what was *due* in the same intervals, not with the nominal rate: a drawn schedule
/// scatters about that by more than the limit in any short run. I/Os still in flight at the end are not short: as many
/// as the last interval's most in flight may be missing.
pub fn saturation(intervals: &[&Interval], slots: u64) -> Option<Saturation> {
    let last = intervals.last()?;
    let streams = || intervals.iter().flat_map(|i| &i.stats.streams);
    let due: u64 = streams().map(|s| s.due).sum();
    let late: u64 = streams().map(|s| s.late_for_slot).sum();
    let done: u64 = intervals
        .iter()
        .map(|i| i.stats.ios() + i.stats.errors())
        .sum();
    let in_flight = last.stats.depth_max.min(slots);
    let short = due.saturating_sub(done).saturating_sub(in_flight);
    let no_slot_share = share(late, due);
    let shortfall = share(short, due);
    Some(Saturation {
        saturated: no_slot_share > MAX_NO_SLOT || shortfall > MAX_SHORTFALL,
        no_slot_share,
        shortfall,
        backlog_growth: backlog_growth(intervals),
        backlog_end: last.stats.backlog_end,
    })
}

fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 {
        0.0
    } else {
        part as f64 / whole as f64
    }
}

/// I/Os per second: the slope of the least-squares line through the backlogs at the intervals' ends; of one interval,
/// its backlog over its length.
fn backlog_growth(intervals: &[&Interval]) -> f64 {
    let ends: Vec<(f64, f64)> = intervals
        .iter()
        .map(|i| {
            (
                (i.start_ns + i.length_ns) as f64 / 1e9,
                i.stats.backlog_end as f64,
            )
        })
        .collect();
    match (Line::through(&ends), intervals) {
        (Some(line), _) => line.slope,
        (None, [only]) if only.length_ns > 0 => {
            only.stats.backlog_end as f64 * 1e9 / only.length_ns as f64
        }
        _ => 0.0,
    }
}
