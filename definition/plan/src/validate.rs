//! Whether a plan makes sense, before anything is opened.
//!
//! A dialect turns each [`Problem`] into a complaint at the place where the field was written. [`validate`] needs
//! nothing but the plan; [`check_against`] needs the sizes and sectors of the real targets, and judges by the same rules.

mod actions;
mod ends;
mod geometry;
mod hosts;
mod load;
mod method;
mod own;
mod replay;
mod shared_tree;
mod stream;
mod target;
mod throttle;
mod tree;
mod verify;

use crate::bounds::SLOTS_MAX;
use crate::{
    Bytes, Caching, Item, Origins, Plan, Question, SizeSpec, Step, Stream, Target, TargetId,
};
use geometry::Geometry;
use plimsoll_diagnostic::{Diagnostic, Span};
use std::collections::HashSet;

/// One thing that is wrong with a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub remedy: String,
    /// Where it was written, if the dialect said so.
    pub span: Option<Span>,
}

impl Problem {
    /// Complaint of a dialect, under one of its codes.
    pub fn complaint(self, code: &str) -> Diagnostic {
        let complaint = Diagnostic::error(code, self.message).help(self.remedy);
        complaint.at_known(self.span)
    }
}

/// What is known of a real target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TargetFacts {
    /// Its bytes when the step starts: of a device, or of the file as it will be after it was created or filled.
    pub size: Bytes,
    /// The smallest unit that direct I/O can address.
    pub logical_block: Bytes,
}

/// The smallest sector that any device has, bytes.
const SECTOR: u64 = 512;

/// More steps with problems than this say nothing new.
const PROBLEMS_MAX: usize = 50;

/// Problems of `plan`, as far as they can be known without its targets. Each is named once, even
/// where loops repeat it.
pub fn validate(plan: &Plan) -> Vec<Problem> {
    let mut found = Found::default();
    if plan.items.is_empty() {
        found.add("there is nothing to run", "define at least one run", None);
    }
    target::check_all(plan, &mut found);
    tree::check_all(plan, &mut found);
    shared_tree::check_all(plan, &mut found);
    hosts::check_all(plan, &mut found);
    ends::check_plan(plan, &mut found);
    for item in &plan.items {
        if let Item::Curve(curve) = item {
            load::check_curve(curve, &mut found);
            ends::check_curve(curve, &mut found);
        }
        throttle::check_item(item, &mut found);
        actions::check_item(item, &mut found);
        if let Item::Method(asked) = item {
            method::check(plan, asked, &mut found);
        }
        if let Item::Method(method) = item
            && let Question::Adaptive(adaptive) = &method.question
        {
            load::check_adaptive(method, adaptive, &mut found);
            ends::check_slos(&adaptive.slos, &method.steps, &mut found);
        }
        for step in item.steps() {
            check_step(plan, step, &mut found);
            hosts::check_step(plan, step, &mut found);
        }
        verify::check_item(plan, item, &mut found);
        replay::check_item(plan, item, &mut found);
        if found.problems.len() >= PROBLEMS_MAX {
            break;
        }
    }
    found.problems
}

/// What of `plan` doesn't fit its real targets; `facts` are in the order of [`Plan::targets`].
pub fn check_against(plan: &Plan, facts: &[TargetFacts]) -> Vec<Problem> {
    let mut found = Found::default();
    let used: HashSet<TargetId> = plan
        .steps()
        .flat_map(|step| step.streams.iter().map(|s| s.target))
        .collect();
    for (index, (target, fact)) in plan.targets.iter().zip(facts).enumerate() {
        // What nothing uses is not opened: a path that is down.
        if !used.contains(&TargetId(index as u32)) {
            continue;
        }
        target::check_sector(target, fact.logical_block.0, &mut found);
        target::check_size(target, fact.size, &mut found);
    }
    for step in plan.steps() {
        for stream in &step.streams {
            let index = stream.target.0 as usize;
            let (Some(target), Some(fact)) = (plan.targets.get(index), facts.get(index)) else {
                continue;
            };
            let extent = target
                .size
                .unwrap_or(Bytes(fact.size.0.saturating_sub(target.offset.0)));
            let sector = sector(target, fact.logical_block.0);
            let geometry = Geometry {
                target,
                extent: Some(extent.min(fact.size)),
                sector,
            };
            if target.location.tree().is_none() {
                geometry::check(step, stream, &geometry, &mut found);
            }
        }
    }
    found.problems
}

