//! Rules for sizes and addresses on a target.

use super::{Found, block_place, place};
use crate::{Bytes, HitPlacement, Pattern, RangeSpec, SizeSpec, Step, Stream, Target};

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
    let block = block_place(step, stream);
    check_multiples(step, stream, geometry, found);
    if let Some(replay) = stream.replayed() {
        // Nothing else of it says where its I/Os go.
        return super::replay::check_places(step, stream, replay, geometry, found);
    }
    let range = check_range(step, stream, geometry, found);
    let largest = stream.largest();
    if let Some(range) = range
        && largest > range
    {
        found.add(
            format!("I/Os of {largest} of workload `{}` don't fit the {range} that it uses of target `{}`", stream.workload, geometry.target.name),
            "make the I/Os smaller or the range larger",
            block,
        );
    }
    check_stripe(step, stream, geometry.target, found);
    check_hits(step, stream, geometry, range, found);
    check_pattern(step, stream, range, found);
    check_operations(step, stream, geometry, found);
}

/// An I/O lies in one unit of a stripe, but for the lab's, whose host cuts it. One that is longer than the unit is cut by a volume manager, and often means that the
/// width of a row was given for the unit.
fn check_stripe(step: &Step, stream: &Stream, target: &Target, found: &mut Found) {
    let (largest, Some(unit)) = (stream.largest(), target.stripe) else {
        return;
    };
    let is_cut = target.location.is_simulated();
    if is_cut || unit.0 == 0 || largest.0 == 0 || unit.0.is_multiple_of(largest.0) {
        return;
    }
    if largest < unit {
        found.add(
            format!(
                "the stripe unit of target `{}`, {unit}, is no multiple of the I/Os of {largest} of workload `{}`: a volume manager would cut \
                 those that cross from one column to the next",
                target.name, stream.workload
            ),
            "take a unit that is a multiple of the largest I/O".to_string(),
            target.origins.of("stripe").or(block_place(step, stream)),
        );
        return;
    }
    let columns = target.location.paths().len() as u64;
    let is_width = largest.0 == unit.0.saturating_mul(columns);
    found.add(
        format!(
            "I/Os of {largest} of workload `{}` don't fit the stripe unit of target `{}`, {unit}: a volume manager would cut each \
             into {} pieces",
            stream.workload,
            target.name,
            largest.0.div_ceil(unit.0)
        ),
        match is_width {
            true => format!("{largest} is the width of all {columns} columns; `stripe` is the part of one: write stripe = \"{largest}\", or make the I/Os smaller"),
            false => "make the unit larger or the I/Os smaller; to measure the cut itself, name a volume manager's device".to_string(),
        },
        target.origins.of("stripe").or(block_place(step, stream)),
    );
}

/// Transfer sizes against the sector.
pub(super) fn check_multiples(
    step: &Step,
    stream: &Stream,
    geometry: &Geometry<'_>,
    found: &mut Found,
) {
    let at = block_place(step, stream);
    let unit = geometry.sector;
    let odd = |b: &Bytes| !b.0.is_multiple_of(unit);
    let wrong = |size: &SizeSpec| match size {
        SizeSpec::Range { min, align, .. } => [*min, *align].into_iter().find(odd),
        other => other.steps().into_iter().find(odd),
    };
    let mut occurring = stream.size.occurring(&stream.mix).into_iter();
    if let Some(size) = occurring.find_map(wrong) {
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
        RangeSpec::Clipped { from, until, ahead } => {
            check_clipped(step, stream, geometry, (from, until, ahead), found)
        }
    }
}

/// The bytes of a range that ends where its target does, if known.
fn check_clipped(
    step: &Step,
    stream: &Stream,
    geometry: &Geometry<'_>,
    (from, until, ahead): (Bytes, Option<Bytes>, Bytes),
    found: &mut Found,
) -> Option<Bytes> {
    let extent = geometry.extent.map_or(u64::MAX, |e| e.0);
    let (start, end) = RangeSpec::clipped(from, until, extent);
    if start.saturating_add(ahead.0) < end {
        return (end < u64::MAX).then_some(Bytes(end - start));
    }
    let name = &stream.workload;
    let end = Bytes(end);
    found.add(
        format!(
            "workload `{name}` is to begin at {} of target `{}`, and what it uses ends at {end}",
            Bytes(from.0.saturating_add(ahead.0)),
            geometry.target.name
        ),
        "let it begin before that end, or make the target larger",
        place(step, name, "range"),
    );
    None
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
    let largest = stream.largest();
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
            let size = stream.smallest();
            let is_whole = |gap: &Bytes| gap.0.is_multiple_of(size.0.max(1));
            if !is_whole(min) || !is_whole(max) {
                found.add(
                    format!("the stride of workload `{name}`, {min} to {max}, is not a multiple of its I/O size, {size}"),
                    "give gaps that are multiples of the I/O size, or smaller I/Os",
                    place(step, name, "stride").or(at),
                );
            }
        }
        Pattern::Streams(n) => {
            if let Some(range) = range
                && range.0 / u64::from((*n).max(1)) < stream.largest().0
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

/// Operations of different sizes that share their places: one order of them all, where each is visited once, or the cells of
/// a hit area. Where the sizes don't divide each other, an operation's addresses would not be multiples of its size.
fn check_operations(step: &Step, stream: &Stream, geometry: &Geometry<'_>, found: &mut Found) {
    let sizes = stream.size.occurring(&stream.mix);
    if sizes.len() < 2 || geometry.target.align.is_some_and(|a| a.0 > 0) {
        return;
    }
    let steps: Vec<Bytes> = sizes.iter().flat_map(|s| s.steps()).collect();
    let Some(finest) = steps.iter().min().copied().filter(|s| s.0 > 0) else {
        return;
    };
    let name = &stream.workload;
    let largest = stream.largest();
    let covers = matches!(
        stream.address.pattern,
        Pattern::Random { coverage: true, .. }
    );
    let sizes = sizes
        .iter()
        .flat_map(|s| [s.min(), s.max()].into_iter().chain(s.steps()));
    if let Some(odd) = sizes.into_iter().find(|s| !s.0.is_multiple_of(finest.0))
        && covers
    {
        found.add(
            format!(
                "workload `{name}` is to start once in each {finest} of target `{}`, and {odd}, a size of another operation, \
                 is not a multiple of that",
                geometry.target.name
            ),
            "make the sizes multiples of the smallest, or leave the coverage out",
            block_place(step, stream),
        );
    }
    if let Some(odd) = steps.iter().find(|s| !largest.0.is_multiple_of(s.0))
        && stream.address.hits.is_some()
    {
        found.add(
            format!(
                "the hit area of workload `{name}` is made of cells of {largest}, and {odd}, a size of another operation, \
                 does not divide them"
            ),
            "make the largest size a multiple of the others, or leave the hits out",
            block_place(step, stream),
        );
    }
}
