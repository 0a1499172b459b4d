//! Doubts about one step.

use crate::pieces::SAMPLE_NS;
use crate::series::Series;
use crate::silence::{Silence, steady_stretch};
use crate::standstill::{absences, absent, standstill};
use crate::step_facts::Standstill;
use crate::stillness::{Unsteady, unsteady};
use crate::throttle::{caps, is_throttled, pause_s};
use plimsoll_evidence::{End, Finding, Quantity, Severity, StepEvidence};
use plimsoll_measure::Op;
use plimsoll_plan::{IoSource, NO_TIME_LIMIT, Nanos, Purpose, Step, Stream};
use std::collections::BTreeSet;
use std::ops::Range;

/// The generator's own lateness may be this share of the response time, at their 99th percentiles.
const MAX_LATENESS: f64 = 0.10;
/// Share of the mean response from which on that is the stalls'.
const MOST: f64 = 0.5;
/// Worker threads busier than this are what limits a closed loop.
const BUSY_WORKERS: f64 = 0.95;

/// All doubts about a step that is judged but for them; `busy` is the worker threads' mean busy share, 0..=1;
/// in `standstills` the process did not run; `all_in_vain`: each workload ended because nothing was left for it to do.
pub fn remarks(
    step: &Step,
    (busy, all_in_vain): (Option<f64>, bool),
    series: &Series,
    standstills: &[Standstill],
    evidence: &StepEvidence,
) -> Vec<Finding> {
    if step.purpose == Purpose::Fill {
        return failures(evidence).collect();
    }
    let mut found = Vec::new();
    found.extend(cut_short(step, evidence));
    found.extend(failures(evidence));
    let was_done = evidence.ios == 0 && reads_back_nothing(step, evidence);
    if evidence.counted_s == 0.0 {
        found.extend((!was_done).then(|| invalid(evidence, "nothing-counted", [])));
        return found;
    }
    let absences = absences(series, standstills);
    let is_plain = step.streams.iter().all(|s| s.window.is_whole()) && step.actions.is_empty();
    let absent = absent(series, &absences, is_plain, evidence);
    let was_absent = absent.is_some();
    found.extend(absent);
    if evidence.ios == 0 {
        let hangs = !was_done && !all_in_vain;
        found.extend(hangs.then(|| invalid(evidence, "nothing-completed", [])));
        return found;
    }
    found.extend(undecided(evidence));
    let silence = Silence::of(step).with(&absences);
    let held_up = standstill(series, &silence.0, pause_s(step), evidence);
    let held_up = held_up.or_else(|| stalled(step, evidence));
    found.extend(held_up.or_else(|| {
        // An absence makes any rate unsteady, and is said already.
        (!was_absent)
            .then(|| unsteadiness(step, series, evidence))
            .flatten()
            .map(|found| unless_planned(step, found))
    }));
    found.extend(late_generator(evidence));
    let caps = caps(step, evidence);
    let is_capped = caps.iter().any(|f| f.rule == "cap-reached");
    found.extend(busy_workers(busy.filter(|_| !is_capped), evidence));
    found.extend(caps);
    found
}

/// True where a step was to read back what another one wrote, and nothing of that was left to be read.
fn reads_back_nothing(step: &Step, evidence: &StepEvidence) -> bool {
    let reads_back = |s: &Stream| matches!(s.source, Some(IoSource::ReadBack(_)));
    step.streams.iter().all(reads_back) && evidence.end == End::Limit && evidence.errors == 0
}

/// A finding for which the step proves nothing.
fn invalid<const N: usize>(
    evidence: &StepEvidence,
    rule: &str,
    values: [(&str, Quantity); N],
) -> Finding {
    Finding::of_step(evidence.number, rule, Severity::Invalid, values)
}

/// A finding that puts its numbers in doubt.
fn suspect<const N: usize>(
    evidence: &StepEvidence,
    rule: &str,
    values: [(&str, Quantity); N],
) -> Finding {
    Finding::of_step(evidence.number, rule, Severity::Suspect, values)
}

