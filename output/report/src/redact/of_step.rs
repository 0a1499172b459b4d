//! One step, redacted.

use super::{Relative, Wholes, of_array};
use plimsoll_evidence::{
    End, Estimate, HostPart, SaturationCause, SeriesBin, StepEvidence, Stretch,
};
use plimsoll_measure::Histogram;
use serde::Serialize;

/// Parts into which every step's counted time is cut, whatever its length.
pub(super) const PARTS: usize = 40;

/// The percentiles that are shown.
const QUANTILES: [(&str, f64); 4] = [("p50", 0.5), ("p90", 0.9), ("p99", 0.99), ("p999", 0.999)];

/// Result of a step.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Step {
    /// Rate asked for, of the highest rate; `None` in a closed loop.
    pub offered: Option<Relative>,
    /// Rate reached, of the highest rate.
    pub rate: Option<Relative>,
    /// Half of its 95 % confidence interval, of the rate itself.
    pub rate_half_width: Option<Relative>,
    /// Mean response, of the longest mean response.
    pub response: Option<Relative>,
    /// Half of its 95 % confidence interval, of the response itself.
    pub response_half_width: Option<Relative>,
    /// Mean service, of the step's mean response.
    pub service: Option<Relative>,
    /// Percentiles of response, of the step's mean response; those that the sample supports.
    pub tail: Vec<(&'static str, Relative)>,
    /// True where I/Os failed. Their share would tell how many I/Os there were.
    pub failed: bool,
    /// True where its load was past what the target carries; `None` without a schedule.
    pub saturated: Option<bool>,
    /// Cause by which the saturation is known.
    pub saturated_by: Option<SaturationCause>,
    /// I/Os that found no free slot, of all.
    pub no_slot: Option<Relative>,
    /// Share of what was due that was not done.
    pub shortfall: Option<Relative>,
    /// End of the step.
    pub end: End,
    /// Backlogs that came and went.
    pub stalls: Vec<Held>,
    /// Times in which the generator was late.
    pub late_by_host: Vec<Held>,
    /// Course of the step: the counted time in [`PARTS`] equal parts; empty where that is not known.
    pub course: Vec<Part>,
    /// Evidence of the arrays.
    pub arrays: Vec<of_array::Array>,
    /// The hosts that carried it out together, in their order; empty where one did all.
    pub hosts: Vec<Host>,
    /// True where a host's part is missing.
    pub lost_hosts: bool,
}

/// Host of several.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Host {
    /// Rate of the host, as a share of that of all hosts together.
    pub share: Option<Relative>,
    /// Mean response of the host, as a share of the longest of any host in the step; `None` also where its part was saturated.
    pub response: Option<Relative>,
    /// True where its part of the load was past what its targets carry; `None` without a schedule.
    pub saturated: Option<bool>,
}

/// A part of a step's time in which something held I/Os up. How many it held up is a count.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Held {
    /// Start, as a share of the counted time.
    pub start: Option<Relative>,
    /// Length, as a share of the counted time.
    pub length: Option<Relative>,
}

/// Part of a step's counted time, one of [`PARTS`] equal ones.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Part {
    /// Rate, of the highest in any part of the step.
    pub rate: Option<Relative>,
    /// Mean response, of the longest in any part of the step.
    pub response: Option<Relative>,
}

pub(super) fn step(step: &StepEvidence, wholes: &Wholes) -> Step {
    let mean = step.response_mean_ns.mean;
    let saturation = step.saturation;
    let held = |stretches: &[Stretch]| stretches.iter().map(|s| held(s, step)).collect();
    Step {
        offered: step.offered.and_then(|o| Relative::of(o, wholes.rate)),
        rate: Relative::of(step.rate.mean, wholes.rate),
        rate_half_width: half_width(step.rate),
        response: Relative::of(mean, wholes.response_ns),
        response_half_width: half_width(step.response_mean_ns),
        service: Relative::of(step.service_mean_ns.mean, mean),
        tail: tail(&step.response, mean),
        failed: step.errors > 0,
        saturated: saturation.map(|s| s.saturated),
        saturated_by: saturation.and_then(|s| s.cause),
        no_slot: saturation.and_then(|s| Relative::share(s.no_slot_share)),
        shortfall: saturation.and_then(|s| Relative::share(s.shortfall)),
        end: step.end,
        stalls: held(&step.stalls),
        late_by_host: held(&step.late_by_host),
        course: course(step),
        arrays: step.arrays.iter().map(of_array::array).collect(),
        hosts: hosts(&step.hosts),
        lost_hosts: !step.lost_hosts.is_empty(),
    }
}

