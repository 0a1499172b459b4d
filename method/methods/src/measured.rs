//! Points of a curve as they were measured.

use crate::reading::{Reading, read};
use plimsoll_evidence::{SloStatistic, StepEvidence};

/// A point of a curve.
#[derive(Debug, Clone, Copy)]
pub struct Measured<'a> {
    /// Percent of the maximum.
    pub percent: u32,
    /// Evidence of the point.
    pub step: &'a StepEvidence,
    /// True where its latency is not a latency.
    pub saturated: bool,
}

/// One statistic of the unsaturated points, by rising achieved rate; points that cannot support it are not in it.
pub(crate) fn latency_curve(measured: &[Measured], statistic: SloStatistic) -> Vec<Reading> {
    let mut readings: Vec<Reading> = measured
        .iter()
        .filter(|m| !m.saturated)
        .filter_map(|m| read(m.step, statistic))
        .collect();
    readings.sort_by(|a, b| a.rate.mean.total_cmp(&b.rate.mean));
    readings
}
