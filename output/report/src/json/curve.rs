//! Verdicts of the document.

use super::{mean, us, without_empty};
use plimsoll_evidence::{Capacity, CurvePoint, CurveVerdict, Verdict};
use serde_json::{Value, json};

/// A method's conclusion: of a curve, or of another method as it is in the record.
pub(super) fn verdict(verdict: &Verdict) -> Value {
    match verdict {
        Verdict::Curve(verdict) => curve(verdict),
        Verdict::Method(_) => json!(verdict),
    }
}

fn curve(curve: &CurveVerdict) -> Value {
    let document = json!({
        "kind": "curve",
        "run": curve.run,
        "decided": curve.decided,
        "maximum_iops": mean(&curve.maximum, 1.0),
        "limit": curve.limit,
        "points": curve.points.iter().map(point).collect::<Vec<_>>(),
        "knee_iops": curve.knee.as_ref().map(|k| mean(k, 1.0)),
        "capacities": curve.capacities.iter().map(at_limit).collect::<Vec<_>>(),
        "notes": curve.remarks(),
        "findings": curve.findings,
    });
    without_empty(document, &["limit", "findings"])
}

fn point(p: &CurvePoint) -> Value {
    json!({
        "step": p.step,
        "name": p.name,
        "percent": p.percent,
        "offered_iops": p.offered,
        "achieved_iops": mean(&p.achieved, 1.0),
        "saturated": p.saturated,
        "response_mean_us": mean(&p.response_mean_ns, 1e3),
        "response_p50_us": us(p.response_p50_ns),
        "response_p99_us": us(p.response_p99_ns),
        "response_p999_us": us(p.response_p999_ns),
        "service_mean_us": mean(&p.service_mean_ns, 1e3),
        "depth_mean": p.depth_mean,
        "backlog_growth_per_s": p.backlog_growth,
    })
}

fn at_limit(c: &Capacity) -> Value {
    json!({
        "statistic": c.statistic.to_string(),
        "limit_us": c.limit_ns as f64 / 1e3,
        "iops": c.rate.as_ref().map(|r| mean(r, 1.0)),
        "at_least": c.at_least,
        "response_mean_us": c.response_mean_ns.map(|ns| ns / 1e3),
    })
}
