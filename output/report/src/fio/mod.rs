//! Results in the layout of fio's `--output-format=json` and `json+`, as its readers expect them.
//!
//! The names and units are those of fio 3.x. What they hold is what Plimsoll measured: `clat_ns` is the service time, from the hand-over
//! to the kernel to the completion; `lat_ns` is the response time, from the intended start, so that with a rate it has the waiting that
//! fio leaves out; `slat_ns` is not measured apart and has no samples. What is not known is zero, as in fio where a figure is switched off.

mod bins;
mod direction;
mod earlier;
mod iolog;
mod job;
mod latency;
mod logs;
mod normal;
mod samples;
mod short;
mod steady;
mod terse;
mod times;

pub use earlier::{LogOf, is_histogram_log, is_iolog, is_log, is_results};
pub use iolog::{IologLine, write_iolog};
pub use job::{FioJob, Shown};
pub use latency::{FoundDepth, LastWindow};
pub use logs::{FioLog, LogValue};
pub use normal::{Heading, headings, normal};
pub use samples::Samples;
pub use steady::{SteadyRule, SteadyState};
pub use terse::{TerseVersion, terse};

use plimsoll_evidence::{Environment, StepEvidence};
use serde_json::{Map, Value, json};

/// Form of the document: how much of the histograms is in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Percentiles.
    Json,
    /// All buckets too.
    JsonPlus,
}

/// Idle time of the CPUs that is told, by the kernel's own count of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IdleCpus {
    /// Idle time of all together.
    Together,
    /// Idle time of each, too.
    Each,
}

/// Run that a document is of.
#[derive(Debug, Clone, Copy)]
pub struct FioRun<'a> {
    /// Host and targets.
    pub environment: &'a Environment,
    /// The steps that were carried out.
    pub steps: &'a [StepEvidence],
    /// The jobs, in the order in which they are to stand.
    pub jobs: &'a [FioJob],
    /// Samples of the jobs in each interval.
    pub samples: &'a Samples,
    /// Options of all jobs, as they were written.
    pub global_options: &'a [(String, String)],
    /// The end of the run.
    pub ended: jiff::Timestamp,
    /// Idle time of the CPUs that is told.
    pub idle: Option<IdleCpus>,
}

impl FioRun<'_> {
    /// The jobs whose step began.
    fn begun(&self) -> impl Iterator<Item = &FioJob> {
        let began = |job: &&FioJob| self.steps.iter().any(|s| s.number == job.step);
        self.jobs.iter().filter(began)
    }

    /// Number of clones of each job that is in the document.
    pub fn clones(&self) -> Vec<u64> {
        self.begun().map(|job| job.clones).collect()
    }
}

/// The document. Jobs whose step did not begin are not in it, as fio leaves out what did not start.
pub fn document(run: &FioRun<'_>, form: Form) -> Value {
    let step = |number: u32| run.steps.iter().find(|s| s.number == number);
    let jobs = run.begun().filter_map(|job| {
        let steps = job::Steps {
            main: step(job.step)?,
            back: job.read_back.and_then(step),
            targets: &run.environment.targets,
        };
        Some(job::value(job, &steps, run.samples, form))
    });
    let jobs: Vec<Value> = jobs.collect();
    let mut document = json!({
        "fio version": format!("plimsoll-{}", run.environment.tool_version),
        "timestamp": run.ended.as_second(),
        "timestamp_ms": run.ended.as_millisecond(),
        // As by ctime(3), in UTC.
        "time": run.ended.strftime("%a %b %e %H:%M:%S %Y").to_string(),
        "jobs": jobs,
        "disk_util": disk_util(run.steps),
    });
    if let Some(idleness) = run.idle.and_then(|idle| cpu_idleness(run.steps, idle)) {
        document["cpu_idleness"] = idleness;
    }
    if !run.global_options.is_empty() {
        document["global options"] = options(run.global_options);
    }
    document
}

/// Idle part of the CPUs' time, percent; `None` where nobody looked.
fn cpu_idleness(steps: &[StepEvidence], idle: IdleCpus) -> Option<Value> {
    let mut each: Vec<(f64, f64)> = Vec::new();
    for witnessed in steps.iter().filter_map(|s| s.witnessed.as_ref()) {
        each.resize(each.len().max(witnessed.cpus.len()), (0.0, 0.0));
        for (sum, cpu) in each.iter_mut().zip(&witnessed.cpus) {
            *sum = (sum.0 + cpu.busy_s, sum.1 + cpu.all_s);
        }
    }
    let percent = |(busy, all): (f64, f64)| 100.0 * (1.0 - busy / all).clamp(0.0, 1.0);
    let sum = each.iter().fold((0.0, 0.0), |a, b| (a.0 + b.0, a.1 + b.1));
    let mut told = Map::from_iter([("system".to_string(), json!(percent(sum)))]);
    if idle == IdleCpus::Each {
        let cpus = each.iter().enumerate().filter(|(_, cpu)| cpu.1 > 0.0);
        told.extend(cpus.map(|(n, cpu)| (format!("cpu-{n}"), json!(percent(*cpu)))));
    }
    (sum.1 > 0.0).then_some(Value::Object(told))
}

/// Options as an object: of what was written twice the last one, as fio shows it.
fn options(options: &[(String, String)]) -> Value {
    // fio leaves out those that stand there without a value.
    let given = options.iter().filter(|(_, value)| !value.is_empty());
    let pairs = given.map(|(k, v)| (k.clone(), json!(v)));
    Value::Object(pairs.collect::<Map<String, Value>>())
}

/// Activity of the targets' devices meanwhile, all steps together.
fn disk_util(steps: &[StepEvidence]) -> Vec<Value> {
    let mut names: Vec<&str> = Vec::new();
    let seen = || steps.iter().filter_map(|s| s.witnessed.as_ref());
    for device in seen().flat_map(|w| &w.devices) {
        if !names.contains(&device.name.as_str()) {
            names.push(&device.name);
        }
    }
    let of = |name: &str| {
        let all: Vec<_> = seen()
            .flat_map(|w| w.devices.iter().map(move |d| (w.observed_s, d)))
            .filter(|(_, d)| d.name == name)
            .collect();
        let sum = |field: fn(&plimsoll_evidence::witnessed::DeviceUse) -> u64| -> u64 {
            all.iter().map(|(_, d)| field(d)).sum()
        };
        let observed_ms: f64 = all.iter().map(|(s, _)| s * 1e3).sum();
        let util = match observed_ms > 0.0 {
            true => (sum(|d| d.busy_ms) as f64 / observed_ms * 100.0).min(100.0),
            false => 0.0,
        };
        json!({
            "name": name,
            "read_ios": sum(|d| d.reads), "write_ios": sum(|d| d.writes),
            "read_merges": sum(|d| d.reads_merged), "write_merges": sum(|d| d.writes_merged),
            "read_ticks": sum(|d| d.read_ms), "write_ticks": sum(|d| d.write_ms),
            "in_queue": sum(|d| d.queue_ms),
            "util": util,
        })
    };
    names.into_iter().map(of).collect()
}
