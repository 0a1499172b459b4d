//! What a method concluded.

use crate::{Estimate, Finding, Limit, MethodVerdict, Saturation, StepEvidence};
use plimsoll_printable::human;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::fmt;

/// A method's conclusion.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Verdict {
    /// Conclusion of a curve.
    Curve(CurveVerdict),
    /// Conclusion of any other method.
    Method(MethodVerdict),
}

impl Verdict {
    /// The run that it is of.
    pub fn run(&self) -> &str {
        match self {
            Verdict::Curve(curve) => &curve.run,
            Verdict::Method(method) => &method.run,
        }
    }

    /// Remarks to be made beside the answer, one sentence each.
    pub fn remarks(&self) -> Vec<String> {
        match self {
            Verdict::Curve(curve) => curve.remarks(),
            Verdict::Method(method) => method.findings.iter().map(|f| f.message.clone()).collect(),
        }
    }

    /// Reasons not to trust the answer, and what was not tested.
    pub fn findings(&self) -> &[Finding] {
        match self {
            Verdict::Curve(curve) => &curve.findings,
            Verdict::Method(method) => &method.findings,
        }
    }

    /// False where the question could not be answered.
    pub fn decided(&self) -> bool {
        match self {
            Verdict::Curve(curve) => curve.decided,
            Verdict::Method(method) => method.decided,
        }
    }
}

/// Answer that a curve gives.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CurveVerdict {
    /// The run's name.
    pub run: String,
    /// False where what it was asked has no answer; which and why is in the finding `curve-undecided`.
    pub decided: bool,
    /// The maximum rate, closed loop, I/Os per second.
    pub maximum: Estimate,
    /// Limit of the maximum.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<Limit>,
    /// The points, by rising offered rate.
    pub points: Vec<CurvePoint>,
    /// The knee's achieved rate, and how far it may be off; `None` where the points show none.
    pub knee: Option<Estimate>,
    /// Capacity at each response limit.
    pub capacities: Vec<Capacity>,
    /// Reasons not to trust the answer, and what is missing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<Finding>,
}

impl CurveVerdict {
    /// True where the knee is one of the points, and what it may be off is the distance to those beside it. Else it lies among
    /// the points, and has a 95 % interval of its own.
    pub fn knee_is_a_point(&self) -> bool {
        let is = |knee: &Estimate| self.points.iter().any(|p| p.achieved.mean == knee.mean);
        self.knee.as_ref().is_some_and(is)
    }

    /// Reasons not to trust the answer, and what is missing, one sentence each.
    pub fn remarks(&self) -> Vec<String> {
        self.findings.iter().map(|f| f.message.clone()).collect()
    }
}

/// One point of a curve. Times ns, rates I/Os per second.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CurvePoint {
    /// The step's number in the record.
    pub step: u32,
    /// The step's name.
    pub name: String,
    /// Percent of the maximum; `None` for the maximum itself.
    pub percent: Option<u32>,
    /// Rate asked for.
    pub offered: Option<f64>,
    /// Rate reached.
    pub achieved: Estimate,
    /// True where its latency is not a latency; never of the maximum, which is a closed loop.
    pub saturated: bool,
    /// Mean response.
    pub response_mean_ns: Estimate,
    /// Mean service.
    pub service_mean_ns: Estimate,
    /// Percentiles of response; `None` where the sample cannot support one.
    pub response_p50_ns: Option<u64>,
    /// 99th percentile of response.
    pub response_p99_ns: Option<u64>,
    /// 99.9th percentile of response.
    pub response_p999_ns: Option<u64>,
    /// Mean I/Os in flight.
    pub depth_mean: f64,
    /// Growth of the backlog, I/Os per second, where saturated.
    pub backlog_growth: Option<f64>,
    /// The criterion with its parts; `None` in a closed loop, and of an imported point.
    pub saturation: Option<Saturation>,
}

impl CurvePoint {
    /// The point that a step is.
    pub fn of(step: &StepEvidence, percent: Option<u32>, saturated: bool) -> Self {
        let growth = step.saturation.filter(|s| s.saturated);
        CurvePoint {
            step: step.number,
            name: step.name.clone(),
            percent,
            offered: step.offered,
            achieved: step.rate,
            saturated,
            response_mean_ns: step.response_mean_ns,
            service_mean_ns: step.service_mean_ns,
            response_p50_ns: step.response.supported_quantile_ns(0.5),
            response_p99_ns: step.response.supported_quantile_ns(0.99),
            response_p999_ns: step.response.supported_quantile_ns(0.999),
            depth_mean: step.depth_mean,
            backlog_growth: growth.map(|s| s.backlog_growth),
            saturation: step.saturation,
        }
    }
}

/// The largest rate at which a response limit holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Capacity {
    /// Statistic that the limit is of.
    pub statistic: SloStatistic,
    /// The limit, ns.
    pub limit_ns: u64,
    /// The rate, by a straight line between the points that enclose it; `None`: the lowest point breaks the limit already.
    pub rate: Option<Estimate>,
    /// Mean response at that rate, ns.
    pub response_mean_ns: Option<f64>,
    /// True where the limit holds at every unsaturated point: the rate is a lower bound.
    pub at_least: bool,
}

/// Statistic that a response limit is of.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SloStatistic {
    /// The mean response.
    Mean,
    /// A quantile of response, 0..1.
    Quantile(f64),
}

impl fmt::Display for SloStatistic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SloStatistic::Mean => f.pad("mean"),
            SloStatistic::Quantile(q) => f.pad(&human::quantile(*q)),
        }
    }
}

/// Findings of a run: those of its steps, then of its verdicts, then those of `others` that none of these has.
pub fn gathered(steps: &[StepEvidence], verdicts: &[Verdict], others: &[Finding]) -> Vec<Finding> {
    let of_steps = steps.iter().flat_map(|s| &s.findings);
    let own = of_steps.chain(verdicts.iter().flat_map(Verdict::findings));
    let all: Vec<Finding> = own.cloned().collect();
    // In a set, for there may be millions of them.
    let key = |f: &Finding| (f.rule.clone(), f.step, f.message.clone());
    let known: HashSet<_> = all.iter().map(key).collect();
    let new = others.iter().filter(|f| !known.contains(&key(f))).cloned();
    all.into_iter().chain(new).collect()
}
