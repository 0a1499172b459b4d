//! Streams as wds.

use super::names::Names;
use super::storage::Storage;
use super::{Missing, origin};
use crate::convert::toml::{number, size_word};
use plimsoll_diagnostic::Span;
use plimsoll_plan::{
    Distribution, HitPlacement, HotbandMode, Load, Pattern, RangeSpec, SizeSpec, Step, Stream,
    TargetId,
};

/// The wds so far.
#[derive(Default)]
pub(super) struct Workloads {
    names: Names,
    written: Vec<Written>,
}

/// A wd.
pub(super) struct Written {
    name: String,
    /// What it is called in the plan, and what it says behind its name.
    key: (String, String),
    pub line: String,
    pub spans: Vec<Span>,
}

/// A workload's stream, and its targets.
type Group<'s> = (&'s Stream, Vec<TargetId>);

impl Workloads {
    /// The wds of a step, which are made where there are none.
    pub fn of(&mut self, step: &Step, storages: &[Storage], missing: &mut Missing) -> Vec<String> {
        let groups = groups(step);
        let skews = skews(step, &groups, missing);
        let mut used = Vec::new();
        for ((stream, targets), skew) in groups.iter().zip(skews) {
            let mut explicit = explicit(step, stream, targets, storages, missing);
            if let Some(skew) = skew {
                explicit.push_str(&format!(",skew={}", number(skew)));
            }
            let key = (stream.workload.clone(), explicit);
            let known = self
                .written
                .iter()
                .find(|w| w.key == key && !used.contains(&w.name));
            if let Some(known) = known {
                used.push(known.name.clone());
                continue;
            }
            let name = self.names.free("wd", &stream.workload);
            used.push(name.clone());
            self.written.push(Written {
                line: format!("wd={name}{}", key.1),
                spans: origin::of_workload(&step.origins, &stream.workload),
                name,
                key,
            });
        }
        used
    }

    pub fn written(&self) -> &[Written] {
        &self.written
    }
}

/// Streams next to each other that differ in their targets only.
fn groups(step: &Step) -> Vec<Group<'_>> {
    let mut groups: Vec<Group<'_>> = Vec::new();
    for stream in &step.streams {
        let like = |(first, targets): &Group<'_>| {
            let moved = Stream {
                target: first.target,
                ..stream.clone()
            };
            **first == moved && !targets.contains(&stream.target)
        };
        match groups.last_mut() {
            Some(group) if like(group) => group.1.push(stream.target),
            _ => groups.push((stream, vec![stream.target])),
        }
    }
    groups
}

/// The percentages of the load that the workloads have, where they are not alike, or must be kept at a maximum.
fn skews(step: &Step, groups: &[Group<'_>], missing: &mut Missing) -> Vec<Option<f64>> {
    if step.load == Load::Max {
        uncontrolled(step, missing);
        return vec![None; groups.len()];
    }
    let of = |(stream, targets): &Group<'_>| {
        let share = stream.share * targets.len() as f64;
        stream.fixed_rate.is_none().then_some(share)
    };
    let shares: Vec<Option<f64>> = groups.iter().map(of).collect();
    let all: f64 = shares.iter().flatten().sum();
    let mut given = shares.iter().flatten();
    let first = given.next();
    let alike = given.all(|share| Some(share) == first);
    if alike && step.load != Load::MaxShared {
        return vec![None; groups.len()];
    }
    let percents = shares.iter().map(|share| share.map(|s| s / all * 100.0));
    percents.collect()
}

/// At a maximum without shares each target goes as fast as it can, and no word about a part of the load may be there.
fn uncontrolled(step: &Step, missing: &mut Missing) {
    let free = step.streams.iter().filter(|s| s.fixed_rate.is_none());
    for stream in free {
        let of_target = step.streams.iter().filter(|s| s.target == stream.target);
        let own = of_target.filter(|s| s.fixed_rate.is_none() && s.share != stream.share);
        if own.count() > 0 {
            let what = "a share of its target's slots, where other targets go as fast as they can";
            missing.of_workload(
                step,
                &stream.workload,
                "share",
                what,
                "write keep_shares = \"yes\"",
            );
        }
        if step
            .streams
            .iter()
            .any(|s| s.fixed_rate.is_some() || s.priority.is_some())
        {
            let what = "going as fast as each target can beside a workload that has a rate";
            missing.of_workload(
                step,
                &stream.workload,
                "load",
                what,
                "write load = \"max_shared\"",
            );
        }
    }
}

/// What a wd says behind its name.
fn explicit(
    step: &Step,
    stream: &Stream,
    targets: &[TargetId],
    storages: &[Storage],
    missing: &mut Missing,
) -> String {
    let mut parts = vec![one_or_list(
        "sd",
        targets
            .iter()
            .map(|id| storages[id.0 as usize].name.clone()),
    )];
    let mut no = |field: &str, what: &str, remedy: &str| {
        missing.of_workload(step, &stream.workload, field, what, remedy);
    };
    idle(stream, &mut no);
    parts.extend(size(&stream.size, &mut no));
    if stream.mix.trim > 0.0 {
        no("trim", "trims", "leave them out");
    }
    parts.push(format!("rdpct={}", number(stream.mix.read)));
    parts.extend(order(stream, &mut no));
    if let Some(hits) = stream.address.hits {
        if hits.placement != HitPlacement::Contiguous {
            no(
                "hits",
                "a hit set that is spread over the target",
                "write placement = \"contiguous\"",
            );
        }
        let of_target = |id: &TargetId| storages[id.0 as usize].hit_area == Some(hits.area);
        if !targets.iter().all(of_target) {
            no(
                "hits",
                "a hit area that differs from others' on its target",
                "write one area for all",
            );
        }
        parts.push(format!("rhpct={}", number(hits.read_percent)));
        parts.push(format!("whpct={}", number(hits.write_percent)));
    }
    if let Some(rate) = stream.fixed_rate {
        parts.push(format!("iorate={}", number(rate.0 * targets.len() as f64)));
    }
    parts.extend(stream.priority.map(|p| format!("priority={p}")));
    let alone = |id: &TargetId| step.streams.iter().filter(|s| s.target == *id).count() == 1;
    if stream.depth.is_some() && !targets.iter().all(alone) {
        no(
            "depth",
            "slots of its own on a target that others use too",
            "leave its depth out",
        );
    }
    parts.iter().map(|part| format!(",{part}")).collect()
}

