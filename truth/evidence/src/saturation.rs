//! Saturation: a load that was past what its target carries, and what shows it.

use serde::{Deserialize, Serialize};

/// Saturation of a load with a schedule: whether it was past what the storage carries.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Saturation {
    /// The verdict: the load is past what the target carries, and so its latency is none. A backlog that came and went is
    /// no saturation, it is a stall.
    pub saturated: bool,
    /// Cause: what shows the saturation; `None` where it is not saturated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<SaturationCause>,
    /// True where it fell short, and the step was too short, or the host too much in the way, to tell whether that was
    /// chance. Never of a saturated one.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub undecided: bool,
    /// Share of I/Os that found no free slot, 0..=1.
    pub no_slot_share: f64,
    /// Shortfall: (due - achieved) / due by the end of the counted time, 0 where none was short. What a stall at the very end held up is in
    /// it too: it alone shows no saturation.
    pub shortfall: f64,
    /// Growth of what was due and not done (waiting for a slot, or in flight), I/Os per second.
    pub backlog_growth: f64,
    /// Backlog at the end: due and not issued, I/Os.
    pub backlog_end: u64,
    /// Share of the samples in which no slot came free for what was due, 0..=1: of those in which the stream worked, without
    /// those that the host spoiled and the one in which it began. Of several streams that of the one that was short the
    /// most.
    pub short_samples: f64,
}

/// Sign that a load is past what its target carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SaturationCause {
    /// Backlog (due and not done) that grew steadily, by more than chance.
    BacklogGrows,
    /// Rate that fell short: more than 0.5 % of what came due was not done, by more than chance, and stayed so through most of the step.
    RateShort,
    /// Slots that were short: for more than half of the step no I/O found a free one when it was due.
    SlotsShort,
}

/// Share of I/Os without a free slot that is no chance.
pub const SLOTS_SHORT: f64 = 0.01;
/// Time of an I/O in a busy array over a network, s: a rate needs so many slots that each is taken for as long.
pub const BUSY_SERVICE_S: f64 = 1e-3;
/// Share of slots in use on average at which all are busy in bursts.
pub const CEILING: f64 = 2.0 / 3.0;
/// Share of the maximum's rate that counts as nearly all of it: a point of 90 %, less what chance takes off.
const NEARLY: f64 = 0.89;
/// Share of the maximum's I/Os in flight: where so few carry nearly all of its rate, the rest only wait.
const FAR_LESS: f64 = 1.0 / 3.0;

impl Saturation {
    /// True where I/Os waited for slots of the generator: their response times have that wait in them.
    pub fn slots_were_the_limit(&self) -> bool {
        self.cause == Some(SaturationCause::SlotsShort) || self.no_slot_share > SLOTS_SHORT
    }
}

/// True where a maximum has far more in flight than it needs: a point that has `in_flight` of its `most` carries `share` of its rate.
pub fn more_than_needed(share: f64, in_flight: f64, most: f64) -> bool {
    share >= NEARLY && in_flight <= FAR_LESS * most
}
