//! All that the page shows, as one JSON value.

use super::hosts::hosts;
use super::parts::parts;
use super::percentiles::{curve, grid, latency};
use super::stretches::stretches;
use super::{HostSeries, Measured, StepSeries};
use crate::answer::{self, AnswerLines};
use crate::json::{action, array, each, joined, paths};
use crate::saturation::Cause;
use crate::sentence;
use plimsoll_evidence::{Environment, Finding, OpSummary, StepEvidence, Verdict, gathered};
use plimsoll_plan::Claim;
use plimsoll_record::RunStatus;
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap};

/// The data's version; the page refuses another one.
const FORMAT: u32 = 3;

/// The run that a report is made of.
#[derive(Debug, Clone, Copy)]
pub struct Run<'a> {
    /// Environment of the measurement: the host and the targets.
    pub environment: &'a Environment,
    /// All steps, in the order in which they ran.
    pub steps: &'a [StepEvidence],
    /// The steps over time; a step without a series is shown without charts over time.
    pub series: &'a [StepSeries],
    /// Courses of the hosts beside each other, of the steps that several carried out.
    pub hosts: &'a [HostSeries],
    /// Conclusions of the methods.
    pub verdicts: &'a [Verdict],
    /// Findings of rules beside the steps and verdicts, which have their own findings; some of those may be here again.
    pub findings: &'a [Finding],
    /// Claim that the result is judged for.
    pub claim: Claim,
    /// Status at the run's end.
    pub status: &'a RunStatus,
    /// Reason why the record isn't whole, one sentence; `None` where it is.
    pub incomplete: Option<&'a str>,
    /// The measurement in words.
    pub measured: &'a Measured,
}

/// Data that the page draws and prints. Pure: the same run gives the same value.
pub fn data(run: &Run<'_>) -> Value {
    let all = gathered(run.steps, run.verdicts, run.findings);
    let answer = AnswerLines::of(&answer::Measured {
        environment: run.environment,
        steps: run.steps,
        verdicts: run.verdicts,
        findings: all.iter().collect(),
        claim: run.claim,
        status: run.status,
        record: None,
    });
    // The seed as text too: a number in JavaScript holds only 53 bits.
    let seed = json!({ "seed_text": run.environment.seed.to_string() });
    json!({
        "format": FORMAT,
        "sentence": answer.answer,
        "limit": answer.limit,
        "trust": answer.trust,
        "incomplete": run.incomplete,
        "measured": run.measured,
        "counted": run.environment.counted(),
        "environment": joined(seed, json!(run.environment)),
        "verdicts": each(run.verdicts, |v| verdict(v, run)),
        "findings": findings(run),
        "percentile_grid": grid(run.steps.len()),
        "steps": each(run.steps, |s| step(s, run)),
    })
}

/// A verdict, its sentence, and what shows that a point is saturated, by its step's number.
fn verdict(verdict: &Verdict, run: &Run<'_>) -> Value {
    let sentence = sentence::of_verdict(verdict, run.environment, run.steps);
    let own = json!({ "sentence": sentence, "saturated_by": causes(verdict) });
    joined(own, json!(verdict))
}

/// All that was found, of the steps, of the verdicts, and the rest; each with the step or run that it is about.
fn findings(run: &Run<'_>) -> Vec<Value> {
    let names: HashMap<u32, &str> = run
        .steps
        .iter()
        .map(|s| (s.number, s.name.as_str()))
        .collect();
    // In the order of the list: the steps', the verdicts', the rest.
    let of_steps = run.steps.iter().flat_map(|s| &s.findings).map(|_| "");
    let of_verdicts = run.verdicts.iter();
    let of_verdicts = of_verdicts.flat_map(|v| v.findings().iter().map(|_| v.run()));
    let runs = of_steps.chain(of_verdicts).chain(std::iter::repeat(""));
    gathered(run.steps, run.verdicts, run.findings)
        .into_iter()
        .zip(runs)
        .map(|(finding, run)| {
            let step = finding.step.and_then(|n| names.get(&n).copied());
            let with_remedy = Finding {
                message: finding.with_remedy(),
                remedy: String::new(),
                ..finding
            };
            joined(json!({ "about": step.unwrap_or(run) }), json!(with_remedy))
        })
        .collect()
}

fn causes(verdict: &Verdict) -> BTreeMap<u32, String> {
    let Verdict::Curve(curve) = verdict else {
        return BTreeMap::new();
    };
    curve
        .points
        .iter()
        .filter_map(|p| Some((p.step, Cause::of_point(p)?.cell())))
        .collect()
}

