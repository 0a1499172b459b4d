//! Rules for one workload that need nothing of its target.

use super::{Found, block_place, place};
use crate::{ContentSpec, Distribution, Pattern, SizeSpec, Step, Stream};

/// Percentages that should sum to 100 are given in decimals.
const SUM_TOLERANCE: f64 = 0.01;

fn is_percent(p: f64) -> bool {
    (0.0..=100.0).contains(&p)
}

fn sums_to_100(sum: f64) -> bool {
    (sum - 100.0).abs() <= SUM_TOLERANCE
}

/// Problems of a stream, but for those of its geometry.
pub(super) fn check(step: &Step, stream: &Stream, found: &mut Found) {
    check_mix(step, stream, found);
    check_sizes(step, stream, found);
    check_pattern(step, stream, found);
    check_content(step, stream, found);
    let name = &stream.workload;
    if !(stream.share > 0.0 && stream.share.is_finite()) {
        found.add(
            format!("workload `{name}` has a share of {}", stream.share),
            "give it a share above 0",
            place(step, name, "share"),
        );
    }
    if let Some(rate) = stream.fixed_rate
        && !(rate.0 > 0.0 && rate.0.is_finite())
    {
        found.add(
            format!("workload `{name}` asks for a rate of {rate}"),
            "ask for a rate above 0",
            place(step, name, "rate"),
        );
    }
}

fn check_mix(step: &Step, stream: &Stream, found: &mut Found) {
    let name = &stream.workload;
    let mix = &stream.mix;
    if !mix.names.is_none() || place(step, name, "operations").is_some() {
        check_operations(step, stream, found);
        return;
    }
    let parts = mix.percents();
    if !parts.iter().all(|p| is_percent(*p)) || !sums_to_100(parts.iter().sum()) {
        found.add(
            format!(
                "workload `{name}` reads {} %, writes {} % and trims {} %",
                mix.read, mix.write, mix.trim
            ),
            "let reads and trims together be at most 100 %; the rest are writes",
            place(step, name, "trim").or(place(step, name, "read")),
        );
    }
}

/// Of a tree, each operation has its percentage.
fn check_operations(step: &Step, stream: &Stream, found: &mut Found) {
    let on_names = stream.mix.names.0.into_iter();
    let parts: Vec<f64> = on_names.chain(stream.mix.percents()).collect();
    let sum: f64 = parts.iter().sum();
    if !parts.iter().all(|p| is_percent(*p)) || !sums_to_100(sum) {
        let name = &stream.workload;
        found.add(
            format!("the operations of workload `{name}` sum to {sum} %"),
            "make them sum to 100",
            place(step, name, "operations"),
        );
    }
}

fn check_sizes(step: &Step, stream: &Stream, found: &mut Found) {
    for size in stream.size.occurring(&stream.mix) {
        check_size(step, stream, size, found);
    }
}

fn check_size(step: &Step, stream: &Stream, size: &SizeSpec, found: &mut Found) {
    let name = &stream.workload;
    let at = block_place(step, stream);
    match size {
        // Those that occur are looked at one by one.
        SizeSpec::Fixed(_) | SizeSpec::ByOperation(_) => {}
        SizeSpec::Weighted(list) => {
            let sum: f64 = list.iter().map(|(_, p)| p).sum();
            if list.iter().any(|(_, p)| !is_percent(*p)) || !sums_to_100(sum) {
                found.add(
                    format!("the percentages of the sizes of workload `{name}` sum to {sum}"),
                    "make them sum to 100",
                    at,
                );
            }
        }
        SizeSpec::Range { min, max, align } => {
            if align.0 == 0
                || min > max
                || !min.0.is_multiple_of(align.0)
                || !max.0.is_multiple_of(align.0)
            {
                found.add(
                    format!("workload `{name}` has sizes from {min} to {max} in steps of {align}"),
                    "let both ends be multiples of the step, the smaller first",
                    at,
                );
            }
        }
    }
    if size.min().0 == 0 {
        found.add(
            format!("workload `{name}` has I/Os of 0 bytes"),
            "give it a size, as 4k",
            at,
        );
    }
}

