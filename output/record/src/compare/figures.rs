//! What a comparison takes from each record.

use super::facts::Fact;
use super::metric::show_size;
use super::{Metric, asked, drift, environment_facts};
use crate::{Record, RecordError, RunStatus};
use plimsoll_evidence::{
    Capacity, CurveVerdict, End, Estimate, Finding, MethodVerdict, Quantity, Severity,
    StepEvidence, Verdict, gathered,
};
use plimsoll_measure::{Histogram, effective_count, quantile_interval};
use plimsoll_plan::{Item, Plan, Purpose, name_without_repeat, repeat_name, repeat_of};
use plimsoll_printable::human;
use std::collections::BTreeMap;

/// One run, reduced to what is compared.
#[derive(Debug, Clone, PartialEq)]
pub struct RunFigures {
    /// Label of the run: the record's path.
    pub label: String,
    /// Number of the repeat of its plan that it is, from 1, where its record holds several.
    pub repeat: Option<u32>,
    /// Sentences on what its record holds besides and is not compared.
    pub left_out: Vec<String>,
    /// Start of the run, ns since 1970.
    pub started_unix_ns: i64,
    /// Status at the end of the run.
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
    /// Sentences on the run as a whole.
    pub notes: Vec<String>,
    /// Steps that were finished, fills left out.
    pub steps: Vec<StepFigures>,
}

/// One step of one run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StepFigures {
    /// Name of the step, with its loop values.
    pub name: String,
    /// True where its response times mean nothing.
    pub saturated: bool,
    /// True where it was ended before its time: by the user, by errors, or by I/Os that did not come back.
    pub cut_short: bool,
    /// True where a rule found it invalid.
    pub invalid: bool,
    /// Kind of step: a step proper, or an answer that has figures of its own.
    pub kind: StepKind,
    /// Failed I/Os.
    pub errors: u64,
    /// Rates asked for, I/Os per second: the step's, and those that streams carry themselves; none in a closed loop.
    pub offered: Vec<f64>,
    /// Facts of what the step was asked to do.
    pub asked: Vec<Fact>,
    /// Sentences on the step.
    pub notes: Vec<String>,
    /// Limits of response time that were asked of it, ns.
    pub limits: BTreeMap<Metric, f64>,
    /// Values of the metrics that are known; ns, per second, bytes per second.
    pub values: BTreeMap<Metric, Estimate>,
}

/// Kind of thing that has figures of its own.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum StepKind {
    /// A step.
    #[default]
    Measured,
    /// Reads and writes together, of a tool that tells their percentiles apart: each direction is a step of its own beside it.
    Mixed,
    /// A disturbance's report over its repeats.
    Disturbance,
    /// The capacity of a curve at a limit of response time.
    Capacity,
}

impl StepKind {
    /// True where it has a metric, where that is known.
    pub(crate) fn has(self, metric: Metric) -> bool {
        match self {
            StepKind::Mixed => metric.kind() == StepKind::Measured && !metric.is_percentile(),
            kind => kind == metric.kind(),
        }
    }
}

impl RunFigures {
    /// Figures of a record, as one run.
    pub fn of(record: &Record) -> Result<Self, RecordError> {
        Ok(Contents::of(record)?.run(None))
    }

    /// Figures of each repeat of its plan that a record holds whole, as runs of their own; of a record without repeats as one run.
    pub fn each_of(record: &Record) -> Result<Vec<Self>, RecordError> {
        let contents = Contents::of(record)?;
        let plan: Option<Plan> = serde_json::from_str(record.plan_json()).ok();
        let Some((round, times)) = plan.as_ref().and_then(Plan::round) else {
            return Ok(vec![contents.run(None)]);
        };
        let (whole, cut): (Vec<u32>, Vec<u32>) = (1..=times)
            .filter(|number| contents.is_begun(*number))
            .partition(|number| contents.is_whole(&round, *number));
        // Where none is whole, what there is of the first says what became of it.
        if whole.is_empty() {
            return Ok(vec![contents.run(cut.first().copied())]);
        }
        let mut runs: Vec<RunFigures> = whole.iter().map(|n| contents.run(Some(*n))).collect();
        for run in &mut runs {
            run.status = RunStatus::Completed;
        }
        let path = record.path().display();
        let note = |n: &u32| format!("Repeat {n} of {path} is incomplete and left out.");
        runs[0].left_out = cut.iter().map(note).collect();
        Ok(runs)
    }