fn step(step: &StepEvidence, run: &Run<'_>) -> Value {
    let steps = run.steps.len();
    let notable: Vec<_> = step.paths.iter().filter(|p| p.is_notable()).collect();
    let document = json!({
        "number": step.number,
        "name": step.name,
        "run": step.run,
        "loops": step.loops,
        "fill": step.fill,
        "offered": step.offered,
        "load": step.load,
        "slots": step.slots,
        "workers": step.workers,
        "warmup_s": step.warmup_s,
        "counted_s": step.counted_s,
        "ios": step.ios,
        "bytes": step.bytes,
        "errors": step.errors,
        "fsync_errors": step.fsync_errors(),
        "rate": step.rate,
        "bytes_per_s": crate::json::per_s(step.bytes, step.counted_s),
        "response_mean_ns": step.response_mean_ns,
        "service_mean_ns": step.service_mean_ns,
        "response": latency(&step.response),
        "service": latency(&step.service),
        "lateness": latency(&step.lateness),
        "ops": each(&step.ops, op),
        // fsyncs and flushes.
        "syncs": step.syncs.as_deref().map(op),
        "depth_mean": step.depth_mean,
        "saturation": step.saturation,
        // What shows that it is saturated, in words.
        "saturated_by": Cause::of_step(step).map(Cause::cell),
        // What limited it, in a sentence.
        "limited_by": step.limit.as_ref().map(|l| l.sentence.as_str()),
        "stalls": stretches(&step.stalls, steps),
        "late_by_host": stretches(&step.late_by_host, steps),
        "unfinished": step.unfinished,
        "cpu_ns_per_io": step.cpu_ns_per_io,
        "end": step.end,
        "error_samples": step.error_samples,
        "notes": step.notes,
        "actions": each(&step.actions, action),
        "hosts": hosts(step, run.hosts.iter().find(|h| h.step == step.number)),
        "paths": each(&notable, |p| paths(p)),
        "arrays": each(&step.arrays, array),
        "response_curve_ns": curve(&step.response, steps),
        "service_curve_ns": curve(&step.service, steps),
        "series": run.series.iter().find(|s| s.step == step.number),
    });
    joined(document, parts(step, &run.environment.targets))
}

fn op(op: &OpSummary) -> Value {
    json!({
        "op": op.op,
        "ios": op.ios,
        "bytes": op.bytes,
        "errors": op.errors,
        "response": latency(&op.response),
        "service": latency(&op.service),
    })
}