/// `sd=sd1`, `sd=(sd1,sd2)`
pub(super) fn one_or_list(key: &str, names: impl Iterator<Item = String>) -> String {
    let names: Vec<String> = names.collect();
    match &names[..] {
        [one] => format!("{key}={one}"),
        several => format!("{key}=({})", several.join(",")),
    }
}

/// Parts of a workload that no parameter is for.
fn idle(stream: &Stream, no: &mut dyn FnMut(&str, &str, &str)) {
    if !stream.throttle.is_none() {
        no("think", "a closed loop that is held back", "write a rate");
    }
    if !stream.window.is_whole() {
        no(
            "start",
            "a part of the run's time in which it works",
            "write a run of its own",
        );
    }
    if !stream.quota.is_none() {
        no(
            "quota",
            "what ends it before the others",
            "write limits for the run",
        );
    }
}

fn size(size: &SizeSpec, no: &mut dyn FnMut(&str, &str, &str)) -> Option<String> {
    match size {
        SizeSpec::Fixed(bytes) => Some(format!("xfersize={}", size_word(*bytes))),
        SizeSpec::Weighted(list) => {
            let pairs: Vec<String> = list
                .iter()
                .map(|(bytes, percent)| format!("{},{}", size_word(*bytes), number(*percent)))
                .collect();
            Some(format!("xfersize=({})", pairs.join(",")))
        }
        SizeSpec::Range { min, max, align } => {
            if !align.0.is_multiple_of(512) {
                no(
                    "block",
                    "sizes of parts of a sector",
                    "make the step a multiple of 512",
                );
            }
            Some(format!("xfersize=({},{},{})", min.0, max.0, align.0))
        }
        SizeSpec::ByOperation(_) => {
            no(
                "read_block",
                "reads and writes of different sizes",
                "write a workload for each",
            );
            None
        }
    }
}

fn order(stream: &Stream, no: &mut dyn FnMut(&str, &str, &str)) -> Vec<String> {
    let mut parts = Vec::new();
    let mut range_word = "range";
    let seek = match &stream.address.pattern {
        Pattern::Random { coverage: true, .. } => {
            no(
                "access",
                "each block once before any is repeated",
                "write access = \"random\"",
            );
            None
        }
        Pattern::Random { distribution, .. } => match distribution {
            Distribution::Uniform => Some("100".to_string()),
            Distribution::Poisson(midpoint) => Some(format!("(poisson,{})", number(*midpoint))),
            Distribution::Hotband(HotbandMode::Observed) => {
                range_word = "hotband";
                Some("100".to_string())
            }
            _ => {
                no(
                    "distribution",
                    "this distribution",
                    "write \"uniform\", or hits in one piece",
                );
                None
            }
        },
        Pattern::Sequential {
            once: false,
            random_start,
            ..
        } => Some(if *random_start { "seqnz" } else { "0" }.to_string()),
        Pattern::Sequential {
            random_start: false,
            whole: true,
            ..
        } => Some("eof".to_string()),
        Pattern::PercentRandom(percent) if *percent > 0.0 && *percent < 100.0 => {
            Some(number(*percent))
        }
        Pattern::Sequential { .. }
        | Pattern::PercentRandom(_)
        | Pattern::PartRandom { .. }
        | Pattern::Backward { .. }
        | Pattern::Zones { .. }
        | Pattern::Runs { .. } => {
            no(
                "access",
                "this order of addresses",
                "write \"random\", \"sequential\", or a percentage of random addresses",
            );
            None
        }
        Pattern::Stride { min, max } => {
            parts.push(format!("stride=({},{})", min.0, max.0));
            None
        }
        Pattern::Streams(n) if *n >= 2 => {
            parts.push(format!("streams={n}"));
            Some("0".to_string())
        }
        Pattern::Streams(_) => Some("0".to_string()),
    };
    parts.extend(seek.map(|seek| format!("seekpct={seek}")));
    let range = match stream.address.range {
        RangeSpec::Whole if range_word == "hotband" => Some("(0,100)".to_string()),
        RangeSpec::Whole => None,
        RangeSpec::Percent(from, to) => Some(format!("({},{})", number(from), number(to))),
        // Up to 200 Vdbench takes them for percentages.
        RangeSpec::Bytes(from, to) if to.0 > 200 => Some(format!("({},{})", from.0, to.0)),
        RangeSpec::Bytes(..) | RangeSpec::Clipped { .. } => {
            no(
                "range",
                "a part that ends with the target",
                "write both ends",
            );
            None
        }
    };
    parts.extend(range.map(|range| format!("{range_word}={range}")));
    parts
}
