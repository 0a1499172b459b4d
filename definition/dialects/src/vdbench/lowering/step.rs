//! One run as a step.

use super::files;
use super::stream;
use super::target::{self, Targets};
use crate::vdbench::codes;
use crate::vdbench::definition::Definition;
use crate::vdbench::model::{DataLimit, Distribution, LoopKey, RunDefinition, Storage, Workload};
use crate::vdbench::run::{Assignment, Run, RunRate, Work};
use crate::vdbench::simulation;
use plimsoll_diagnostic::Diagnostic;
use plimsoll_plan::{
    Arrival, Bytes, Depth, Limits, Load, LoopValue, Nanos, Origins, Rate, RateSegment, Step,
    Stream, TargetId, loop_suffix,
};
use std::collections::BTreeMap;

/// The gaps of a run.
pub(super) fn arrival(from: &RunDefinition) -> Arrival {
    match from.distribution {
        Distribution::Gaps(arrival) => arrival,
        Distribution::Variable | Distribution::Spike => Arrival::Exponential,
    }
}

/// `iorate=(rate,seconds,...)`
pub(super) fn schedule(segments: &[(f64, f64)], arrival: Arrival) -> Load {
    Load::schedule(
        segments
            .iter()
            .map(|(rate, length)| RateSegment::new(Rate(*rate), seconds(*length)))
            .collect(),
        arrival,
    )
}

pub(super) fn seconds(value: f64) -> Nanos {
    Nanos((value * 1e9) as u64)
}

pub(super) fn step(
    definition: &Definition,
    run: &Run,
    load: Load,
    targets: &mut Targets,
) -> Result<Step, Vec<Diagnostic>> {
    let from = &definition.runs[run.definition];
    let mut errors = Vec::new();
    let (streams, depths) = match &run.work {
        Work::Raw(assignments) => streams(definition, run, assignments, targets, &mut errors),
        Work::Files(workloads) | Work::Format(workloads) => {
            files::streams(definition, run, workloads, targets, &mut errors)
        }
    };
    // One stream has no others to keep shares with.
    let load = match (load, &streams[..]) {
        (Load::MaxShared, [_]) if !matches!(run.work, Work::Raw(_)) => Load::Max,
        (load, _) => load,
    };
    let limits = match limits(definition, run) {
        Ok(limits) => limits,
        Err(error) => {
            errors.push(*error);
            Limits::default()
        }
    };
    if !errors.is_empty() {
        return Err(errors);
    }
    let loops = loops(run);
    let name = format!("{}{}", run.name, loop_suffix(&loops));
    Ok(Step {
        run: from.name.clone(),
        loops,
        warmup: seconds(from.warmup),
        interval: seconds(from.interval),
        pause: seconds(from.pause),
        limits,
        start_commands: from.start_commands.clone(),
        end_commands: from.end_commands.clone(),
        origins: origins(definition, from, &run.work),
        ..Step::new(name, streams, depths, load, seconds(from.elapsed))
    })
}

fn loops(run: &Run) -> Vec<LoopValue> {
    let mut out: Vec<LoopValue> = run
        .loops
        .iter()
        .map(|(key, value)| LoopValue::new(key.label().to_string(), value.exact(*key)))
        .collect();
    let rate = match run.rate {
        RunRate::Listed { .. } if run.rate.is_max() => Some("max".to_string()),
        RunRate::Listed { rate, .. } => Some(rate.to_string()),
        RunRate::PercentOfLast {
            percent,
            listed: true,
            ..
        } => Some(format!("{percent}%")),
        _ => None,
    };
    out.extend(rate.map(|value| LoopValue::new("iorate", value)));
    out
}

/// The name that Vdbench gives a step of its plan. There all sisters of a loop are called `rd1`, and a curve's points
/// `rd1_(10%)`; their loop values are printed beside the name.
pub fn run_name(step: &Step) -> String {
    step.name.replacen(&loop_suffix(&step.loops), "", 1)
}

/// The percentage of a step's I/Os that each of its streams is asked to make; `None` where nobody can say: at an
/// uncontrolled maximum, and beside fixed rates where the rest has no rate.
pub fn requested_shares(step: &Step) -> Vec<Option<f64>> {
    let fixed: f64 = step
        .streams
        .iter()
        .filter_map(|s| s.fixed_rate)
        .map(|r| r.0)
        .sum();
    let shares = step.shares();
    let rest = match step.load {
        Load::Max => None,
        Load::Rate { rate, .. } => Some(if shares > 0.0 { rate.0 } else { 0.0 }),
        // Any rate would do: only its parts count.
        _ => (fixed == 0.0).then_some(1.0),
    };
    let part = |stream: &Stream| {
        let rest = rest?;
        let own = match stream.fixed_rate {
            Some(rate) => rate.0,
            None => rest * stream.share / shares,
        };
        Some(100.0 * own / (rest + fixed))
    };
    step.streams.iter().map(part).collect()
}

/// The run's own places, and those of its workloads as `workload.field`.
fn origins(definition: &Definition, from: &RunDefinition, work: &Work) -> Origins {
    let mut origins = from.origins.clone();
    let mut note = |name: &str, own: &Origins| {
        for (field, span) in own.iter() {
            origins.note(format!("{name}.{field}"), *span);
        }
    };
    // Past a handful nobody looks for the place of a workload's field here.
    match work {
        Work::Raw(assignments) => {
            let used = assignments.iter().take(64);
            used.filter_map(|a| simulation::workload(definition, a.workload))
                .for_each(|w| note(&w.name, &w.origins));
        }
        Work::Files(workloads) | Work::Format(workloads) => {
            let used = workloads.iter().take(64);
            used.map(|at| definition.file_workload(*at))
                .for_each(|w| note(&w.name, &w.origins));
        }
    }
    origins
}

