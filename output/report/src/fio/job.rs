//! One job's object.

use super::direction::{self, Direction};
use super::{Form, FoundDepth, Samples, SteadyState, options, times};
use plimsoll_evidence::{EnvironmentTarget, MISMATCH, OpSummary, StepEvidence, StreamSummary};
use plimsoll_measure::{Histogram, Op};
use serde_json::{Map, Value, json};

/// A job of fio's, and what carried it out.
#[derive(Debug, Clone)]
pub struct FioJob {
    /// Name of the job's section.
    pub name: String,
    /// The group that it is reported with, from 0.
    pub group: u32,
    /// Options of the job as they were written.
    pub options: Vec<(String, String)>,
    /// The step that carried it out, by its number.
    pub step: u32,
    /// The step that read back what it had written, by its number; its reads are the job's too.
    pub read_back: Option<u32>,
    /// The workloads of that step that are its own.
    pub workloads: Vec<String>,
    /// Of each workload that consists of an operation on names: that one, and the one that fio counts it as.
    pub on_names: Vec<(String, Op, Op)>,
    /// `iodepth` as it was written.
    pub iodepth: u64,
    /// I/Os in flight that were asked for, of each clone, as many as its engine has.
    pub depth: u64,
    /// Number of clones of the job.
    pub clones: u64,
    /// True where its syncs are counted, and not in the times alone.
    pub counts_syncs: bool,
    /// Percentiles that are asked for, percent, rising.
    pub percentiles: Vec<f64>,
    /// Of what, and what is shown as one.
    pub shown: Shown,
    /// The error that ended it, where none of its I/Os failed.
    pub failed: Option<u32>,
    /// Observations of its steady state, where one was looked for.
    pub steady: Option<SteadyState>,
    /// The depth that was searched for, where one was.
    pub found: Option<FoundDepth>,
}

/// Parts of a job that are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shown {
    /// Percentiles of the response times.
    pub lat_percentiles: bool,
    /// Percentiles of the service times.
    pub clat_percentiles: bool,
    /// Reads, writes and trims each by itself.
    pub apart: bool,
    /// All of them as one, `mixed`.
    pub mixed: bool,
}

impl Default for Shown {
    fn default() -> Self {
        Shown {
            lat_percentiles: false,
            clat_percentiles: true,
            apart: true,
            mixed: false,
        }
    }
}

impl FioJob {
    /// fio's default `percentile_list`.
    pub const PERCENTILES: [f64; 17] = [
        1.0, 5.0, 10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0, 90.0, 95.0, 99.0, 99.5, 99.9,
        99.95, 99.99,
    ];

    /// The depth, and what belongs to it, as fio tells them.
    fn latency(&self) -> [(&'static str, Value); 4] {
        let found = self.found.as_ref();
        let of = |value: fn(&FoundDepth) -> u64| json!(found.map_or(0, value));
        [
            (
                "latency_depth",
                json!(found.map_or(self.iodepth, |f| u64::from(f.depth))),
            ),
            ("latency_target", of(|f| f.goal.within.0)),
            (
                "latency_percentile",
                json!(found.map_or(100.0, |f| f.goal.percent)),
            ),
            ("latency_window", of(|f| f.goal.window.0 / 1000)),
        ]
    }

    /// I/Os in flight of that of which the results are.
    fn kept_depth(&self) -> u64 {
        let last = self.found.as_ref().filter(|f| f.last.is_some());
        last.map_or(self.depth, |f| u64::from(f.depth))
    }

    /// Operations that are counted as one on blocks.
    fn counted_as(&self, op: Op) -> Vec<Op> {
        if self.on_names.is_empty() {
            return vec![op];
        }
        let own = self.on_names.iter().filter(|(.., counted)| *counted == op);
        let mut all: Vec<Op> = own.map(|(_, on_names, _)| *on_names).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// True for a stream whose operations on names, if it has any, are counted under this name.
    fn is_shown(&self, stream: &StreamSummary, name: &str) -> bool {
        let mut own = self.on_names.iter();
        let counted = own.find(|(workload, ..)| *workload == stream.workload);
        counted.is_none_or(|(.., op)| name == "mixed" || op.name() == name)
    }

    fn has(&self, stream: &StreamSummary) -> bool {
        self.workloads.contains(&stream.workload)
    }
}

/// Steps of a job: the one that carried it out, and the one that read back what it had written.
pub(super) struct Steps<'e> {
    pub main: &'e StepEvidence,
    pub back: Option<&'e StepEvidence>,
    /// Targets of the run.
    pub targets: &'e [EnvironmentTarget],
}

impl Steps<'_> {
    /// Number that fio has for the first error of a job with these streams: EILSEQ where data was not as written, else EIO.
    fn first_error(&self, streams: &[(usize, &StreamSummary)]) -> u32 {
        let own = |target: &str| {
            let places = streams.iter().map(|(_, s)| s.target as usize);
            places
                .filter_map(|at| self.targets.get(at))
                .any(|t| t.name == target)
        };
        let all = [Some(self.main), self.back].into_iter().flatten();
        let first = all
            .flat_map(|step| &step.error_samples)
            .find(|e| own(&e.target));
        match first.is_some_and(|e| e.what.starts_with(MISMATCH)) {
            true => EILSEQ,
            false => EIO,
        }
    }
}

