//! What `vdbench -s` prints.

use super::definition::Definition;
use super::model::{MAX_LISTED, RunDefinition, Workload};
use super::run::{Run, RunRate, Work};
use plimsoll_plan::curve_target;
use std::collections::HashSet;
use std::rc::Rc;

/// A simulated execution.
#[derive(Debug, Clone, PartialEq)]
pub struct Simulation {
    /// All lines, without time stamps.
    pub lines: Vec<String>,
    /// How many runs there are, formats counted.
    pub runs: usize,
    /// Elapsed and warm-up times of all runs, seconds; a format's time is not known.
    pub seconds: f64,
}

/// What Vdbench assumes as the maximum of a curve, per second.
const ASSUMED_MAXIMUM: f64 = 10_000.0;

pub(crate) fn simulate(definition: &Definition, runs: &[Run]) -> Simulation {
    let mut lines = jvm_lines(definition, runs);
    let mut seconds = 0.0;
    for run in runs {
        let from = &definition.runs[run.definition];
        if !matches!(run.work, Work::Format(_)) {
            seconds += from.elapsed + from.warmup;
        }
        lines.push(line(definition, run, from));
    }
    lines.push(format!(
        "Total amount of Run Definitions: {}; total elapsed time {seconds} seconds, or {:.4} hours, plus a format if requested.",
        runs.len(),
        seconds / 3600.0
    ));
    Simulation {
        lines,
        runs: runs.len(),
        seconds,
    }
}

/// The name and the loop values of each run, as its line has them.
pub(crate) fn titles(runs: &[Run]) -> Vec<(String, String)> {
    let title = |run: &Run| {
        let label = match run.work {
            Work::Raw(_) => "iorate",
            Work::Files(_) | Work::Format(_) => "fwdrate",
        };
        (run.name.clone(), loops_text(run, label))
    };
    runs.iter().map(title).collect()
}

fn line(definition: &Definition, run: &Run, from: &RunDefinition) -> String {
    let warmup = match from.warmup > 0.0 {
        true => format!(" warmup={}", from.warmup),
        false => String::new(),
    };
    match &run.work {
        Work::Format(_) => format!("Simulating RD={}", run.name),
        Work::Raw(_) => format!(
            "Simulating RD={}; I/O rate: {}; elapsed={}{warmup}; For loops: {}",
            run.name,
            rate_text(definition, run),
            from.elapsed,
            loops_text(run, "iorate")
        ),
        Work::Files(_) => {
            // Vdbench ends the rate with a full stop where it is a word.
            let rate = match run.rate {
                RunRate::Max => "max.".to_string(),
                // Vdbench prints the same for the points of a curve.
                RunRate::CurveMax | RunRate::CurvePoint(_) => "curve.".to_string(),
                _ => format!("{};", rate_text(definition, run)),
            };
            format!(
                "Simulating RD={}; elapsed={}{warmup}; fwdrate={rate} For loops: {}",
                run.name,
                from.elapsed,
                loops_text(run, "fwdrate")
            )
        }
    }
}

fn rate_text(definition: &Definition, run: &Run) -> String {
    let control = || match controlled(definition, run) {
        true => "Controlled",
        false => "Uncontrolled",
    };
    match &run.rate {
        RunRate::Max => format!("{} MAX", control()),
        RunRate::CurveMax => format!("{} curve", control()),
        RunRate::CurvePoint(percent) => {
            curve_target(ASSUMED_MAXIMUM, f64::from(*percent)).to_string()
        }
        RunRate::Fixed(rate) => rate.round().to_string(),
        // Where the first is the maximum, Vdbench calls the others' so too, and controlled.
        RunRate::Listed { first, .. } if *first == MAX_LISTED => match run.rate.is_max() {
            true => format!("{} MAX", control()),
            false => "Controlled MAX".to_string(),
        },
        RunRate::Listed { first, .. } => first.round().to_string(),
        RunRate::PercentOfLast { first, .. } => curve_target(ASSUMED_MAXIMUM, *first).to_string(),
        RunRate::Schedule => "Variable".to_string(),
        RunRate::Format => String::new(),
    }
}