fn cut_short(step: &Step, evidence: &StepEvidence) -> Option<Finding> {
    let end = match evidence.end {
        End::Elapsed | End::Limit => return None,
        End::Interrupted => "interrupted",
        End::Errors => "errors",
        End::Hung => "hung",
    };
    let ran = evidence.warmup_s + evidence.counted_s;
    let ran = ("ran", Quantity::Seconds(ran));
    let end = ("end", Quantity::Text(end.to_string()));
    // What ends by its amount has no time.
    if step.elapsed >= NO_TIME_LIMIT {
        return Some(suspect(evidence, "cut-short", [ran, end]));
    }
    let planned = Nanos(step.warmup.0 + step.elapsed.0).as_secs_f64();
    let planned = ("planned", Quantity::Seconds(planned));
    Some(suspect(evidence, "cut-short", [ran, planned, end]))
}

fn failures(evidence: &StepEvidence) -> impl Iterator<Item = Finding> {
    let fsyncs = evidence.fsync_errors();
    let ios = evidence.errors.saturating_sub(fsyncs);
    let ios = (ios > 0).then(|| invalid(evidence, "ios-failed", [("ios", Quantity::Count(ios))]));
    let fsyncs = (fsyncs > 0).then(|| {
        invalid(
            evidence,
            "fsyncs-failed",
            [("fsyncs", Quantity::Count(fsyncs))],
        )
    });
    ios.into_iter().chain(fsyncs)
}

/// Operations on trees that found no entry, and workloads that ended because none will be there for them; who makes a tree often has to wait
/// for one.
pub fn nothing_to_do(blocked: u64, ended: &[&str], evidence: &StepEvidence) -> Option<Finding> {
    if evidence.fill || blocked == 0 && ended.is_empty() {
        return None;
    }
    let mut values = vec![("operations", Quantity::Count(blocked))];
    let names: BTreeSet<&str> = ended.iter().copied().collect();
    values.extend(
        names
            .into_iter()
            .map(|name| ("ended", Quantity::Text(name.to_string()))),
    );
    // From a quarter on, the rate is more of the tree's state than of the storage.
    let severity = match !ended.is_empty() || blocked.saturating_mul(3) >= evidence.ios {
        true => Severity::Suspect,
        false => Severity::Note,
    };
    Some(Finding::of_step(
        evidence.number,
        "nothing-to-do",
        severity,
        values,
    ))
}

/// Finding that nobody can say whether the load is carried.
fn undecided(evidence: &StepEvidence) -> Option<Finding> {
    let all = evidence.saturation.filter(|s| s.undecided)?;
    // Of several streams it is said of the one that was short the most.
    let several = evidence.streams.len() > 1;
    let each = evidence.streams.iter().filter(|_| several);
    let short = each.filter_map(|s| Some((s, s.saturation.filter(|s| s.undecided)?.shortfall)));
    let (workload, shortfall) = match short.max_by(|a, b| a.1.total_cmp(&b.1)) {
        Some((stream, shortfall)) => (stream.workload.clone(), shortfall),
        None => (String::new(), all.shortfall),
    };
    Some(suspect(
        evidence,
        "load-undecided",
        [
            ("shortfall", Quantity::Share(shortfall)),
            ("workload", Quantity::Text(workload)),
        ],
    ))
}

/// A backlog that came and went. Where most of the mean response is the waiting for it, and nobody planned it, the mean is of the stall.
fn stalled(step: &Step, evidence: &StepEvidence) -> Option<Finding> {
    let stalls = &evidence.stalls;
    let longest = stalls.iter().max_by_key(|s| s.length_ns)?;
    // What comes due in it waits for half of it on average.
    let waited_ns: f64 = stalls
        .iter()
        .map(|s| s.ios as f64 * s.length_ns as f64 / 2.0)
        .sum();
    // A backlog that was long in going away made them wait for less: no more than is above what I/Os take by themselves.
    let ios = evidence.ios as f64;
    let all_ns = evidence.response_mean_ns.mean * ios;
    let above_ns = all_ns - evidence.service.quantile_ns(0.5).unwrap_or(0) as f64 * ios;
    let severity = match step.actions.is_empty() && waited_ns.min(above_ns) > MOST * all_ns {
        true => Severity::Suspect,
        false => Severity::Note,
    };
    let seconds = |ns: u64| Quantity::Seconds(ns as f64 / 1e9);
    Some(Finding::of_step(
        evidence.number,
        "target-stalled",
        severity,
        [
            ("times", Quantity::Count(stalls.len() as u64)),
            ("at", seconds(longest.start_ns)),
            ("longest", seconds(longest.length_ns)),
            ("ios", Quantity::Count(stalls.iter().map(|s| s.ios).sum())),
        ],
    ))
}