fn hosts(hosts: &[HostPart]) -> Vec<Host> {
    let all: f64 = hosts.iter().map(|h| h.rate.mean).sum();
    let response = |h: &HostPart| (!h.is_saturated()).then_some(h.response_mean_ns.mean);
    let longest = hosts.iter().filter_map(response).fold(0.0, f64::max);
    let one = |h: &HostPart| Host {
        share: Relative::of(h.rate.mean, all),
        response: response(h).and_then(|r| Relative::of(r, longest)),
        saturated: h.saturation.map(|s| s.saturated),
    };
    hosts.iter().map(one).collect()
}

fn half_width(estimate: Estimate) -> Option<Relative> {
    Relative::of(estimate.half_width?, estimate.mean)
}

fn tail(response: &Histogram, mean_ns: f64) -> Vec<(&'static str, Relative)> {
    let of = |(name, q): (&'static str, f64)| {
        let at = response.supported_quantile_ns(q)?;
        Some((name, Relative::of(at as f64, mean_ns)?))
    };
    QUANTILES.into_iter().filter_map(of).collect()
}

fn held(stretch: &Stretch, step: &StepEvidence) -> Held {
    let counted_ns = step.counted_s * 1e9;
    Held {
        start: Relative::of(stretch.start_ns as f64 - step.warmup_s * 1e9, counted_ns),
        length: Relative::of(stretch.length_ns as f64, counted_ns),
    }
}

/// I/Os, I/Os whose times are known, and the sum of these.
type Sums = [f64; 3];

fn course(step: &StepEvidence) -> Vec<Part> {
    let Some(series) = step.series.as_ref().filter(|s| s.end_ns > s.start_ns) else {
        return Vec::new();
    };
    let all = (series.end_ns - series.start_ns) as f64;
    let mut parts: Vec<Sums> = vec![[0.0; 3]; PARTS];
    for (number, bin) in series.bins.iter().enumerate() {
        let start = series.bin_start_ns(number).saturating_sub(series.start_ns) as f64;
        let length = series.bin_length_ns(number) as f64;
        deal(&mut parts, start / all, length / all, bin);
    }
    let rate = |part: &Sums| part[0];
    let response = |part: &Sums| (part[1] > 0.0).then(|| part[2] / part[1]);
    let highest = parts.iter().map(rate).fold(0.0, f64::max);
    let longest = parts.iter().filter_map(response).fold(0.0, f64::max);
    let one = |part: &Sums| Part {
        rate: Relative::of(rate(part), highest).map(Relative::coarse),
        response: response(part)
            .and_then(|r| Relative::of(r, longest))
            .map(Relative::coarse),
    };
    parts.iter().map(one).collect()
}

/// Deals a bin to the parts that it reaches into, by how far it does. Start and length are of the whole time.
fn deal(parts: &mut [Sums], start: f64, length: f64, bin: &SeriesBin) {
    let count = parts.len() as f64;
    let (from, to) = (start * count, (start + length) * count);
    if to.partial_cmp(&from) != Some(std::cmp::Ordering::Greater) {
        return;
    }
    let last = (to.ceil() as usize).min(parts.len());
    for (number, part) in parts.iter_mut().enumerate().take(last).skip(from as usize) {
        let inside = to.min(number as f64 + 1.0) - from.max(number as f64);
        let share = (inside / (to - from)).max(0.0);
        let sums = [bin.ios, bin.timed, bin.response_sum_ns];
        for (mine, n) in part.iter_mut().zip(sums) {
            *mine += n as f64 * share;
        }
    }
}