    /// The run's name in a sentence: `a.plim (repeat 2)`.
    pub fn name(&self) -> String {
        let number = self.repeat.map(|n| format!(" (repeat {n})"));
        format!("{}{}", self.label, number.unwrap_or_default())
    }
}

/// A step, when it began, and its definition.
type Begun = (StepEvidence, i64, String);

/// Contents of a record, as far as it is compared.
struct Contents<'r> {
    record: &'r Record,
    /// The steps, fills left out.
    steps: Vec<Begun>,
    verdicts: Vec<Verdict>,
    /// The findings that neither steps nor verdicts say themselves.
    findings: Vec<Finding>,
}

impl<'r> Contents<'r> {
    fn of(record: &'r Record) -> Result<Self, RecordError> {
        let (all, verdicts) = (record.steps()?, record.verdicts()?);
        // What the steps and the verdicts say themselves comes first, and is taken from them.
        let own = gathered(&all, &verdicts, &[]).len();
        let findings = gathered(&all, &verdicts, &record.findings()?).split_off(own);
        let mut steps = Vec::new();
        for step in all.into_iter().filter(|s| !s.fill) {
            let begun = record.step_begun_unix_ns(step.number)?;
            let definition = record.step_json(step.number)?.unwrap_or_default();
            steps.push((step, begun.unwrap_or_default(), definition));
        }
        Ok(Contents {
            record,
            steps,
            verdicts,
            findings,
        })
    }

    fn of_repeat(&self, number: u32) -> impl Iterator<Item = &StepEvidence> {
        let is_of = move |s: &&StepEvidence| repeat_of(&s.run).is_some_and(|(_, n)| n == number);
        self.steps.iter().map(|(step, ..)| step).filter(is_of)
    }

    fn is_begun(&self, number: u32) -> bool {
        self.of_repeat(number).next().is_some()
    }

    /// True of a repeat that has all that the plan's round has, and was not interrupted.
    fn is_whole(&self, round: &Plan, number: u32) -> bool {
        let is_there = |item: &Item| {
            let Some(base) = item.steps().first() else {
                return true;
            };
            let run = repeat_name(&base.run, number);
            match item {
                Item::Step(base) if base.purpose == Purpose::Fill => true,
                Item::Step(base) => self
                    .of_repeat(number)
                    .any(|s| s.run == run && name_without_repeat(&s.name, &s.run) == base.name),
                Item::Curve(_) | Item::Method(_) => self.verdicts.iter().any(|v| v.run() == run),
            }
        };
        let cut = self.of_repeat(number).any(|s| s.end == End::Interrupted);
        !cut && round.items.iter().all(is_there)
    }

    /// The whole record, or one of the repeats that it holds.
    fn run(&self, repeat: Option<u32>) -> RunFigures {
        let record = self.record;
        let environment = record.environment();
        let is_in = |run: &str| match (repeat, repeat_of(run)) {
            (Some(wanted), Some((_, number))) => wanted == number,
            _ => true,
        };
        let name = |name: &str, run: &str| match repeat {
            Some(_) => name_without_repeat(name, run),
            None => name.to_owned(),
        };
        let own: Vec<_> = self.steps.iter().filter(|(s, ..)| is_in(&s.run)).collect();
        let verdicts: Vec<&Verdict> = self.verdicts.iter().filter(|v| is_in(v.run())).collect();
        let mut steps = Vec::new();
        let plan: Option<Plan> = serde_json::from_str(record.plan_json()).ok();
        for (step, _, definition) in &own {
            let mut figures = StepFigures::of(step, definition, &self.findings);
            figures.name = name(&step.name, &step.run);
            figures.limits = plan
                .as_ref()
                .map_or_else(BTreeMap::new, |plan| drift::asked_limits(plan, &step.run));
            steps.push(figures);
        }
        let answers = verdicts.iter().flat_map(|verdict| {
            let of = name(verdict.run(), verdict.run());
            StepFigures::of_verdict(&of, verdict, &own, &steps)
        });
        let answers: Vec<StepFigures> = answers.collect();
        steps.extend(answers);
        let of_run = self.findings.iter().filter(|f| f.step.is_none());
        let mut notes = environment.notes.clone();
        for verdict in &verdicts {
            let remarks = verdict.remarks().into_iter();
            notes.extend(
                remarks.map(|note| format!("{}: {note}", name(verdict.run(), verdict.run()))),
            );
        }
        notes.extend(of_run.clone().map(with_remedy));
        let begun = repeat.and_then(|_| own.first().map(|(_, begun, _)| *begun));
        RunFigures {
            label: record.path().display().to_string(),
            repeat,
            left_out: Vec::new(),
            started_unix_ns: begun.unwrap_or(record.started_unix_ns()),
            status: record.status().clone(),
            version: environment.tool_version.clone(),
            seed: environment.seed,
            simulated: environment.simulated,
            facts: environment_facts::of_place(environment),
            measured: environment_facts::of_measuring(environment, record.plan_json()),
            invalid: of_run.clone().any(|f| f.severity == Severity::Invalid),
            notes,
            steps,
        }
    }
}