fn check_step(plan: &Plan, step: &Step, found: &mut Found) {
    let name = &step.name;
    if step.streams.is_empty() {
        found.add(
            format!("run `{name}` does nothing"),
            "give it a workload with a target",
            written_at(&step.origins, "workloads"),
        );
    }
    load::check_times(step, found);
    load::check_load(step, found);
    ends::check_step(step, found);
    ends::check_load(step, found);
    load::check_limits(step, found);
    actions::check_step(plan, step, found);
    check_depths(plan, step, found);
    for stream in &step.streams {
        let Some(target) = plan.targets.get(stream.target.0 as usize) else {
            found.add(
                format!(
                    "workload `{}` runs on target number {}, which is not there",
                    stream.workload, stream.target.0
                ),
                "define the target",
                place(step, &stream.workload, "targets"),
            );
            continue;
        };
        stream::check(step, stream, found);
        throttle::check(step, stream, found);
        own::check(step, stream, found);
        ends::check_stream(step, stream, found);
        tree::check_stream(step, stream, target, found);
        tree::check_other(plan, step, stream, found);
        shared_tree::check_stream(plan, step, stream, found);
        let geometry = Geometry {
            target,
            extent: extent(target),
            sector: sector(target, least_sector(target)),
        };
        match target.location.tree() {
            Some(_) => geometry::check_multiples(step, stream, &geometry, found),
            None => geometry::check(step, stream, &geometry, found),
        }
    }
    tree::check_step(plan, step, found);
}

fn check_depths(plan: &Plan, step: &Step, found: &mut Found) {
    let at = written_at(&step.origins, "depth");
    let name = |id: TargetId| {
        plan.targets
            .get(id.0 as usize)
            .map_or("?", |t| t.name.as_str())
    };
    for (i, depth) in step.depths.iter().enumerate() {
        let target = name(depth.target);
        if depth.slots == 0 && step.is_shared(depth.target) {
            found.add(
                format!("target `{target}` has a depth of 0 in run `{}`", step.run),
                "give it a depth of at least 1",
                at,
            );
        }
        if step.depth_of(depth.target) > u64::from(SLOTS_MAX) {
            found.add(
                format!(
                    "target `{target}` has a depth of {}",
                    step.depth_of(depth.target)
                ),
                format!("make it {SLOTS_MAX} or less"),
                at,
            );
        }
        if depth.slots > 0 && !step.is_shared(depth.target) && !step.streams.is_empty() {
            found.add(
                format!(
                    "run `{}` gives target `{target}` a depth of {} that no workload shares: each has its own",
                    step.run, depth.slots
                ),
                "leave the depth of the run out, or that of a workload",
                at,
            );
        }
        if step.depths[..i].iter().any(|d| d.target == depth.target) {
            found.add(
                format!("target `{target}` has two depths in run `{}`", step.run),
                "keep one",
                at,
            );
        }
    }
    for stream in &step.streams {
        if !step.depths.iter().any(|d| d.target == stream.target) {
            found.add(
                format!(
                    "target `{}` has no depth in run `{}`",
                    name(stream.target),
                    step.run
                ),
                "give it a depth of at least 1",
                at,
            );
        }
    }
    let slots = step.total_depth();
    let at = written_at(&step.origins, "workers");
    match step.workers.count {
        Some(0) => found.add(
            "no worker would submit any I/O",
            "give at least 1 worker",
            at,
        ),
        Some(n) if slots > 0 && u64::from(n) > slots => found.add(
            format!("{n} workers would share {slots} I/Os in flight, so that some would have none"),
            format!("give at most {slots} workers, or a larger depth"),
            at,
        ),
        _ => {}
    }
    if step.workers.pin.as_ref().is_some_and(Vec::is_empty) {
        found.add(
            "the list of CPUs is empty",
            "name CPUs, or leave the pinning out",
            written_at(&step.origins, "pin"),
        );
    }
}

/// The size that a target has whatever is found there.
fn extent(target: &Target) -> Option<Bytes> {
    let stated = target.location.stated_size();
    target
        .size
        .or(stated.map(|size| Bytes(size.0.saturating_sub(target.offset.0))))
}

