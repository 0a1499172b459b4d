//! All that the page shows, as one JSON value.

use super::hosts::HostsView;
use super::parts::Parts;
use super::percentiles::{Latency, curve, grid};
use super::stretches::Stretches;
use super::{HostSeries, Measured, StepSeries, sentence};
use crate::json::{Action, Array, Paths};
use crate::saturation::Cause;
use plimsoll_evidence::{
    End, Environment, ErrorSample, Estimate, Finding, OpSummary, Saturation, StepEvidence, Verdict,
    gathered,
};
use plimsoll_measure::Op;
use serde::Serialize;
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};

/// The data's version; the page refuses another one.
const FORMAT: u32 = 1;

/// What a report is made of.
#[derive(Debug, Clone, Copy)]
pub struct Run<'a> {
    /// Where and with what it was measured.
    pub environment: &'a Environment,
    /// All steps, in the order in which they ran.
    pub steps: &'a [StepEvidence],
    /// The steps over time; a step without a series is shown without charts over time.
    pub series: &'a [StepSeries],
    /// How hosts went beside each other, of the steps that several carried out.
    pub hosts: &'a [HostSeries],
    /// What the methods concluded.
    pub verdicts: &'a [Verdict],
    /// What rules found beside the steps and verdicts, which have their own findings; some of those may be here again.
    pub findings: &'a [Finding],
    /// Why the record isn't whole, one sentence; `None` where it is.
    pub incomplete: Option<&'a str>,
    /// What was measured.
    pub measured: &'a Measured,
}

#[derive(Serialize)]
struct Page<'a> {
    format: u32,
    sentence: String,
    incomplete: Option<&'a str>,
    measured: &'a Measured,
    environment: EnvironmentView<'a>,
    verdicts: Vec<VerdictView<'a>>,
    findings: Vec<FindingView>,
    percentile_grid: Vec<f64>,
    steps: Vec<StepView<'a>>,
}

#[derive(Serialize)]
struct EnvironmentView<'a> {
    /// As text: a number in JavaScript holds only 53 bits.
    seed_text: String,
    #[serde(flatten)]
    environment: &'a Environment,
}

#[derive(Serialize)]
struct VerdictView<'a> {
    sentence: String,
    /// What shows that a point is saturated, by its step's number.
    saturated_by: BTreeMap<u32, String>,
    #[serde(flatten)]
    verdict: &'a Verdict,
}

/// What was found, and the step or run that it is about.
#[derive(Serialize)]
struct FindingView {
    about: String,
    #[serde(flatten)]
    finding: Finding,
}

#[derive(Serialize)]
struct StepView<'a> {
    number: u32,
    name: &'a str,
    run: &'a str,
    loops: &'a [(String, String)],
    fill: bool,
    offered: Option<f64>,
    load: &'a str,
    slots: u64,
    workers: u32,
    warmup_s: f64,
    counted_s: f64,
    ios: u64,
    bytes: u64,
    errors: u64,
    fsync_errors: u64,
    rate: Estimate,
    bytes_per_s: f64,
    response_mean_ns: Estimate,
    service_mean_ns: Estimate,
    response: Latency,
    service: Latency,
    lateness: Latency,
    ops: Vec<OpView>,
    /// fsyncs and flushes.
    syncs: Option<OpView>,
    depth_mean: f64,
    saturation: Option<Saturation>,
    /// What shows that it is saturated, in words.
    saturated_by: Option<String>,
    /// What limited it, in a sentence.
    limited_by: Option<&'a str>,
    #[serde(flatten)]
    parts: Parts,
    stalls: Stretches,
    late_by_host: Stretches,
    unfinished: u64,
    cpu_ns_per_io: Option<f64>,
    end: End,
    error_samples: &'a [ErrorSample],
    notes: &'a [String],
    actions: Vec<Action<'a>>,
    hosts: HostsView<'a>,
    paths: Vec<Paths<'a>>,
    arrays: Vec<Array<'a>>,
    response_curve_ns: Vec<u64>,
    service_curve_ns: Vec<u64>,
    series: Option<&'a StepSeries>,
}

#[derive(Serialize)]
struct OpView {
    op: Op,
    ios: u64,
    bytes: u64,
    errors: u64,
    response: Latency,
    service: Latency,
}