pub(super) fn value(job: &FioJob, steps: &Steps<'_>, samples: &Samples, form: Form) -> Value {
    let own = |step| own_streams(job, step);
    let (step, streams) = (steps.main, own(steps.main));
    let back = steps.back.map(|back| (back, own(back)));
    let checked = back.iter().flat_map(|(_, streams)| streams);
    let elapsed_s = step.warmup_s + step.counted_s;
    let elapsed_s = elapsed_s + back.as_ref().map_or(0.0, |(back, _)| back.counted_s);
    let last = job.found.as_ref().and_then(|f| f.last.as_ref());
    let main_samples = last.map_or(samples, |last| &last.samples);
    // One that was through before the others is no slower for that, and one that waits for its target no faster.
    let busy_s = main_samples.busy_s(step.number, streams.iter().map(|(n, _)| *n));
    let runtime_s = busy_s.unwrap_or(step.counted_s);
    let errors: u64 = streams.iter().chain(checked).map(|(_, s)| s.errors).sum();
    let mut out = Map::new();
    let mut put = |key: &str, value: Value| out.insert(key.into(), value);
    put("jobname", json!(job.name));
    put("groupid", json!(job.group));
    let error = match errors {
        0 => job.failed.unwrap_or(0),
        _ => steps.first_error(&streams),
    };
    put("error", json!(error));
    put("eta", json!(0));
    put("elapsed", json!(elapsed_s.ceil() as u64));
    let own = options(&job.options);
    if own.as_object().is_some_and(|own| !own.is_empty()) {
        put("job options", own);
    }
    let each = Op::ALL.map(|op| (op.name(), job.counted_as(op)));
    let mut shown: Vec<(&str, Vec<Op>)> = Vec::new();
    if job.shown.apart {
        shown.extend(each.iter().cloned());
    }
    if job.shown.mixed {
        shown.push((
            "mixed",
            each.into_iter().flat_map(|(_, kinds)| kinds).collect(),
        ));
    }
    for (name, kinds) in &shown {
        let numbers = |streams: &[(usize, &StreamSummary)]| -> Vec<usize> {
            streams.iter().map(|(n, _)| *n).collect()
        };
        let own = streams.iter().filter(|(_, s)| job.is_shown(s, name));
        let own: Vec<(usize, &StreamSummary)> = own.copied().collect();
        let mut ops: Vec<_> = match last {
            Some(last) => of_kinds(&last.ops, kinds).collect(),
            None => kinds.iter().flat_map(|op| of(*op, &own)).collect(),
        };
        let mut runtime_s = runtime_s;
        let mut taken = main_samples.of(step.number, numbers(&own).into_iter(), kinds);
        if let Some((back, streams)) = back.as_ref().filter(|_| kinds.contains(&Op::Read)) {
            let is_alone = ops.iter().all(|o| o.ios == 0);
            let busy_s = samples.busy_s(back.number, numbers(streams).into_iter());
            let busy_s = busy_s.unwrap_or(back.counted_s);
            runtime_s = if is_alone { busy_s } else { runtime_s + busy_s };
            if is_alone {
                taken = samples.of(back.number, numbers(streams).into_iter(), &[Op::Read]);
            }
            ops.extend(of(Op::Read, streams));
        }
        let direction = Direction {
            ops,
            runtime_s,
            samples: taken,
            percentiles: &job.percentiles,
            shown: job.shown,
            form,
        };
        put(name, direction::value(&direction));
    }
    if job.shown.apart {
        let syncs = syncs(&streams);
        let count = if job.counts_syncs { syncs.count() } else { 0 };
        let times = times::of(&syncs, Some(&job.percentiles), form);
        put("sync", json!({ "total_ios": count, "lat_ns": times }));
    }
    let job_runtime = milliseconds(runtime_s).saturating_mul(job.clones);
    put("job_runtime", json!(job_runtime));
    for key in ["usr_cpu", "sys_cpu"] {
        put(key, json!(0.0));
    }
    for key in ["ctx", "majf", "minf"] {
        put(key, json!(0));
    }
    put(
        "iodepth_level",
        levels(job.kept_depth(), &["1", "2", "4", "8", "16", "32", ">=64"]),
    );
    for key in ["iodepth_submit", "iodepth_complete"] {
        put(
            key,
            unknown_levels(&["0", "4", "8", "16", "32", "64", ">=64"]),
        );
    }
    // fio counts the times from the submit to the completion (clat) there.
    let service = match last {
        Some(last) => merged_service(&last.ops),
        None => merged_service(streams.iter().flat_map(|(_, s)| &s.ops)),
    };
    put("latency_ns", times::within(&service, 1, &times::BELOW_1000));
    put(
        "latency_us",
        times::within(&service, 1_000, &times::BELOW_1000),
    );
    put(
        "latency_ms",
        times::within(&service, 1_000_000, &times::MILLISECONDS),
    );
    for (key, value) in job.latency() {
        put(key, value);
    }
    if let Some(steady) = &job.steady {
        put("steadystate", steady.value());
    }
    Value::Object(out)
}

