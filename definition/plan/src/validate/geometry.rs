//! Rules for sizes and addresses on a target.

use super::{Found, place};
use crate::{Bytes, HitPlacement, Pattern, RangeSpec, SizeSpec, Step, Stream, Target};
use plimsoll_diagnostic::Span;

/// What is known of a target's shape.
pub(super) struct Geometry<'t> {
    pub target: &'t Target,
    /// The bytes that are used of it, if known.
    pub extent: Option<Bytes>,
    /// What sizes and addresses must be multiples of.
    pub sector: u64,
}

/// A stream on a target.
pub(super) fn check(step: &Step, stream: &Stream, geometry: &Geometry<'_>, found: &mut Found) {
    let block = place(step, &stream.workload, "block");
    check_multiples(stream, geometry, block, found);
    let range = check_range(step, stream, geometry, found);
    let largest = stream.size.max();
    if let Some(range) = range
        && largest > range
    {
        found.add(
            format!("I/Os of {largest} of workload `{}` don't fit the {range} that it uses of target `{}`", stream.workload, geometry.target.name),
            "make the I/Os smaller or the range larger",
            block,
        );
    }
    check_hits(step, stream, geometry, range, found);
    check_pattern(step, stream, range, found);
}

fn check_multiples(stream: &Stream, geometry: &Geometry<'_>, at: Option<Span>, found: &mut Found) {
    let unit = geometry.sector;
    let odd = |b: &Bytes| !b.0.is_multiple_of(unit);
    let wrong = match &stream.size {
        SizeSpec::Fixed(size) => Some(*size).filter(odd),
        SizeSpec::Weighted(list) => list.iter().map(|(b, _)| *b).find(odd),
        SizeSpec::Range { min, align, .. } => [*min, *align].into_iter().find(odd),
    };
    if let Some(size) = wrong {
        found.add(
            format!(
                "I/Os of {size} of workload `{}` are not a multiple of the {unit} bytes that direct I/O on target `{}` needs",
                stream.workload, geometry.target.name
            ),
            format!("give sizes that are multiples of {unit}, or go through the page cache (buffered)"),
            at,
        );
    }
}

/// The bytes of the range, if known.
fn check_range(
    step: &Step,
    stream: &Stream,
    geometry: &Geometry<'_>,
    found: &mut Found,
) -> Option<Bytes> {
    let name = &stream.workload;
    let at = place(step, name, "range");
    match stream.address.range {
        RangeSpec::Whole => geometry.extent,
        RangeSpec::Percent(from, to) => {
            if !((0.0..100.0).contains(&from) && to > from && to <= 200.0 && to - from <= 100.0) {
                found.add(
                    format!("the range of workload `{name}` goes from {from} % to {to} %"),
                    "start below 100 %, end after the start, at most 200 % and at most a whole target further",
                    at,
                );
                return None;
            }
            geometry
                .extent
                .map(|e| Bytes((e.0 as f64 * (to - from) / 100.0) as u64))
        }
        RangeSpec::Bytes(from, to) => {
            if from >= to {
                found.add(
                    format!("the range of workload `{name}` goes from {from} to {to}"),
                    "let it end after its start",
                    at,
                );
                return None;
            }
            if let Some(extent) = geometry.extent
                && to > extent
            {
                found.add(
                    format!(
                        "the range of workload `{name}` ends at {to}, but target `{}` has {extent}",
                        geometry.target.name
                    ),
                    "let it end within the target",
                    at,
                );
                return None;
            }
            Some(Bytes(to.0 - from.0))
        }
    }
}

fn check_hits(
    step: &Step,
    stream: &Stream,
    geometry: &Geometry<'_>,
    range: Option<Bytes>,
    found: &mut Found,
) {
    let Some(hits) = &stream.address.hits else {
        return;
    };
    let name = &stream.workload;
    let at = place(step, name, "hits");
    let largest = stream.size.max();
    for (word, percent) in [("reads", hits.read_percent), ("writes", hits.write_percent)] {
        if !(0.0..=100.0).contains(&percent) {
            found.add(
                format!("{percent} % of the {word} of workload `{name}` are to hit"),
                "give a percentage from 0 to 100",
                at,
            );
        }
    }
    if hits.area < largest {
        found.add(
            format!(
                "the hit area of workload `{name}`, {}, does not hold one I/O of {largest}",
                hits.area
            ),
            "make the area larger",
            at,
        );
    }
    if let Some(range) = range
        && hits.area >= range
    {
        found.add(
            format!("the hit area of workload `{name}`, {}, leaves nothing of the {range} on target `{}` to miss", hits.area, geometry.target.name),
            "make the area smaller, or the target larger",
            at,
        );
    }
    if let HitPlacement::Sliced(slice) = hits.placement
        && (slice < largest || !slice.0.is_multiple_of(geometry.sector))
    {
        found.add(
            format!("the slices of workload `{name}`, {slice}, do not hold one I/O of {largest}, or are no whole sectors"),
            "make the slices larger, or leave `slice` out",
            at,
        );
    }
}

fn check_pattern(step: &Step, stream: &Stream, range: Option<Bytes>, found: &mut Found) {
    let name = &stream.workload;
    let at = place(step, name, "access");
    match &stream.address.pattern {
        Pattern::Stride { min, max } => {
            let size = stream.size.min().0.max(1);
            if !min.0.is_multiple_of(size) || !max.0.is_multiple_of(size) {
                found.add(
                    format!("the stride of workload `{name}`, {min} to {max}, is not a multiple of its I/O size"),
                    "give gaps that are multiples of the I/O size",
                    at,
                );
            }
        }
        Pattern::Streams(n) => {
            if let Some(range) = range
                && range.0 / u64::from((*n).max(1)) < stream.size.max().0
            {
                found.add(
                    format!("each of the {n} streams of workload `{name}` has less than one I/O of the {range}"),
                    "give fewer streams or a larger range",
                    at,
                );
            }
        }
        _ => {}
    }
}