/// What sizes and addresses must be multiples of: of a sector round the page cache, of nothing through it. The lab and
/// NBD have no page cache.
fn sector(target: &Target, sector: u64) -> u64 {
    let location = &target.location;
    let is_direct = target.openings().any(|o| o.caching == Caching::Direct);
    let through_cache = location.has_page_cache() && !is_direct;
    match location.is_storage() && !through_cache {
        true => sector.max(1),
        false => 1,
    }
}

/// The smallest sector that a target may turn out to have, bytes; an NBD export may take any byte.
fn least_sector(target: &Target) -> u64 {
    match target.location.volume() {
        Some(_) => 1,
        None => SECTOR,
    }
}

/// What Vdbench calls the fields that the rules name.
const VDBENCH_NAMES: [(&str, &[&str]); 14] = [
    ("access", &["seekpct", "forseekpct", "stride", "streams"]),
    ("block", &["xfersize", "forxfersize"]),
    (
        "content",
        &[
            "compratio",
            "compression",
            "forcompratio",
            "forcompression",
            "dedupratio",
            "pattern",
        ],
    ),
    ("depth", &["threads", "forthreads"]),
    ("distribution", &["hotband", "seekpct", "forseekpct"]),
    ("for", &["elapsed"]),
    (
        "hits",
        &[
            "hitarea",
            "forhitarea",
            "rhpct",
            "forrhpct",
            "whpct",
            "forwhpct",
        ],
    ),
    ("limits", &["maxdata", "maxdataread", "maxdatawritten"]),
    ("load", &["iorate"]),
    ("percents", &["curve"]),
    ("rate", &["iorate"]),
    (
        "read",
        &["rdpct", "forrdpct", "readpct", "wrpct", "writepct"],
    ),
    ("share", &["skew"]),
    ("stop_service", &["stopcurve"]),
];

/// The place of a field, whatever its dialect calls it.
fn written_at(origins: &Origins, field: &str) -> Option<Span> {
    names(field).find_map(|name| origins.of(name))
}

/// What a field is called in either dialect.
fn names(field: &str) -> impl Iterator<Item = &str> {
    let others = VDBENCH_NAMES
        .iter()
        .find(|(name, _)| *name == field)
        .map_or(&[][..], |(_, others)| *others);
    std::iter::once(field).chain(others.iter().copied())
}

/// The place of a workload's field: of the loop or the run that replaces it, else of the workload's own.
fn place(step: &Step, workload: &str, field: &str) -> Option<Span> {
    let own = |name| step.origins.of(&format!("{workload}.{name}"));
    written_at(&step.origins, field).or_else(|| names(field).find_map(own))
}

/// Where a field of a step, or of one of its workloads, was written, whatever its dialect calls it.
pub fn written(step: &Step, workload: &str, field: &str) -> Option<Span> {
    place(step, workload, field)
}

/// Where a field of a step, or of any of its workloads, was written, whatever its dialect calls it.
pub fn written_of_any(step: &Step, field: &str) -> Option<Span> {
    // Most fields are written of none of thousands of workloads.
    let is_written = names(field).any(|name| step.origins.has(name));
    let mut workloads = step.streams.iter().filter(|_| is_written);
    workloads.find_map(|stream| place(step, &stream.workload, field))
}

/// Where a field of a target was written, whatever its dialect calls it.
pub fn written_of(target: &Target, field: &str) -> Option<Span> {
    written_at(&target.origins, field)
}

/// The place of a workload's sizes: where it has some by operation, of the first of those.
fn block_place(step: &Step, stream: &Stream) -> Option<Span> {
    let at = |field| place(step, &stream.workload, field);
    if stream.replayed().is_some() {
        return at("replay");
    }
    let own = match stream.size {
        SizeSpec::ByOperation(_) => ["read_block", "write_block", "trim_block"]
            .into_iter()
            .find_map(at),
        _ => None,
    };
    own.or_else(|| at("block"))
}

/// Problems so far, each once.
#[derive(Debug, Default)]
struct Found {
    problems: Vec<Problem>,
}

impl Found {
    fn add(&mut self, message: impl Into<String>, remedy: impl Into<String>, span: Option<Span>) {
        let problem = Problem {
            message: message.into(),
            remedy: remedy.into(),
            span,
        };
        if !self.problems.contains(&problem) {
            self.problems.push(problem);
        }
    }
}

#[cfg(test)]
pub(crate) mod tests;
