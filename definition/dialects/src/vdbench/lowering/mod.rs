//! From runs to the plan.
//!
//! Parameters that cannot be carried out yet are refused by name, with their place.

mod asked;
mod content;
mod file_format;
mod files;
mod format;
mod hosts;
mod step;
mod stream;
mod support;
mod target;

use super::codes;
use super::model::RateRequest;
use super::run::{Run, RunRate, Work};
use super::{Parsed, simulation};
pub use asked::asked;
pub(super) use files::operations as file_operations;
use plimsoll_diagnostic::Diagnostic;
use plimsoll_plan::validate::validate;
use plimsoll_plan::{CurveSpec, Item, Load, Nanos, Plan};
pub use step::{requested_shares, run_name};
use target::Targets;

/// A plan, and what of its text has no effect.
#[derive(Debug, Clone, PartialEq)]
pub struct Lowered {
    /// What is to be measured.
    pub plan: Plan,
    /// What was given and has no effect, or not the one that Vdbench gives it.
    pub warnings: Vec<Diagnostic>,
}

/// More steps than this are no test that anybody waits for.
const MAX_STEPS: usize = 20_000;
/// More than any host has.
const MAX_STORAGES: usize = 10_000;
/// Streams of all steps together.
const MAX_STREAMS: usize = plimsoll_plan::bounds::STREAMS_MAX;

pub(super) fn lower(parsed: &Parsed) -> Result<Lowered, Vec<Diagnostic>> {
    let definition = &parsed.definition;
    let (mut errors, warnings) = support::judge(parsed);
    errors.extend(too_many(parsed));
    if !errors.is_empty() {
        return Err(errors);
    }
    let mut targets = Targets::of(hosts::Fleet::of(parsed));
    let mut items = Vec::new();
    for run in &parsed.runs {
        match item(parsed, run, &mut targets) {
            Ok(Some(item)) => items.push(item),
            Ok(None) => {}
            Err(mut found) => errors.append(&mut found),
        }
        if errors.len() > 20 {
            break;
        }
    }
    if definition.general.format_storage {
        match format::step(definition, &targets, &items) {
            Ok(step) => items.insert(0, Item::Step(step)),
            Err(error) => errors.push(*error),
        }
    }
    if !errors.is_empty() {
        dedup(&mut errors);
        return Err(errors);
    }
    let (targets, hosts) = targets.into_parts();
    let plan = Plan {
        dialect: "vdbench".to_string(),
        tag: None,
        note: None,
        claim: None,
        title: None,
        targets,
        hosts,
        items,
        max_errors: definition.general.data_errors,
        seed: None,
        start_commands: definition.general.start_commands.clone(),
        end_commands: definition.general.end_commands.clone(),
    };
    let problems = validate(&plan).into_iter();
    let problems: Vec<Diagnostic> = problems.map(|p| p.complaint(codes::INVALID)).collect();
    match problems.is_empty() {
        true => Ok(Lowered { plan, warnings }),
        false => Err(problems),
    }
}

/// A plan that would not fit into memory, or into a life.
fn too_many(parsed: &Parsed) -> Option<Diagnostic> {
    let steps = parsed.runs.len();
    let storages = parsed.definition.storages.len();
    let mut streams = 0;
    for run in parsed.runs.iter().take(MAX_STEPS) {
        if let Work::Raw(assignments) = &run.work {
            streams += assignments.iter().map(|a| a.storages.len()).sum::<usize>();
        }
        if streams > MAX_STREAMS {
            break;
        }
    }
    let many = steps > MAX_STEPS || streams > MAX_STREAMS || storages > MAX_STORAGES;
    many.then(|| {
        Diagnostic::error(
            codes::TOO_LARGE,
            format!("{steps} runs with {storages} sds and at least {streams} streams are too many"),
        )
        .note(format!(
            "{MAX_STEPS} runs, {MAX_STORAGES} sds and {MAX_STREAMS} streams of all runs together are the limit"
        ))
        .help("loop over fewer values, or split the file")
    })
}

/// The same complaint comes from every run of a loop.
fn dedup(errors: &mut Vec<Diagnostic>) {
    let mut kept: Vec<Diagnostic> = Vec::new();
    for error in errors.drain(..) {
        if !kept.contains(&error) {
            kept.push(error);
        }
    }
    *errors = kept;
}

/// One run's item; a curve's points are part of their curve.
fn item(
    parsed: &Parsed,
    run: &Run,
    targets: &mut Targets,
) -> Result<Option<Item>, Vec<Diagnostic>> {
    let definition = &parsed.definition;
    if let Work::Format(workloads) = &run.work {
        let step = file_format::format(definition, run, workloads, targets)?;
        return Ok(Some(Item::Step(step)));
    }
    let from = &definition.runs[run.definition];
    let arrival = step::arrival(from);
    let shared = match simulation::controlled(definition, run) {
        true => Load::MaxShared,
        false => Load::Max,
    };
    let load = match &run.rate {
        RunRate::CurvePoint(_) | RunRate::Format => return Ok(None),
        RunRate::Max | RunRate::CurveMax => shared,
        rate if rate.is_max() => shared,
        RunRate::Fixed(rate) | RunRate::Listed { rate, .. } => {
            Load::rate(plimsoll_plan::Rate(*rate), arrival)
        }
        RunRate::PercentOfLast { percent, .. } => Load::percent(*percent, arrival),
        RunRate::Schedule => match from.rate.as_ref().or(from.file_rate.as_ref()) {
            Some(RateRequest::Schedule(segments)) => step::schedule(segments, arrival),
            _ => return Ok(None),
        },
    };
    if let Some(error) = streams_with_a_rate(parsed, run) {
        return Err(vec![error]);
    }
    let base = step::step(definition, run, load, targets)?;
    if run.rate != RunRate::CurveMax {
        return Ok(Some(Item::Step(base)));
    }
    Ok(Some(Item::Curve(CurveSpec {
        base,
        percents: from.curve.clone(),
        arrival,
        // stopcurve= is in milliseconds.
        stop_service: from.stop_curve.map(|ms| Nanos((ms * 1e6) as u64)),
        slos: Vec::new(),
        // threads= are what the file says, or Vdbench's own number.
        search: None,
    })))
}

/// Streams go as fast as they go: Vdbench reads and simulates a run that asks for a rate, and refuses to start it.
fn streams_with_a_rate(parsed: &Parsed, run: &Run) -> Option<Diagnostic> {
    let Work::Raw(assignments) = &run.work else {
        return None;
    };
    let workload = assignments
        .iter()
        .filter_map(|a| simulation::workload(&parsed.definition, a.workload))
        .find(|w| w.streams.is_some())?;
    let from = &parsed.definition.runs[run.definition];
    (!run.rate.is_max()).then(|| {
        Diagnostic::error(
            codes::CONFLICT,
            format!("rd={} asks for a rate from streams", from.name),
        )
        .at(
            from.origins.of("iorate").unwrap_or(from.span),
            "only iorate=max goes with streams=",
        )
        .at(
            workload.origins.of("streams").unwrap_or(workload.span),
            "streams here",
        )
    })
}