fn check_pattern(step: &Step, stream: &Stream, found: &mut Found) {
    let name = &stream.workload;
    let access = place(step, name, "access");
    match &stream.address.pattern {
        Pattern::Random {
            distribution,
            coverage,
        } => {
            if *coverage && *distribution != Distribution::Uniform {
                found.add(
                    format!("workload `{name}` is to cover all blocks, and to prefer some of them"),
                    "leave the distribution out, or the coverage",
                    place(step, name, "distribution").or(access),
                );
            }
            if *coverage && stream.address.hits.is_some() {
                found.add(
                    format!("workload `{name}` is to cover all blocks once, and to hit some of them often"),
                    "leave the hits out, or the coverage",
                    place(step, name, "hits").or(access),
                );
            }
            check_distribution(step, name, distribution, found);
        }
        Pattern::PercentRandom(p) if !is_percent(*p) => {
            found.add(
                format!("workload `{name}` is {p} % random"),
                "give a percentage from 0 to 100",
                access,
            );
        }
        Pattern::PartRandom {
            percent,
            distribution,
            ..
        } => {
            if !is_percent(*percent) {
                found.add(
                    format!("workload `{name}` is {percent} % random"),
                    "give a percentage from 0 to 100",
                    access,
                );
            }
            check_distribution(step, name, distribution, found);
        }
        Pattern::Stride { min, max } if min > max => {
            found.add(
                format!("the stride of workload `{name}` goes from {min} to {max}"),
                "write the smaller gap first",
                access,
            );
        }
        Pattern::Backward { step } if *step < stream.largest() => {
            found.add(
                format!("workload `{name}` goes backwards by less than one of its I/Os"),
                "give a step of at least the largest I/O",
                access,
            );
        }
        Pattern::Zones { size, range, .. } if size.0 == 0 || *range < stream.largest() => {
            found.add(
                format!("a zone of workload `{name}` is smaller than one of its I/Os"),
                "give zones that hold at least one",
                access,
            );
        }
        Pattern::Runs { ios: 0, .. } => {
            found.add(
                format!("a run of workload `{name}` has no I/Os"),
                "give it at least 1",
                access,
            );
        }
        Pattern::Streams(0) => {
            found.add(
                format!("workload `{name}` has 0 streams"),
                "give it at least 2",
                access,
            );
        }
        _ => {}
    }
}

fn check_distribution(step: &Step, name: &str, distribution: &Distribution, found: &mut Found) {
    let positive = |x: f64| x > 0.0 && x.is_finite();
    let (fits, remedy) = match distribution {
        Distribution::Uniform | Distribution::Hotband(_) => (true, ""),
        Distribution::Zipf(s) => (positive(*s), "give an exponent above 0"),
        Distribution::Pareto(h) => (positive(*h) && *h < 1.0, "give an h between 0 and 1"),
        Distribution::Normal(d) => (positive(*d), "give a standard deviation above 0"),
        Distribution::Poisson(m) => (positive(*m), "give a midpoint above 0"),
        Distribution::Zoned(zones) => (
            zones
                .iter()
                .all(|(a, r)| is_percent(*a) && is_percent(*r) && (*r > 0.0 || *a == 0.0))
                && sums_to_100(zones.iter().map(|(a, _)| a).sum())
                && sums_to_100(zones.iter().map(|(_, r)| r).sum()),
            "let the accesses sum to 100 % and the parts of the range sum to 100 %",
        ),
    };
    if !fits {
        found.add(
            format!("the distribution of workload `{name}` is impossible"),
            remedy,
            place(step, name, "distribution"),
        );
    }
}

fn check_content(step: &Step, stream: &Stream, found: &mut Found) {
    let name = &stream.workload;
    let at = place(step, name, "content");
    let ratio = |r: f64| r >= 1.0 && r.is_finite();
    match &stream.content {
        ContentSpec::Pattern(bytes) | ContentSpec::ReduciblePattern { pattern: bytes, .. }
            if bytes.is_empty() =>
        {
            found.add(
                format!("the pattern of workload `{name}` is empty"),
                "give at least one byte",
                at,
            );
        }
        ContentSpec::File(path) if path.as_os_str().is_empty() => {
            found.add(
                format!("the content of workload `{name}` names no file"),
                "give a path",
                at,
            );
        }
        ContentSpec::PartZero { zeros, .. } if !(*zeros > 0.0 && *zeros < 100.0) => {
            found.add(
                format!("the zeros of workload `{name}` are {zeros} % of its blocks"),
                "give more than 0 and less than 100; all of them are content = \"zeros\"",
                at,
            );
        }
        ContentSpec::Reducible { compress, dedupe }
        | ContentSpec::ReduciblePattern {
            compress, dedupe, ..
        }
        | ContentSpec::PartZero {
            compress, dedupe, ..
        } => {
            let odd = dedupe
                .as_ref()
                .is_some_and(|d| !ratio(d.ratio) || d.unit.0 == 0 || d.sets == Some(0));
            if !ratio(*compress) || odd {
                found.add(
                    format!("the content of workload `{name}` cannot be made"),
                    "give ratios of at least 1, a unit above 0 and at least one set",
                    at,
                );
            }
        }
        _ => {}
    }
}
