//! Cells of a campaign's tables, and the words of their headings.

use super::Point;
use plimsoll_evidence::{Counted, Estimate, Quantity, StepEvidence, TableCell, TableColumn};
use plimsoll_plan::{
    AddressSpec, Bytes, ContentSpec, Distribution, Pattern, RangeSpec, SaturateSpec,
};

/// The columns of each profile's table: key and words. The first is of campaigns that have sizes.
const COLUMNS: [(&str, &str); 9] = [
    ("block", "block"),
    ("point", "point"),
    ("iops", "rate"),
    ("bandwidth", "bandwidth"),
    ("response_mean", "response"),
    ("response_p99", "p99"),
    ("jobs", "workers"),
    ("depth", "depth"),
    ("in_flight", "in flight"),
];

/// Columns of a campaign's tables.
pub(super) fn columns(spec: &SaturateSpec, counted: Counted) -> Vec<TableColumn> {
    let of = |(name, label): &(&str, &str)| match *name {
        "iops" => TableColumn::new(*name, counted.by_s()),
        _ => TableColumn::new(*name, *label),
    };
    let first = usize::from(spec.blocks.is_empty());
    COLUMNS[first..].iter().map(of).collect()
}

pub(super) fn row(block: Option<Bytes>, point: &Point) -> Vec<TableCell> {
    let e = point.evidence;
    let estimate = |quantity: Quantity, of: &Estimate| match interval(of) {
        Some((low, high)) => TableCell::of(quantity).within(low, high),
        None => TableCell::of(quantity),
    };
    let seconds = e.counted_s.max(f64::MIN_POSITIVE);
    let size = block.map(|block| TableCell::of(Quantity::Bytes(block.0)));
    let p99 = e.response.supported_quantile_ns(0.99);
    let figures = [
        TableCell::of(Quantity::Text(point.name.into())),
        estimate(Quantity::PerSecond(e.rate.mean), &e.rate),
        TableCell::of(Quantity::BytesPerSecond(e.bytes as f64 / seconds)),
        estimate(Quantity::Ns(e.response_mean_ns.mean), &e.response_mean_ns),
        TableCell::maybe(p99.map(|ns| Quantity::Ns(ns as f64))),
        TableCell::of(Quantity::Count(u64::from(e.workers))),
        TableCell::maybe(point.depth.map(|d| Quantity::Count(u64::from(d)))),
        TableCell::of(Quantity::Number(in_flight(e))),
    ];
    size.into_iter().chain(figures).collect()
}

/// Mean I/Os in flight on all targets together, which a closed loop keeps at its depth.
pub(super) fn in_flight(evidence: &StepEvidence) -> f64 {
    evidence.depth_mean
}

pub(super) fn interval(of: &Estimate) -> Option<(f64, f64)> {
    of.half_width.map(|h| (of.mean - h, of.mean + h))
}

pub(super) fn profile(read: f64) -> String {
    match read {
        0.0 => "100 % write".into(),
        100.0 => "100 % read".into(),
        read => format!("{read} % read"),
    }
}

pub(super) fn addresses(address: &AddressSpec) -> String {
    let order = match &address.pattern {
        Pattern::Random {
            distribution: Distribution::Uniform,
            ..
        } => "random",
        Pattern::Random { .. } => "random, unevenly",
        _ => "in order",
    };
    let part = match address.range {
        RangeSpec::Whole => "all of the targets",
        _ => "a part of the targets",
    };
    match address.hits {
        Some(_) => format!("{order}, {part}, with a hit set"),
        None => format!("{order}, {part}"),
    }
}

pub(super) fn content(content: &ContentSpec) -> &'static str {
    match content {
        ContentSpec::Unique => "unique and incompressible",
        ContentSpec::Zeros => "zeros",
        ContentSpec::Pattern(_) => "a pattern",
        ContentSpec::File(_) => "a file's bytes",
        ContentSpec::PartZero { .. } => "in part zeros",
        ContentSpec::Reducible { .. } | ContentSpec::ReduciblePattern { .. } => {
            "with the ratios that were asked for"
        }
    }
}