/// A stream for each workload on each storage, or on all its storage joined; slots for each target.
fn streams(
    definition: &Definition,
    run: &Run,
    assignments: &[Assignment],
    targets: &mut Targets,
    errors: &mut Vec<Diagnostic>,
) -> (Vec<Stream>, Vec<Depth>) {
    let shares = shares(definition, assignments);
    let mut streams = Vec::new();
    // Workloads on one storage share its slots.
    let mut depths: BTreeMap<TargetId, u32> = BTreeMap::new();
    for (assignment, share) in assignments.iter().zip(shares) {
        let Some(workload) = simulation::workload(definition, assignment.workload) else {
            continue;
        };
        let parts: Vec<&[usize]> = match definition.general.concatenate {
            true => vec![&assignment.storages[..]],
            false => assignment.storages.chunks(1).collect(),
        };
        let share = share / parts.len() as f64;
        for part in &parts {
            let target = match target::of(definition, run, workload, part, targets) {
                Ok(id) => id,
                Err(error) => {
                    errors.push(*error);
                    continue;
                }
            };
            let storage = &definition.storages[part[0]];
            let slots = slots(definition, run, workload, storage);
            let depth = depths.entry(target).or_insert(slots);
            *depth = slots.max(*depth);
            match stream::stream(definition, run, workload, part, target, share, parts.len()) {
                Ok(stream) => {
                    let (pattern, having) = (&stream.address.pattern, targets.hosts(target));
                    let fleet = &targets.fleet;
                    match fleet.that_run(workload, pattern, having, storage.span) {
                        Ok(hosts) => streams.push(Stream { hosts, ..stream }),
                        Err(error) => errors.push(*error),
                    }
                }
                Err(error) => errors.push(*error),
            }
        }
    }
    let depths = depths
        .into_iter()
        .map(|(target, slots)| Depth { target, slots })
        .collect();
    (streams, depths)
}

/// I/Os in flight of a workload on a storage, on one host.
pub(super) fn slots(
    definition: &Definition,
    run: &Run,
    workload: &Workload,
    storage: &Storage,
) -> u32 {
    let threads = stream::loop_value(run, LoopKey::Threads).map(|v| (v as u32).max(1));
    threads.unwrap_or(match definition.general.concatenate {
        true => workload.threads.unwrap_or(storage.threads),
        false => storage.threads,
    })
}

/// Each workload's percentage of the run's rate: its skew, or an equal part of what the skews leave. Workloads with a
/// rate of their own take no part; the plan wants a share above 0 all the same.
fn shares(definition: &Definition, assignments: &[Assignment]) -> Vec<f64> {
    let workloads: Vec<Option<&Workload>> = assignments
        .iter()
        .map(|a| simulation::workload(definition, a.workload))
        .collect();
    let taking = |w: &Option<&Workload>| w.is_some_and(|w| w.rate.is_none());
    let given: f64 = workloads
        .iter()
        .filter(|w| taking(w))
        .flatten()
        .filter_map(|w| w.skew)
        .sum();
    let open = workloads
        .iter()
        .filter(|w| taking(w))
        .flatten()
        .filter(|w| w.skew.is_none())
        .count();
    let rest = (100.0 - given) / open.max(1) as f64;
    workloads
        .iter()
        .map(|w| match w {
            Some(w) if w.rate.is_none() => w.skew.unwrap_or(rest),
            _ => 100.0,
        })
        .collect()
}

fn limits(definition: &Definition, run: &Run) -> Result<Limits, Box<Diagnostic>> {
    let from = &definition.runs[run.definition];
    let bytes = |limit: Option<DataLimit>, name: &str| match limit {
        None => Ok(None),
        Some(DataLimit::Bytes(bytes)) => Ok(Some(Bytes(bytes as u64))),
        Some(DataLimit::Times(times)) => match total_size(definition, run) {
            Some(size) => Ok(Some(Bytes((size as f64 * times) as u64))),
            None => Err(Box::new(
                Diagnostic::error(
                    codes::SIZE_UNKNOWN,
                    format!("`{name}=` counts the size of the storage"),
                )
                .at(
                    from.origins.of(name).unwrap_or(from.span),
                    "up to 100 it is a multiple of the size of all sds",
                )
                .help("give every sd of the run a size=, or give bytes, as maxdata=100g"),
            )),
        },
    };
    Ok(Limits {
        overwrites: None,
        bytes: bytes(from.max_data, "maxdata")?,
        read_bytes: bytes(from.max_read, "maxdataread")?,
        written_bytes: bytes(from.max_written, "maxdatawritten")?,
        ios: None,
    })
}

/// The size of all storage of a run, where it's known.
fn total_size(definition: &Definition, run: &Run) -> Option<u64> {
    let Work::Raw(assignments) = &run.work else {
        return None;
    };
    let mut used: Vec<usize> = assignments
        .iter()
        .flat_map(|a| a.storages.iter().copied())
        .collect();
    used.sort_unstable();
    used.dedup();
    used.iter()
        .map(|at| {
            let storage = &definition.storages[*at];
            storage.size.or_else(|| target::stated_size(storage))
        })
        .sum()
}
