//! A step's results by stream, by workload and by target.

use crate::{Estimate, OpSummary, Saturation, StepEvidence, StreamSummary};
use plimsoll_measure::{Histogram, Op};
use std::collections::{BTreeMap, BTreeSet};

/// Part of a step: streams of a workload, of a target, or one alone.
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    /// Names of its workloads, each once, in the step's order.
    pub workloads: Vec<String>,
    /// Indexes of its targets in the environment's list, each once, in the step's order.
    pub targets: Vec<u32>,
    /// Numbers of the hosts that it is of, each once: see [`StreamSummary::host`].
    pub hosts: Vec<u32>,
    /// Time that it worked of the step's counted time, s: all of that, where its streams worked at different times.
    pub counted_s: f64,
    /// Rate asked for in that time, I/Os per second; `None` where one of its streams has no rate of its own.
    pub offered: Option<f64>,
    /// Completed I/Os.
    pub ios: u64,
    /// Bytes they moved.
    pub bytes: u64,
    /// I/Os that failed in the counted time.
    pub errors: u64,
    /// Achieved rate, I/Os per second.
    pub rate: Estimate,
    /// Mean response time, ns.
    pub response_mean_ns: Estimate,
    /// Mean service time, ns.
    pub service_mean_ns: Estimate,
    /// Operations that occurred, each with its counts.
    pub ops: Vec<OpSummary>,
    /// Saturation of its streams with a schedule together, saturated where one of them is; `None` where none has one.
    pub saturation: Option<Saturation>,
}

impl Part {
    /// Response times of all its operations.
    pub fn response(&self) -> Histogram {
        merged(self.ops.iter().map(|op| &op.response))
    }

    /// Service times of all its operations.
    pub fn service(&self) -> Histogram {
        merged(self.ops.iter().map(|op| &op.service))
    }

    /// True where its load is past what its targets carry.
    pub fn is_saturated(&self) -> bool {
        self.saturation.is_some_and(|s| s.saturated)
    }
}

impl StepEvidence {
    /// Each stream by itself, in the step's order.
    pub fn by_stream(&self) -> Vec<Part> {
        self.streams.iter().map(|s| self.part(&[s])).collect()
    }

    /// Parts by workload, in the order in which they first occur.
    pub fn by_workload(&self) -> Vec<Part> {
        self.by(|stream| &stream.workload)
    }

    /// Parts by target, in the order in which they first occur.
    pub fn by_target(&self) -> Vec<Part> {
        self.by(|stream| &stream.target)
    }

    fn by<'s, K: Ord + 's>(&'s self, key: impl Fn(&'s StreamSummary) -> &'s K) -> Vec<Part> {
        let mut places = BTreeMap::new();
        let mut groups: Vec<Vec<&StreamSummary>> = Vec::new();
        for stream in &self.streams {
            let place = *places.entry(key(stream)).or_insert(groups.len());
            if place == groups.len() {
                groups.push(Vec::new());
            }
            groups[place].push(stream);
        }
        groups.iter().map(|group| self.part(group)).collect()
    }

    /// Part made of some streams. For all of them, the step's own figures are taken, for their confidence is known.
    fn part(&self, streams: &[&StreamSummary]) -> Part {
        let part = together(streams, self.counted_s);
        if streams.len() < self.streams.len() || streams.len() == 1 {
            return part;
        }
        Part {
            counted_s: self.counted_s,
            offered: self.offered,
            rate: self.rate,
            response_mean_ns: self.response_mean_ns,
            service_mean_ns: self.service_mean_ns,
            saturation: self.saturation,
            ..part
        }
    }
}

/// Streams that worked at different times have a rate together of the whole counted time, `counted_s`.
fn together(streams: &[&StreamSummary], counted_s: f64) -> Part {
    let each = || streams.iter().copied();
    let alike = streams.windows(2).all(|w| w[0].counted_s == w[1].counted_s);
    let works = |s: &StreamSummary| match s.counted_s {
        Some(own_s) if !alike && counted_s > 0.0 => own_s / counted_s,
        _ => 1.0,
    };
    let own_s = streams.first().and_then(|s| s.counted_s);
    Part {
        counted_s: own_s.filter(|_| alike).unwrap_or(counted_s),
        workloads: distinct(each().map(|s| s.workload.clone())),
        targets: distinct(each().map(|s| s.target)),
        hosts: distinct(each().map(|s| s.host)),
        offered: each().map(|s| Some(s.offered? * works(s))).sum(),
        ios: total(each().map(|s| s.ios)),
        bytes: total(each().map(|s| s.bytes)),
        errors: total(each().map(|s| s.errors)),
        rate: combined(each().map(|s| (works(s), s.rate))),
        response_mean_ns: mean(streams, |s| {
            (count(s, |op| &op.response), s.response_mean_ns)
        }),
        service_mean_ns: mean(streams, |s| (count(s, |op| &op.service), s.service_mean_ns)),
        ops: Op::ALL
            .iter()
            .chain(&Op::ON_NAMES)
            .filter_map(|op| summed(*op, each().flat_map(|s| &s.ops)))
            .collect(),
        saturation: saturation(streams),
    }
}

