//! What a comparison takes from each record.

use super::Metric;
use crate::environment_rows::facts;
use crate::{Record, RecordError, RunStatus};
use plimsoll_evidence::{Environment, Estimate, StepEvidence};
use plimsoll_measure::{Histogram, effective_count, quantile_interval};
use std::collections::BTreeMap;

/// One run, reduced to what is compared.
#[derive(Debug, Clone, PartialEq)]
pub struct RunFigures {
    /// What people call it: the record's path.
    pub label: String,
    /// When it began, ns since 1970.
    pub started_unix_ns: i64,
    /// How it ended.
    pub status: RunStatus,
    /// Facts about host and targets that should not differ: (name, value).
    pub facts: Vec<(String, String)>,
    /// Its finished steps, fills left out.
    pub steps: Vec<StepFigures>,
}

/// One step of one run.
#[derive(Debug, Clone, PartialEq)]
pub struct StepFigures {
    /// Its name, with its loop values.
    pub name: String,
    /// True where its response times mean nothing.
    pub saturated: bool,
    /// Failed I/Os.
    pub errors: u64,
    /// Rate asked for, I/Os per second.
    pub offered: Option<f64>,
    /// What is known of each metric; ns, per second, bytes per second.
    pub values: BTreeMap<Metric, Estimate>,
}

impl RunFigures {
    /// Takes them from a record.
    pub fn of(record: &Record) -> Result<Self, RecordError> {
        let steps = record.steps()?;
        Ok(RunFigures {
            label: record.path().display().to_string(),
            started_unix_ns: record.started_unix_ns(),
            status: record.status().clone(),
            facts: lasting_facts(record.environment()),
            steps: steps
                .iter()
                .filter(|s| !s.fill)
                .map(StepFigures::of)
                .collect(),
        })
    }
}

impl StepFigures {
    fn of(step: &StepEvidence) -> Self {
        let mut values = BTreeMap::new();
        values.insert(Metric::Iops, step.rate);
        if step.counted_s > 0.0 {
            let mean = step.bytes as f64 / step.counted_s;
            // The bytes follow the I/Os: their relative uncertainty is the same.
            let relative = step.rate.half_width.map(|h| h / step.rate.mean);
            values.insert(
                Metric::BytesPerSecond,
                Estimate {
                    mean,
                    half_width: relative.map(|r| r * mean),
                    batches: step.rate.batches,
                },
            );
        }
        values.insert(Metric::ServiceMean, step.service_mean_ns);
        let saturated = step.saturation.is_some_and(|s| s.saturated);
        if !saturated {
            values.insert(Metric::ResponseMean, step.response_mean_ns);
            for (metric, q) in [
                (Metric::ResponseP50, 0.5),
                (Metric::ResponseP99, 0.99),
                (Metric::ResponseP999, 0.999),
            ] {
                if let Some(estimate) = quantile(&step.response, q, step.response_mean_ns) {
                    values.insert(metric, estimate);
                }
            }
        }
        if let Some(cpu) = step.cpu_ns_per_io {
            values.insert(Metric::CpuPerIo, Estimate::bare(cpu));
        }
        values.retain(|_, e| e.mean.is_finite());
        StepFigures {
            name: full_name(step),
            saturated,
            errors: step.errors,
            offered: step.offered,
            values,
        }
    }
}

/// A percentile with half of the width of its interval, where the sample supports it.
fn quantile(histogram: &Histogram, q: f64, mean: Estimate) -> Option<Estimate> {
    let value = histogram.supported_quantile_ns(q)? as f64;
    let half_width = mean
        .half_width
        .zip(histogram.std_dev_ns())
        .and_then(|(half, std_dev)| {
            // 1.96 standard errors: an approximation of the t factor, for the effective count only.
            let effective = effective_count(histogram.count(), std_dev, half / 1.96);
            let (low, high) = quantile_interval(histogram, q, effective)?;
            Some((high as f64 - value).max(value - low as f64))
        });
    Some(Estimate {
        mean: value,
        half_width,
        batches: mean.batches,
    })
}

/// The name, with loop values where it does not show them itself, as in the records of early versions.
fn full_name(step: &StepEvidence) -> String {
    let loops: Vec<String> = step
        .loops
        .iter()
        .map(|(key, value)| format!("{key}={value}"))
        .collect();
    let shown = format!("_({})", loops.join(","));
    if loops.is_empty() || step.name.contains(&shown) {
        return step.name.clone();
    }
    format!("{}{shown}", step.name)
}

/// What should be the same in all runs of a comparison.
fn lasting_facts(environment: &Environment) -> Vec<(String, String)> {
    const OF_ONE_RUN: [&str; 5] = ["started", "command", "seed", "notes", "backend_reason"];
    let mut all: Vec<(String, String)> = facts(environment)
        .into_iter()
        .filter(|(key, _)| !OF_ONE_RUN.contains(key))
        .map(|(key, value)| (key.to_string(), value.unwrap_or_default()))
        .collect();
    for target in &environment.targets {
        let mut say =
            |key: &str, value: String| all.push((format!("{}: {key}", target.name), value));
        say("location", target.location.clone());
        say("kind", target.kind.clone());
        say("size_bytes", target.size_bytes.to_string());
        say("filesystem", target.filesystem.clone().unwrap_or_default());
        say("backend", target.backend.clone().unwrap_or_default());
        for layer in &target.stack {
            let mut say = |key: &str, value: Option<&String>| {
                all.push((
                    format!("{}: {} {key}", target.name, layer.name),
                    value.cloned().unwrap_or_default(),
                ));
            };
            say("model", layer.model.as_ref());
            say("serial", layer.serial.as_ref());
            say("firmware", layer.firmware.as_ref());
            say("scheduler", layer.scheduler.as_ref());
            for (key, value) in &layer.queue {
                say(key, Some(value));
            }
        }
    }
    all
}