#[cfg(test)]
pub(crate) mod fixture;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::html::Budget;
    use plimsoll_evidence::{EnvironmentTarget, MethodVerdict, Quantity, Severity};

    fn run<'a>(
        environment: &'a Environment,
        steps: &'a [StepEvidence],
        series: &'a [StepSeries],
    ) -> Run<'a> {
        Run {
            environment,
            steps,
            series,
            hosts: &[],
            verdicts: &[],
            findings: &[],
            claim: Claim::Burst,
            status: &RunStatus::Completed,
            incomplete: None,
            measured: &NOTHING,
        }
    }

    static NOTHING: Measured = Measured {
        title: None,
        facts: Vec::new(),
        written: Vec::new(),
        plan: None,
    };

    #[test]
    fn a_record_without_steps_still_has_a_page() {
        let value = data(&run(&Environment::default(), &[], &[]));
        assert_eq!(value["format"], 3);
        assert_eq!(value["sentence"], "Nothing was measured.");
        assert_eq!(value["steps"], serde_json::json!([]));
    }

    #[test]
    fn a_step_keeps_its_exact_counts_and_gets_its_own_series() {
        let environment = Environment::default();
        let mut steps = vec![fixture::step(1, 3), fixture::step(2, 3)];
        (steps[1].ios, steps[1].bytes) = (12_345, 12_345 * 4096);
        let mut series = StepSeries::new(&steps[1], 3, Some(&[]), Budget::new(2, 1));
        (1..=3).for_each(|n| series.push(&fixture::interval(2, n, 100)));
        let value = data(&run(&environment, &steps, &[series.finish()]));
        assert!(value["steps"][0]["series"].is_null());
        assert_eq!(value["steps"][1]["ios"], 12_345);
        assert_eq!(
            value["steps"][1]["series"]["rate"],
            serde_json::json!([100.0, 100.0, 100.0])
        );
        assert_eq!(value["steps"][1]["bytes_per_s"], 12_345.0 * 4096.0 / 3.0);
    }

    #[test]
    fn a_step_has_lines_for_its_workloads_and_targets_where_there_are_several() {
        let environment = Environment {
            targets: vec![EnvironmentTarget {
                name: "sd1".into(),
                ..Default::default()
            }],
            ..Default::default()
        };
        let mut steps = vec![fixture::step(1, 10), fixture::step(2, 10)];
        steps[0].streams = vec![
            fixture::stream("oltp", 0, 2000),
            fixture::stream("oltp", 1, 500),
            fixture::stream("scan", 1, 30),
        ];
        steps[0].stalls = vec![plimsoll_evidence::Stretch {
            start_ns: 3,
            length_ns: 4,
            ios: 5,
        }];
        steps[1].streams = vec![fixture::stream("oltp", 0, 2000)];
        let value = data(&run(&environment, &steps, &[]));
        let lines = |step: usize, of: &str| -> Vec<(String, u64, u64)> {
            let line = |part: &Value| {
                let name = format!("{} {}", part["name"], part["with"]);
                let number = |key: &str| part[key].as_u64().unwrap();
                (name.replace('"', ""), number("ios"), number("reads"))
            };
            let all = value["steps"][step][of].as_array().unwrap();
            all.iter().map(line).collect()
        };
        assert_eq!(
            lines(0, "workloads"),
            [
                ("oltp [sd1,target 2]".into(), 2500, 2500),
                ("scan [target 2]".into(), 30, 30)
            ]
        );
        assert_eq!(
            lines(0, "targets"),
            [
                ("sd1 [oltp]".into(), 2000, 2000),
                ("target 2 [oltp,scan]".into(), 530, 530)
            ]
        );
        let scan = &value["steps"][0]["workloads"][1];
        assert!(scan["response"]["p99_ns"].is_null() && scan["response"]["p50_ns"].is_u64());
        assert_eq!(value["steps"][0]["stalls"]["longest"][0]["ios"], 5);
        assert_eq!(value["steps"][1]["workloads"], serde_json::json!([]));
        assert_eq!(value["steps"][1]["targets"], serde_json::json!([]));
    }

    #[test]
    fn what_was_found_is_there_once_with_the_step_or_run_that_it_is_of() {
        let environment = Environment::default();
        let mut steps = vec![fixture::step(1, 3)];
        let stuck = |values: &[(&'static str, Quantity)]| {
            Finding::of_step(1, "workers-stuck", Severity::Suspect, values.to_vec())
        };
        steps[0].findings = vec![stuck(&[("workers", Quantity::Count(2))])];
        let doubt = Finding::of_method("read-only", Severity::Note, []);
        let verdict = Verdict::Method(MethodVerdict {
            method: "soak".into(),
            run: "night".into(),
            class: "cliff".into(),
            decided: true,
            sentence: "It fell.".into(),
            figures: Vec::new(),
            tables: Vec::new(),
            charts: Vec::new(),
            findings: vec![doubt.clone()],
        });
        // As the record's table has them, which keeps no values.
        let bare = Finding {
            values: Vec::new(),
            ..steps[0].findings[0].clone()
        };
        let verdicts = [verdict];
        let value = data(&Run {
            verdicts: &verdicts,
            findings: &[bare, doubt],
            ..run(&environment, &steps, &[])
        });
        let all = value["findings"].as_array().unwrap();
        let about = |f: &Value| (f["about"].clone(), f["rule"].clone());
        assert_eq!(
            all.iter().map(about).collect::<Vec<_>>(),
            [
                ("step1".into(), "workers-stuck".into()),
                ("night".into(), "read-only".into())
            ]
        );
        // And not once more as a note of the step.
        assert_eq!(value["steps"][0]["notes"], serde_json::json!([]));
        assert_eq!(value["verdicts"][0]["class"], "cliff");
    }

    #[test]
    fn the_seed_survives_javascript() {
        let environment = Environment {
            seed: u64::MAX,
            ..Default::default()
        };
        let value = data(&run(&environment, &[], &[]));
        assert_eq!(value["environment"]["seed_text"], "18446744073709551615");
    }

    #[test]
    fn a_step_without_ios_has_no_percentiles() {
        let value = data(&run(&Environment::default(), &[fixture::step(1, 3)], &[]));
        assert!(value["steps"][0]["response"]["p50_ns"].is_null());
        assert_eq!(
            value["steps"][0]["response_curve_ns"],
            serde_json::json!([])
        );
    }
}
