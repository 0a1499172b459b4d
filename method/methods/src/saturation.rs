//! Whether an open-loop step was past what its target carries.

use plimsoll_evidence::{Interval, Saturation};
use plimsoll_measure::trend::Line;

/// Largest share of I/Os that may find no free slot at their intended start.
const MAX_NO_SLOT: f64 = 0.01;
/// Largest share of the due I/Os that may not be done.
pub(crate) const MAX_SHORTFALL: f64 = 0.005;

/// What an open loop's counted intervals come to.
#[derive(Debug, Default)]
pub struct OpenLoop {
    due: u64,
    late: u64,
    done: u64,
    /// (end, s; backlog then, I/Os), by interval.
    backlogs: Vec<(f64, f64)>,
    last: Option<Last>,
}

/// The last counted interval.
#[derive(Debug, Clone, Copy)]
struct Last {
    depth_max: u64,
    backlog_end: u64,
    length_ns: u64,
}

impl OpenLoop {
    /// Adds the next counted interval.
    pub fn add(&mut self, interval: &Interval) {
        let stats = &interval.stats;
        self.due += stats.streams.iter().map(|s| s.due).sum::<u64>();
        self.late += stats.streams.iter().map(|s| s.late_for_slot).sum::<u64>();
        self.done += stats.ios() + stats.failed_ios();
        self.backlogs.push((
            (interval.start_ns + interval.length_ns) as f64 / 1e9,
            stats.backlog_end as f64,
        ));
        self.last = Some(Last {
            depth_max: stats.depth_max,
            backlog_end: stats.backlog_end,
            length_ns: interval.length_ns,
        });
    }

    /// The judgement for so many slots; `None` where nothing was counted.
    ///
    /// The rate is compared with what was *due* in the same intervals, not with the nominal rate: a drawn schedule
    /// scatters about that by more than the limit in any short run. I/Os still in flight at the end are not short: as
    /// many as the last interval's most in flight may be missing.
    pub fn saturation(&self, slots: u64) -> Option<Saturation> {
        let last = self.last?;
        let in_flight = last.depth_max.min(slots);
        let short = self.due.saturating_sub(self.done).saturating_sub(in_flight);
        let no_slot_share = share(self.late, self.due);
        let shortfall = share(short, self.due);
        Some(Saturation {
            saturated: no_slot_share > MAX_NO_SLOT || shortfall > MAX_SHORTFALL,
            no_slot_share,
            shortfall,
            backlog_growth: self.backlog_growth(last),
            backlog_end: last.backlog_end,
            short_samples: 0.0,
        })
    }

    /// I/Os per second: the slope of the least-squares line through the backlogs at the intervals' ends; of one
    /// interval, its backlog over its length.
    fn backlog_growth(&self, last: Last) -> f64 {
        match Line::through(&self.backlogs) {
            Some(line) => line.slope,
            None if self.backlogs.len() == 1 && last.length_ns > 0 => {
                last.backlog_end as f64 * 1e9 / last.length_ns as f64
            }
            None => 0.0,
        }
    }
}

fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 {
        0.0
    } else {
        part as f64 / whole as f64
    }
}
