//! One direction of a fio job.

use super::fio_node::ROUNDED;
use crate::json::Node;
use crate::model::{Latency, Side};
use crate::text;
use plimsoll_plan::Nanos;

/// Figures of a `read`, `write` or `trim` object.
pub fn side(node: &Node) -> Side {
    let number = |path: &[&str]| node.at(path).and_then(Node::number).filter(|n| *n >= 0.0);
    let completion = latency(node, "clat_ns");
    let own = latency(node, "lat_ns");
    // A synchronous engine, or one whose statistics were switched off, has one of the two.
    let (latency, completion) = match (own.mean.is_some(), completion.mean.is_some()) {
        (true, _) => (own, Some(completion).filter(|c| !c.is_empty())),
        (false, true) => {
            let submission = latency(node, "slat_ns");
            // With disable_lat these begin when the job did, and say nothing.
            let length_ns = number(&["runtime"]).map_or(f64::INFINITY, |ms| ms * 1e6);
            let is_sound = submission
                .max
                .is_none_or(|max| (max.0 as f64) < 0.9 * length_ns);
            match submission.mean.filter(|_| is_sound) {
                Some(submission) => (submitted(&completion, submission), Some(completion)),
                None => (completion, None),
            }
        }
        (false, false) => (Latency::default(), None),
    };
    Side {
        iops: number(&["iops"]).and_then(text::rate),
        ios: number(&["total_ios"]).map(|n| n as u64),
        seconds: number(&["runtime"]).map(|ms| ms / 1e3).filter(|s| *s > 0.0),
        latency,
        completion,
    }
}

/// The time of an I/O from before its submission, of which fio's text may lack the line: the means of two parts are all that adds up.
fn submitted(completion: &Latency, submission: Nanos) -> Latency {
    Latency {
        mean: completion
            .mean
            .map(|mean| Nanos(mean.0.saturating_add(submission.0))),
        rounded: completion.rounded,
        ..Latency::default()
    }
}

/// The times under a key.
pub fn latency(node: &Node, key: &str) -> Latency {
    let Some(of) = node.get(key) else {
        return Latency::default();
    };
    let ns = |key: &str| of.get(key).and_then(Node::number).and_then(text::nanos);
    // What was switched off is there with zeros.
    if of.get("N").and_then(Node::number) == Some(0.0) {
        return Latency::default();
    }
    let percentiles = of.get("percentile").map(Node::fields).unwrap_or_default();
    let percentiles = percentiles.iter().filter_map(|(percent, value)| {
        let quantile = text::amount(percent)? / 100.0;
        // Those that were not asked for are filled up with 0 by some versions.
        (quantile > 0.0 && quantile <= 1.0).then_some((quantile, text::nanos(value.number()?)?))
    });
    Latency {
        mean: ns("mean").filter(|m| m.0 > 0),
        sd: ns("stddev"),
        min: ns("min"),
        max: ns("max"),
        count: of
            .get("N")
            .and_then(Node::number)
            .filter(|n| *n > 0.0)
            .map(|n| n as u64),
        percentiles: percentiles.collect(),
        rounded: ns(ROUNDED).unwrap_or_default(),
    }
}

/// All directions together: rates add up, times by their weights. Percentiles of several cannot be had from those of each.
pub fn together(sides: &[(&str, &Node)]) -> Side {
    if let [(_, only)] = sides {
        return side(only);
    }
    let sides: Vec<Side> = sides.iter().map(|(_, node)| side(node)).collect();
    let sum = |value: fn(&Side) -> Option<f64>| -> Option<f64> {
        let values: Option<Vec<f64>> = sides.iter().map(value).collect();
        values.filter(|v| !v.is_empty()).map(|v| v.iter().sum())
    };
    let rate = sum(|s| Some(s.iops?.0));
    let busy = sum(|s| Some(s.iops?.0 * s.latency.mean?.0 as f64));
    let mean = rate
        .filter(|r| *r > 0.0)
        .zip(busy)
        .and_then(|(rate, busy)| text::nanos(busy / rate));
    Side {
        iops: rate.and_then(text::rate),
        ios: sum(|s| Some(s.ios? as f64)).map(|n| n as u64),
        seconds: None,
        latency: Latency {
            mean,
            min: sides.iter().filter_map(|s| s.latency.min).min(),
            max: sides.iter().filter_map(|s| s.latency.max).max(),
            rounded: sides
                .iter()
                .map(|s| s.latency.rounded)
                .max()
                .unwrap_or_default(),
            ..Latency::default()
        },
        completion: None,
    }
}
