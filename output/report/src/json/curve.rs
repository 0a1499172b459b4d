//! Verdicts of the document.

use super::Mean;
use crate::human;
use plimsoll_evidence as evidence;
use plimsoll_evidence::{Capacity, CurvePoint, Finding, Limit, SloStatistic};
use serde::Serialize;

/// A method's conclusion.
#[derive(Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub(super) enum Verdict<'a> {
    /// Of a curve.
    Curve(Curve<'a>),
    /// Of another method, as it is in the record.
    Method(&'a evidence::MethodVerdict),
}

#[derive(Serialize)]
pub(super) struct Curve<'a> {
    run: &'a str,
    decided: bool,
    maximum_iops: Mean,
    /// What limited the maximum.
    #[serde(skip_serializing_if = "Option::is_none")]
    limit: Option<&'a Limit>,
    points: Vec<Point<'a>>,
    knee_iops: Option<Mean>,
    capacities: Vec<AtLimit>,
    notes: Vec<String>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    findings: &'a [Finding],
}

#[derive(Serialize)]
struct Point<'a> {
    step: u32,
    name: &'a str,
    percent: Option<u32>,
    offered_iops: Option<f64>,
    achieved_iops: Mean,
    saturated: bool,
    response_mean_us: Mean,
    response_p50_us: Option<f64>,
    response_p99_us: Option<f64>,
    response_p999_us: Option<f64>,
    service_mean_us: Mean,
    depth_mean: f64,
    backlog_growth_per_s: Option<f64>,
}

#[derive(Serialize)]
struct AtLimit {
    statistic: String,
    limit_us: f64,
    iops: Option<Mean>,
    at_least: bool,
    response_mean_us: Option<f64>,
}

/// A verdict as the document has it.
pub(super) fn verdict(verdict: &evidence::Verdict) -> Verdict<'_> {
    let curve = match verdict {
        evidence::Verdict::Curve(curve) => curve,
        evidence::Verdict::Method(method) => return Verdict::Method(method),
    };
    Verdict::Curve(Curve {
        run: &curve.run,
        decided: curve.decided,
        maximum_iops: Mean::of(&curve.maximum, 1.0),
        limit: curve.limit.as_ref(),
        points: curve.points.iter().map(point).collect(),
        knee_iops: curve.knee.as_ref().map(|k| Mean::of(k, 1.0)),
        capacities: curve.capacities.iter().map(at_limit).collect(),
        notes: curve.remarks(),
        findings: &curve.findings,
    })
}

fn point(p: &CurvePoint) -> Point<'_> {
    let us = |ns: Option<u64>| ns.map(|ns| ns as f64 / 1e3);
    Point {
        step: p.step,
        name: &p.name,
        percent: p.percent,
        offered_iops: p.offered,
        achieved_iops: Mean::of(&p.achieved, 1.0),
        saturated: p.saturated,
        response_mean_us: Mean::of(&p.response_mean_ns, 1e3),
        response_p50_us: us(p.response_p50_ns),
        response_p99_us: us(p.response_p99_ns),
        response_p999_us: us(p.response_p999_ns),
        service_mean_us: Mean::of(&p.service_mean_ns, 1e3),
        depth_mean: p.depth_mean,
        backlog_growth_per_s: p.backlog_growth,
    }
}

fn at_limit(c: &Capacity) -> AtLimit {
    AtLimit {
        statistic: match c.statistic {
            SloStatistic::Mean => "mean".into(),
            SloStatistic::Quantile(q) => human::quantile(q),
        },
        limit_us: c.limit_ns as f64 / 1e3,
        iops: c.rate.as_ref().map(|r| Mean::of(r, 1.0)),
        at_least: c.at_least,
        response_mean_us: c.response_mean_ns.map(|ns| ns / 1e3),
    }
}