/// Everything that the page draws and prints. Pure: the same run gives the same value.
///
/// # Errors
/// Where a value has no JSON form, which evidence never has.
pub fn data(run: &Run<'_>) -> Result<Value, serde_json::Error> {
    let verdicts: Vec<VerdictView> = run
        .verdicts
        .iter()
        .map(|verdict| VerdictView {
            sentence: sentence::of_verdict(verdict, run.environment, run.steps),
            saturated_by: causes(verdict),
            verdict,
        })
        .collect();
    serde_json::to_value(Page {
        format: FORMAT,
        sentence: verdicts.first().map_or_else(
            || sentence::of_steps(run.steps, run.environment),
            |v| v.sentence.clone(),
        ),
        incomplete: run.incomplete,
        measured: run.measured,
        environment: EnvironmentView {
            seed_text: run.environment.seed.to_string(),
            environment: run.environment,
        },
        verdicts,
        findings: findings(run),
        percentile_grid: grid(),
        steps: run.steps.iter().map(|step| view(step, run)).collect(),
    })
}

/// All that was found: of the steps, of the verdicts, and the rest.
fn findings(run: &Run<'_>) -> Vec<FindingView> {
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
            FindingView {
                about: step.unwrap_or(run).to_owned(),
                finding: Finding {
                    message: finding.said(),
                    remedy: String::new(),
                    ..finding
                },
            }
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

fn view<'a>(step: &'a StepEvidence, run: &Run<'a>) -> StepView<'a> {
    let steps = run.steps.len();
    let series = run.series.iter().find(|s| s.step == step.number);
    let hosts = run.hosts.iter().find(|h| h.step == step.number);
    StepView {
        number: step.number,
        name: &step.name,
        run: &step.run,
        loops: &step.loops,
        fill: step.fill,
        offered: step.offered,
        load: &step.load,
        slots: step.slots,
        workers: step.workers,
        warmup_s: step.warmup_s,
        counted_s: step.counted_s,
        ios: step.ios,
        bytes: step.bytes,
        errors: step.errors,
        fsync_errors: step.fsync_errors(),
        rate: step.rate,
        bytes_per_s: if step.counted_s > 0.0 {
            step.bytes as f64 / step.counted_s
        } else {
            0.0
        },
        response_mean_ns: step.response_mean_ns,
        service_mean_ns: step.service_mean_ns,
        response: Latency::of(&step.response),
        service: Latency::of(&step.service),
        lateness: Latency::of(&step.lateness),
        ops: step.ops.iter().map(op_view).collect(),
        syncs: step.syncs.as_deref().map(op_view),
        depth_mean: step.depth_mean,
        saturation: step.saturation,
        saturated_by: Cause::of_step(step).map(Cause::cell),
        limited_by: step.limit.as_ref().map(|l| l.sentence.as_str()),
        parts: Parts::of(step, &run.environment.targets),
        stalls: Stretches::of(&step.stalls, steps),
        late_by_host: Stretches::of(&step.late_by_host, steps),
        unfinished: step.unfinished,
        cpu_ns_per_io: step.cpu_ns_per_io,
        end: step.end,
        error_samples: &step.error_samples,
        notes: &step.notes,
        actions: step.actions.iter().map(Action::of).collect(),
        hosts: HostsView::of(step, hosts),
        paths: step
            .paths
            .iter()
            .filter(|p| p.is_notable())
            .map(Paths::of)
            .collect(),
        arrays: step.arrays.iter().map(Array::of).collect(),
        response_curve_ns: curve(&step.response),
        service_curve_ns: curve(&step.service),
        series,
    }
}

fn op_view(op: &OpSummary) -> OpView {
    OpView {
        op: op.op,
        ios: op.ios,
        bytes: op.bytes,
        errors: op.errors,
        response: Latency::of(&op.response),
        service: Latency::of(&op.service),
    }
}

#[cfg(test)]
pub(super) mod fixture;

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
        let value = data(&run(&Environment::default(), &[], &[])).unwrap();
        assert_eq!(value["format"], 1);
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
        let value = data(&run(&environment, &steps, &[series.finish()])).unwrap();
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
        let value = data(&run(&environment, &steps, &[])).unwrap();
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
        })
        .unwrap();
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
        let value = data(&run(&environment, &[], &[])).unwrap();
        assert_eq!(value["environment"]["seed_text"], "18446744073709551615");
    }

    #[test]
    fn a_step_without_ios_has_no_percentiles() {
        let value = data(&run(&Environment::default(), &[fixture::step(1, 3)], &[])).unwrap();
        assert!(value["steps"][0]["response"]["p50_ns"].is_null());
        assert_eq!(
            value["steps"][0]["response_curve_ns"],
            serde_json::json!([])
        );
    }
}