/// True where shares are kept at the maximum: some workload has a skew, a rate or a priority of its own, or the run is
/// a replay.
pub(crate) fn controlled(definition: &Definition, run: &Run) -> bool {
    let own = |w: &Workload| {
        w.skew.is_some()
            || w.rate.is_some()
            || w.priority.is_some()
            || w.origins.of("user").is_some()
    };
    match &run.work {
        Work::Raw(assignments) => {
            definition.runs[run.definition].replay.is_some()
                || assignments
                    .iter()
                    .any(|a| workload(definition, a.workload).is_some_and(own))
        }
        _ => true,
    }
}

/// The workload of an assignment.
pub(crate) fn workload(definition: &Definition, index: Option<usize>) -> Option<&Workload> {
    match index {
        Some(at) => definition.workloads.get(at),
        None => Some(&definition.default_workload),
    }
}

/// `threads=8 xfersize=4k`, a listed rate last, or `None`.
fn loops_text(run: &Run, rate_label: &str) -> String {
    let mut parts: Vec<String> = run
        .loops
        .iter()
        .map(|(key, value)| format!("{}={}", key.label(), value.text(*key)))
        .collect();
    match run.rate {
        RunRate::Listed { .. } if run.rate.is_max() => parts.push(format!("{rate_label}=max")),
        RunRate::Listed { rate, .. } => parts.push(format!("{rate_label}={}", rate.trunc())),
        RunRate::PercentOfLast {
            percent,
            listed: true,
            ..
        } => parts.push(format!("{rate_label}={percent}%")),
        _ => {}
    }
    match parts.is_empty() {
        true => "None".to_string(),
        false => parts.join(" "),
    }
}

/// Vdbench's markers for rates that are words.
const MAX: f64 = 9_999_988.0;
const CURVE: f64 = 9_999_977.0;

/// Past this many pairs of host and storage the lines are left out.
const MANY: usize = 20_000_000;

/// Vdbench starts more Java processes where the rate is above 100,000 or unknown, and says so. Nothing like it happens
/// here; the line is printed so that its readers find what they expect.
fn jvm_lines(definition: &Definition, runs: &[Run]) -> Vec<String> {
    let mut highest = 0.0f64;
    let mut used: HashSet<usize> = HashSet::new();
    let mut seen = HashSet::new();
    for run in runs {
        let Work::Raw(assignments) = &run.work else {
            continue;
        };
        highest = highest.max(match run.rate {
            _ if run.rate.is_max() => MAX,
            RunRate::CurveMax | RunRate::CurvePoint(_) => CURVE,
            RunRate::Fixed(rate) | RunRate::Listed { rate, .. } => rate,
            _ => 0.0,
        });
        // The runs of one definition share their storage; looking at it for each would be quadratic.
        if seen.insert(Rc::as_ptr(assignments)) {
            used.extend(assignments.iter().flat_map(|a| &a.storages));
        }
    }
    if highest <= 100_000.0
        || definition.hosts.iter().any(|h| h.jvms.is_some())
        || used.len() * definition.hosts.len() > MANY
    {
        return Vec::new();
    }
    let wanted = ((highest / 100_000.0).ceil() as usize).min(8);
    let reason = match highest == MAX {
        true => "max".to_string(),
        false => highest.to_string(),
    };
    let mut out = Vec::new();
    let mut adjust = |label: &str, storages: usize| {
        let jvms = wanted.min(storages);
        if jvms > 1 {
            out.push(format!(
                "Adjusted default JVM count for host={label} from jvms=1 to jvms={jvms} because of iorate={reason} and a total of {storages} sds."
            ));
        }
    };
    if definition.hosts.is_empty() {
        adjust("localhost", used.len());
    }
    for host in &definition.hosts {
        let count = used
            .iter()
            .map(|at| &definition.storages[*at])
            .filter(|s| s.hosts.is_empty() || s.hosts.iter().any(|r| r.matches(&host.label)))
            .count();
        adjust(&host.label, count);
    }
    out
}