impl StepFigures {
    /// Figures of a verdict, under the name of its run; `measured` are those of the run's own steps.
    fn of_verdict(
        run: &str,
        verdict: &Verdict,
        own: &[&Begun],
        measured: &[StepFigures],
    ) -> Vec<Self> {
        match verdict {
            Verdict::Method(report) if report.method == "disturb" => {
                let last = own.iter().rposition(|(s, ..)| s.run == report.run);
                let last = last.map(|at| &measured[at]);
                vec![StepFigures::of_report(run, report, last)]
            }
            Verdict::Method(_) => Vec::new(),
            Verdict::Curve(curve) => {
                let maximum = curve.points.iter().find(|p| p.percent.is_none());
                let maximum =
                    maximum.and_then(|p| own.iter().position(|(s, ..)| s.number == p.step));
                let asked = maximum.map_or(Vec::new(), |at| measured[at].asked.clone());
                StepFigures::of_capacities(run, curve, &asked)
            }
        }
    }

    /// A disturbance's report under its run's name, with what the last of its repeats was asked.
    fn of_report(run: &str, report: &MethodVerdict, repeat: Option<&StepFigures>) -> Self {
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
            name: run.to_owned(),
            invalid: !report.decided,
            kind: StepKind::Disturbance,
            asked: repeat.map_or(Vec::new(), |r| r.asked.clone()),
            offered: repeat.map_or(Vec::new(), |r| r.offered.clone()),
            values: Metric::ALL.into_iter().filter_map(value).collect(),
            ..StepFigures::default()
        }
    }

    /// The capacities of a curve. The depth of its maximum may have been searched: it was not asked for.
    fn of_capacities(run: &str, curve: &CurveVerdict, asked: &[Fact]) -> Vec<Self> {
        let of = |capacity: &Capacity| {
            let limit = human::time_in_text(capacity.limit_ns as f64);
            let bound = "every point keeps the limit: the capacity is at least this";
            // A bound depends on the points that were tried, and is no figure of the target.
            let value = capacity.rate.filter(|_| !capacity.at_least);
            let value = value.map(|rate| (Metric::Capacity, rate));
            StepFigures {
                name: format!("{run} within {limit} ({})", capacity.statistic),
                kind: StepKind::Capacity,
                invalid: !curve.decided,
                asked: asked
                    .iter()
                    .filter(|f| f.name != "depth")
                    .cloned()
                    .collect(),
                notes: capacity
                    .at_least
                    .then(|| bound.to_owned())
                    .into_iter()
                    .collect(),
                values: value.into_iter().collect(),
                ..StepFigures::default()
            }
        };
        curve.capacities.iter().map(of).collect()
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
            kind: StepKind::Measured,
            values: values(step, saturated),
            ..StepFigures::default()
        }
    }
}

fn with_remedy(finding: &Finding) -> String {
    format!("{}: {}", finding.rule, finding.with_remedy())
}

/// Facts that show in a step whose definition is not known: to the percent, for draws differ.
fn measured_facts(step: &StepEvidence) -> Vec<Fact> {
    let mut facts = vec![Fact::plain("depth", step.slots.to_string())];
    if step.ios > 0 {
        let share = |ios: u64| format!("{:.0} %", ios as f64 / step.ios as f64 * 100.0);
        let size = step.mean_size().map(show_size);
        facts.extend(size.map(|size| Fact::plain("mean size", size)));
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