/// Weight of what is unsteady: what the plan itself did in the step changes it, and nobody can warm that up.
fn unless_planned(step: &Step, found: Finding) -> Finding {
    match step.actions.is_empty() {
        true => found,
        false => Finding {
            severity: Severity::Note,
            ..found
        },
    }
}

/// Of a closed loop the rate shows it, unless it is held back, and of any loop the response time; a saturated one's backlog
/// says it already.
fn unsteadiness(step: &Step, series: &Series, evidence: &StepEvidence) -> Option<Finding> {
    if evidence.saturation.is_some_and(|s| s.saturated) {
        return None;
    }
    let part = steady_stretch(step, series);
    let is_all = part.len() == series.seconds.len();
    let rate = || {
        (evidence.offered.is_none() && !is_throttled(step))
            .then(|| unsteady(&series.ios[part.clone()], &series.seconds[part.clone()]))
            .flatten()
            .map(|u| ("rate", u))
    };
    // Where slots were short a response time is mostly the wait for one: what the target did is its service time.
    let waited = evidence
        .saturation
        .is_some_and(|s| s.slots_were_the_limit());
    let (times, sums) = match waited {
        true => ("mean service time", &series.service_ns),
        false => ("mean response", &series.response_ns),
    };
    let (sums, timed) = (&sums[part.clone()], &series.timed[part.clone()]);
    let times = || unsteady(sums, timed).map(|u| (times, u));
    let (what, how) = rate().or_else(times)?;
    // What a stream's beginning changes, a longer warm-up does not mend.
    if !is_all && matches!(how, Unsteady::UntilSample(_)) {
        return None;
    }
    let what = ("series", Quantity::Text(what.to_string()));
    let reads = match evidence.ops.iter().any(|o| o.op == Op::Read && o.ios > 0) {
        true => "yes",
        false => "no",
    };
    Some(match how {
        Unsteady::UntilSample(n) => {
            let cold = n as f64 * SAMPLE_NS as f64 / 1e9;
            let needed = (evidence.warmup_s + cold).ceil();
            let rate = |of: Range<usize>| {
                let sum = |values: &[f64]| values[of.clone()].iter().sum::<f64>();
                Quantity::PerSecond(sum(&series.ios) / sum(&series.seconds))
            };
            let until = part.start + n;
            let values = [
                what,
                ("cold", Quantity::Seconds(cold)),
                ("needed", Quantity::Seconds(needed)),
                ("first", rate(part.start..until)),
                ("rest", rate(until..part.end)),
            ];
            suspect(evidence, "warm-up-short", values)
        }
        Unsteady::Throughout(window) => suspect(
            evidence,
            "never-steady",
            [
                what,
                ("reads", Quantity::Text(reads.to_string())),
                ("range", Quantity::Share(window.range)),
                ("rise", Quantity::Share(window.rise)),
            ],
        ),
    })
}

fn late_generator(evidence: &StepEvidence) -> Option<Finding> {
    let late = evidence.lateness.supported_quantile_ns(0.99)? as f64;
    let response = evidence.response.supported_quantile_ns(0.99)? as f64;
    (late > MAX_LATENESS * response).then(|| {
        suspect(
            evidence,
            "generator-late",
            [
                ("lateness_p99", Quantity::Ns(late)),
                ("response_p99", Quantity::Ns(response)),
            ],
        )
    })
}

/// An open loop may spin until its next I/O is due, and so may one that has reached its cap: only any other closed one says
/// anything.
fn busy_workers(busy: Option<f64>, evidence: &StepEvidence) -> Option<Finding> {
    if evidence.offered.is_some() {
        return None;
    }
    // The clocks of CPU time and of the intervals differ by a little, which is much of a short one.
    let mean = busy?.min(1.0);
    (mean >= BUSY_WORKERS)
        .then(|| suspect(evidence, "workers-busy", [("busy", Quantity::Share(mean))]))
}
