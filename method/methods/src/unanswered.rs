//! Which questions a curve was asked and has no answer to.
//!
//! A curve is asked what its target carries, and how much of that keeps each limit that somebody gave. The limits of the table
//! that stands where nobody gave any are no questions: it shows those that the target happens to keep.

use crate::doubts::suspect;
use crate::host_late;
use crate::verdict::limits;
use plimsoll_evidence::{Capacity, CurveVerdict, Quantity, SloStatistic, StepEvidence};
use plimsoll_plan::{Nanos, Slo, Statistic};

/// Question without an answer.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Open {
    /// Run that ended before all was measured.
    CutShort,
    /// No response time is one: no point that the target keeps up with.
    NoLatency,
    /// Most response times are the generator's own lateness.
    HostLate,
    /// Limit that the generator's own lateness breaks first.
    HostBreaks(String),
    /// No rate that was measured keeps this limit, and less load might.
    NotKept(String),
    /// All that was measured keeps this limit, and it was less than what the target carries.
    NotBroken(String),
    /// No point has I/Os enough to say anything of this limit.
    Unsupported(String),
    /// There was no time to see whether the capacity at this limit, where the response leaps, lasts behind a full load.
    Unconfirmed(String),
    /// The capacity at this limit is known too roughly to be an answer.
    Rough(String),
}

impl Open {
    fn value(self) -> (&'static str, Quantity) {
        let yes = Quantity::Count(1);
        match self {
            Open::CutShort => ("cut_short", yes),
            Open::NoLatency => ("no_latency", yes),
            Open::HostLate => ("host_late", yes),
            Open::HostBreaks(limit) => ("host_breaks", Quantity::Text(limit)),
            Open::NotKept(limit) => ("not_kept", Quantity::Text(limit)),
            Open::NotBroken(limit) => ("not_broken", Quantity::Text(limit)),
            Open::Unsupported(limit) => ("unsupported", Quantity::Text(limit)),
            Open::Unconfirmed(limit) => ("unconfirmed", Quantity::Text(limit)),
            Open::Rough(limit) => ("rough", Quantity::Text(limit)),
        }
    }
}

/// Puts down what is open: with anything, the verdict is not decided, and a finding says why.
pub(crate) fn conclude(verdict: &mut CurveVerdict, open: Vec<Open>) {
    verdict.decided = open.is_empty();
    if !verdict.decided {
        let values = open.into_iter().map(Open::value);
        verdict
            .findings
            .insert(0, suspect("curve-undecided", values));
    }
}

/// Open questions of a curve of fixed points, the greatest of which was to be so many percent of the maximum.
pub(crate) fn of_fixed(
    verdict: &CurveVerdict,
    points: &[&StepEvidence],
    asked: &[Slo],
    greatest: u32,
) -> Vec<Open> {
    if has_no_latency(verdict) {
        return vec![Open::NoLatency];
    }
    if host_late::is_throughout(points) {
        return vec![Open::HostLate];
    }
    let overloaded = greatest >= 100 || verdict.points.iter().any(|p| p.saturated);
    asked
        .iter()
        .filter_map(|slo| {
            let words = slo.to_string();
            let (statistic, limit_ns) = limits(std::slice::from_ref(slo))[0];
            if host_late::breaks(points, statistic, limit_ns) {
                return Some(Open::HostBreaks(words));
            }
            match capacity_of(verdict, slo) {
                None => Some(Open::Unsupported(words)),
                Some(c) if c.rate.is_none() => Some(Open::NotKept(words)),
                Some(c) if c.at_least && (!overloaded || was_exceeded(verdict)) => {
                    Some(Open::NotBroken(words))
                }
                Some(_) => None,
            }
        })
        .collect()
}

/// True where a point carried more than the maximum run did: then what the target carries is not known.
pub(crate) fn was_exceeded(verdict: &CurveVerdict) -> bool {
    let mut found = verdict.findings.iter();
    found.any(|f| f.rule == "maximum-exceeded")
}

/// True where there is no point that the target keeps up with.
pub(crate) fn has_no_latency(verdict: &CurveVerdict) -> bool {
    let mut points = verdict.points.iter().filter(|p| p.percent.is_some());
    verdict.maximum.mean <= 0.0 || points.all(|p| p.saturated)
}

fn capacity_of<'v>(verdict: &'v CurveVerdict, slo: &Slo) -> Option<&'v Capacity> {
    let is = |c: &&Capacity| words(c.statistic, c.limit_ns) == slo.to_string();
    verdict.capacities.iter().find(is)
}

/// A limit in words: `p99=2ms`.
pub(crate) fn words(statistic: SloStatistic, limit_ns: u64) -> String {
    let statistic = match statistic {
        SloStatistic::Mean => Statistic::Mean,
        SloStatistic::Quantile(q) => Statistic::Quantile(q),
    };
    let limit = Nanos(limit_ns);
    Slo { statistic, limit }.to_string()
}