fn distinct<T: Ord + Clone>(all: impl Iterator<Item = T>) -> Vec<T> {
    let mut seen = BTreeSet::new();
    all.filter(|one| seen.insert(one.clone())).collect()
}

fn total(counts: impl Iterator<Item = u64>) -> u64 {
    counts.fold(0, u64::saturating_add)
}

fn merged<'h>(all: impl Iterator<Item = &'h Histogram>) -> Histogram {
    let mut sum = Histogram::empty();
    all.for_each(|h| sum.merge(h));
    sum
}

fn count(stream: &StreamSummary, which: impl Fn(&OpSummary) -> &Histogram) -> f64 {
    stream.ops.iter().map(|op| which(op).count() as f64).sum()
}

/// A weighted sum. The streams of a step share targets and host, so their errors may go together: the half-width is that of
/// the worst case, in which all do (a sum's standard deviation is never above the sum of its terms').
fn combined(parts: impl Iterator<Item = (f64, Estimate)>) -> Estimate {
    let zero = Estimate::new(0.0, Some(0.0), u32::MAX);
    let sum = parts.fold(zero, |sum, (weight, part)| {
        Estimate::new(
            sum.mean + weight * part.mean,
            sum.half_width
                .zip(part.half_width)
                .map(|(all, half)| all + weight * half),
            sum.batches.min(part.batches),
        )
    });
    match sum.half_width {
        Some(_) => sum,
        None => Estimate::bare(sum.mean),
    }
}

/// The mean over all I/Os, from each stream's count and mean.
fn mean(streams: &[&StreamSummary], of: impl Fn(&StreamSummary) -> (f64, Estimate)) -> Estimate {
    if let [only] = streams {
        return of(only).1;
    }
    let timed = || streams.iter().map(|s| of(s)).filter(|(n, _)| *n > 0.0);
    let all: f64 = timed().map(|(n, _)| n).sum();
    if all == 0.0 {
        return Estimate::bare(0.0);
    }
    combined(timed().map(|(n, estimate)| (n / all, estimate)))
}

fn summed<'s>(op: Op, all: impl Iterator<Item = &'s OpSummary>) -> Option<OpSummary> {
    let same: Vec<&OpSummary> = all.filter(|s| s.op == op).collect();
    (!same.is_empty()).then(|| OpSummary {
        op,
        ios: total(same.iter().map(|s| s.ios)),
        bytes: total(same.iter().map(|s| s.bytes)),
        errors: total(same.iter().map(|s| s.errors)),
        response: merged(same.iter().map(|s| &s.response)),
        service: merged(same.iter().map(|s| &s.service)),
    })
}

/// Shares are weighted by what came due. Samples in which one of the streams was short are at least those of the worst.
fn saturation(streams: &[&StreamSummary]) -> Option<Saturation> {
    let judged: Vec<(f64, Saturation)> = streams
        .iter()
        .filter_map(|s| s.saturation.map(|of| (due(s.ios, &of), of)))
        .collect();
    if let [(_, only)] = judged.as_slice() {
        return Some(*only);
    }
    let due: f64 = judged.iter().map(|(due, _)| due).sum();
    let share = |of: fn(&Saturation) -> f64| match due > 0.0 {
        true => judged.iter().map(|(d, s)| d * of(s)).sum::<f64>() / due,
        false => 0.0,
    };
    let each = || judged.iter().map(|(_, s)| s);
    (!judged.is_empty()).then(|| Saturation {
        saturated: each().any(|s| s.saturated),
        cause: each().find_map(|s| s.cause),
        undecided: each().any(|s| s.undecided) && !each().any(|s| s.saturated),
        no_slot_share: share(|s| s.no_slot_share),
        shortfall: share(|s| s.shortfall),
        backlog_growth: each().map(|s| s.backlog_growth).sum(),
        backlog_end: total(each().map(|s| s.backlog_end)),
        short_samples: each().map(|s| s.short_samples).fold(0.0, f64::max),
    })
}

/// I/Os that came due: what was done, and what was not. Where nothing was, all of it is the backlog.
fn due(ios: u64, of: &Saturation) -> f64 {
    if of.shortfall < 1.0 {
        ios as f64 / (1.0 - of.shortfall)
    } else {
        of.backlog_end as f64
    }
}

#[cfg(test)]
mod tests;
