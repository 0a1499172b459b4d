//! What a comparison takes from each record.

use super::facts::Fact;
use super::metric::show_size;
use super::{Metric, asked, environment_facts};
use crate::{Record, RecordError, RunStatus};
use plimsoll_evidence::{
    End, Estimate, Finding, MethodVerdict, Quantity, Severity, StepEvidence, Verdict, gathered,
};
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
    /// The version of the program that made it.
    pub version: String,
    /// The seed of its random choices.
    pub seed: u64,
    /// True where nothing was real: the same seed is then the same run again.
    pub simulated: bool,
    /// Facts of build, host and targets.
    pub facts: Vec<Fact>,
    /// Facts of how it was measured, which are the same in all its steps.
    pub measured: Vec<Fact>,
    /// True where a rule found the whole run invalid.
    pub invalid: bool,
    /// What was said of the run as a whole, one sentence each.
    pub notes: Vec<String>,
    /// Its finished steps, fills left out.
    pub steps: Vec<StepFigures>,
}

/// One step of one run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StepFigures {
    /// Its name, with its loop values.
    pub name: String,
    /// True where its response times mean nothing.
    pub saturated: bool,
    /// True where it was ended before its time: by the user, by errors, or by I/Os that did not come back.
    pub cut_short: bool,
    /// True where a rule found it invalid.
    pub invalid: bool,
    /// True where it is no step but a disturbance's report over its repeats.
    pub of_disturbance: bool,
    /// Failed I/Os.
    pub errors: u64,
    /// Rates asked for, I/Os per second: the step's, and those that streams carry themselves; none in a closed loop.
    pub offered: Vec<f64>,
    /// What it was asked to do.
    pub asked: Vec<Fact>,
    /// What was said of it, one sentence each.
    pub notes: Vec<String>,
    /// What is known of each metric; ns, per second, bytes per second.
    pub values: BTreeMap<Metric, Estimate>,
}

impl RunFigures {
    /// Takes them from a record.
    pub fn of(record: &Record) -> Result<Self, RecordError> {
        let environment = record.environment();
        let (all, verdicts) = (record.steps()?, record.verdicts()?);
        // What the steps and the verdicts say themselves comes first, and is taken from them.
        let own = gathered(&all, &verdicts, &[]).len();
        let findings = gathered(&all, &verdicts, &record.findings()?).split_off(own);
        let mut steps = Vec::new();
        for step in all.iter().filter(|s| !s.fill) {
            let definition = record.step_json(step.number)?.unwrap_or_default();
            steps.push(StepFigures::of(step, &definition, &findings));
        }
        for verdict in &verdicts {
            if let Verdict::Method(report) = verdict
                && report.method == "disturb"
            {
                let repeat = all.iter().rposition(|s| s.run == report.run);
                let repeat = repeat.and_then(|at| steps.iter().find(|s| s.name == all[at].name));
                steps.push(StepFigures::of_report(report, repeat));
            }
        }
        let of_run = findings.iter().filter(|f| f.step.is_none());
        let mut notes = environment.notes.clone();
        for verdict in &verdicts {
            let with_remedy = verdict.remarks().into_iter();
            notes.extend(with_remedy.map(|note| format!("{}: {note}", verdict.run())));
        }
        notes.extend(of_run.clone().map(with_remedy));
        Ok(RunFigures {
            label: record.path().display().to_string(),
            started_unix_ns: record.started_unix_ns(),
            status: record.status().clone(),
            version: environment.tool_version.clone(),
            seed: environment.seed,
            simulated: environment.simulated,
            facts: environment_facts::of_place(environment),
            measured: environment_facts::of_measuring(environment, record.plan_json()),
            invalid: of_run.clone().any(|f| f.severity == Severity::Invalid),
            notes,
            steps,
        })
    }
}

impl StepFigures {
    /// A disturbance's report under its run's name, with what the last of its repeats was asked.
    fn of_report(report: &MethodVerdict, repeat: Option<&StepFigures>) -> Self {
        let value = |metric: Metric| {
            let name = metric.of_disturbance()?;
            let figure = report.figures.iter().find(|f| f.name == name)?;
            let value = match figure.quantity.as_ref()? {
                Quantity::Seconds(seconds) => seconds * 1e9,
                other => other.number()?,
            };
            Some((metric, Estimate::bare(value)))
        };
        StepFigures {
            name: report.run.clone(),
            invalid: !report.decided,
            of_disturbance: true,
            asked: repeat.map_or(Vec::new(), |r| r.asked.clone()),
            offered: repeat.map_or(Vec::new(), |r| r.offered.clone()),
            values: Metric::ALL.into_iter().filter_map(value).collect(),
            ..StepFigures::default()
        }
    }

    /// The one place where a comparison reads a step's evidence.
    fn of(step: &StepEvidence, definition: &str, findings: &[Finding]) -> Self {
        let of_record = findings.iter().filter(|f| f.step == Some(step.number));
        let findings = of_record.chain(&step.findings);
        let saturated = step.saturation.is_some_and(|s| s.saturated);
        let mut offered: Vec<f64> = step.offered.into_iter().collect();
        offered.extend(asked::fixed_rates(definition));
        let mut asked = asked::of_step(definition);
        if asked.is_empty() {
            asked = measured_facts(step);
        }
        StepFigures {
            name: step.name.clone(),
            saturated,
            cut_short: matches!(step.end, End::Interrupted | End::Errors | End::Hung),
            invalid: findings.clone().any(|f| f.severity == Severity::Invalid),
            errors: step.errors,
            offered,
            asked,
            notes: step
                .notes
                .iter()
                .cloned()
                .chain(findings.map(with_remedy))
                .collect(),
            of_disturbance: false,
            values: values(step, saturated),
        }
    }
}

fn with_remedy(finding: &Finding) -> String {
    format!("{}: {}", finding.rule, finding.with_remedy())
}

/// What a step whose definition is not known shows of it: to the percent, for draws differ.
fn measured_facts(step: &StepEvidence) -> Vec<Fact> {
    let mut facts = vec![Fact::plain("depth", step.slots.to_string())];
    if step.ios > 0 {
        let share = |ios: u64| format!("{:.0} %", ios as f64 / step.ios as f64 * 100.0);
        let size = step.bytes as f64 / step.ios as f64;
        facts.push(Fact::plain("mean size", show_size(size)));
        for op in &step.ops {
            facts.push(Fact::plain(op.op.name(), share(op.ios)));
        }
    }
    facts
}

fn values(step: &StepEvidence, saturated: bool) -> BTreeMap<Metric, Estimate> {
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
    values
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
