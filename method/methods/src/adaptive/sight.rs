//! What one point says of one limit.

use super::scale::Scale;
use super::scatter::{Scatter, Scatters};
use crate::reading::{Reading, read_finely};
use plimsoll_evidence::{SloStatistic, StepEvidence};
use plimsoll_measure::batch::student_t_95;

/// Two-sided 95 % point of the normal distribution.
const Z_95: f64 = 1.96;
/// A histogram knows a value to within a bucket of 0.78 %; a value that is anywhere in it alike scatters by this share.
const BUCKET: f64 = 0.0078 / 3.464;

/// A response limit whose capacity is looked for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Goal {
    /// Statistic that the goal limits.
    pub statistic: SloStatistic,
    /// The limit, ns.
    pub limit_ns: u64,
}

/// A point of the curve.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Point<'a> {
    /// The rate that was asked for, I/Os per second.
    pub rate: f64,
    /// Part of the method that the point was measured for.
    pub leg: Leg,
    pub step: &'a StepEvidence,
}

/// The parts of the method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Leg {
    /// The first look, by rising rates.
    Up,
    /// Closing in on a limit, or on the knee.
    Bend,
    /// Right behind a full load, to find nothing saved up.
    Confirm,
    /// Look at a limit, long enough to know it.
    Limit,
    /// Rates of the first look once more, by falling rates.
    Down,
}

/// A point as one limit sees it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Sight {
    /// Logarithm of the rate that was asked for.
    pub x: f64,
    /// Response against its limit; `None`: the load was past what the target carries, and no response time is one.
    pub seen: Option<LimitRatio>,
    /// Counted time, s.
    pub seconds: f64,
    pub leg: Leg,
}

/// Logarithm of the response over the limit, and how sure it is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct LimitRatio {
    /// 0 where the limit is just kept.
    pub y: f64,
    /// Standard error of it.
    pub error: f64,
    /// Degrees of freedom of the error.
    pub degrees: f64,
}

impl Point<'_> {
    pub fn is_full(&self) -> bool {
        self.step.saturation.is_some_and(|s| s.saturated)
    }
}

/// True where two rates, by their logarithms, were meant to be the same.
pub(crate) fn is_same_rate(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-6
}

/// Sights of a limit at these points, of a target that carries `most`; without the points whose sample supports no such statistic.
///
/// A point behind a full load that breaks the limit says that the rate is past what is carried, whatever was seen of it in a
/// short time before. One that keeps it says no more than the point that was there; its I/Os come evenly.
pub(crate) fn sights(points: &[Point], goal: &Goal, most: f64) -> Vec<Sight> {
    let (open, mut full): (Vec<&Point>, Vec<&Point>) = points.iter().partition(|p| !p.is_full());
    let mut read_all: Vec<(&Point, Reading)> = Vec::new();
    for point in open {
        let Some(reading) = read_finely(point.step, goal.statistic) else {
            continue;
        };
        let twin = |p: &Point| {
            p.leg != Leg::Confirm && !p.is_full() && is_same_rate(p.rate.ln(), point.rate.ln())
        };
        match point.leg {
            Leg::Confirm if reading.value_ns > goal.limit_ns as f64 => full.push(point),
            Leg::Confirm if points.iter().any(twin) => {}
            _ => read_all.push((point, reading)),
        }
    }
    let scale = Scale::of(most, read_all.iter().map(|(p, _)| p.rate.ln()));
    let place = |point: &Point| scale.place(point.rate.ln());
    let own = |(point, reading): &(&Point, Reading)| scatter(point, reading, goal, place(point));
    let scatters = Scatters::of(read_all.iter().filter_map(own).collect());
    let seen = |(point, reading): &(&Point, Reading)| {
        // Batch means that happen to look correlated leave a point without a scatter of its own, one time in six.
        let scatter = scatters.at(place(point), point.step.number)?;
        let error = (scatter.second / point.step.counted_s).sqrt();
        let y = (reading.value_ns / goal.limit_ns as f64).ln();
        let seen = LimitRatio {
            y,
            error: error.hypot(BUCKET * reading.blurred),
            degrees: scatter.degrees,
        };
        (y.is_finite() && error.is_finite()).then_some(point.sight(Some(seen)))
    };
    let full = full.into_iter().map(|p| p.sight(None));
    read_all.iter().filter_map(seen).chain(full).collect()
}

impl Point<'_> {
    fn sight(&self, seen: Option<LimitRatio>) -> Sight {
        Sight {
            x: self.rate.ln(),
            seen,
            seconds: self.step.counted_s,
            leg: self.leg,
        }
    }
}

/// A point's own scatter; `None` where its batches say nothing of it.
fn scatter(point: &Point, reading: &Reading, goal: &Goal, place: f64) -> Option<Scatter> {
    let degrees = point.step.response_mean_ns.batches.checked_sub(1)?;
    let factor = match goal.statistic {
        SloStatistic::Mean => student_t_95(degrees as usize),
        SloStatistic::Quantile(_) => Z_95,
    };
    let error = reading.half_width? / factor / reading.value_ns;
    Some(Scatter {
        number: point.step.number,
        place,
        second: error.powi(2) * point.step.counted_s,
        degrees: f64::from(degrees),
    })
}
