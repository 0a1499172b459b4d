//! Operations and the order of addresses.

use super::{Missing, Opt};
use crate::fio::one_pass;
use plimsoll_plan::{Distribution, Location, Mix, Pattern, RangeSpec, SizeSpec, Stream, Target};

/// What `rw=` says, and what belongs to it.
pub(super) fn options(
    target: &Target,
    stream: &Stream,
    options: &mut Vec<Opt>,
    missing: &mut Missing<'_>,
) {
    let name = &stream.workload;
    if stream.address.hits.is_some() {
        missing.add(
            name,
            "hits",
            "a hit set",
            "leave it out, or write zones: distribution = { zoned = … }",
        );
    }
    let is_random = matches!(
        stream.address.pattern,
        Pattern::Random { .. }
            | Pattern::PercentRandom(_)
            | Pattern::PartRandom { .. }
            | Pattern::Runs { .. }
            | Pattern::Zones { random: true, .. }
    );
    operations(stream, is_random, options, missing);
    one_order(stream, missing);
    match &stream.address.pattern {
        Pattern::Random {
            distribution: of,
            coverage,
        } => {
            if !coverage && *of == Distribution::Uniform {
                options.push(("norandommap", "1".to_string()));
            }
            distribution(stream, of, options, missing);
        }
        order @ Pattern::Sequential { .. } => {
            // Of a target whose size is said a part is bytes.
            let range = match target.size.or(target.location.stated_size()) {
                Some(_) => RangeSpec::Whole,
                None => stream.address.range,
            };
            let one_pass = one_pass(&range, &stream.size, &stream.mix);
            if *order != Pattern::IN_ORDER && *order != one_pass {
                let what = "a sequence that starts anywhere, or one pass that fio ends otherwise: of parts in percent by whole I/Os, \
                            else by shorter ones";
                missing.add(name, "access", what, "write access = \"sequential\"");
            }
        }
        // Of one operation, that is what `rw=` says alone.
        Pattern::SequentialEach => {}
        Pattern::PercentRandom(percent) if percent.fract() == 0.0 => {
            options.push(("percentage_random", format!("{percent}")));
            options.push(("norandommap", "1".to_string()));
        }
        Pattern::PercentRandom(percent) => {
            let what = format!("{percent} % random, which is not whole");
            missing.add(name, "access", what, "write a whole percentage");
        }
        Pattern::PartRandom { .. } => missing.add(
            name,
            "access",
            "an order that is partly sequential and has a distribution, or runs of one operation",
            "keep one of percent_random and distribution",
        ),
        Pattern::Stride { min, max } => match &stream.size {
            SizeSpec::Fixed(block) if min == max => {
                options.push(("zonemode", "strided".to_string()));
                options.push(("zonesize", block.0.to_string()));
                options.push(("zoneskip", min.0.to_string()));
            }
            _ => missing.add(
                name,
                "access",
                "a stride that varies, or one of I/Os of several sizes",
                "write one gap and one size",
            ),
        },
        Pattern::Backward { .. } | Pattern::Zones { .. } | Pattern::Runs { .. } => {
            leaps(&stream.address.pattern, options);
        }
        Pattern::Streams(n) => match &target.location {
            Location::Concat(paths) if paths.len() == *n as usize => {}
            _ => missing.add(
                name,
                "access",
                "sequential streams side by side in one file",
                "write a workload for each, with a range",
            ),
        },
    }
}

/// Reads and writes in one order are not said: fio's go through a file each by itself.
fn one_order(stream: &Stream, missing: &mut Missing<'_>) {
    let is_mixed = stream.mix.percents().iter().filter(|p| **p > 0.0).count() > 1;
    let pattern = &stream.address.pattern;
    if is_mixed && pattern.is_shared() {
        let remedy = match *pattern == Pattern::IN_ORDER {
            true => "write access = { sequential = \"each\" }, or a workload for each",
            false => "write a workload for each",
        };
        missing.add(
            &stream.workload,
            "access",
            "reads and writes that follow each other in one order of addresses; fio's go through the file each by itself",
            remedy,
        );
    }
}

/// What belongs to an order that leaps, and is not said behind `rw=`.
fn leaps(pattern: &Pattern, options: &mut Vec<Opt>) {
    match pattern {
        Pattern::Zones {
            size, range, skip, ..
        } => {
            options.push(("zonemode", "strided".to_string()));
            options.push(("zonesize", size.0.to_string()));
            options.push(("zonerange", range.0.to_string()));
            options.push(("zoneskip", skip.0.to_string()));
        }
        Pattern::Runs { repeat: true, .. } => {
            options.push(("rw_sequencer", "identical".to_string()));
        }
        _ => {}
    }
}

fn operations(stream: &Stream, random: bool, options: &mut Vec<Opt>, missing: &mut Missing<'_>) {
    let rand = if random { "rand" } else { "" };
    let word = match stream.mix {
        Mix { read: 100.0, .. } => "read",
        Mix { write: 100.0, .. } => "write",
        Mix { trim: 100.0, .. } => "trim",
        Mix { trim, .. } if trim > 0.0 => {
            let what = "trims among other operations";
            missing.add(
                &stream.workload,
                "trim",
                what,
                "write a workload for the trims",
            );
            "trim"
        }
        _ => "rw",
    };
    let behind = match stream.address.pattern {
        Pattern::Backward { step } => format!(":-{}", step.0),
        Pattern::Runs { ios, .. } => format!(":{ios}"),
        _ => String::new(),
    };
    options.push(("rw", format!("{rand}{word}{behind}")));
    if word == "rw" {
        let read = stream.mix.read;
        options.push(("rwmixread", format!("{}", read.round())));
        if read.fract() != 0.0 {
            let what = format!("{read} % of reads, which is not whole");
            missing.add(&stream.workload, "read", what, "write a whole percentage");
        }
    }
}

fn distribution(
    stream: &Stream,
    of: &Distribution,
    options: &mut Vec<Opt>,
    missing: &mut Missing<'_>,
) {
    let word = match of {
        Distribution::Uniform => return,
        Distribution::Zipf(theta) => format!("zipf:{theta}"),
        Distribution::Pareto(h) => format!("pareto:{h}"),
        Distribution::Normal(deviation) => format!("normal:{deviation}"),
        Distribution::Zoned(zones) => {
            let zones: Vec<String> = zones
                .iter()
                .map(|(io, part)| format!("{io}/{part}"))
                .collect();
            if zones.iter().any(|z| z.contains('.')) {
                let what = "zones whose percentages are not whole";
                missing.add(
                    &stream.workload,
                    "distribution",
                    what,
                    "write whole percentages",
                );
            }
            format!("zoned:{}", zones.join(":"))
        }
        Distribution::Hotband(_) | Distribution::Poisson(_) => {
            let what = "a distribution of Vdbench's";
            let remedy = "write zones: distribution = { zoned = \"60:10 40:90\" }";
            return missing.add(&stream.workload, "distribution", what, remedy);
        }
    };
    options.push(("random_distribution", word));
}