/// Times of a job's syncs.
fn syncs(streams: &[(usize, &StreamSummary)]) -> Histogram {
    let mut all = Histogram::empty();
    for syncs in streams.iter().filter_map(|(_, s)| s.syncs.as_ref()) {
        all.merge(&syncs.service);
    }
    all
}

const EIO: u32 = 5;
const EILSEQ: u32 = 84;

/// Milliseconds as fio counts them: what took less than one took one.
pub(super) fn milliseconds(s: f64) -> u64 {
    match s > 0.0 {
        true => ((s * 1e3) as u64).max(1),
        false => 0,
    }
}

fn own_streams<'e>(job: &FioJob, step: &'e StepEvidence) -> Vec<(usize, &'e StreamSummary)> {
    let all = step.streams.iter().enumerate();
    all.filter(|(_, s)| job.has(s)).collect()
}

fn of<'a>(op: Op, streams: &[(usize, &'a StreamSummary)]) -> Vec<&'a OpSummary> {
    let all = streams.iter().flat_map(|(_, s)| &s.ops);
    all.filter(|o| o.op == op).collect()
}

fn of_kinds<'a>(ops: &'a [OpSummary], kinds: &'a [Op]) -> impl Iterator<Item = &'a OpSummary> {
    ops.iter().filter(|o| kinds.contains(&o.op))
}

fn merged_service<'a>(ops: impl IntoIterator<Item = &'a OpSummary>) -> Histogram {
    let mut all = Histogram::new();
    for op in ops {
        all.merge(&op.service);
    }
    all
}

/// All of it at the depth that the job kept. How often it was less is not counted.
fn levels(depth: u64, names: &[&str]) -> Value {
    let bound = |name: &str| name.trim_start_matches(">=").parse().unwrap_or(1_u64);
    let place = names.iter().rposition(|n| bound(n) <= depth);
    let pairs = names.iter().enumerate().map(|(n, name)| {
        let share = if Some(n) == place { 100.0 } else { 0.0 };
        (name.to_string(), json!(share))
    });
    Value::Object(pairs.collect())
}

fn unknown_levels(names: &[&str]) -> Value {
    let pairs = names.iter().map(|name| (name.to_string(), json!(0.0)));
    Value::Object(pairs.collect())
}
